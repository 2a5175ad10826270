"""Logistic regression for many inputs: twin, sparse rows as dense ones, River's figures, cost."""

import time

import numpy as np
import pytest
from golden.streams import first_rows, folder, is_there
from scipy import sparse
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import make_pipeline
from twins.learners.logistic.linear_logistic import LinearLogistic as Twin

from thalweg.checks.faults import can_interrupt, interrupted
from thalweg.checks.running import assert_same
from thalweg.learners import LinearLogistic, MajorityClass, NaiveBayes, OnlineBagging
from thalweg.streams import DriftingGaussians, datasets


def mixed_rows(n, n_classes=2, seed=0, with_gaps=True):
    """Rows of inputs that are never 0, often, sometimes and rarely not 0; coefficients change half way."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 12)) * 10.0 ** rng.integers(-2, 3, 12) + rng.normal(size=12) * 5
    X[:, 8:] = rng.integers(1, 3, (n, 4))
    X[rng.random(X.shape) > np.repeat([1.0, 0.6, 0.3, 0.1], 3)[[0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]]] = 0.0
    beta = rng.normal(size=(2, 12, n_classes)) * 2 / np.maximum(X.std(axis=0), 1e-9)[:, None]
    z = np.einsum("nj,njk->nk", X, beta[(np.arange(n) * 2) // n]) + rng.gumbel(size=(n, n_classes))
    if with_gaps:
        X[rng.random(X.shape) < 0.05] = np.nan
    return X, z.argmax(axis=1)


def words(n, n_words=2000, n_used=20, period=None, seed=1):
    """Sparse rows of 0 and 1, frequent words first; the label is decided by one word in ten."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, n_words + 1)
    columns = rng.choice(n_words, (n, n_used), p=share / share.sum())
    X = sparse.csr_array((np.ones(columns.size), columns.ravel(), np.arange(n + 1) * n_used), (n, n_words))
    X.sum_duplicates()
    X.data[:] = 1.0
    beta = np.zeros((2, n_words))
    for each in beta:
        each[rng.permutation(n_words * 2 // 5)[: n_words // 10]] = rng.normal(size=n_words // 10) * 3
    scores = X @ beta.T
    concept = np.zeros(n, dtype=int) if period is None else (np.arange(n) // period) % 2
    return X, (scores[np.arange(n), concept] > 0).astype(int)


def accuracy(p, y, start=0):
    return float((p.argmax(axis=1) == y)[start:].mean())


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("parameters", [{}, {"rate": 0.5, "decay": 0.9, "l2": 0.02}])
def test_kernel_is_its_twin(parameters, n_classes):
    X, y = mixed_rows(400, n_classes)
    w = np.random.default_rng(1).choice([0.0, 0.3, 1.0, 2.5], len(y))
    learner = LinearLogistic(**parameters).begin(12, range(n_classes))
    twin = Twin(12, n_classes, **parameters)
    for i in range(len(X)):
        p = learner.test_then_train(X[i : i + 1], y[i : i + 1], sample_weight=w[i : i + 1])[0]
        np.testing.assert_allclose(p, twin.predict(X[i]), atol=1e-9, err_msg=f"row {i}")
        if w[i] > 0:
            twin.learn(X[i], y[i], w[i])
    np.testing.assert_allclose(learner.weights_, twin.weights, atol=1e-9)
    centre, spread, _ = twin.measures()
    beta = np.einsum("m,mkj->kj", twin.weights, twin.beta)
    np.testing.assert_allclose(learner.coef_, beta[:, :-1] / spread, rtol=1e-7, atol=1e-10)
    intercept = beta[:, -1] - (beta[:, :-1] * centre / spread).sum(axis=1)
    np.testing.assert_allclose(learner.intercept_, intercept, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_rows_are_dense_rows(form, n_classes):
    X, y = mixed_rows(300, n_classes)
    w = np.random.default_rng(1).choice([0.0, 1.0, 2.5], len(y))
    dense, other = (LinearLogistic().begin(12, range(n_classes)) for _ in range(2))
    p = dense.test_then_train(X[:200], y[:200], sample_weight=w[:200])
    assert np.array_equal(other.test_then_train(form(X[:200]), y[:200], sample_weight=w[:200]), p)
    assert np.array_equal(other.predict_proba_block(form(X)), dense.predict_proba_block(X))
    assert np.array_equal(other.predict_proba(form(X)), dense.predict_proba(X))
    asked = np.arange(100) % 2 == 0
    p = dense.test_then_train_coded(X[200:], y[200:], sample_weight=w[200:], tested=asked)
    q = other.test_then_train_coded(form(X[200:]), y[200:], sample_weight=w[200:], tested=asked)
    assert np.array_equal(q[asked], p[asked])
    assert_same(other.state(), dense.state())


def test_scikit_learn_verbs_take_sparse_rows():
    X, y = mixed_rows(300, 3)
    fitted = LinearLogistic().fit(sparse.csr_matrix(X), y)
    assert np.array_equal(fitted.predict(sparse.csr_matrix(X)), LinearLogistic().fit(X, y).predict(X))
    parts = LinearLogistic()
    for start in (0, 100, 200):
        parts.partial_fit(sparse.csr_array(X[start : start + 100]), y[start : start + 100])
    assert sorted(parts.classes_) == [0, 1, 2]
    texts = ["wet cold rain", "warm dry sun", "rain and cold", "dry sun and warm"] * 20
    pipeline = make_pipeline(HashingVectorizer(n_features=2**18), LinearLogistic())
    pipeline.fit(texts, ["bad", "good"] * 40)
    assert pipeline.predict(["cold rain", "warm sun"]).tolist() == ["bad", "good"]


def test_zeros_that_are_kept_unsorted_columns_and_duplicates():
    X, y = mixed_rows(100, with_gaps=False)
    expected = LinearLogistic().begin(12, [0, 1]).test_then_train(X, y)
    columns, starts = np.tile(np.arange(12), 100), np.arange(101) * 12
    full = sparse.csr_array((X.ravel(), columns, starts), X.shape)
    assert np.array_equal(LinearLogistic().begin(12, [0, 1]).test_then_train(full, y), expected)
    turned = sparse.csr_array((X[:, ::-1].ravel(), 11 - columns, starts), X.shape)
    before = turned.indices.copy()
    assert np.array_equal(LinearLogistic().begin(12, [0, 1]).test_then_train(turned, y), expected)
    assert np.array_equal(turned.indices, before)
    halves = sparse.csr_array((np.tile(X[0] / 2, 2), columns[:24], [0, 24]), (1, 12))
    learner = LinearLogistic().begin(12, [0, 1])
    learner.test_then_train(X, y)
    assert np.array_equal(learner.predict_proba_block(halves), learner.predict_proba_block(X[:1]))


def test_rows_without_any_value_and_blocks_without_rows():
    learner = LinearLogistic().begin(4, [0, 1])
    empty = sparse.csr_array((3, 4))
    p = learner.test_then_train(empty, [0, 1, 1])
    assert np.array_equal(p, LinearLogistic().begin(4, [0, 1]).test_then_train(np.zeros((3, 4)), [0, 1, 1]))
    assert learner.predict_proba_block(sparse.csr_array((0, 4))).shape == (0, 2)


@pytest.mark.skipif(not can_interrupt(), reason="no signals here")
def test_an_interrupt_loses_no_sparse_row():
    X, y = words(20_000)
    whole = LinearLogistic().begin(2000, [0, 1])
    start = time.process_time()
    whole.test_then_train(X, y)
    seconds, ends = time.process_time() - start, 0
    for share in (0.2, 0.4, 0.6):
        other = LinearLogistic().begin(2000, [0, 1])
        late = interrupted(lambda other=other: other.test_then_train(X, y), share * seconds)
        n_learned = len(y) if late is None else getattr(late[0], "rows_learned", 0)
        ends += late is not None
        other.test_then_train(X[n_learned:], y[n_learned:])
        assert_same(other.state(), whole.state(), f"interrupted after row {n_learned}: state")
    assert ends, "no interrupt came in time"


def test_sparse_rows_with_new_classes():
    X, y = mixed_rows(300, 4)
    expected = LinearLogistic().begin(12).test_then_train(X, y)
    assert np.array_equal(LinearLogistic().begin(12).test_then_train(sparse.csr_array(X), y), expected)


@pytest.mark.parametrize("damage", ["column", "negative", "starts", "long", "infinite", "wide"])
def test_damaged_sparse_rows_are_refused(damage):
    X, y = mixed_rows(20, with_gaps=False)
    learner = LinearLogistic().begin(12, [0, 1])
    given = sparse.csr_array(X)
    if damage == "column":
        given.indices[5] = 12
    elif damage == "negative":
        given.indices[5] = -1
    elif damage == "starts":
        given.indptr[3] = given.indptr[6]
    elif damage == "long":
        given.indptr[-1] = 10**6
    elif damage == "infinite":
        given.data[int(given.indptr[2])] = np.inf
    else:
        given = sparse.csr_array(np.c_[X, X])
    with pytest.raises(ValueError, match="row 2, column" if damage == "infinite" else "sparse rows"):
        learner.test_then_train(given, y)
    assert learner.state()["memory"]["seen"] == 0


@pytest.mark.parametrize("n_categories", [[0, 4, 2, 3, 0], [3, 3, 0, 0, 300], [0, 0, 2, 2, 0]])
def test_sparse_rows_with_categories_are_dense_rows(n_categories):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 6, (400, 5)) * (rng.random((400, 5)) < 0.6).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[5, :] = [-1.0, 0.5, -2.0, 2.5, 7.0]
    y = (np.nan_to_num(X[:, 1]) > 2).astype(int)
    dense, given = (LinearLogistic().begin(5, [0, 1], n_categories=n_categories) for _ in range(2))
    rows = sparse.csr_array(X)
    np.testing.assert_allclose(given.test_then_train(rows, y), dense.test_then_train(X, y), atol=1e-12)
    np.testing.assert_allclose(given.predict_proba_block(rows), dense.predict_proba_block(X), atol=1e-12)
    np.testing.assert_allclose(given.coef_, dense.coef_, atol=1e-12)


def test_many_categories_are_learned_as_sparse_rows_with_the_same_answer(monkeypatch):
    rng = np.random.default_rng(1)
    X = np.c_[rng.normal(size=500), rng.integers(0, [90, 2, 50], size=(500, 3))]
    X[::7, 1], X[::11, 2], X[::13, 0] = np.nan, np.nan, 0.0
    y, tested = (X[:, 1] > 40).astype(int), rng.random(500) < 0.5
    answers = []
    for most in (4, 1000):
        monkeypatch.setattr("thalweg.learners.base.sparse_one_hot.MANY_PLACES", most)
        learner = LinearLogistic().begin(4, [0, 1], n_categories=[0, 80, 2, 50])
        assert (learner._as_sparse(X) is None) == (most == 1000)
        p = learner.test_then_train_coded(X, y)
        q = learner.test_then_train_coded(X, y, tested=tested)
        answers.append([p, q[tested], learner.predict_proba_block(X), learner.predict_proba_block(X[:0])])
    for one, other in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("learner", [NaiveBayes(), MajorityClass(), OnlineBagging(LinearLogistic())], ids=str)
def test_others_say_that_they_take_no_sparse_rows(learner):
    with pytest.raises(ValueError, match="sparse rows are not supported"):
        learner.begin(12, [0, 1]).test_then_train(sparse.csr_array(np.eye(12)), np.zeros(12, int))


@pytest.mark.parametrize(("stream", "river"), [("email_list", 0.71333), ("usenet1", 0.71467)])
def test_at_least_as_good_as_scaled_gradient_descent(stream, river):
    if not is_there(stream):
        pytest.skip(f"{stream} is not beside the checkout (../shared/data)")
    rows = first_rows(datasets.load(stream, folder()), 1500)
    p = LinearLogistic().begin(rows.X.shape[1], [0, 1]).test_then_train(rows.X, rows.codes)
    assert accuracy(p, rows.codes) >= river


def test_words_decide():
    X, y = words(4000)
    p = LinearLogistic().begin(2000, [0, 1]).test_then_train(X, y)
    assert accuracy(p, y, 2000) > max(y.mean(), 1 - y.mean()) + 0.15


def test_interests_that_change_are_followed():
    X, y = words(6000, period=2000)
    p = LinearLogistic().begin(2000, [0, 1]).test_then_train(X, y)
    assert accuracy(p[3000:4000], y[3000:4000]) > 0.7


def test_neither_scale_nor_offset_matters():
    X, y = mixed_rows(2000, with_gaps=False, seed=3)
    X = X[:, [0, 4, 8]] + 1.0  # never 0
    p = LinearLogistic().begin(3, [0, 1]).test_then_train(X, y)
    other = LinearLogistic().begin(3, [0, 1]).test_then_train(X * [1e-6, 1e4, -3.0] + [7.0, 1e6, 0.0], y)
    assert np.abs(other - p)[20:].max() < 1e-6


def test_a_value_left_out_changes_nothing():
    X, y = mixed_rows(500, with_gaps=False)
    learner = LinearLogistic().begin(12, [0, 1])
    learner.test_then_train(X, y)
    row = np.full((1, 12), np.nan)
    score = np.log(learner.predict_proba_block(row)[0])
    z = learner._kernel.arrays["constant"].clip(-6.9, 6.9) @ learner.weights_
    assert np.isclose(score[1] - score[0], z, atol=0.1)


def test_a_penalty_shrinks():
    X, y = words(2000, n_words=300)
    free, small = LinearLogistic().begin(300, [0, 1]), LinearLogistic(l2=1.0).begin(300, [0, 1])
    for learner in (free, small):
        learner.test_then_train(X, y)
    assert np.abs(small.coef_).sum() < 0.7 * np.abs(free.coef_).sum()


def test_drift_of_the_boundary():
    X, y = next(DriftingGaussians(kind="drift", seed=1).blocks(5000))
    p = LinearLogistic().begin(5, [0, 1]).test_then_train(X, y)
    assert accuracy(p, y) > 0.74


def test_cost_follows_the_values_that_are_not_zero():
    X, y = words(500, n_words=20_000)
    narrow = sparse.csr_array((X.data, X.indices % 200, X.indptr), (500, 200))
    narrow.sum_duplicates()

    def seconds(rows):
        learner = LinearLogistic().begin(rows.shape[1], [0, 1])
        learner.test_then_train(rows, y)
        best = np.inf
        for _ in range(5):
            start = time.process_time()
            learner.test_then_train(rows, y)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(X) < 5 * seconds(narrow)


def test_named_rows_are_bags_of_words():
    X, y = words(1500, n_words=100, n_used=8)
    learner, right = LinearLogistic(), 0
    for i, label in enumerate(y.tolist()):
        row = {f"w{j}": 1.0 for j in X[[i]].indices}
        right += i >= 750 and learner.predict_one(row) == label
        learner.learn_one(row, label)
    assert right / 750 > max(y[750:].mean(), 1 - y[750:].mean()) + 0.1
