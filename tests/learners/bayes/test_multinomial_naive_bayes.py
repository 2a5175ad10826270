"""Multinomial naive Bayes against its twin, scikit-learn, and the same rows in other forms."""

import time

import numpy as np
import pytest
from scipy import sparse
from sklearn import naive_bayes
from twins.learners.bayes.multinomial_naive_bayes import MultinomialTwin

from thalweg.learners import LinearLogistic, MultinomialNaiveBayes, NaiveBayes


def bags(n=400, n_words=60, n_classes=3, seed=1, length=8):
    # Counts of words, whose chances are the class's own.
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.full(n_words, 0.2), n_classes)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    return np.array([rng.multinomial(1 + rng.poisson(length), chances[k]) for k in y], dtype=float), y


def with_gaps(X, seed=2):
    # Some values missing, some below 0, some that are no whole numbers.
    rng = np.random.default_rng(seed)
    X = X.copy()
    X[rng.random(X.shape) < 0.05] = np.nan
    X[rng.random(X.shape) < 0.05] = -3.0
    X[rng.random(X.shape) < 0.05] = 0.4
    return X


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("decay", [1.0, 0.999, 0.9, 0.5])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_kernel_is_its_twin(n_classes, decay, complement):
    # With the decay 0.5 the sums are scaled down every hundred rows.
    X, y = bags(n_classes=n_classes)
    X = with_gaps(X)
    w = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], len(y))
    learner = MultinomialNaiveBayes(decay=decay, complement=complement).begin(60, range(n_classes))
    twin = MultinomialTwin(60, n_classes, decay=decay, complement=complement)
    p = learner.test_then_train(X, y, sample_weight=w)
    for i in range(len(X)):
        np.testing.assert_allclose(p[i], twin.predict(X[i]), rtol=1e-8, atol=1e-10, err_msg=f"row {i}")
        if w[i] > 0:
            twin.learn(X[i], y[i], w[i])
    np.testing.assert_allclose(learner.trust_, twin.trust, rtol=1e-6)


