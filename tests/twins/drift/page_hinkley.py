"""Page–Hinkley in slow plain Python, as its paper has it."""

import math

from thalweg.drift.base import Detector
from thalweg.errors import StateError


class PageHinkleyTwin(Detector):
    def __init__(self, tolerance=0.005, threshold=50.0, min_values=30):
        self.tolerance = tolerance
        self.threshold = threshold
        self.min_values = min_values
        self.reset()

    def reset(self):
        self._n = 0
        self._mean = self._sum = self._low = 0.0

    def update(self, loss):
        self._n += 1
        self._mean += (loss - self._mean) / self._n
        self._sum += loss - self._mean - self.tolerance
        self._low = min(self._low, self._sum)
        alarm = self._n + 1 >= self.min_values and self._sum - self._low > self.threshold
        if alarm:
            self.reset()
        return alarm

    def _restore(self, memory):
        super()._restore(memory)
        settings = (self.tolerance, self.threshold, self.min_values)
        known = (self._n, self._mean, self._sum, self._low)
        if not all(isinstance(number, int | float) and abs(number) < math.inf for number in settings + known):
            raise StateError("a number is none, or not finite")
        if min(self.tolerance, self.threshold, self.min_values) < 0 or not self._low <= min(self._sum, 0.0):
            raise StateError("a parameter is negative, or the lowest sum is not the lowest")
        if self._n < 0 or (self._n == 0 and (self._mean, self._sum) != (0.0, 0.0)) or abs(self._mean) > 1e100:
            raise StateError("the mean is of no losses")
