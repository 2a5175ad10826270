"""What the cells of a file mean: decorated numbers, missing values, formats and spellings of one thing."""

import datetime
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from support.file_rows import complaint, whole, write
from typer.testing import CliRunner

from thalweg.commands.app import app
from thalweg.streams import from_file
from thalweg.streams.columns.number_text import decoration, parsed

N = 120


def rows(tmp_path, name="rows.csv", delimiter=",", **columns):
    """Write columns of N cells, quoted, and a label `y`; return the path."""
    cells = {name: [f(i) for i in range(N)] if callable(f) else f for name, f in columns.items()}
    cells.setdefault("y", [i % 2 for i in range(N)])
    table = [list(cells), *zip(*cells.values(), strict=True)]
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in table]
    return write(tmp_path, "\n".join(lines) + "\n", name)


def other(i):
    return i * 7 % 5 + 0.5


@pytest.mark.parametrize(
    ("text", "point", "value"),
    [
        ("€4,222.11", ".", 4222.11), ("$ 1,764.60", ".", 1764.6), ("12,50 EUR", ",", 12.5), ("13 %", ".", 13),
        ("(1,200)", ".", -1200), ("€(1,200.50)", ".", -1200.5), ("1 234 567,5", ",", 1234567.5),
        ("1\u00a0234", ",", 1234), ("1\u202f234.5", ".", 1234.5), ("1'234.50", ".", 1234.5),
        ("CHF 1’234.50", ".", 1234.5), ("80.25-", ".", -80.25), ("1.200,00- €", ",", -1200), ("−5", ".", -5),
        ("-€5", ".", -5), ("€ -5", ".", -5), ("US$5.00", ".", 5), ("$5.00 USD", ".", 5),
        ("kr. 1.234,5", ",", 1234.5), ("₹12,34,567.50", ".", 1234567.5), ("5,5 zł", ",", 5.5),
        ("1.5e-3", ".", 0.0015), ("-1,5e3", ",", -1500), (".5", ".", 0.5), ("5.", ".", 5), ("+7", ".", 7),
        ("12.50 kr.", ".", 12.5), ("- Rs. 500", ".", -500), ("(Fr. 20)", ".", -20),
    ],
)  # fmt: skip
def test_numbers_as_people_write_them(text, point, value):
    assert parsed(pa.array([text]), point).tolist() == [value]


@pytest.mark.parametrize(
    "text",
    ["", "-", "€", "%", "5 kg", "1,23", "12,34", "1.2.3", "--5", "(5", "5)", "-(5)", "-5-", "030 123",
     "1,2345", "1 23", "5%%", "5+", "A5", "5 5", "2024-01-05", "e5", "1e", "EUR"],
)  # fmt: skip
def test_what_is_no_number(text):
    assert np.isnan(parsed(pa.array([text]), ".")).all()


def test_units_are_known_by_sign_and_code():
    assert decoration(pa.array(["€5.50", "5 EUR", "eur 3", "7"]), ".").n_units == 1
    assert decoration(pa.array(["€5.50", "$5 USD"]), ".").n_units == 2
    assert decoration(pa.array(["5 %", "0", "7"]), ".").is_partial
    assert not decoration(pa.array(["5 %", "0"]), ".").is_partial


def test_three_decimals_of_money_are_thousands_and_that_is_said(tmp_path):
    path = rows(tmp_path, a=lambda i: f"{i + 1}.250 €", b=other)
    stream = from_file(path)
    assert whole(stream)[0][0, 0] == 1250
    assert "'a' may have a decimal comma or not: if not, pass decimal='.'" in stream.columns.warnings[0]
    assert whole(from_file(path, decimal="."))[0][0, 0] == 1.25


def test_percent_in_some_cells_only_is_pointed_out(tmp_path):
    path = rows(tmp_path, a=lambda i: f"{i}.5" + (" %" if i % 2 else ""), b=other)
    assert "'a' has % in some cells and not in others" in from_file(path).columns.warnings[0]


def test_a_column_that_is_named_numeric_may_be_decorated(tmp_path):
    path = rows(tmp_path, a=lambda i: "soon" if i % 9 == 0 else f"€{i % 4}", b=other)
    assert from_file(path).columns.kinds["a"] == "category"
    stream = from_file(path, numeric="a", on_error="skip")
    assert stream.columns.kinds["a"] == "number" and whole(stream)[0][0, 0] == 1 and stream.skipped == 14


