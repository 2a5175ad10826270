"""Does a learner, a detector or a stream keep its contract? For those of thalweg and for your own."""

from typing import TYPE_CHECKING, Any

from thalweg._registry import Registry

registry = Registry(
    __name__,
    {
        "check_learner": "learner",
        "check_detector": "detector",
        "check_stream": "stream",
    },
)
__all__ = [*registry]

if TYPE_CHECKING:
    from thalweg.checks.detector import check_detector as check_detector
    from thalweg.checks.learner import check_learner as check_learner
    from thalweg.checks.stream import check_stream as check_stream
else:

    def __getattr__(name: str) -> Any:
        return registry.load(name)


def __dir__() -> list[str]:
    return __all__
