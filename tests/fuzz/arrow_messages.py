"""Read damaged and odd Arrow streams of inputs, ids and labels as the service does.

    PYTHONPATH=tests python tests/fuzz/arrow_messages.py --seconds 60 --seed 1

Each is read, or refused with a status from 400 to 499. Half of them are damaged in their bytes as well.
"""

import struct
import tempfile
import warnings

import numpy as np
import pyarrow as pa
from fuzz.live_folders import MEMORY
from fuzz.saved_models import records
from support.mutations import damaged as damaged_bytes
from support.numbered_inputs import fuzz_script, run_inputs

import thalweg
from thalweg.live import LiveModel
from thalweg.live.answering import checked_ids, read
from thalweg.live.requests import PredictRequest
from thalweg.service.arrow import decode_arrow
from thalweg.service.asked import LABEL, LEARN, PREDICT
from thalweg.service.described import input_columns
from thalweg.service.failures import as_request_error

MOST_ROWS = 10_000
NUMBERS = [0, 1, 2.5, -1, None]
TEXTS = ["north", "south", "a", "", None, "é\0", "x" * 600, "\x1b[2J"]
SPECIAL = [float("nan"), float("inf"), 1e308, -0.0, None]
FLAT = (pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(),
        pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary_view(), pa.binary(3),
        pa.bool_(), pa.null(), pa.date32(), pa.timestamp("us"), pa.timestamp("s", "UTC"), pa.time64("ns"),
        pa.duration("s"), pa.decimal128(30, 3), pa.decimal256(70, 3),
        pa.month_day_nano_interval())  # fmt: skip


def column(rng, n):
    """Return a column of any type."""
    draw = rng.random()
    if draw < 0.35:
        return flat(rng, n, pa.float64() if rng.random() < 0.5 else pa.string())
    if draw < 0.55:
        return flat(rng, n, FLAT[rng.integers(len(FLAT))])
    makers = _dictionary, _dictionary, _many, _views, _nested, _union, _run_ends, _bad_text, _long_text
    return makers[rng.integers(len(makers))](rng, n)


