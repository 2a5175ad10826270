"""Labels keep their type and text, whatever the form in which they come."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from support.command import run_command

import thalweg
from thalweg.errors import StreamError
from thalweg.evaluation import prequential
from thalweg.learners import NaiveBayes
from thalweg.saving import from_bytes, to_bytes
from thalweg.streams import from_file

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")


@pytest.fixture
def frame():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(400, 2)), columns=["a", "b"])


def model(**settings):
    return thalweg.Model(learner="NaiveBayes", **settings)


def test_text_that_looks_like_numbers_is_scored_as_text(frame):
    y = np.where(frame["a"] > 0, "1", "2")
    for each in (model(), model(classes=["1", "2"])):
        assert each.fit(frame, y).classes_.tolist() == ["1", "2"]
        assert each.score(frame, y) > 0.9
        assert cross_val_score(each, frame, y, error_score="raise").min() > 0.9


@pytest.mark.parametrize("labels", [
    ["NA", "EU", "US", "EU"], ["01067", "1067", "99", "99"], [" a", "a"], ["nan", "None", "", "null"],
    ["?", "x"], ["Yes", "yes", "NO", "no"],
    [1, "1", "a", 2.5], [True, False], [1, 0], [2**60, 1], ["1.10", "1.1"],
    ["x", "x\0"],
])  # fmt: skip
def test_labels_beside_rows_are_those_of_a_learner(frame, labels):
    y = labels * (400 // len(labels))
    found = model().fit(frame, y)
    assert {(type(each), each) for each in found.classes_.tolist()} == {(type(each), each) for each in labels}
    assert found._estimates.n_learned == 400
    again = from_bytes(to_bytes(found))
    assert again.digest() == found.digest() and again.classes_.tolist() == found.classes_.tolist()
    assert set(found.predict(frame).tolist()) <= set(labels)


def test_none_and_nan_are_missing_labels(frame):
    for missing in (None, float("nan"), pd.NA):
        assert model().fit(frame, [missing, "NA", "b", "b"] * 100).classes_.tolist() == ["NA", "b"]
    with pytest.raises(StreamError, match="missing value cannot be one of the classes"):
        model(classes=["a", None]).fit(frame, ["a"] * 400)


def test_classes_may_be_written_as_missing_cells_are(frame):
    assert model(classes=["NA", "EU"]).fit(frame, ["EU", "NA"] * 200).classes_.tolist() == ["NA", "EU"]


def test_leading_zeros_tell_labels_apart_in_every_form(frame, tmp_path):
    table = frame.assign(zip=["01067", "10115", "1067", "1067"] * 100)
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.to_dict("records")))
    forms = [table, table.to_dict("records"), *(tmp_path / f"t.{end}" for end in ("csv", "parquet", "jsonl"))]
    models = [model(target="zip").learn(form) for form in forms]
    assert len({each.digest() for each in models}) == 1
    for each in models:
        assert each.classes_.tolist() == ["01067", "10115", "1067"]
    done = run_command("run", tmp_path / "t.csv", "--classes", "01067,10115,1067", "--learner", "NaiveBayes",
                       "--save", tmp_path / "m.tw")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert thalweg.load(tmp_path / "m.tw").classes_.tolist() == ["01067", "10115", "1067"]


@pytest.mark.parametrize("texts, classes", [
    (["1", "0"], [0, 1]), (["1", "1.0", "0"], [0, 1]), (["0.5", "2"], [0.5, 2]), (["007", "7"], ["007", "7"]),
    (["+1", "-1"], ["+1", "-1"]), (["1.10", "1.1"], ["1.1", "1.10"]), (["1e3", "5"], ["1e3", "5"]),
])  # fmt: skip
def test_labels_of_a_file_are_numbers_if_all_are_written_as_numbers(frame, tmp_path, texts, classes):
    path = tmp_path / "t.csv"
    rows = [f"{i},{texts[i % len(texts)]}\n" for i in (3, 1, 4, 1, 5, 9, 2, 6) * 9]
    path.write_text("a,y\n" + "".join(rows))
    for scan in (False, True):
        found = from_file(path, scan_labels=scan).classes.tolist()
        assert found == classes and len({type(each) for each in found}) == 1


def test_a_label_of_another_type_changes_no_other(frame):
    numbers = model(target="y").learn(frame.assign(y=[1, 0] * 200))
    numbers.predict(frame[:1], ids=[1])
    numbers.label([1], ["x"])
    assert numbers.classes_.tolist() == [0, 1, "x"] and type(numbers.predict_one({"a": 1.0})) is int
    block = numbers.copy().learn([{"a": 1.0, "y": 7}, {"a": 1.0, "y": "y"}, {"a": 2.0, "y": "9"}])
    rows = numbers.copy()
    for label in (7, "y", "9"):
        rows.learn({"a": 1.0 + (label == "9"), "y": label})
    assert block.classes_.tolist() == rows.classes_.tolist() == [0, 1, 7, 9, "x", "y"]
    assert block.digest() == rows.digest() == from_bytes(to_bytes(rows)).digest()


def test_booleans_stay_booleans_when_a_one_comes(frame):
    truths = model(target="y").learn(frame.assign(y=[True, False] * 200))
    for label in (1, "1", "true", "TRUE", 0.0):
        truths.learn({"a": 1.0, "b": 0.0, "y": label}).learn([{"a": 1.0, "b": 0.0, "y": label}])
    assert truths.classes_.tolist() == [False, True] and truths.classes_.dtype == bool
    assert truths.learn({"a": 1.0, "y": "maybe"}).classes_.tolist() == [False, True, "maybe"]


def test_a_label_matches_the_one_class_that_it_equals_in_another_type(frame, tmp_path):
    texts = model(target="y").fit(frame, ["1", "2"] * 200)
    texts.predict(frame[:3], ids=[1, 2, 3])
    texts.label([1, 2, 3], [1, 2.0, "2"])
    frame.assign(y=[1, 2] * 200).to_csv(tmp_path / "t.csv", index=False)
    assert texts.learn(tmp_path / "t.csv").classes_.tolist() == ["1", "2"]
    numbers = model(target="y").learn(tmp_path / "t.csv")
    assert numbers.partial_fit(frame, ["1", "2"] * 200).classes_.tolist() == [1, 2]
    both = model(target="y").fit(frame, [1, "1", "x", "x"] * 100)
    assert both.learn({"a": 1.0, "y": 1}).learn({"a": 1.0, "y": "1"}).classes_.tolist() == [1, "1", "x"]


def test_codes_of_countries_have_namibia(frame, tmp_path):
    codes = ["NA", "DE", "FR", "IT", "US", "GB", "AT", "CH"] * 50
    frame.assign(land=codes).to_csv(tmp_path / "t.csv", index=False)
    found = model(target="land")
    run = found.prequential(tmp_path / "t.csv")
    assert run.unlabelled == 0 and found.classes_.tolist() == sorted(set(codes)) and not found.columns.missing
    again = from_bytes(to_bytes(found))
    assert again.learn({"a": 1.0, "b": 1.0, "land": "NA"}).digest() == found.learn(
        [{"a": 1.0, "b": 1.0, "land": "NA"}]
    ).digest()
    assert model(target="land").learn(frame.assign(land=codes)).classes_.tolist() == sorted(set(codes))


def test_runs_have_labels_of_several_types(frame, tmp_path):
    text = "a,y\n" + "2.5,6\n2.5,1\n" * 5000 + "2.5,0\n2.5,x\n" * 50
    (tmp_path / "t.csv").write_text(text)
    run = prequential(tmp_path / "t.csv", NaiveBayes())
    assert run.classes.tolist() == [0, 1, 6, "x"] and run.n_rows == 10_100
