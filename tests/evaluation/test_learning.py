"""Learning without testing: what is said to have been learned when it is interrupted."""

import numpy as np
import pytest

from thalweg.evaluation.learning import learn_block
from thalweg.learners import NaiveBayes

X, CODES = np.zeros((6, 1)), np.array([-1, 0, 1, -1, 1, 0])


class Stops(NaiveBayes):
    """Is interrupted when it has learned two rows."""

    def test_then_train_coded(self, X, codes, **keywords):
        stop = KeyboardInterrupt()
        stop.rows_learned = 2
        raise stop


class StopsObserving(NaiveBayes):
    """Is interrupted when it observes its second row."""

    observes = True
    n_observed = 0

    def observe(self, X, ids=None):
        self.n_observed += 1
        if self.n_observed == 2:
            raise KeyboardInterrupt


@pytest.mark.parametrize(("learner", "n"), [(Stops(), 4), (StopsObserving(), 3)])
def test_rows_that_need_not_be_learned_again_are_counted(learner, n):
    with pytest.raises(KeyboardInterrupt) as stop:
        learn_block(learner.begin(1, [0, 1]), X, CODES)
    assert stop.value.rows_learned == n
