"""Columns as people have them: which kind each is, what inputs it becomes, what is said about it."""

import copy
import datetime
import time

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from support.file_rows import complaint, whole, write

import thalweg
from thalweg._native.calendar import date_inputs
from thalweg.checks import check_stream
from thalweg.errors import ColumnWarning, StreamError
from thalweg.evaluation import InputColumns
from thalweg.preprocessing import Dates
from thalweg.streams import from_file
from thalweg.streams.columns import date_layouts
from thalweg.streams.columns.codes import UNKNOWN, Codes
from thalweg.streams.columns.dates import Dates as ReadDates

N = 300
START = datetime.datetime(2024, 1, 30, 22, 15)


def table(tmp_path, delimiter=",", **columns):
    """Write columns of N cells and a column y of labels; return the path."""
    cells = {name: [f(i) for i in range(N)] if callable(f) else f for name, f in columns.items()}
    cells.setdefault("y", [i % 2 for i in range(N)])
    rows = [list(cells), *zip(*cells.values(), strict=True)]
    lines = [delimiter.join(map(str, row)) for row in rows]
    return write(tmp_path, "\n".join(lines) + "\n")


def kinds(path, **options):
    return from_file(path, **options).columns.kinds


def moment(i):
    return START + datetime.timedelta(hours=5 * i)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (lambda i: i * 0.5, "number"),
        (lambda i: i % 2, "category"),
        (lambda i: "red" if i % 3 else "blue", "category"),
        (lambda i: moment(i).isoformat(), "date"),
        (lambda i: f"{moment(i):%d/%m/%Y}", "date"),
        (lambda i: f"{moment(i):%H:%M}", "date"),
        (lambda i: f"{moment(i):%d %b %Y %H:%M:%S}", "date"),
        (lambda i: f"{moment(i):%B %d %Y}", "date"),
        (lambda i: f"{moment(i):%Y-%m-%dT%H:%M:%S.%f}Z", "date"),
        (lambda i: f"{moment(i):%m/%d/%Y %I:%M %p}", "date"),
        (lambda i: f"{i:032x}", "ignored"),
        (lambda i: i + 17, "ignored"),
        (lambda i: 1000 - i, "ignored"),
        (lambda i: i * 7919 % 10_007, "number"),
        (lambda i: f"message {i} is here", "text"),
        (lambda i: f"1.2.{i % 7}", "category"),
        (lambda i: f"10.0.{i % 7}.1", "category"),
        (lambda i: f"2024-13-{i % 7 + 10}", "category"),
        (lambda i: f"31.02.20{i % 7 + 10}", "category"),
    ],
)
def test_kinds_are_found(tmp_path, cells, kind):
    assert kinds(table(tmp_path, x=cells, other=lambda i: i % 5)) == {"x": kind, "other": "number"}


def test_an_id_goes_by_its_name_if_it_does_not_count(tmp_path):
    ids = {"order_id": lambda i: i * 7919 % 10_007, "orderId": lambda i: i * 31 % 1009}
    path = table(tmp_path, **ids, a=lambda i: i % 5)
    assert kinds(path) == {"order_id": "ignored", "orderId": "ignored", "a": "number"}
    stream = from_file(path, numeric=["order_id"])
    assert stream.names == ("order_id", "a")
    assert stream.columns.notes["orderId"].startswith("all values differ")


def test_the_only_column_is_an_input_whatever_it_is(tmp_path):
    for cells, kind in ((lambda i: i, "number"), (lambda i: f"u{i}", "category")):
        stream = from_file(table(tmp_path, x=cells))
        assert stream.columns.kinds == {"x": kind}
        assert "is all there is to learn from" in stream.columns.warnings[0]


