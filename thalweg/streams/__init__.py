"""Where rows come from: generators, files, named datasets, and streams joined into drifting ones."""

from thalweg._registry import Registry

registry = Registry(
    __name__,
    {
        "SEA": "sea",
    },
)
__all__ = [*registry]


def __getattr__(name):
    return registry.load(name)


def __dir__():
    return __all__
