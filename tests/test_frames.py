"""Frames of pandas, polars and Arrow go wherever arrays go: names, masks and dates are respected."""

import datetime
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_array, random

from thalweg.evaluation import prequential
from thalweg.learners import HoeffdingTree, LinearLogistic, NaiveBayes
from thalweg.streams import from_arrays, from_file

N = 40
COLUMNS = {
    "a": [i * 0.5 if i % 7 else None for i in range(N)],
    "b": list(range(N)),
    "c": [i % 2 == 0 for i in range(N)],
}
LABELS = ["uv"[i % 3 > 0] for i in range(N)]
ROWS = np.array(list(zip(*COLUMNS.values(), strict=True)), dtype=float)
WHEN = [datetime.datetime(2024, 2, 27, 9) + datetime.timedelta(hours=7 * i) for i in range(N)]


def polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def nullable(columns):
    return pd.DataFrame(columns).convert_dtypes()


FRAMES = {
    "pandas": pd.DataFrame, "nullable pandas": nullable, "polars": polars, "Arrow": pa.table,
    "record batch": pa.RecordBatch.from_pydict,
}


@pytest.fixture(params=FRAMES)
def frame(request):
    """Return a function that makes a frame of a dict of columns."""
    return FRAMES[request.param]


def begun():
    return NaiveBayes().begin(3, ["u", "v"])


def test_frames_are_rows(frame):
    X = frame(COLUMNS)
    expected = begun().test_then_train(ROWS, LABELS)
    learner = begun()
    np.testing.assert_array_equal(learner.test_then_train(X, LABELS), expected)
    np.testing.assert_array_equal(learner.predict_proba_block(X), learner.predict_proba_block(ROWS))
    fitted, same = HoeffdingTree().fit(X, LABELS), HoeffdingTree().fit(ROWS, LABELS)
    np.testing.assert_array_equal(fitted.predict_proba(X), same.predict_proba(ROWS))
    assert list(fitted.feature_names_in_) == ["a", "b", "c"]
    labels = pd.Series(LABELS)
    np.testing.assert_array_equal(next(from_arrays(X, labels).coded_blocks())[0], ROWS)


def test_columns_in_another_order_or_renamed_are_refused(frame):
    learner = begun()
    learner.predict_proba_block(frame({"z": [1.0], "y": [2.0], "x": [3.0]}))
    learner.test_then_train(frame(COLUMNS), LABELS)
    swapped = frame({name: COLUMNS[name] for name in "bac"})
    renamed = frame({name.replace("c", "colour"): COLUMNS[name] for name in "abc"})
    before = learner.predict_proba_block(ROWS)
    for method in (
        lambda X: learner.test_then_train(X, LABELS),
        learner.predict_proba_block,
        learner.observe,
    ):
        with pytest.raises(ValueError, match="NaiveBayes: the columns are in another order, 'b', 'a', 'c'"):
            method(swapped)
        with pytest.raises(ValueError, match="began with: without 'c' and with 'colour'"):
            method(renamed)
    np.testing.assert_array_equal(learner.predict_proba_block(ROWS), before)
    with pytest.raises(ValueError, match="another order"):
        learner.copy().predict_proba_block(swapped)
    with pytest.raises(ValueError, match="a row has 2 features"):
        begun().predict_proba_block(frame({"a": [1.0], "b": [2.0]}))


def test_names_of_a_stream_are_those_of_its_learner(frame):
    learner = NaiveBayes()
    prequential(from_arrays(frame(COLUMNS), LABELS), learner)
    with pytest.raises(ValueError, match="another order"):
        learner.predict_proba_block(frame({name: COLUMNS[name] for name in "cba"}))
    prequential(from_arrays(ROWS, LABELS), learner)  # its names x0, x1, x2 say nothing
    learner.predict_proba_block(frame(COLUMNS))


def test_names_that_are_numbers_are_no_names():
    learner = begun()
    learner.test_then_train(pd.DataFrame(ROWS), LABELS)
    learner.predict_proba_block(pd.DataFrame(ROWS[:, ::-1], columns=[2, 1, 0]))


def test_masked_cells_are_missing():
    mask = np.zeros(ROWS.shape, dtype=bool)
    mask[3:9, 1] = True
    masked, holed = np.ma.array(ROWS, mask=mask), np.where(mask, np.nan, ROWS)
    expected = begun().test_then_train(holed, LABELS)
    np.testing.assert_array_equal(begun().test_then_train(masked, LABELS), expected)
    by_row, learner = begun(), begun().fit(masked, LABELS, shuffle=False)
    for x, y in zip(masked, LABELS, strict=True):
        by_row.learn_one(x, y)
    np.testing.assert_array_equal(by_row.predict_proba_block(masked), learner.predict_proba(holed))
    np.testing.assert_array_equal(next(from_arrays(masked, LABELS).coded_blocks())[0], holed)
    labels = np.ma.array([1] * N, mask=[i == 2 for i in range(N)])
    assert next(from_arrays(ROWS, labels).coded_blocks())[1].tolist() == [0, 0, -1] + [0] * (N - 3)


