"""The contract of a learner, and the base classes that derive everything else from it."""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.learners.base.native import NativeClassifier as NativeClassifier
    from thalweg.learners.base.stream_classifier import StreamClassifier as StreamClassifier
else:
    __getattr__ = registry.load
__dir__ = registry.public
