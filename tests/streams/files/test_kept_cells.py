"""Cells of a file, handed over as they are written: from_file(keep=…) and `thalweg predict --keep`."""

import csv
import gzip
import json

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from thalweg.commands import prediction_files as predictions
from thalweg.commands.app import app
from thalweg.commands.wording import error_text
from thalweg.streams import from_file

N = 500


def lines(first=0, n=N):
    """Return lines of a CSV file whose cells a reader changes: decimal commas, gaps, quotes, dates."""
    for i in range(first, first + n):
        price = "NA" if i % 7 == 0 else f"{i / 10:.2f}".replace(".", ",")
        name = f'"Shop ""{i % 3}"", {i % 5}"'
        yield f"A{i:05};{price};{name};{i % 28 + 1:02}.03.2024;{'yes' if i % 2 else 'no'}"


def written(path, rows, header="id;price;shop;when;paid"):
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def all_cells(stream, size=70, columns=None):
    blocks = list(stream.blocks_with_cells(size, columns))
    assert all(len(X) == len(codes) == cells.num_rows for X, codes, cells in blocks)
    return np.concatenate([X for X, _, _ in blocks]), pa.concat_tables(cells for _, _, cells in blocks)


def test_cells_are_those_of_the_file(tmp_path):
    path = written(tmp_path / "orders.csv", lines())
    columns = ["paid", "shop", "price", "id", "when"]
    X, cells = all_cells(from_file(path, numeric=["price"]), columns=columns)
    expected = list(csv.DictReader(path.read_text().splitlines(), delimiter=";"))
    assert cells.to_pylist() == [{name: row[name] for name in columns} for row in expected]
    plain = from_file(path, numeric=["price"]).coded_blocks()
    np.testing.assert_array_equal(X, np.concatenate([X for X, _ in plain]))


def test_ids_are_kept_by_default_also_of_a_file_with_the_same_schema(tmp_path):
    first = from_file(written(tmp_path / "first.csv", lines()))
    few = written(tmp_path / "few.csv", lines(900, 3))
    assert first.kept == ("id",) and first.schema()["ids"] == ["id"]
    assert from_file(few).kept == ()
    again = from_file(few, like=json.loads(json.dumps(first.schema())))
    assert all_cells(again)[1].to_pylist() == [{"id": f"A00{n}"} for n in (900, 901, 902)]
    assert from_file(few, like=first, keep=[]).kept == ()
    assert from_file(few, like=first, keep=[3, "shop", "when"]).kept == ("when", "shop")


def test_a_schema_of_an_earlier_release_has_no_ids(tmp_path):
    stream = from_file(written(tmp_path / "orders.csv", lines()))
    schema = {name: value for name, value in stream.schema().items() if name != "ids"}
    assert from_file(tmp_path / "orders.csv", like=schema).kept == ()


def test_a_column_that_is_not_there_is_an_error_with_the_names_there_are(tmp_path):
    path = written(tmp_path / "orders.csv", lines())
    with pytest.raises(ValueError, match="there is no column 'ident'; it has id, price, shop, when, paid"):
        from_file(path, keep=["id", "ident"])


def test_rows_that_are_skipped_take_their_cells_with_them(tmp_path):
    rows = list(lines())
    rows[100] = "A00100;dear;s;01.03.2024;no"
    rows[200] = "too;short"
    rows[300] = 'A00300;1,00;"never closed;01.03.2024;no'
    path = written(tmp_path / "orders.csv", rows)
    stream = from_file(path, numeric=["price"], on_error="skip")
    _X, cells = all_cells(stream)
    kept = [f"A{i:05}" for i in range(N) if i not in (100, 200, 300)]
    assert stream.skipped_rows == [101, 201, 301] and cells["id"].to_pylist() == kept


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_values_of_parquet_and_arrow_files_keep_their_types(tmp_path, suffix):
    table = pa.table({
        "id": [f"A{i:05}" for i in range(N)],
        "price": [float("nan") if i % 7 == 0 else i / 10 for i in range(N)],
        "tags": [["a", str(i)] for i in range(N)],
        "colour": pa.array([["red", "blue"][i % 2] for i in range(N)]).dictionary_encode(),
        "ok": [i % 2 for i in range(N)],
    })
    path = tmp_path / f"rows{suffix}"
    (pyarrow.parquet.write_table if suffix == ".parquet" else pyarrow.feather.write_feather)(table, str(path))
    stream = from_file(path, ignore=["tags"])
    assert stream.kept == ("id",)
    _X, cells = all_cells(stream, columns=["price", "colour", "tags"])
    assert cells.slice(0, 2).to_pylist() == [
        {"price": None, "colour": "red", "tags": "['a', '0']"},
        {"price": 0.1, "colour": "blue", "tags": "['a', '1']"},
    ]


def test_arff_and_sparse_arff(tmp_path):
    head = "@relation r\n@attribute a numeric\n@attribute c {red, blue}\n@attribute y {no, yes}\n@data\n"
    (tmp_path / "dense.arff").write_text(head + "1.50,'blue',yes\n?,red,no\n")
    (tmp_path / "sparse.arff").write_text(head + "{0 1.50, 1 blue, 2 yes}\n{}\n")
    dense = all_cells(from_file(tmp_path / "dense.arff", keep=["a", "c"]))[1].to_pylist()
    sparse = all_cells(from_file(tmp_path / "sparse.arff", keep=["a", "c"]))[1].to_pylist()
    assert dense == [{"a": "1.50", "c": "blue"}, {"a": "?", "c": "red"}]
    assert sparse == [{"a": "1.50", "c": "blue"}, {"a": "0", "c": "red"}]


