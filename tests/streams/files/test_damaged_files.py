"""Damaged files are read or refused in one line; what fuzzing has found, each as a small file."""

import io
import os
import struct

import fuzz.files
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from support.file_rows import complaint, whole, write
from support.valid_files import valid_files

import thalweg
from thalweg.errors import StreamError, one_line
from thalweg.evaluation import prequential
from thalweg.learners import NaiveBayes
from thalweg.streams import from_file

IPC = pytest.mark.parametrize("writer", [pa.ipc.new_file, pa.ipc.new_stream])


def ipc_bytes(columns, writer=pa.ipc.new_file, **options):
    table = pa.table(columns)
    sink = io.BytesIO()
    with writer(sink, table.schema) as file:
        file.write_table(table, **options)
    return sink.getvalue()


def parquet_bytes(columns, **options):
    sink = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), sink, compression="none", use_dictionary=False, **options)
    return sink.getvalue()


def patched(content, old, new):
    assert old in content and len(old) == len(new)
    return content.replace(old, new)


def test_damaged_files_of_every_format_are_read_or_refused(tmp_path):
    answers, problems = fuzz.files.run(seed=0, n_cases=500, kept=tmp_path)
    assert not problems
    assert {name for name, _ in answers} == set(valid_files())
    assert sum(n for (_, answer), n in answers.items() if answer == "read") > 25


@pytest.mark.parametrize("name", valid_files())
def test_the_files_are_valid_before_they_are_damaged(tmp_path, name):
    assert fuzz.files.read(str(write(tmp_path, valid_files()[name], f"raise-{name}"))) == "read"


@IPC
def test_codes_outside_their_dictionary(tmp_path, writer):
    codes = pa.array([0, 1, 0, 2_000_000_000], pa.int32())
    colour = pa.DictionaryArray.from_arrays(codes, ["red", "blue"], safe=False)
    content = ipc_bytes({"colour": colour, "y": [0, 1, 0, 1]}, writer)
    text = complaint(write(tmp_path, content, "t.arrow"))
    assert "t.arrow, data rows 1 to 4, column 'colour': damaged values: " in text


@IPC
@pytest.mark.parametrize("offsets", [(0, 2, 2**30, 6), (0, -5, 4, 6), (0, 4, 2, 6)])
def test_texts_outside_their_buffer(tmp_path, writer, offsets):
    content = ipc_bytes({"a": [1, 2, 3], "text": ["aa", "bb", "cc"], "y": [0, 1, 0]}, writer)
    content = patched(content, struct.pack("<4i", 0, 2, 4, 6), struct.pack("<4i", *offsets))
    assert "data rows 1 to 3, column 'text': damaged values" in complaint(write(tmp_path, content, "t.arrow"))


@IPC
def test_damage_in_a_later_part_of_a_batch(tmp_path, writer):
    codes = np.zeros(50_000, dtype=np.int32)
    codes[40_000] = 7
    colour = pa.DictionaryArray.from_arrays(codes, ["red"], safe=False)
    path = write(tmp_path, ipc_bytes({"colour": colour, "y": np.arange(50_000) % 2}, writer), "t.arrow")
    rows = from_file(path).coded_blocks(1000)
    assert len(next(rows)[0]) == 1000
    with pytest.raises(StreamError, match=r"data rows 32769 to 49152, column 'colour'"):
        list(rows)


@IPC
@pytest.mark.parametrize("claim", [1004, 2**31, 2**62, -1])
@pytest.mark.parametrize("kind", ["values", "nothing"])
def test_more_rows_than_there_are_values(tmp_path, writer, claim, kind):
    """A column of nulls takes no bytes, so that any number of rows fits it."""
    values = pa.array(np.arange(1003) % 2)
    columns = {"a": values, "y": values} if kind == "values" else {"a": pa.nulls(1003), "y": pa.nulls(1003)}
    content = patched(ipc_bytes(columns, writer), struct.pack("<q", 1003), struct.pack("<q", claim))
    text = complaint(write(tmp_path, content, "t.arrow"))
    is_nothing = kind == "nothing" and claim > 0  # pyarrow refuses fewer rows than none itself
    assert "no values in column 'y'" in text if is_nothing else "cannot be read" in text


def test_columns_of_the_type_null_are_missing_values_to_a_model(tmp_path):
    rows = [{"a": float(i), "y": i % 2} for i in range(100)]
    model = thalweg.Model("y", "NaiveBayes", columns={"a": "number"}).learn(rows)
    table = {"a": pa.nulls(1), "y": pa.nulls(1)}
    for name, written in (("a.parquet", parquet_bytes), ("a.arrow", ipc_bytes)):
        found = model.predict_proba(write(tmp_path, written(table), name))
        assert np.array_equal(found, model.predict_proba([{"a": None}]))


