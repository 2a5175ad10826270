"""The filter that weighs particles by their likelihood: twin, published accuracy."""

import numpy as np
import pytest
from support.particle_rows import CIRCLE, PUBLISHED, answers, assert_is_its_twin, mean_accuracy

from thalweg.learners import LikelihoodParticleFilter, ParticleFilter
from thalweg.streams import Circles


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("settings", [{}, CIRCLE], ids=["line", "circle"])
def test_kernel_is_its_twin(settings, n_classes):
    assert_is_its_twin(LikelihoodParticleFilter(**settings), n_classes)


def test_published_accuracy_in_miniature():
    learner = LikelihoodParticleFilter(**CIRCLE)
    assert 48 < mean_accuracy(lambda s: Circles(10_000, period=2500, balanced=True, seed=s), learner) < 58


def test_it_is_not_the_filter_that_counts_hits():
    # The twin takes its settings from the learner, so that it cannot tell whether they are the right ones.
    assert not np.array_equal(answers(LikelihoodParticleFilter()), answers(ParticleFilter(**PUBLISHED)))