def flat(rng, n, kind):
    """Return an array of plain values, some of them missing or odd."""
    pool = TEXTS[: int(rng.integers(2, len(TEXTS) + 1))] if "string" in str(kind) else NUMBERS
    if pa.types.is_floating(kind) and rng.random() < 0.3:
        pool = SPECIAL
    if "binary" in str(kind):
        pool = [b"abc", b"\xff\xfe\0", None]
    values = [pool[i] for i in rng.integers(len(pool), size=n)]
    for given in (values, [1] * n, [None] * n):
        try:
            return pa.array(given, kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            continue
    return pa.nulls(n, kind)


def own(values, kind):
    """Return an array in Arrow's own memory: Arrow reads beyond the end of NumPy's when it writes a slice."""
    return pa.array(np.asarray(values).tolist(), kind)


def _dictionary(rng, n):
    kinds = pa.string(), pa.large_string(), pa.int64(), pa.bool_()
    values = flat(rng, int(rng.integers(1, 5)), kinds[rng.integers(len(kinds))])
    codes = rng.integers(len(values), size=n).tolist()
    if n and rng.random() < 0.4:
        codes[rng.integers(n)] = (None, len(values), 100)[rng.integers(3)]
    kind = (pa.int8(), pa.int32(), pa.uint16(), pa.int64())[rng.integers(4)]
    return pa.DictionaryArray.from_arrays(pa.array(codes, kind), values, safe=False)


def _many(rng, n):
    """A few bytes that stand for very many values in each row."""
    size = int(rng.choice([10, 1000, 100_000]))
    return pa.ListViewArray.from_arrays(
        own([0] * n, pa.int32()), own([size] * n, pa.int32()), own(np.zeros(size), pa.float64())
    )


def _views(rng, n):
    kinds = pa.list_view(pa.int64()), pa.large_list_view(pa.string()), pa.string_view(), pa.binary_view()
    values, k = ([1], ["a", "b"], "long text beyond a view", b"x" * 40), int(rng.integers(4))
    return pa.array([values[k]] * n, kinds[k])


def _nested(rng, n):
    values = [1.5, None], ["a"], {"a": 1, "b": [None]}, [{"x": "y"}], [("k", 1)]
    k = int(rng.integers(len(values)))
    found = pa.array([values[k]] * n, pa.map_(pa.string(), pa.int64()) if k == 4 else None)
    return found if rng.random() < 0.6 else pa.array([[1.0, 2.0]] * n, pa.list_(pa.float64(), 2))


def _union(rng, n):
    kinds = own(rng.integers(2, size=n), pa.int8())
    parts = [own(np.arange(n), pa.int64()), pa.array(["a"] * n)]
    if rng.random() < 0.5:
        return pa.UnionArray.from_sparse(kinds, parts)
    return pa.UnionArray.from_dense(kinds, own(np.arange(n), pa.int32()), parts)


def _run_ends(rng, n):
    if n == 0:
        return pa.nulls(0)
    values = flat(rng, 1, (pa.float64(), pa.string())[rng.integers(2)])
    return pa.RunEndEncodedArray.from_arrays(pa.array([n], pa.int32()), values)


def _bad_text(rng, n):
    raw = pa.array([b"\xff\xfe"] * n, pa.binary())
    return pa.Array.from_buffers(pa.string(), n, raw.buffers())


def _long_text(rng, n):
    text = pa.array(["x" * int(rng.choice([600, 3000, 300_000]))])
    return pa.DictionaryArray.from_arrays(own([0] * n, pa.int32()), text)


def stream(rng):
    """Return the bytes of a stream with some columns of inputs, ids and labels."""
    n = int(rng.choice([0, 1, 2, 3, 3, 5, 40]) if rng.random() < 0.97 else MOST_ROWS)
    names = [name for name in ("price", "shop", "note") if rng.random() < 0.9]
    names += [name for name in ("id", "label", "paid") if rng.random() < 0.5]
    names += ["more"] * int(rng.random() < 0.1) + ["price"] * int(rng.random() < 0.02)
    columns = [_sound(rng, name, n) if rng.random() < 0.7 else column(rng, n) for name in names]
    columns = [each if len(each) == n else pa.nulls(n) for each in columns]
    batch = pa.RecordBatch.from_arrays(columns, names)
    if n > 2 and rng.random() < 0.2:
        batch = batch.slice(1, n - 2)
    sink = pa.BufferOutputStream()
    compression = rng.choice(["lz4", "zstd"]) if rng.random() < 0.05 else None
    options = pa.ipc.IpcWriteOptions(compression=compression, emit_dictionary_deltas=bool(rng.random() < 0.5))
    with pa.ipc.new_stream(sink, batch.schema, options=options) as writer:
        for _ in range(int(rng.choice([1, 1, 1, 0, 2]))):
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes(), names


def _sound(rng, name, n):
    if name == "price":
        return own(rng.random(n), pa.float64())
    if name == "id":
        is_text = rng.random() < 0.5
        return pa.array([f"i{k}" if is_text else k for k in range(n)], pa.string() if is_text else pa.int64())
    pool = {"shop": "nsw", "label": "ab", "paid": "ab"}.get(name, ["word1 word2", "word3"])
    found = pa.array([pool[k] for k in rng.integers(len(pool), size=n)], pa.string())
    return found.dictionary_encode() if rng.random() < 0.2 else found


def _other_number(rng, body):
    """Return the bytes with one number of 4 or 8 bytes changed: a length, an offset, a code or a value."""
    size = int(rng.choice([4, 8]))
    if len(body) < 64:
        return body
    at = int(rng.integers(len(body) // size)) * size
    old = int.from_bytes(body[at : at + size], "little", signed=True)
    odd = old + 1, old - 1, old + 8, 2 * old, -old, 0, -1, 2**31 - 1, -(2**31), 2**40, 2**62, 2**63 - 1
    new = odd[rng.integers(len(odd))] % 2 ** (8 * size)
    return body[:at] + new.to_bytes(size, "little") + body[at + size :]


class ArrowMessages:
    """Streams for a model of numbers, one with text and categories, and one that has not begun."""

    def __init__(self):
        rows = records(40)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            models = (thalweg.Model("paid", "NaiveBayes", columns={"shop": "ignore", "note": "ignore"}),
                      thalweg.Model("paid", "NaiveBayes", columns={"note": "text"}, n_words=16),
                      thalweg.Model("paid", "LinearLogistic", columns={"note": "text"}, n_words=64),
            )  # fmt: skip
            self._engines = []
            for model in models:
                with (
                    tempfile.TemporaryDirectory(dir=MEMORY) as place,
                    LiveModel(place, model.learn(rows), survive="process") as live,
                ):
                    self._engines.append(live._engine)
        self._columns = [input_columns(engine.model) for engine in self._engines]

    def damaged(self, rng, number):
        """Return what is asked for and the columns, and the body of a request after 3 bytes that say it."""
        while True:
            try:
                body, names = stream(rng)
                break
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                continue  # Arrow does not write this
        kind, model = int(rng.integers(3)), int(rng.integers(4))
        named = int(rng.random() < 0.1)
        way = rng.random()
        if way < 0.35:
            for _ in range(rng.integers(1, 3)):
                body = _other_number(rng, body)
        elif way < 0.5:
            body = damaged_bytes(rng, body, [body])
        return (KINDS[kind], f"columns {names}"), struct.pack("BBB", kind, model, named) + body

    def attempt(self, data):
        """Return what became of a request."""
        kind, model, named = KINDS[data[0]], data[1], data[2]
        columns = self._columns[model] if model < len(self._columns) else None
        options = {"id_column": "id", "label_column": "label"} if named else {}
        try:
            asked = decode_arrow(kind, data[3:], MOST_ROWS, columns, options)
            if columns is not None:
                self._use(self._engines[model], asked)
        except Exception as error:
            refusal = as_request_error(error)
            if not 400 <= refusal.status < 500:
                raise
            return f"refused {refusal.code}"
        return "accepted"

    def _use(self, engine, asked):
        if asked.ids is not None:
            checked_ids(asked.ids)
        if asked.rows is not None:
            for result in read(engine, [PredictRequest(asked.rows)]):
                if isinstance(result, Exception):
                    raise result
        if asked.labels is not None:
            mark = engine.coder.mark()
            try:
                engine.coder.codes(asked.labels)
            finally:
                engine.coder.undo(mark)


KINDS = PREDICT, LABEL, LEARN


def run(seed, **limit):
    """Read streams; return counts of answers, and the problems."""
    return run_inputs(__file__, seed, **limit)


if __name__ == "__main__":
    fuzz_script(__doc__, ArrowMessages, __file__)
