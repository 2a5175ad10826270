"""`Model.fit` treats rows as exchangeable, unless they are in the order of time."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from thalweg import Model
from thalweg.errors import RowWarning
from thalweg.streams import SEA


def table(n=400):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    return frame, np.where(frame["a"] + 0.3 * frame["b"] > 0, "yes", "no")


def test_a_table_sorted_by_its_labels_is_learned():
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(Model(), X, y).mean() > 0.92
    with pytest.warns(RowWarning, match="sorted by label"):
        assert cross_val_score(Model(shuffle=False), X, y).mean() < 0.7


def test_the_order_is_the_same_every_time_and_follows_the_seed():
    X, y = table()
    one, again, other = (Model(learner="IBoost", random_state=seed).fit(X, y) for seed in (1, 1, 2))
    assert one.digest() == again.digest() != other.digest()


@pytest.mark.parametrize("learner", ["LogisticMixture", "AdaptiveStacking(size='small')"])
def test_without_shuffling_it_is_partial_fit(learner):
    X, y = table()
    expected = Model(learner=learner).partial_fit(X, y)
    by_parameter = Model(learner=learner, shuffle=False).fit(X, y)
    by_call = Model(learner=learner).fit(X, y, shuffle=False)
    for fitted in (by_parameter, by_call):
        np.testing.assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))
    shuffled = Model(learner=learner).fit(X, y)
    assert not np.array_equal(shuffled.predict_proba(X), expected.predict_proba(X))
    again = Model(learner=learner, shuffle=False).fit(X, y, shuffle=True)
    np.testing.assert_array_equal(again.predict_proba(X), shuffled.predict_proba(X))


@pytest.mark.parametrize("form", ["frame", "records", "file"])
def test_rows_in_the_order_of_time_keep_it(form, tmp_path):
    X, y = table()
    X["when"] = pd.date_range("2024-03-01 10:00", periods=len(X), freq="7h").astype(str)
    whole = X.assign(paid=y)
    source = {"frame": whole, "records": whole.to_dict("records"), "file": tmp_path / "rows.csv"}[form]
    whole.to_csv(tmp_path / "rows.csv", index=False)
    fitted = Model("paid", "LogisticMixture").fit(source)
    assert fitted.digest() == Model("paid", "LogisticMixture").learn(source).digest()
    turned = whole.sample(frac=1.0, random_state=1)
    assert Model("paid", "LogisticMixture").fit(turned).digest() != (
        Model("paid", "LogisticMixture").learn(turned).digest()
    )


FORMS = {
    "frame": lambda X, y: (X, y),
    "array": lambda X, y: (X.to_numpy(), y),
    "lists": lambda X, y: (X.to_numpy().tolist(), y.tolist()),
    "pairs": lambda X, y: (list(zip(X.to_dict("records"), y, strict=True)), None),
    "generator": lambda X, y: ((row for row in X.assign(target=y).to_dict("records")), None),
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_in_any_form_are_shuffled(form):
    X, y = table()
    order = np.argsort(y, kind="stable")
    fitted = Model(learner="IBoost").fit(*FORMS[form](X.iloc[order], y[order]))
    assert (fitted.predict(X if form in ("frame", "pairs", "generator") else X.to_numpy()) == y).mean() > 0.9


def test_streams_keep_their_order():
    stream = SEA(n_rows=500)
    assert Model(learner="IBoost").fit(stream).digest() == Model(learner="IBoost").learn(stream).digest()
