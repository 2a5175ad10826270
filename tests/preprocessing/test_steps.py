"""Steps: their outputs beside plain twins, categories without end, odd values, scikit-learn's conventions."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks
from support.odd_rows import odd_rows
from twins.preprocessing import steps as twins

from thalweg import preprocessing
from thalweg.errors import ParameterError, StateError
from thalweg.preprocessing import (
    Dates,
    FeatureHasher,
    Imputer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

STEPS = [
    StandardScaler(),
    Imputer("flag"),
    OneHotEncoder(columns=[0]),
    OrdinalEncoder(columns=[0]),
    FeatureHasher(8),
    Dates(columns=[0]),
]


def streamed(step, X, n_categories=None):
    """Return each row as it is transformed before it is learned."""
    step = clone(step).begin(X.shape[1], n_categories=n_categories)
    rows = []
    for x in X:
        rows.append(step._kernel.transform(x[None])[0])
        step._kernel.update(x[None])
    return np.array(rows)


@pytest.mark.parametrize(
    ("step", "twin"),
    [
        (StandardScaler(), twins.Scaler([0, 1, 2])),
        (StandardScaler([1], decay=0.9), twins.Scaler([1], 0.9)),
        (Imputer(), twins.Imputer([0, 1, 2], "mean")),
        (Imputer("last", [1]), twins.Imputer([1], "last")),
        (Imputer("flag", [0, 2]), twins.Imputer([0, 2], "flag")),
        (OneHotEncoder([0], max_categories=5), twins.Encoder({0: 5}, own=False)),
        (OneHotEncoder([0, 1], 3, unseen="own"), twins.Encoder({0: 3, 1: 3}, own=True)),
        (OrdinalEncoder([0], max_categories=5), twins.Encoder({0: 5}, True, one_hot=False)),
        (OrdinalEncoder([0], 5, unseen="missing"), twins.Encoder({0: 5}, False, one_hot=False)),
        (Dates([2]), twins.Dates(2)),
    ],
    ids=lambda each: str(each) if hasattr(each, "get_params") else "",
)
def test_steps_are_as_their_twins(step, twin):
    X = odd_rows()
    found, expected = streamed(step, X), twins.transformed([twin], X)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert len(np.unique(found[~np.isnan(found)])) > 1


def test_months_and_weekdays_of_two_thousand_years():
    days = np.arange(-354_285, 376_200, 13)  # from the year 1000 to 3000
    step = Dates([0], parts=["weekday", "month"]).begin(1)
    found = step.transform(86_400.0 * days[:, None] + 86_399)
    months = days.astype("M8[D]").astype("M8[M]").astype(int) % 12
    for turn, columns in (((days + 3) % 7 / 7, found[:, :2]), (months / 12, found[:, 2:])):
        expected = np.column_stack([np.sin(2 * np.pi * turn), np.cos(2 * np.pi * turn)])
        np.testing.assert_allclose(columns, expected, atol=1e-12)


def test_known_categories_have_their_places_from_the_start():
    X = odd_rows()
    twin = twins.Encoder({0: 4}, own=True, known={0: [0.0, 1.0, 2.0, 3.0]})
    found = streamed(OneHotEncoder(unseen="own"), X, n_categories=[4, 0, 0])
    np.testing.assert_array_equal(found, twins.transformed([twin], X))


def test_categories_are_bounded():
    step = OneHotEncoder([0], max_categories=3).begin(1)
    for value in range(10_000):
        step._kernel.update(np.array([[float(value)]]))
    assert step.categories_ == {0: [0.0, 1.0, 2.0]}
    assert step._kernel.bytes == 3 * 8


def test_inputs_without_categories_are_left_to_scalers_and_others_to_encoders():
    X, n_categories = odd_rows(), [4, 0, 0]
    scaled = streamed(StandardScaler(), X, n_categories)
    np.testing.assert_array_equal(scaled[:, 0], X[:, 0])
    assert np.nanmax(np.abs(scaled[:, 1:])) < 11
    encoded = streamed(OneHotEncoder(), X, n_categories)
    np.testing.assert_array_equal(encoded[:, 4:], X[:, 1:])
    np.testing.assert_array_equal(streamed(OneHotEncoder(), X), X)


def test_hashing_keeps_sums():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 300))
    step = FeatureHasher(16, alternate_sign=False).begin(300)
    found = step.transform(X)
    np.testing.assert_allclose(found.sum(axis=1), X.sum(axis=1))
    each = step.transform(np.eye(300))
    assert (each.sum(axis=1) == 1).all() and (each.sum(axis=0) > 5).all()
    np.testing.assert_allclose(found, X @ each)


def test_signs_make_products_of_hashed_rows_right_on_average():
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, 2000))
    a, b = FeatureHasher(4096).begin(2000).transform([one, other])
    assert abs(a @ a / (one @ one) - 1) < 0.1
    assert abs(a @ b - one @ other) < 4 * np.linalg.norm(one) * np.linalg.norm(other) / 64


def test_hashed_categories_are_alike_wherever_they_come_and_need_no_memory():
    step = FeatureHasher(64, columns=[0]).begin(2, n_categories=[3, 0])
    rows = step.transform([[7.0, 0.5], [7.0, 0.5], [10.0**9, 0.5], [np.nan, 0.5]])
    np.testing.assert_array_equal(rows[0], rows[1])
    assert np.abs(rows[:, :64]).sum(axis=1).tolist() == [1, 1, 1, 0]
    assert (rows[:, 64] == 0.5).all() and step._kernel.bytes == 0


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_extreme_values_stay_in_range(step):
    largest = np.finfo(float).max
    X = np.array([[v] * 3 for v in (0.0, largest, -largest, 5e-324, 1e150, -1e-300, np.nan, 1e18, 3.5)])
    step = clone(step)
    for _ in range(3):
        step.partial_fit(X)
    out = step.transform(X)
    assert np.nanmax(np.abs(out)) <= 1e150 * 1.001


def test_one_wild_value_does_not_hide_an_input():
    X = np.random.default_rng(1).normal(size=(1000, 1))
    step = StandardScaler().fit(np.insert(X, 500, 1e100, axis=0))
    assert 0.9 < step.transform([[1.0]])[0, 0] < 1.1


def test_names_of_outputs():
    frame = pd.DataFrame(odd_rows(20), columns=["kind", "size", "when"])
    encoder = OneHotEncoder(columns=["kind"], max_categories=2, unseen="own")
    encoder.fit(pd.DataFrame([[4.0, 0.0, 0.0]], columns=frame.columns))
    names = ["kind=4", "kind[1]", "kind=other", "size", "when"]
    assert encoder.get_feature_names_out().tolist() == names
    assert Imputer("flag", ["size"]).fit(frame).get_feature_names_out().tolist() == [
        "kind", "size", "size_missing", "when",
    ]
    dates = Dates(["when"]).fit(frame)
    assert dates.get_feature_names_out()[2:4].tolist() == ["when_elapsed", "when_hour"]
    assert FeatureHasher(2, ["size"]).fit(frame).get_feature_names_out().tolist() == [
        "hash0", "hash1", "kind", "when",
    ]
    assert list(StandardScaler().set_output(transform="pandas").fit_transform(frame)) == list(frame)
    for step in (encoder, dates):
        assert len(step.get_feature_names_out()) == step.n_features_out_ == step.transform(frame).shape[1]


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_copy_goes_on_alike(step):
    X = odd_rows()
    step = clone(step).fit(X[:200])
    copies = [pickle.loads(pickle.dumps(step)), copy.deepcopy(step), type(step)().restore(step.state())]
    step.partial_fit(X[200:])
    for other in copies:
        other.partial_fit(X[200:])
        np.testing.assert_array_equal(other.transform(X), step.transform(X))
        assert other.get_feature_names_out().tolist() == step.get_feature_names_out().tolist()
    assert "memory" not in clone(step).state()


def test_damaged_states_of_steps_are_refused():
    step = StandardScaler().fit(odd_rows())
    state = step.state()
    wrong = [
        5,
        {**state, "format": 7},
        {**state, "step": "Imputer"},
        {**state, "names": [None]},
        {**state, "n_categories": np.zeros(2, dtype=np.intp)},
        {**state, "memory": {**state["memory"], "variance": np.full(3, -1.0)}},
        {**state, "memory": {**state["memory"], "mean": np.full(3, np.nan)}},
        {**state, "parameters": {"decay": 7.0}},
        {**state, "parameters": {"nothing": 7.0}},
    ]
    for damaged in wrong:
        with pytest.raises(StateError):
            step.restore(damaged)
        assert step.decay == 1.0 and step.state()["memory"]["count"].min() > 200


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (StandardScaler(decay=0), "StandardScaler: decay must be a number above 0 and at most 1, got 0"),
        (StandardScaler(decay="a"), "decay must be"),
        (StandardScaler(columns=5), "columns must be a sequence"),
        (StandardScaler(columns=[-1]), "columns must be a sequence of positions of inputs from 0"),
        (StandardScaler(columns=[1.5]), "columns must be"),
        (StandardScaler(columns=[3]), "columns must be among the 3 inputs of the step"),
        (StandardScaler(columns=["a"]), "columns must be among"),
        (Imputer("median"), "Imputer: strategy must be one of 'mean', 'last', 'flag', got 'median'"),
        (Imputer(None), "strategy must be"),
        (OneHotEncoder(unseen="missing"), "unseen must be one of 'zeros', 'own'"),
        (OneHotEncoder(max_categories=0), "max_categories must be a whole number of at least 1"),
        (OneHotEncoder(max_categories=10**9), "max_categories must be a whole number of at most"),
        (OrdinalEncoder(unseen="zeros"), "unseen must be one of 'own', 'missing'"),
        (FeatureHasher(0), "n_features must be"),
        (FeatureHasher(alternate_sign=2), "alternate_sign must be True or False"),
        (Dates(), "columns must be positions or names of the inputs that are dates"),
        (Dates([0], parts=["year"]), "parts must be some of"),
        (Dates([0], parts=()), "parts must be some of"),
        (Dates([0], parts="time"), "parts must be some of"),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(step, message):
    with pytest.raises(ParameterError, match=message):
        step.begin(3)
    with pytest.raises(ParameterError, match=message):
        step.fit(np.zeros((4, 3)))
    with pytest.raises(NotFittedError):
        step.transform(np.zeros((4, 3)))


def test_infinity_is_refused():
    with pytest.raises(ValueError, match="row 1, column 0 is inf"):
        StandardScaler().fit([[1.0], [np.inf]])


def test_every_step_is_tried_here():
    tried = {type(step).__name__ for step in STEPS}
    assert tried == set(preprocessing.registry) - {"Pipeline", "make_pipeline"}


def scikit_learns_own(estimator):
    """Return the checks that set a parameter of the class of the same name in scikit-learn."""
    sparse = {"check_estimator_sparse_array", "check_estimator_sparse_matrix"}
    return dict.fromkeys(sparse if isinstance(estimator, StandardScaler) else (), "sets with_mean=False")


@parametrize_with_checks(
    [*STEPS[:2], OneHotEncoder(), OrdinalEncoder(), FeatureHasher(), Dates(columns=[0])],
    expected_failed_checks=scikit_learns_own,
)
def test_scikit_learns_checks(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # else its checks of other libraries' arrays are skipped
    check(estimator)
