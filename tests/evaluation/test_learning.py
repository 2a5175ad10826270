"""Learning without testing: what is said to have been learned when it is interrupted."""

import numpy as np
import pytest

from thalweg.evaluation.learning import Progress, learn_block, learn_stream, noting
from thalweg.learners import NaiveBayes
from thalweg.learners.base import StreamClassifier
from thalweg.streams import from_arrays

X, CODES = np.zeros((6, 1)), np.array([-1, 0, 1, -1, 1, 0])


class Stops(NaiveBayes):
    """Is interrupted when it has learned two rows."""

    def test_then_train_coded(self, X, codes, **keywords):
        self._n_learned += 2
        raise KeyboardInterrupt


class Uncounted(StreamClassifier):
    """Counts no rows, and says with each exception how many it has learned."""

    def __init__(self, stops_after=2):
        self.stops_after = stops_after

    def _begin(self, n_features, n_classes):
        self.n = 0

    def test_then_train_coded(self, X, codes, **keywords):
        n = min(self.stops_after - self.n, len(X))
        self.n += n
        if self.n == self.stops_after:
            stop = KeyboardInterrupt()
            stop.rows_learned = n
            raise stop


class StopsObserving(NaiveBayes):
    """Is interrupted when it observes its second row."""

    observes = True
    n_observed = 0

    def observe(self, X, ids=None):
        self.n_observed += 1
        if self.n_observed == 2:
            raise KeyboardInterrupt


@pytest.mark.parametrize(("learner", "n"), [(Stops(), 4), (Uncounted(), 4), (StopsObserving(), 3)])
def test_rows_that_need_not_be_learned_again_are_counted(learner, n):
    with pytest.raises(KeyboardInterrupt) as stop:
        learn_block(learner.begin(1, [0, 1]), X, CODES)
    assert stop.value.rows_learned == n


def test_a_number_is_noted_once_of_learners_that_do_not_count():
    learner, stream = Uncounted(2500), from_arrays(np.zeros((4000, 1)), np.zeros(4000, int))
    progress = Progress(learner)
    with pytest.raises(KeyboardInterrupt) as stop, noting(progress), noting(progress):
        learn_stream(stream, learner, resume=False, progress=progress)
    assert stop.value.rows_learned == 2500
