"""Classifiers for data streams whose rules keep changing.

`thalweg.Model` is a learner with its columns: raw records in, labels out. `thalweg.learners`,
`thalweg.live`, `thalweg.keyed`, `thalweg.connectors`, `thalweg.streams`, `thalweg.drift`, `thalweg.trust`,
`thalweg.evaluation`, `thalweg.waiting`, `thalweg.preprocessing`, `thalweg.adapters`, `thalweg.saving`,
`thalweg.mlflow`, `thalweg.checks` and `thalweg.errors` are the public modules. Each is imported when it is
first used, so `import thalweg` is quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

__all__ = [
    "Model",
    "adapters",
    "checks",
    "connectors",
    "drift",
    "errors",
    "evaluation",
    "from_bytes",
    "keyed",
    "learners",
    "live",
    "load",
    "mlflow",
    "model",
    "preprocessing",
    "save",
    "saving",
    "streams",
    "to_bytes",
    "trust",
    "waiting",
]
NAMES = {"Model": "model", "from_bytes": "saving", "load": "saving", "save": "saving", "to_bytes": "saving"}

if TYPE_CHECKING:
    from thalweg import (
        adapters,
        checks,
        connectors,
        drift,
        errors,
        evaluation,
        keyed,
        learners,
        live,
        mlflow,
        model,
        preprocessing,
        saving,
        streams,
        trust,
        waiting,
    )
    from thalweg.model import Model
    from thalweg.saving import from_bytes, load, save, to_bytes

    __version__: str
else:

    def __getattr__(name: str) -> Any:
        if name in NAMES:
            return getattr(importlib.import_module(f"thalweg.{NAMES[name]}"), name)
        if name in __all__:
            return importlib.import_module(f"thalweg.{name}")
        if name == "__version__":
            from importlib.metadata import version

            globals()[name] = found = version("thalweg")  # reading it takes as long as saving a model
            return found
        raise AttributeError(f"module 'thalweg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
