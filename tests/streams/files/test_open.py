"""Streams from files: every format, what is categorical and what is missing, and any size of blocks."""

import gzip
import io
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.file_rows import complaint, whole, write

import thalweg
from thalweg.checks import check_stream
from thalweg.errors import ParameterError, StreamError
from thalweg.evaluation import compare
from thalweg.learners import NaiveBayes
from thalweg.streams import from_file, noisy
from thalweg.streams.files.text_files import PIECE
from thalweg.streams.named import open_stream
from thalweg.trust import AccuracyEstimate

ROWS = "price,colour,flag,class\n1.5,red,0,up\n?,blue,1,down\n-2,red,1,up\n1e300,,0,?\n"
X = [[1.5, 0, 0], [np.nan, 1, 1], [-2, 0, 1], [1e300, np.nan, 0]]
CODES = [1, 0, 1, -1]


@pytest.fixture(autouse=True)
def flags_in_few_rows(monkeypatch):
    monkeypatch.setattr("thalweg.streams.columns.kinds.MIN_FLAG_ROWS", 0)


def assert_rows(stream):
    rows, codes = whole(stream)
    np.testing.assert_array_equal(rows, X)
    assert codes.tolist() == CODES
    assert rows.dtype == float and rows.flags.c_contiguous and codes.dtype == np.intp
    assert stream.classes.tolist() == ["down", "up"]
    assert stream.names == ("price", "colour", "flag")
    assert stream.n_categories.tolist() == [0, 2, 2]


@pytest.mark.parametrize(
    "text",
    [
        ROWS,
        ROWS.replace("\n", "\r\n"),
        "\ufeff" + ROWS,
        ROWS + "\n\n",
        ROWS.rstrip("\n"),
        ROWS.replace(",", ";"),
        ROWS.replace(",", "\t"),
        ROWS.replace("red", '"red"').replace("price", '"price"'),
        ROWS.replace(",", ", "),
        ROWS.replace("?", "NA"),
        "\n" + ROWS,
    ],
)
def test_csv_in_every_dress(tmp_path, text):
    stream = from_file(write(tmp_path, text))
    assert_rows(stream)
    assert stream.n_rows == 4


@pytest.mark.parametrize("codec", ["gzip", "bz2", "zstd", "lz4"])
def test_packed_text(tmp_path, codec):
    with pa.CompressedOutputStream(str(tmp_path / "rows.csv.packed"), codec) as file:
        file.write(ROWS.encode())
    assert_rows(from_file(tmp_path / "rows.csv.packed"))


@pytest.mark.parametrize("kind", ["parquet", "feather", "stream"])
def test_parquet_and_arrow(tmp_path, kind):
    table = pa.table(
        {
            "price": [1.5, None, -2, 1e300],
            "colour": pa.array(["red", "blue", "red", None]).dictionary_encode(),
            "flag": [False, True, True, False],
            "class": ["up", "down", "up", None],
        }
    )
    path = tmp_path / "rows"
    if kind == "parquet":
        pa.parquet.write_table(table, path)
    elif kind == "feather":
        pa.feather.write_feather(table, path)
    else:
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
    stream = from_file(path)
    assert_rows(stream)
    assert stream.n_rows == 4


def test_typed_files_keep_the_order_of_their_dictionaries_and_integer_labels(tmp_path):
    colour = pa.DictionaryArray.from_arrays(pa.array([2, 0], pa.int8()), pa.array(["low", "mid", "high"]))
    table = pa.table({"n": pa.array([7, 8], pa.uint8()), "level": colour, "y": [3, 1]})
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    pa.feather.write_feather(table, tmp_path / "t.arrow")
    for name in ("t.parquet", "t.arrow"):
        stream = from_file(tmp_path / name)
        rows, codes = whole(stream)
        assert rows[:, 0].tolist() == [7, 8] and codes.tolist() == [1, 0]
        assert stream.classes.tolist() == [1, 3] and stream.classes.dtype == np.int64
    assert rows[:, 1].tolist() == [2, 0] and stream.n_categories.tolist() == [0, 3]