def test_dates_are_refused_at_the_door(frame):
    X = frame({"a": [1.0] * N, "when": WHEN})
    for call in (
        lambda: NaiveBayes().begin(2, ["u", "v"]).test_then_train(X, LABELS),
        lambda: NaiveBayes().fit(X, LABELS),
    ):
        with pytest.raises(ValueError, match="NaiveBayes: column 'when' has dates"):
            call()
    with pytest.raises(ValueError, match="the array has dates"):
        NaiveBayes().begin(1, ["u", "v"]).predict_proba_block(np.array(WHEN, dtype="M8[s]")[:, None])


def test_dates_of_a_frame_are_inputs_of_a_stream(frame, tmp_path):
    X = frame({"when": WHEN, "b": COLUMNS["b"]})
    stream = from_arrays(X, LABELS)
    path = tmp_path / "rows.csv"
    lines = [f"{when},{b},{label}" for when, b, label in zip(WHEN, COLUMNS["b"], LABELS, strict=True)]
    path.write_text("when,b,y\n" + "\n".join(lines))
    file = from_file(path, target="y", numeric="b")
    assert stream.names == file.names and stream.n_features == 9
    np.testing.assert_allclose(next(stream.coded_blocks())[0], next(file.coded_blocks())[0], atol=1e-9)
    again = from_file(path, target="y", like=stream)
    np.testing.assert_allclose(next(again.coded_blocks())[0], next(stream.coded_blocks())[0], atol=1e-9)


def test_text_of_a_frame_is_a_category(frame):
    stream = from_arrays(frame({"x": [1.0, 2.0, 3.0], "s": ["red", None, "blue"]}), ["u", "v", "u"])
    np.testing.assert_array_equal(next(stream.coded_blocks())[0], [[1, 1], [2, np.nan], [3, 0]])
    assert stream.categories["s"].tolist() == ["blue", "red"]
    with pytest.raises(ValueError, match="row 0, column 1 is 'red', not a number"):
        NaiveBayes().begin(2, ["u", "v"]).predict_proba_block(frame({"x": [1.0], "s": ["red"]}))


def test_dictionaries_and_time_zones_of_arrow():
    zone = datetime.timezone(datetime.timedelta(hours=2))
    when = pa.array([each.replace(tzinfo=zone) for each in WHEN], pa.timestamp("ms", "Europe/Helsinki"))
    texts = pa.array((["red", None, "blue"] * N)[:N]).dictionary_encode()
    table = pa.table({"s": texts, "when": when})
    arrow, pandas = (next(from_arrays(each, LABELS).coded_blocks())[0] for each in (table, table.to_pandas()))
    np.testing.assert_allclose(arrow[:, 1:], pandas[:, 1:], atol=1e-9)
    assert np.isnan(arrow[1, 0]) and np.isnan(pandas[1, 0])


@pytest.mark.parametrize("learner", [LinearLogistic(), NaiveBayes()], ids=str)
def test_sparse_matrices_are_streams(learner):
    X = random(600, 50, density=0.1, random_state=1, format="csc")
    y = X @ np.linspace(-1, 1, 50) > 0
    sparse, dense = from_arrays(X, y), from_arrays(X.toarray(), y)
    for size in (7, 1000):
        blocks = zip(sparse.coded_blocks(size), dense.coded_blocks(size), strict=True)
        assert all(np.array_equal(a, b) for pair in blocks for a, b in zip(*pair, strict=True))
    for settings in ({}, {"rows": 450, "block": 100}, {"label_share": 0.5}, {"delay": 3}):
        one, other = (prequential(stream, learner, **settings) for stream in (sparse, dense))
        np.testing.assert_allclose(one.probabilities, other.probabilities, atol=1e-12)
        assert one.n_rows == other.n_rows


def test_wide_sparse_rows_do_not_become_dense():
    n, columns = 3000, np.random.default_rng(1).integers(0, 20_000, 60_000)
    X = csr_array((np.ones(len(columns)), columns, np.arange(0, len(columns) + 1, 20)), shape=(n, 20_000))
    labels = np.asarray(X[:, :700].sum(axis=1) > 0)
    stream = from_arrays(X, labels)
    tracemalloc.start()
    prequential(stream, LinearLogistic())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 60e6  # one dense block of 1000 rows has 160 MB
    with pytest.raises(ValueError, match="infinite"):
        from_arrays(X * np.inf, labels)
    with pytest.raises(ValueError, match="holds numbers"):
        from_arrays(X, labels, categorical=[0])
