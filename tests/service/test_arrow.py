"""Rows as Arrow streams: what is read fast, slowly, and not at all."""

import numpy as np
import pyarrow as pa
import pytest
from support.service_process import running

import thalweg
from thalweg.service import arrow
from thalweg.service.arrays import InputColumns
from thalweg.service.arrow_messages import _matrix, plain_matrix
from thalweg.service.request_error import RequestError

COLUMNS = InputColumns(["a", "b"], "y", True)
ARROW = {"content-type": "application/vnd.apache.arrow.stream"}


def stream(*tables, compression=None):
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, tables[0].schema, options=options) as writer:
        for table in tables:
            writer.write_table(table)
    return sink.getvalue().to_pybytes()


def decode(body, kind="predict", max_rows=10, columns=COLUMNS, **options):
    return arrow.decode_arrow(kind, body, max_rows, columns, options)


TABLE = pa.table({"a": [1.0, 2.5, None], "b": pa.array([4, 5, 6], pa.int16())})
EXPECTED = np.array([[1, 4], [2.5, 5], [np.nan, 6]])


@pytest.mark.parametrize(
    "body",
    [
        stream(TABLE),
        stream(TABLE.select(["b", "a"])),
        stream(TABLE.append_column("more", [["x", "y", "z"]])),
        stream(TABLE.slice(0, 1), TABLE.slice(1)),
        stream(TABLE.append_column("y", [["no", "no", "yes"]])),
        stream(TABLE.append_column("label", [["no", "no", "yes"]])),
    ],
)
def test_numbers_are_an_array_in_the_order_of_the_model(body):
    found = decode(body)
    assert found.n == 3
    assert np.array_equal(found.rows, EXPECTED, equal_nan=True) and found.rows.flags.c_contiguous


NUMBERS = pa.table({"a": [1.0, 2.5, -0.0, np.nan], "b": [4.0, 5e-324, 6.0, 7.0]})


def test_plain_numbers_are_read_without_arrow():
    assert plain_matrix(stream(TABLE), 10, ["a", "b"]) is None  # a null, a whole number
    for n in (1, 3, 4):
        table = NUMBERS.slice(0, n)
        found = plain_matrix(stream(table), 10, ["a", "b"])
        assert found.tobytes() == np.array(table.to_pandas()).tobytes() and found.flags.c_contiguous
    for body, max_rows, names in (
        (stream(NUMBERS), 3, ["a", "b"]),
        (stream(NUMBERS), 10, ["b", "a"]),
        (stream(NUMBERS), 10, ["a"]),
        (stream(NUMBERS, NUMBERS), 10, ["a", "b"]),
        (stream(NUMBERS.slice(0, 0)), 10, ["a", "b"]),
        (stream(NUMBERS, compression="lz4"), 10, ["a", "b"]),
        (stream(NUMBERS)[:-50], 10, ["a", "b"]),
        (stream(NUMBERS)[8:], 10, ["a", "b"]),
    ):
        assert plain_matrix(body, max_rows, names) is None


