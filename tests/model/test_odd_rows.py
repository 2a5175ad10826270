"""What is new, absent or wrong in later rows: decided, said, and nothing is lost."""

import datetime
import json

import numpy as np
import pandas as pd
import pytest
from support.order_rows import as_csv, orders, without

import thalweg
from thalweg.errors import ColumnWarning, ParameterError, StreamError
from thalweg.learners import NaiveBayes
from thalweg.model.fitted import MOST_NEW
from thalweg.streams import SEA


@pytest.fixture
def model():
    return thalweg.Model("paid", "NaiveBayes").learn(orders(400))


def test_columns_are_shown_and_travel(model, tmp_path):
    assert model.columns.kinds == {
        "id": "ignored", "price": "number", "when": "date", "shop": "category", "weight": "number",
        "gift": "category", "note": "text",
    }  # fmt: skip
    assert model.columns.target == "paid"
    assert "decimal comma" in model.columns.notes["price"]
    model.save(tmp_path / "model.tw")
    loaded = thalweg.load(tmp_path / "model.tw")
    assert type(loaded) is thalweg.Model
    assert loaded.columns == model.columns and loaded.schema() == model.schema()
    assert loaded.get_params() == model.get_params()
    row = orders(1, seed=8)[0]
    assert loaded.predict_proba_one(row) == model.predict_proba_one(row)


def test_a_new_column_is_left_out_and_said(model):
    row = orders(1, seed=3)[0]
    expected = model.predict_proba_one(row)
    with pytest.warns(ColumnWarning, match="no such column: 'colour'"):
        assert model.predict_proba_one(row | {"colour": "red"}) == expected
    assert model.predict_proba_one(row | {"colour": "red"}) == expected  # said once
    with pytest.warns(ColumnWarning, match="no such column: 'size'"):
        p = model.predict_proba(pd.DataFrame([row | {"size": 4}]))
    assert p[0].tolist() == list(expected.values())


def test_names_of_new_columns_are_kept_up_to_a_bound(model):
    row = orders(1, seed=3)[0]
    with pytest.warns(ColumnWarning) as said:
        for i in range(1500):
            model.predict_one(row | {f"seen at {i}": 1})
        model.learn(orders(2, seed=3))
        model.predict_one(row | {"seen at last": 1})
    assert len(said) == MOST_NEW
    assert len(model._coding.known) < 1100


def test_an_absent_column_is_missing_in_records_and_an_error_in_tables(model, tmp_path):
    rows = without(orders(20, seed=3), "weight", "paid")
    p = model.predict_proba(rows)
    assert np.array_equal(p, model.predict_proba([row | {"weight": None} for row in rows]))
    assert np.array_equal(p[:, 0], [model.predict_proba_one(row)["no"] for row in rows])
    for table in (pd.DataFrame(rows), as_csv(rows, tmp_path / "rows.csv")):
        with pytest.raises(StreamError, match="there is no column 'weight'"):
            model.predict(table)
    with pytest.raises(StreamError, match="the records have colour, and none of the columns"):
        model.predict([{"colour": "red"}])
    with pytest.raises(StreamError, match="none of the columns"):
        model.predict_one({"colour": "red"})


def test_a_new_category_is_like_none_seen_until_it_is_learned(model):
    rows = [row | {"shop": "west"} for row in orders(30, seed=3)]
    assert np.array_equal(model.predict_proba(rows[0]), model.predict_proba([rows[0] | {"shop": "moon"}]))
    assert "west" not in model.schema()["columns"][2]["values"]
    model.learn(rows)
    assert model.schema()["columns"][2]["values"][3:] == ["west"]
    assert model.learner_.n_categories_.tolist().count(4) <= 1


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("price", "cheap", "'cheap' is not a number with a decimal comma"),
        ("weight", "heavy", "'heavy' is not a number"),
        ("weight", float("inf"), "inf is not a finite number"),
        ("when", "soon", "'soon' is not a date|the first rows are not all dates"),
        ("gift", 3, "3"),
        ("shop", ["north"], "values of type|is not one value"),
    ],
)
def test_a_cell_that_does_not_fit_is_named_and_nothing_is_learned(model, name, value, words):
    before, good = model.digest(), orders(30, seed=3)
    bad = good[4] | {name: value}
    for rows in ([*good[:4], bad, *good[5:]], bad):
        with pytest.raises(StreamError, match=words) as caught:
            model.learn(rows)
        assert repr(name) in str(caught.value)
    for call in (model.predict_one, model.predict_proba, lambda row: model.predict(row, ids=["x"])):
        with pytest.raises(StreamError, match=words):
            call(bad)
    assert model.digest() == before and model.n_waiting_ == 0