def test_a_sign_of_money_may_come_late(tmp_path):
    lines = [f"{k % 900}.5,{k % 2}" for k in range(12_000)] + ['"€1,250.00",1', '"1,250",0', '"1,25",0']
    path = write(tmp_path, "a,y\n" + "\n".join(lines))
    stream = from_file(path, on_error="skip")
    assert whole(stream)[0][-2:, 0].tolist() == [1250, 1250] and stream.skipped_rows == [12_003]


def test_versions_sizes_and_codes_stay_categories(tmp_path):
    columns = {"version": lambda i: f"1.{i % 7}.2", "size": lambda i: ["S", "M", "5XL"][i % 3],
               "php": lambda i: f"php {i % 3 + 5}", "grade": lambda i: f"{i % 4 + 1}+",
               "ward": lambda i: f"{i % 9}A", "range": lambda i: f"{i % 5}-{i % 5 + 2}"}
    assert set(from_file(rows(tmp_path, **columns)).columns.kinds.values()) == {"category"}


@pytest.mark.parametrize(
    "marker", ["-", "--", ".", "n/a", "#N/A", "none", "None", "null", "?", "NaT", "–", "#DIV/0!"]
)
def test_markers_are_missing_among_numbers_and_dates(tmp_path, marker):
    day = datetime.date(2024, 1, 30)
    path = rows(tmp_path, a=lambda i: f" {marker} " if i % 10 == 3 else i * 1.5,
                day=lambda i: marker if i % 10 == 4 else day + datetime.timedelta(days=i),
                level=lambda i: [marker, "low", "high"][i % 3],
                price=lambda i: marker if i == 7 else f"€{i}.5")
    stream = from_file(path)
    X = whole(stream)[0]
    assert stream.columns.kinds == {"a": "number", "day": "date", "level": "category", "price": "number"}
    assert np.flatnonzero(np.isnan(X[:, 0])).tolist() == list(range(3, N, 10))
    assert np.flatnonzero(np.isnan(X[:, 1])).tolist() == list(range(4, N, 10))
    assert np.flatnonzero(np.isnan(X[:, -1])).tolist() == [7]
    found = stream.columns
    assert found.missing["a"] == {marker: 12} and f"missing: 12 × {marker}" in found.notes["day"]
    is_everywhere = marker in ("n/a", "#N/A", "null", "?")
    assert np.isnan(X[:, -2]).any() == is_everywhere and ("level" in found.missing) == is_everywhere


def test_words_alone_are_no_numbers(tmp_path):
    assert from_file(rows(tmp_path, a=lambda i: ["none", "-"][i % 2])).columns.kinds == {"a": "category"}


def test_named_markers_are_missing_everywhere_and_kept_in_the_schema(tmp_path):
    cells = {"a": lambda i: ["-999", "-999.0", "-9.99e2", 5.5][i % 4], "b": lambda i: ["unknown", "x"][i % 2],
             "c": lambda i: f"€{i}.5" if i % 2 else "€-999.00", "y": lambda i: ["u", "v", "unknown"][i % 3]}
    path = rows(tmp_path, **cells)
    stream = from_file(path, missing=["unknown", -999])
    X, codes = whole(stream)
    gaps = [[True, True, True], [True, False, False], [True, True, True], [False, False, False]]
    assert np.isnan(X[:4]).tolist() == gaps
    assert stream.classes.tolist() == ["u", "v"] and codes[:3].tolist() == [0, 1, -1]
    assert stream.columns.missing["y"] == {"unknown": 40}
    again, _ = whole(from_file(path, like=json.loads(json.dumps(stream.schema()))))
    np.testing.assert_array_equal(again, X)
    scanned = from_file(path, missing="unknown", scan_labels=True)
    assert scanned.classes.tolist() == ["u", "v"]
    table = pa.table({"a": [-999, 1, 2, 3], "b": ["unknown", "x", "x", "x"], "y": ["u", "v", "u", "v"]})
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    X, _ = whole(from_file(tmp_path / "t.parquet", missing=["unknown", "-999"], numeric="a"))
    assert np.isnan(X[0]).all() and not np.isnan(X[1:]).any()


def test_counts_say_how_many_rows_were_looked_at(tmp_path):
    lines = [f"{'-' if k % 100 == 0 else k % 7 + 0.5},{k % 2}" for k in range(20_000)]
    stream = from_file(write(tmp_path, "a,y\n" + "\n".join(lines)))
    assert stream.columns.notes["a"] == "missing in the first 10,000 rows: 100 × -"
    plain = stream.columns.to_plain()
    assert plain["missing"] == {"a": {"-": 100}}
    assert (plain["rows_seen"], plain["all_rows_seen"]) == (10_000, False)
    assert np.isnan(whole(stream)[0]).sum() == 200


