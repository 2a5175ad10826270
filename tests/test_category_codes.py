"""Codes of categories that come one after another: earlier states stay valid, new ones cost nothing."""

import numpy as np
import pytest

from thalweg._category_codes import CategoryCodes
from thalweg.learners import NaiveBayes


def test_a_larger_mapping_leaves_the_smaller_one_as_it_was():
    one = CategoryCodes(["a"])
    two = one.with_text("b")
    assert dict(one) == {"a": 0} and dict(two) == {"a": 0, "b": 1}
    assert "b" not in one and len(one) == 1
    with pytest.raises(KeyError):
        one["b"]


def test_two_mappings_that_grew_from_one_are_apart():
    one = CategoryCodes(["a"])
    left, right = one.with_text("b"), one.with_text("c")
    assert dict(left) == {"a": 0, "b": 1} and dict(right) == {"a": 0, "c": 1}
    assert dict(left.with_text("c")) == {"a": 0, "b": 1, "c": 2}
    assert dict(one) == {"a": 0}


def test_mappings_share_their_entries():
    first = found = CategoryCodes()
    for i in range(1000):
        found = found.with_text(str(i))
    assert found._codes is first._codes and dict(found) == {str(i): i for i in range(1000)}


def test_a_row_that_is_refused_adds_no_category():
    learner = NaiveBayes()
    learner.learn_one({"a": "x", "b": 1.0}, 0)
    with pytest.raises(ValueError, match="b is 'high'"):
        learner.learn_one({"a": "new", "b": "high"}, 1)
    learner.learn_one({"a": "later", "b": 2.0}, 1)
    assert learner.state()["texts"] == [[0, ["x", "later"]]]
    copy = learner.copy()
    learner.learn_one({"a": "mine", "b": 2.0}, 1)
    copy.learn_one({"a": "its", "b": 2.0}, 1)
    assert copy.state()["texts"] == [[0, ["x", "later", "its"]]]
    assert np.isfinite(learner.predict_proba_one({"a": "its", "b": 2.0})[1])
