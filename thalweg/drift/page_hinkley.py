"""Page–Hinkley: has the mean of a loss risen?"""

import math


class PageHinkley:
    """Page–Hinkley test: the sum of what the losses exceed their mean by, above its lowest value so far.

    Cheap and quick to see a lasting rise; its threshold is in units of the loss, so it has to fit the noise.
    Memory: four numbers.

    Parameters
    ----------
    delta : float, default=0.005
        Rise of the mean that is of no interest.
    threshold : float, default=50.0
        Alarm when the sum stands this far above its lowest value (the paper's λ).
    min_values : int, default=30
        No alarm before this many losses.

    References
    ----------
    E. S. Page. Continuous inspection schemes. Biometrika 41, 1954. The form with `delta` is that of
    J. Gama, P. Rodrigues, R. Sebastião. Evaluating algorithms that learn from data streams. SAC 2009.

    Examples
    --------
    >>> from thalweg.drift import PageHinkley
    >>> detector = PageHinkley(threshold=5)
    >>> losses = [0.0, 1.0] * 50 + [1.0] * 50
    >>> [i for i, loss in enumerate(losses) if detector.update(loss)]
    [108]
    """

    def __init__(self, delta=0.005, threshold=50.0, min_values=30):
        self.delta = delta
        self.threshold = threshold
        self.min_values = min_values
        self.reset()

    def reset(self):
        """Forget all losses."""
        self._n = 0
        self._mean = self._sum = self._low = 0.0

    def update(self, loss):
        """Take one loss; return True if its mean has risen. Starts afresh after an alarm."""
        if not math.isfinite(loss):
            raise ValueError(f"PageHinkley: a loss must be a finite number, got {loss}")
        self._n += 1
        self._mean += (loss - self._mean) / self._n
        self._sum += loss - self._mean - self.delta
        self._low = min(self._low, self._sum)
        alarm = self._n >= self.min_values and self._sum - self._low > self.threshold
        if alarm:
            self.reset()
        return alarm