def test_dates_are_the_same_inputs_in_every_format(tmp_path):
    moments = [moment(i) for i in range(N)]
    labels = [i % 2 for i in range(N)]
    files = [table(tmp_path, when=[each.isoformat(" ") for each in moments])]
    arrow = pa.table({"when": pa.array(moments, pa.timestamp("ms")), "y": labels})
    pa.parquet.write_table(arrow, tmp_path / "t.parquet")
    pa.feather.write_feather(arrow, tmp_path / "t.arrow")
    seconds = [int((each - datetime.datetime(1970, 1, 1)).total_seconds()) for each in moments]
    lines = [f"{second},{label}" for second, label in zip(seconds, labels, strict=True)]
    numbers = write(tmp_path, "when,y\n" + "\n".join(lines), "seconds.csv")
    arff = "@relation r\n@attribute when date 'yyyy-MM-dd HH:mm'\n@attribute y {0,1}\n@data\n"
    arff += "".join(f"'{each:%Y-%m-%d %H:%M}',{i % 2}\n" for i, each in enumerate(moments))
    streams = [from_file(path) for path in [*files, tmp_path / "t.parquet", tmp_path / "t.arrow"]]
    streams += [from_file(numbers, date="when"), from_file(write(tmp_path, arff, "t.arff"))]
    expected = np.column_stack(
        [np.arange(N) * 5 / 24, [each.hour + each.minute / 60 for each in moments]]
        + [f(2 * np.pi * np.array(turn)) for turn in (
            [(each.hour + each.minute / 60) / 24 for each in moments],
            [each.weekday() / 7 for each in moments],
            [(each.month - 1) / 12 for each in moments],
        ) for f in (np.sin, np.cos)]
    )
    for stream in streams:
        np.testing.assert_allclose(whole(stream)[0], expected, atol=1e-6)
        assert stream.names[:3] == ("when.elapsed", "when.hour", "when.time_sin")
        assert stream.columns.kinds == {"when": "date"} and stream.columns.notes == {"when": "8 inputs"}
        check_stream(stream)


def test_days_have_no_time_and_times_no_day(tmp_path):
    path = table(tmp_path, day=lambda i: f"{moment(i):%Y-%m-%d}", clock=lambda i: f"{moment(i):%H:%M}")
    assert from_file(path).names == (
        "day.elapsed", "day.weekday_sin", "day.weekday_cos", "day.month_sin", "day.month_cos",
        "clock.hour", "clock.time_sin", "clock.time_cos",
    )
    assert from_file(path, date_parts=["time"]).names == ("clock.hour", "clock.time_sin", "clock.time_cos")
    days = pa.table({"day": pa.array([moment(i).date() for i in range(N)]), "y": [i % 2 for i in range(N)],
                     "clock": pa.array([moment(i).time() for i in range(N)])})
    pa.parquet.write_table(days, tmp_path / "t.parquet")
    typed = from_file(tmp_path / "t.parquet", target="y")
    np.testing.assert_allclose(whole(typed)[0], whole(from_file(path))[0], atol=1e-12)


def test_time_zones_move_the_elapsed_time_only(tmp_path):
    zones = ["+00:00", "+02:00", "-0530", "Z"]
    path = table(tmp_path, t=lambda i: f"2024-05-01T12:00:00{zones[i % 4]}")
    rows = whole(from_file(path))[0]
    np.testing.assert_allclose(rows[:4, 0] * 24, [0, -2, 5.5, 0], atol=1e-9)
    assert (rows[:, 1] == 12).all() and not np.ptp(rows[:, 1:], axis=0).any()


def test_missing_dates_are_missing_and_bad_ones_named(tmp_path):
    cells = [" ?" if i == 3 else "" if i == 4 else f"{moment(i):%Y-%m-%d}" for i in range(N)]
    rows = whole(from_file(table(tmp_path, day=cells)))[0]
    assert np.isnan(rows[3:5]).all() and not np.isnan(rows[5:]).any()
    lines = ["2024-01-01,0", "2024-01-02,1"] * 6000 + ["soon,1"]
    path = write(tmp_path, "day,y\n" + "\n".join(lines))
    assert "data row 12001, column 'day': 'soon' is not a date as the first rows have them" in complaint(path)
    assert "column 'y': the first rows are not all dates" in complaint(
        table(tmp_path, a=lambda i: i % 3, y=lambda i: "uv"[i % 2]), target="a", date="y")


def test_day_or_month_first_as_is_told(tmp_path):
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(12)]
    for form, order in (("%d/%m/%Y", None), ("%d/%m/%Y", "dmy"), ("%m/%d/%Y", "mdy")):
        lines = [f"{day.strftime(form)},{day.day % 2}" for day in days]
        stream = from_file(write(tmp_path, "day,y\n" + "\n".join(lines)), date_order=order)
        assert whole(stream)[0][:, 0].tolist() == list(range(12))
        assert any("day.month.year" in each for each in stream.columns.warnings) == (order is None)


