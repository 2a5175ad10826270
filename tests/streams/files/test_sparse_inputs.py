"""Texts of files as sparse rows: the same results as dense rows, and none becomes dense on the way."""

import tracemalloc
import zlib

import numpy as np
import pytest
import scipy.stats
from scipy.sparse import csr_array
from typer.testing import CliRunner

from thalweg.commands.app import app
from thalweg.evaluation import Explanations, chunked, prequential
from thalweg.evaluation.sparse_blocks import WaitingSparse, interleaved
from thalweg.learners import LinearLogistic, MajorityClass, NaiveBayes
from thalweg.learners.base.sparse_rows import checked_sparse_rows
from thalweg.rows.sparse_rows import joined
from thalweg.streams import from_file
from thalweg.streams.base import Stream

WIDE = 2**16


def written(folder, n=600, bad=()):
    """Write a table of a number, a category, texts and a flag, of which words and the category decide."""
    rng = np.random.default_rng(3)
    lines = ["price,shop,note,paid,late"]
    for i in range(n):
        words = [f"w{k}" for k in np.minimum(rng.geometric(0.05, 8), 90)]
        shop = rng.choice(["north", "south", "east", ""])
        late = "yes" if "w2" in words or shop == "north" else "no"
        price = "cheap" if i in bad else "" if i % 9 == 0 else f"{rng.normal():.2f}"
        lines.append(f"{price},{shop},{'' if i % 50 == 7 else ' '.join(words)},{i % 2},{late}")
    path = folder / "orders.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


class Dense(Stream):
    """The rows of a stream, never as sparse matrices."""

    def __init__(self, stream):
        self.stream, self.n_features, self.n_rows = stream, stream.n_features, stream.n_rows
        self.is_open = stream.is_open

    classes = property(lambda self: self.stream.classes)
    first_classes = property(lambda self: self.stream.first_classes)
    names = property(lambda self: self.stream.names)
    n_categories = property(lambda self: self.stream.n_categories)

    def coded_blocks(self, size=1000):
        return self.stream.coded_blocks(size)


@pytest.fixture
def never_dense(monkeypatch):
    def refuse(*_):
        raise AssertionError("sparse rows became dense")

    monkeypatch.setattr(csr_array, "toarray", refuse)


def as_sparse(X):
    return checked_sparse_rows(csr_array(X), LinearLogistic().begin(X.shape[1], [0, 1]))


def as_dense(rows):
    return csr_array((rows.values, rows.columns, rows.starts), shape=rows.shape).toarray()


@pytest.mark.parametrize("bad", [(), (3, 4, 599)])
def test_blocks_are_those_of_dense_rows(tmp_path, bad):
    stream = from_file(written(tmp_path, bad=bad), numeric=["price"], n_words=40, on_error="skip")
    assert stream.is_sparse
    for size in (1, 7, 1000):
        dense, sparse = list(stream.coded_blocks(size)), list(stream.sparse_blocks(size))
        assert [len(codes) for _, codes in dense] == [len(codes) for _, codes in sparse]
        for (X, codes), (S, others) in zip(dense, sparse, strict=True):
            assert np.array_equal(X, S.toarray(), equal_nan=True) and np.array_equal(codes, others)
    assert stream.skipped == len(bad)
    assert sum(len(codes) for _, codes in dense) == 600 - len(bad)
    first, text = dense[0][0][0], (tmp_path / "orders.csv").read_text().splitlines()[1].split(",")[2]
    expected = np.bincount([zlib.crc32(word.encode()) % 40 for word in text.split()], minlength=40)
    without_text = 7 - sum(i < 7 for i in bad)
    assert first[2:42].tolist() == expected.tolist() and dense[0][0][without_text, 2:42].sum() == 0


def test_a_file_without_text_has_no_sparse_rows(tmp_path):
    stream = from_file(written(tmp_path), n_words=0)
    assert not stream.is_sparse
    with pytest.raises(NotImplementedError, match="no sparse rows"):
        stream.sparse_blocks()


SETTINGS = [
    {},
    {"rows": 450, "block": 100},
    {"label_share": 0.5},
    {"delay": 37, "block": 50},
    {"delay": scipy.stats.poisson(30), "label_share": 0.7, "rows": 555},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=" ".join)
def test_evaluations_are_those_of_dense_rows(tmp_path, settings):
    stream = from_file(written(tmp_path), n_words=500)
    sparse, dense = LinearLogistic(), LinearLogistic()
    one, other = prequential(stream, sparse, **settings), prequential(Dense(stream), dense, **settings)
    np.testing.assert_allclose(one.probabilities, other.probabilities, atol=1e-12)
    assert one.n_rows == other.n_rows
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-12)
    assert settings or (one.predicted == one.codes)[300:].mean() > 0.8


def test_chunks_and_observed_runs_are_those_of_dense_rows(tmp_path):
    stream = from_file(written(tmp_path), n_words=500)
    for share in (1.0, 0.5):
        runs = [
            chunked(each, LinearLogistic(), size=100, label_share=share) for each in (stream, Dense(stream))
        ]
        np.testing.assert_allclose(runs[0].probabilities, runs[1].probabilities, atol=1e-12)
    observed = prequential(stream, LinearLogistic(), observers=Explanations())
    np.testing.assert_allclose(observed.probabilities, prequential(stream, LinearLogistic()).probabilities)
    assert observed.explanations


