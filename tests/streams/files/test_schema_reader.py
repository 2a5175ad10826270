"""A schema: the inputs of one file as plain data, and another file read into the same inputs."""

import datetime
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from support.file_rows import complaint, whole, write

from thalweg.checks import check_stream
from thalweg.streams import SEA, from_arrays, from_file, noisy

N = 120
WHEN = [datetime.datetime(2024, 2, 27, 9, 30) + datetime.timedelta(hours=7 * i) for i in range(N)]
COLOURS = ["red", "green", "blue"]
HEADER = ["id", "price", "when", "colour", "paid", "note", "late"]


@pytest.fixture(autouse=True)
def flags_in_few_rows(monkeypatch):
    monkeypatch.setattr("thalweg.streams.columns.kinds.MIN_FLAG_ROWS", 0)


def orders(start, stop):
    """Return rows of an ordinary table, as Python values."""
    return [
        (f"A-{i * 7919:07}", i * 1.25, WHEN[i], COLOURS[i % 3], i % 5 == 0, f"please ring bell {i} twice",
         "yes" if i % 2 else "no")
        for i in range(start, stop)
    ]


def european(rows, header=HEADER):
    """Return the rows as CSV with semicolons and decimal commas."""
    lines = [";".join(header)]
    for name, price, when, *others in rows:
        first = [name, f"{price:.2f}".replace(".", ","), f"{when:%d.%m.%Y %H:%M}"]
        lines.append(";".join([*first, *map(str, others)]))
    return "\n".join(lines) + "\n"


def american(rows, order):
    """Return some columns of the rows as CSV with commas and points."""
    lines = [",".join(order)]
    for row in rows:
        cells = dict(zip(HEADER, row, strict=True))
        cells["when"] = f"{cells['when']:%Y-%m-%dT%H:%M:%S}"
        lines.append(",".join(str(cells[name]) for name in order))
    return "\n".join(lines) + "\n"


def parquet(rows, folder, names):
    columns = dict(zip(HEADER, zip(*rows, strict=True), strict=True))
    table = pa.table({name: pa.array(columns[name]) for name in names})
    pa.parquet.write_table(table, folder / "rows.parquet")
    return folder / "rows.parquet"


@pytest.fixture
def trained(tmp_path):
    stream = from_file(write(tmp_path, european(orders(0, N)), "trained.csv"), n_words=16)
    return stream, whole(stream)


def test_a_schema_is_plain_and_says_everything(trained):
    stream, _ = trained
    schema = stream.schema()
    assert json.loads(json.dumps(schema)) == schema
    kinds = [(column["name"], column["kind"]) for column in schema["columns"]]
    categories = [("colour", "category"), ("paid", "category")]
    assert kinds == [("price", "number"), ("when", "date"), *categories, ("note", "text")]
    assert (schema["target"], schema["classes"], schema["ignored"]) == ("late", ["no", "yes"], ["id"])
    assert schema["columns"][2]["values"] == COLOURS and schema["columns"][4]["n_words"] == 16
    assert schema["columns"][0]["decimal"] == "," and schema["more_classes"] is True


@pytest.mark.parametrize("form", ["the same", "another order", "points and commas", "Parquet"])
def test_other_files_become_the_same_inputs(tmp_path, trained, form):
    stream, (X, codes) = trained
    rows, names = orders(40, 80), ["late", "note", "paid", "colour", "when", "price"]
    if form == "Parquet":
        path = parquet(rows, tmp_path, names)
    elif form == "the same":
        path = write(tmp_path, european(rows))
    else:
        path = write(tmp_path, american(rows, names if form == "another order" else HEADER))
    schema = json.loads(json.dumps(stream.schema()))
    read = from_file(path, like=schema)
    found, labels = whole(read)
    np.testing.assert_allclose(found, X[40:80], atol=1e-9)
    np.testing.assert_array_equal(labels, codes[40:80])
    assert (read.names, read.classes.tolist()) == (stream.names, ["no", "yes"])
    np.testing.assert_array_equal(read.n_categories, stream.n_categories)
    assert read.columns.warnings == ()
    known = {"header": True, "ignored": ["id"], "ids": ["id"], "columns": 0}
    assert {**read.schema(), **known} == {**schema, "columns": 0}
    check_stream(read)