def test_decimal_commas_are_numbers(tmp_path):
    path = table(tmp_path, ";", a=lambda i: f"{i},5", b=lambda i: f"1.{i:03},25", c=lambda i: i % 3 + 0.5)
    stream = from_file(path)
    i = np.arange(N)
    np.testing.assert_allclose(whole(stream)[0], np.column_stack([i + 0.5, 1000 + i + 0.25, i % 3 + 0.5]))
    assert stream.columns.notes == {"a": "decimal comma", "b": "decimal comma, thousands points removed"}
    same = table(tmp_path, ";", a=lambda i: f"{i % 3},5")
    assert (kinds(same), kinds(same, decimal=".")) == ({"a": "number"}, {"a": "category"})
    lines = [f"{k % 7},5;2;{k % 2}" for k in range(20)]
    headless = from_file(write(tmp_path, "\n".join(lines)))
    assert headless.n_features == 2 and headless.n_rows == 20


def test_a_decimal_comma_does_not_hide_infinity(tmp_path):
    path = table(tmp_path, ";", a=lambda i: "1.028,51e308" if i == 3 else f"{i},5", b=lambda i: i % 3)
    with pytest.raises(StreamError, match="row 4, column 'a': inf is not a finite number"):
        whole(from_file(path))
    stream = from_file(path, on_error="skip")
    assert len(whole(stream)[0]) == N - 1


@pytest.mark.parametrize(("delimiter", "price", "debt"), [
    (";", "{},5", "({}.250)"), (";", "{},5", "{}.250"), ("\t", "€{}.5", "({},250)"), (";", "€{}.5", "{},250"),
])
def test_thousands_are_told_from_decimals_by_the_other_columns(tmp_path, delimiter, price, debt):
    path = table(tmp_path, delimiter, price=lambda i: price.format(i + 1), debt=lambda i: debt.format(i + 1))
    stream = from_file(path)
    assert whole(stream)[0][0].tolist() == [1.5, -1250 if "(" in debt else 1250]
    assert stream.columns.warnings == ()


def test_a_decimal_comma_beside_markers_of_missing_values(tmp_path):
    path = table(tmp_path, ";", a=lambda i: "n/a" if i == 3 else i, b=lambda i: f"{i},5")
    assert np.isnan(whole(from_file(path, decimal=","))[0][3, 0])


def test_columns_with_both_decimal_points_tell_nothing_of_a_third(tmp_path):
    path = table(tmp_path, ";", a=lambda i: f"{i},5", b=lambda i: f"{i}.5", c=lambda i: f"{i + 1}.250")
    assert whole(from_file(path))[0][0].tolist() == [0.5, 0.5, 1.25]


def test_commas_in_numbers_from_a_thousand_on_only_are_thousands(tmp_path):
    stream = from_file(table(tmp_path, ";", a=lambda i: f"{17 * i:,}", b=lambda i: i % 3))
    assert whole(stream)[0][100, 0] == 1700
    assert "may have a decimal point or not" in stream.columns.warnings[0]


def test_thousands_and_decimal_commas_that_look_alike(tmp_path):
    cells = [f'"{i + 1},250"' for i in range(N)]
    stream = from_file(table(tmp_path, a=cells, b=lambda i: i % 3))
    assert whole(stream)[0][0, 0] == 1250 and "may have a decimal point or not" in stream.columns.warnings[0]
    assert whole(from_file(table(tmp_path, a=cells, b=lambda i: i % 3), decimal=","))[0][0, 0] == 1.25
    assert whole(from_file(table(tmp_path, ";", a=cells, b=lambda i: i % 3)))[0][0, 0] == 1.25
    stream = from_file(table(tmp_path, a=[f'"{i + 1},250.75"' for i in range(N)], b=lambda i: i % 3))
    assert whole(stream)[0][0, 0] == 1250.75 and stream.columns.warnings == ()


