"""How sure one can be: calibrated probabilities, prediction sets, accuracy without labels, label budgets.

Learners around a learner are listed in `registry`; the rest, which are no learners, in `tool_registry`.
"""

from typing import TYPE_CHECKING, Any

from thalweg._registry import Registry

registry = Registry(__name__)
tool_registry = registry.part(("Estimate", "Budget", "Alarm"))
__all__ = [*registry, *tool_registry]

if TYPE_CHECKING:
    from thalweg.trust.accuracy_estimate import AccuracyEstimate as AccuracyEstimate
    from thalweg.trust.calibrated import Calibrated as Calibrated
    from thalweg.trust.class_weights import ClassWeights as ClassWeights
    from thalweg.trust.label_budget import LabelBudget as LabelBudget
    from thalweg.trust.performance_alarm import PerformanceAlarm as PerformanceAlarm
    from thalweg.trust.prediction_sets import PredictionSets as PredictionSets
else:

    def __getattr__(name: str) -> Any:
        return (tool_registry if name in tool_registry.modules else registry).load(name)


def __dir__() -> list[str]:
    return __all__
