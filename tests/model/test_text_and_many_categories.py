"""Texts beside a category of hundreds of values: members see its effects, the words, or both."""

import json

import numpy as np
import pytest

import thalweg
from thalweg.evaluation import prequential
from thalweg.learners import (
    AdaptiveStacking,
    CategoryEffects,
    HoeffdingTree,
    LastLabels,
    LinearLogistic,
    MultinomialNaiveBayes,
    NaiveBayes,
)
from thalweg.streams import from_file

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
KINDS = {"shop": "category", "note": "text", "kind": "category"}
NAMED = [
    CategoryEffects(HoeffdingTree(grace_period=20)), LastLabels(CategoryEffects(LinearLogistic())),
    NaiveBayes(), LinearLogistic(), MultinomialNaiveBayes(),
]
STACKS = {
    "small": AdaptiveStacking(size="small"),
    "named": AdaptiveStacking(NAMED),
    "threads": AdaptiveStacking(NAMED, n_jobs=2),
}


def sales(n=700, n_shops=300, seed=1):
    """Return records whose label the shop, the price and few words tell; a third label comes late."""
    rng = np.random.default_rng(seed)
    strength, rows = rng.normal(size=n_shops) * 2, []
    for i in range(n):
        shop, price, words = int(rng.integers(n_shops)), float(rng.normal()), rng.integers(400, size=5)
        score = strength[shop] + price + 2 * (words < 40).sum() - 2 * (words >= 360).sum()
        rows.append({
            "shop": None if i % 29 == 3 else f"shop {shop}",
            "price": None if i % 31 == 5 else round(price, 3),
            "note": " ".join(f"w{j}" for j in words), "kind": "abc"[i % 3],
            "y": "back" if i > 500 and i % 11 == 0 else "yes" if score > 0 else "no",
        })
    return rows


def begun(learner, rows):
    return thalweg.Model("y", learner, columns=KINDS).learn(rows)


def without_labels(rows):
    return [{name: value for name, value in row.items() if name != "y"} for row in rows]


def wrapped(model):
    return [each for each in model.learner_.members_ if isinstance(each, CategoryEffects)]


def test_effects_stand_beside_the_places_of_words():
    model = begun(AdaptiveStacking(size="small"), sales(400))
    widths = {each.n_features_in_ for each in wrapped(model)}
    assert widths == {3 + 256}
    assert all(each.encoded_.tolist() == [0] for each in wrapped(model))
    sparse = [each for each in model.learner_.members_ if each.n_features_in_ == 3 + 4096]
    assert {type(each).__name__ for each in sparse} == {"LinearLogistic", "MultinomialNaiveBayes"}
    assert np.abs(wrapped(model)[0].effects_).max() > 0.1


@pytest.mark.parametrize("name", STACKS)
def test_records_blocks_and_models_that_were_saved_learn_the_same(name):
    rows = sales()
    later = rows[450:]
    one, block = (begun(STACKS[name], rows[:450]) for _ in range(2))
    known = set(one.schema()["columns"][0]["values"])
    assert {row["shop"] for row in later} - known - {None}
    for i, row in enumerate(later):
        one.learn(row)
        if i in (10, 120):              # before and after the third label
            one = thalweg.from_bytes(thalweg.to_bytes(one))
    block.learn(later[:7]).learn(later[7:])
    assert one.classes_.tolist() == ["back", "no", "yes"]
    assert one.digest() == block.digest()
    p = block.predict_proba(without_labels(rows))
    assert np.array_equal(thalweg.from_bytes(thalweg.to_bytes(one)).predict_proba(without_labels(rows)), p)
    assert list(one.predict_proba_one(without_labels(rows)[3]).values()) == p[3].tolist()


@pytest.mark.parametrize("name", ["small", "named"])
def test_late_labels_are_learned_with_the_effects_of_their_time(name):
    rows = sales()
    texts = without_labels(rows)
    one, block = (begun(STACKS[name], rows[:450]) for _ in range(2))
    order = np.random.default_rng(0).permutation(100).tolist()
    block.predict(texts[450:550], ids=list(range(100)))
    for i in range(100):
        one.predict(texts[450 + i], ids=i)
    one = thalweg.from_bytes(thalweg.to_bytes(one))
    for i in order:
        one.label(i, rows[450 + i]["y"])
    block.label(order, [rows[450 + i]["y"] for i in order])
    at_once = begun(STACKS[name], rows[:450]).learn([rows[450 + i] for i in order])
    assert one.n_waiting_ == 0
    assert one.digest() == block.digest()
    assert one.digest() != at_once.digest()


@pytest.mark.parametrize("delay", [0, 40])
def test_blocks_of_any_length_have_the_same_predictions(delay, tmp_path):
    path = tmp_path / "sales.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in sales(500)))
    runs = []
    for block in (1, 64, 10_000):
        stream = from_file(path, "y", categorical=["shop", "kind"], text=["note"], n_words=4096)
        runs.append(prequential(stream, STACKS["named"], delay=delay, block=block))
    assert runs[0].n_rows == 500
    for run in runs[1:]:
        assert np.array_equal(run.probabilities, runs[0].probabilities)


def test_words_and_shops_are_both_used():
    rows = sales(2500)
    right = []
    for left_out in ((), ("note",), ("shop",)):
        given = [{name: value for name, value in row.items() if name not in left_out} for row in rows]
        kinds = {name: kind for name, kind in KINDS.items() if name not in left_out}
        model = thalweg.Model("y", STACKS["named"], columns=kinds).learn(given[:2000])
        labels = [row["y"] for row in given[2000:]]
        right.append((model.predict(without_labels(given[2000:])) == labels).mean())
    assert right[0] > max(right[1:]) + 0.02