@pytest.mark.parametrize(
    ("cell", "kind", "words"),
    [
        (lambda i: f"{moment(i):%Y-%m-%d}", "date", "'soon' is not a date"),
        (lambda i: f"{i},5", "number", "'soon' is not a number with a decimal comma"),
        (lambda i: f"{i}.5", "number", "'soon' is not a number"),
    ],
)
def test_a_few_wrong_cells_do_not_change_the_kind(tmp_path, cell, kind, words):
    path = table(tmp_path, ";", x=lambda i: {0: "soon", 250: "later"}.get(i, cell(i)), a=lambda i: i % 5)
    assert kinds(path) == {"x": kind, "a": "number"}
    assert f"data row 1, column 'x': {words}" in complaint(path)
    stream = from_file(path, on_error="skip")
    assert len(whole(stream)[0]) == N - 2 and stream.skipped == 2
    assert len(whole(from_file(path, categorical="x"))[0]) == N


def test_dates_that_are_told_may_be_wrong_more_often(tmp_path):
    path = table(tmp_path, x=lambda i: "soon" if i % 3 == 0 else f"{moment(i):%Y%m%d}", a=lambda i: i % 5)
    stream = from_file(path, date="x", on_error="skip")
    assert len(whole(stream)[0]) == N * 2 / 3 and stream.skipped == N / 3


def test_words_of_a_text_are_counted(tmp_path):
    path = table(tmp_path, note=lambda i: f"Order {i}: the the box", a=lambda i: i % 5)
    stream = from_file(path, n_words=64)
    rows = whole(stream)[0]
    assert rows.shape == (N, 65) and (rows[:, :64].sum(axis=1) == 5).all()
    common = np.flatnonzero((rows[:, :64] > 0).all(axis=0))
    assert rows[0, common].max() >= 2 and len(common) <= 3
    assert stream.columns.notes["note"] == "64 inputs, hashed words" and stream.names[63] == "note.word63"
    assert from_file(path, n_words=0).names == ("a",)
    assert from_file(path, categorical="note").n_categories.tolist() == [N, 0]
    assert from_file(path, text="a", n_words=4).columns.kinds == {"note": "text", "a": "text"}


def test_true_and_false_have_the_codes_of_booleans(tmp_path):
    path = table(tmp_path, b=lambda i: ["True", "false"][i % 2])
    assert whole(from_file(path))[0][:2].tolist() == [[1], [0]]


@pytest.mark.parametrize("missing", ["NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", ""])
def test_missing_markers(tmp_path, missing):
    rows = whole(from_file(write(tmp_path, f"a,b,y\n{missing},red,0\n1.5,{missing},1\n")))[0]
    np.testing.assert_array_equal(rows, [[np.nan, 0], [1.5, np.nan]])


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"t": lambda i: 1_700_000_000 + 60 * i}, "'t' looks like time since 1970"),
        ({"t": lambda i: f"{moment(i):%Y%m%d}"}, "'t' looks like dates"),
        ({"n": lambda i: i * 7919 % 10_007}, "'n': all values differ; if it is an id"),
        ({"m": lambda i: "oops" if i % 9 == 0 else i % 7}, "'m' has numbers and words such as 'oops'"),
        ({"copy": lambda i: "uv"[i % 2]}, "'copy' equals the target in the first rows"),
        ({"y": lambda i: i % 150}, "the target 'y' has 150 classes"),
        ({"y": lambda i: 7}, "'y' has one class in the first rows: is it the column of labels? 'a' may be"),
        ({"y": lambda i: i % 3, "z": lambda i: i % 2}, "the target is 'z', the last column; 'y' may be it"),
    ],
)
def test_likely_mistakes_are_pointed_out(tmp_path, columns, words):
    warnings = from_file(table(tmp_path, a=lambda i: i % 5, **columns)).columns.warnings
    assert len(warnings) == 1 and words in warnings[0]


def test_nothing_is_said_about_an_ordinary_file(tmp_path):
    path = table(tmp_path, a=lambda i: i * 0.37 % 1, b=lambda i: "red" if i % 3 else "blue")
    found = from_file(path).columns
    assert found.warnings == () and found.notes == {}
    assert found.in_words() == [("target", "y"), ("number", "a"), ("category", "b")]
    assert found.to_plain()["category"] == ["b"]


