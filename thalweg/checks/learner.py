"""The checks that every learner must pass."""

import copy
import pickle
import warnings
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.base import clone

from thalweg._native.python_kernel import PythonKernel
from thalweg._types import Ints
from thalweg.checks.faults import failing_allocation
from thalweg.checks.labels import LABEL_CHECKS
from thalweg.checks.late_labels import LATE_CHECKS
from thalweg.checks.names import NAME_CHECKS
from thalweg.checks.rows import assert_proper, begun, reloaded, rows, taught
from thalweg.checks.running import assert_refused, assert_same, for_random_cuts, run_checks
from thalweg.checks.safety import SAFETY_CHECKS
from thalweg.checks.shapes import SHAPE_CHECKS
from thalweg.checks.weights import WEIGHT_CHECKS
from thalweg.learners.base.stream_classifier import StreamClassifier


def check_learner(learner: StreamClassifier, excused: Collection[str] = ()) -> None:
    """Run all checks of the contract on clones of `learner`, a new instance; it is not changed.

    Raises AssertionError with the name of the check that failed. `excused` are names of checks that the
    method cannot pass by its nature, such as `recovers_after_a_drift` for a learner that never forgets. A
    learner may refuse some shapes of rows, such as many inputs, by a ValueError that begins with its name.
    """
    run_checks(CHECKS, learner, excused)


def blocks_change_nothing(learner: StreamClassifier) -> None:
    """With blocks of any size, probabilities and the final state are the same bit for bit."""
    X, y = rows(150, with_gaps=True)
    whole = begun(learner)
    expected = whole.test_then_train(X, y)

    def cut(sizes: list[int]) -> None:
        other, start = begun(learner), 0
        for size in sizes:
            stop = start + size
            p = other.test_then_train(X[start:stop], y[start:stop])
            assert np.array_equal(p, expected[start:stop]), f"blocks {sizes}: rows {start}-{stop} differ"
            start = stop
        assert_same(other.state(), whole.state(), f"blocks {sizes}: state")

    for_random_cuts(len(X), cut)


def predict_changes_nothing(learner: StreamClassifier) -> None:
    """Predicting does not change the state, and predicting twice gives the same probabilities."""
    X, y = rows(150, with_gaps=True)
    learner = taught(learner, X, y)
    before = learner.state()
    first = learner.predict_proba_block(X)
    learner.predict_one(X[0])
    learner.predict_proba(X[:5])
    assert np.array_equal(learner.predict_proba_block(X), first), "a second call gives another result"
    assert np.array_equal(learner.predict_proba_block(X[:1]), first[:1]), "a row alone gives another result"
    assert_same(learner.state(), before)


def learning_tells_what_predicting_does(learner: StreamClassifier) -> None:
    """The probabilities that learning returns for a row are those of predicting it before, bit for bit."""
    X, y = rows(150, with_gaps=True)
    learner = begun(learner)
    for i in range(len(X)):
        before = learner.predict_proba_block(X[i : i + 1])
        after = learner.test_then_train(X[i : i + 1], y[i : i + 1])
        assert np.array_equal(after, before), f"row {i} is predicted otherwise as it is learned"


def copies_carry_on(learner: StreamClassifier) -> None:
    """Restored, copied and loaded learners continue bit for bit, and share nothing with the original."""
    X, y = rows(240, with_gaps=True)
    half = len(X) // 2
    original = taught(learner, X[:half], y[:half])
    state = original.state()
    copies = {
        "restore": type(learner)().restore(state),
        "copy()": original.copy(),
        "copy.copy": copy.copy(original),
        "copy.deepcopy": copy.deepcopy(original),
        "pickle": pickle.loads(pickle.dumps(original)),
    }
    if learner.can_be_saved:
        copies["a model file"] = reloaded(original)
    expected = original.test_then_train(X[half:], y[half:])
    for way, other in copies.items():
        assert_same(other.state(), state, f"{way}: state")
        p = other.test_then_train(X[half:], y[half:])
        assert np.array_equal(p, expected), f"{way} continues differently"
    fresh = type(learner)().restore(learner.state())
    assert_same(fresh.state(), learner.state(), "restored before begin(): state")


def same_seed_same_result(learner: StreamClassifier) -> None:
    """Two learners with the same parameters give the same results."""
    X, y = rows(150)
    one, other = begun(learner), begun(learner)
    assert np.array_equal(one.test_then_train(X, y), other.test_then_train(X, y))


