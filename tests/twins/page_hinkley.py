"""Page–Hinkley in slow plain Python, as its paper has it."""

import math

from thalweg.drift.base import Detector


class PageHinkleyTwin(Detector):
    def __init__(self, delta=0.005, threshold=50.0, min_values=30):
        self.delta = delta
        self.threshold = threshold
        self.min_values = min_values
        self.reset()

    def reset(self):
        self._n = 0
        self._mean = self._sum = self._low = 0.0

    def update(self, loss):
        if not math.isfinite(loss):
            self._refuse(loss)
        self._n += 1
        self._mean += (loss - self._mean) / self._n
        self._sum += loss - self._mean - self.delta
        self._low = min(self._low, self._sum)
        alarm = self._n + 1 >= self.min_values and self._sum - self._low > self.threshold
        if alarm:
            self.reset()
        return alarm