def test_dictionaries_whose_codes_fill_their_type_and_of_values_that_are_no_categories(tmp_path):
    codes = pa.array([0, None, 127], pa.int8())
    colour = pa.DictionaryArray.from_arrays(codes, [f"colour{j}" for j in range(128)])
    day = pa.DictionaryArray.from_arrays([0, 0, 0], pa.array([7], pa.date32()))
    pa.feather.write_feather(pa.table({"colour": colour, "day": day, "y": [0, 1, 0]}), tmp_path / "t.arrow")
    assert "column 'day': values of type 'dictionary<" in complaint(tmp_path / "t.arrow")
    rows, _ = whole(from_file(tmp_path / "t.arrow", ignore="day"))
    np.testing.assert_array_equal(rows, [[0], [np.nan], [127]])


def test_dictionaries_of_bytes_as_categories_or_numbers(tmp_path):
    table = pa.table({"a": pa.array([b"1", b"2.5", b"?"]).dictionary_encode(), "y": [0, 1, 0]})
    pa.feather.write_feather(table, tmp_path / "t.arrow")
    np.testing.assert_array_equal(whole(from_file(tmp_path / "t.arrow"))[0], [[0], [1], [np.nan]])
    numbers = whole(from_file(tmp_path / "t.arrow", numeric="a"))[0]
    np.testing.assert_array_equal(numbers, [[1], [2.5], [np.nan]])
    table = pa.table({"a": pa.array([b"x", b"2.5", b"?"]).dictionary_encode(), "y": [0, 1, 0]})
    pa.feather.write_feather(table, tmp_path / "t.arrow")
    assert "data row 1, column 'a': b'x' is not a number" in complaint(tmp_path / "t.arrow", numeric="a")


ARFF = """% a comment
@RELATION 'rows of % things'

@Attribute price REAL
@ATTRIBUTE 'the colour' {blue, 'dark, red' ,"it's"}   % no comment
@attribute note string
@attribute class {up,down}
@DATA
1.5,'dark, red',7,up
% in between
?, blue ,?,down

-2,'it\\'s',8.5,?
"""


def test_arff_header_rules(tmp_path):
    stream = from_file(write(tmp_path, ARFF, "rows.arff"))
    rows, codes = whole(stream)
    np.testing.assert_array_equal(rows, [[1.5, 1, 7], [np.nan, 0, np.nan], [-2, 2, 8.5]])
    assert codes.tolist() == [0, 1, -1]
    assert stream.classes.tolist() == ["up", "down"]
    assert stream.names == ("price", "the colour", "note")
    assert stream.n_categories.tolist() == [0, 3, 0]


def test_arff_by_content_numeric_target_and_declared_numbers_of_0_and_1(tmp_path):
    text = "@relation r\n@attribute a integer\n@attribute b {2,1}\n@data\n0,1\n1,2.0\n"
    stream = from_file(write(tmp_path, text, "no-suffix"))
    assert stream.n_categories.tolist() == [0]
    assert stream.classes.tolist() == [2, 1]
    assert whole(stream)[1].tolist() == [1, 0]
    other = from_file(tmp_path / "no-suffix", target="a")
    assert other.classes.tolist() == [0, 1] and other.n_categories.tolist() == [2]


def test_sparse_arff(tmp_path):
    text = "@relation r\n@attribute a real\n@attribute b {no,yes}\n@attribute c {x,'y z'}\n@data\n"
    stream = from_file(write(tmp_path, text + "{0 1.5, 2 'y z'}\n{1 yes}\n{}\n", "r.arff"))
    rows, codes = whole(stream)
    assert rows.tolist() == [[1.5, 0], [0, 1], [0, 0]] and codes.tolist() == [1, 0, 0]
    write(tmp_path, text + "{0 1}\n{9 1}\n", "r.arff")
    assert "r.arff, data row 2: 1 columns instead of 3: '{9 1}'" in complaint(tmp_path / "r.arff")