def inputs_are_not_kept(learner: StreamClassifier) -> None:
    """Arrays passed to a learner are not changed, and may be overwritten afterwards."""
    X, y = rows(150)
    untouched = taught(learner, X, y)
    other, scratch, labels = begun(learner), np.empty((10, X.shape[1])), np.empty(10, dtype=y.dtype)
    for start in range(0, len(X), 10):
        scratch[:], labels[:] = X[start : start + 10], y[start : start + 10]
        other.test_then_train(scratch, labels)
        assert np.array_equal(scratch, X[start : start + 10]), "the array passed was changed"
        scratch[:], labels[:] = -7.0, y[0]
    p = other.predict_proba_block(X)
    assert np.array_equal(p, untouched.predict_proba_block(X)), "a later change of X changed the learner"
    assert_same(other.state(), untouched.state())


def memory_is_bounded(learner: StreamClassifier) -> None:
    """After 3000 rows, 3000 more need no more memory."""
    X, y = rows(6000)
    learner = taught(learner, X[:3000], y[:3000])
    early = len(pickle.dumps(learner))
    learner.test_then_train(X[3000:], y[3000:])
    late = len(pickle.dumps(learner))
    assert late <= 1.1 * early + 1000, f"{early} bytes after 3000 rows, {late} after 6000"


def labels_may_be_anything(learner: StreamClassifier) -> None:
    """Labels may be text, booleans, negative or fractional numbers; results are those for 0, 1, …"""
    X, y = rows(80)
    expected = begun(learner).test_then_train(X, y)
    for classes in (["b", "a", "c"], [-5, 3, 0], [0.5, 1.5, -1.0], [7, 8, 10**12], ["one", 2, 3.0]):
        labels = np.empty(len(y), dtype=object)
        labels[:] = [classes[k] for k in y]
        learner_of = clone(learner).begin(X.shape[1], classes)
        assert np.array_equal(learner_of.test_then_train(X, list(labels)), expected), f"classes {classes}"
        assert learner_of.predict_one(X[0]) in classes
    two = y > 0
    flags = clone(learner).begin(X.shape[1], [False, True]).test_then_train(X, two)
    assert np.array_equal(flags, clone(learner).begin(X.shape[1], [0, 1]).test_then_train(X, two.astype(int)))


def classes_may_come_later(learner: StreamClassifier) -> None:
    """Without `classes`, new labels become classes, in blocks and row by row, and copies continue so."""
    X, codes = rows(240, with_gaps=True)
    codes[:60] %= 2
    y = np.array(["b", "a", "c"])[codes]
    whole, single = clone(learner).begin(X.shape[1]), clone(learner).begin(X.shape[1])
    assert whole.predict_one(X[0]) is None and whole.predict_proba_block(X[:2]).shape == (2, 0)
    expected = whole.test_then_train(X, y)
    assert whole.classes_.tolist() == list(dict.fromkeys(y.tolist())), f"classes_ is {whole.classes_}"
    assert_proper(expected[1:])
    for i in range(len(X)):
        p = single.test_then_train(X[i : i + 1], y[i : i + 1])[0]
        same = np.array_equal(p, expected[i, : len(p)]) and not expected[i, len(p) :].any()
        assert same, f"row {i} alone gives another result"
    assert_same(single.state(), whole.state())
    again = whole.copy()
    same = np.array_equal(again.test_then_train(X, y), whole.test_then_train(X, y))
    assert same, "a copy continues differently"


def inputs_may_come_later(learner: StreamClassifier) -> None:
    """Without `n_features`, new names become inputs.

    Predicting adds no names, copies continue alike, and after a lack of memory the learner still works. A
    learner that must know its inputs at `begin` fails here, and says so by an excuse.
    """
    X, y = rows(240)
    given = [dict(zip("abc" if i >= 80 else "ab", row, strict=False)) for i, row in enumerate(X.tolist())]
    learner = clone(learner)
    assert learner.predict_one(given[0]) is None and learner.predict_proba_one(given[0]) == {}
    _learn_named(learner, given[:80], y[:80])
    before = learner.state()
    learner.predict_proba_one(given[80] | {"d": 1.0})
    assert_same(learner.state(), before, "after a prediction with a new name, the state")
    copied, others = learner.copy(), [learner.copy() for _ in range(4)]
    try:
        _learn_named(learner, given[80:], y[80:])
    except ValueError as error:
        assert_same(learner.state(), before, "after a new input was rejected, the state")
        raise AssertionError(f"a new input was rejected: {error}") from error
    assert learner.n_features_in_ == 3
    assert_proper(learner.predict_proba_block(X))
    _learn_named(copied, given[80:], y[80:])
    assert_same(copied.state(), learner.state(), "the state of a copy that continued")
    for k, other in enumerate(others, start=1):
        with failing_allocation(k), suppress(MemoryError):
            other.learn_one(given[80], y[80])
        _learn_named(other, given[81:], y[81:])
        assert_proper(other.predict_proba_block(X))


