"""Classifiers of other libraries as learners, and learners as classifiers of other libraries."""

from typing import TYPE_CHECKING, Any

from thalweg._registry import Registry

registry = Registry(
    __name__,
    {
        "SklearnLearner": "sklearn_learner",
        "RiverLearner": "river_learner",
        "to_capymoa": "capymoa_classifier",
        "to_river": "river_classifier",
    },
)
__all__ = [*registry]

if TYPE_CHECKING:
    from thalweg.adapters.capymoa_classifier import to_capymoa as to_capymoa
    from thalweg.adapters.river_classifier import to_river as to_river
    from thalweg.adapters.river_learner import RiverLearner as RiverLearner
    from thalweg.adapters.sklearn_learner import SklearnLearner as SklearnLearner
else:

    def __getattr__(name: str) -> Any:
        return registry.load(name)


def __dir__() -> list[str]:
    return __all__
