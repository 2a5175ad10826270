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
        "TotalsRun": "totals_only",
        "paired": "uncertainty",
        "standard_error": "uncertainty",
        "compare": "comparing",
        "Comparison": "comparison",
        "tune": "tuning",
        "Tuned": "tuning",
        "score_detector": "detection",
        "loss_streams": "detection",
        "explanation": "explanations",
        "Explanations": "explanations",
        "PermutationImportance": "permutation",
        "InputColumns": "input_columns",
        "watch": "watching",
        "DriftReport": "drift_report",
        "suspicious": "suspicions",
        "Suspicions": "suspicions",
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
    from thalweg.evaluation import report as report
    from thalweg.evaluation.comparing import compare as compare
    from thalweg.evaluation.comparison import Comparison as Comparison
    from thalweg.evaluation.detection import loss_streams as loss_streams
    from thalweg.evaluation.detection import score_detector as score_detector
    from thalweg.evaluation.drift_report import DriftReport as DriftReport
    from thalweg.evaluation.explanations import Explanations as Explanations
    from thalweg.evaluation.explanations import explanation as explanation
    from thalweg.evaluation.input_columns import InputColumns as InputColumns
    from thalweg.evaluation.permutation import PermutationImportance as PermutationImportance
    from thalweg.evaluation.protocols import chunked as chunked
    from thalweg.evaluation.protocols import holdout as holdout
    from thalweg.evaluation.protocols import prequential as prequential
    from thalweg.evaluation.run import Run as Run
    from thalweg.evaluation.suspicions import Suspicions as Suspicions
    from thalweg.evaluation.suspicions import suspicious as suspicious
    from thalweg.evaluation.totals_only import TotalsRun as TotalsRun
    from thalweg.evaluation.tuning import Tuned as Tuned
    from thalweg.evaluation.tuning import tune as tune
    from thalweg.evaluation.uncertainty import paired as paired
    from thalweg.evaluation.uncertainty import standard_error as standard_error
    from thalweg.evaluation.watching import watch as watch
else:

    def __getattr__(name: str) -> Any:
        return registry.load(name)


def __dir__() -> list[str]:
    return __all__
