"""Calls that are refused do not change the model, and say why in a sentence of this library."""

import datetime
from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from support.order_rows import as_csv, orders, without

import thalweg
from thalweg.errors import StreamError, WaitingError

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
NOT_LABELS = [
    [], [1, 2], (1, 2), {1}, b"yes", bytearray(b"yes"), memoryview(b"yes"), UUID(int=5), np.array(5),
    np.array([1, 2]), datetime.timedelta(days=1), np.timedelta64(5, "s"), "\ud800", pd.Series([1]),
]  # fmt: skip
ODD_LABELS = [
    10**400, -(10**30), 2**63, 2**64, Decimal("12.5"), Decimal("Infinity"), Decimal(10) ** 400, np.int8(3),
    np.float32(0.1), np.bool_(True), np.str_("maybe"), np.datetime64("2024-03-01T10:00"), "größer", "😀",
    datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC), 1.5, float("inf"),
]  # fmt: skip
MISSING = [None, "", float("nan"), Decimal("NaN"), Decimal("sNaN"), np.datetime64("NaT"), pd.NA, pd.NaT]


@pytest.fixture(scope="module")
def begun():
    return thalweg.Model("paid", "NaiveBayes").learn(orders(300))


@pytest.fixture
def model(begun):
    return begun.copy()


def state_of(model):
    return model.digest(), model.n_waiting_, model.classes_.tolist()


def new_shop(row):
    return row | {"shop": "never seen"}


@pytest.mark.parametrize("label", NOT_LABELS, ids=lambda label: type(label).__name__)
def test_what_is_no_label_is_refused_in_every_form(model, label):
    row = orders(1, seed=5)[0]
    model.predict(without([row], "paid"), ids=["a"])
    before = state_of(model)
    row["paid"] = label
    for call in (
        lambda: model.learn(row), lambda: model.learn([row]), lambda: model.learn([row], ids=["a"]),
        lambda: model.label("a", [label]), lambda: model.label(["a"], [label], ignore_unknown=True),
    ):  # fmt: skip
        with pytest.raises(StreamError, match=r"paid|label"):
            call()
        assert state_of(model) == before


@pytest.mark.parametrize("label", ODD_LABELS + MISSING, ids=repr)
def test_a_label_of_any_type_is_the_same_class_in_every_form(model, label):
    row = orders(1, seed=5)[0] | {"paid": label}
    block, late = model.copy(), model.copy()
    model.learn(row)
    block.learn([row])
    assert state_of(model) == state_of(block)
    again = model.copy()
    late.predict(without([row], "paid"), ids=["a"])
    if any(label is each for each in MISSING):
        with pytest.raises(StreamError, match=r"label .* is missing"):
            late.label("a", [label])
    else:
        late.label("a", [label])
        assert state_of(late) == state_of(again)


@pytest.mark.parametrize("name", ["weight", "paid", "shop", "note", "when"])
def test_half_a_surrogate_pair_is_no_text(model, name):
    row, before = orders(1, seed=5)[0] | {name: "\ud800"}, state_of(model)
    frame = pd.DataFrame([row | {name: "x"}] * 2)
    frame[name] = pd.Series([row[name]] * 2, dtype=object)
    for rows in (row, [row], frame):
        with pytest.raises(StreamError, match=rf"{name}.*surrogate|label '.ud800'"):
            model.learn(rows)
        assert state_of(model) == before


def test_cells_of_many_types_and_none_are_read_as_text():
    rows = [{"a": value, "y": i % 2} for i, value in enumerate([pd.NA, "x", 5, Decimal("sNaN"), pd.NaT] * 20)]
    model = thalweg.Model("y", "NaiveBayes").learn(rows)
    assert model.schema()["columns"][0]["values"] == ["x", "5"]
    for cell in (pd.Series([1]), range(3), frozenset([1])):
        with pytest.raises(StreamError, match=r"column 'a'.*(is not one value|are not read)"):
            model.learn([{"a": cell, "y": 1}, {"a": "x", "y": 0}])


