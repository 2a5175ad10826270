"""Of a skipped row nothing stays: no class, no category, no kind. A header that comes again is no row."""

import numpy as np
import pandas as pd
import pytest
from support.file_rows import whole, write

import thalweg
from thalweg.evaluation import prequential
from thalweg.learners import NaiveBayes
from thalweg.streams import from_file

GOOD = [f"{i % 70 / 4},{'ab'[i % 2]},{'up' if i % 7 > 3 else 'down'}" for i in range(300)]
BAD = ["bad,ghost,phantom", "1,2", "worse,spirit,phantom"]


def log(tmp_path, lines, name="rows.csv", header="x,unit,state"):
    return write(tmp_path, "\n".join([header, *lines]) + "\n", name)


def same(one, other, size=1000):
    for found, expected in zip(whole(one, size), whole(other, size), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert one.schema() == other.schema() and one.classes.tolist() == other.classes.tolist()


@pytest.mark.parametrize("options", [
    {}, {"numeric": ["x"]}, {"scan_labels": True}, {"classes": ["down", "up"]},
    {"text": ["unit"], "n_words": 8},
])  # fmt: skip
@pytest.mark.parametrize("at", [0, 7, 12_000])
def test_a_skipped_row_leaves_nothing(tmp_path, at, options):
    lines = GOOD * 60
    path = log(tmp_path, [*lines[:at], *BAD, *lines[at:], BAD[0]])
    read = from_file(path, on_error="skip", **options)
    expected = from_file(log(tmp_path, lines, "good.csv"), on_error="skip", **options)
    assert read.columns.kinds == expected.columns.kinds
    assert {*read.columns.notes} == {*expected.columns.notes}
    same(read, expected)
    same(read, expected, 7)  # the second pass
    assert read.skipped == 4


def test_a_row_with_a_label_that_is_not_listed_leaves_no_category(tmp_path):
    lines = [*GOOD, "1.5,ghost,other"]
    read = from_file(log(tmp_path, lines), on_error="skip", classes=["down", "up"])
    assert read.n_categories.tolist() == [0, 2] and len(whole(read)[0]) == 300


def test_an_arff_file_with_bad_sparse_rows_is_as_without_them(tmp_path):
    header = "@relation r\n@attribute a real\n@attribute s string\n@attribute y {u,v}\n@data\n"
    good = [f"{{0 {i}, 1 w{i % 3}, 2 {'uv'[i % 2]}}}" for i in range(100)]
    lines = [*good[:50], "{0 bad, 1 ghost}", *good[50:]]
    read = from_file(write(tmp_path, header + "\n".join(lines), "a.arff"), on_error="skip")
    expected = from_file(write(tmp_path, header + "\n".join(good), "b.arff"))
    for found, wanted in zip(whole(read), whole(expected), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert read.schema() == expected.schema() and read.skipped == 1


@pytest.mark.parametrize("begun", [False, True])
def test_a_model_is_as_if_a_skipped_row_were_not_there(tmp_path, begun):
    frames = [pd.DataFrame([line.split(",") for line in lines], columns=["x", "unit", "state"])
              for lines in (GOOD, [*GOOD[:9], BAD[0], *GOOD[9:], BAD[2]])]
    models = []
    for frame in frames:
        model = thalweg.Model("state", "NaiveBayes")
        model = model.learn(frames[0][:100]) if begun else model
        models.append(model.learn(frame, on_error="skip"))
    assert models[0].digest() == models[1].digest() and models[0].schema() == models[1].schema()


@pytest.mark.parametrize("options", [{}, {"on_error": "skip"}, {"scan_labels": True}, {"numeric": ["x"]}])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_header_that_comes_again_is_no_row(tmp_path, options, end):
    header = "x,unit,state"
    lines = [*GOOD, header, *GOOD * 50, header, header, "1.5,c,late", header]
    path = write(tmp_path, end.join([header, *lines]) + end)
    stream = from_file(path, **options)
    expected = from_file(log(tmp_path, [*GOOD * 51, "1.5,c,late"], "good.csv"), **options)
    same(stream, expected)
    assert stream.skipped == 0 and stream.skipped_rows == [301, 15_302, 15_303, 15_305]
    assert "4 lines are the header again, the first in data row 301: left out" in stream.columns.warnings
    run = prequential(stream, NaiveBayes())
    assert run.skipped == 0 and "4 lines are the header again" in " ".join(run.columns.warnings)


def test_rows_of_words_like_the_header_are_rows(tmp_path):
    stream = from_file(write(tmp_path, "a,b,y\n" + "u,v,w\na,b,y\n" * 50))
    assert len(whole(stream)[0]) == 100 and "again" not in " ".join(stream.columns.warnings)


def test_models_learn_no_header(tmp_path):
    path = log(tmp_path, [*GOOD, "x,unit,state", *GOOD])
    with pytest.warns(thalweg.errors.ColumnWarning, match="1 line is the header again, data row 301"):
        model = thalweg.Model("state", "NaiveBayes").learn(path)
    expected = thalweg.Model("state", "NaiveBayes").learn(log(tmp_path, [*GOOD, *GOOD], "good.csv"))
    assert model.digest() == expected.digest()
