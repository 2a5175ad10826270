"""How a learner is saved, restored, copied and pickled: as a dict of arrays, numbers and strings."""

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg._names import plain_names
from thalweg._stateful import check_alike
from thalweg._types import State
from thalweg.errors import StateError
from thalweg.learners.base import state as states
from thalweg.learners.base.arguments import Labels
from thalweg.learners.base.late_labels import LateLabels


class Saved(LateLabels):
    """The part of a learner that converts it to a dict and back."""

    _kind, _format = "learner", 2
    _state_version = 1  # of what `state` returns; see `_migrate`
    if TYPE_CHECKING:

        def _restore_masked(self, state: State) -> None: ...

    _kept_rows: str | None = None  # the parameter that says how many labels are in the state's "y"

    def _state_unlocked(self) -> State:
        changed = self._changed_parameters()
        if not changed:
            return super()._state_unlocked()
        # What was learned fits the parameters it began with; the others are for the next time it begins.
        state = self._with_parameters(**self._begun_parameters(changed))._state_unlocked()
        return state | {"next_parameters": states.to_plain(changed)}

    def _with_object(self, state: State, name: str, copied: Callable[[Any], Any]) -> State:
        """Return a state with a parameter that is no plain value, and what it was set to since."""
        now = getattr(self, name)
        began = (self._begun_with or {name: now})[name]
        state["parameters"][name] = copied(began)
        if began is not now:
            state["next_parameters"] = state.get("next_parameters", {}) | {name: copied(now)}
        return state

    def _content(self) -> State:
        state: State = {
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
                "names": plain_names(self._names),
                "feature_names": plain_names(getattr(self, "feature_names_in_", [])),
                "means": states.to_plain(means),
                "memory": self._state(),
                "n_counted": self._n_counted,
            }
            if self._masked:
                state["masked"] = [*self._masked]
            if self._first_rows:
                state["first_rows"] = self._first_rows_state()
            if self._waiting is not None:
                state["waiting"] = self._waiting.state()
            if self._names.texts:
                texts = self._names.texts.items()
                state["texts"] = [[self._names[name], list(codes)] for name, codes in texts]
        return state

    def _set_content(self, state: State) -> None:
        state = self._current(state)
        self.set_params(**states.from_plain(state["parameters"]))
        self._restore_defaults(state)
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
            self._begun_with = self.get_params(deep=False)
            names = states.names_of(state, "feature_names", len(counts))
            if names:
                self.feature_names_in_ = np.array(names, dtype=object)
            if self._means is not None:
                self._means = states.means_of(state["means"], len(counts))
            self._restore(state["memory"])
            self._limit_again()
            self._restore_first_rows(state)
            self._restore_masked(state)
            if "waiting" in state:
                self._restore_waiting(state["waiting"])
        self.set_params(**states.from_plain(state.get("next_parameters", {})))

    def _current(self, state: State) -> State:
        version = state.get("version", 1)
        if type(version) is not int or not 1 <= version <= self._state_version:
            raise StateError(
                f"{self._who}: the state has version {version!r}, "
                f"this release reads up to {self._state_version}"
            )
        return state if version == self._state_version else self._migrate(state, version)

    def _migrate(self, state: State, version: int) -> State:
        """Return a state of an earlier version in the form that `state` has now.

        A learner whose parameters or arrays change writes this, and sets `_state_version` to the next number.
        """
        raise NotImplementedError

    def _restore_defaults(self, state: State) -> None:
        """Keep what a parameter that is None stood for when the state was saved; called before `_begin`."""

    def _check_size(self, memory: State) -> None:
        """Raise StateError if the parameters need much more memory than the state has.

        Called before `_begin`: only the parameters are known.
        """
        if self._kept_rows is not None:
            n, wanted = len(memory["y"]), getattr(self, self._kept_rows)
            if n != wanted:
                raise StateError(
                    f"{self._who}: the state has {n} rows, the parameters say {self._kept_rows}={wanted}"
                )

    def _state(self) -> State:
        """Return what was learned: all attributes but those of the base class and the parameters."""
        kept = set(self.get_params(deep=False)) | OF_THE_BASE
        return states.to_plain({name: value for name, value in vars(self).items() if name not in kept})

    def _restore(self, memory: State) -> None:
        """Restore what `_state` returned; `_begin` has just been called."""
        check_alike(memory, self._state(), "memory")
        vars(self).update(states.from_plain(memory))
        self._check_predicts()
        self._check_learns()

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


    def _check_learns(self) -> None:
        # Arrays that are too short for a class may do for a prediction.
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        own = {name: copy.deepcopy(value) for name, value in vars(self).items() if name not in OF_THE_BASE}
        vars(twin).update(own)
        p = np.empty((1, self._n_columns))
        try:
            with np.errstate(all="ignore"):
                last = np.array([self._n_columns - 1])
                twin._learn(np.zeros((1, self.n_features_in_)), last, np.ones(1), p)
        except Exception as error:
            raise StateError(f"with the state's memory, it cannot learn: {error}") from error


OF_THE_BASE = {
    "classes_", "n_features_in_", "feature_names_in_", "n_categories_", "_labels", "_names", "_means",
    "_lock", "_most_bytes", "_waiting", "_begun_with", "_n_counted",
    "_first_rows", "_masked",
}
