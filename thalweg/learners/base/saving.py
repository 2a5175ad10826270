"""How a learner is saved, restored, copied and pickled: as a dict of arrays, numbers and strings."""

from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np

from thalweg._types import State
from thalweg.errors import StateError
from thalweg.learners.base import state as states
from thalweg.learners.base.arguments import Labels
from thalweg.learners.base.contract import Contract

T = TypeVar("T")


class Saved(Contract):
    """The part of a learner that converts it to a dict and back."""

    _state_version = 1  # of what `state` returns; see `_migrate`
    _kept_rows: str | None = None  # the parameter that says how many labels are in the state's "y"

    def state(self) -> State:
        """Return parameters and state as a dict of arrays, numbers, strings and the states of members."""
        with self._own_lock().read:
            return self._state_unlocked()

    def _state_unlocked(self) -> State:
        """Do what `state` does, for a caller that holds the lock."""
        state = {
            "format": states.FORMAT,
            "learner": states.name_of(self),
            "version": self._state_version,
            "parameters": states.to_plain(self.get_params(deep=False)),
        }
        if self._most_bytes is not None:
            state["most_bytes"] = self._most_bytes
        if self._begun:
            means = {} if self._means is None else {"mean": self._means[0], "count": self._means[1]}
            state |= {
                "classes": self.classes_.copy(),
                "open": self._labels.is_open,
                "open_inputs": self._names.is_open,
                "n_categories": self.n_categories_.copy(),
                "names": list(self._names),
                "feature_names": list(getattr(self, "feature_names_in_", [])),
                "means": states.to_plain(means),
                "memory": self._state(),
            }
            if self._names.texts:
                texts = self._names.texts.items()
                state["texts"] = [[self._names[name], list(codes)] for name, codes in texts]
        return state

    def restore(self, state: dict[str, Any]) -> Self:
        """Restore what `state()` returned; return self.

        Raises StateError, and changes nothing, if the state is damaged or belongs to another learner.
        """
        self._own_lock().renew()
        with self._lock.write:
            return self._all_or_nothing(self._become, state)

    def _become(self, state: dict[str, Any]) -> Self:
        with states.naming(self._who):
            states.check_header(state, self)
            state = self._current(state)
            self.set_params(**states.from_plain(state["parameters"]))
            self._most_bytes = states.bytes_of(state)
            if "classes" in state:
                counts = states.array_of(state, "n_categories", 1)
                names = states.names_of(state, "names", len(counts))
                labels = Labels(state["classes"], is_open=state["open"] is True)
                self._check_size(state["memory"])
                is_open = state.get("open_inputs") is True
                self._begin_unlocked(None if is_open else len(counts), labels, names, counts)
                self._names.texts = states.texts_of(state, list(self._names)) if is_open else {}
                # A generator among the parameters has been used.
                self.set_params(**states.from_plain(state["parameters"]))
                names = states.names_of(state, "feature_names", len(counts))
                if names:
                    self.feature_names_in_ = np.array(names, dtype=object)
                if self._means is not None:
                    self._means = states.means_of(state["means"], len(counts))
                self._restore(state["memory"])
                self._limit_again()
        return self

    def _current(self, state: dict[str, Any]) -> dict[str, Any]:
        version = state.get("version", 1)
        if type(version) is not int or not 1 <= version <= self._state_version:
            raise StateError(
                f"{self._who}: the state has version {version!r}, "
                f"this release reads up to {self._state_version}"
            )
        return state if version == self._state_version else self._migrate(state, version)

    def _migrate(self, state: dict[str, Any], version: int) -> dict[str, Any]:
        """Return a state of an earlier version in the form that `state` has now.

        A learner whose parameters or arrays change writes this, and sets `_state_version` to the next number.
        """
        raise NotImplementedError

    def _check_size(self, memory: dict[str, Any]) -> None:
        """Raise StateError if the parameters need much more memory than the state has.

        Called before `_begin`: only the parameters are known.
        """
        if self._kept_rows is not None:
            n, wanted = len(memory["y"]), getattr(self, self._kept_rows)
            if n != wanted:
                raise StateError(
                    f"{self._who}: the state has {n} rows, the parameters say {self._kept_rows}={wanted}"
                )

    def copy(self) -> Self:
        """Return an independent copy."""
        return type(self)().restore(self.state())

    def _state(self) -> State:
        """Return what was learned: all attributes but those of the base class and the parameters."""
        kept = set(self.get_params(deep=False)) | OF_THE_BASE
        return states.to_plain({name: value for name, value in vars(self).items() if name not in kept})

    def _restore(self, memory: dict[str, Any]) -> None:
        """Restore what `_state` returned; `_begin` has just been called."""
        states.check_alike(memory, self._state(), "memory")
        vars(self).update(states.from_plain(memory))
        self._check_predicts()

    def _check_predicts(self) -> None:
        # Arrays of other shapes than they must have, or NaN in them, show when they are used.
        p = np.empty((1, self._n_columns))
        try:
            with np.errstate(all="ignore"):
                self._predict(np.zeros((1, self.n_features_in_)), p)
        except Exception as error:
            raise StateError(f"with the state's memory, predictions fail: {error}") from error
        if not np.isfinite(p).all():
            raise StateError("with the state's memory, probabilities are not finite")

    def __getstate__(self) -> State:
        return self.state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(vars(type(self)()))
        self.restore(state)

    def _all_or_nothing(self, change: Callable[..., T], *arguments: Any) -> T:
        """Call `change`, which replaces attributes; if it raises, restore the old ones."""
        before = vars(self).copy()
        try:
            return change(*arguments)
        except BaseException:
            self.__dict__ = before
            raise


OF_THE_BASE = {
    "classes_", "n_features_in_", "feature_names_in_", "n_categories_", "_labels", "_names", "_means",
    "_lock", "_most_bytes",
}
