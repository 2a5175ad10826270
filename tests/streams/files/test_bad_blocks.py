"""The rows before a bad cell are the same in every form, and of its block nothing stays."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

import thalweg
from thalweg.errors import StreamError
from thalweg.streams import from_file
from thalweg.streams.files import stream

pytestmark = pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
FORMS = ["CSV", "JSON lines", "Parquet", "records", "frame", "generator"]


@pytest.fixture
def blocks(monkeypatch):
    """Blocks of 64 rows, so that few rows are many blocks."""
    monkeypatch.setattr(stream, "BLOCK", 64)


def some_rows(n, bad=None):
    rows = [{"a": i % 97 / 8, "shop": f"s{i // 10}", "y": f"label {i // 50}"} for i in range(n)]
    if bad is not None:
        rows[bad]["a"] = "bad"
    return rows


def as_form(form, rows, folder):
    path = folder / f"rows.{form}"
    if form == "CSV":
        with path.open("w") as file:
            writer = csv.DictWriter(file, [*rows[0]])
            writer.writeheader()
            writer.writerows(rows)
        return path
    if form == "JSON lines":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path
    if form == "Parquet":
        pd.DataFrame(rows).astype({"a": str}).to_parquet(path)
        return path
    return {"records": rows, "frame": pd.DataFrame(rows), "generator": (row for row in rows)}[form]


@pytest.mark.filterwarnings("ignore:rows are sorted by label")
@pytest.mark.parametrize("bad", [400, 64, 63, 5])
@pytest.mark.parametrize("form", FORMS)
def test_the_same_rows_are_learned_before_a_bad_cell(form, bad, blocks, tmp_path):
    model = thalweg.Model("y", "NaiveBayes", columns={"shop": "category"}).learn(some_rows(60))
    expected = model.copy()
    n = bad // 64 * 64
    if n:
        expected.learn(some_rows(n))
    with pytest.raises(StreamError, match=f"data row {bad + 1}, column 'a'") as raised:
        model.learn(as_form(form, some_rows(500, bad), tmp_path))
    assert raised.value.rows_learned == n
    assert model.digest() == expected.digest() and model.schema() == expected.schema()


@pytest.mark.parametrize("size", [7, 64, 1000])
def test_the_size_of_blocks_changes_nothing(size, blocks, tmp_path):
    like = from_file(as_form("CSV", some_rows(60), tmp_path), "y", categorical=["shop"]).schema()
    read = from_file(as_form("CSV", some_rows(500, 400), tmp_path), like=like)
    read.whole_blocks, rows, raised = True, 0, False
    try:
        for X, codes in read.coded_blocks(size):
            rows += len(X)
            assert np.isfinite(X).all() and len(codes) == len(X)
    except StreamError:
        raised = True
    assert raised and rows == 384
