"""A model around prediction sets gives the labels in the sets of raw records."""

import numpy as np
import pytest

import thalweg
from thalweg.errors import ParameterError
from thalweg.learners import NaiveBayes
from thalweg.trust import PredictionSets


def records(n=400, seed=4):
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 3, n)
    sizes = places + rng.normal(0, 0.7, n)
    return [
        {"size": f"{size:.3f}", "shop": "north", "kind": ["ant", "bee", "cat"][place]}
        for size, place in zip(sizes, places, strict=True)
    ]


def test_sets_are_labels_of_raw_records():
    rows = records()
    model = thalweg.Model("kind", PredictionSets(NaiveBayes())).learn(rows)
    new = [{"size": "0.5", "shop": "north"}, {"size": "9,0", "shop": "south"}]
    found = model.predict_set(new)
    assert set(found[0]) == {"ant", "bee"}
    assert [each.tolist() for each in found] == [model.predict_set_one(record) for record in new]
    for p, labels in zip(model.predict_proba(new), found, strict=True):
        assert model.classes_[p.argmax()] in labels


def test_rows_with_ids_wait_and_are_judged_later():
    rows = records()
    model = thalweg.Model("kind", PredictionSets(NaiveBayes())).learn(rows[:300])
    without = [{key: value for key, value in row.items() if key != "kind"} for row in rows[300:]]
    expected = model.predict_set(without)
    found = model.predict_set(without, ids=range(100))
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]
    before, held = model.learner_.n_sets_, model.learner_.n_sets_ * model.learner_.coverage_
    model.label(range(100), [row["kind"] for row in rows[300:]])
    assert model.learner_.n_sets_ == before + 100
    right = sum(row["kind"] in labels for row, labels in zip(rows[300:], found, strict=True))
    assert model.learner_.n_sets_ * model.learner_.coverage_ == pytest.approx(held + right)


def test_saved_models_answer_with_the_same_sets(tmp_path):
    rows = records()
    model = thalweg.Model("kind", PredictionSets(NaiveBayes(), coverage=0.8))
    run = model.prequential(rows)
    assert run.summary()["sets"]["raw_coverage"] == pytest.approx(0.8, abs=0.03)
    model.save(tmp_path / "model.tw")
    again = thalweg.load(tmp_path / "model.tw")
    assert [each.tolist() for each in again.predict_set(rows)] == [
        each.tolist() for each in model.predict_set(rows)
    ]


def test_other_learners_have_no_sets():
    model = thalweg.Model("kind", NaiveBayes())
    assert model.predict_set_one({"size": "1"}) == []
    with pytest.raises(ParameterError, match="PredictionSets"):
        model.learn(records(50)).predict_set(records(2))