def _learn_named(learner: StreamClassifier, given: list[dict[str, float]], y: Ints) -> None:
    for row, label in zip(given, y.tolist(), strict=True):
        learner.learn_one(row, label)


def missing_values_are_allowed(learner: StreamClassifier) -> None:
    """NaN and None are missing values; probabilities stay proper, even if a whole row is missing."""
    X, y = rows(150, with_gaps=True)
    learner = begun(learner)
    gap = np.full((1, X.shape[1]), np.nan)
    assert_proper(learner.predict_proba_block(gap))
    assert_proper(learner.test_then_train(gap, y[:1]))
    assert_proper(learner.test_then_train(X, y))
    assert_proper(learner.predict_proba_block(gap))
    some = X[:3].copy()
    some[1, 0] = np.nan
    none: Any = [[None if value != value else float(value) for value in row] for row in some]
    assert np.array_equal(learner.predict_proba_block(none), learner.predict_proba_block(some)), (
        "None is not NaN"
    )


def bad_input_loses_nothing(learner: StreamClassifier) -> None:
    """Infinity, unknown labels, wrong widths and text are rejected and change nothing."""
    X, y = rows(60)
    learner = taught(learner, X, y)
    infinite, text = X[:3].copy(), X[:3].astype(object)
    infinite[2, 1], text[1, 0] = np.inf, "abc"
    assert_refused(learner, lambda: learner.test_then_train(infinite, y[:3]), "infinity")
    assert_refused(learner, lambda: learner.predict_proba_block(infinite), "infinity")
    assert_refused(learner, lambda: learner.test_then_train(text, y[:3]), "text")
    assert_refused(learner, lambda: learner.test_then_train(X[:2], [0, 9]), "an unknown label")
    assert_refused(learner, lambda: learner.learn_one(X[0], "unknown"), "an unknown label")
    assert_refused(learner, lambda: learner.test_then_train(X[:, :2], y), "rows too short")
    assert_refused(learner, lambda: learner.predict_one(np.r_[X[0], 1.0]), "a row too long")
    assert_refused(learner, lambda: learner.test_then_train(X[:3], y[:2]), "fewer labels than rows")


def empty_blocks_do_nothing(learner: StreamClassifier) -> None:
    """An empty block changes nothing and gives an empty result."""
    X, y = rows(60)
    learner = taught(learner, X, y)
    before = learner.state()
    assert learner.test_then_train(X[:0], y[:0]).shape == (0, 3)
    assert learner.predict_proba_block(X[:0]).shape == (0, 3)
    learner.observe(X[:0])
    assert_same(learner.state(), before)


def extremes_stay_proper(learner: StreamClassifier) -> None:
    """A single class, constant inputs and values of 1e300 give proper probabilities and no warning."""
    X, y = rows(60)
    huge = np.where(X > 0, 1e300, -1e300)
    huge[::2] = X[::2]
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore", over="ignore"):
        warnings.simplefilter("error")
        for values, labels in ((X, np.zeros_like(y)), (np.ones_like(X), y), (np.zeros_like(X), y), (huge, y)):
            learner_of = begun(learner)
            assert_proper(learner_of.predict_proba_block(values))
            assert_proper(learner_of.test_then_train(values, labels))
            assert_proper(learner_of.predict_proba_block(X))
        lone = clone(learner).begin(X.shape[1], ["only"])
        assert np.array_equal(lone.test_then_train(X, ["only"] * len(X)), np.ones((len(X), 1)))


