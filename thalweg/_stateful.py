"""Checks of saved states, shared by learners and detectors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from thalweg.errors import StateError


@contextmanager
def naming(who: str) -> Iterator[None]:
    """Convert the errors that a damaged state causes inside the `with` block into StateError."""
    try:
        yield
    except StateError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise StateError(f"{who}: the state is damaged: {type(error).__name__}: {error}") from error


def check_alike(given: Any, fresh: Any, where: str) -> None:
    """Raise StateError unless `given` has the structure of `fresh`: keys, types and numbers of axes."""
    if isinstance(fresh, dict) and "learner" in fresh:
        _check_member(given, fresh, where)
    elif isinstance(fresh, dict) and "format" not in fresh:
        if not isinstance(given, dict) or set(given) != set(fresh):
            raise StateError(f"the state's {where} must hold {sorted(map(str, fresh))}")
        for key, value in fresh.items():
            check_alike(given[key], value, f"{where}[{key!r}]")
    elif isinstance(fresh, np.ndarray):
        if not isinstance(given, np.ndarray) or given.dtype != fresh.dtype or given.ndim != fresh.ndim:
            raise StateError(f"the state's {where} must be an array of {fresh.dtype} with {fresh.ndim} axes")
        if given.dtype.kind == "f" and np.isinf(given).any():
            raise StateError(f"the state's {where} holds an infinite number")
    elif isinstance(fresh, bool | int | float | str | list | tuple) and not isinstance(given, type(fresh)):
        raise StateError(f"the state's {where} must be a {type(fresh).__name__}, got {given!r}")
    elif isinstance(fresh, list | tuple) and any(isinstance(part, dict) for part in fresh):
        if len(given) != len(fresh):
            raise StateError(f"the state's {where} must hold {len(fresh)} parts, got {len(given)}")
        for i, part in enumerate(fresh):
            check_alike(given[i], part, f"{where}[{i}]")


def _check_member(given: Any, fresh: dict[str, Any], where: str) -> None:
    # A learner inside another one must be of the same class, with as many inputs and classes.
    if not isinstance(given, dict) or given.get("learner") != fresh["learner"]:
        raise StateError(f"the state's {where} must be the state of a {fresh['learner']}")
    for name in ("classes", "n_categories"):
        if name in fresh and (name not in given or len(given[name]) != len(fresh[name])):
            raise StateError(f"the state's {where} must have {len(fresh[name])} {name}")
