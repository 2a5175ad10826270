"""A model for every key: customers, devices, pages, a million of them in one process."""

from typing import TYPE_CHECKING

from thalweg._registry import Registry

registry = Registry(__name__)
__all__ = registry.public()

if TYPE_CHECKING:
    from thalweg.keyed.bank import Bank as Bank
    from thalweg.keyed.operator import Operator as Operator
    from thalweg.keyed.run_folder import KeyedRun as KeyedRun
    from thalweg.keyed.runner import run as run
else:
    __getattr__ = registry.load
__dir__ = registry.public
