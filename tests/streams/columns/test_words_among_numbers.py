"""Words in columns of numbers: one that recurs is missing, many are categories, a rare one is an error."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from support.file_rows import complaint, whole, write

import thalweg
from thalweg.commands.wording import in_options
from thalweg.errors import StreamError
from thalweg.streams import from_file

N = 1200


def rows(cell, n=N):
    return [{"x": cell(i), "z": i * 7 % 31, "y": "uv"[i % 5 // 3]} for i in range(n)]


def csv(tmp_path, given, delimiter=";"):
    lines = [delimiter.join(map(str, row.values())) for row in given]
    return write(tmp_path, "\n".join([delimiter.join(given[0]), *lines]) + "\n")


@pytest.mark.parametrize("form", ["{}.5", "{}", "{},5", "€ {}"])
@pytest.mark.parametrize("share", [0.002, 0.5, 0.97])
def test_one_word_that_recurs_is_missing(tmp_path, form, share):
    every = np.arange(N) * share % 1 < share
    path = csv(tmp_path, rows(lambda i: "OVR" if every[i] else form.format(i * 37 % 1009)))
    stream = from_file(path)
    assert stream.columns.kinds == {"x": "number", "z": "number"}
    X = whole(stream)[0]
    np.testing.assert_array_equal(np.isnan(X[:, 0]), every)
    assert f"missing: {every.sum():,} × OVR" in stream.columns.notes["x"]
    said = f"'OVR' ({every.sum():,} of 1,200 rows): taken as missing; if it is a category, pass categorical="
    assert said in stream.columns.warnings[0]
    schema = json.loads(json.dumps(stream.schema()))
    like = from_file(write(tmp_path, "x;z\nOVR;1\n7;OVR\n", "b.csv"), like=schema)
    with pytest.raises(StreamError, match="data row 2, column 'z': 'OVR' is not a number"):  # of x alone
        whole(like)
    assert whole(from_file(path, categorical="x"))[0][:, 0].max() > 20


def test_words_in_more_than_five_of_a_hundred_cells_are_categories(tmp_path):
    def tickets(i):
        return f"{'A/5 ' if i % 8 < 4 else 'PC '}{i % 90}" if i % 4 == 0 else i * 37 % 601

    stream = from_file(csv(tmp_path, rows(tickets)))
    assert stream.columns.kinds["x"] == "category"
    assert "'x' has numbers and words such as 'A/5 0': taken as categories" in stream.columns.warnings[0]
    assert len(whole(stream)[0]) == N
    for form in ("{},5", "{}.5"):
        cells = [f"w{i % 5}" if i % 9 == 0 else form.format(i % 300) for i in range(N)]
        stream = from_file(csv(tmp_path, rows(cells.__getitem__)))
        assert stream.columns.kinds["x"] == "category"
        assert "has numbers and words such as 'w0': taken as categories" in stream.columns.warnings[0]


def test_a_censored_number_is_no_missing_one(tmp_path):
    stream = from_file(csv(tmp_path, rows(lambda i: "500+" if i % 5 == 0 else i * 37 % 401)))
    assert stream.columns.kinds["x"] == "category" and len(stream.columns.warnings) == 1


def test_few_whole_numbers_that_recur_are_categories_with_the_word(tmp_path):
    stream = from_file(csv(tmp_path, rows(lambda i: ["4", "6", "8", "rotary"][i % 4])))
    assert stream.columns.kinds["x"] == "category" and stream.n_categories.tolist() == [4, 0]
    assert "'rotary': taken as categories" in stream.columns.warnings[0]


@pytest.mark.parametrize("form", ["{}.5", "{},5"])
def test_a_rare_word_is_an_error_with_advice(tmp_path, form):
    path = csv(tmp_path, rows(lambda i: {7: "OVR", 900: "broken"}.get(i, form.format(i * 37 % 1009))))
    said = complaint(path)
    assert "data row 8, column 'x': 'OVR' is not a number" in said
    assert "if it stands for a missing value, pass missing=['OVR']" in said
    assert np.isnan(whole(from_file(path, missing=["OVR", "broken"]))[0][[7, 900], 0]).all()


@pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
def test_files_frames_and_records_are_the_same(tmp_path):
    given = rows(lambda i: "OVR" if i % 3 == 0 else i * 37 % 1009 / 4)
    texts = [row | {"x": str(row["x"])} for row in given]
    forms = given, csv(tmp_path, given), pd.DataFrame(given), texts, pd.DataFrame(texts), pl.DataFrame(texts)
    models = [thalweg.Model("y", "NaiveBayes").learn(source) for source in forms]
    assert len({model.digest() for model in models}) == 1 and models[0].columns.kinds["x"] == "number"
    models[0].save(tmp_path / "model.tw")
    models.append(thalweg.load(tmp_path / "model.tw"))
    for model in models:
        p = model.predict_proba_one({"x": None, "z": 3})
        assert model.predict_proba_one({"x": "OVR", "z": 3}) == p
        assert model.predict_proba([{"x": " OVR ", "z": 3}]).tolist() == [[*p.values()]]
        model.learn({"x": "OVR", "z": 3, "y": "u"})
        with pytest.raises(StreamError, match=r"'over' is not a number; to leave out rows"):
            model.learn({"x": "over", "z": 3, "y": "u"})
    assert len({model.digest() for model in models}) == 1


def test_the_command_names_the_option(tmp_path):
    path = csv(tmp_path, rows(lambda i: "OVR" if i == 7 else i * 37 % 1009))
    with pytest.raises(StreamError) as caught:
        whole(from_file(path))
    assert "pass --missing OVR" in in_options(caught.value.message)