def test_na_is_a_country_among_countries_and_missing_elsewhere(tmp_path):
    lands, towns = ["DE", "NA", "FR", "IT"], ["Bonn", "NA", "Bern"]
    path = rows(tmp_path, land=lambda i: lands[i % 4], town=lambda i: towns[i % 3])
    stream = from_file(path)
    X = whole(stream)[0]
    assert X[:4, 0].tolist() == [0, 1, 2, 3] and np.isnan(X[1, 1])
    assert stream.schema()["columns"][0]["match"] == "codes"
    np.testing.assert_array_equal(whole(from_file(path, like=stream))[0], X)
    assert np.isnan(whole(from_file(path, missing=["NA"]))[0][1]).all()


def test_dates_in_several_formats_are_one_column(tmp_path):
    forms = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y %H:%M", "%b %d, %Y", "%d %B %Y")
    days = [datetime.date(2023, 11, 20) + datetime.timedelta(days=2 * i) for i in range(N)]
    path = rows(tmp_path, day=lambda i: f"{days[i]:{forms[i % 5]}}", b=other)
    stream = from_file(path)
    assert whole(stream)[0][:, 0].tolist() == list(range(0, 2 * N, 2))
    assert stream.columns.warnings == () and stream.columns.notes == {"day": "5 inputs, 5 formats"}
    again = from_file(path, like=json.loads(json.dumps(stream.schema())))
    np.testing.assert_array_equal(whole(again)[0], whole(stream)[0])
    plain = rows(tmp_path, "plain.csv", day=lambda i: days[i], b=other)
    np.testing.assert_array_equal(whole(from_file(plain, like=stream))[0], whole(stream)[0])


def test_days_and_months_that_could_be_swapped_among_several_formats_are_pointed_out(tmp_path):
    days = [datetime.date(2024, 1 + i % 12, 1 + i * 5 % 12) for i in range(N)]
    path = rows(tmp_path, day=lambda i: f"{days[i]:%Y-%m-%d}" if i % 2 else f"{days[i]:%d/%m/%Y}", b=other)
    assert "'day': day and month could be swapped; taken as" in from_file(path).columns.warnings[0]


def test_spellings_of_yes_and_no_are_two_categories(tmp_path):
    words = ["Yes", "no", "yes", "Y", "NO", " n "]
    path = rows(tmp_path, a=lambda i: words[i % 6], t=lambda i: ["T", "FALSE", "true", "f"][i % 4], b=other)
    stream = from_file(path)
    X = whole(stream)[0]
    assert X[:6, 0].tolist() == [0, 1, 0, 0, 1, 1] and X[:4, 1].tolist() == X[4:8, 1].tolist() == [0, 1, 0, 1]
    merged = {"yes": {"Yes": 20, "yes": 20, "Y": 20}, "no": {"no": 20, "NO": 20, "n": 20}}
    assert stream.columns.merged["a"] == merged
    new = rows(tmp_path, "new.csv", a=lambda i: ["YES", "N"][i % 2], t=lambda i: "tF"[i % 2], b=other)
    again = from_file(new, like=json.loads(json.dumps(stream.schema())))
    assert whole(again)[0][:2, :2].tolist() == [[0, 0], [1, 1]]
    kept = from_file(path, categorical="a")
    assert kept.n_categories[0] == 6


def test_letters_of_two_pairs_are_no_booleans(tmp_path):
    stream = from_file(rows(tmp_path, a=lambda i: "TNF"[i % 3], b=other))
    assert stream.n_categories[0] == 3 and stream.columns.notes == {}


def test_spellings_of_a_label_are_one_class(tmp_path):
    labels = ["Yes", "yes", "yes", "Y", "NO", "No", "no", "no"]
    path = rows(tmp_path, a=other, b=lambda i: i % 3, y=lambda i: labels[i % 8])
    stream = from_file(path)
    codes = whole(stream)[1]
    assert stream.classes.tolist() == ["no", "yes"] and codes[:8].tolist() == [1, 1, 1, 1, 0, 0, 0, 0]
    assert "Yes, Y read as yes" in dict(stream.columns.in_words())["target"]
    assert from_file(path, scan_labels=True).classes.tolist() == ["no", "yes"]
    new = rows(tmp_path, "new.csv", a=other, b=lambda i: i % 3, y=lambda i: ["YES", "n"][i % 2])
    again = from_file(new, like=json.loads(json.dumps(stream.schema())))
    assert whole(again)[1][:2].tolist() == [1, 0] and again.classes.tolist() == ["no", "yes"]
    named = list(dict.fromkeys(labels))
    assert from_file(path, classes=named).classes.tolist() == named


