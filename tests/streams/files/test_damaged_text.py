"""Limits that keep damaged text from taking all memory or time, or from swallowing rows."""

import bz2
import time

import numpy as np
import pytest
from support.file_rows import complaint, whole, write

from thalweg.streams import from_file
from thalweg.streams.files import arff, text_files

ROWS = "1,p,u\n2,q,v\n" * 400


@pytest.fixture
def short_rows(monkeypatch):
    monkeypatch.setattr(text_files, "PIECE", 1000)
    monkeypatch.setattr(text_files, "MAX_ROW", 5000)
    monkeypatch.setattr(arff, "MAX_ROW", 5000)


def test_text_without_line_ends(tmp_path, short_rows):
    assert len(whole(from_file(write(tmp_path, "a,b,y\n" + ROWS)))[0]) == 800
    message = "rows.csv is damaged or no text: no line ends in 5000 bytes"
    assert complaint(write(tmp_path, "a,b,y\n" + ROWS + "1,p " * 2000)).endswith(message)
    packed = bz2.compress(b"a,b,y\n" + b"1,p," * 2_000_000)
    assert complaint(write(tmp_path, packed)).endswith(message)


def test_an_arff_header_without_its_data_line_is_given_up(tmp_path, short_rows):
    header = "@relation r\n@attribute a real\n@attribute b {p,q}\n@attribute y {u,v}\n"
    assert len(whole(from_file(write(tmp_path, header + "@data\n" + ROWS)))[0]) == 800
    padded = header + "% a comment\n" * 200 + "@data\n" + ROWS
    assert len(whole(from_file(write(tmp_path, padded)))[0]) == 800
    text = complaint(write(tmp_path, header + "@dat\n" + ROWS * 2))
    assert text.endswith("rows.csv has no @data line in its first 5000 bytes")


def test_the_line_that_begins_the_data_may_stand_anywhere_in_a_piece(tmp_path, monkeypatch):
    text = "@relation r\n@attribute a real\n@attribute y {u,v}\n@data\n1,u\n2,v\n"
    path = write(tmp_path, text, "rows.arff")
    for size in range(1, len(text)):
        monkeypatch.setattr(text_files, "PIECE", size)
        assert whole(from_file(path))[0].tolist() == [[1], [2]]


def test_more_columns_than_anyone_has(tmp_path):
    message = "is damaged or no text: it has more than 100000 columns"
    assert complaint(write(tmp_path, "," * 3_000_000 + "\n1,2\n")).endswith(message)
    assert complaint(write(tmp_path, bz2.compress(b";" * 3_000_000))).endswith(message)


def test_a_quote_that_never_ends(tmp_path):
    text = complaint(write(tmp_path, 'a,"b,y\n' + "1,2,u\n" * 30_000))
    assert "rows.csv, first row: field larger than field limit" in text and "a quote that never ends?" in text
    for lost in ('1,p,"u\n', '1,"x,u\n'):
        path = write(tmp_path, "a,b,y\n" + ROWS + lost + ROWS * 30 + '1","u\n' * ("x" in lost))
        assert "data row 801: there is a quote that is never closed" in complaint(path)
        stream = from_file(path, on_error="skip")
        assert len(whole(stream)[0]) == 31 * 800 and stream.skipped == 1 + ("x" in lost)
        assert stream.n_categories.tolist() == [0, 2] and stream.classes.tolist() == ["u", "v"]


def test_a_cell_of_thousands_of_lines_is_refused(tmp_path):
    path = write(tmp_path, "a,b,y\n" + ROWS + '1,"' + "x,y\n" * 30_000 + '",u\n' + ROWS)
    assert "data row 801, column 'b'" in complaint(path)
    stream = from_file(path, on_error="skip")
    assert len(whole(stream)[0]) == 1600 and stream.skipped == 1


def test_nothing_but_blanks_for_long(tmp_path):
    assert "has only one column" in complaint(write(tmp_path, " \n" * 40_000 + "a;y\n1;u\n2;v\n"))


def test_the_time_for_blanks_in_an_arff_list_grows_as_they_do(tmp_path):
    def seconds(n):
        blank = " " * n
        values = f"{blank}p{blank}q,{blank}'r'{blank}, s"
        path = write(tmp_path, f"@relation r\n@attribute a {{{values}}}\n@attribute y {{0,1}}\n@data\ns,0\n")
        begin = time.process_time()
        stream = from_file(path)
        spent = time.process_time() - begin
        assert stream.inputs[0].codes.values == [f"p{blank}q", "r", "s"]
        return spent

    few = min(seconds(5000) for _ in range(3))
    assert min(seconds(50_000) for _ in range(3)) < 40 * few  # 100 times, if each blank met each


@pytest.mark.parametrize("position", ["-1", "2", "1_0", "x", "0.5"])
def test_positions_a_sparse_row_cannot_have(tmp_path, position):
    header = "@relation r\n@attribute a real\n@attribute y {u,v}\n@data\n"
    path = write(tmp_path, f"{header}{{0 1.5, 1 v}}\n{{{position} 7}}\n")
    assert "data row 2: 1 columns instead of 2: '{" in complaint(path)
    rows, codes = whole(from_file(path, on_error="skip"))
    np.testing.assert_array_equal(rows, [[1.5]])
    assert codes.tolist() == [1]


def test_lines_whose_quotes_pair_up_across_cells_are_lost_one_by_one(tmp_path):
    lines = ["7;green;0;up"] * 20
    lines[3:3] = ['-2;"dark;', '""red""";1;"dark;', '""red""";1;"dark;', '""red""";1;up']
    lines[:0] = ["price;colour;flag;class", '1.5;"a;\n""b""";0;up']
    path = write(tmp_path, "\n".join(lines) + "\n")
    stream = from_file(path, on_error="skip")
    assert len(whole(stream)[0]) == 21 and stream.skipped == 4


@pytest.mark.parametrize("place", [3, 3000])
@pytest.mark.parametrize(("column", "known"), [("b", [0, 2]), ("y", [0, 2])])
@pytest.mark.parametrize("scan", [False, True])
def test_a_category_or_a_label_of_more_than_512_characters_is_a_bad_row(tmp_path, place, column, known, scan):
    rows = [["1", "p", "u"], ["2", "q", "v"]] * 2000

    def text(rows):
        return "a,b,y\n" + "".join(",".join(row) + "\n" for row in rows)

    fits, too_long = "w" * 512, "w" * 513
    rows[place] = ["1", too_long, "u"] if column == "b" else ["1", "p", too_long]
    path = write(tmp_path, text(rows))
    message = complaint(path, scan_labels=scan)
    assert f"data row {place + 1}, column {column!r}" in message and "513 characters" in message
    stream = from_file(path, on_error="skip", scan_labels=scan)
    assert len(whole(stream)[0]) == len(rows) - 1 and stream.skipped == 1
    assert stream.n_categories.tolist() == known and stream.classes.tolist() == ["u", "v"]
    rows[place] = [fits if cell == too_long else cell for cell in rows[place]]
    assert len(whole(from_file(write(tmp_path, text(rows)), scan_labels=scan))[0]) == len(rows)


def test_long_sentences_are_text_and_not_too_long(tmp_path):
    rows = "".join(f"{i},{'one two three ' * (20 + 30 * (i % 2))},{'uv'[i % 2]}\n" for i in range(20))
    stream = from_file(write(tmp_path, "a,b,y\n" + rows))
    assert stream.columns.kinds["b"] == "text" and len(whole(stream)[0]) == 20
