"""Tables and files of anyone's predictions."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from thalweg.errors import StreamError
from thalweg.trust import AccuracyEstimate


def predictions(n=3000, waiting=500, seed=1):
    """Return a frame with the probability of yes, and labels of which the latest have not come."""
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(4)
    paid = np.where(rng.random(n) < p, "yes", "no").astype(object)
    paid[n - waiting :] = None
    times = np.datetime64("2024-01-01T00:00") + np.arange(n).astype("m8[m]")
    came = times + np.timedelta64(waiting, "m")
    came[n - waiting :] = np.datetime64("NaT")
    numbers = {"id": np.arange(n), "p_yes": p, "p_no": 1 - p}
    return pd.DataFrame(numbers | {"paid": paid, "asked": times, "came": came})


def of(table, **settings):
    chosen = {"probability": "p_yes", "target": "paid"} | settings
    return AccuracyEstimate.from_table(table, **chosen)


def test_all_kinds_of_tables_give_the_same(tmp_path):
    frame = predictions()
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    expected = of(frame).now()
    assert expected.known == 500
    columns = {name: frame[name].to_numpy() for name in frame}
    for table in (pl.from_pandas(frame), pa.Table.from_pandas(frame), columns, tmp_path / "a.csv",
                  str(tmp_path / "a.parquet")):
        assert of(table).now() == pytest.approx(expected)


def test_times_say_when_labels_came(tmp_path):
    frame = predictions()
    frame.to_csv(tmp_path / "a.csv", index=False)
    late = of(frame, delay=500)
    for table in (frame, tmp_path / "a.csv"):
        timed = of(table, time="asked", label_time="came")
        assert np.array_equal(timed.estimates().said, late.estimates().said, equal_nan=True)
    at_once = of(frame, delay=0).estimates()
    assert not np.array_equal(at_once.said, late.estimates().said, equal_nan=True)
    assert at_once.said[0] == at_once.settled[0]


def test_without_times_labels_are_as_late_as_the_latest_one():
    frame = predictions(waiting=700)
    assert np.array_equal(of(frame).estimates().said, of(frame, delay=700).estimates().said, equal_nan=True)


@pytest.mark.parametrize("columns", [["p_yes", "p_no"], ["p_no", "p_yes"]])
def test_a_column_for_each_label_is_known_by_its_name(columns):
    both = of(predictions(), probability=columns)
    assert both.now() == pytest.approx(of(predictions()).now())
    assert both.classes == [name[2:] for name in columns]


def test_a_column_of_any_name_is_of_the_second_label():
    frame = predictions().rename(columns={"p_yes": "score"})
    assert of(frame, probability="score").now() == pytest.approx(of(predictions()).now())
    turned = of(frame, probability="score", classes=["yes", "no"])
    assert turned.now().estimate < 0.5


def test_numbers_are_labels_also_where_some_are_missing():
    frame = predictions()
    frame["paid"] = frame["paid"].map({"yes": 1.0, "no": 0.0})
    assert of(frame).classes == [0, 1]
    assert of(frame).now() == pytest.approx(of(predictions()).now())


def test_answers_may_be_given():
    frame = predictions()
    frame["said"] = np.where(frame["p_yes"] > 0.8, "yes", "no")
    low = of(frame, prediction="said").estimates()
    right = (frame["said"] == frame["paid"])[:1000].mean()
    assert low.settled[0] == pytest.approx(right)


def broken(name, row, value):
    frame = predictions(200, 50).astype({name: object})
    frame.loc[row, name] = value
    return frame


@pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
@pytest.mark.parametrize(("table", "settings", "said"), [
    (broken("p_yes", 7, 1.5), {}, "row {7}, column 'p_yes': a probability is between 0 and 1, not 1.5"),
    (broken("p_yes", 7, None), {}, "row {7}, column 'p_yes': the probability is missing"),
    (broken("paid", 7, "maybe"), {"classes": ["no", "yes"]}, "row {7}, column 'paid': 'maybe' is none of"),
    (broken("paid", 7, "maybe"), {}, "has 3 labels"),
    (predictions(), {"probability": "p_ye"}, "there is no column 'p_ye'; did you mean 'p_yes'"),
    (predictions(), {"target": "payd"}, "there is no column 'payd'; did you mean 'paid'"),
    (predictions(), {"probability": ["p_yes", "id"], "classes": ["yes", "no"]}, "column 'id'"),
    (predictions(), {"probability": ["p_yes", "p_yes"], "classes": ["yes", "no"]}, "sum to"),
    (predictions(), {"label_time": "came"}, "time"),
    (predictions()[::-1], {"time": "asked", "label_time": "came"}, "row {1}, column 'asked': rows must be"),
    (predictions(100, 100), {}, "no label"),
])  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(table, settings, said, tmp_path):
    table.to_csv(tmp_path / "a.csv", index=False)
    head, _, tail = said.partition("{")
    number, _, rest = tail.partition("}")
    places = ("", "") if not number else (number, str(int(number) + 1))
    for source, place, where in ((table, places[0], "predictions"), (tmp_path / "a.csv", places[1], "a.csv")):
        with pytest.raises(StreamError) as raised:
            of(source, **settings)
        assert head + place + rest in str(raised.value)
        assert where in str(raised.value)


@pytest.mark.parametrize("form", ["{:.3f}", "{:.1%}", "{:.1f} %"])
def test_probabilities_may_have_decimal_commas_or_be_per_cent(form, tmp_path):
    rng = np.random.default_rng(1)
    p = rng.integers(0, 1001, 400) / 1000
    labels = np.where(rng.random(400) < p, "ja", "nein")
    texts = [form.format(100 * each if "f} %" in form else each).replace(".", ",") for each in p]
    lines = [f"{text};{label}" for text, label in zip(texts, labels, strict=True)]
    (tmp_path / "p.csv").write_text("\n".join(["p_ja;paid", *lines]))
    options = {"probability": "p_ja", "target": "paid", "window": 100}
    found = AccuracyEstimate.from_table(tmp_path / "p.csv", **options)
    expected = AccuracyEstimate.from_table({"p_ja": p, "paid": labels}, **options)
    one, other = found.estimates(), expected.estimates()
    np.testing.assert_allclose([one.said, one.said_low], [other.said, other.said_low])
