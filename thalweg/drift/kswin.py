"""KSWIN: do the latest losses have another distribution?"""

import numpy as np

from thalweg._parameters import is_whole, real_number, seed_of, whole_number
from thalweg._types import RandomState
from thalweg.drift._native.kswin import KSWINKernel
from thalweg.drift.base import NativeDetector

MOST_LOSSES = 10**6  # in a window: each update reads all of them


class KSWIN(NativeDetector):
    """KSWIN: compares the latest losses with a random sample of earlier ones by a Kolmogorov–Smirnov test.

    Detects changes of a continuous loss that do not change its mean. It tests at every loss, so even a small
    `alpha` gives many false alarms for a continuous loss; for errors (0 or 1) it detects only large changes.
    It remembers only `window` losses, so slow changes are missed. After a change the latest losses are kept.

    Memory: `window` losses and two samples.

    Parameters
    ----------
    alpha : float, default=0.005
        Probability of an alarm by chance, for one test (α).
    window : int, default=100
        Number of losses remembered (n), at most a million.
    n_recent : int, default=30
        Number of latest losses, and size of the sample of earlier ones (r); at most half of `window`.
    random_state : int, None, Generator or RandomState, default=0
        Seed of the sampling.

    Notes
    -----
    *Differs from the paper*: a change is an alarm only if the latest losses have a larger sum than the
    sample; otherwise the older losses are dropped without an alarm. The test is exact. The defaults are
    River's; as in River, the distance must also exceed 0.1.

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

    def __init__(
        self, alpha: float = 0.005, window: int = 100, *, n_recent: int = 30, random_state: RandomState = 0
    ) -> None:
        self.alpha = alpha
        self.window = window
        self.n_recent = n_recent
        self.random_state = random_state

    def _make_kernel(self) -> KSWINKernel:
        alpha = real_number(self, "alpha", self.alpha, above=0, below=1)
        window = whole_number(self, "window", self.window, 2, MOST_LOSSES)
        n_recent = whole_number(self, "n_recent", self.n_recent, 1, window // 2)
        seed = seed_of(self, self.random_state)
        if seed >= 2**31:
            seed = int(np.random.SeedSequence(seed).generate_state(1)[0]) >> 1
        return KSWINKernel(window, n_recent, alpha, seed, is_whole(self.random_state))