def test_parquet_that_claims_other_rows_than_it_has(tmp_path):
    content = parquet_bytes({"a": np.arange(70_000.0), "y": np.arange(70_000) % 2})
    footer = len(content) - 8 - struct.unpack("<I", content[-8:-4])[0]
    n_rows = b"\xe0\xc5\x08"  # 70,000 as Thrift writes it: in the file, its group of rows, and its columns
    assert content[footer:].count(n_rows) >= 3
    fewer = content[:footer] + content[footer:].replace(n_rows, b"\xe2\xc5\x08", 1)
    assert "claims to have 70001 rows, its groups 70000" in complaint(write(tmp_path, fewer, "t.parquet"))
    every = content[:footer] + content[footer:].replace(n_rows, b"\xe2\xc5\x08")
    for options in ({}, {"classes": [0, 1]}):
        text = complaint(write(tmp_path, every, "t.parquet"), **options)
        assert "claims to have 70001 rows, found 70000" in text


def test_a_page_that_fails_its_checksum(tmp_path):
    content = parquet_bytes({"a": [1.5, 2.5, 3.5], "y": [0, 1, 0]}, write_page_checksum=True)
    content = patched(content, struct.pack("<3d", 1.5, 2.5, 3.5), struct.pack("<3d", 1.5, 4.5, 3.5))
    assert "could not verify page integrity" in complaint(write(tmp_path, content, "t.parquet"))


@pytest.mark.parametrize("written", [parquet_bytes, ipc_bytes])
def test_text_and_names_that_are_not_utf_8(tmp_path, written):
    content = written({"price": [1, 2, 3], "text": ["aXX", "bXX", "aXX"], "y": [0, 1, 0]})
    text = complaint(write(tmp_path, content.replace(b"XX", b"\xe4\xff"), "t.arrow"))
    assert "data rows 1 to 3, column 'text': damaged values" in text
    text = complaint(write(tmp_path, content.replace(b"price", b"pr\xff\xe4e"), "t.arrow"))
    assert "t.arrow cannot be read, it may be damaged" in text


def test_a_file_of_no_columns(tmp_path):
    assert complaint(write(tmp_path, ipc_bytes({}), "t.arrow")).endswith("t.arrow has no columns")


@IPC
@pytest.mark.parametrize("size", [0, 100_000])
def test_an_arrow_file_that_is_cut_while_it_is_read(tmp_path, writer, size):
    content = ipc_bytes({"a": np.arange(5e4), "y": np.arange(50_000) % 2}, writer, max_chunksize=5000)
    path = write(tmp_path, content, "t.arrow")
    rows = from_file(path).coded_blocks(1000)
    next(rows)
    os.truncate(path, size)
    with pytest.raises(StreamError, match=r"t\.arrow .* cut short"):
        list(rows)


def test_files_that_change_between_two_readings(tmp_path):
    columns = {"a": [1.5, 2], "y": ["u", "v"]}
    for written in (ipc_bytes, parquet_bytes):
        path = write(tmp_path, written(columns), "t.arrow")
        stream = from_file(path)
        for others in ({"b": [1.5, 2]}, {"a": ["p", "q"]}):
            path.write_bytes(written(others | {"y": ["u", "v"]}))
            with pytest.raises(StreamError, match=r"t\.arrow has changed since it was opened"):
                whole(stream)
    path = write(tmp_path, "a,y\n1,u\n2,v\n")
    stream = from_file(path)
    path.write_bytes(b"a,y\n1,u\n2,v\n3,u\n")
    assert len(whole(stream)[0]) == 3
    for text in (b"", b"a,y\n1,u\n"):
        path.write_bytes(text)
        with pytest.raises(StreamError, match=r"was cut short: it had 2 rows and now has [01]"):
            whole(stream)


@pytest.mark.parametrize("text", ["a,y\n1,u\n2,v\n1,\xff,3\n", "a,y\n1,u\n2,v\n\xff,u\n"])
def test_a_bad_row_that_is_not_utf_8(tmp_path, text):
    path = write(tmp_path, text.encode("latin-1"))
    for on_error in ("raise", "skip"):
        assert "is not UTF-8 text" in complaint(path, on_error=on_error, encoding="utf-8")


def test_messages_are_one_line_whatever_the_file_says(tmp_path):
    text = complaint(write(tmp_path, 'a,"\x1b[2J\nb","\x1b[2J\nb"\n1,2,3\n'))
    assert r"two columns are called '\x1b[2J\nb'" in text
    path = write(tmp_path, 'a,y\n1,"u\nv"\n2,w\n')
    assert r"is not one of the labels u\nv" in complaint(path, classes=["u\nv"])
    stream = from_file(path, classes=["u\nv"], on_error="skip")
    whole(stream)
    assert r"is not one of the labels u\nv" in stream.messages[0]
    assert len(one_line("x" * 10_000)) == 1000


def test_labels_that_numpy_cannot_tell_apart(tmp_path):
    path = write(tmp_path, ipc_bytes({"a": [1, 2], "y": ["u", "u\0"]}), "t.arrow")
    learner = NaiveBayes()
    prequential(from_file(path), learner)
    assert learner.classes_.tolist() == from_file(path).classes.tolist() == ["u", "u\0"]
