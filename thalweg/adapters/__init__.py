"""Classifiers of other libraries as learners, and learners as classifiers of other libraries."""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.adapters.capymoa_classifier import to_capymoa as to_capymoa
    from thalweg.adapters.river_classifier import to_river as to_river
    from thalweg.adapters.river_learner import RiverLearner as RiverLearner
    from thalweg.adapters.sklearn_learner import SklearnLearner as SklearnLearner
else:
    __getattr__ = registry.load
__dir__ = registry.public
