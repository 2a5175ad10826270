"""The filter that drops coefficients that say nothing: when, what for, and when it is the plain one."""

import numpy as np
import pytest
from sklearn.base import clone
from support.particle_rows import PUBLISHED, accuracy, answers, assert_is_its_twin
from twins.learners.particles.refitting_particle_filter import RefittingTwin

from thalweg.evaluation import holdout
from thalweg.learners import ParticleFilter, RefittingParticleFilter
from thalweg.streams import Hyperplane


@pytest.mark.parametrize(("n_features", "n_classes"), [(3, 2), (5, 4)])
@pytest.mark.parametrize("settings", [PUBLISHED, {}], ids=["published", "tracking"])
def test_kernel_is_its_twin(settings, n_features, n_classes):
    learner = RefittingParticleFilter(refit_below=0.8, **settings)
    twin = assert_is_its_twin(learner, n_classes, n_features, RefittingTwin)
    assert twin.n_refits > 1 and twin.n_refused > 1 and not twin.active.all()


def test_a_filter_that_is_never_refitted_is_the_plain_one():
    plain = answers(ParticleFilter(batch_size=50, **PUBLISHED))
    assert np.array_equal(answers(RefittingParticleFilter(**PUBLISHED, refit_below=0.01)), plain)
    assert not np.array_equal(answers(RefittingParticleFilter(**PUBLISHED, refit_below=0.99)), plain)


def test_refits_rescue_many_inputs():
    streams = [Hyperplane(8000, period=2000, seed=seed) for seed in range(3)]
    plain = np.mean([accuracy(stream, ParticleFilter(**PUBLISHED)) for stream in streams])
    learner = RefittingParticleFilter(**PUBLISHED)
    assert np.mean([accuracy(stream, clone(learner)) for stream in streams]) > plain + 8
    holdout(streams[0], learner, every=50, n=1)
    assert (learner.coefficients_[0, 1:] == 0).sum() >= 4


def test_a_refit_sure_of_nothing_is_none():
    # Constant inputs: no coefficient differs from 0, and to drop them all would be the end of it.
    learner = RefittingParticleFilter(refit_below=0.99, form="published").begin(3, [0, 1])
    learner.test_then_train(np.zeros((100, 3)), np.arange(100) % 2)
    assert (learner._kernel.arrays["active"] == 1).all()
    X, y = np.random.default_rng(0).random((1000, 3)), np.random.default_rng(1).integers(0, 2, 1000)
    learner.test_then_train(X, y)
    assert (learner.coefficients_[0, 1:] != 0).any()


def test_refits_with_several_classes_drop_what_says_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 8))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    learner = RefittingParticleFilter(refit_below=0.8, batch_size=100).begin(8, range(3))
    p = learner.test_then_train(X, y)
    plain = ParticleFilter(batch_size=100).begin(8, range(3)).test_then_train(X, y)
    assert (p.argmax(axis=1) == y).mean() > (plain.argmax(axis=1) == y).mean() + 0.02
    assert (learner.coefficients_[:, 2:] == 0).mean() > 0.7
    assert (learner.coefficients_[[0, 2], 1] != 0).all()


def test_a_wrong_bound_is_named():
    with pytest.raises(ValueError, match="RefittingParticleFilter: refit_below"):
        RefittingParticleFilter(refit_below=75).begin(2, [0, 1])
