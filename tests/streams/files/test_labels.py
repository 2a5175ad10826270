"""The quick scan that finds a text file's labels gives what parsing gives, wherever the file is cut."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.file_rows import write

from thalweg.errors import StreamError
from thalweg.streams import from_file
from thalweg.streams.files import text_files
from thalweg.streams.files._native.text_cells import distinct_cells
from thalweg.streams.files.csv_files import csv_source
from thalweg.streams.files.text_files import PIECE, Pieces

HEADER = "a,b,y"
LINES = ["1.5,red,up", "2.5,blue,down", "", "3.5,red,up", "4.5,,?", "5.5,red,sideways"]


def scanned(source, name):
    """Labels, rows and complaints of the scan."""
    pieces = list(source.distinct(name))
    problems = [problem for _, _, bad in pieces for problem in bad]
    return {v for values, _, _ in pieces for v in values}, sum(n for _, n, _ in pieces), problems


def parsed(source, name):
    """The same by parsing the column."""
    batches = list(source.batches([name]))
    values = {v for batch in batches for v in batch.rows.column(0).to_pylist()}
    return values, sum(b.rows.num_rows for b in batches), [p for b in batches for p in b.problems]


def without_missing(found):
    values, n_rows, problems = found
    return {v for v in values if v not in (None, "", "?")}, n_rows, problems


@pytest.fixture
def no_parsing(monkeypatch):
    """Fail if a piece is parsed instead of scanned."""

    def refuse(*_):
        raise AssertionError("a plain piece was parsed")

    monkeypatch.setattr(text_files.TextSource, "_parse", refuse)


def test_cells_of_any_column_in_order_of_appearance():
    text = b"a,1,x\nb,1,\r\n\n\r\na,2,x"
    assert distinct_cells(text, ord(","), 3, 0) == (3, [b"a", b"b"])
    assert distinct_cells(text, ord(","), 3, 1) == (3, [b"1", b"2"])
    assert distinct_cells(text, ord(","), 3, 2) == (3, [b"x", b""])


@pytest.mark.parametrize("text", [b"a,b\nc\n", b"a,b\nc,d,e\n", b"a,b\n \n", b"a\nb,c,d\n"])
def test_a_row_of_another_length_is_left_to_the_parser(text):
    with pytest.raises(ValueError, match="equal length"):
        distinct_cells(text, ord(","), 2, 1)


def test_room_for_2048_cells_even_when_they_share_slots():
    lines = [f"1,{k}" for k in range(2048)]
    n_rows, cells = distinct_cells("\n".join(lines * 2).encode(), ord(","), 2, 1)
    assert n_rows == 4096 and cells == [str(k).encode() for k in range(2048)]
    with pytest.raises(ValueError, match="too many"):
        distinct_cells("\n".join([*lines, "1,2048"]).encode(), ord(","), 2, 1)


def test_a_row_longer_than_a_byte_can_count():
    row = ",".join(["7"] * 999 + ["last"])
    assert distinct_cells(f"{row}\n{row}".encode(), ord(","), 1000, 999) == (2, [b"last"])


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_cut_at_every_place(tmp_path, monkeypatch, no_parsing, line_end, final):
    text = line_end.join([HEADER, *LINES]) + line_end * final
    path = write(tmp_path, text)
    for size in range(1, len(text) + 2):
        monkeypatch.setattr(text_files, "PIECE", size)
        found = scanned(csv_source(Pieces(path))[0], "y")
        assert found == ({"up", "down", "?", "sideways"}, 5, []), size


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_rows_are_the_same_wherever_the_file_is_cut(tmp_path, monkeypatch, line_end):
    text = line_end.join([HEADER, *LINES, '6.5,"red, or so",up', ""])
    path = write(tmp_path, text)
    for size in range(1, len(text) + 2):
        monkeypatch.setattr(text_files, "PIECE", size)
        stream = from_file(path)
        blocks = list(stream.coded_blocks(4))
        assert stream.classes.tolist() == ["down", "sideways", "up"] and stream.n_rows == 6
        assert np.concatenate([X[:, 0] for X, _ in blocks]).tolist() == [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
        assert np.concatenate([codes for _, codes in blocks]).tolist() == [2, 0, 2, -1, 1, 2]


cell = st.text(st.sampled_from("ab1. ?\u00e9-"), max_size=3)
row = st.lists(cell, min_size=3, max_size=3) | st.lists(cell, min_size=1, max_size=5)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(row, min_size=1, max_size=12),
    quoted=st.booleans(),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    size=st.integers(1, 60),
    name=st.sampled_from(["a", "b", "y"]),
)
def test_the_scan_finds_what_parsing_finds(tmp_path, monkeypatch, rows, quoted, line_end, size, name):
    lines = [
        ",".join(f'"{cell}"' if quoted and k % 3 == 2 else cell for cell in cells)
        for k, cells in enumerate(rows)
    ]
    monkeypatch.setattr(text_files, "PIECE", size)
    source = csv_source(Pieces(write(tmp_path, line_end.join([HEADER, *lines]))), header=True)[0]
    assert without_missing(scanned(source, name)) == without_missing(parsed(source, name))


def test_quotes_that_appear_late(tmp_path):
    plain = "1.5,red,up\n" * (2 * PIECE // 11)
    path = write(tmp_path, f'{HEADER}\n{plain}2.5,"red, blue\nor green","do, wn"\n')
    stream = from_file(path, scan_labels=True)
    assert stream.classes.tolist() == ["do, wn", "up"] and stream.n_rows == 2 * PIECE // 11 + 1
    assert sum(len(X) for X, _ in stream.coded_blocks()) == stream.n_rows


def test_rows_longer_than_a_piece(tmp_path):
    word = "w" * (PIECE + 7)
    path = write(tmp_path, f"a,b,y\n1.5,{word},u\n2.5,red,v\n3.5,{word},u\n")
    stream = from_file(path, ignore=["b"])
    assert stream.classes.tolist() == ["u", "v"] and stream.n_rows == 3
    assert np.concatenate([X for X, _ in stream.coded_blocks()]).tolist() == [[1.5], [2.5], [3.5]]


def test_a_late_row_of_another_length_is_named_and_gives_no_label(tmp_path):
    n = 2 * PIECE // 11
    path = write(tmp_path, f"{HEADER}\n" + "1.5,red,up\n" * n + "1.5,red,down,no\n2.5,maybe\n")
    for scan in (False, True):
        with pytest.raises(StreamError, match=f"data row {n + 1}: 4 columns instead of 3"):
            list(from_file(path, scan_labels=scan).coded_blocks())
    stream = from_file(path, on_error="skip", scan_labels=True)
    assert stream.classes.tolist() == ["up"]
    assert sum(len(X) for X, _ in stream.coded_blocks()) == n and stream.skipped == 2


def test_a_late_label_that_is_not_utf_8(tmp_path):
    path = write(tmp_path, f"{HEADER}\n".encode() + b"1.5,red,up\n" * (2 * PIECE // 11) + b"1.5,red,\xe9\n")
    for scan in (False, True):
        with pytest.raises(StreamError, match="is not UTF-8 text"):
            list(from_file(path, scan_labels=scan, encoding="utf-8").coded_blocks())
