"""The particle filter is its paper: twin, published numbers in miniature, limit cases."""

import pickle

import numpy as np
import pytest
from support.particle_rows import CIRCLE, PUBLISHED, accuracy, assert_is_its_twin, mean_accuracy, rows
from support.places import data_file
from twins.learners.particles.particle_filter import bits, normals

from thalweg.evaluation import prequential
from thalweg.learners import ParticleFilter
from thalweg.streams import SEA, Circles, Many

FORMS = {
    "tracking": ParticleFilter(),
    "published": ParticleFilter(**PUBLISHED),
    "widening": ParticleFilter(form=("widening",), start="uniform"),
    "uniform": ParticleFilter(form="published", start=("uniform", 3)),
    "circle": ParticleFilter(form="published", **CIRCLE),
    "circle without modulo": ParticleFilter(boundary="circle", form="published", start=2.0),
}


@pytest.mark.parametrize(("n_features", "n_classes"), [(2, 3), (3, 2), (5, 4)])
@pytest.mark.parametrize("form", FORMS)
def test_kernel_is_its_twin(form, n_features, n_classes):
    twin = assert_is_its_twin(FORMS[form], n_classes, n_features)
    assert form != "tracking" or twin.met == {"average", "one class", "outvoted", "tied"}


def test_drawn_normals_are_normal():
    x = normals(bits(7, np.arange(100_000)))
    assert abs(x.mean()) < 0.01 and abs(x.std() - 1) < 0.01
    assert abs((np.abs(x) > 3.7).mean() - 2.16e-4) < 1.5e-4
    assert abs((x**4).mean() - 3) < 0.1


@pytest.mark.parametrize(
    ("stream", "settings", "low", "high"),
    [
        (
            lambda s: SEA(10_000, period=2500, scaled=True, seed=s),
            {"start": ("zeros", 500)},
            96.5,
            99.5,
        ),
        (lambda s: Many(seed=s), {"start": "uniform"}, 92.5, 95.0),
        (lambda s: Circles(20_000, period=5000, balanced=True, seed=s), CIRCLE, 70, 88),
    ],
    ids=["SEA", "MANY", "CIRCLES"],
)
def test_published_accuracy_in_miniature(stream, settings, low, high):
    assert low < mean_accuracy(stream, ParticleFilter(form="published", batch_size=50, **settings)) < high


def test_published_accuracy_on_prices():
    # Table 3 gives 91.5 ± 0.6 for batches of 6; repeating the last label gives 85.3.
    lines = data_file("elec2.arff").read_text().lower().split("@data")[1].split()
    cells = [line.split(",") for line in lines]
    X = np.array([[float(row[3])] for row in cells])
    y = np.array([row[-1] == "up" for row in cells])
    p = ParticleFilter(batch_size=6, **PUBLISHED).begin(1, [False, True]).test_then_train(X, y)
    assert 0.905 < ((p[:, 1] > 0.5) == y).mean() < 0.92


def test_tracking_beats_the_published_form_on_sea():
    streams = [SEA(10_000, period=2500, scaled=True, seed=seed) for seed in range(3)]
    tracking = np.mean([accuracy(stream, ParticleFilter()) for stream in streams])
    assert tracking > np.mean([accuracy(stream, ParticleFilter(**PUBLISHED)) for stream in streams]) + 0.5


def test_probabilities_are_calibrated():
    # Eight rows in nine are labelled right, so a sure row gets about that.
    run = prequential(SEA(20_000, period=5000, noise=0.111, seed=3), ParticleFilter(batch_size=50))
    sure = run.probabilities.max(axis=1)
    right = run.predicted == run.codes
    clear = sure > 0.85
    assert clear.mean() > 0.8
    assert abs(sure[clear].mean() - right[clear].mean()) < 0.03
    assert right[sure < 0.7].mean() < right[clear].mean() - 0.08


def test_best_set_grows_when_everything_is_best():
    # With constant inputs half of all particles are best, more than the room there is at first.
    learner = ParticleFilter(n_particles=5000, **PUBLISHED).begin(1, [0, 1])
    learner.test_then_train(np.ones((100, 1)), np.arange(100) % 3 == 0)
    assert len(learner.particles_) > 1500
    again = pickle.loads(pickle.dumps(learner))
    X, y = rows(100, 2)
    assert np.array_equal(again.test_then_train(X[:, :1], y), learner.test_then_train(X[:, :1], y))


@pytest.mark.parametrize("seed", [None, np.random.default_rng(1)], ids=["None", "generator"])
def test_copies_carry_on_with_any_seed(seed):
    X, y = rows(1000, 2)
    learner = ParticleFilter(random_state=seed).begin(2, [0, 1])
    learner.test_then_train(X[:500], y[:500])
    again = learner.copy()
    assert np.array_equal(again.test_then_train(X[500:], y[500:]), learner.test_then_train(X[500:], y[500:]))


@pytest.mark.parametrize("form", ["tracking", "published"])
def test_a_first_batch_of_one_class_waits(form):
    X, y = rows(2000, 2, seed=3)
    late = ParticleFilter(form=form, batch_size=50).begin(2, [0, 1])
    late.test_then_train(X[:150], np.zeros(150, dtype=int))
    assert late._kernel.arrays["counts"][0] == 0
    assert (late.predict_proba_block(X[:5])[:, 0] > 0.9).all()
    prompt = ParticleFilter(form=form, batch_size=50).begin(2, [0, 1])
    assert np.array_equal(late.test_then_train(X, y)[50:], prompt.test_then_train(X, y)[50:])