def test_one_row_is_enough(tmp_path, trained):
    stream, (X, _) = trained
    for i in (0, 1, 59):
        path = write(tmp_path, european(orders(i, i + 1)))
        np.testing.assert_allclose(whole(from_file(path, like=stream))[0], X[i : i + 1], atol=1e-9)


def test_a_missing_target_is_for_predictions(tmp_path, trained):
    stream, (X, _) = trained
    path = write(tmp_path, american(orders(5, 9), ["price", "when", "colour", "paid", "note"]))
    read = from_file(path, like=stream)
    found, codes = whole(read)
    np.testing.assert_allclose(found, X[5:9], atol=1e-9)
    assert codes.tolist() == [-1] * 4 and read.classes.tolist() == ["no", "yes"] and not read.is_open
    assert read.columns.target is None
    labelled = write(tmp_path, european(orders(5, 9)))
    without = from_file(labelled, like=stream, with_labels=False)
    assert whole(without)[1].tolist() == [-1] * 4 and without.columns.kinds["late"] == "ignored"


def test_new_categories_and_labels_get_the_next_codes(tmp_path, trained):
    stream, _ = trained
    rows = [(*row[:3], "mauve", *row[4:6], "perhaps") for row in orders(0, 2)] + orders(2, 4)
    read = from_file(write(tmp_path, european(rows)), like=stream)
    X, codes = whole(read)
    assert X[:, stream.names.index("colour")].tolist() == [3, 3, 2, 0]
    assert codes.tolist() == [2, 2, 0, 1] and read.classes.tolist() == ["no", "yes", "perhaps"]
    again = from_file(write(tmp_path, european(orders(0, 4))), like=read.schema())
    assert again.n_categories[list(again.names).index("colour")] == 4 and len(again.classes) == 3
    assert stream.n_categories[list(stream.names).index("colour")] == 3


def test_closed_lists_stay_closed(tmp_path):
    header = "@relation r\n@attribute c {u,v}\n@attribute y {a,b}\n@data\n"
    schema = from_file(write(tmp_path, header + "u,a\nv,b\n", "r.arff")).schema()
    assert schema["more_classes"] is False and schema["columns"][0]["grows"] is False
    assert "data row 2, column 'c': 'w'" in complaint(write(tmp_path, "c,y\nu,a\nw,b\n"), like=schema)
    assert "'z' is not one of the labels a, b" in complaint(write(tmp_path, "c,y\nu,z\nv,b\n"), like=schema)
    fixed = from_file(write(tmp_path, "x,y\n1,2\n2.5,3\n"), classes=[2, 3]).schema()
    assert "'5' is not one of the labels 2, 3" in complaint(write(tmp_path, "x,y\n1,5\n"), like=fixed)
    np.testing.assert_array_equal(from_file(write(tmp_path, "x,y\n1,3\n"), like=fixed).classes, [2, 3])


def test_columns_that_do_not_fit_are_named(tmp_path, trained):
    stream, _ = trained
    renamed = [name.replace("price", "Price").replace("colour", "color") for name in HEADER]
    said = complaint(write(tmp_path, european(orders(0, 3), renamed)), like=stream)
    assert "there is no column 'price', 'colour', which the first rows had; 'Price' may be 'price'" in said
    headless = european(orders(0, 3)).partition("\n")[2]
    assert "is its first row a header?" in complaint(write(tmp_path, headless), like=stream)
    lines = european(orders(0, 3)).splitlines()
    spare = [line + (";1" if i else ";spare") for i, line in enumerate(lines)]
    read = from_file(write(tmp_path, "\n".join(spare)), like=stream)
    assert read.names == stream.names and read.columns.notes["spare"] == "not in the schema"
    assert read.columns.warnings == ("left out, as the schema has no such column: 'spare'",)
    wrong = european(orders(0, 3)).replace("27.02.2024 16:30", "soon")
    assert "data row 2, column 'when': 'soon' is not a date" in complaint(write(tmp_path, wrong), like=stream)
    skipping = from_file(write(tmp_path, wrong), like=stream, on_error="skip")
    assert len(whole(skipping)[0]) == 2 and skipping.skipped == 1
    wrong = european(orders(0, 3)).replace("27.02.2024", "soon")
    assert "column 'when': the first rows are not all dates" in complaint(write(tmp_path, wrong), like=stream)
    wrong = write(tmp_path, european(orders(0, 3)).replace("1,25", "cheap"))
    assert "data row 2, column 'price': 'cheap' is not a number" in complaint(wrong, like=stream)
    nested = pa.table({"price": [[1.0]], **{name: ["x"] for name in HEADER if name != "price"}})
    pa.parquet.write_table(nested, tmp_path / "nested.parquet")
    assert "column 'price': values of type 'list" in complaint(tmp_path / "nested.parquet", like=stream)
    clock = write(tmp_path, european(orders(0, 3)).replace("27.02.2024 ", "").replace("28.02.2024 ", ""))
    assert "column 'when': the first rows are not all dates" in complaint(clock, like=stream)


