"""AdaBoost trained again and again on the latest rows."""

from thalweg._parameters import count, one_of, whole_number
from thalweg.learners.window_boost import MOST_ROWS, WindowBoost

RETRAINING = {"errors": 0, "always": 1}


class AdaBoostWindow(WindowBoost):
    """AdaBoost window."""

    def __init__(self, member=None, n_members=200, window=200, period=1, retrain="errors", random_state=1):
        self.member = member
        self.n_members = n_members
        self.window = window
        self.period = period
        self.retrain = retrain
        self.random_state = random_state

    def _settings(self):
        retrain = RETRAINING[one_of(self, "retrain", self.retrain, RETRAINING)]
        settings = count(self, "period", self.period, 1), True, retrain, 0, 4, 1.0, 1
        return whole_number(self, "window", self.window, 2, MOST_ROWS), settings, [0.0], 0.0
