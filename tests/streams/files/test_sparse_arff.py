"""Sparse ARFF files: the same rows and errors as when they are written in full, and none becomes dense."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array

from thalweg.errors import StreamError
from thalweg.evaluation import prequential
from thalweg.learners import LinearLogistic, NaiveBayes
from thalweg.streams import from_file
from thalweg.streams.files._native.sparse_cells import sparse_cells

HEADER = """@relation r
@attribute a numeric
@attribute colour {red,'dark blue',"it's"}
@attribute y {no,yes}
@attribute 'b c' real
@attribute note string
@attribute n {2,0,1}
@data
"""
DEFAULTS = ["0", "red", "no", "0", "0", "2"]
VALUES = [
    ["1", "-2.5", "?", "1e-3", "+7", ".5", "12345678901234567890", "1e300", "0.1234567890123456789",
     "NA", "3.", "-0"],
    ["red", "'dark blue'", "?", "'it\\'s'", "'red'"],
    ["yes", "no", "'yes'", "?"],
    ["1", "'2.5'", "?", "1E2", "'?'"],
    ["some", "'two words'", "?", "0"],
    ["0", "1", "2.0", "?"],
]


def both(folder, n=400, seed=0, bad=()):
    """Write the same rows sparse and in full; those of `bad` have a word in column `b c`."""
    rng = np.random.default_rng(seed)
    sparse, full = [], []
    for i in range(n):
        written = {int(j): str(rng.choice(VALUES[j])) for j in np.flatnonzero(rng.random(6) < 0.4)}
        written |= {3: "word"} if i in bad else {}
        places = list(written)
        rng.shuffle(places)
        blank = " " * int(rng.integers(3))
        pairs = f"{blank},{blank}".join(f"{j}\t{blank}{written[j]}" for j in places)
        sparse.append(f"{blank}{{{blank}{pairs}{blank}}}")
        full.append(",".join(written.get(j, default) for j, default in enumerate(DEFAULTS)))
    for name, lines in (("sparse.arff", sparse), ("full.arff", full)):
        text = "% a comment\n\n".join("\n".join(lines[i : i + 90]) + "\n" for i in range(0, n, 90))
        (folder / name).write_text(HEADER + text)
    return folder / "sparse.arff", folder / "full.arff"


def rows_of(stream, size=1000):
    blocks = list(stream.coded_blocks(size))
    return np.vstack([X for X, _ in blocks]), np.concatenate([codes for _, codes in blocks])


def assert_same_rows(one, other):
    for found, expected in zip(rows_of(one), rows_of(other), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert one.names == other.names and one.classes.tolist() == other.classes.tolist()
    assert one.n_categories.tolist() == other.n_categories.tolist()
    assert one.schema() == other.schema()
    assert one.columns == other.columns


@pytest.mark.parametrize("options", [
    {"target": "y"},
    {"target": "n"},
    {"target": 0, "classes": [0, 1, 2], "on_error": "skip"},
    {"target": "y", "ignore": ["note", "a"]},
    {"target": "y", "categorical": ["b c"], "text": ["note"], "n_words": 8},
    {"target": "y", "numeric": ["n"], "scan_labels": True},
    {"with_labels": False},
], ids=str)
def test_rows_are_those_written_in_full(tmp_path, options):
    for seed in range(3):
        sparse, full = (from_file(path, **options) for path in both(tmp_path, seed=seed))
        assert sparse.is_sparse
        assert_same_rows(sparse, full)
        for size in (7, 1000):
            dense = list(sparse.coded_blocks(size))
            for (X, codes), (S, others) in zip(dense, sparse.sparse_blocks(size), strict=True):
                np.testing.assert_array_equal(S.toarray(), X)
                assert np.array_equal(codes, others) and S.has_canonical_format


def test_errors_are_those_of_rows_written_in_full(tmp_path):
    paths = both(tmp_path, bad=(17, 200, 399))
    said = []
    for path in paths:
        with pytest.raises(StreamError) as caught:
            rows_of(from_file(path, "y"))
        said.append(str(caught.value).replace(path.name, "FILE"))
    assert said[0] == said[1] and "data row 18, column 'b c': 'word' is not a number" in said[0]
    streams = [from_file(path, "y", on_error="skip") for path in paths]
    assert_same_rows(*streams)
    assert streams[0].skipped_rows == streams[1].skipped_rows == [18, 201, 400]


@pytest.mark.parametrize("row, said", [
    ("{1 green}", ", column 'colour': 'green' is not in the list of this attribute"),
    ("{0 inf}", ", column 'a': inf is not a finite number"),
    ("{2 maybe}", ", column 'y': 'maybe' is not one of the labels no, yes"),
    ("{6 1}", ": 1 columns instead of 6"),
    ("{0 1, 1 red, 2 no, 3 4, 4 x, 9 1}", ": it is no sparse row of positions from 0 to 5 and values"),
    ("{0}", ": 1 columns instead of 6"),
    ("{0 }", ": 1 columns instead of 6"),
    ("{0 1", ": 1 columns instead of 6"),
    ("{0 1}, {2}", ": 2 columns instead of 6"),
    ("{1 'dark blue}", ": there is a quote that is never closed"),
    ("{1 'red'x}", ": 1 columns instead of 6"),
    ("1,2", ": 2 columns instead of 6"),
])
def test_a_bad_row_is_named_or_left_out(tmp_path, row, said):
    path = tmp_path / "r.arff"
    path.write_text(f"{HEADER}{{0 1}}\n\n{row}\n{{0 2, 2 yes}}\n")
    with pytest.raises(StreamError) as caught:
        rows_of(from_file(path, "y"))
    assert f"r.arff, data row 2{said}" in str(caught.value)
    stream = from_file(path, "y", on_error="skip")
    X, codes = rows_of(stream)
    assert X[:, 0].tolist() == [1, 2] and codes.tolist() == [0, 1] and stream.skipped_rows == [2]


def test_unusual_rows(tmp_path):
    path = tmp_path / "r.arff"
    rows = ["{}", "{0 1,,}", "{0 1, 0 2}", "{3 4, 0 3} % why not", "5,'dark blue',yes,,x,1", '{1 "it\'s"}']
    path.write_text(HEADER + "\r\n".join([*rows, "{4 'a, {b}', 1 'dark blue', 0 6}"]))
    stream = from_file(path, "y", categorical=["note"])
    X, codes = rows_of(stream)
    assert X[:, 0].tolist() == [0, 1, 2, 3, 5, 0, 6] and codes.tolist() == [0, 0, 0, 0, 1, 0, 0]
    assert X[:, 1].tolist() == [0, 0, 0, 0, 1, 2, 1]
    np.testing.assert_array_equal(X[:, 2], [0, 0, 0, 4, np.nan, 0, 0])
    assert stream.inputs[3].categories == ["0", "x", "a, {b}"]


def test_another_file_is_read_into_the_same_inputs(tmp_path):
    (tmp_path / "old.csv").write_text("n,y,flag,a,colour\n" + "1,yes,1,2.5,blue\n0,no,0,1.5,red\n" * 30)
    like = from_file(tmp_path / "old.csv", "y").schema()
    header = "@relation r\n@attribute a real\n@attribute flag real\n@attribute n {1,0}\n"
    header += "@attribute y {no,yes}\n@attribute colour {red,blue}\n@data\n"
    written = {"sparse": "{0 1.5,1 1}\n{2 0, 3 yes}\n", "full": "1.5,1,1,no,red\n0,0,0,yes,red\n"}
    for name, rows in written.items():
        (tmp_path / f"{name}.arff").write_text(header + rows)
    sparse, full = (from_file(tmp_path / f"{name}.arff", like=like) for name in ("sparse", "full"))
    assert_same_rows(sparse, full)
    assert rows_of(sparse)[0].tolist() == [[1, 1, 1.5, 1], [0, 0, 0, 1]]
    for name, rows in {"sparse": "{1 1}\n{1 7, 2 0}\n", "full": "0,1,1,no,red\n0,7,0,no,red\n"}.items():
        (tmp_path / f"{name}.arff").write_text(header + rows)
    sparse, full = (from_file(tmp_path / f"{name}.arff", like=like) for name in ("sparse", "full"))
    assert_same_rows(sparse, full)
    assert "and 7 there: a number from there on" in sparse.columns.warnings[0]


def test_an_input_that_equals_the_target_is_noticed(tmp_path):
    rows = "".join("{0 1, 1 2, 2 yes}\n" if i % 3 else "{0 2}\n" for i in range(200))
    header = "@relation r\n@attribute a real\n@attribute b real\n@attribute y {no,yes}\n@attribute c real\n"
    (tmp_path / "r.arff").write_text(f"{header}@data\n{rows}")
    warnings = from_file(tmp_path / "r.arff", "y").columns.warnings
    assert [text.split()[0] for text in warnings] == ["'a'", "'b'"]


def wide(folder, n=3000, d=4000):
    rng = np.random.default_rng(1)
    lines = ["@relation r", *(f"@attribute w{j} numeric" for j in range(d)), "@attribute y {no,yes}", "@data"]
    for _ in range(n):
        places = np.unique(rng.integers(0, d, 20)).tolist()
        label = f", {d} yes" if places[0] < d // 40 else ""
        lines.append("{" + ", ".join(f"{j} {rng.exponential():.3f}" for j in places) + label + "}")
    (folder / "wide.arff").write_text("\n".join(lines) + "\n")
    return folder / "wide.arff"


def test_wide_rows_never_become_dense(tmp_path, monkeypatch):
    path = wide(tmp_path)
    X, codes = next(from_file(path).coded_blocks(3000))
    labels = np.array(["no", "yes"])
    expected = LinearLogistic().begin(X.shape[1], labels).test_then_train(X, labels[codes])
    del X

    def refuse(*_):
        raise AssertionError("sparse rows became dense")

    monkeypatch.setattr(csr_array, "toarray", refuse)
    tracemalloc.start()
    run = prequential(from_file(path), LinearLogistic())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(run.probabilities, expected, atol=1e-9)
    assert most < 40e6  # dense rows have 96 MB


def test_other_learners_get_dense_rows(tmp_path):
    sparse, full = (from_file(path, "y") for path in both(tmp_path))
    runs = [prequential(stream, NaiveBayes()) for stream in (sparse, full)]
    np.testing.assert_array_equal(runs[0].probabilities, runs[1].probabilities)


def test_numbers_are_those_of_python():
    rng = np.random.default_rng(4)
    texts = [repr(float(x)) for x in rng.normal(size=300) * 10.0 ** rng.integers(-30, 30, 300)]
    texts += [f"{x:.{k}g}" for x in rng.normal(size=100) * 1e6 for k in (1, 7, 15)]
    texts += ["1e22", "1e-22", "9" * 15, "9" * 16, "1.5e+3", "5.", "-.5E1"]
    piece = "".join(f"{{0 {text}}}\n" for text in texts).encode()
    starts, columns, numbers, is_number, spans, in_order, bad = sparse_cells(piece, 1)
    assert in_order and not bad and starts.tolist() == list(range(len(texts) + 1))
    assert [piece[i:j].decode() for i, j in spans] == texts and not columns.any()
    read = is_number == 1
    assert 0.4 < read.mean() < 1
    assert numbers[read].tolist() == [float(text) for text, chosen in zip(texts, read, strict=True) if chosen]
    assert np.isnan(numbers[~read]).all()