def test_cells_are_read_as_a_file_writes_them(model):
    row = orders(1, seed=3)[0]
    expected = model.predict_proba_one(row)
    when = datetime.datetime.strptime(row["when"], "%d.%m.%Y %H:%M")
    same = [
        {"price": float(row["price"].replace(",", "."))}, {"price": f" {row['price']} €"},
        {"weight": str(row["weight"])}, {"weight": np.float64(row["weight"])},
        {"gift": str(row["gift"]).lower()}, {"gift": int(row["gift"])}, {"when": when},
        {"when": when.isoformat()}, {"when": pd.Timestamp(when)},
        {"shop": f" {row['shop']} "}, {"id": 7},
    ]  # fmt: skip
    for change in same:
        assert model.predict_proba_one(row | change) == expected, change
        assert model.predict_proba([row | change])[0].tolist() == list(expected.values()), change


CELLS = {
    "price": ["12.5", "12,5", "1.040", "1,040", "1.040,50", "1,040.50", "€ 12,50", 12.5, 1.04, "-", None, 3,
              True],
    "weight": ["12.5", "12,5", "1.040", "1,040", "1.040,50", "n/a", 12.5, 7, "1e3", "(5)", None, False],
    "when": ["03.04.2024", "2024-04-03", "3 April 2024", "04.03.2024 5:30 pm", datetime.date(2024, 4, 3),
             datetime.datetime(2024, 4, 3, 9, 30), None, ""],
    "gift": [True, 0, "yes", "No", "1", 1.0, None, "?"],
    "shop": ["north", "west", 7, 7.5, True, None, "NA"],
    "note": ["late again", 7, 7.5, None, True],
}


def inputs(model, rows):
    """Return the inputs of records; categories that were never learned are all one."""
    X, _ = next(model.stream(rows).coded_blocks(len(rows)))
    n = model.learner_.n_categories_
    return np.where(n > 0, np.minimum(X, n), X)


@pytest.mark.parametrize("learned", ["text", "types"])
def test_a_cell_means_the_same_whatever_else_is_in_the_call(model, learned):
    if learned == "types":
        frame = pd.DataFrame(orders(400))
        frame["price"] = frame["price"].str.replace(",", ".").astype(float)
        frame["when"] = pd.to_datetime(frame["when"], format="%d.%m.%Y %H:%M")
        model = thalweg.Model("paid", "NaiveBayes").learn(frame)
    rng, row = np.random.default_rng(0), orders(1, seed=3)[0]
    rows = [row | {name: cell} for name, cells in CELLS.items() for cell in cells]
    alone = np.concatenate([inputs(model, [each]) for each in rows])
    assert len(np.unique(alone, axis=0)) > 30
    for _ in range(6):
        chosen = rng.permutation(len(rows))[: rng.integers(1, len(rows))]
        some = [rows[i] for i in chosen]
        assert np.array_equal(inputs(model, some), alone[chosen], equal_nan=True)
        one_by_one = [[*model.predict_proba_one(each).values()] for each in some]
        assert np.array_equal(model.predict_proba(some), one_by_one)