def test_labels_that_appear_later_are_learned(tmp_path):
    path = tmp_path / "long.csv"
    lines = [f"it is row {i % 97} of {i},{'late' if i > 10_020 else 'ab'[i % 2]}" for i in range(10_100)]
    path.write_text("text,label\n" + "\n".join(lines) + "\n")
    stream = from_file(path, text=["text"], n_words=64)
    assert stream.is_open
    one, other = (prequential(each, LinearLogistic()) for each in (stream, Dense(stream)))
    assert one.classes.tolist() == ["a", "b", "late"] and one.probabilities[10_050:, 2].mean() > 0.5
    np.testing.assert_allclose(one.probabilities, other.probabilities, atol=1e-12)


@pytest.mark.usefixtures("never_dense")
def test_wide_texts_never_become_dense(tmp_path):
    path, learner = written(tmp_path), LinearLogistic()
    tracemalloc.start()
    for run in (
        prequential(from_file(path, n_words=WIDE), learner, delay=20),
        prequential(from_file(path, n_words=WIDE), learner, observers=[]),
        prequential(from_file(path, n_words=WIDE), learner, resume=True, rows=400),
        chunked(from_file(path, n_words=WIDE), learner, size=200),
    ):
        assert (run.predicted == run.codes)[300:].mean() > 0.75
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 150e6  # one dense block of 600 rows has 300 MB


def test_dense_blocks_of_wide_rows_are_short(tmp_path):
    stream, sizes = from_file(written(tmp_path), n_words=WIDE), []
    blocks = stream.coded_blocks
    stream.coded_blocks = lambda size: sizes.append(size) or blocks(size)
    run = prequential(stream, MajorityClass(), rows=100)
    assert run.n_rows == 100 and sizes == [2**24 // stream.n_features]


@pytest.mark.usefixtures("never_dense")
def test_the_command_keeps_texts_sparse(tmp_path):
    path, model = written(tmp_path), tmp_path / "model.tw"
    wide = ["--learner", "LinearLogistic", "--n-words", WIDE]
    for arguments in (
        ["run", path, *wide, "--save", model],
        ["run", path, *wide, "--delay", 10, "--totals"],
        ["run", path, *wide, "--chunk", 100],
        ["predict", model, path, "--rows", 50, "--out", tmp_path / "answers.csv"],
        ["continue", model, path, "--delay", 5],
    ):
        found = CliRunner().invoke(app, list(map(str, arguments)))
        assert found.exit_code == 0, found.output
    assert len((tmp_path / "answers.csv").read_text().splitlines()) == 51


def test_other_learners_predict_dense_rows(tmp_path):
    path, model = written(tmp_path), tmp_path / "model.tw"
    for arguments in (
        ["run", path, "--learner", "NaiveBayes", "--save", model],
        ["predict", model, path, "--out", tmp_path / "answers.csv"],
    ):
        assert CliRunner().invoke(app, list(map(str, arguments))).exit_code == 0
    stream, learner = from_file(path), NaiveBayes()
    prequential(stream, learner)
    X, _ = next(stream.coded_blocks())
    said = [line.split(",")[1] for line in (tmp_path / "answers.csv").read_text().splitlines()[1:]]
    assert [label.strip('"') for label in said] == learner.predict(X).tolist()


def test_sparse_rows_are_chosen_and_joined():
    X = np.round(np.random.default_rng(1).normal(size=(9, 5))) * (np.arange(9) != 4)[:, None]
    rows = as_sparse(X)
    mask, order = np.arange(9) % 2 == 0, np.array([7, 0, 4, 7])
    for chosen in (mask, order, slice(2, 6), slice(3, 3), np.zeros(9, dtype=bool)):
        assert np.array_equal(as_dense(rows[chosen][slice(None)][np.arange(len(X[chosen]))]), X[chosen])
    together = joined([rows[2:6], rows[:0], rows[mask]], 5)
    assert np.array_equal(as_dense(together), np.vstack([X[2:6], X[mask]]))
    assert joined([], 5).shape == (0, 5)
    places = [np.array([0, 3, 4]), np.array([2, 1])]
    expected = X[[0, 4, 3, 1, 2]]
    for parts in ([X[:3], X[3:5]], [rows[:3], rows[3:5]]):
        found = interleaved(parts, places)
        assert np.array_equal(found if isinstance(found, np.ndarray) else as_dense(found), expected)


def test_waiting_rows_are_returned_once():
    X = np.eye(4)
    waiting = WaitingSparse(4)
    waiting.add(as_sparse(X)[1:], np.array([5, 6, 7]))
    assert len(waiting) == 3
    assert np.array_equal(as_dense(waiting.resolve(np.array([7, 5])).X), X[[3, 1]])
    assert len(waiting) == 1
    with pytest.raises(KeyError):
        waiting.resolve(np.array([5]))
