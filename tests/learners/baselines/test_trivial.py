"""The trivial learners are counting and remembering, whatever the rows."""

import numpy as np
import pytest
from twins.learners.baselines import trivial as twins

from thalweg.learners import MajorityClass, NoChange

Y = np.random.default_rng(1).choice([0, 1, 2], 400, p=[0.2, 0.3, 0.5])
X = np.random.default_rng(2).normal(size=(400, 2))
W = np.random.default_rng(3).choice([0.0, 0.5, 2.0], 400)


@pytest.mark.parametrize("size", [1, 7, 400])
@pytest.mark.parametrize(
    ("kind", "twin"), [(MajorityClass, twins.majority_class), (NoChange, twins.no_change)]
)
def test_kernel_is_its_twin(kind, twin, size):
    learner = kind().begin(2, np.arange(3))
    parts = [slice(i, i + size) for i in range(0, 400, size)]
    p = np.concatenate([learner.test_then_train(X[part], Y[part], sample_weight=W[part]) for part in parts])
    np.testing.assert_allclose(p, twin(Y, W, 3), rtol=1e-12)