def test_text_columns_stay_sparse_beside_their_cells(tmp_path):
    rows = [f"{i};one of {i} long texts about thing {i % 60};{'yes' if i % 2 else 'no'}" for i in range(N)]
    stream = from_file(written(tmp_path / "texts.csv", rows, "n;about;ok"), keep=["about"])
    blocks = list(stream.blocks_with_cells(200, sparse=True))
    assert all(hasattr(X, "tocsr") for X, _, _ in blocks)
    texts = [text for _, _, cells in blocks for text in cells["about"].to_pylist()]
    assert texts == [row.split(";")[1] for row in rows]


@pytest.fixture
def model(tmp_path):
    path = written(tmp_path / "today.csv", lines())
    words = ["run", str(path), "--learner", "NaiveBayes", "--save", str(tmp_path / "model.tw"), "--json"]
    assert CliRunner().invoke(app, words).exit_code == 0
    return str(tmp_path / "model.tw")


def predicted(model, source, *options, stdin=None):
    done = CliRunner().invoke(app, ["predict", model, str(source), *options], input=stdin)
    assert done.exit_code == 0, done.exception
    return list(csv.DictReader(done.stdout.splitlines()))


def test_predict_copies_ids_or_the_columns_asked_for(model, tmp_path, monkeypatch):
    monkeypatch.setattr(predictions, "ROWS_AT_A_TIME", 64)
    rows = list(lines(600, 300))
    rows[40] = "broken"
    path = written(tmp_path / "tomorrow.csv", rows)
    found = predicted(model, path, "--on-error", "skip")
    assert list(found[0]) == ["row", "id", "prediction", "probability"]
    assert all(row["id"] == f"A{599 + int(row['row']):05}" for row in found)
    assert [int(row["row"]) for row in found] == [i for i in range(1, 301) if i != 41]
    found = predicted(model, path, "--on-error", "skip", "--keep", "paid,price", "--rows", "100")
    assert list(found[0]) == ["row", "paid", "price", "prediction", "probability"] and len(found) == 100
    assert found[-1]["price"] == rows[100].split(";")[1]
    assert list(predicted(model, path, "--on-error", "skip", "--keep", "")[0])[1] == "prediction"


def test_predict_keeps_columns_of_standard_input(model):
    text = "\n".join(["id;price;shop;when", *lines(600, 80)]).replace(";no", "").replace(";yes", "") + "\n"
    found = predicted(model, "-", "--keep", "shop,id", stdin=gzip.compress(text.encode()))
    assert len(found) == 80 and found[3]["shop"] == 'Shop "0", 3' and found[3]["id"] == "A00603"


def test_kept_columns_do_not_replace_those_of_the_predictions(model, tmp_path):
    rows = [f"{row};{i};kept" for i, row in enumerate(lines(600, 20))]
    path = written(tmp_path / "names.csv", rows, "id;price;shop;when;paid;row;file_row")
    found = predicted(model, path, "--keep", "row,file_row,paid")
    assert list(found[0]) == ["row", "file_file_row", "file_row", "paid", "prediction", "probability"]
    assert (found[4]["row"], found[4]["file_file_row"], found[4]["file_row"]) == ("5", "4", "kept")


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_kept_columns_are_in_every_format(model, tmp_path, suffix):
    path, out = written(tmp_path / "tomorrow.csv", lines(600, 30)), tmp_path / f"out{suffix}"
    done = CliRunner().invoke(app, ["predict", model, str(path), "--keep", "price", "--out", str(out)])
    assert done.exit_code == 0, done.exception
    rows = [json.loads(line) for line in out.read_text().splitlines()] if suffix == ".jsonl" else (
        pyarrow.parquet.read_table(out).to_pylist())
    assert [row["price"] for row in rows] == [line.split(";")[1] for line in lines(600, 30)]


def test_keep_of_a_wrong_name_or_of_a_generator_is_one_line(model, tmp_path):
    path = written(tmp_path / "tomorrow.csv", lines(600, 30))
    done = CliRunner().invoke(app, ["predict", model, str(path), "--keep", "nr"])
    assert "there is no column 'nr'; it has id, price, shop, when, paid" in str(done.exception)
    done = CliRunner().invoke(app, ["predict", model, "sea", "--keep", "nr"])
    assert "--keep does not apply" in error_text(done.exception)


def test_cells_of_json_lines_stay_beside_their_rows_where_some_are_left_out(tmp_path):
    rows = [{"id": f"u{i:04}", "a": i / 2, "tags": {"n": i}, "y": "ab"[i % 2]} for i in range(100)]
    rows[10]["a"] = [1, 2.50]  # not one value: the row is left out
    rows[20]["id"] = {"old": ["ü", 7, None]}  # odd in a column that is only kept
    rows[30]["tags"] = 5
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    stream = from_file(path, on_error="skip", ignore=["tags.n"])
    X, cells = all_cells(stream, columns=["id", "tags.n"])
    assert stream.skipped_rows == [11]
    ids = [f"u{i:04}" for i in range(100)]
    ids[20] = '{"old": ["ü", 7, null]}'
    assert cells.column("id").to_pylist() == ids[:10] + ids[11:]
    assert cells.column("tags.n").to_pylist()[28:31] == ["29", None, "31"]
    np.testing.assert_array_equal(X[:, 0], np.delete(np.arange(100) / 2, 10))
