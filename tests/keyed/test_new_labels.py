"""Labels that are new after the first rows, in models by key: classes of all keys, or refused alone."""

import warnings

import numpy as np
import pandas as pd
import pytest

import thalweg
from thalweg.errors import LabelWarning, ParameterError
from thalweg.keyed import Bank, Operator, run

N = 12_000


def frame(n=600, seed=1):
    rng = np.random.default_rng(seed)
    customer, price = rng.integers(7, size=n), rng.normal(50, 20, n).round(2)
    paid = np.where((price > 50) ^ (customer % 2 == 0), "yes", "no")
    return pd.DataFrame({"customer": customer, "price": price, "paid": paid})


def bank_of(rows=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bank = Bank(thalweg.Model("paid", "NaiveBayes"), key="customer", **options)
        return bank if rows is None else bank.learn(rows)


def test_a_new_label_is_a_class_with_a_warning_that_names_the_one_that_is_meant():
    rows, late = frame(), frame(200, 2)
    late.loc[150:, "paid"] = "Yess"
    bank = bank_of(rows)
    with pytest.warns(LabelWarning, match=r"new after 750 rows.*: 'Yess'; did you mean 'yes'"):
        bank.learn(late)
    assert bank.classes_.tolist() == ["no", "yes", "Yess"]
    bank.predict(rows[:2], ids=[1, 2])
    with pytest.warns(LabelWarning, match=r"new after 800 rows.*: 'later'\. "):
        bank.label([1, 2], ["later", "yes"])


def test_among_the_first_rows_no_label_is_warned_of():
    bank = bank_of(frame(90))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bank.learn(frame(20, 2).assign(paid=["yes"] * 9 + ["later"] * 11))
    assert "later" in bank.classes_


@pytest.mark.parametrize("size", [1, 7, 200])
def test_refused_rows_are_only_predicted_however_they_are_cut(size):
    rows, late = frame(), frame(200, 2)
    bad, unlabelled = late.copy(), late.copy()
    bad.loc[50:60, "paid"], unlabelled.loc[50:60, "paid"] = "Yess", None
    bank, expected = bank_of(rows, new_labels="refuse"), bank_of(rows)
    for start in range(0, 200, size):
        bank.learn(bad[start : start + size])
    expected.learn(unlabelled)
    assert bank.classes_.tolist() == ["no", "yes"]
    assert (bank.n_rows_, bank.n_skipped_) == (789, 11)
    np.testing.assert_array_equal(bank.predict_proba(late), expected.predict_proba(late))
    found = bank.prequential(bad[40:70])
    assert found.n_rows == 30 and bank.n_skipped_ == 22


@pytest.mark.parametrize("on_error", ["raise", "skip"])
@pytest.mark.parametrize("bad", ["Yess", None, "", "w" * 513])
def test_a_late_label_is_refused_alone_and_its_row_goes_on_waiting(bad, on_error):
    rows = frame()
    bank = bank_of(rows, new_labels="refuse", on_error=on_error)
    bank.predict(rows[:3], ids=[1, 2, 3])
    assert bank.label([1, 2, 3], ["yes", bad, "no"]) == 2
    assert (bank.n_waiting_, bank.n_skipped_, bank.n_rows_) == (1, 1, 602)
    assert bank.label([2], ["yes"]) == 1
    assert bank.classes_.tolist() == ["no", "yes"]
    bank.learn(rows[:5])  # the coding and the bank know the same labels


def test_one_class_alone_is_not_closed():
    bank = bank_of(frame().assign(paid="yes"), new_labels="refuse")
    with pytest.warns(LabelWarning, match="'no'"):
        bank.learn(frame(50, 2))
    assert bank.classes_.tolist() == ["yes", "no"]
    bank.learn(frame(5, 3).assign(paid="maybe"))
    assert bank.n_skipped_ == 5


def test_the_setting_is_saved_and_states_of_earlier_releases_have_the_usual_one(tmp_path):
    bank = bank_of(frame(), new_labels="refuse")
    bank.save(tmp_path / "bank.tw")
    again = thalweg.load(tmp_path / "bank.tw")
    assert again.new_labels == "refuse" and again.learn(frame(5).assign(paid="maybe")).n_skipped_ == 5
    usual = bank_of(frame()).state()
    assert "new_labels" not in usual["parameters"]  # so that operators and folders have the digests they had
    assert Bank().restore(usual).new_labels == "add"
    with pytest.raises(ParameterError, match="new_labels must be one of 'add', 'refuse', got 'open'"):
        bank_of(new_labels="open").learn(frame())


@pytest.fixture
def typo(tmp_path):
    """A file with a label that comes once, after the rows from which columns are found."""
    rows = frame(N)
    rows.loc[N - 500, "paid"] = "Yess"
    path = tmp_path / "rows.csv"
    rows.to_csv(path, index=False)
    return path


OPTIONS = {"key": "customer", "target": "paid", "learner": "NaiveBayes"}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_run_counts_events_with_labels_that_are_new_after_the_first_rows_as_refused(tmp_path, typo, n_jobs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = run(typo, folder=tmp_path / "run", new_labels="refuse", n_jobs=n_jobs, **OPTIONS)
    assert done.counts == {"learned": N - 1, "refused": 1}
    assert done.operator.classes_.tolist() == ["no", "yes"]
    problems = [each for table in done.outputs() for each in table.column("problem").to_pylist() if each]
    assert problems == ["column 'paid': 'Yess' is not one of the labels no, yes"]
    assert run(typo, folder=tmp_path / "run", **OPTIONS).n_rows == N
    with pytest.raises(ParameterError, match=r"new_labels is 'add', but .* was begun with 'refuse'"):
        run(typo, folder=tmp_path / "run", new_labels="add", **OPTIONS)


def test_a_run_warns_of_labels_that_are_new_after_the_first_rows(tmp_path, typo):
    with pytest.warns(LabelWarning, match="new after the first rows.*: 'Yess'; did you mean 'yes'"):
        done = run(typo, folder=tmp_path / "run", **OPTIONS)
    assert done.counts == {"learned": N} and done.operator.classes_.tolist() == ["no", "yes", "Yess"]


def test_an_operator_takes_the_setting_of_its_bank(typo):
    bank = bank_of(new_labels="refuse")
    operator = Operator(bank, order="_row").begin(str(typo))
    assert operator.classes_.tolist() == ["no", "yes"]
    assert Operator.from_bytes(operator.to_bytes()).bank.new_labels == "refuse"


def test_a_run_checks_the_setting(tmp_path, typo):
    with pytest.raises(ParameterError, match="new_labels must be one of"):
        run(typo, folder=tmp_path / "run", new_labels="never", **OPTIONS)
