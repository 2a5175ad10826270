"""Records with the cells of files are read as the files are, and rarely declined."""

import datetime
import json
import tomllib

import pyarrow as pa
import pyarrow.parquet
import pytest
from support.file_rows import whole, write
from support.places import TESTS, data_file
from support.record_rows import are_identical, array_of, block_row

from thalweg.streams import from_file
from thalweg.streams.columns.row_reader import RowReader

FOLDER = TESTS / "files"
CASES = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))["file"]
MESSY = [case for case in CASES if "error" not in case and case["file"] != "sparse.arff"]
SHARED = (
    "elec2.arff", "weather.arff", "luxembourg.csv", "powersupply.csv", "usenet1.arff", "keystroke.arff",
    "gmsc.arff.gz", "covertype-100k.csv.gz", "insects-gradual.csv.gz", "email-list.csv.gz",
)  # fmt: skip
MOST_ROWS, MOST_DECLINED = 2000, 0.01
START = datetime.datetime(2024, 1, 30, 22, 15)


def rows_and_records(path, **options):
    """Return the first rows of a file, its cells as dicts, and the columns as they were before these rows."""
    stream, columns = from_file(path, **options), from_file(path, **options).inputs
    names = [column.name for column in columns]
    X, _, cells = next(stream.blocks_with_cells(MOST_ROWS, columns=names))
    return X, cells.to_pylist(), columns


def check_rows(X, records, columns):
    """Assert that records are read as the rows X; return the share of them that a block has to read."""
    reader, n_declined = RowReader(columns), 0
    for row, record in zip(X, records, strict=True):
        found = reader.read(record, True)
        if found is None:
            n_declined += 1
            found = block_row(columns, record)
        assert are_identical(found, row), record
    return n_declined / len(X)


@pytest.mark.parametrize("case", MESSY, ids=[case["file"] for case in MESSY])
def test_messy_files_are_read_record_by_record(case):
    X, records, columns = rows_and_records(FOLDER / case["file"], **case.get("options", {}))
    assert check_rows(X, records, columns) <= MOST_DECLINED


@pytest.mark.parametrize("name", SHARED)
def test_real_files_are_read_record_by_record(name):
    assert check_rows(*rows_and_records(data_file(name))) == 0


@pytest.fixture
def columns_of_kinds(tmp_path):
    """Return the schema of a file whose columns are of all kinds."""
    lines = ["price;weight;shop;paid;when;note;y"]
    for i in range(200):
        when, shop = START + datetime.timedelta(hours=5 * i), "north" if i % 3 else "south"
        cells = f"{i},50", i * 0.25, shop, i % 2, f"{when:%d.%m.%Y %H:%M}", f"message {i} is here", i % 2
        lines.append(";".join(map(str, cells)))
    stream = from_file(write(tmp_path, "\n".join(lines) + "\n"), delimiter=";", categorical=["shop"])
    assert set(stream.columns.kinds.values()) >= {"number", "category", "date", "text"}
    return stream.schema()


RECORDS = [
    {"price": 12.5, "weight": 3, "shop": "north", "paid": True, "when": "01.03.2024 09:30", "note": "is"},
    {"price": "12,5", "weight": "0.25", "shop": "west", "paid": 0, "when": "1.3.2024", "note": "Message 7"},
    {"price": 7, "weight": 0.1, "shop": "south", "paid": 1.0, "when": "01.03.2024 09:30:01.25", "note": "7"},
]


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_is_read_as_a_table_of_one_row_with_the_same_schema(tmp_path, columns_of_kinds, record):
    path = tmp_path / "one.parquet"
    pa.parquet.write_table(pa.Table.from_pylist([record | {"y": 0}]), path)
    stream = from_file(path, target="y", like=columns_of_kinds)
    source = write(tmp_path, json.dumps(record | {"y": 0}) + "\n", "one.jsonl")
    columns = from_file(source, target="y", like=columns_of_kinds).inputs
    assert are_identical(RowReader(columns).read(record, False), whole(stream)[0][0])


def test_dates_of_python_are_read_as_in_a_table_of_one_row(tmp_path):
    moments = [START + datetime.timedelta(hours=7 * i, microseconds=250_001) for i in range(50)]
    path = tmp_path / "dates.parquet"
    pa.parquet.write_table(pa.table({"when": moments, "y": [i % 2 for i in range(50)]}), path)
    stream = from_file(path)
    X, _ = whole(stream)
    reader = RowReader(stream.inputs)
    assert pa.types.is_timestamp(array_of(moments[0], stream.inputs[0]).type)
    for row, moment in zip(X, moments, strict=True):
        assert are_identical(reader.read({"when": moment}, False), row)
