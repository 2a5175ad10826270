"""What is checked at a learner's door: rows, codes, names, classes, and what a refusal leaves behind."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from thalweg.errors import StateError
from thalweg.learners import HoeffdingTree, MajorityClass, NaiveBayes, WindowLogistic
from thalweg.learners.base.arguments import Labels
from thalweg.learners.base.stream_classifier import StreamClassifier


@pytest.mark.parametrize("codes", [[0, -1], [0, 2], [0, 2**40], [0], [[0, 1]], [0.0, 1.0], ["0", "1"]])
def test_wrong_codes_are_refused(codes):
    learner = HoeffdingTree().begin(2, ["a", "b"])
    with pytest.raises(ValueError, match=r"HoeffdingTree: .*code"):
        learner.test_then_train_coded(np.zeros((2, 2)), codes)


def test_a_code_that_stands_for_a_missing_label_is_explained():
    learner = NaiveBayes().begin(1, [0, 1])
    with pytest.raises(ValueError, match=r"row 1 has the code -1.*pass such rows to observe"):
        learner.test_then_train_coded(np.zeros((2, 1)), np.array([0, -1]))


@pytest.mark.parametrize("counts", [[-5, 10], [3], [1, 2, 3], [0.5, 1.0], "ab", 4])
def test_wrong_numbers_of_categories_are_refused(counts):
    with pytest.raises(ValueError, match="n_categories"):
        NaiveBayes().begin(2, [0, 1], n_categories=counts)


def test_asking_teaches_no_names():
    learner = NaiveBayes().begin(2, [0, 1])
    learner.predict_one({"temprature": 1.0})
    learner.learn_one({"temperature": 1.0, "wind": 2.0}, 0)
    assert list(learner._names) == ["temperature", "wind"]
    with pytest.raises(ValueError, match="unknown input 'temprature'"):
        learner.predict_one({"temprature": 1.0})


def test_a_refused_row_teaches_no_names():
    learner = NaiveBayes().begin(2, [0, 1])
    for row, label in [({"a": np.inf, "b": 1.0}, 0), ({"a": 1.0, "b": "wet"}, 0), ({"a": 1.0, "b": 2.0}, 7)]:
        with pytest.raises(ValueError):
            learner.learn_one(row, label)
    assert list(learner._names) == []
    learner.learn_one({"c": 1.0}, 1)
    assert list(learner._names) == ["c"]


def test_names_differ_and_stay_what_they_are():
    with pytest.raises(ValueError, match="must differ"):
        NaiveBayes().begin(2, [0, 1], names=["a", "a"])
    learner = NaiveBayes().begin(2, [0, 1], names=[0, 1])
    learner.learn_one({1: 5.0, 0: 3.0}, 0)
    assert learner.copy().predict_one({0: 3.0}) == 0
    with pytest.raises(ValueError, match="unknown input '0'"):
        learner.predict_one({"0": 3.0})


def test_observed_rows_count_once():
    learner = WindowLogistic().begin(1, [0, 1])
    learner.observe(np.ones((900, 1)))
    learner.test_then_train(np.ones((1000, 1)), np.zeros(1000, dtype=int))
    assert learner._means[1].tolist() == [1000.0]


def test_partial_fit_refuses_other_classes():
    X, y = np.zeros((4, 1)), [0, 1, 0, 1]
    learner = NaiveBayes().partial_fit(X, y, classes=[0, 1])
    learner.partial_fit(X, y, classes=[1, 0])
    with pytest.raises(ValueError, match="are not those of the first call"):
        learner.partial_fit(X, y, classes=[0, 1, 2])


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, 1e101])
def test_wrong_weights_are_refused(weight):
    learner = NaiveBayes().begin(1, [0, 1])
    with pytest.raises(ValueError, match="row 0 has the weight"):
        learner.test_then_train([[0.0]], [0], sample_weight=[weight])


def test_a_state_imports_nothing():
    state = NaiveBayes().begin(1, [0, 1]).state()
    for name in ("this:Zen", "antigravity:fly", "tests.nothing:Learner"):
        with pytest.raises(StateError):
            NaiveBayes().restore(state | {"learner": name})


class Slow(StreamClassifier):
    """Takes its time to learn, and is another model while it does."""

    def _begin(self, n_features, n_classes):
        self._share = 0.5

    def _learn(self, X, y, w, p):
        p[:] = self._share
        self._share = 2.0
        time.sleep(0.05)
        self._share = 0.25

    def _predict(self, X, p):
        p[:, 0] = self._share
        p[:, 1] = 1 - self._share


def test_predictions_wait_until_learning_is_done():
    learner = Slow().begin(1, [0, 1])
    thread = threading.Thread(target=lambda: learner.learn_one([0.0], 0))
    thread.start()
    answers = set()
    while thread.is_alive():
        answers.add(float(learner.predict_proba_one([0.0])[0]))
    thread.join()
    assert answers <= {0.5, 0.25}


def test_predictions_run_side_by_side():
    meeting = threading.Barrier(2, timeout=60)  # breaks if the second is kept out until the first is done

    class Meets(MajorityClass):
        def _predict(self, X, p):
            meeting.wait()
            super()._predict(X, p)

    learner = Meets().begin(1, [0, 1])
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(learner.predict_proba_block, [[[0.0]], [[0.0]]]))
    assert [p.shape for p in answers] == [(1, 2), (1, 2)]


def test_classes_may_come_while_a_prediction_is_returned():
    class Grows(NaiveBayes):
        def _predict_row(self, x):
            p = super()._predict_row(x)
            self.learn_one({"a": 2.0}, "new")  # as another thread might
            return p

    learner = Grows()
    for i in range(4):
        learner.learn_one({"a": float(i % 2)}, "odd" if i % 2 else "even")
    assert learner.predict_proba_one({"a": 1.0}).keys() == {"even", "odd"}
    assert learner.predict_proba_one({"a": 1.0}).keys() == {"even", "odd", "new"}


def test_a_learner_may_call_itself_while_it_learns():
    class Nested(Slow):
        def _learn(self, X, y, w, p):
            p[:] = self.predict_proba_block(X)
            self.observe(X)

    learner = Nested().begin(1, [0, 1])
    assert learner.test_then_train([[1.0]], [0]).tolist() == [[0.5, 0.5]]
    learner.predict_proba_block([[1.0]])


@pytest.mark.parametrize(
    "classes", [["a", "ccc", "", "bb"], [3, 1, 2], [1.5, 2.0], [True, False], [1, "a", 2.5], ["", "b"]]
)
def test_the_first_of_some_labels_are_as_if_they_were_given(classes):
    labels = Labels(classes, is_open=True)
    for n in range(len(classes) + 1):
        found, expected = labels.first(n), Labels(classes[:n], is_open=True)
        assert (found.classes.dtype, found.list) == (expected.classes.dtype, expected.list)
        assert np.array_equal(found.classes, expected.classes) and found.code == expected.code
        assert np.array_equal(found.codes(classes[:n], "x"), np.arange(n))