def test_header_is_found_or_told(tmp_path):
    path = write(tmp_path, "1,2,a\n3,4,b\n")
    assert from_file(path).n_rows == 2 and from_file(path).names == ("x0", "x1")
    assert from_file(path, header=True).names == ("1", "2")
    assert from_file(path, target=0).names == ("x1", "x2")
    text = write(tmp_path, "p,q\nr,s\n")
    assert from_file(text).names == ("p",)
    assert from_file(text, header=False).n_rows == 2


def test_target_and_columns_by_name_or_position(tmp_path):
    path = write(tmp_path, "id,a,y,b\n10,0,u,2\n11,1,v,2\n12,1,u,5\n")
    stream = from_file(path, target="y", ignore=["id"], numeric=["a"], categorical=[-1])
    assert stream.names == ("a", "b") and stream.n_categories.tolist() == [0, 2]
    assert whole(stream)[0].tolist() == [[0, 0], [1, 0], [1, 1]]
    assert "there is no column 'z'; it has id, a, y, b" in complaint(path, target="z")
    assert "there is no column 9" in complaint(path, target=9)
    assert from_file(path, target="y", categorical="b").n_categories.tolist() == [0, 2, 2]
    assert "only one column, 'y'" in complaint(path, target="y", ignore=["id", "a", "b"])
    assert "classes: a value is listed twice" in complaint(path, classes=[2, 5, 2.0])
    with pytest.raises(ValueError, match="one character"):
        from_file(path, delimiter="::")


def test_labels_keep_their_type_and_a_given_order(tmp_path):
    path = write(tmp_path, "a,y\n3,10\n4,9\n5,10.0\n")
    assert from_file(path).classes.tolist() == [9, 10] and from_file(path).classes.dtype == np.int64
    stream = from_file(path, classes=[10, 9, 8])
    assert stream.classes.tolist() == [10, 9, 8] and whole(stream)[1].tolist() == [0, 1, 0]
    assert stream.n_rows is None
    assert [y.tolist() for _, y in stream.blocks(2)] == [[10, 9], [10]]
    assert from_file(write(tmp_path, "a,y\n3,0.5\n4,2\n")).classes.tolist() == [0.5, 2.0]


def test_a_label_first_seen_at_the_end_is_known_from_the_start_if_asked(tmp_path):
    path = write(tmp_path, "a,y\n" + "2.5,1\n" * 30_000 + "2.5,0\n")
    stream = from_file(path, scan_labels=True)
    assert stream.classes.tolist() == [0, 1] and whole(stream)[1].sum() == 30_000
    assert stream.n_rows == 30_001 and not stream.is_open


def test_labels_that_turn_up_late_follow_in_that_order(tmp_path):
    path = write(tmp_path, "a,y\n" + "2.5,6\n2.5,1\n" * 10_000 + "2.5,0\n2.5,x\n" * 40_000)
    stream = from_file(path)
    for _ in range(2):
        assert stream.is_open and stream.first_classes.tolist() == [1, 6] and stream.n_rows is None
        codes = whole(stream, 777)[1]
        assert stream.classes.tolist() == [1, 6, 0, "x"]
        assert codes[:2].tolist() == [1, 0] and codes[20_000:].tolist() == [2, 3] * 40_000
    with pytest.raises(ValueError, match=r"labels that its first rows do not have.*scan_labels=True"):
        noisy(stream, 0.1)


def test_a_file_of_numbers_that_are_no_labels_is_refused_when_they_turn_up(tmp_path):
    path = write(tmp_path, "a,y\n" + "2.5,1\n" * 20_000 + "".join(f"1,{k / 7}\n" for k in range(50)))
    assert "the target 'y' has" in complaint(path)
    path = write(tmp_path, "a,y\n" + "2.5,?\n" * 20_000)
    assert "the target 'y' has no label in it" in complaint(path)


def test_only_what_rows_have_is_a_class(tmp_path):
    labels = pa.DictionaryArray.from_arrays(
        pa.array([3] * 20_000 + [0, 2], pa.int32()), ["late", "never", "later", "first"]
    )
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file:
        batch = pa.record_batch({"a": np.arange(20_002.0), "y": labels})
        with pa.ipc.new_file(file, batch.schema) as writer:
            writer.write_batch(batch)
    stream = from_file(tmp_path / "t.arrow")
    assert whole(stream)[1][-2:].tolist() == [1, 2]
    assert stream.classes.tolist() == ["first", "late", "later"]


