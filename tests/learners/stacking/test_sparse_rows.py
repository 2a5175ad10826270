"""AdaptiveStacking takes sparse rows: as dense ones, cut anywhere, with late labels, saved and loaded."""

import time

import numpy as np
import pytest
from scipy import sparse

import thalweg
from thalweg._names import WordName
from thalweg.checks.faults import can_interrupt, interrupted
from thalweg.checks.running import assert_same
from thalweg.errors import StateError
from thalweg.learners import (
    AdaptiveStacking,
    HoeffdingTree,
    LabelChain,
    LastLabels,
    LinearLogistic,
    MultinomialNaiveBayes,
    NaiveBayes,
    OnlineBagging,
    ParticleFilter,
)
from thalweg.learners.stacking.folding import Folding

WIDE = 1500


def bags(n=300, n_inputs=WIDE, n_classes=2, seed=1, gaps=True):
    # Counts of words; in two places of three there are none of the common words.
    rng = np.random.default_rng(seed)
    chances = rng.gamma(0.3, 1.0, (n_classes, n_inputs)) / np.arange(1, n_inputs + 1)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    X = np.array([rng.multinomial(12, chances[k] / chances[k].sum()) for k in y], dtype=float)
    if gaps:
        X[rng.random(X.shape) < 0.001] = np.nan
        X[rng.random(X.shape) < 0.001] = -1.5
    return X, y


def small(**parameters):
    members = [
        LastLabels(HoeffdingTree(grace_period=20)), LabelChain(), NaiveBayes(),
        ParticleFilter(n_particles=20, batch_size=50), LinearLogistic(), MultinomialNaiveBayes(),
    ]
    return AdaptiveStacking(members, **parameters)


@pytest.mark.parametrize("n_inputs", [40, 256, WIDE])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_rows_are_dense_rows_however_they_are_cut(n_classes, n_inputs):
    X, y = bags(n_inputs=n_inputs, n_classes=n_classes)
    w = np.random.default_rng(0).choice([0.0, 1.0, 2.0], len(y))
    dense, given, one = (small().begin(n_inputs, range(n_classes)) for _ in range(3))
    p = dense.test_then_train(X, y, sample_weight=w)
    q = [
        given.test_then_train(sparse.csr_array(X[i : i + 7]), y[i : i + 7], sample_weight=w[i : i + 7])
        for i in range(0, len(y), 7)
    ]
    assert np.array_equal(np.vstack(q), p)
    assert_same(given.state(), dense.state())
    assert np.array_equal(given.predict_proba_block(sparse.csc_array(X)), dense.predict_proba_block(X))
    assert np.array_equal(given.predict_proba_one(X[5]), dense.predict_proba_block(X)[5])
    for x, label in zip(X[w == 1], y[w == 1], strict=True):
        one.learn_one(x, label)
    again = small().begin(n_inputs, range(n_classes))
    again.test_then_train(sparse.csr_array(X[w == 1]), y[w == 1])
    assert_same(one.state(), again.state())


@pytest.mark.parametrize("n_inputs", [40, WIDE])
def test_default_members_take_sparse_rows(n_inputs):
    X, y = bags(120, n_inputs=n_inputs)
    dense, given = AdaptiveStacking().begin(n_inputs, [0, 1]), AdaptiveStacking().begin(n_inputs, [0, 1])
    p = dense.test_then_train(X, y)
    assert np.array_equal(given.test_then_train(sparse.csr_array(X), y), p)
    sees_words = [type(each).__name__ for each in given.members_ if each.n_features_in_ == WIDE]
    assert sees_words == (["LinearLogistic", *["MultinomialNaiveBayes"] * 2] if n_inputs == WIDE else [])


def test_threads_give_the_same_answers():
    X, y = bags()
    one, two = small().begin(WIDE, [0, 1]), small(n_jobs=2).begin(WIDE, [0, 1])
    rows = sparse.csr_array(X)
    assert np.array_equal(two.test_then_train(rows, y), one.test_then_train(rows, y))
    assert np.array_equal(two.predict_proba_block(rows), one.predict_proba_block(rows))


@pytest.mark.parametrize("n_inputs", [40, WIDE])
@pytest.mark.parametrize("with_ids", [False, True])
def test_late_labels(with_ids, n_inputs):
    X, y = bags(n_inputs=n_inputs)
    rows, delay, answers, states = sparse.csr_array(X), 30, [], []
    for form in (X, rows):
        learner, p = small().begin(n_inputs, [0, 1]), []
        for start in range(0, len(y), 10):
            part = slice(start, start + 10)
            ids = np.arange(part.start, part.stop) if with_ids else None
            p.append(learner.predict_then_observe(form[part], ids=ids))
            late = slice(max(start - delay, 0), max(start - delay + 10, 0))
            if start >= delay:
                ids = np.arange(late.start, late.stop) if with_ids else None
                learner.test_then_train(form[late], y[late], ids=ids)
        assert learner.n_waiting_ == delay
        answers.append(np.vstack(p))
        states.append(learner.state())
    assert np.array_equal(*answers)
    assert_same(*states)


