"""Does a learner, a detector or a stream keep its contract? For ours and for yours; needs hypothesis."""

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


def __getattr__(name):
    return registry.load(name)


def __dir__():
    return __all__