def test_options_are_checked(tmp_path):
    path = table(tmp_path, a=lambda i: i % 5)
    for options in ({"decimal": ";"}, {"date_parts": ["century"]}, {"n_words": -1}):
        with pytest.raises(ValueError, match=next(iter(options))):
            from_file(path, **options)
    pa.parquet.write_table(pa.table({"a": [1.5, 2.5], "y": [0, 1]}), tmp_path / "t.parquet")
    for options in ({"header": True}, {"delimiter": ";"}, {"decimal": ","}):
        with pytest.raises(ValueError, match="is for CSV files"):
            from_file(tmp_path / "t.parquet", **options)
    days = pa.table({"a": [1.5], "day": [datetime.date(2024, 1, 1)]})
    pa.parquet.write_table(days, tmp_path / "t.parquet")
    assert "the last column 'day' has dates" in complaint(tmp_path / "t.parquet")
    assert "the target 'day' has dates" in complaint(tmp_path / "t.parquet", target="day")


def test_files_and_steps_of_pipelines_make_the_same_inputs_of_a_date(tmp_path):
    seconds = [-86_400 * 365 * 90, -1, 0, 951_782_400, 1_709_208_000, 4_000_000_000] * (N // 6)
    texts = [f"{datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=s)}" for s in seconds]
    step = Dates([0]).fit(np.array(seconds[:1], float)[:, None])
    rows = whole(from_file(table(tmp_path, when=texts)))[0]
    np.testing.assert_array_equal(rows, step.transform(np.array(seconds, float)[:, None]))
    assert rows[4, 1] == 12


def test_moments_beyond_all_dates_are_missing_and_hours_stay_below_24():
    odd = np.array([np.nan, 1e300, -np.inf, -1e-20, 86_400 - 1e-11, -86_400.0])
    X = date_inputs(odd, odd, 0.0, ("time", "elapsed", "month", "weekday"))
    assert X.shape == (6, 8) and np.isnan(X[:3]).all()
    assert ((X[3:, 1] >= 0) & (X[3:, 1] < 24)).all()
    np.testing.assert_allclose(X[3:, 4], np.sin(2 * np.pi * np.array([3, 3, 2]) / 7), atol=1e-12)


def test_yes_and_no_are_named_alike(tmp_path):
    said = ["Y", "no", "yes", "No", "Yes", "no", "Y", "N"] * (N // 8) + ["Y"] * (N % 8)
    stream = from_file(table(tmp_path, a=said, y=said))
    assert stream.classes.tolist() == ["Y", "N"] or stream.classes.tolist() == ["N", "Y"]
    assert InputColumns(stream).categories(0) == ["Y", "N"]


@pytest.mark.parametrize(
    ("layout", "text"),
    [(date_layouts.CLOCK, "09:30"), (date_layouts.NUMBER, "1709285"), (date_layouts.DAY_FIRST, "1.3.2024")],
)
def test_dates_are_read_the_same_by_a_copy(layout, text):
    reader = ReadDates((layout,), 0.0, ("elapsed",))
    for each in (reader, copy.deepcopy(reader)):
        X, problems = each.read(pa.array([text]))
        assert X > 0 and not problems


def test_what_is_known_stays_known_however_long_it_is():
    codes = Codes(["w" * 600, "a"], grows=True)
    assert codes.of(["w" * 600, "v" * 513, "v" * 512, "a"]).tolist() == [0, UNKNOWN, 2, 1]
    assert codes.extend(["u" * 700, "b"]) and codes.of(["b", "u" * 700]).tolist() == [4, 3]
    assert not codes.extend(["c", "a"]) and not codes.extend(["c", "c"]) and len(codes) == 5


def test_a_column_that_equals_the_target_wherever_it_is_known_is_named():
    rows = [{"copy": "uv"[i % 2] if i % 3 else None, "other": "uv"[i % 2] if i % 51 else "v",
             "y": "ab"[i % 2] if i % 5 else None} for i in range(2000)]
    with pytest.warns(ColumnWarning):
        model = thalweg.Model(target="y", learner="NaiveBayes").learn(rows)
    said = " ".join(map(str, model.columns.warnings))
    assert "'copy' equals the target in the first rows" in said
    assert "'other' equals" not in said


def test_columns_with_few_values_are_compared_with_the_target_at_the_cost_of_these():
    rows = [{f"k{i}": i % 7, "y": i % 2} for i in range(800)]
    start = time.process_time()
    thalweg.Model(target="y", learner="NaiveBayes").learn(rows)
    assert time.process_time() - start < 0.6  # with the missing cells it takes three times as long