def test_labels_in_another_order_find_their_rows():
    X, y = bags(160, gaps=False)
    rows, order, states = sparse.csr_array(X), np.random.default_rng(2).permutation(80), []
    assert len(np.unique(X, axis=0)) == len(X)
    for ids in (None, np.arange(80)):
        learner = small().begin(WIDE, [0, 1])
        for start in range(0, 80, 10):
            part, other = slice(start, start + 10), slice(80 + start, 90 + start)
            learner.predict_then_observe(rows[part], ids=None if ids is None else ids[part])
            learner.test_then_train(rows[other], y[other])
        learner.test_then_train(rows[order], y[order], ids=None if ids is None else ids[order])
        assert learner.n_waiting_ == 0
        states.append(learner.predict_proba_block(rows))
    assert np.array_equal(*states)


def test_saved_and_loaded_it_carries_on():
    X, y = bags(n_classes=3)
    rows, whole, first = sparse.csr_array(X), small().begin(WIDE), small().begin(WIDE)
    p = whole.test_then_train(rows, y)
    first.test_then_train(rows[:100], y[:100])
    second = AdaptiveStacking().restore(first.state())
    assert np.array_equal(second.test_then_train(rows[100:], y[100:]), p[100:])
    assert_same(second.state(), whole.state())
    second.begin(40, [0, 1]).test_then_train(X[:20, :40], y[:20] % 2)
    assert second.members_[0].n_features_in_ == 40


def test_a_state_of_dense_members_only_is_restored_as_it_was(monkeypatch):
    # As earlier releases saved them: every member saw all inputs.
    X, y = bags(100)
    monkeypatch.setattr("thalweg.learners.stacking.wide_ensemble.MOST_DENSE", 10_000)
    before = small().begin(WIDE, [0, 1])
    before.test_then_train(X, y)
    monkeypatch.undo()
    after = AdaptiveStacking().restore(before.state())
    assert np.array_equal(after.predict_proba_block(sparse.csr_array(X)), before.predict_proba_block(X))
    state = before.state()
    state["memory"]["folded"] = 3
    with pytest.raises(ValueError, match="the state's 'folded' must be True"):
        AdaptiveStacking().restore(state)


def test_new_classes_come_in_sparse_rows():
    X, y = bags(n_classes=4)
    y[:150] %= 2
    dense, given = small().begin(WIDE), small().begin(WIDE)
    p = dense.test_then_train(X, y)
    assert np.array_equal(given.test_then_train(sparse.csr_array(X), y), p)
    assert_same(given.state(), dense.state())


def test_categories_and_numbers_beside_words_keep_their_places():
    names = ["age", *[WordName(f"text {j}") for j in range(WIDE)], "kind"]
    n_categories = np.r_[np.zeros(WIDE + 1, dtype=int), 5]
    fold = Folding.of(n_categories, np.arange(1, WIDE + 1))
    assert fold.n_kept == 2
    assert fold.place[[0, WIDE + 1]].tolist() == [0, 1]
    assert fold.n_categories.tolist() == [0, 5, *[0] * 256]
    assert fold.place[1:-1].tolist() == [2 + j % 256 for j in range(WIDE)]
    X, y = bags()
    rng = np.random.default_rng(3)
    age, kind = rng.normal(size=len(y)), rng.integers(0, 5, len(y)).astype(float)
    age[::9] = np.nan
    rows = np.column_stack([age, X, kind])
    y = (age > 0.5).astype(int)
    dense, given = (
        small().begin(WIDE + 2, [0, 1], names=names, n_categories=n_categories) for _ in range(2)
    )
    p = dense.test_then_train(rows, y)
    assert np.array_equal(given.test_then_train(sparse.csr_array(rows), y), p)
    assert given.importance_[0] > 0.9
    assert len(given.importance_) == WIDE + 2


