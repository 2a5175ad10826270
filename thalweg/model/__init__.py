"""A learner with its columns: raw records in, labels out."""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.model.model import Model as Model
else:
    __getattr__ = registry.load
__dir__ = registry.public
