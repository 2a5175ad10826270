"""The contract of a learner, and the base classes that derive everything else from it."""

from typing import TYPE_CHECKING, Any

from thalweg._registry import Registry

registry = Registry(__name__, {"NativeClassifier": "native", "StreamClassifier": "stream_classifier"})
if TYPE_CHECKING:
    from thalweg.learners.base.native import NativeClassifier as NativeClassifier
    from thalweg.learners.base.stream_classifier import StreamClassifier as StreamClassifier


def __getattr__(name: str) -> Any:
    return registry.load(name)
