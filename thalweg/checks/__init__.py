"""Does a learner, a detector or a stream keep its contract? For those of thalweg and for your own."""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.checks.detector import check_detector as check_detector
    from thalweg.checks.learner import check_learner as check_learner
    from thalweg.checks.stream import check_stream as check_stream
else:
    __getattr__ = registry.load
__dir__ = registry.public
