"""Checks of names and labels: what a learner calls its inputs, and the type of what it answers."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from thalweg._types import Floats
from thalweg.checks.rows import rows
from thalweg.learners.base.stream_classifier import StreamClassifier

KINDS: dict[type, Any] = {
    str: [np.str_("a"), np.str_("b"), np.str_("c")],
    int: np.array([3, 5, 7]),
    float: [np.float64(0.5), np.float64(1.5), np.float64(2.5)],
    bool: np.array([False, True]),
}


def inputs_have_names(learner: StreamClassifier) -> None:
    """`input_names_` is a list of text after `begin`, whether names are given or not."""
    fresh = clone(learner)
    try:
        names = fresh.input_names_
    except NotFittedError:
        pass
    else:
        raise AssertionError(f"input_names_ is {names} before begin")
    for given in (None, ["a", "b", "c"]):
        names = fresh.begin(3, [0, 1, 2], names=given).input_names_
        assert isinstance(names, list) and names and all(type(name) is str for name in names), f"got {names}"
        assert given is None or len(names) != 3 or names == given, f"{given} became {names}"


def labels_are_plain(learner: StreamClassifier) -> None:
    """Labels given as NumPy scalars come back as plain Python values; `predict` returns an array of them."""
    X, codes = rows(60)
    for kind, classes in KINDS.items():
        y = [classes[code % len(classes)] for code in codes]
        _check_labels(clone(learner).begin(3, classes), X, y, kind)
        with suppress(ValueError):  # a learner may refuse new classes
            _check_labels(clone(learner).begin(3, [kind(classes[0])], more_classes=True), X, y, kind)


def _check_labels(learner: StreamClassifier, X: Floats, y: list[Any], kind: type) -> None:
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
    answer = learner.predict_one(X[0])
    assert type(answer) is kind, f"predict_one gave {answer!r} for labels such as {y[0]!r}"
    named = learner.predict_proba_one(dict(zip("abc", X[0].tolist(), strict=True)))
    assert all(type(label) is kind for label in named), f"predict_proba_one gave {named}"
    answers = learner.predict(X)
    assert isinstance(learner.classes_, np.ndarray) and isinstance(answers, np.ndarray)
    assert all(type(label) is kind for label in answers.tolist()), f"predict gave {answers[:3]!r}"


def dicts_are_rows_of_a_block(learner: StreamClassifier) -> None:
    """A list of dicts is learned and predicted as the array of their values."""
    X, y = rows(80, with_gaps=True)
    dicts = [{name: x[j] for j, name in enumerate("abc") if not np.isnan(x[j])} for x in X]
    one, other = (clone(learner).begin(3, [0, 1, 2], names=list("abc")) for _ in range(2))
    assert np.array_equal(one.test_then_train(X, y), other.test_then_train(dicts, y)), "learning differs"
    assert np.array_equal(one.predict_proba_block(X), other.predict_proba_block(dicts)), "predictions differ"


NAME_CHECKS: list[Callable[[Any], object]] = [inputs_have_names, labels_are_plain, dicts_are_rows_of_a_block]
