"""Whatever the form of the rows, a model is the same."""

import csv
import gzip
import io
import json
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.command import run_command
from support.order_rows import as_csv, orders, without
from support.places import DATA, data_file

import thalweg
from thalweg.errors import ColumnWarning, StreamError
from thalweg.learners import NaiveBayes
from thalweg.streams.columns.class_codes import labels_of_cells

FILES = sorted(path.name for path in DATA.glob("*") if path.suffix != ".md" and "laser" not in path.name)
pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")


def forms(rows, tmp_path):
    """Return the rows in every form that a model takes."""
    frame = pd.DataFrame(rows)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {
        "records": rows,
        "pandas": frame,
        "polars": pl.DataFrame(rows),
        "Arrow": pa.Table.from_pylist(rows),
        "CSV": as_csv(rows, tmp_path / "rows.csv"),
        "JSON lines": tmp_path / "rows.jsonl",
    }


@pytest.mark.parametrize("learner", ["NaiveBayes", "HoeffdingTree", "LinearLogistic"])
def test_all_forms_leave_the_same_model(tmp_path, learner):
    rows, later = orders(1200), without(orders(50, seed=2, first=1200), "paid")
    given = forms(rows, tmp_path)
    models = {name: thalweg.Model("paid", learner).learn(form) for name, form in given.items()}
    assert len({model.digest() for model in models.values()}) == 1
    expected = models["records"].predict_proba(later)
    for model in models.values():
        for form in (later, pd.DataFrame(later), pl.DataFrame(later), pa.Table.from_pylist(later)):
            assert np.array_equal(model.predict_proba(form), expected)
        assert np.array_equal([model.predict_proba_one(row)["yes"] for row in later], expected[:, 1])
    assert (expected.max(axis=1) > 0.6).mean() > 0.3


def test_one_record_after_another_is_a_block(tmp_path):
    rows, later = orders(600), orders(300, seed=2, first=600)
    later[7]["shop"] = "west"
    later[9]["paid"] = "later"
    later[11]["paid"] = None
    one, block = (thalweg.Model("paid", "AdaptiveStacking", random_state=3).learn(rows) for _ in range(2))
    for row in later:
        one.learn(row)
    assert one.digest() != block.digest()
    block.learn(later[:100]).learn(pd.DataFrame(later[100:]))
    assert one.digest() == block.digest()
    assert "west" in one.schema()["columns"][2]["values"]
    assert one.classes_.tolist() == ["later", "no", "yes"]


@pytest.mark.parametrize("learner", ["NearestNeighbours", "HoeffdingTree", "LinearLogistic"])
@pytest.mark.parametrize("has_text", [True, False])
def test_wide_rows_by_record_and_by_block_are_one_model(learner, has_text):
    rng, n = np.random.default_rng(0), 400
    frame = pd.DataFrame(rng.normal(size=(n, 130)).round(1)).rename(columns="n{}".format)  # with -0.0 in it
    frame["town"] = [f"t{code}" for code in rng.integers(0, 500, n)]
    frame["y"] = [f"k{code}" for code in rng.integers(0, 12, n)]
    if has_text:
        frame.insert(0, "note", [" ".join(rng.choice([f"w{k}" for k in range(99)], 5)) for _ in range(n)])
    rows = frame.to_dict("records")
    one, block = (thalweg.Model("y", learner).learn(frame[:200]) for _ in range(2))
    ids, order = list(range(200)), rng.permutation(200).tolist()
    block.predict(frame[200:].drop(columns="y"), ids=ids)
    for i, row in zip(ids, without(rows[200:], "y"), strict=True):
        one.predict(row, ids=i)
    for i in order:
        one.label(i, rows[200 + i]["y"])
    block.label(order, [rows[200 + i]["y"] for i in order])
    assert (np.signbit(frame["n3"]) & (frame["n3"] == 0)).any()
    assert one.digest() == block.digest()


def attributes(name):
    """Return the columns of an ARFF file, its classes and its rows as a frame."""
    path = data_file(name)
    with (gzip.open if name.endswith("gz") else open)(path, "rt") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("%")]
    start = next(i for i, line in enumerate(lines) if line.lower() == "@data")
    columns = {}
    for line in lines[:start]:
        if line.lower().startswith("@attribute"):
            head, brace, listed = line.split(None, 1)[1].partition("{")
            values = [value.strip(" '\"") for value in listed.rstrip("} ").split(",")]
            given = head.strip() if brace else head.rsplit(None, 1)[0]
            columns[given.strip("'\" ")] = values if brace else "number"
    body = io.StringIO("\n".join(lines[start + 1 :]))
    frame = pd.read_csv(body, header=None, names=list(columns), na_values="?", quotechar="'")
    target = frame.columns[-1]
    kinds = {name: kind for name, kind in columns.items() if name != target}
    return kinds, labels_of_cells(columns[target]), frame