@pytest.mark.parametrize(
    ("labels", "n_classes"),
    [(["setosa", "Setosa", "virginica"], 2), (["AA", "Aa", "aa"], 3), (["a", "A"], 2)],
)
def test_words_are_labels_without_case_and_short_codes_with_it(tmp_path, labels, n_classes):
    path = rows(tmp_path, a=other, b=lambda i: i % 3, y=lambda i: labels[i % len(labels)])
    assert len(from_file(path).classes) == n_classes


def test_zip_codes_and_phone_numbers_are_no_quantities(tmp_path):
    columns = {"zip": lambda i: 10_000 + i * 7919 % 7 * 1000, "office": lambda i: f"{i * 7919 % 7 * 997:05}",
               "phone": lambda i: f"0301{i * 7919 % 11:06}",
               "tel": lambda i: f"+49 30 {i * 7919 % 9 + 100:03} 555"}
    found = from_file(rows(tmp_path, **columns)).columns
    assert set(found.kinds.values()) == {"category"} and found.warnings == ()
    assert found.notes["office"] == "a code: leading zeros" and found.notes["zip"] == "a code by its name"
    assert from_file(rows(tmp_path, **columns), numeric="zip").columns.kinds["zip"] == "number"


def test_padded_numbers_and_quantities_stay_numbers(tmp_path):
    columns = {"month": lambda i: f"{i % 12 + 1:02}", "time": lambda i: f"{i % 24:02}30",
               "mobile": lambda i: i % 50, "postal_fee": lambda i: i % 40 + 0.5,
               "level": lambda i: f"{i % 90 / 10:08.3f}"}
    assert set(from_file(rows(tmp_path, **columns)).columns.kinds.values()) == {"number"}


def test_a_target_that_is_named_may_have_dates(tmp_path):
    path = rows(tmp_path, a=other, y=lambda i: i % 2, day=lambda i: f"2024-01-0{i % 7 + 1}")
    assert "'y' may be the column of labels: pass target='y'" in complaint(path)
    assert len(from_file(path, target="day").classes) == 7


def test_a_last_column_of_ids_without_a_better_one(tmp_path):
    path = rows(tmp_path, a=lambda i: i * 0.37, y=lambda i: f"u{i}")
    assert "has ids, which are no labels; name the column of labels: pass target='NAME'" in complaint(path)


def test_the_command_takes_markers(tmp_path):
    path = rows(tmp_path, a=lambda i: "-999" if i % 5 == 0 else i * 0.5, y=lambda i: "uv"[i % 2])
    command = ["run", str(path), "--learner", "NaiveBayes", "--json", "--missing", "-,-999"]
    shown = CliRunner().invoke(app, command)
    assert json.loads(shown.stdout)["columns"]["missing"] == {"a": {"-999": 24}}


def test_named_numbers_are_missing_in_sparse_rows_too(tmp_path):
    head = "@relation r\n@attribute a numeric\n@attribute b {u,v,gone}\n@attribute y {0,1}\n@data\n"
    text = head + "{0 -999,2 1}\n{0 2.5,1 gone}\n{1 v}\n"
    X = whole(from_file(write(tmp_path, text, "t.arff"), missing=["-999", "gone"]))[0]
    np.testing.assert_array_equal(X, [[np.nan, 0], [2.5, np.nan], [0, 1]])
    dense = head + "-999.0,u,1\n2.5,gone,0\n0,v,0\n"
    X = whole(from_file(write(tmp_path, dense, "d.arff"), missing=["-999", "gone"]))[0]
    np.testing.assert_array_equal(X, [[np.nan, 0], [2.5, np.nan], [0, 1]])


def test_a_flag_may_be_written_as_yes_and_no_in_another_file(tmp_path):
    known = from_file(rows(tmp_path, a=lambda i: i % 2, b=other))
    new = rows(tmp_path, "new.csv", a=lambda i: ["No", "Y"][i % 2], b=other)
    np.testing.assert_array_equal(whole(from_file(new, like=known))[0], whole(known)[0])


def test_a_marker_may_come_after_the_first_rows(tmp_path):
    lines = [f"{k % 900}.5,{k % 2}" for k in range(12_000)] + ["-,1", "none,0", "7,1"]
    stream = from_file(write(tmp_path, "a,y\n" + "\n".join(lines)))
    np.testing.assert_array_equal(whole(stream)[0][-3:, 0], [np.nan, np.nan, 7])
