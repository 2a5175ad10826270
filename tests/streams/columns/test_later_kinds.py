"""Columns that later rows show to be of another kind: 0 and 1 and then 2; empty, then words."""

import json

import numpy as np
import pandas as pd
import pytest
from support.file_rows import complaint, whole, write

import thalweg
from thalweg.checks import check_stream
from thalweg.errors import ColumnWarning, StreamError
from thalweg.evaluation import prequential
from thalweg.learners import HoeffdingTree
from thalweg.streams import from_file

N = 30_000


def bank(tmp_path, n=N, first=12_000, others=("2", "7", "-1.5")):
    """Write rows whose `previous` is 0 or 1 before row `first`, and whose `poutcome` is empty before it."""
    lines = ["age,previous,poutcome,y"]
    for i in range(n):
        late = i >= first
        previous = others[i % len(others)] if late and i % 4 == 0 else i % 2
        outcome = ("lost", "won")[i % 3 // 2] if late else ""
        lines.append(f"{i * 7 % 60},{previous},{outcome},{'yn'[i % 5 // 3]}")
    return write(tmp_path, "\n".join(lines) + "\n")


@pytest.mark.parametrize("size", [7, 1000, 50_000])
def test_0_and_1_become_a_number_and_empty_cells_a_category(tmp_path, size):
    stream = from_file(bank(tmp_path))
    assert stream.columns.kinds == {"age": "number", "previous": "category", "poutcome": "number"}
    assert stream.n_categories.tolist() == [0, 2, 0]
    X = whole(stream, size)[0]
    i = np.arange(N)
    late = i >= 12_000
    expected = np.where(late & (i % 4 == 0), np.array([2, 7, -1.5])[i % 3], i % 2)
    np.testing.assert_array_equal(X[:, 1], expected)
    np.testing.assert_array_equal(X[:, 2], np.where(late, i % 3 // 2, np.nan))
    assert stream.columns.kinds == {"age": "number", "previous": "number", "poutcome": "category"}
    said = "\n".join(stream.columns.warnings)
    assert "'previous' has 0 and 1 only before data row 12,001, and 2 there: a number from there on" in said
    assert "'poutcome' has no value before data row 12,001, and 'lost' there: a category from" in said
    assert "numeric=['previous']" in said and "categorical=['poutcome']" in said
    assert stream.n_categories.tolist() == [0, 2, 0]  # what a learner begins with is the same in each pass


def test_each_pass_is_the_same(tmp_path):
    stream = from_file(bank(tmp_path, 12_300))
    check_stream(stream, excused=["rows_are_arrays"])  # -1.5 is no category
    runs = [prequential(stream, HoeffdingTree(grace_period=50)) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].probabilities, runs[1].probabilities)
    assert runs[0].columns == runs[1].columns and runs[0].columns.kinds["previous"] == "number"


def test_a_file_like_it_has_the_later_kinds(tmp_path):
    stream = from_file(bank(tmp_path))
    whole(stream)
    like = from_file(write(tmp_path, "age,previous,poutcome\n1,2.5,won\n2,,\n", "b.csv"),
                     like=json.loads(json.dumps(stream.schema())))
    np.testing.assert_array_equal(whole(like)[0], [[1, 2.5, 1], [2, np.nan, np.nan]])
    assert like.n_categories.tolist() == [0, 0, 2]


@pytest.mark.parametrize(("cell", "value", "kind"), [
    ("2.5", 2.5, "number"), ("1,5", 1.5, "number"), ("true", 1, "number"), ("€ 1,200.50", 1200.5, "number"),
    ("word", 0, "category"), ("2024-05-01", 0, "category"),
])  # fmt: skip
def test_the_first_value_of_an_empty_column_says_what_it_is(tmp_path, cell, value, kind):
    path = write(tmp_path, "a;k;y\n" + "0.5;;u\n1.5;;v\n" * 6000 + f"1;-;u\n2.5;{cell};u\n3.5;{cell};v\n")
    stream = from_file(path)
    assert whole(stream)[0][-2:, 1].tolist() == [value, value]
    assert stream.columns.kinds["k"] == kind


def test_a_word_in_a_column_of_0_and_1_or_after_a_number_is_an_error(tmp_path):
    rows = "0,,u\n1,,v\n" * 6000
    assert "data row 12001, column 'a': 'x' is not a number" in complaint(
        write(tmp_path, "a,k,y\n" + rows + "x,,u\n"))
    assert "data row 12002, column 'k': 'x' is not a number" in complaint(
        write(tmp_path, "a,k,y\n" + rows + "0,7,u\n0,x,u\n"))
    path = write(tmp_path, "a,k,y\n" + rows + "inf,,u\n")
    assert "column 'a': inf is not a finite number" in complaint(path)


def test_a_skipped_row_changes_no_kind(tmp_path):
    rows = "0,,1.5,u\n1,,2.5,v\n0,,2.5,v\n0,,2.5,u\n" * 3000
    stream = from_file(write(tmp_path, "a,k,b,y\n" + rows + "2,word,bad,u\n1,3.5,4.5,v\n"), on_error="skip")
    X = whole(stream)[0]
    assert X[-1].tolist() == [1, 3.5, 4.5] and stream.skipped == 1
    assert stream.columns.kinds == {"a": "category", "k": "number", "b": "number"}
    assert stream.columns.warnings == ()


FIRST = [{"previous": i % 2, "k": None, "y": "uv"[i % 3 % 2]} for i in range(200)]
LATER = [{"previous": i % 4, "k": ("lost", "won", None)[i % 3], "y": "uv"[i % 3 % 2]} for i in range(60)]


def as_form(form, rows, folder):
    if form == "CSV":
        pd.DataFrame(rows).to_csv(folder / "rows.csv", index=False)
        return folder / "rows.csv"
    return {"records": rows, "frame": pd.DataFrame(rows), "generator": (row for row in rows)}[form]


@pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
@pytest.mark.parametrize("form", ["CSV", "records", "frame", "generator", "one by one"])
def test_models_go_on_in_every_form(tmp_path, form):
    model = thalweg.Model("y", "HoeffdingTree(grace_period=20)").learn(FIRST)
    expected = model.copy().learn(LATER)
    if form == "one by one":
        for row in LATER:
            model.learn(row)
    else:
        model.learn(as_form(form, LATER, tmp_path))
    assert model.digest() == expected.digest() and model.schema() == expected.schema()
    assert model.columns.kinds == {"previous": "number", "k": "category"}
    model.save(tmp_path / "model.tw")
    loaded = thalweg.load(tmp_path / "model.tw")
    assert loaded.columns == model.columns and loaded.digest() == model.digest()
    more = {"previous": 2.5, "k": "new", "y": "u"}
    assert loaded.predict_proba_one(more) == model.predict_proba_one(more)
    assert loaded.learn(more).digest() == model.learn([more]).digest()


def test_a_prediction_changes_no_kind_and_a_refused_block_takes_it_back():
    model = thalweg.Model("y", "NaiveBayes").learn(FIRST)
    digest, columns = model.digest(), model.columns
    rows = [{"previous": 2, "k": "won"}, {"previous": 0.5, "k": None}]
    assert len(model.predict(rows)) == 2 and model.predict_one(rows[0]) in ("u", "v")
    assert (model.digest(), model.columns) == (digest, columns)
    with pytest.raises(StreamError, match="data row 2, column 'previous': 'bad' is not a number"):
        model.learn([LATER[2], LATER[2] | {"previous": "bad"}])
    assert (model.digest(), model.columns) == (digest, columns)


def test_models_say_what_changed():
    model = thalweg.Model("y", "NaiveBayes").learn(FIRST)
    with pytest.warns(ColumnWarning, match="'previous' has 0 and 1 only before data row 3, and 2 there"):
        model.learn([row | {"k": None} for row in LATER[:4]])
    assert any("'previous' has 0 and 1 only" in each for each in model.columns.warnings)
    assert all("pass" not in each for each in model.columns.warnings)  # it is too late


def test_booleans_stay_booleans(tmp_path):
    rows = [{"gift": i % 3 > 0, "y": "uv"[i % 2]} for i in range(100)]
    model = thalweg.Model("y", "NaiveBayes").learn(rows)
    model.save(tmp_path / "model.tw")
    for each in (model, thalweg.load(tmp_path / "model.tw")):
        with pytest.raises(StreamError, match="column 'gift': 7 is neither 0 nor 1"):
            each.learn({"gift": 7, "y": "u"})
