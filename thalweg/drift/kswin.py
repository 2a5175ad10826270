"""KSWIN: do the latest losses come from another distribution?"""

import numpy as np

from thalweg._kernels.kswin import KSWINKernel
from thalweg._parameters import is_whole, real_number, seed_of, whole_number
from thalweg.drift.base import NativeDetector

MOST_LOSSES = 10**6  # of a window: each update looks at all of them


class KSWIN(NativeDetector):
    """KSWIN: compares the latest losses with a random sample of those before by a Kolmogorov–Smirnov test.

    Sees changes of a continuous loss that leave its mean alone. It tests at every loss, so even at the small
    `alpha` false alarms are many for a continuous loss; of errors (0 or 1) it sees only large changes. Looks
    back only `window` losses: a slow change is missed. After a change the latest losses are kept.

    Memory: `window` losses and two samples.

    Parameters
    ----------
    alpha : float, default=0.005
        Probability of an alarm by chance, for one test (α).
    window : int, default=100
        Losses looked back on (n), a million at most.
    n_recent : int, default=30
        Latest losses, and size of the sample of the others (r); at most half of `window`.
    random_state : int, None, Generator or RandomState, default=0
        Seed of the sampling.

    Notes
    -----
    *Differs from the paper*: a change is an alarm only if the latest losses sum to more than the sample;
    after an improvement the older losses are dropped without one. The test is exact.
    Parameters are those of River, which, like this, also wants the distance to exceed 0.1.

    References
    ----------
    C. Raab, M. Heusinger, F.-M. Schleif. Reactive soft prototype computing for concept drift streams.
    Neurocomputing 416, 2020.

    Examples
    --------
    >>> from thalweg.drift import KSWIN
    >>> KSWIN().update_many([0, 0, 0, 1] * 50 + [1, 1, 1, 0] * 50)
    array([220])
    """

    def __init__(self, alpha=0.005, window=100, n_recent=30, random_state=0):
        self.alpha = alpha
        self.window = window
        self.n_recent = n_recent
        self.random_state = random_state

    def _make_kernel(self):
        alpha = real_number(self, "alpha", self.alpha, above=0, below=1)
        window = whole_number(self, "window", self.window, 2, MOST_LOSSES)
        n_recent = whole_number(self, "n_recent", self.n_recent, 1, window // 2)
        seed = seed_of(self, self.random_state)
        if seed >= 2**31:
            seed = int(np.random.SeedSequence(seed).generate_state(1)[0]) >> 1
        return KSWINKernel(window, n_recent, alpha, seed, is_whole(self.random_state))