def test_nested_records_are_those_of_json_lines(tmp_path):
    rows = [{"shop": {"city": "ab"[i % 2], "size": i % 5}, "y": ["no", "yes"][i % 2]} for i in range(100)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.warns(ColumnWarning, match="equals the target"):
        records = thalweg.Model("y", "NaiveBayes").learn(rows)
        file = thalweg.Model("y", "NaiveBayes").learn(tmp_path / "rows.jsonl")
    assert list(records.columns.kinds) == ["shop.city", "shop.size"]
    assert records.digest() == file.digest()
    assert records.predict_one({"shop": {"city": "b", "size": 1}}) == "yes"


def test_empty_and_strange_rows_are_errors():
    none = "no columns"
    for rows, words in (([], none), ({}, none), ([[1, 2]], "no dict"), (7, "expected"), ([{}], none)):
        with pytest.raises((TypeError, ValueError), match=words):
            thalweg.Model("y", "NaiveBayes").learn(rows)
    model = thalweg.Model("y", "NaiveBayes")
    assert model.predict_one({"a": 1}) is None and model.predict_proba_one({"a": 1}) == {}
    assert model.columns is None and model.n_waiting_ == 0


def test_no_rows_are_no_predictions(model):
    before = model.digest()
    for rows in ([], pd.DataFrame(orders(2))[:0], pd.DataFrame()):
        assert model.predict(rows).shape == (0,) and model.predict_proba(rows).shape == (0, 2)
        assert model.predict(rows, ids=[]).shape == (0,)
        model.learn(rows)
    assert len(model.predict_table(pd.DataFrame(orders(2))[:0])) == 0
    assert model.digest() == before


def test_listed_classes_and_categories_are_kept():
    rows = [{"shop": "ab"[i % 2], "y": i % 3 % 2} for i in range(100)]
    model = thalweg.Model("y", "NaiveBayes", columns={"shop": ["b", "a", "c"]}, classes=[1, 0]).learn(rows)
    assert model.classes_.tolist() == [1, 0]
    assert model.schema()["columns"][0]["values"] == ["b", "a", "c"]
    with pytest.raises(StreamError, match="'d' is not in the list"):
        model.learn({"shop": "d", "y": 0})
    with pytest.raises(StreamError, match="2 is not one of"):
        model.learn({"shop": "a", "y": 2})


def test_prequential_goes_on_and_keeps_its_results(tmp_path):
    rows = orders(600)
    path = as_csv(rows, tmp_path / "rows.csv")
    model = thalweg.Model("paid", "HoeffdingTree")
    first = model.prequential(path, delay=10)
    assert (first.n_rows, first.settings["delay"]) == (600, 10)
    model.prequential(pd.DataFrame(orders(200, seed=2, first=600)), rows=150)
    assert [run["rows"] for run in model.runs_] == [600, 150]
    learned = thalweg.Model("paid", "HoeffdingTree").learn(path)
    tested = thalweg.Model("paid", "HoeffdingTree")
    tested.prequential(path)
    assert learned.digest() == tested.digest()


def test_chunks_are_learned_on_from_what_was_learned():
    rows, later = orders(400), orders(300, seed=2, first=400)
    model = thalweg.Model("paid", "LinearLogistic").learn(rows)
    apart = thalweg.Model("paid", "LinearLogistic").learn(rows)
    run = model.chunked(pd.DataFrame(later), 100)
    first = apart.predict_proba(later[:100])
    assert np.array_equal(run.probabilities[:100], first) and run.settings["resume"]
    assert model.digest() == apart.learn(later).digest()


@pytest.mark.parametrize("size", [None, 1.5, "5", 0])
def test_the_size_of_a_chunk_is_a_whole_number(size):
    with pytest.raises(ParameterError, match="chunked: size must be a whole number of at least 1"):
        thalweg.Model("paid", "LinearLogistic").chunked(orders(100), size)


def test_parameters_are_listed_once_and_none_is_ignored():
    with pytest.raises(ParameterError) as caught:
        thalweg.Model("paid", "NaiveBayes").prequential(orders(100), zzz=5)
    names = str(caught.value).partition("parameters are ")[2].split(", ")
    assert len(names) == len(set(names)) and "resume" not in names
    with pytest.raises(ParameterError, match="no parameter 'resume'"):
        thalweg.Model("paid", "NaiveBayes").prequential(orders(100), resume=False)


def test_mistakes_in_calls_are_named(model, tmp_path):
    row = orders(1, seed=3)[0]
    path = as_csv(without(orders(60, seed=4), "paid"), tmp_path / "rows.csv")
    with pytest.raises(ValueError, match="ids are for rows in memory"):
        model.predict(path, ids=list(range(60)))
    with pytest.raises(ValueError, match=r"Model.prequential has no parameter 'dealy'; did you mean delay"):
        model.prequential([row], dealy=3)
    with pytest.raises(ValueError, match=r"Model has no parameter 'encodign'; did you mean encoding"):
        model.learn(path, encodign="utf-8")
    with pytest.raises(ValueError, match="on_error must be 'raise'"):
        model.predict(path, on_error="skip")
    with pytest.raises(ValueError, match="header is for files"):
        model.learn([row], header=True)
    with pytest.raises(ValueError, match="two columns are called 'price'"):
        model.predict(pd.concat([pd.DataFrame([row]), pd.DataFrame([row])[["price"]]], axis=1))
    with pytest.raises(ValueError, match="got a Model, which reads its rows by itself"):
        thalweg.evaluation.prequential([row], thalweg.Model(), target="paid")
    with pytest.raises(TypeError, match="expected one record"):
        model.predict_one([row])
    with pytest.raises(ValueError, match="columns must be a dict"):
        thalweg.Model(columns=["a"]).learn([row])


def test_one_id_and_one_label_need_no_list(model):
    row = without(orders(1, seed=3), "paid")[0]
    model.predict(row, ids="x1")
    assert model.label("x1", "yes") == 1 and model.n_waiting_ == 0


def test_warnings_name_the_line_that_called(model):
    with pytest.warns(ColumnWarning) as caught:
        model.predict_one(orders(1)[0] | {"colour": 1})
        model.predict([orders(1)[0] | {"size": 1}])
        model.learn([orders(1)[0] | {"colour": 1, "size": 1, "depth": 3}])
    assert [str(each.message).partition(": ")[2] for each in caught] == ["'colour'", "'size'", "'depth'"]
    assert {each.filename for each in caught} == {__file__}


def test_a_first_call_that_fails_leaves_the_model_as_it_was():
    rows = [row | {"weight": "heavy" if i == 390 else row["weight"]} for i, row in enumerate(orders(400))]
    model = thalweg.Model("paid", "NaiveBayes")
    for call in (model.learn, model.prequential, lambda each: model.prequential(each, progress=print)):
        with pytest.raises(StreamError, match="'heavy' is not a number"):
            call(rows)
        assert not hasattr(model, "learner_") and model.columns is None
    model.columns = {"weight": "category"}
    assert model.learn(rows).columns.kinds["weight"] == "category"


def test_rows_that_wait_are_not_met_by_an_evaluation(model):
    rows = orders(80, seed=6)
    model = thalweg.Model("paid", "LabelChain").learn(orders(100))
    model.predict(without(rows[:40], "paid"), ids=list(range(40)))
    model.prequential(rows[40:], delay=3)
    assert model.label(list(range(40)), [row["paid"] for row in rows[:40]]) == 40
    assert model.learner_.n_waiting_ == 3  # of the evaluation, whose last labels never came


@pytest.mark.parametrize("form", [lambda row: row, lambda row: [row], lambda row: pd.DataFrame([row])])
def test_rows_that_cannot_be_read_leave_no_label_or_category(model, form):
    before = model.digest()
    row = orders(1, seed=3)[0] | {"price": "dear", "shop": "west", "paid": "later"}
    with pytest.raises(StreamError, match="'dear' is not a number"):
        model.learn(form(row))
    assert model.digest() == before
    with pytest.warns(ColumnWarning, match="the label 'never' is new after 400 rows"):
        model.learn(form(row | {"price": "1,00", "paid": "never"}))
    assert model.schema()["classes"] == ["no", "yes", "never"]


def test_marks_of_missing_values_add_up():
    rows = orders(200)
    rows[3]["price"], rows[4]["price"] = "gone", "unknown"
    model = thalweg.Model("paid", "NaiveBayes", missing="gone").learn(rows, missing="unknown")
    assert model.columns.kinds["price"] == "number"
    model.learn(rows[1:], missing="unknown")
    with pytest.raises(StreamError, match="'other' is not a number"):
        model.learn([rows[0] | {"price": "other"}], missing="unknown")


def test_streams_are_learned_more_than_once():
    model = thalweg.Model(learner="NaiveBayes").learn(SEA(n_rows=500)).learn(SEA(n_rows=500, seed=2))
    assert model.predict(SEA(n_rows=20)).shape == (20,)


def test_the_target_of_one_call_may_be_the_first_column():
    rows = [{"paid": row["paid"], "shop": row["shop"]} for row in orders(100)]
    assert thalweg.Model(learner="NaiveBayes").learn(rows, target=0).columns.target == "paid"


def test_parameters_are_checked_before_rows_are_learned():
    class Counts(NaiveBayes):
        n_calls = 0

        def test_then_train_coded(self, X, codes, **keywords):
            Counts.n_calls += 1
            return super().test_then_train_coded(X, codes, **keywords)

    for call in ("learn", "prequential"):
        with pytest.raises(ParameterError, match="max_waiting must be a whole number"):
            getattr(thalweg.Model("paid", Counts(), max_waiting=0), call)(orders(100))
    assert Counts.n_calls == 0
    with pytest.raises(ParameterError, match="has no parameter 'learner'"):
        thalweg.Model("paid").prequential(orders(100), learner="NaiveBayes")


def test_messages_name_rows_whose_labels_are_given_beside_them(model):
    rows = pd.DataFrame(without(orders(3), "paid")).assign(price="dear")
    with pytest.raises(StreamError, match=r"^DataFrame, data row 1, column 'price'"):
        model.learn(rows, ["yes", "no", "yes"])


def test_tables_of_predictions_for_a_series_and_a_generator(model):
    rows = without(orders(3, seed=2), "paid")
    wanted = model.predict_table(rows)
    assert model.predict_table(row for row in rows) == wanted
    assert model.predict_table(pd.Series(rows[0])) == wanted[0]
