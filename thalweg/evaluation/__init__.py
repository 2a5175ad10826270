"""How well a learner did: the evaluation loop, its result (a Run), metrics and reports."""

from typing import TYPE_CHECKING, Any

from thalweg._registry import Registry

registry = Registry(
    __name__,
    {
        "prequential": "protocols",
        "chunked": "protocols",
        "holdout": "protocols",
        "Run": "run",
        "TotalsRun": "totals_run",
        "paired": "uncertainty",
        "standard_error": "uncertainty",
        "compare": "comparison.compare",
        "Comparison": "comparison.result",
        "tune": "comparison.tune",
        "Tuned": "comparison.tune",
        "score_detector": "detection",
        "loss_streams": "detection",
        "explanation": "inputs.explanations",
        "Explanations": "inputs.explanations",
        "PermutationImportance": "inputs.permutation",
        "InputColumns": "inputs.columns",
        "watch": "drift.detect",
        "DriftReport": "drift.report",
        "suspicious": "label_errors.find",
        "Suspicions": "label_errors.find",
    },
    submodules=("metrics", "plots", "report"),
)
metric_registry = Registry(
    __name__,
    {
        "accuracy": "metrics",
        "auc": "metrics",
        "balanced_accuracy": "metrics",
        "brier": "metrics",
        "f1": "metrics",
        "g_mean": "metrics",
        "kappa": "metrics",
        "kappa_m": "metrics",
        "kappa_temporal": "metrics",
        "log_loss": "metrics",
        "recovery": "metrics",
    },
)
__all__ = [*registry, "metrics", "plots", "report"]

if TYPE_CHECKING:
    from thalweg.evaluation import metrics as metrics
    from thalweg.evaluation import plots as plots
    from thalweg.evaluation.comparison.compare import compare as compare
    from thalweg.evaluation.comparison.result import Comparison as Comparison
    from thalweg.evaluation.comparison.tune import Tuned as Tuned
    from thalweg.evaluation.comparison.tune import tune as tune
    from thalweg.evaluation.detection import loss_streams as loss_streams
    from thalweg.evaluation.detection import score_detector as score_detector
    from thalweg.evaluation.drift.detect import watch as watch
    from thalweg.evaluation.drift.report import DriftReport as DriftReport
    from thalweg.evaluation.inputs.columns import InputColumns as InputColumns
    from thalweg.evaluation.inputs.explanations import Explanations as Explanations
    from thalweg.evaluation.inputs.explanations import explanation as explanation
    from thalweg.evaluation.inputs.permutation import PermutationImportance as PermutationImportance
    from thalweg.evaluation.label_errors.find import Suspicions as Suspicions
    from thalweg.evaluation.label_errors.find import suspicious as suspicious
    from thalweg.evaluation.pages import run_page as report
    from thalweg.evaluation.protocols import chunked as chunked
    from thalweg.evaluation.protocols import holdout as holdout
    from thalweg.evaluation.protocols import prequential as prequential
    from thalweg.evaluation.run import Run as Run
    from thalweg.evaluation.totals_run import TotalsRun as TotalsRun
    from thalweg.evaluation.uncertainty import paired as paired
    from thalweg.evaluation.uncertainty import standard_error as standard_error
else:

    def __getattr__(name: str) -> Any:
        return registry.load(name)


def __dir__() -> list[str]:
    return __all__