def test_a_row_that_cannot_be_read_leaves_no_new_category_or_class(model):
    before = state_of(model)
    row = new_shop(orders(1, seed=5)[0]) | {"weight": "heavy", "paid": "perhaps"}
    for call in (
        lambda: model.learn(row), lambda: model.learn([row]), lambda: model.learn(pd.DataFrame([row])),
        lambda: model.predict(row, ids="a"), lambda: model.predict([row], ids=["a"]),
        lambda: model.observe([row]),
    ):  # fmt: skip
        with pytest.raises(StreamError, match="'heavy' is not a number"):
            call()
        assert state_of(model) == before


def test_ids_that_are_refused_leave_no_row_and_no_category(model):
    rows = [*map(new_shop, without(orders(2500, seed=5), "paid"))]
    model.predict(without(orders(1, seed=6), "paid"), ids=["here"])
    before = state_of(model)
    for given, ids in (
        (rows, [*range(2499), "here"]), (rows, [*range(2499), 0]), (rows[:2], ["a"]), (rows[0], ["a", "b"]),
        (rows[0], "here"), (rows[0], [UUID(int=3)]), (rows[:2], ["a", None]),
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError, WaitingError), match=r"is waiting|twice|ids for|an id"):
            model.predict(given, ids=ids)
        assert state_of(model) == before


def test_rows_handed_in_again_wait_on_if_they_are_refused(model):
    rows = orders(3, seed=5)
    model.predict(without(rows, "paid"), ids=["a", "b", "c"])
    before = state_of(model)
    rows[1]["weight"] = "heavy"
    with pytest.raises(StreamError, match="'heavy'"):
        model.learn(rows, ids=["a", "b", "c"])
    assert state_of(model) == before
    assert model.label(["c", "a", "b"], ["yes", "no", "yes"]) == 3


@pytest.mark.parametrize("learner", ["LabelChain", "NeighbourMixture"])
def test_rows_that_still_wait_are_the_same_after_labels_by_id_and_by_rows(learner):
    by_id = thalweg.Model("paid", learner).learn(orders(300))
    by_rows, rows = by_id.copy(), orders(30, seed=5)
    for i, row in enumerate(rows):
        for model in (by_id, by_rows):
            model.predict(without([row], "paid"), ids=[i])
        if i % 3 == 0:
            by_id.label([i], [row["paid"]])
            by_rows.learn([row], ids=[i])
    assert state_of(by_id) == state_of(by_rows)


def test_of_labels_with_one_id_the_first_counts_if_unknown_ones_are_ignored(model):
    model.predict(without(orders(2, seed=5), "paid"), ids=["a", "b"])
    twice = model.copy()
    with pytest.raises(WaitingError, match="twice"):
        twice.label(["a", "b", "a"], ["yes", "no", "no"])
    assert twice.label(["a", "b", "a"], ["yes", "no", "no"], ignore_unknown=True) == 2
    model.label(["a", "b"], ["yes", "no"])
    assert state_of(twice) == state_of(model)


def test_ids_come_from_any_iterable(model):
    rows = without(orders(2, seed=5), "paid")
    model.predict(rows, ids=(name for name in "ab"))
    assert model.label(iter("ab"), ["yes", "no"]) == 2


FRAME = pd.DataFrame({"a": range(100), "b": ["x", "y"] * 50, "y": ["u", "v"] * 50})


@pytest.mark.parametrize(("settings", "message"), [
    ({"target": 1.5}, "target must be the name of a column"), ({"target": ["y"]}, "target must be the name"),
    ({"target": True}, "target must be the name"), ({"target": 9}, "there is no column 9"),
    ({"target": "y", "columns": {"a": "ignore", "b": "ignore"}}, "only one column, 'y': there is nothing"),
])  # fmt: skip
def test_settings_that_do_not_fit_are_named(settings, message):
    with pytest.raises((StreamError, ValueError), match=message):
        thalweg.Model(learner="NaiveBayes", **settings).learn(FRAME)


@pytest.mark.parametrize("labels", [FRAME[["y"]], FRAME[["y"]].to_numpy(), 5, "y", np.array(3)])
def test_labels_are_one_column(labels):
    with pytest.raises(ValueError, match=r"labels must be a list or one column, got (shape \(|5|'y')"):
        thalweg.Model(learner="NaiveBayes").fit(FRAME[["a", "b"]], labels)


