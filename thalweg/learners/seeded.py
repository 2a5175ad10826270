"""What learners with a `random_state` share: one seed, drawn when they begin and saved with them."""

from thalweg._parameters import is_whole, seed_of
from thalweg.errors import StateError
from thalweg.learners.native import NativeClassifier


class SeededClassifier(NativeClassifier):
    """A native learner with the parameter `random_state`; `self._seed` is the seed it began with.

    The seed is part of the state: what is drawn later is the same after `restore`, although None and NumPy's
    generators would give another seed by then.
    """

    def _begin(self, n_features, n_classes, seed=None):
        self._seed = seed_of(self, self.random_state) if seed is None else seed
        super()._begin(n_features, n_classes)

    def _state(self):
        return super()._state() | {"random_state": self._seed}

    def _restore(self, memory):
        given, own = {"random_state": memory["random_state"]}, {"random_state": self._seed}
        if given != own:
            seed = checked_seeds(given, own, self._who)["random_state"]
            self._begin(self.n_features_in_, len(self.classes_), seed)
        self._restore_kernel(memory)

    def _restore_kernel(self, memory):
        """Restore all but the seed."""
        super()._restore({name: value for name, value in memory.items() if name != "random_state"})


def checked_seeds(given, own, who):
    """Return a copy of the seeds of a saved state by their names, which must be those of `own`."""
    if not isinstance(given, dict) or set(given) != set(own):
        raise StateError(f"{who}: the state must have seeds called {sorted(own)}, got {given!r}")
    for name, seed in given.items():
        if not is_whole(seed) or seed < 0:
            raise StateError(f"{who}: the state's {name} must be a whole number of at least 0, got {seed!r}")
    return {name: int(seed) for name, seed in given.items()}