@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
@pytest.mark.parametrize("alpha", [1.0, 0.1])
@pytest.mark.parametrize(
    ("complement", "theirs"), [(False, naive_bayes.MultinomialNB), (True, naive_bayes.ComplementNB)]
)
def test_without_decay_it_is_that_of_scikit_learn(complement, theirs, alpha, form):
    X, y = bags(n_classes=4)
    ours = MultinomialNaiveBayes(alpha, 1.0, complement=complement, calibrate=False).begin(60, range(4))
    ours.test_then_train(form(X), y)
    expected = theirs(alpha=alpha).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours.predict_proba_block(form(X)), expected, atol=1e-9)
    halves = theirs(alpha=alpha).fit(X, y, sample_weight=np.arange(len(y)) % 3 + 0.5)
    ours = ours.begin(60, range(4))
    ours.test_then_train(form(X), y, sample_weight=np.arange(len(y)) % 3 + 0.5)
    np.testing.assert_allclose(ours.predict_proba_block(form(X)), halves.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("complement", [False, True])
def test_sparse_rows_are_dense_rows(complement, n_classes):
    X, y = bags(n_classes=n_classes)
    X = with_gaps(X)
    w = np.random.default_rng(1).choice([0.0, 1.0, 2.5], len(y))
    dense, other = (
        MultinomialNaiveBayes(complement=complement).begin(60, range(n_classes)) for _ in range(2)
    )
    p = dense.test_then_train(X, y, sample_weight=w)
    q = np.vstack([
        other.test_then_train(sparse.csr_array(X[i : i + 7]), y[i : i + 7], sample_weight=w[i : i + 7])
        for i in range(0, len(y), 7)
    ])
    assert np.array_equal(q, p)
    assert np.array_equal(other.predict_proba(sparse.csc_array(X)), dense.predict_proba(X))
    tested = np.arange(len(y)) % 2 == 0
    p = dense.test_then_train_coded(X, y, tested=tested)
    q = other.test_then_train_coded(sparse.csr_array(X), y, tested=tested)
    assert np.array_equal(q[tested], p[tested])
    assert np.array_equal(other.predict_proba(X), dense.predict_proba(X))


def test_classes_and_inputs_that_come_later_were_never_seen():
    X, y = bags()
    whole = MultinomialNaiveBayes().begin(60, range(3))
    late = MultinomialNaiveBayes().begin(60)
    p, q = whole.test_then_train(X, y), late.test_then_train(sparse.csr_array(X), y)
    assert late.classes_.tolist() == [0, 1, 2]
    assert np.array_equal(q[10:], p[10:])
    rows = [{f"w{j}": x[j] for j in np.flatnonzero(x)} for x in X]
    named = MultinomialNaiveBayes()
    named.test_then_train(rows, y)
    order = [int(name[1:]) for name in named.input_names_]
    again = MultinomialNaiveBayes().begin(len(order), range(3))
    again.test_then_train(X[:, order], y)
    np.testing.assert_allclose(named.coef_, again.coef_, rtol=1e-9)


def test_a_weight_is_so_many_rows():
    X, y = bags()
    once = MultinomialNaiveBayes(decay=0.9, calibrate=False).begin(60, range(3))
    thrice = MultinomialNaiveBayes(decay=0.9, calibrate=False).begin(60, range(3))
    once.test_then_train(X, y, sample_weight=np.full(len(y), 3.0))
    thrice.test_then_train(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    np.testing.assert_allclose(thrice.predict_proba(X), once.predict_proba(X), rtol=1e-9, atol=1e-300)


def test_a_row_of_enormous_weight_leaves_nothing_else():
    X, y = bags()
    learner = MultinomialNaiveBayes(decay=0.9).begin(60, range(3))
    learner.test_then_train(X, y, sample_weight=np.where(np.arange(len(y)) == 200, 1e100, 1.0))
    fresh = MultinomialNaiveBayes(decay=0.9).begin(60, range(3))
    fresh.test_then_train(X[200:], y[200:], sample_weight=np.r_[1e100, np.ones(len(y) - 201)])
    np.testing.assert_allclose(learner.coef_, fresh.coef_)


def test_scales_do_not_change_the_likeliest_class_and_lower_the_log_loss():
    rng = np.random.default_rng(5)
    X, y = bags(2000, n_classes=2, length=20)
    X, flips = np.repeat(X, 4, axis=1), rng.random(len(y)) < 0.15
    y = np.where(flips, 1 - y, y)
    sure = MultinomialNaiveBayes(calibrate=False).begin(240, [0, 1]).test_then_train(X, y)
    p = MultinomialNaiveBayes().begin(240, [0, 1]).test_then_train(X, y)
    assert np.array_equal(p.argmax(axis=1)[10:], sure.argmax(axis=1)[10:])
    losses = [-np.log(np.maximum(each[np.arange(len(y)), y], 1e-3)).mean() for each in (p, sure)]
    assert losses[0] < 0.7 * losses[1]


def test_interests_that_change_are_followed():
    X, y = bags(4000, n_classes=2, n_words=500, length=20)
    y = np.where(np.arange(4000) < 2000, y, 1 - y)
    right = {}
    for decay in (1.0, 0.999, 0.99):
        p = MultinomialNaiveBayes(decay=decay).begin(500, [0, 1]).test_then_train(X, y)
        right[decay] = (p.argmax(axis=1) == y)[2000:].mean()
    assert right[0.99] > right[0.999] > right[1.0] + 0.2


def test_coefficients_give_the_scores():
    X, y = bags(n_classes=3)
    for complement in (False, True):
        learner = MultinomialNaiveBayes(complement=complement, calibrate=False).begin(60, range(3))
        learner.test_then_train(X, y)
        scores = X @ learner.coef_.T + learner.intercept_
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        np.testing.assert_allclose(learner.predict_proba(X), p / p.sum(axis=1, keepdims=True), atol=1e-9)


def test_cost_follows_the_values_that_are_not_zero():
    X = sparse.random_array((500, 100_000), density=2e-4, random_state=np.random.default_rng(1), format="csr")
    narrow = sparse.csr_array((X.data, X.indices % 500, X.indptr), (500, 500))
    narrow.sum_duplicates()
    y = np.arange(500) % 2

    def seconds(rows):
        learner = MultinomialNaiveBayes().begin(rows.shape[1], [0, 1])
        learner.test_then_train(rows, y)
        best = np.inf
        for _ in range(5):
            start = time.process_time()
            learner.test_then_train(rows, y)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(X) < 5 * seconds(narrow)


@pytest.mark.parametrize("n_categories", [[0, 4, 2, 3, 0], [3, 3, 0, 0, 300]])
def test_sparse_rows_with_categories_are_dense_rows(n_categories):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 6, (400, 5)) * (rng.random((400, 5)) < 0.6).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 1]) > 2).astype(int)
    dense, given = (MultinomialNaiveBayes().begin(5, [0, 1], n_categories=n_categories) for _ in range(2))
    p = dense.test_then_train(X, y)
    assert np.array_equal(given.test_then_train(sparse.csr_array(X), y), p)
    assert (p.argmax(axis=1) == y)[100:].mean() > 0.8


@pytest.mark.parametrize(
    "wrong", [{"alpha": 0.0}, {"decay": 0.0}, {"decay": 1.5}, {"complement": 2}, {"calibrate": None}]
)
def test_parameters_are_checked(wrong):
    with pytest.raises(ValueError, match=f"MultinomialNaiveBayes: {next(iter(wrong))} must be"):
        MultinomialNaiveBayes(**wrong).begin(3, [0, 1])


def test_damaged_states_are_refused():
    X, y = bags()
    learner = MultinomialNaiveBayes().begin(60, range(3))
    learner.test_then_train(X, y)
    for name, value in (("total", 1e9), ("growth", 0.5), ("trust", 0.5), ("count", -1.0)):
        state = learner.state()
        state["memory"][name][...] = value
        with pytest.raises(ValueError, match=f"MultinomialNaiveBayes: the state's '{name}'"):
            MultinomialNaiveBayes().restore(state)


def test_better_than_gaussians_on_short_messages():
    # Most words are as frequent in one class as in the other.
    rng = np.random.default_rng(3)
    common = 1 / np.arange(1, 2001)
    chances = common * rng.gamma(1.0, 1.0, (2, 2000))
    y = rng.integers(0, 2, 3000)
    X = np.array([rng.multinomial(8, chances[k] / chances[k].sum()) for k in y], dtype=float)
    accuracy = {}
    for learner in (MultinomialNaiveBayes(), NaiveBayes(), LinearLogistic()):
        p = learner.begin(2000, [0, 1]).test_then_train(X, y)
        accuracy[type(learner)] = (p.argmax(axis=1) == y).mean()
    assert accuracy[MultinomialNaiveBayes] > accuracy[LinearLogistic] + 0.01 > accuracy[NaiveBayes] + 0.05