def test_files_without_names_go_by_position(tmp_path):
    schema = from_file(write(tmp_path, "u,1.5,no\nv,2.5,yes\n" * 3), header=False).schema()
    read = from_file(write(tmp_path, "v,3.5\nu,4.5\n"), like=schema)
    assert whole(read)[0].tolist() == [[1, 3.5], [0, 4.5]]


def test_flags_are_read_from_words_and_booleans(tmp_path):
    schema = from_file(write(tmp_path, "b,x,y\n0,1.5,u\n1,2.5,v\n")).schema()
    assert schema["columns"][0] == {"name": "b", "kind": "flag"}
    words = from_file(write(tmp_path, "b,x,y\nTRUE,1.5,u\nfalse,2.5,v\n"), like=schema)
    assert whole(words)[0][:, 0].tolist() == [1, 0]
    pa.parquet.write_table(pa.table({"x": [1.5, 2], "b": [True, False]}), tmp_path / "b.parquet")
    assert whole(from_file(tmp_path / "b.parquet", like=schema))[0][:, 0].tolist() == [1, 0]
    texts = from_file(write(tmp_path, "b,x,y\ntrue,1.5,u\ntrue,2.5,v\n")).schema()
    assert whole(from_file(tmp_path / "b.parquet", like=texts))[0][:, 0].tolist() == [1, 0]


def test_streams_that_are_no_files_have_schemas_too(tmp_path):
    sea = noisy(SEA(1000, seed=1, noise=0), 0.1)
    path = write(tmp_path, "x2,x0,x1,y\n3,1,2,1\n")
    read = from_file(path, target="y", like=sea)
    assert whole(read)[0].tolist() == [[1, 2, 3]] and whole(read)[1].tolist() == [1]
    arrays = from_arrays([["b", 1.5], ["a", 2.5]], ["no", "yes"], names=["c", "n"], categorical=["c"])
    assert whole(from_file(write(tmp_path, "n,c\n1,b\n2,a\n3,z\n"), like=arrays))[0].tolist() == [
        [1, 1], [0, 2], [2, 3]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": 2}, "its version is 2"),
        ({"columns": []}, "no names"),
        ({"columns": [{"name": "a"}]}, "'kind' is missing"),
        ({"columns": [{"name": "a", "kind": "sound"}]}, "no kind 'sound'"),
        ({"columns": [{"name": "a", "kind": "date", "layout": "x", "origin": 0, "parts": ["time"]}]}, "'x'"),
        ({"columns": [{"name": "a", "kind": "category", "values": ["u", "u"], "grows": True}]}, "twice"),
        ({"classes": 3}, "int"),
        ({"classes": [1, None]}, "missing value"),
    ],
)
def test_what_is_no_schema_is_refused(tmp_path, change, words):
    path = write(tmp_path, "a,y\n1.5,0\n2.5,1\n")
    schema = from_file(path).schema() | change
    with pytest.raises(ValueError, match="like must be what a stream's schema") as caught:
        from_file(path, like=schema)
    assert words in str(caught.value)


def test_options_that_a_schema_decides_are_refused(tmp_path):
    path = write(tmp_path, "a,y\n1.5,0\n2.5,1\n")
    stream = from_file(path)
    for options in ({"classes": [0, 1]}, {"categorical": 0}, {"ignore": ["a"]}, {"scan_labels": True}):
        with pytest.raises(ValueError, match=f"{next(iter(options))} cannot be given with like"):
            from_file(path, like=stream, **options)
    with pytest.raises(ValueError, match="like must be"):
        from_file(path, like="schema.json")
