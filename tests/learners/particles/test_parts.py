"""The parts of a particle filter that are options: the vote, a spread that follows, batches that adapt."""

import numpy as np
import pytest
from sklearn.base import clone
from support.particle_rows import CIRCLE, accuracy, assert_is_its_twin, moving_rows, rows
from twins.learners.particles.refitting_particle_filter import RefittingTwin

from thalweg.checks.faults import SECONDS, interrupted
from thalweg.checks.running import assert_same
from thalweg.errors import StateError
from thalweg.learners import ParticleFilter, RefittingParticleFilter
from thalweg.streams import SEA, Hyperplane

TRACKING = ("scaled", "averages", "widening")
ALL = (*TRACKING, "vote", "movement", "resizing")
ZEROS = {"start": "zeros"}


@pytest.mark.parametrize(("n_features", "n_classes"), [(2, 3), (3, 2)])
@pytest.mark.parametrize("form", [("vote",), (*TRACKING, "vote")], ids=["published", "tracking"])
def test_the_vote_is_its_twin(form, n_features, n_classes):
    twin = assert_is_its_twin(ParticleFilter(form=form), n_classes, n_features)
    assert "majority" in twin.met


@pytest.mark.parametrize(("n_features", "n_classes"), [(2, 3), (3, 2)])
@pytest.mark.parametrize(
    "settings",
    [{"form": ("movement",), **ZEROS}, {"form": (*TRACKING, "movement")}, {"form": ("movement",), **CIRCLE}],
    ids=["published", "tracking", "circle"],
)
def test_a_spread_that_follows_is_its_twin(settings, n_features, n_classes):
    met = set()
    for spread in (0.01, 0.1, 0.9):
        met |= assert_is_its_twin(ParticleFilter(spread=spread, **settings), n_classes, n_features).met
    assert n_classes > 2 or {"least", "free", "most"} <= met


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "settings", [{"form": ("resizing",), **ZEROS}, {"form": ALL}], ids=["published", "all parts"]
)
def test_batches_that_adapt_are_their_twin(settings, n_classes):
    given = moving_rows(5000, n_classes)
    twin = assert_is_its_twin(ParticleFilter(**settings), n_classes, given=given)
    assert {"shrinks", "grows"} <= twin.met


def test_refits_with_all_parts_are_their_twin():
    learner = RefittingParticleFilter(form=ALL, refit_below=0.9)
    twin = assert_is_its_twin(learner, 2, 3, RefittingTwin)
    assert twin.n_refits > 1


def test_all_particles_vote():
    # With constant inputs half of the particles are best, many more than the 32 that make probabilities.
    X, y = np.ones((100, 1)), np.arange(100) % 3 // 2
    learner = ParticleFilter(300, form=("vote",), start="zeros").begin(1, [0, 1])
    learner.test_then_train(X, y)
    assert 100 < len(learner.particles_) == learner._kernel.arrays["counts"][3]
    X, y = rows(3000, 2)
    learner = ParticleFilter(form=("vote",)).begin(2, [0, 1])
    learner.test_then_train(X, y)
    beta = learner.particles_[:, 0]
    share = (X @ beta[:, 1:].T - beta[:, 0] < 0).mean(axis=1)
    p = learner.predict_proba_block(X)[:, 1]
    decided = share != 0.5
    assert np.array_equal(p[decided] > 0.5, share[decided] > 0.5)
    mean = learner.coefficients_[0]
    assert ((p > 0.5) != (X @ mean[1:] - mean[0] < 0)).any()


def test_one_particle_votes_as_it_is():
    X, y = rows(1000, 2)
    one = ParticleFilter(1, form="published", start="normal", spread=1e-300).begin(2, [0, 1])
    votes = ParticleFilter(1, form=("vote",), start="normal", spread=1e-300).begin(2, [0, 1])
    assert np.array_equal(one.test_then_train(X, y), votes.test_then_train(X, y))


@pytest.mark.parametrize("seed", range(3))
def test_the_spread_shrinks_while_nothing_moves_and_grows_when_it_does(seed):
    X, y = rows(4000, 2)
    y = np.where(np.arange(4000) < 3000, y, 1 - y)
    learner, spreads = ParticleFilter(form=("scaled", "movement"), random_state=seed).begin(2, [0, 1]), []
    for start in range(0, 4000, 50):
        learner.test_then_train(X[start : start + 50], y[start : start + 50])
        spreads.append(learner._kernel.arrays["measures"][4])
    assert max(spreads[50:60]) < 0.07 and max(spreads[60:70]) > 0.25 and max(spreads[-3:]) < 0.07
    assert min(spreads) >= 0.03 - 1e-12 and max(spreads) <= 0.3 + 1e-12


