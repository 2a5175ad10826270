"""The base class of learners with a `random_state`, whose seed is drawn at `begin` and saved."""

from typing import Any

from thalweg._parameters import is_whole, seed_of
from thalweg._types import RandomState, State
from thalweg.errors import StateError
from thalweg.learners.base.native import NativeClassifier


class SeededClassifier(NativeClassifier):
    """A native learner with the parameter `random_state`; `random_state_` is the seed drawn at `begin`.

    The seed is part of the state, so that a restored learner draws the same numbers, although None or a NumPy
    generator would give another seed.
    """

    random_state: RandomState
    _seed: int

    @property
    def random_state_(self) -> int:
        """The seed in use: that of `random_state`, or the one drawn at `begin`."""
        self._check_begun()
        return self._seed

    def _begin(self, n_features: int, n_classes: int, seed: int | None = None) -> None:
        self._seed = seed_of(self, self.random_state) if seed is None else seed
        super()._begin(n_features, n_classes)

    def _begin_again(self) -> None:
        self._begin(self.n_features_in_, self._n_columns, self._seed)

    def _state(self) -> State:
        return super()._state() | {"random_state": self._seed}

    def _restore(self, memory: dict[str, Any]) -> None:
        seed = checked_seed(memory["random_state"], self._who)
        if seed != self._seed:
            self._seed = seed
            self._begin_again()
        self._restore_kernel(memory)

    def _restore_kernel(self, memory: dict[str, Any]) -> None:
        """Restore all but the seed."""
        super()._restore({name: value for name, value in memory.items() if name != "random_state"})


def checked_seed(seed: Any, who: str) -> int:
    """Return the seed of a saved state; raise StateError if it is not valid."""
    if not is_whole(seed) or seed < 0:
        raise StateError(f"{who}: the state's seed must be a whole number of at least 0, got {seed!r}")
    return int(seed)