@pytest.mark.parametrize("name", FILES or ["elec2.arff"])
def test_a_real_file_as_path_frame_records_and_command_is_one_model(name, tmp_path):
    path, settings = data_file(name), {}
    if ".arff" in name:
        settings["columns"], settings["classes"], frame = attributes(name)
    else:
        frame = pd.read_csv(path, header=None if "insects" in name else "infer")
    saved = tmp_path / "model.tw"
    done = run_command("run", path, "--learner", "HoeffdingTree", "--save", saved, "--json")
    assert done.returncode == 0, done.stderr
    command = thalweg.load(saved)
    frame.columns = [column["name"] for column in command.schema()["columns"]] + [command.schema()["target"]]
    whole = thalweg.Model(learner="HoeffdingTree").learn(path)
    assert whole.digest() == command.digest()
    assert thalweg.Model(learner="HoeffdingTree", **settings).learn(frame).digest() == whole.digest()
    records = frame.to_dict("records")
    assert thalweg.Model(learner="HoeffdingTree", **settings).learn(records).digest() == whole.digest()
    some = frame.iloc[-40:, :-1]
    expected = whole.predict_proba(some)
    one_by_one = [[*whole.predict_proba_one(row).values()] for row in some.to_dict("records")]
    assert np.array_equal(one_by_one, expected)
    assert len(np.unique(expected)) > 1


def test_frames_have_types_and_records_have_text():
    rows = [{"code": str(1000 + i % 7), "y": i % 2} for i in range(100)]
    assert thalweg.Model("y", "NaiveBayes").learn(pd.DataFrame(rows)).columns.kinds == {"code": "category"}
    assert thalweg.Model("y", "NaiveBayes").learn(rows).columns.kinds == {"code": "number"}


def test_markers_of_missing_values_are_the_same_in_frames():
    rows = [{"size": "-" if i % 9 == 0 else str(i % 11), "y": "ab"[i % 2]} for i in range(200)]
    frame, records = (thalweg.Model("y", "NaiveBayes").learn(form) for form in (pd.DataFrame(rows), rows))
    assert frame.columns.kinds == records.columns.kinds == {"size": "number"}
    assert frame.digest() == records.digest()


def test_whole_dates_are_the_same_as_floats():
    days = [20240101 + i % 28 for i in range(100)]
    labels = ["odd" if day % 2 else "even" for day in days]
    columns = {"day": "date"}
    ints = pd.DataFrame({"day": days, "y": labels})
    floats = ints.assign(day=ints["day"].astype(float))
    models = [thalweg.Model("y", "NaiveBayes", columns=columns).learn(each) for each in (ints, floats)]
    assert models[0].digest() == models[1].digest()


def test_arrays_and_labels_apart():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300).astype(bool)
    model = thalweg.Model(learner="NaiveBayes").learn(X, y)
    assert model.feature_names_in_.tolist() == ["x0", "x1", "x2"]
    assert model.classes_.tolist() == [False, True] and model.predict(X[:5]).dtype == bool
    frame = thalweg.Model(learner="NaiveBayes").learn(pd.DataFrame(X, columns=["x0", "x1", "x2"]), y)
    assert frame.digest() == model.digest()
    with pytest.raises(ValueError, match="300 rows and 299 labels"):
        thalweg.Model(learner="NaiveBayes").learn(X, y[:-1])


def test_evaluations_read_frames_as_models_do():
    frame = pd.DataFrame(orders(700))
    model = thalweg.Model("paid", "NaiveBayes")
    run = thalweg.evaluation.prequential(frame, NaiveBayes(), target="paid")
    assert np.array_equal(run.probabilities, model.prequential(frame).probabilities)
    X, y = frame.drop(columns="paid"), frame["paid"]
    assert np.array_equal(thalweg.evaluation.prequential((X, y), NaiveBayes()).codes, run.codes)
    shadowed = X.rename(columns={"shop": "label"})
    beside = thalweg.Model(learner="NaiveBayes").learn(shadowed, y.to_numpy())
    assert "label" in beside.feature_names_in_ and beside.schema()["target"] == "label_"


def test_generators_and_streams_have_columns_too():
    model = thalweg.Model(learner="NaiveBayes").learn("sea", rows=500)
    assert list(model.columns.kinds) == ["x0", "x1", "x2"]
    stream = thalweg.streams.SEA(n_rows=500, seed=0)
    assert thalweg.Model(learner="NaiveBayes").learn(stream).learner_.n_features_in_ == 3
    assert model.predict_one({"x0": 1.0, "x1": 9.0, "x2": 3.0}) in (0, 1)
    with pytest.raises(ValueError, match=r"LED has \d+ inputs, the model 3"):
        model.predict("led")