def test_columns_are_told_by_position_too():
    numbered = FRAME.set_axis([0, 1, 2], axis=1)
    by_name = thalweg.Model("2", "NaiveBayes", columns={"0": "category", "1": ["y", "x"]}).learn(numbered)
    by_place = thalweg.Model(2, "NaiveBayes", columns={0: "category", 1: ["y", "x"]}).learn(numbered)
    assert by_name.digest() == by_place.digest()
    assert by_place.columns.kinds == {"0": "category", "1": "category"}


def test_a_message_names_the_rows_not_the_labels():
    frame = FRAME.assign(a=float("inf"))
    with pytest.raises(StreamError, match=r"DataFrame, data row 1, column 'a'"):
        thalweg.Model(learner="NaiveBayes").fit(frame[["a", "b"]], FRAME["y"])


def test_a_later_call_may_name_missing_cells_and_the_decimal_point(model, tmp_path):
    row = orders(1, seed=5)[0]
    unknown = model.predict_proba([row | {"weight": None}])
    for missing in ("-9", ["-9"]):
        assert np.array_equal(model.predict_proba([row | {"weight": "-9"}], missing=missing), unknown)
    path = as_csv([row | {"price": "1.040"}] * 60, tmp_path / "rows.csv")
    prices = [next(model.stream(path, decimal=point).coded_blocks(60))[0][0, 0] for point in ".,"]
    assert prices == [1.04, 1040]


def test_advice_about_dates_is_in_the_words_of_a_model(model):
    rows = [{"when": f"2024-01-{1 + i % 28:02}", "x": i % 7, "paid": i % 2} for i in range(10_001)]
    with pytest.raises(StreamError, match=r"pass columns=\{'when': 'category'\}"):
        thalweg.Model("paid", "NaiveBayes").learn([*rows, rows[0] | {"when": "soon"}])


@pytest.mark.parametrize(
    "name, value", [("when", "soon"), ("weight", "heavy"), ("gift", 7), ("shop", "s" * 600)]
)
def test_a_model_that_has_learned_does_not_advise_other_kinds(model, name, value):
    row = orders(1, seed=5)[0] | {name: value}
    frame = pd.DataFrame([row])
    for call in (lambda: model.learn(row), lambda: model.learn([row]), lambda: model.predict(frame)):
        with pytest.raises(StreamError, match=f"column '{name}'") as caught:
            call()
        assert "columns=" not in str(caught.value) and "if this" not in str(caught.value)
    closed = thalweg.Model("paid", "NaiveBayes", classes=["no", "yes"]).learn(orders(100))
    with pytest.raises(StreamError, match="is not one of the labels no, yes") as caught:
        closed.learn([row | {name: orders(1)[0][name], "paid": "perhaps"}])
    assert "classes=" not in str(caught.value)


def test_a_class_that_the_learner_refuses_is_forgotten():
    model = thalweg.Model("paid", GaussianNB()).learn([
        {"a": i % 7, "paid": "yes" if i % 7 > 2 else "no"} for i in range(200)
    ])  # fmt: skip
    for call in (
        lambda: model.label("x", ["perhaps"]), lambda: model.learn({"a": 1, "paid": "perhaps"}),
        lambda: model.learn([{"a": 1, "paid": "perhaps"}]),
    ):  # fmt: skip
        if not model.n_waiting_:
            model.predict({"a": 3}, ids="x")
        with pytest.raises(ValueError, match="its classes are fixed"):
            call()
        assert model.n_waiting_ == 1
        assert model.schema()["classes"] == ["no", "yes"]
    assert model.label("x", ["yes"]) == 1
    model.learn({"a": 1, "paid": "no"})


@pytest.mark.parametrize("record", [{}, {"id": "A7"}, {"paid": "yes"}, {"id": "A7", "paid": "yes"}])
def test_a_record_without_any_column_is_refused_in_every_form(model, record):
    before = state_of(model)
    for call in (
        lambda: model.predict_one(record), lambda: model.predict_proba_one(record),
        lambda: model.predict(record), lambda: model.predict([record]),
        lambda: model.predict(record, ids=[1]), lambda: model.predict([record], ids=[1]),
        lambda: model.observe(record), lambda: model.learn(record), lambda: model.learn([record]),
    ):  # fmt: skip
        with pytest.raises(StreamError, match="none of the columns gift, note, price, shop, weight, when"):
            call()
        assert state_of(model) == before


