"""The pieces of text files, also of those that others are writing."""

import os
import threading

import pytest

from thalweg.streams.files import text_files
from thalweg.streams.files.text_files import Pieces, growing_files

TEXT = b'a,b\n1,"x\ny"\n2,"p"\n3,"q\r\nr"\n44.25,z\n'
ENDS = {0: 0, 3: 0, 4: 4, 8: 4, 9: 4, 12: 12, 17: 12, 18: 18, 24: 18, 27: 27, 32: 27, 34: 27, 35: 35}


@pytest.mark.parametrize(("n", "end"), ENDS.items())
def test_of_a_growing_file_whole_rows_are_read(tmp_path, n, end):
    path = tmp_path / "rows.csv"
    path.write_bytes(TEXT[:n])
    with growing_files():
        pieces = Pieces(path)
    assert b"".join(pieces.read()) == TEXT[:end]
    assert pieces.has_rest == (end < n)
    plain = Pieces(path)
    assert b"".join(plain.read()) == TEXT[:n] and not plain.has_rest


def test_a_row_that_grows_while_it_is_read_stays_one(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"x\n144.")
    end, found = text_files._row_end, []

    def grow(*args):
        found.append(end(*args))
        if len(found) == 1:
            with path.open("ab") as file:
                file.write(b"04\n5\n")
        return found[-1]

    monkeypatch.setattr(text_files, "_row_end", grow)
    assert all(piece.endswith(b"\n") for piece in Pieces(path).read())
    assert len(found) == 2


def test_a_stray_quote_does_not_hold_up_a_growing_file(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "PIECE", 1 << 10)
    path = tmp_path / "rows.csv"
    path.write_bytes(b'1,5" pipe\n' + b"2,x\n" * 2000)
    with growing_files():
        assert len(b"".join(Pieces(path).read())) > 7000


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
def test_of_a_growing_pipe_whole_rows_are_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(b"a,b\n1,2\n3,4"))
    writer.start()
    with growing_files():
        assert b"".join(Pieces(path).read(last=True)) == b"a,b\n1,2\n"
    writer.join()


def test_pieces_that_nobody_reads_on_are_left_without_waiting():
    """The garbage collector may do so in a thread that is just being started: there, waiting would hang."""
    goes_on = threading.Event()
    results = text_files._in_order(lambda piece: piece < b"2" or goes_on.wait(30), [b"0", b"1", b"2"])
    assert next(results) and next(results)  # and the third is being read
    closing = threading.Thread(target=results.close)
    closing.start()
    closing.join(10)
    is_closed = not closing.is_alive()
    goes_on.set()
    closing.join()
    assert is_closed