def sizes(stream_rows, form):
    X, y = stream_rows
    learner = ParticleFilter(form=form, batch_size=40).begin(X.shape[1], [0, 1])
    found = []
    for i in range(0, len(X), 100):
        learner.test_then_train(X[i : i + 100], y[i : i + 100])
        found.append(learner.batch_size_)
    return np.array(found)


def test_batches_shrink_while_the_concept_moves_and_grow_when_it_stands():
    found = sizes(moving_rows(12_000, 2), (*TRACKING, "resizing"))
    assert found.min() >= 4 and found.max() <= 40
    assert found[20:60].mean() < 8 and found[-10:].mean() > 12


def test_batches_without_the_part_have_their_size():
    learner = ParticleFilter(batch_size=40)
    with pytest.raises(AttributeError):
        _ = learner.batch_size_
    learner.begin(2, [0, 1]).test_then_train(*moving_rows(2000, 2))
    assert learner.batch_size_ == 40


def test_batches_of_sea_stay_large():
    X, y = next(SEA(10_000, period=2500, scaled=True, seed=3).blocks(10_000))
    assert sizes((X, y), (*TRACKING, "resizing")).mean() > 30


def test_smaller_batches_help_where_the_concept_moves():
    X, y = moving_rows(6000, 2)
    scores = []
    for form in (TRACKING, (*TRACKING, "resizing")):
        filters = [ParticleFilter(form=form, random_state=seed).begin(2, [0, 1]) for seed in range(3)]
        answers = [each.test_then_train(X, y).argmax(axis=1) for each in filters]
        scores.append(np.mean([(each == y)[:3000].mean() for each in answers]))
    assert scores[1] > scores[0] + 0.05


def test_a_spread_that_follows_helps_where_concepts_stand():
    streams = [Hyperplane(10_000, period=5000, seed=seed) for seed in range(2)]
    plain, moving = (
        np.mean([accuracy(stream, ParticleFilter(form=form)) for stream in streams])
        for form in (TRACKING, (*TRACKING, "movement"))
    )
    assert moving > plain + 0.5


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("part", ["vote", "movement", "resizing", "all"])
def test_cuts_saves_and_classes_change_nothing(part, n_classes):
    X, y = moving_rows(1500, n_classes)
    form = ALL if part == "all" else (*TRACKING, part)
    learner = ParticleFilter(n_particles=40, batch_size=20, form=form)
    whole = clone(learner).begin(2, range(n_classes))
    expected = whole.test_then_train(X, y)
    cut, found = clone(learner).begin(2, range(n_classes)), []
    for start in range(0, 1500, 37):
        found.append(cut.test_then_train(X[start : start + 37], y[start : start + 37]))
        cut = cut.copy()
    assert np.array_equal(np.vstack(found), expected)
    assert_same(cut.state(), whole.state(), part)


def test_an_interrupted_trial_is_made_again():
    X, y = moving_rows(240, 2, n_features=8)
    learner = ParticleFilter(200_000, batch_size=50, form=("resizing", "movement"))
    whole, other = (clone(learner).begin(8, [0, 1]) for _ in range(2))
    whole.test_then_train(X, y)
    start, n_interrupts = 0, 0
    while late := interrupted(lambda n=start: other.test_then_train(X[n:], y[n:]), 0.03):
        assert late[1] < SECONDS
        start, n_interrupts = start + late[0].rows_learned, n_interrupts + 1
        if n_interrupts == 8:
            other.test_then_train(X[start:], y[start:])
            break
    assert n_interrupts > 0
    assert_same(other.state(), whole.state())


def test_more_classes_and_inputs_keep_what_was_learned():
    X, y = rows(600, 2)
    learner = ParticleFilter(form=ALL, batch_size=20).begin(2)
    learner.test_then_train(X, y)
    before = learner.predict_proba_block(X).argmax(axis=1)
    size = learner._kernel.arrays["size"].copy()
    learner.learn_one(X[0], 2)
    assert np.array_equal(learner.predict_proba_block(X).argmax(axis=1), before)
    assert np.array_equal(learner._kernel.arrays["size"], size)
    learner.test_then_train(X, np.arange(600) % 3)


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [("size", 0, 3), ("size", 0, 51), ("trials", 1, -1.0), ("path", 0, 3.0), ("measures", 4, 1.0),
     ("measures", 4, 0.01), ("counts", 3, 105)],
)
def test_a_number_that_cannot_be_is_refused(name, place, value):
    X, y = rows(120, 2)
    learner = ParticleFilter(form=ALL).begin(2, [0, 1])
    learner.test_then_train(X, y)
    state = learner.state()
    state["memory"][name].reshape(-1)[place] = value
    with pytest.raises(StateError):
        ParticleFilter().restore(state)