def test_columns_may_lie_anywhere_in_a_body():
    body = np.arange(12.0).tobytes()
    for places in ([0, 32], [32, 0], [0, 32, 64], [64, 0, 32], [8]):
        expected = [[place // 8 + i for place in places] for i in range(4)]
        assert _matrix(body, 4, places).tolist() == expected


def test_damaged_plain_numbers_are_never_read_from_outside_the_body():
    """Each byte before the values is changed: what is still plain has values of the body alone."""
    body, rng = stream(NUMBERS), np.random.default_rng(0)
    for place in range(len(body) - 96):
        changed = bytearray(body)
        changed[place] = rng.integers(256)
        found = plain_matrix(bytes(changed), 10, ["a", "b"])
        if found is not None:
            assert found.shape[0] <= 10 and found.shape[1] == 2
            assert all(value.tobytes() in changed for value in found.ravel())


def test_ids_and_labels_have_their_columns():
    table = TABLE.append_column("id", [["u", "v", "w"]]).append_column("y", [["no", "no", "yes"]])
    found = decode(stream(table), "learn")
    assert (found.ids, found.labels) == (["u", "v", "w"], ["no", "no", "yes"])
    table = TABLE.append_column("key", [[7, 8, 9]]).append_column("said", [[True, False, True]])
    found = decode(stream(table), "learn", id_column="key", label_column="said")
    assert (found.ids, found.labels) == ([7, 8, 9], [True, False, True])
    with_id = InputColumns(["a", "id"], "y", True)
    assert decode(stream(TABLE.rename_columns(["a", "id"])), columns=with_id).ids is None


REFUSED = [
    (stream(TABLE, compression="zstd"), {}, "unsupported_type", "without compression"),
    (stream(TABLE), {"max_rows": 2}, "too_many_rows", "may have 2 rows"),
    (stream(TABLE, TABLE), {"max_rows": 5}, "too_many_rows", "may have 5 rows"),
    (stream(TABLE), {"kind": "label"}, "wrong_field", "no column of ids"),
    (stream(TABLE), {"kind": "learn"}, "wrong_field", "no column of labels"),
    (stream(TABLE), {"id_column": "zz"}, "wrong_field", "no column 'zz'"),
    (stream(TABLE.append_column("id", [[1.5, 2, 3]])), {}, "wrong_field", "an id is text or a whole number"),
    (stream(TABLE.append_column("id", [[True, False, True]])), {}, "wrong_field", "got a column of bool"),
    (stream(TABLE.append_column("a", [[1, 2, 3]])), {}, "wrong_field", "differ in name"),
    (b"", {}, "not_arrow", "not an Arrow stream"),
    (b"hello, this is no stream", {}, "not_arrow", "does not begin as one"),
    (stream(TABLE)[:-200], {}, "not_arrow", "not an Arrow stream"),
]


@pytest.mark.parametrize(("body", "options", "code", "part"), REFUSED)
def test_what_is_wrong_is_said(body, options, code, part):
    with pytest.raises(RequestError, match=part) as caught:
        decode(body, **options)
    assert caught.value.code == code


def test_damaged_streams_are_refused_or_read():
    rng = np.random.default_rng(0)
    good = stream(TABLE.append_column("s", [["x", "y", "z"]]))
    for body in (good, stream(TABLE)):
        for _ in range(1500):
            damaged = bytearray(body)
            for place in rng.integers(0, len(body), rng.integers(1, 4)):
                damaged[place] = rng.integers(0, 256)
            try:
                decode(bytes(damaged))
            except RequestError as error:
                assert error.status < 500


def test_infinity_is_refused_with_its_row_and_column(tmp_path):
    rows = [{"a": i % 7, "b": i / 10, "y": i % 2} for i in range(200)]
    first = thalweg.Model(target="y", learner="NaiveBayes").learn(rows)
    with running(tmp_path / "live", first=first) as server:
        body = stream(pa.table({"a": [1.0, np.inf], "b": [1.0, 2.0]}))
        status, found = server.ask("POST", "/models/orders/predict", body, ARROW)
    assert (status, found["field"], found["row"]) == (422, "a", 1)


N = 10_000
ONE_TEXT = pa.DictionaryArray.from_arrays(pa.array([0, 1] * (N // 2), pa.int32()), ["a", "x" * 300_000])
LIST_VIEW = pa.ListViewArray.from_arrays(
    pa.array([0] * N, pa.int32()), pa.array([100_000] * N, pa.int32()), pa.array(np.zeros(100_000))
)
IN_FEW_BYTES = {  # and would be gigabytes in Python
    "a text for many rows": (ONE_TEXT, 1, "may have up to 512 characters"),
    "a text view": (pa.array(["a", None, "x" * 4000], pa.string_view()), 2, "may have up to 512 characters"),
    "a list view": (LIST_VIEW, None, "got a column of list_view<"),
    "runs": (pa.RunEndEncodedArray.from_arrays([N], [7]), None, "got a column of run_end_encoded<"),
    "a union": (pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([7])]), None, "sparse_union<"),
    "lists": (pa.array([[1]]), None, "got a column of list<"),
    "days": (pa.array([1], pa.date32()), None, "got a column of date32"),
}


@pytest.mark.parametrize("name", ["id", "y"])
@pytest.mark.parametrize("case", IN_FEW_BYTES)
def test_ids_and_labels_are_checked_before_they_are_values_of_python(case, name, monkeypatch):
    column, row, part = IN_FEW_BYTES[case]
    body = stream(pa.table({"a": np.ones(len(column)), "b": np.ones(len(column)), name: column}))
    with pytest.raises(RequestError, match=part) as caught:
        decode(body, "predict" if name == "id" else "learn", max_rows=N)
    found = caught.value
    assert (found.code, found.field, found.row) == ("wrong_field", "id" if name == "id" else "label", row)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["u", "é" * 512, "w"]), pa.array(["u", "v", "w"], pa.large_string()),
        pa.array(["u", "v", "a text of more than 12 bytes"], pa.string_view()),
        pa.array(["u", "v", "u"]).dictionary_encode(), pa.array([7, 8, 7], pa.uint8()).dictionary_encode(),
        pa.array([7, 8, 9], pa.int32()), pa.array([], pa.string_view()), pa.array([], pa.null()),
    ],
)  # fmt: skip
def test_whole_numbers_and_text_of_any_form_are_ids_and_labels(column):
    table = pa.table({"a": np.ones(len(column)), "b": np.ones(len(column)), "id": column, "y": column})
    found = decode(stream(table, table), "learn")
    assert found.ids == found.labels == column.to_pylist() * 2
    real = pa.array([1.5, 2.5, None][: len(column)]).slice(0, 2)
    table = pa.table({"a": np.ones(len(real)), "b": np.ones(len(real)), "y": real})
    assert decode(stream(table), "learn").labels == real.to_pylist()


@pytest.mark.parametrize("column", [ONE_TEXT, pa.array(["x" * 100] * N, pa.string_view())])
def test_texts_that_stand_once_in_a_body_are_bounded_before_they_are_copied(column, monkeypatch):
    monkeypatch.setattr(arrow, "MOST_COPIED", 500_000)
    table = pa.table({"shop": column, "more": ["n"] * N})
    with pytest.raises(RequestError, match="the texts of all rows together") as caught:
        decode(stream(table), max_rows=N)
    assert (caught.value.status, caught.value.field) == (413, "rows")
    assert decode(stream(table.slice(0, 1)), max_rows=N).n == 1
