"""What is wrong with a file: the row, column and value are named, or the row is left out and counted."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from support.file_rows import complaint, whole, write

from thalweg.streams import from_file

ARFF = """@relation r
@attribute price real
@attribute 'the colour' {blue,'dark, red'}
@attribute class {up,down}
@data
% in between
1.5,'dark, red',up
?,blue,down
"""


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1.5,abc,0,u", "column 'b': 'abc' is not a number; if this is a column of categories"),
        ("1.5,inf,0,u", "column 'b': inf is not a finite number"),
        ("1.5,-1e999,0,u", "column 'b': -inf is not a finite number"),
        ("1.5,2,x,u", "column 'c': 'x' is not a number"),
        ("1.5,2,0", ": 3 columns instead of 4: '1.5,2,0'"),
        ("1.5,2,0,u,7", ": 5 columns instead of 4: '1.5,2,0,u,7'"),
        ("1.5,2,0,w", "column 'y': 'w' is not one of the labels u, v"),
    ],
)
@pytest.mark.parametrize("at", [7, 40_000])
def test_bad_rows_are_named_or_skipped(tmp_path, row, message, at):
    lines = ["2.5,3.25,1,u", "3.5,4.25,0,v"] * 21_000
    expected = np.array([[2.5, 3.25, 1], [3.5, 4.25, 0]] * 21_000)
    lines.insert(at - 1, row)
    path = write(tmp_path, "a,b,c,y\n\n" + "\n".join(lines) + "\n")
    text = complaint(path, classes=["u", "v"])
    assert f"{path}, data row {at}" in text and message in text
    stream = from_file(path, on_error="skip", classes=["u", "v"])
    rows, codes = whole(stream)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(codes, np.arange(42_000) % 2)
    assert stream.skipped == 1 and text.startswith(stream.messages[0]) and stream.n_rows is None


def test_many_bad_rows_are_counted_and_the_first_described(tmp_path):
    bad = {4: "2.5", 9: "x1,1", 19: "x2,1"}
    lines = [bad.get(k % 50, f"{k}.5,{k % 2}") for k in range(50_000)]
    stream = from_file(write(tmp_path, "a,y\n" + "\n".join(lines)), on_error="skip")
    rows, codes = whole(stream)
    assert len(rows) == 47_000 and stream.skipped == 3000 and len(stream.messages) == 5
    kept = np.array([k for k in range(50_000) if k % 50 not in bad])
    np.testing.assert_array_equal(rows[:, 0], kept + 0.5)
    np.testing.assert_array_equal(codes, kept % 2)
    assert "data row 5: 1 columns" in stream.messages[0] and "data row 10, column 'a'" in stream.messages[1]


def test_arff_values_outside_the_header_are_named(tmp_path):
    path = write(tmp_path, ARFF + "1,green,up\n", "rows.arff")
    message = "rows.arff, data row 3, column 'the colour': 'green' is not in the list of this attribute"
    assert message in complaint(path)
    path = write(tmp_path, ARFF + "1,blue,sideways\n", "rows.arff")
    assert "data row 3, column 'class': 'sideways' is not one of the labels up, down" in complaint(path)


def test_infinity_in_parquet(tmp_path):
    pa.parquet.write_table(pa.table({"a": [1.0, np.inf, 3.0], "y": [0, 1, 0]}), tmp_path / "t.parquet")
    assert "t.parquet, data row 2, column 'a': inf is not a finite" in complaint(tmp_path / "t.parquet")


def packed(text):
    return gzip.compress(text.encode(), mtime=0)


def table_bytes(write_table):
    sink = io.BytesIO()
    write_table(pa.table({"a": np.arange(5000.0), "y": np.arange(5000) % 2}), sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("e.csv", b"", "e.csv is empty"),
        ("e.csv", b"\n\n", "e.csv is empty"),
        ("e.arff", b"", "e.arff is empty"),
        ("e.parquet", b"", "e.parquet cannot be read"),
        ("h.csv", b"a,b,c\n", "h.csv has no rows of data"),
        ("h.arff", b"@relation r\n@attribute a real\n@attribute b {0,1}\n@data\n", "has no rows of data"),
        ("h.arff", b"@relation r\n@attribute a real\n", "h.arff has no @data line"),
        ("h.arff", b"@relation r\n@data\n1,2\n", "h.arff has no @attribute line"),
        ("h.arff", b"@relation r\n@attribute a\n@data\n1\n", "cannot read '@attribute a'"),
        ("d.arff", b"@relation r\n@attribute a date\n@attribute b {0}\n@data\nx,0\n", "are not all dates"),
        ("r.arff", b"@relation r\n@attribute a relational\n@attribute b {0}\n@data\n1,0\n", "'relational'"),
        ("o.csv", b"a\n1\n2\n", "only one column"),
        ("t.csv", b"a,b,a\n1,2,3\n", "two columns are called 'a'"),
        ("m.csv", b"a,y\n1,?\n2,\n", "the target 'y' has no label"),
        ("u.csv", b"a,y\n1,\x81\n", "u.csv is neither UTF-8 nor cp1252 text"),
        ("g.csv.gz", packed("a,y\n" + "1.5,0\n2.5,1\n" * 90_000)[:900], "g.csv.gz cannot be read"),
        ("p.parquet", table_bytes(pa.parquet.write_table)[:-2000], "p.parquet cannot be read"),
        ("p.arrow", table_bytes(pa.feather.write_feather)[:-300], "p.arrow cannot be read"),
        ("p.csv", table_bytes(pa.parquet.write_table)[:900], "p.csv cannot be read"),
    ],
)
def test_unusable_files_get_one_line(tmp_path, name, content, message):
    assert message in complaint(write(tmp_path, content, name))


def test_no_file_and_a_folder(tmp_path):
    assert complaint(tmp_path / "none.csv").endswith("none.csv: there is no such file")
    assert "cannot be read" in complaint(tmp_path)
    with pytest.raises(ValueError, match="on_error"):
        from_file(tmp_path / "none.csv", on_error="ignore")


def quoted_rows(n):
    return [f'{k}.5,"a, {k % 3}",{k % 2}' for k in range(n)]


@pytest.mark.parametrize(
    "broken",
    ['7.5,"a, 1,0', '"7.5,a,0', '7.5,a,"0', '7.5,"a, 1"",0', '"7.5,"a, 1",0', '"7.5'],
)
@pytest.mark.parametrize("at", [0, 500, 998, 999])
def test_a_quote_that_is_never_closed_costs_one_row(tmp_path, broken, at):
    lines = quoted_rows(999)
    lines.insert(at, broken)
    path = write(tmp_path, "a,b,y\n" + "\n".join(lines) + "\n")
    assert f"data row {at + 1}: there is a quote that is never closed" in complaint(path)
    stream = from_file(path, on_error="skip")
    rows, codes = whole(stream)
    np.testing.assert_array_equal(rows[:, 0], np.arange(999) + 0.5)
    np.testing.assert_array_equal(codes, np.arange(999) % 2)
    assert stream.skipped == 1 and f"data row {at + 1}:" in stream.messages[0]


def test_rows_after_unclosed_quotes_keep_their_numbers(tmp_path):
    lines = quoted_rows(60_000)
    for at in (50_000, 30_000, 20_000, 100):
        lines.insert(at, '1.5,"a,0')
    lines[40_002] = "oops,1,0"
    lines[40_003] = '1.5,"over\nlines",0'
    lines[40_004] = "7"
    stream = from_file(write(tmp_path, "a,b,y\n" + "\n".join(lines) + "\n"), on_error="skip")
    assert len(whole(stream)[0]) == 60_000 - 2 and stream.skipped == 6
    assert [message.split("data row ")[1].split(":")[0].split(",")[0] for message in stream.messages] == [
        "101", "20002", "30003", "40003", "40005"
    ]


def test_an_unclosed_quote_in_arff(tmp_path):
    rows = ["1.5,'dark, red',up", "1.5,'dark, red,up", "2.5,blue,down", "3.5,'dark, red',up"]
    stream = from_file(write(tmp_path, ARFF + "\n".join(rows) + "\n", "rows.arff"), on_error="skip")
    assert whole(stream)[0][:, 0].tolist()[2:] == [1.5, 2.5, 3.5] and stream.skipped == 1


def test_an_error_in_a_row_says_how_to_skip_such_rows(tmp_path):
    path = write(tmp_path, "a,b,y\n" + "1,2,0\n" * 100 + "1,2\n")
    assert complaint(path).endswith("; to leave out rows that cannot be read, pass on_error='skip'")


def test_all_rows_skipped_is_an_error(tmp_path):
    path = write(tmp_path, "a,b,y\n" + "1,2\n" * 100)
    assert "no row could be read; data row 1: 2 columns instead of 3" in complaint(path, on_error="skip")
    path = write(tmp_path, "a,b,y\n" + "1,inf,x\n" * 100)
    assert "no row could be read" in complaint(path, on_error="skip")
