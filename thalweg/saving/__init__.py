"""Models as files: `save`, `load`, `to_bytes`, `from_bytes`.

A file holds numbers, strings and arrays only. Loading it runs no code but that of the learners of this
library and of the classes you allow.
"""

from thalweg.saving.files import describe as describe
from thalweg.saving.files import from_bytes as from_bytes
from thalweg.saving.files import load as load
from thalweg.saving.files import save as save
from thalweg.saving.files import to_bytes as to_bytes

__all__ = ["describe", "from_bytes", "load", "save", "to_bytes"]


def __dir__() -> list[str]:
    return __all__
