"""What is easily different between forms of rows, of parameters, and of calls."""

import csv
import pickle
import warnings
from collections import UserList, deque
from types import MappingProxyType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import thalweg
from thalweg.errors import ColumnWarning, ParameterError, StreamError
from thalweg.keyed import Bank, Operator
from thalweg.learners import NaiveBayes
from thalweg.streams import from_arrays, from_file, from_rows
from thalweg.trust import Calibrated

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    found = pd.DataFrame(rng.normal(size=(3000, 2)), columns=["a", "b"])
    found["c"] = rng.choice(["x", "y", "z"], 3000)
    found["t"] = np.where(found["a"] + rng.normal(size=3000) > 0.3, "yes", "no")
    return found


def model(**settings):
    return thalweg.Model("t", "NaiveBayes", **settings)


def test_labels_that_count_for_the_estimate_are_those_learned(frame, tmp_path):
    begun = model().learn(frame[:100])
    begun.predict(frame[:50].drop(columns="t"), ids=range(50))
    begun.label(range(50), frame["t"][:50].tolist())
    rest = frame[100:]
    rest.to_csv(tmp_path / "rest.csv", index=False)
    unlabelled = frame.assign(t=None)
    forms = [rest, rest.to_dict("records"), tmp_path / "rest.csv", pd.concat([rest, unlabelled])]
    models = [begun.copy().learn(form) for form in forms]
    models.append(begun.copy().learn(frame, rows=0).learn(pd.concat([rest, unlabelled]), rows=2900))
    assert {each._estimates.n_learned for each in models} == {begun._estimates.n_learned + 2900}
    assert len({str(each.accuracy_estimate().now()) for each in models}) == 1


def test_labels_learned_before_an_error_count_for_the_estimate(frame):
    begun = model().learn(frame[:100])
    before = begun._estimates.n_learned
    bad = pd.concat([frame] * 6).astype({"a": object}).reset_index(drop=True)
    bad.loc[17_000, "a"] = "bad"
    with pytest.raises(ValueError, match="data row 17001"):
        begun.learn(bad)
    assert begun._estimates.n_learned == before + 16_384


@pytest.mark.parametrize("learner", ["model", "Calibrated"])
def test_costs_in_a_frame_are_read_by_its_labels(frame, learner):
    one = pd.DataFrame([[0, 20], [1, 0]], index=["yes", "no"], columns=["yes", "no"])
    orders = [one, one.loc[["no", "yes"]], one[["no", "yes"]], {"yes": {"no": 20}}]
    orders.append(MappingProxyType({"yes": MappingProxyType({"no": 20})}))
    X, found = frame[["a", "b"]], []
    for costs in orders:
        if learner == "model":
            made = model(costs=costs).learn(frame)
            found.append(made.predict(X.assign(c="x")).tolist())
        else:
            made = Calibrated(NaiveBayes(), costs=costs).fit(X, frame["t"])
            found.append(made.predict(X).tolist())
        again = pickle.loads(pickle.dumps(made))
        assert again.predict(X.assign(c="x") if learner == "model" else X).tolist() == found[-1]
    assert all(each == found[0] for each in found)
    with pytest.raises(ParameterError, match="'maybe' is not one of them"):
        model(classes=["no", "yes"], costs=one.rename(index={"yes": "maybe"})).learn(frame)


def test_costs_in_a_frame_without_names_are_in_the_order_of_the_classes(frame):
    array = [[0, 1], [20, 0]]
    given = [model(classes=["no", "yes"], costs=costs).learn(frame) for costs in (array, pd.DataFrame(array))]
    assert given[0].predict(frame).tolist() == given[1].predict(frame).tolist()


@pytest.mark.parametrize("columns", [
    MappingProxyType({"c": "category"}), {"c": np.array(["x", "y", "z"])},
    {"c": pd.CategoricalDtype(["x", "y", "z"])},
    {"c": pd.CategoricalDtype()}, {"c": ("x", "y", "z")}, {"c": pd.Index(["x", "y", "z"])},
], ids=str)  # fmt: skip
def test_a_model_with_columns_of_any_form_is_saved(frame, columns):
    made = model(columns=columns).learn(frame)
    assert made.columns.kinds["c"] == "category"
    again = pickle.loads(pickle.dumps(made))
    assert again.digest() == made.digest() == made.copy().digest()
    if not isinstance(columns, MappingProxyType) and "CategoricalDtype(categories=None" not in str(columns):
        with pytest.raises(ValueError, match="'w' is not in the list"):
            again.learn({"a": 1.0, "b": 1.0, "c": "w", "t": "no"})


def test_missing_markers_named_after_learning_change_no_answer(frame):
    made = model(missing=["y"]).learn(frame)
    made.set_params(missing=["x"])
    row = {"a": 0.5, "b": 0.1, "c": "x"}
    one = [*made.predict_proba_one(row).values()]
    assert made.predict_proba([row])[0].tolist() == made.predict_proba(pd.DataFrame([row]))[0].tolist() == one