def test_a_column_that_is_called_like_a_word_is_a_column(tmp_path):
    """Which inputs count words is what the stream says, not their names, and what a saved learner says."""
    n_categories = np.zeros(WIDE + 1, dtype=int)
    X, y = bags()
    rows = np.column_stack([np.random.default_rng(3).normal(size=len(y)), X])
    words = [WordName(f"text.word{j}") for j in range(WIDE)]
    called = ["word1", *words], ["age", *words], ["age", *map(str, words)]
    learners = [small().begin(WIDE + 1, [0, 1], names=names, n_categories=n_categories) for names in called]
    answers = [each.test_then_train(sparse.csr_array(rows), y) for each in learners]
    assert np.array_equal(answers[0], answers[1]) and not np.array_equal(answers[1], answers[2])
    for each in learners:
        thalweg.save(each, tmp_path / "model.tw")
        loaded = thalweg.load(tmp_path / "model.tw")
        assert_same(loaded.state(), each.state())
        p = each.test_then_train(sparse.csr_array(rows), y)
        assert np.array_equal(loaded.test_then_train(sparse.csr_array(rows), y), p)
    state = learners[0].state()
    for wrong in ([WIDE + 1], [-1], ["1"], {"1": 1}):
        damaged = state | {"memory": state["memory"] | {"words": wrong}}
        with pytest.raises(StateError, match="words"):
            small().restore(damaged)
    state = learners[1].state()
    old = state | {"memory": {name: value for name, value in state["memory"].items() if name != "words"}}
    assert small().restore(old)._words == [*range(1, WIDE + 1)]  # by their names, as in earlier releases


def test_inputs_that_come_later_are_never_folded(monkeypatch):
    monkeypatch.setattr("thalweg.learners.stacking.wide_ensemble.MOST_DENSE", 5)
    learner = small()
    for i in range(12):
        learner.learn_one({f"w{j}": 1.0 for j in range(i + 1)}, i % 2)
    assert [each.n_features_in_ for each in learner.members_] == [12] * 6


def test_nothing_as_large_as_all_columns_is_made():
    n_inputs = 1 << 17
    rng = np.random.default_rng(1)
    X = sparse.random_array((2000, n_inputs), density=1e-4, random_state=rng, format="csr")
    y = np.arange(2000) % 2
    learner = small().begin(n_inputs, [0, 1])
    p = learner.test_then_train(X, y)  # dense, the rows would have 2 GB
    assert p.shape == (2000, 2)
    assert learner.n_bytes_ < 120 * n_inputs


@pytest.mark.skipif(not can_interrupt(), reason="no signals here")
def test_an_interrupt_loses_no_row():
    X, y = bags(2500)
    rows, whole = sparse.csr_array(X), small().begin(WIDE, [0, 1])
    start = time.process_time()
    whole.test_then_train(rows, y)
    seconds, ends = time.process_time() - start, 0
    for share in (0.2, 0.4, 0.6):
        other = small().begin(WIDE, [0, 1])
        late = interrupted(lambda other=other: other.test_then_train(rows, y), share * seconds)
        n_learned = len(y) if late is None else getattr(late[0], "rows_learned", 0)
        ends += late is not None
        if n_learned < len(y):
            other.test_then_train(rows[n_learned:], y[n_learned:])
        assert_same(other.state(), whole.state(), f"interrupted after row {n_learned}: state")
    assert ends, "no interrupt came in time"


def test_a_row_as_long_as_a_folded_one_is_refused():
    # Its last values would be taken for addresses.
    X, y = bags(20)
    learner = small().begin(WIDE, [0, 1])
    learner.test_then_train(X, y)
    row = np.full(learner._fold.width, 7.0)
    for call in (lambda: learner.learn_one(row, 1), lambda: learner.predict_proba_one(row)):
        with pytest.raises(ValueError, match="1500"):
            call()


def test_it_can_be_a_member_itself():
    X, y = bags(60)
    outer = OnlineBagging(AdaptiveStacking([NaiveBayes(), LinearLogistic()]), n_members=2).begin(WIDE, [0, 1])
    p = outer.test_then_train(X, y)
    assert np.isfinite(p).all()
    assert (p.argmax(axis=1) == y)[30:].mean() > 0.6


def test_members_that_take_no_gaps_take_no_sparse_rows():
    learner = AdaptiveStacking([ParticleFilter(n_particles=20, batch_size=50)]).begin(12, [0, 1])
    with pytest.raises(ValueError, match="sparse rows are not supported"):
        learner.test_then_train(sparse.csr_array(np.eye(12)), np.zeros(12, int))


def test_words_are_seen_by_those_who_can():
    X, y = bags(1500, n_inputs=5000, gaps=False)
    rows = sparse.csr_array(X)
    p = small().begin(5000, [0, 1]).test_then_train(rows, y)
    folded = np.zeros((len(y), 256))
    for j in range(5000):
        folded[:, j % 256] += X[:, j]
    q = small().begin(256, [0, 1]).test_then_train(folded, y)
    right = [(each.argmax(axis=1) == y).mean() for each in (p, q)]
    assert right[0] > right[1] + 0.02
