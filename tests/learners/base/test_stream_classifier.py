"""What the base class derives: filled gaps, labels, names, state of nested things, errors of members."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support.counting import Counting

from thalweg.checks import check_learner
from thalweg.errors import StateError
from thalweg.learners import MajorityClass, NaiveBayes
from thalweg.learners.base.stream_classifier import StreamClassifier


class Recorder(StreamClassifier):
    """Keeps copies of the rows it was given."""

    def _begin(self, n_features, n_classes):
        self._rows = []
        self._observed = []

    def _learn(self, X, y, w, p):
        self._rows.extend(X.tolist())
        p[:] = 1 / p.shape[1]

    def _predict(self, X, p):
        p[:] = X[:, :1] / 100
        p[:, 1:] = (1 - p[:, :1]) / (p.shape[1] - 1)

    def _observe(self, X):
        self._observed.extend(X.tolist())


class Pair(StreamClassifier):
    """Two members, one drawn at random for each row learned: nested state and a generator."""

    def __init__(self, member=None, random_state=0):
        self.member = member
        self.random_state = random_state

    def _begin(self, n_features, n_classes):
        base = NaiveBayes() if self.member is None else self.member
        self._members = [clone(base).begin(n_features, range(n_classes)) for _ in range(2)]
        self._rng = np.random.default_rng(self.random_state)

    def _learn(self, X, y, w, p):
        for i in range(len(X)):
            row = slice(i, i + 1)
            self._predict(X[row], p[row])
            if w[i] > 0:
                chosen = self._members[self._rng.integers(2)]
                chosen.test_then_train_coded(X[row], y[row], sample_weight=w[row])

    def _predict(self, X, p):
        p[:] = np.mean([member.predict_proba_block(X) for member in self._members], axis=0)


class Raises(StreamClassifier):
    """Fails on its third row."""

    def _begin(self, n_features, n_classes):
        self._n = 0

    def _learn(self, X, y, w, p):
        self._n += 1
        if self._n == 3:
            raise RuntimeError("the third row")

    def _predict(self, X, p):
        p[:] = 1 / p.shape[1]


def test_gaps_are_filled_with_the_mean_of_the_rows_before():
    learner = Recorder().begin(2, [0, 1])
    gap = np.nan
    learner.test_then_train([[gap, 1.0], [2.0, gap], [4.0, 5.0], [gap, gap]], [0, 1, 0, 1])
    assert learner._rows == [[0.0, 1.0], [2.0, 1.0], [4.0, 5.0], [3.0, 3.0]]
    assert learner.predict_proba_one([gap, 0.0])[0] == 0.03
    learner.observe([[9.0, gap]])
    assert learner._observed == [[9.0, 3.0]]
    assert learner.predict_proba_one([gap, 0.0])[0] == 0.03  # only learned rows count


def test_nested_members_and_generators_are_saved():
    check_learner(Pair(), excused=["recovers_after_a_drift", "weight_two_is_the_row_twice"])
    state = Pair(NaiveBayes(categorical=[1])).begin(3, ["a", "b"]).state()
    assert state["parameters"]["member"]["learner"] == "NaiveBayes"
    assert Pair().restore(state).member.categorical == [1]
    assert [member["learner"] for member in state["memory"]["_members"]] == ["NaiveBayes", "NaiveBayes"]


def test_a_state_is_refused_by_another_learner_and_format():
    state = NaiveBayes().begin(1, [0, 1]).state()
    with pytest.raises(ValueError, match="MajorityClass: this is the state of NaiveBayes"):
        MajorityClass().restore(state)
    with pytest.raises(ValueError, match="format 99"):
        NaiveBayes().restore({**state, "format": 99})


def test_what_cannot_be_saved_says_so():
    learner = Recorder().begin(1, [0, 1])
    learner._rows = object()
    with pytest.raises(TypeError, match="cannot save a value of type object"):
        learner.state()


def test_a_member_that_raises_is_heard_after_the_loop():
    learner = Raises().begin(1, [0, 1])
    kernel = learner._handle()
    X, w, p = np.zeros((5, 1)), np.ones(5), np.empty((5, 2))
    with pytest.raises(RuntimeError, match="the third row"):
        kernel.learn(X, np.zeros(5, dtype=np.intp), w, p)
    assert learner._n == 3
    kernel.predict(X, p)


def test_before_it_began_it_says_what_to_do():
    for call in (lambda: NaiveBayes().predict([[1.0]]), lambda: NaiveBayes().predict_proba_block([[1.0]]),
                 lambda: NaiveBayes().observe([[1.0]]),
                 lambda: NaiveBayes().test_then_train_coded([[1.0]], [0])):
        with pytest.raises(NotFittedError, match="begin"):
            call()


def test_labels_come_back_as_they_were_given():
    X = [[0.0], [0.1], [5.0], [5.1]]
    for labels in (["no", "no", "yes", "yes"], [False, False, True, True], [-1, -1, 7, 7]):
        learner = NaiveBayes().fit(X, labels)
        assert learner.predict(X).tolist() == labels
        assert learner.predict_one(X[3]) == labels[3]
        assert type(learner.predict_one(X[3])) is type(labels[3])


def test_unknown_labels_are_named():
    learner = NaiveBayes().begin(1, ["a", "b"])
    with pytest.raises(ValueError, match=r"row 1 has the label 'z', .* the classes \['a', 'b'\]"):
        learner.test_then_train([[1.0], [2.0]], ["a", "z"])
    with pytest.raises(ValueError, match="row 0 has the label nan"):
        learner.test_then_train([[1.0]], [np.nan])
    with pytest.raises(ValueError, match="the label None"):
        learner.learn_one([1.0], None)


@pytest.mark.parametrize(
    ("classes", "words"),
    [([], "at least one"), ([1, 1], "differ"), ([None, 1], "missing"), ([float("nan")], "missing")],
)
def test_classes_must_make_sense(classes, words):
    with pytest.raises(ValueError, match=words):
        NaiveBayes().begin(1, classes)


def test_bad_cells_are_named():
    learner = NaiveBayes().begin(2, [0, 1], names=["wind", "rain"])
    with pytest.raises(ValueError, match=r"row 1, column 1 \('rain'\) is inf"):
        learner.predict_proba_block([[1.0, 2.0], [3.0, np.inf]])
    with pytest.raises(ValueError, match="row 1, column 0 is 'calm', not a number"):
        learner.predict_proba_block([[1.0, 2.0], ["calm", 3.0]])
    with pytest.raises(ValueError, match="row 0, column 1 is 'wet', not a number"):
        NaiveBayes().fit(np.array([[1.0, "wet"]], dtype=object), [0])
    with pytest.raises(ValueError, match="rain is 'wet', not a number"):
        learner.predict_one({"rain": "wet"})
    with pytest.raises(ValueError, match="unknown input 'snow'"):
        learner.predict_one({"snow": 1.0})


def test_empty_cells_and_pandas_gaps_are_missing():
    learner = NaiveBayes().fit([[0.0, 1.0], [5.0, 1.0], [0.2, 2.0], [5.2, 2.0]], [0, 1, 0, 1])
    expected = learner.predict_proba_block([[0.1, np.nan]])
    for row in ([["0.1", ""]], [[0.1, None]], pd.DataFrame({"a": [0.1], "b": [pd.NA]})):
        assert np.array_equal(learner.predict_proba_block(row), expected)


def test_names_of_a_frame_are_the_names_of_dict_rows():
    frame = pd.DataFrame({"wind": [1.0, 9.0, 2.0, 8.0], "rain": [0.0, 4.0, 1.0, 5.0]})
    learner = NaiveBayes().fit(frame, ["calm", "storm", "calm", "storm"])
    assert learner.predict_one({"rain": 4.5, "wind": 8.5}) == "storm"
    with pytest.raises(ValueError, match="feature names"):
        learner.predict(frame.rename(columns={"wind": "gust"}))


def test_partial_fit_goes_on_where_fit_starts_afresh():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    parts = NaiveBayes().partial_fit(X[:50], y[:50], classes=[0, 1]).partial_fit(X[50:], y[50:])
    whole = NaiveBayes().fit(X[:10], y[:10]).fit(X, y, shuffle=False)
    assert np.array_equal(parts.predict_proba(X), whole.predict_proba(X))


def test_it_works_inside_a_pipeline():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 2)) + y[:, None] * 3
    assert make_pipeline(StandardScaler(), NaiveBayes()).fit(X, y).score(X, y) > 0.95


def test_a_kernel_refuses_arrays_of_another_type():
    kernel = MajorityClass().begin(1, [0, 1])._kernel
    with pytest.raises(StateError, match="'counts' must be an array of float64, got int64"):
        kernel.restore({"counts": np.zeros(2, dtype=np.int64)})


def test_begin_refuses_to_set_what_the_base_class_uses():
    class Means(Counting):
        def _begin(self, n_features, n_classes):
            super()._begin(n_features, n_classes)
            self._means = np.zeros((n_classes, n_features))

    with pytest.raises(TypeError, match=r"Means: _begin sets self\._means, which the base class uses"):
        Means().begin(2, [0, 1])