def test_advice_to_skip_rows_is_given_where_they_may_be_skipped(model):
    rows = without(orders(3, seed=5), "paid")
    wrong = [*rows[:2], rows[2] | {"price": "dear"}]
    labelled = [row | {"paid": "yes"} for row in wrong]
    model.predict(rows, ids=[1, 2, 3])
    for call in (
        lambda: model.predict(wrong), lambda: model.predict_table(pd.DataFrame(wrong)),
        lambda: model.predict_one(wrong[2]), lambda: model.predict(wrong, ids=[4, 5, 6]),
        lambda: model.predict(wrong[2], ids=[6]), lambda: model.learn(labelled, ids=[1, 2, 3]),
    ):  # fmt: skip
        with pytest.raises(StreamError, match=r"'dear' is not a number with a decimal comma$") as caught:
            call()
        assert str(caught.value.message) == str(caught.value)
    with pytest.raises(StreamError, match=r"pass on_error='skip'$"):
        model.learn(labelled)
    assert model.learn(labelled, on_error="skip").predict(rows).shape == (3,)


@pytest.mark.parametrize("wrong", [None, 1.5, True, b"A7", ("A", 7), float("nan"), np.datetime64("2024")])
def test_what_is_no_id_is_named_in_the_words_of_a_model(model, wrong):
    rows = without(orders(2, seed=5), "paid")
    before = state_of(model)
    for call in (lambda: model.predict(rows, ids=[1, wrong]), lambda: model.label([1, wrong], ["yes", "no"])):
        with pytest.raises(TypeError, match=r"^Model: an id must be a whole number or text, got "):
            call()
        assert state_of(model) == before


@pytest.mark.parametrize("column", ["shop", "paid"])
def test_a_text_too_long_for_a_category_or_a_label_is_refused_in_every_form(model, column, tmp_path):
    model.predict(without(orders(1, seed=6), "paid"), ids=["here"])
    before = state_of(model)
    row = orders(1, seed=5)[0] | {column: "w" * 513}
    calls = [
        lambda: model.learn(row), lambda: model.learn([row]), lambda: model.learn(pd.DataFrame([row])),
        lambda: model.learn(as_csv([row], tmp_path / "rows.csv")), lambda: model.learn([row], ids=["here"]),
    ]  # fmt: skip
    if column == "shop":
        calls += [lambda: model.predict(row), lambda: model.predict([row], ids=["a"])]
    for call in calls:
        with pytest.raises(StreamError, match="513 characters"):
            call()
        assert state_of(model) == before
    model.learn([row, orders(1, seed=7)[0]], on_error="skip")
    assert state_of(model)[0] != before[0] and "w" * 513 not in model.classes_
    assert model.learn(row | {column: "w" * 512}) is model


def test_text_columns_may_have_long_cells(model):
    note = "late box broken again " * 100
    model.learn(orders(1, seed=5)[0] | {"note": note}).predict([orders(1)[0] | {"note": note}])


@pytest.mark.parametrize(("most", "new"), [(1000, "case {}"), (20, "{}.5")])
def test_a_target_has_as_many_labels_by_records_and_ids_as_in_a_table(model, most, new):
    rows = without(orders(most + 1), "paid")
    model.learn([row | {"paid": new.format(i)} for i, row in enumerate(rows[: most - 2])])
    model.predict(rows[:2], ids=["a", "b"])
    for call in (
        lambda: model.label(["a", "b"], [new.format(most), new.format(most + 1)]),
        lambda: model.learn(rows[0] | {"paid": new.format(most)}),
    ):
        with pytest.raises(StreamError, match=f"may have {most:,} different labels"):
            call()
        assert model.n_waiting_ == 2 and len(model.classes_) == most
    assert model.label(["a", "b"], ["yes", new.format(0)]) == 2