def any_array_will_do(learner: StreamClassifier) -> None:
    """float32, integers, slices, read-only arrays, lists and DataFrames give the results of float64 rows."""
    X = np.round(rows(80)[0] * 4)
    y = rows(80)[1]
    expected = taught(learner, X, y).predict_proba_block(X)
    locked = X.copy()
    locked.flags.writeable = False
    forms = {
        "float32": X.astype(np.float32),
        "integers": X.astype(int),
        "Fortran order": np.asfortranarray(X),
        "a slice": np.repeat(X, 2, axis=1)[:, ::2],
        "read-only": locked,
        "lists": X.tolist(),
    }
    try:
        import pandas as pd

        forms["a DataFrame"] = pd.DataFrame(X, columns=["a", "b", "c"])
    except ImportError:
        pass
    for form, given in forms.items():
        got = taught(learner, given, y).predict_proba_block(given)
        assert np.array_equal(got, expected), f"{form} gives another result"


def named_rows_are_rows(learner: StreamClassifier) -> None:
    """Dicts of named inputs in any order are rows; an absent name is missing, an unknown one is rejected."""
    X, y = rows(40)
    by_array, by_name = begun(learner), begun(learner)
    for x, label in zip(X, y, strict=True):
        by_array.learn_one(x, label)
        by_name.learn_one(dict(zip("abc", x.tolist(), strict=True)), int(label))
    assert np.array_equal(by_name.predict_proba_block(X), by_array.predict_proba_block(X))
    turned = {"c": X[0, 2], "a": X[0, 0], "b": X[0, 1]}
    p = by_name.predict_proba_one(turned)
    assert list(p) == [0, 1, 2] and list(p.values()) == by_array.predict_proba_one(X[0]).tolist()
    gap = X[0].copy()
    gap[1] = np.nan
    partial = by_name.predict_proba_one({"a": X[0, 0], "c": X[0, 2]})
    assert list(partial.values()) == by_array.predict_proba_one(gap).tolist(), "an absent name is not missing"
    assert_refused(by_name, lambda: by_name.predict_one({"a": 1.0, "z": 2.0}), "an unknown name")


def compiled_callers_get_the_same(learner: StreamClassifier) -> None:
    """Through its C handle, and through the one that calls Python, the learner gives the same results."""
    X, y = rows(100)
    expected = begun(learner).test_then_train(X, y)
    w = np.ones(len(X))
    for way in ("handle", "trampoline"):
        member, p = begun(learner), np.empty_like(expected)
        kernel = member._handle() if way == "handle" else PythonKernel(member, X.shape[1], 3)
        kernel.learn(X, y, w, p)
        assert np.array_equal(p, expected), f"the {way} gives other results"


def learns_an_easy_stream(learner: StreamClassifier) -> None:
    """On three well separated clusters the accuracy is above 0.9 after 500 rows."""
    X, y = rows(1000)
    p = begun(learner).test_then_train(X, y)
    accuracy = float((p.argmax(axis=1) == y)[500:].mean())
    assert accuracy > 0.9, f"accuracy {accuracy:.3f} on rows 500 to 1000"


def recovers_after_a_drift(learner: StreamClassifier) -> None:
    """When all classes swap places, the accuracy is above 0.9 again 1500 rows later."""
    X, y = rows(4000)
    y[2000:] = (y[2000:] + 1) % 3
    p = begun(learner).test_then_train(X, y)
    accuracy = float((p.argmax(axis=1) == y)[3500:].mean())
    assert accuracy > 0.9, f"accuracy {accuracy:.3f} on rows 1500 to 2000 after the drift"


CHECKS: list[Callable[[Any], object]] = [
    blocks_change_nothing,
    predict_changes_nothing,
    learning_tells_what_predicting_does,
    copies_carry_on,
    same_seed_same_result,
    inputs_are_not_kept,
    memory_is_bounded,
    labels_may_be_anything,
    *NAME_CHECKS,
    classes_may_come_later,
    inputs_may_come_later,
    *WEIGHT_CHECKS,
    missing_values_are_allowed,
    bad_input_loses_nothing,
    empty_blocks_do_nothing,
    extremes_stay_proper,
    any_array_will_do,
    named_rows_are_rows,
    compiled_callers_get_the_same,
    *LATE_CHECKS,
    learns_an_easy_stream,
    recovers_after_a_drift,
    *SHAPE_CHECKS,
    *SAFETY_CHECKS,
    *LABEL_CHECKS,
]
