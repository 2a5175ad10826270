"""What forests share: trees that are replaced when they err more, before they do if possible."""

from thalweg._parameters import n_threads, real_number
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.learners.ensembles._native.forest import ForestKernel
from thalweg.learners.ensembles.base import Ensemble


class Forest(Ensemble):
    """An ensemble whose members have a tree each, and a next one from a warning on.

    A subclass has the parameters `n_members`, `poisson_mean`, `warning_delta`, `drift_delta` and `n_jobs`.
    """

    poisson_mean: float
    warning_delta: float
    drift_delta: float
    n_jobs: int | None
    _extends = True
    _events: tuple[str, ...] = ("warned", "replaced")

    @property
    def members_(self) -> list[StreamClassifier]:
        """The trees that vote, one of each member."""
        with self._reading:
            return [self._kernel.members[slot] for slot in self._voters()]

    def _voters(self) -> list[int]:
        active = self._kernel.arrays["active"].tolist()
        return [2 * m + slot for m, slot in enumerate(active)]

    def _n_slots(self) -> int:
        return 2 * self._n_members()

    def _forest(self, n_features: int, n_classes: int) -> ForestKernel:
        keys = self._keys(self._n_members())
        poisson_mean = real_number(self, "poisson_mean", self.poisson_mean, above=0, most=50)
        deltas = [
            real_number(self, name, getattr(self, name), above=0, most=1)
            for name in ("warning_delta", "drift_delta")
        ]
        threads = n_threads(self, self.n_jobs)
        shape = self._who, n_features, n_classes
        kernel = ForestKernel(*shape, keys, poisson_mean, deltas, threads, len(self._made_from), self._build)
        kernel.build_members(2 * len(keys), self._widest())
        return kernel
