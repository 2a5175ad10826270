"""JSON lines are read as the CSV file with the same cells is."""

import gzip
import io
import json
import sys

import numpy as np
import pytest
from support.file_rows import complaint, whole, write

from thalweg.evaluation import prequential
from thalweg.learners import NaiveBayes
from thalweg.streams import from_file
from thalweg.streams.files import json_files, text_files

ROWS = [
    {"price": k / 8 - 3, "n": k % 4, "shop": f"s{k % 3}", "when": f"2024-01-{k % 28 + 1:02}", "ok": k % 5 > 1,
     "code": ["A", "", "NA", "B"][k % 4], "class": "up" if k % 3 else "down"}
    for k in range(90)
]  # fmt: skip


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def as_csv(rows):
    def cell(value):
        return "" if value is None else json.dumps(value) if isinstance(value, bool) else str(value)

    names = list(dict.fromkeys(name for row in rows for name in row))
    return "".join(",".join(cells) + "\n" for cells in
                   [names, *([cell(row.get(name)) for name in names] for row in rows)])  # fmt: skip


def assert_same(stream, other):
    for left, right in zip(whole(stream), whole(other), strict=True):
        np.testing.assert_array_equal(left, right)
    assert stream.names == other.names and stream.classes.tolist() == other.classes.tolist()
    assert stream.columns.kinds == other.columns.kinds
    assert [column.categories for column in stream.inputs] == [column.categories for column in other.inputs]


@pytest.fixture(params=["fast", "line by line"])
def parser(request, monkeypatch):
    """Let pyarrow parse the rows, or each line be parsed by itself."""
    if request.param == "line by line":
        monkeypatch.setattr(json_files, "_parsed", lambda *_: None)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.ndjson", "rows.json", "rows.txt", "rows.jsonl.gz"])
def test_the_same_rows_as_csv(tmp_path, parser, name):
    content = lines(ROWS).encode()
    stream = from_file(write(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name))
    assert_same(stream, from_file(write(tmp_path, as_csv(ROWS))))
    assert stream.n_rows == 90


def test_wherever_the_file_is_cut(tmp_path, monkeypatch, parser):
    path = write(tmp_path, lines(ROWS[:30]).replace("\n", "\r\n", 7).replace("\n", "\n\n", 5), "rows.jsonl")
    whole_piece = from_file(path, numeric=["n"])
    for size in (1, 50, 333, 1000):
        monkeypatch.setattr(text_files, "PIECE", size)
        assert_same(from_file(path, numeric=["n"]), whole_piece)


def test_standard_input_and_a_schema(tmp_path, monkeypatch, parser):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines(ROWS).encode())))
    plain = from_file(write(tmp_path, as_csv(ROWS)))
    assert_same(from_file("-"), plain)
    shuffled = [dict(reversed(row.items())) for row in ROWS]
    assert_same(from_file(write(tmp_path, lines(shuffled), "rows.jsonl"), like=plain.schema()), plain)


def test_keys_that_are_missing_or_null_are_missing_values(tmp_path, parser):
    rows = [dict(row) for row in ROWS]
    for k in range(5, 89, 7):
        del rows[k]["price"], rows[k]["shop"]
        rows[k + 1]["ok"] = rows[k + 1]["n"] = None
    rows[5]["extra"] = 4
    stream = from_file(write(tmp_path, lines(rows), "rows.jsonl"))
    assert stream.columns.target == "class"
    names = [*list(ROWS[0])[:-1], "extra", "class"]
    table = as_csv([{name: row.get(name) for name in names} for row in rows])
    assert_same(stream, from_file(write(tmp_path, table)))


def test_numbers_in_quotes_and_numbers_are_the_same(tmp_path, parser):
    rows = [{"a": k + 0.5 if k % 3 else f"{k}.5", "y": k % 2 if k % 5 else str(k % 2)} for k in range(60)]
    X, codes = whole(from_file(write(tmp_path, lines(rows), "rows.jsonl")))
    assert X[:, 0].tolist() == [k + 0.5 for k in range(60)] and codes.tolist() == [k % 2 for k in range(60)]


def test_long_numbers_keep_their_digits(tmp_path, parser):
    labels = [12345678901234567, 12345678901234568, 123456789012345678901, 123456789012345678902]
    rows = [{"a": k / 2, "y": labels[k % 4]} for k in range(60)]
    assert len(from_file(write(tmp_path, lines(rows), "rows.jsonl")).classes) == 4


def test_nested_objects_become_columns_and_lists_are_refused(tmp_path, parser):
    rows = [{"user": {"age": k % 40, "home": {"town": f"t{k % 3}"}}, "y": k % 2} for k in range(60)]
    rows[3]["user"], rows[4]["user"] = None, {"age": 7}
    flat = [{"user.age": k % 40, "user.home.town": f"t{k % 3}", "y": k % 2} for k in range(60)]
    flat[3] |= {"user.age": None, "user.home.town": None}
    flat[4] |= {"user.age": 7, "user.home.town": None}
    stream = from_file(write(tmp_path, lines(rows), "rows.jsonl"))
    assert_same(stream, from_file(write(tmp_path, as_csv(flat))))
    path = write(tmp_path, lines([{"tags": ["a"], **row} for row in rows]), "rows.jsonl")
    assert "column 'tags': values of type 'list' are not read" in complaint(path)
    assert_same_rows(from_file(path, ignore=["tags"]), stream)


