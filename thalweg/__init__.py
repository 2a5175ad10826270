"""Classifiers for data streams whose rules keep changing.

`thalweg.learners`, `thalweg.streams`, `thalweg.drift`, `thalweg.evaluation`, `thalweg.waiting` and
`thalweg.checks` are the public modules. Each is imported when it is first used, so `import thalweg` costs
next to nothing.
"""

import importlib

__all__ = ["checks", "drift", "evaluation", "learners", "streams", "waiting"]


def __getattr__(name):
    if name in __all__:
        return importlib.import_module(f"thalweg.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("thalweg")
    raise AttributeError(f"module 'thalweg' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__, "__version__"])
