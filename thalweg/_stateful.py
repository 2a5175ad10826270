"""The base of all that has a state: learners, steps, detectors and stores of rows."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, Self, TypeVar

import numpy as np

from thalweg._native.lock import Lock
from thalweg._registry import Pickled, Registry
from thalweg._types import State
from thalweg.errors import StateError

PACKAGES = {  # of thalweg, that have public classes of a kind
    "learner": ("learners", "preprocessing", "trust"),
    "step": ("preprocessing",),
    "detector": ("drift",),
    "model": ("model",),
    "bank": ("keyed",),
}
P = ParamSpec("P")
T = TypeVar("T")


class Stateful(Pickled):
    """An object whose state is a dict, by which it is saved, restored, copied and pickled.

    A subclass writes `_content` and `_set_content`, and can be made without arguments. A state that does not
    fit is refused, and changes nothing. Threads may share the object: they use it under its lock.
    """

    _kind = ""  # the key under which a state has the name of the class; none if empty
    _format = 1
    _lock: Lock

    def _content(self) -> State:
        """Return the state without its header, for a caller that holds the lock."""
        raise NotImplementedError

    def _set_content(self, state: State) -> None:
        """Restore what `_content` returned; only replace attributes."""
        raise NotImplementedError

    def state(self) -> State:
        """Return parameters and state as a dict of arrays, numbers, strings, and such dicts and lists."""
        with self._own_lock().read:
            return self._state_unlocked()

    def _state_unlocked(self) -> State:
        """Do what `state` does, for a caller that holds the lock."""
        return self._header() | self._content()

    def _header(self) -> State:
        return {"format": self._format, self._kind: name_of(self, self._kind)} if self._kind else {}

    def restore(self, state: State) -> Self:
        """Restore what `state()` returned; return self.

        Raises StateError, and changes nothing, if the state is damaged or belongs to another class.
        """
        self._own_lock().renew()
        with self._lock.write:
            return self._all_or_nothing(self._become, state)

    def _become(self, state: State) -> Self:
        """Do what `restore` does, for a caller that holds the lock and drops the object if it raises."""
        try:
            self._check_header(state)
            self._set_content(state)
        except StateError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise StateError(
                f"{self._who}: the state is damaged: {type(error).__name__}: {error}"
            ) from error
        return self

    def _check_header(self, state: Any) -> None:
        if not isinstance(state, dict):
            raise StateError(f"{self._who}: a state is a dict, got {type(state).__name__}")
        for key, wanted in self._header().items():
            if state.get(key) != wanted:
                what = "cannot read a state of format" if key == "format" else "this is the state of"
                raise StateError(f"{self._who}: {what} {state.get(key)}")

    def copy(self) -> Self:
        """Return an independent copy."""
        return type(self)().restore(self.state())

    def __getstate__(self) -> State:
        return self.state()

    def __setstate__(self, state: State) -> None:
        vars(self).update(vars(type(self)()))
        self.restore(state)

    def _all_or_nothing(self, change: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
        """Call `change`, which replaces attributes; if it raises, restore the old ones."""
        before = vars(self).copy()
        try:
            return change(*arguments, **keywords)
        except BaseException:
            self.__dict__ = before
            raise

    def _own_lock(self) -> Lock:
        # Neither a parameter nor part of the state. Made by the first thread that needs it.
        return vars(self).get("_lock") or vars(self).setdefault("_lock", Lock())

    def _check_begun(self) -> None:
        """Raise NotFittedError if `begin` or `fit` must come first."""

    @property
    def _reading(self) -> AbstractContextManager[None]:
        """The lock that several readers share; raise NotFittedError before `begin`."""
        self._check_begun()
        return self._lock.read

    @property
    def _writing(self) -> AbstractContextManager[None]:
        """The lock that one writer has alone; raise NotFittedError before `begin`."""
        self._check_begun()
        return self._lock.write

    @property
    def _who(self) -> str:
        return type(self).__name__


def registries(kind: str) -> list[Registry]:
    """Return the registries of a kind of things: "learner", "step" or "detector"."""
    return [importlib.import_module(f"thalweg.{package}").registry for package in PACKAGES[kind]]


def name_of(thing: object, kind: str) -> str:
    """Return the name of the class of a learner, step or detector: a public one, or module:class."""
    found = type(thing)
    is_public = any(registry.has(found) for registry in registries(kind))
    return found.__name__ if is_public else _own_name(found)


def class_named(name: str, kind: str) -> type[Any]:
    """Return the class with the name that `name_of` returned: a public one, or one that is imported already.

    Those of `thalweg.adapters` count as public. A name of another package imports nothing, so a saved state
    cannot make a program run other code.
    """
    for registry in registries(kind):
        if name in registry:
            return registry.load(name)
    adapters = importlib.import_module("thalweg.adapters").registry
    module, _, own = name.partition(":")
    if kind == "learner" and own in adapters and module == f"{adapters.package}.{adapters.modules[own]}":
        return adapters.load(own)
    for found in _subclasses(Stateful):
        if found._kind == kind and _own_name(found) == name:
            return found
    raise StateError(
        f"the state belongs to the unknown class {name!r}: if you wrote that class, "
        "import the module that defines it first"
    )


def _own_name(kind: type[Any]) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


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
