"""What forests share: trees that are replaced when they err more, before they do if possible."""

from thalweg._kernels.forest import ForestKernel
from thalweg.learners.ensemble import Ensemble


class Forest(Ensemble):
    """An ensemble whose members have a tree each, and a next one from a warning on.

    A subclass has the parameters `n_members`, `rate`, `warning_delta`, `drift_delta` and `n_jobs`.
    """

    _events = ("warned", "replaced")

    @property
    def members_(self):
        """The trees that vote, one of each member."""
        self._check_begun()
        active = self._kernel.arrays["active"].tolist()
        return [self._members[2 * m + slot] for m, slot in enumerate(active)]

    @property
    def n_replaced_(self):
        """Trees replaced among the latest 1000 events."""
        self._check_begun()
        return int((self._kernel.events()[:, 2] == 1).sum())

    def _forest(self, n_features, n_classes, width):
        keys = self._keys(self._count("n_members"))
        deltas = self._between("warning_delta", 0, 1), self._between("drift_delta", 0, 1)
        settings = self._between("rate", 0, 50), deltas, width, self._threads()
        kernel = ForestKernel(n_features, n_classes, keys, *settings, self._build)
        self._kernel = kernel
        return self._grow(kernel, 2 * len(keys))