def test_partial_fit_refuses_other_classes_than_the_first(frame):
    X, y = frame[["a", "b"]], frame["t"]
    made = thalweg.Model(learner="NaiveBayes").partial_fit(X, y, classes=["no", "yes"])
    before = made.digest()
    with pytest.raises(ParameterError, match="classes must be those of the first call, 'no', 'yes'"):
        made.partial_fit(X, y, classes=["no", "yes", "perhaps"])
    assert made.digest() == before
    assert made.partial_fit(X, y, classes=["yes", "no"]).digest() == made.digest() != before


def test_classes_in_a_set_are_sorted_and_one_text_is_refused(frame):
    assert model(classes={"yes", "no"}).learn(frame).classes_.tolist() == ["no", "yes"]
    with pytest.raises(ParameterError, match="classes must be a sequence"):
        model(classes="yes").learn(frame)


def test_blanks_around_names_are_no_part_of_them(frame, tmp_path):
    path = tmp_path / "blanks.csv"
    lines = [",".join(map(str, row)) for row in frame.itertuples(index=False)]
    path.write_text("\n".join(["a, b, c, t", *lines]) + "\n")
    with path.open() as file:
        records = list(csv.DictReader(file))
    table = pd.read_csv(path)
    assert list(table) == list(records[0]) == ["a", " b", " c", " t"]
    models = [model().learn(form) for form in (path, table, records, frame)]
    assert len({each.digest() for each in models}) == 1
    expected = models[0].predict_proba(path)
    for form in (table, records, frame):
        assert np.array_equal(models[0].predict_proba(form), expected)
    assert [*models[0].predict_proba_one(records[0]).values()] == expected[0].tolist()
    assert models[0].learn(records[0]).digest() == models[1].learn([records[0]]).digest()
    assert thalweg.Model(" t", "NaiveBayes", columns={" c": "category"}).learn(table).columns.target == "t"


def test_rows_and_ids_may_be_any_sequence(frame):
    records = frame[:200].to_dict("records")
    expected = model().learn(records)
    for form in (deque(records), UserList(records)):
        assert model().learn(form).digest() == expected.digest()
    expected.predict(records[:3], ids=pa.array(["a", "b", "c"]))
    assert expected.label(pa.array(["a", "b"]), ["yes", "no"]) == 2 and expected.n_waiting_ == 1


def test_infinite_labels_are_labels_without_a_warning_of_numpy(frame):
    for y in (["inf", "1", "2"] * 1000, [float("inf"), 1.0, 2.0] * 1000):
        assert len(thalweg.Model(learner="NaiveBayes").fit(frame[["a", "b"]], y).classes_) == 3
    model().learn(frame.assign(c=["inf", "1", "2"] * 1000))


def test_a_warning_that_is_an_error_is_raised_each_time(frame):
    made = model().learn(frame)
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error", ColumnWarning)
            with pytest.raises(ColumnWarning, match="'other'"):
                made.predict(frame.assign(other=1))


def test_targets_may_be_numbers_of_numpy(frame):
    made = thalweg.Model(np.int64(3), "NaiveBayes").learn(frame)
    assert made.columns.target == "t"
    assert pickle.loads(pickle.dumps(made)).digest() == made.digest()


def test_empty_rows_and_what_are_no_rows_are_named(frame):
    made = model().learn(frame)
    with pytest.raises(StreamError, match="there are no rows"):
        made.prequential([])
    with pytest.raises(StreamError, match="learn each frame by itself"):
        made.learn([frame, frame])


def test_no_option_of_a_call_is_ignored(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    made = model().learn(frame)
    for form in (frame, tmp_path / "t.csv", frame.to_dict("records")):
        assert len(made.predict(form, rows=5)) == len(made.predict_table(form, rows=5)) == 5
    made.predict(frame, ids=range(4), rows=4)
    assert made.n_waiting_ == 4
    with pytest.raises(ParameterError, match="target is 'a', and there are labels y"):
        made.copy().learn(frame, frame["t"], target="a")
    for call in (made.learn, made.predict):
        with pytest.raises(ParameterError, match=r"keep is for Model\.stream"):
            call(frame, keep=["a"])
    with pytest.raises(ParameterError, match="sample_weight must be 3000 numbers"):
        made.score(frame, sample_weight=[1, 2])


def test_one_text_is_no_list_of_labels_or_names(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    X, pairs = np.zeros((2, 2)), [((1.0, 2.0), "a"), ((1.0, 2.0), "b")]
    for call in (
        lambda: from_file(tmp_path / "t.csv", classes="yn"), lambda: from_rows(pairs, classes="ab"),
        lambda: from_rows(pairs, names="pq"), lambda: from_arrays(X, [0, 1], names="pq"),
        lambda: from_arrays(X, ["a", "b"], classes="ab"),
        lambda: thalweg.Model(learner="NaiveBayes").partial_fit(frame[["a"]], frame["t"], classes="yn"),
        lambda: Operator(Bank(NaiveBayes()), key="k", order="n").begin(inputs="xz", classes=["a", "b"]),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="must be a list, not one text"):
            call()
    assert Operator(Bank(NaiveBayes()), key="k", order="n", keep="abc").keep == ("abc",)