def test_rows_without_any_value_are_taken():
    X, y = rows(1000, 2)
    gaps = X.copy()
    gaps[::7] = np.nan
    p = ParticleFilter().begin(2, [0, 1]).test_then_train(gaps, y)
    assert np.isfinite(p).all()
    whole = np.arange(1000) % 7 > 0
    assert ((p.argmax(axis=1) == y)[whole][500:]).mean() > 0.8


@pytest.mark.parametrize("form", ["tracking", "published"])
def test_constant_inputs_give_the_majority(form):
    y = np.arange(1000) % 5 == 0
    p = ParticleFilter(form=form).begin(2, [False, True]).test_then_train(np.full((1000, 2), 3.0), y)
    assert (p[100:, 0] > 0.5).mean() > 0.9


def test_one_particle_without_spread_is_a_fixed_rule():
    # Nothing moves, so the best of "stay" and "stay" is to stay.
    X, y = rows(500, 2)
    learner = ParticleFilter(n_particles=1, spread=1e-300, form="published", start="normal").begin(2, [0, 1])
    learner.test_then_train(X[:100], y[:100])
    before = learner.coefficients_
    learner.test_then_train(X[100:], y[100:])
    np.testing.assert_array_equal(learner.coefficients_, before)


def test_forms_are_their_parts():
    X, y = rows(1000, 2)
    whole = ParticleFilter().begin(2, [0, 1]).test_then_train(X, y)
    for form in [("scaled", "averages", "widening"), ["widening", "scaled", "averages"]]:
        assert np.array_equal(ParticleFilter(form=form).begin(2, [0, 1]).test_then_train(X, y), whole)
    none = ParticleFilter(form=()).begin(2, [0, 1]).test_then_train(X, y)
    assert np.array_equal(ParticleFilter(form="published").begin(2, [0, 1]).test_then_train(X, y), none)


def test_modulo_keeps_particles_in_their_domain():
    X, y = rows(1000, 2)
    learner = ParticleFilter(**CIRCLE).begin(2, [0, 1])
    learner.test_then_train(X, y)
    assert (learner.particles_ >= 0).all() and (learner.particles_ < 2).all()


def test_a_feature_map_is_the_mapped_rows():
    X, y = rows(1000, 3)
    mapped = ParticleFilter(boundary=squares).begin(2, range(3))
    plain = ParticleFilter().begin(4, range(3))
    assert np.array_equal(mapped.test_then_train(X, y), plain.test_then_train(squares(X), y))
    assert np.array_equal(mapped.predict_proba_block(X), plain.predict_proba_block(squares(X)))
    again = pickle.loads(pickle.dumps(mapped))
    assert np.array_equal(again.test_then_train(X, y), mapped.test_then_train(X, y))
    p = np.empty((1000, 3))
    ParticleFilter(boundary=squares).begin(2, range(3))._handle().learn(X, y, np.ones(1000), p)
    assert np.array_equal(p, ParticleFilter().begin(4, range(3)).test_then_train(squares(X), y))


def squares(X):
    return np.hstack([X, X**2])


def test_probabilities_agree_with_the_predictor_and_spread_at_the_boundary():
    X, y = rows(3000, 2)
    learner = ParticleFilter().begin(2, [0, 1])
    learner.test_then_train(X, y)
    p = learner.predict_proba_block(X)
    beta = learner.coefficients_[0]
    energy = X @ beta[1:] - beta[0]
    assert np.array_equal(p[:, 1] > 0.5, energy < 0)
    assert (np.abs(p[:, 1] - 0.5) > 0.2).mean() > 0.5
    near, far = np.argsort(np.abs(energy))[:100], np.argsort(np.abs(energy))[-1000:]
    assert p[near].max(axis=1).mean() < p[far].max(axis=1).mean() - 0.05
    assert 0.8 < p[far].max(axis=1).mean() < 0.97  # a tenth of the labels is wrong


def test_spread_of_the_boundary_shrinks_with_the_step():
    X, y = rows(3000, 2)
    wide = ParticleFilter(spread=0.3).begin(2, [0, 1])
    narrow = ParticleFilter(spread=0.03).begin(2, [0, 1])
    for learner in (wide, narrow):
        learner.test_then_train(X, y)
    assert wide.particles_.shape[1:] == (1, 3)
    assert narrow.coefficient_spread_.max() < wide.coefficient_spread_.max()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"n_particles": 0}, "n_particles"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"spread": -1}, "spread"),
        ({"batch_size": 1.5}, "batch_size"),
        ({"boundary": "square"}, "circle"),
        ({"start": "anywhere"}, "zeros"),
        ({"form": "other"}, "published"),
        ({"form": ("scaled", "other")}, "widening"),
        ({"start": ("zeros", -1)}, "steps in start"),
        ({"start": -2.0}, "start"),
    ],
)
def test_wrong_parameters_are_named(parameters, said):
    with pytest.raises(ValueError, match=said):
        ParticleFilter(**parameters).begin(2, [0, 1])