def test_a_target_of_many_numbers_is_refused(tmp_path):
    path = write(tmp_path, "a,y\n" + "".join(f"1,{k / 7}\n" for k in range(50)))
    assert "the target 'y' has" in complaint(path) and "not a class" in complaint(path)
    path = write(tmp_path, "a,y\n" + "".join(f"2,{k}\n" for k in range(1001)))
    assert "1001 different values" in complaint(path, target="y")


def test_new_categories_get_new_codes_and_old_ones_keep_theirs(tmp_path):
    words = [f"word{k // 100:050}" for k in range(60_000)]
    path = write(tmp_path, "word,y\n" + "".join(f"{word},{k % 2}\n" for k, word in enumerate(words)))
    stream = from_file(path)
    known = stream.n_categories[0]
    first = whole(stream)[0]
    assert known < 600 and stream.n_categories[0] == 600
    np.testing.assert_array_equal(first[:, 0], np.arange(60_000) // 100)
    np.testing.assert_array_equal(whole(stream, 777)[0], first)


def test_a_column_missing_all_through_the_first_rows_is_numeric(tmp_path):
    stream = from_file(write(tmp_path, "a,b,y\n" + "1,?,0\n" * 12_000 + "1,2.5,1\n"))
    assert stream.n_categories.tolist() == [2, 0]
    assert whole(stream)[0][-1].tolist() == [1, 2.5]


def test_words_among_few_numbers_are_categories(tmp_path):
    stream = from_file(write(tmp_path, "seats,y\n2,0\n4,0\nmore,1\nmore,1\n2,1\n"))
    assert whole(stream)[0][:, 0].tolist() == [0, 1, 2, 2, 0]


def test_quoted_newlines_across_pieces(tmp_path):
    cell = '"' + "line, one\nline, two" * 20 + '"'
    n = 3 * PIECE // len(cell)
    stream = from_file(write(tmp_path, "text,n,y\n" + "".join(f"{cell},{k}.5,{k % 2}\n" for k in range(n))))
    rows, codes = whole(stream)
    np.testing.assert_array_equal(rows, np.column_stack([np.zeros(n), np.arange(n) + 0.5]))
    np.testing.assert_array_equal(codes, np.arange(n) % 2)


@pytest.fixture
def standard_input(monkeypatch):
    def give(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


@pytest.mark.parametrize("content", [ROWS.encode(), gzip.compress(ROWS.encode(), mtime=0)])
def test_standard_input_is_read_once(standard_input, content):
    standard_input(content)
    stream = from_file("-")
    assert stream.n_rows is None
    assert_rows(stream)
    with pytest.raises(StreamError, match="only once"):
        whole(stream)


@pytest.fixture
def pipe(tmp_path):
    """Write bytes into a pipe, which has the returned path and is closed once all were read."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("Windows has no such pipes")

    def give(content, name="pipe"):
        path = tmp_path / name
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=(content,), daemon=True).start()
        return path

    return give


@pytest.mark.parametrize("content", [ROWS.encode(), gzip.compress(ROWS.encode(), mtime=0)])
def test_a_pipe_is_read_once(pipe, content):
    stream = from_file(pipe(content))
    assert stream.n_rows is None and stream.is_once
    assert_rows(stream)
    with pytest.raises(StreamError, match="pipe can be read only once"):
        whole(stream)


def test_a_pipe_is_a_stream_by_name_and_what_it_cannot_do_is_said(pipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pipe(ROWS.encode())
    assert_rows(open_stream("pipe"))
    assert "zip archive" in complaint(pipe(b"PK\x03\x04 and more", "zip"))
    assert "only CSV, ARFF and JSON lines" in complaint(pipe(b"PAR1 and more", "parquet"))
    assert "is empty" in complaint(os.devnull)
    os.mkfifo("unread")
    with pytest.raises(ParameterError, match="unread can be read once only"):
        compare([NaiveBayes()], ["unread"], n_jobs=1)
    with pytest.raises(StreamError, match="unread cannot be read twice"):
        AccuracyEstimate.from_table("unread", probability="p", target="y")


def test_long_standard_input_takes_its_first_labels_from_the_first_rows(standard_input):
    text = "a,y\n" + "".join(f"{k}.25,{k % 3}\n" for k in range(200_000))
    standard_input(text.encode())
    rows, codes = whole(from_file("-"))
    np.testing.assert_array_equal(rows[:, 0], np.arange(200_000) + 0.25)
    np.testing.assert_array_equal(codes, np.arange(200_000) % 3)
    standard_input((text + "1.5,7\n").encode())
    stream = from_file("-")
    assert whole(stream)[1][-1] == 3 and stream.classes.tolist() == [0, 1, 2, 7]
    standard_input((text + "1.5,7\n").encode())
    message = "standard input, data row 200001, column 'y': '7' is not one of the labels"
    assert message in complaint("-", classes=[0, 1, 2])
    standard_input(text.encode())
    assert "can be read only once: name its labels" in complaint("-", scan_labels=True)
    standard_input(ARFF.encode())
    assert len(whole(from_file("-"))[0]) == 3
    standard_input(b"PAR1")
    assert "only CSV, ARFF and JSON lines are read from it" in complaint("-")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(size=st.integers(1, 40_000))
def test_blocks_of_any_size_are_the_same_stream(mixed_file, size):
    path, rows, codes = mixed_file
    blocks = list(from_file(path).coded_blocks(size))
    assert all(len(X) == size for X, _ in blocks[:-1])
    np.testing.assert_array_equal(np.concatenate([X for X, _ in blocks]), rows)
    np.testing.assert_array_equal(np.concatenate([y for _, y in blocks]), codes)


@pytest.fixture(scope="module")
def mixed_file(tmp_path_factory):
    rng = np.random.default_rng(3)
    n = 30_000
    words = np.char.add("word", rng.integers(0, 1 + np.arange(n) // 500).astype(str))
    numbers = rng.normal(size=n).round(4)
    label = rng.choice(["u", "v", "?"], n)
    lines = [",".join(row) for row in zip(words, numbers.astype(str), label, strict=True)]
    path = write(tmp_path_factory.mktemp("mixed"), "word,x,y\n" + "\n".join(lines))
    _, first, inverse = np.unique(words, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[inverse]
    return path, np.column_stack([codes, numbers]), np.select([label == "u", label == "v"], [0, 1], -1)


def test_memory_does_not_grow_with_the_file(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{a:.6f},{b:.6f},{c:.6f},{d:.6f},u\n" for a, b, c, d in rng.random((20_000, 4))]
    peaks = []
    for repeats in (30, 120):
        path = write(tmp_path, "a,b,c,d,y\n" + "".join(lines) * repeats)
        peaks.append(_peak(path))
    assert peaks[1] < 1.3 * peaks[0] < 60e6


def _peak(path):
    """Peak of what pyarrow and NumPy hold while the file is read, in bytes."""
    import tracemalloc

    peak = 0
    tracemalloc.start()
    for _ in from_file(path).coded_blocks(5000):
        peak = max(peak, pa.total_allocated_bytes())
    peak += tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_files_are_described_without_importing_pyarrow():
    from thalweg.streams import registry

    assert registry.summary("from_file").startswith("Return a stream of the rows of a CSV, JSON lines, ARFF")


@pytest.mark.parametrize("text", [ROWS, ARFF])
def test_a_file_is_a_stream_to_the_checks(tmp_path, text, mixed_file):
    check_stream(from_file(write(tmp_path, text, "rows")))
    check_stream(from_file(mixed_file[0]))


def test_package_knows_no_data_folder():
    package = Path(thalweg.__file__).parent
    assert not [path for path in package.rglob("*.py") if "shared/data" in path.read_text(encoding="utf-8")]
