"""Labels that are new to a model: reported, refused or added; classes that are added and masked."""


import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

import thalweg
from thalweg import Model
from thalweg.errors import ColumnWarning, ParameterError, StreamError

N = 2000


def table(odd=()):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(N, 3)).round(3), columns=list("abc"))
    frame["paid"] = np.where(frame["a"] > 0, "Yes", "No")
    for row, label in odd:
        frame.loc[row, "paid"] = label
    return frame


def records(frame):
    return frame.to_dict("records")


@pytest.mark.parametrize("learner", ["LogisticMixture", "AdaptiveStacking(size='small')"])
@pytest.mark.parametrize("form", ["frame", "records", "file", "one by one"])
def test_one_mistyped_label_is_reported_and_changes_no_answer(learner, form, tmp_path):
    frame, later = table([(1800, "Yess")]), table()
    source = frame
    if form == "file":
        source = tmp_path / "rows.csv"
        frame.to_csv(source, index=False)
    model = Model("paid", learner, columns=dict.fromkeys("abc", "number"))
    if form == "records":
        source = records(frame)
    if form == "one by one":
        model.learn(frame[:1500])
        source = frame[1500:]
    with pytest.warns(ColumnWarning, match="the label 'Yess' is new after 1,800 rows; did you mean 'Yes'"):
        for part in records(source) if form == "one by one" else [source]:
            model.learn(part)
    clean = Model("paid", learner).learn(frame.drop(index=1800))
    assert model.score(later) > 0.95
    assert abs(model.score(later) - clean.score(later)) <= 0.005


def test_a_class_that_comes_again_is_learned_with_its_first_row():
    model = Model("paid", "NaiveBayes", new_labels="add").learn(table())
    row = records(table())[0] | {"paid": "later", "a": 9.0}
    before = model.predict(table())
    np.testing.assert_array_equal(model.learn(row).predict(table()), before)
    assert model.predict_proba_one(row)["later"] < 0.01
    for a in (8.5, 9.5, 8.8, 9.1):
        model.learn(row | {"a": a})
    assert model.predict_one({"a": 9.0, "b": row["b"], "c": row["c"]}) == "later"


def test_new_labels_can_be_refused_alone():
    model = Model("paid", "NaiveBayes", new_labels="refuse").learn(table())
    digest, odd = model.digest(), table([(5, "Yess")])[:10]
    with pytest.raises(StreamError, match=r"row 6.*'Yess' is not one of"):
        model.learn(odd)
    with pytest.raises(StreamError, match="'Yess' is not one of No, Yes; did you mean 'Yes'"):
        model.learn(records(odd)[5])
    assert model.digest() == digest
    model.learn(odd, on_error="skip")
    assert sorted(model.classes_) == ["No", "Yes"]
    again = thalweg.from_bytes(thalweg.to_bytes(model))
    with pytest.raises(StreamError, match="'Yess' is not one of"):
        again.learn(odd)
    assert again.add_class("Yess").learn(odd).classes_.tolist()[-1] == "Yess"


def test_one_class_leaves_the_others_open_to_a_model_that_refuses():
    model, frame = Model("paid", "NaiveBayes", new_labels="refuse"), table()
    with pytest.warns(ColumnWarning, match="has one class"):
        model.learn(frame[frame["paid"] == "Yes"])
    for row in records(table())[:50]:
        model.learn(row)
    assert sorted(model.classes_) == ["No", "Yes"]
    with pytest.raises(StreamError):
        model.learn(records(table([(0, "Maybe")]))[0])


def test_a_label_of_a_row_that_waits_is_reported():
    model = Model("paid", "NaiveBayes").learn(table())
    model.predict(table().drop(columns="paid")[:2], ids=[1, 2])
    with pytest.warns(ColumnWarning, match="'Noo' is new after 2,000 rows; did you mean 'No'"):
        model.label([1, 2], ["Yes", "Noo"])
    assert model.n_waiting_ == 0 and model.learner_.n_waiting_ == 0


@pytest.mark.parametrize("learner", ["NaiveBayes", None])
def test_a_masked_class_is_never_answered(learner, tmp_path):
    frame = table([(i, "Yess") for i in range(0, N, 2)])
    model = Model("paid", learner).learn(frame)
    assert "Yess" in model.predict(frame)
    model.mask_class("Yess").save(tmp_path / "m.tw")
    for each in (model, thalweg.load(tmp_path / "m.tw"), model.copy()):
        assert "Yess" not in each.predict(frame)
        p = each.predict_proba(frame)
        assert (p[:, each.classes_.tolist().index("Yess")] == 0).all() and np.allclose(p.sum(axis=1), 1)
        assert each.predict_proba_one(records(frame)[0])["Yess"] == 0
        assert "Yess" not in each.predict(frame.drop(columns="paid"), ids=range(N))
        each.label(range(N), frame["paid"])
        assert "Yess" not in each.predict(frame)
    model.mask_class("Yess", masked=False)
    assert "Yess" in model.predict(frame)


def test_mistakes_are_refused():
    with pytest.raises(ParameterError, match='"warn", "add" or "refuse", got \'no\''):
        Model("paid", new_labels="no").learn(table())
    model = Model("paid", "NaiveBayes").learn(table())
    with pytest.raises(ValueError, match=r"'Yess' is none of the classes .*; did you mean 'Yes'"):
        model.mask_class("Yess")
    with pytest.raises(ValueError, match="all classes would be masked"):
        model.mask_class("No").mask_class("Yes")
    assert model.learner_.masked_classes_ == ["No"]


@pytest.mark.parametrize("form", ["records", "frames"])
def test_the_columns_of_probabilities_are_those_of_sorted_labels(form):
    frame = table()
    first = frame[frame["paid"] == "Yes"][:200]
    frame = pd.concat([first, frame.drop(index=first.index)], ignore_index=True)
    parts = [frame[:200], frame[200:]]
    model = Model("paid", "NaiveBayes", new_labels="add", columns=dict.fromkeys("abc", "number"))
    with pytest.warns(ColumnWarning, match="has one class"):
        model.learn(parts[0])
    for rows in records(parts[1]) if form == "records" else [parts[1]]:
        model.learn(rows)
    assert model.classes_.tolist() == ["No", "Yes"] and model.learner_.classes_.tolist() == ["Yes", "No"]
    p = model.predict_proba(frame)
    assert log_loss(frame["paid"], p) < 0.5
    assert model.predict(frame).tolist() == model.classes_[p.argmax(axis=1)].tolist()
    found = model.predict_table(frame)
    assert found.columns.tolist() == ["prediction", "probability", "p_No", "p_Yes"]
    np.testing.assert_array_equal(found[["p_No", "p_Yes"]], p)
    np.testing.assert_array_equal(found["probability"], p.max(axis=1))
    again = thalweg.from_bytes(thalweg.to_bytes(model))
    np.testing.assert_array_equal(again.predict_proba(frame), p)
    listed = Model("paid", "NaiveBayes", classes=["Yes", "No"]).learn(frame)
    assert listed.classes_.tolist() == ["Yes", "No"]