def test_few_first_rows_are_said():
    with pytest.warns(ColumnWarning, match="found from 1 rows"):
        model = thalweg.Model("y", "NaiveBayes").learn({"clicks": 1, "y": "no"})
    model.learn({"clicks": 3, "y": "yes"}).learn({"clicks": 0, "y": "no"})
    assert model.columns.kinds == {"clicks": "number"}
    assert model.predict_one({"clicks": 3}) == "yes"


def test_pairs_generators_and_series_are_records(tmp_path):
    rows = orders(120)
    expected = thalweg.Model("paid", "NaiveBayes").learn(rows)
    pairs = [(without([row], "paid")[0], row["paid"]) for row in rows]
    with as_csv(rows, tmp_path / "rows.csv").open(encoding="utf-8") as file:
        for form in (iter(rows), pairs, iter(pairs), csv.DictReader(file, delimiter=";")):
            model = thalweg.Model("paid", "NaiveBayes").learn(form)
            assert model.digest() == expected.digest()
            assert model.schema()["target"] == "paid"
    row = pairs[3][0]
    for form in (pd.Series(row), MappingProxyType(row)):
        assert expected.predict_one(form) == expected.predict_one(row)
    one, other = expected.copy().learn(row, "yes"), expected.copy().learn(row | {"paid": "yes"})
    assert one.digest() == other.digest() == expected.copy().learn(pd.Series(row), "yes").digest()


def test_text_in_frames_is_a_number_unless_it_is_a_code():
    n = 400
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "price": [f"{value:.2f}" for value in rng.gamma(2, 20, n)],
        "code": [f"{1000 + i % 9}" for i in range(n)],
        "amount": [str(int(value)) for value in rng.integers(0, 10**6, n)],
        "y": ["ab"[i % 2] for i in range(n)],
    })
    model = thalweg.Model("y", "NaiveBayes").learn(frame)
    assert model.columns.kinds == {"price": "number", "code": "category", "amount": "number"}
    assert str(model.columns).splitlines()[:2] == ["target    y", "number    price, amount"]


@pytest.mark.parametrize("nested", [False, True])
def test_keys_of_records_may_be_whole_numbers(nested):
    X = np.random.default_rng(0).normal(size=(200, 3))
    labels = np.where(X[:, 0] > 0, "up", "down").tolist()
    rows = [{"o": dict(enumerate(x))} if nested else dict(enumerate(x)) for x in X.tolist()]
    model = thalweg.Model("y", "NaiveBayes").learn(rows, labels)
    assert [*model.feature_names_in_] == (["o.0", "o.1", "o.2"] if nested else ["0", "1", "2"])
    expected = model.predict_proba(rows[:9])
    assert np.array_equal([[*model.predict_proba_one(row).values()] for row in rows[:9]], expected)
    one, block = model.copy(), model.copy()
    for i, row in enumerate(rows[:9]):
        one.learn(row | {"y": labels[i]})
        assert np.array_equal(one.predict_proba(row, ids=i), one.predict_proba([row]))
    block.learn(rows[:9], labels[:9])
    one.label(range(9), labels[:9])
    block.learn(rows[:9], labels[:9])
    assert one.digest() == block.digest() != model.digest()


def test_parts_of_a_nested_record_that_are_new_are_left_out_in_every_form():
    rows = [{"o": {"a": i % 7}, "y": i % 2} for i in range(100)]
    model = thalweg.Model("y", "NaiveBayes").learn(rows)
    for name, call in {"b": model.predict_one, "c": lambda row: model.predict([row])[0]}.items():
        with pytest.warns(ColumnWarning, match=f"no such column: 'o.{name}'"):
            assert call({"o": {"a": 3, name: 4}}) == model.predict_one({"o": {"a": 3}})
        with pytest.raises(StreamError, match=r"the records have o\.z, and none of the columns o\.a"):
            call({"o": {"z": 4}})


@pytest.mark.parametrize("comma", [False, True])
@pytest.mark.parametrize("word, value", [("true", 1.0), ("FALSE", 0.0), ("yes", None)])
def test_true_and_false_among_numbers_are_1_and_0_in_every_form(word, value, comma, tmp_path):
    def written(x):
        return f"{x:.2f}".replace(".", ",") if comma else f"{x:.2f}"

    rows = [{"c": written(i % 17 / 8), "b": str(i % 5), "y": "pq"[i % 3 == 0]} for i in range(300)]
    model = thalweg.Model("y", "NaiveBayes").learn(rows)
    later = [*rows[:3], rows[3] | {"c": word}]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in later))
    forms = [later, pd.DataFrame(later), as_csv(later, tmp_path / "rows.csv"), tmp_path / "rows.jsonl"]
    for form in forms:
        if value is None:
            with pytest.raises(StreamError, match="data row 4, column 'c': 'yes' is not a number"):
                model.predict_proba(form)
        else:
            expected = model.predict_proba([later[3] | {"c": written(value)}])[0]
            assert np.array_equal(model.predict_proba(form)[3], expected)
    if value is not None:
        assert [*model.predict_proba_one(later[3]).values()] == expected.tolist()
