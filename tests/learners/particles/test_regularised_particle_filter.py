"""The filter whose particles have spreads of their own: twin, prior, published accuracy, threads."""

import numpy as np
import pytest
from support.particle_rows import CIRCLE, PUBLISHED, answers, assert_is_its_twin, mean_accuracy, rows

from thalweg.learners import ParticleFilter, RegularisedParticleFilter
from thalweg.streams import Many


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("settings", [{}, CIRCLE], ids=["line", "circle"])
def test_kernel_is_its_twin(settings, n_classes):
    assert_is_its_twin(RegularisedParticleFilter(spread_prior=(0.9, 0.2), **settings), n_classes)


def test_published_accuracy_in_miniature():
    learner = RegularisedParticleFilter(start=("zeros", 500))
    assert 82 < mean_accuracy(lambda seed: Many(seed=seed), learner) < 92


def test_prior_without_pull_or_jitter_is_no_prior():
    fixed = RegularisedParticleFilter(spread_prior=(1.0, 0.0))
    np.testing.assert_allclose(answers(fixed), answers(ParticleFilter(batch_size=50, **PUBLISHED)), atol=1e-9)


def test_pull_and_jitter_each_make_a_difference():
    # The twin takes its settings from the learner, so that it cannot tell whether they are the right ones.
    priors = [(1.0, 0.0), (0.9, 0.2), (0.5, 0.2), (0.9, 0.1)]
    found = [answers(RegularisedParticleFilter(spread_prior=prior)) for prior in priors]
    for i, one in enumerate(found):
        assert not any(np.array_equal(one, other) for other in found[:i]), priors[i]


def test_threads_change_nothing():
    X, y = rows(600, 3)
    one = RegularisedParticleFilter(n_particles=5000, n_jobs=1).begin(2, range(3))
    four = RegularisedParticleFilter(n_particles=5000, n_jobs=4).begin(2, range(3))
    assert np.array_equal(one.test_then_train(X, y), four.test_then_train(X, y))
    for name, array in one._kernel.arrays.items():
        assert np.array_equal(array, four._kernel.arrays[name]), name


def test_a_wrong_prior_is_named():
    with pytest.raises(ValueError, match="RegularisedParticleFilter: spread_prior"):
        RegularisedParticleFilter(spread_prior=0.98).begin(2, [0, 1])
