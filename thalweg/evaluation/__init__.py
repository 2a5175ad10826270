"""How well a learner did: the evaluation loop, its result (a Run), metrics and reports."""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
metric_registry = registry.decorated("metrics", "metric")
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.evaluation import metrics as metrics
    from thalweg.evaluation import plots as plots
    from thalweg.evaluation import report as report
    from thalweg.evaluation import set_metrics as set_metrics
    from thalweg.evaluation.comparison.compare import compare as compare
    from thalweg.evaluation.comparison.result import Comparison as Comparison
    from thalweg.evaluation.comparison.tune import Tuned as Tuned
    from thalweg.evaluation.comparison.tune import tune as tune
    from thalweg.evaluation.detection import loss_streams as loss_streams
    from thalweg.evaluation.detection import score_detector as score_detector
    from thalweg.evaluation.drift.detect import detect_drift as detect_drift
    from thalweg.evaluation.drift.report import DriftReport as DriftReport
    from thalweg.evaluation.inputs.columns import InputColumns as InputColumns
    from thalweg.evaluation.inputs.explanations import Explanations as Explanations
    from thalweg.evaluation.inputs.explanations import explanation as explanation
    from thalweg.evaluation.inputs.permutation import PermutationImportance as PermutationImportance
    from thalweg.evaluation.protocols import chunked as chunked
    from thalweg.evaluation.protocols import holdout as holdout
    from thalweg.evaluation.protocols import prequential as prequential
    from thalweg.evaluation.run import Run as Run
    from thalweg.evaluation.totals_run import TotalsRun as TotalsRun
    from thalweg.evaluation.uncertainty import paired as paired
    from thalweg.evaluation.uncertainty import standard_error as standard_error
    from thalweg.evaluation.wrong_labels.find import LabelErrors as LabelErrors
    from thalweg.evaluation.wrong_labels.find import label_errors as label_errors
else:
    __getattr__ = registry.load
__dir__ = registry.public
