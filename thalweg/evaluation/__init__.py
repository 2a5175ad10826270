"""How well a learner did: the one evaluation loop, its Run, the metrics, the report."""

from thalweg._registry import Registry

registry = Registry(
    __name__,
    {
        "prequential": "protocols",
        "chunked": "protocols",
        "holdout": "protocols",
        "Run": "run",
        "score_detector": "detection",
        "loss_streams": "detection",
        "watch": "watching",
        "DriftReport": "watching",
    },
    submodules=("metrics", "report"),
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
__all__ = [*registry, "metrics", "report"]


def __getattr__(name):
    return registry.load(name)


def __dir__():
    return __all__