def assert_same_rows(stream, other):
    np.testing.assert_array_equal(whole(stream)[0], whole(other)[0])


BAD = {
    '{"price": 1, "class": "up"': "not JSON (Expecting ',' delimiter)",
    "17": "not a JSON object: '17'",
    '{"price": [1], "class": "up"}': "column 'price': ['1'] is a list",
    '{"price": {"a": 2}, "class": "up"}': "column 'price': {'a': '2'} is an object",
    '{"price": "much", "class": "up"}': "column 'price': 'much' is not a number",
    '{"price": 1e999, "class": "up"}': "column 'price': inf is not a finite number",
    '{"price": 1, "shop": "\\ud800", "class": "up"}': "half a surrogate pair",
    '{"price": ' + "[" * 100_000: "nested too deeply",
}


@pytest.mark.parametrize("bad", BAD, ids=list(BAD.values()))
def test_a_bad_line_is_named_or_skipped(tmp_path, bad):
    path = write(tmp_path, lines(ROWS[:60]) + bad + "\n" + lines(ROWS[60:]), "rows.jsonl")
    said = complaint(path)
    assert "data row 61" in said and BAD[bad] in said
    stream = from_file(path, on_error="skip")
    np.testing.assert_array_equal(
        whole(stream)[0], whole(from_file(write(tmp_path, lines(ROWS), "good.jsonl")))[0]
    )
    assert stream.skipped_rows == [61]


def test_a_key_that_comes_late_is_left_out_and_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(json_files, "FIRST_ROWS", 50)
    rows = [{**row, "new": 1} if 60 <= k < 67 else row for k, row in enumerate(ROWS)]
    stream = from_file(write(tmp_path, lines(rows), "rows.jsonl"))
    assert "new" not in stream.columns.kinds
    for _ in range(2):
        run = prequential(stream, NaiveBayes())
        assert run.columns.warnings == (
            "left out, as none of the first 50 rows has such a key: 'new' (7 rows)",
        )
    assert run.n_rows == 90 and run.summary()["columns"]["warnings"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\n \n", "is empty"),
        (b"{}\n{}\n", "has no columns"),
        (b'{"a.b": 1, "a": {"b": 2}, "y": 1}\n', "two columns are called 'a.b'; rename one"),
        (b'{"a": 1,\n"b": 2}\n', "no row could be read; data row 1: not JSON"),
    ],
)
def test_unusable_files_get_one_line(tmp_path, content, said):
    assert said in complaint(write(tmp_path, content, "rows.jsonl"))


def test_options_of_csv_do_not_apply(tmp_path):
    path = write(tmp_path, lines(ROWS), "rows.jsonl")
    with pytest.raises(ValueError, match="delimiter is for CSV files, this is a file of JSON lines"):
        from_file(path, delimiter=";")


def test_numbers_of_a_type_have_a_decimal_point_whatever_other_columns_have(tmp_path):
    rows = [
        {"weight": 1.25 + k / 1000, "price": f"{k},50", "class": "up" if k % 3 else "down"} for k in range(90)
    ]
    head = "@relation r", "@attribute weight numeric", "@attribute price string", "@attribute class {up,down}"
    arff = "\n".join([*head, "@data\n"])
    arff += "".join(f"{row['weight']:.3f},'{row['price']}',{row['class']}\n" for row in rows)
    for path in (write(tmp_path, lines(rows).encode(), "a.jsonl"), write(tmp_path, arff.encode(), "a.arff")):
        stream = from_file(path, target="class")
        X, _ = next(stream.blocks(90))
        assert X[:, list(stream.names).index("weight")].tolist() == [round(row["weight"], 3) for row in rows]
        again = from_file(path, target="class", decimal=",")
        assert next(again.blocks(90))[0][3].tolist() == X[3].tolist() == [1.253, 3.5]


def test_labels_in_the_header_of_arff_keep_their_text(tmp_path):
    head = "@relation r", "@attribute a {01,1}", "@attribute zip {01067,1067,10115}", "@data"
    arff = "\n".join([*head, "01,01067", "1,1067", "01,10115\n"])
    stream = from_file(write(tmp_path, arff.encode(), "a.arff"))
    assert stream.classes.tolist() == ["01067", "1067", "10115"]
    X, y = next(stream.blocks(3))
    assert y.tolist() == ["01067", "1067", "10115"]
    assert len({*X[:, 0].tolist()}) == 1
    twice = write(tmp_path, arff.replace("10115}", "1067}").encode(), "b.arff")
    assert "attribute 'zip': a value is listed twice: 01067, 1067, 1067" in complaint(twice)
