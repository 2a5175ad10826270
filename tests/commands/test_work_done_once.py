"""Commands do no work twice: learners begin once, sparse rows stay sparse, files are read once."""

import hashlib
import json
from pathlib import Path

import pytest
from scipy.sparse import csr_array, csr_matrix
from typer.testing import CliRunner

import thalweg
from thalweg.commands.app import app
from thalweg.learners import AdaptiveStacking, NaiveBayes
from thalweg.saving import container
from thalweg.streams.files import text_files


@pytest.fixture
def command():
    """Return a function that calls a command and returns what it printed."""

    def call(*words):
        said = CliRunner().invoke(app, [str(word) for word in words])
        assert said.exit_code == 0, said.exception
        return said

    return call


def counted(monkeypatch, owner, name, calls):
    """Let calls of a method or function be added to a list."""
    real = getattr(owner, name)

    def call(*arguments, **options):
        calls.append(arguments)
        return real(*arguments, **options)

    monkeypatch.setattr(owner, name, call)


def test_the_default_learner_begins_once(command, monkeypatch):
    begun = []
    counted(monkeypatch, AdaptiveStacking, "_begin", begun)
    said = command("run", "sea", "--rows", 300)
    assert len(begun) == 1
    assert said.stderr.splitlines()[0].startswith("AdaptiveStacking (large) combines 13 learners. Time")


def test_a_page_keeps_sparse_rows_sparse(command, monkeypatch, tmp_path):
    path = tmp_path / "rows.arff"
    header = "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute y {u,v}\n@data\n"
    path.write_text(header + "".join(f"{{{i % 2} {i % 5 + 1}, 2 {'uv'[i % 2]}}}\n" for i in range(500)))
    made_dense = []
    for kind in (csr_matrix, csr_array):
        counted(monkeypatch, kind, "toarray", made_dense)
    page = tmp_path / "page.html"
    options = ("--learner", "LinearLogistic", "--json")
    said = json.loads(command("run", path, *options, "--report", page).stdout)
    assert made_dense == []
    assert "coefficient" in said["explanations"] and "coefficient" in page.read_text()
    command("run", path, *options, "--importance")
    assert made_dense != []


def test_label_errors_reads_the_rows_it_is_asked_for(command, monkeypatch, tmp_path):
    monkeypatch.setattr(text_files, "PIECE", 1 << 12)
    read, batches = [], text_files.TextSource.batches

    def counted_batches(self, *arguments, **options):
        for batch in batches(self, *arguments, **options):
            if options.get("last"):  # not the look ahead
                read.append(batch.rows.num_rows)
            yield batch

    monkeypatch.setattr(text_files.TextSource, "batches", counted_batches)
    path = tmp_path / "long.csv"
    path.write_text("a,ok\n" + "".join(f"{i % 7}.5,{'yes' if i % 3 else 'no'}\n" for i in range(30_000)))
    said = command("label-errors", path, "--rows", 700, "--learner", "NaiveBayes", "--json")
    assert json.loads(said.stdout)["rows"] == 700
    assert 700 <= sum(read) < 700 + max(read) and max(read) < 700


@pytest.mark.parametrize("words", [("inspect",), ("predict", "rows.csv"), ("continue", "rows.csv")])
def test_a_model_file_is_read_and_hashed_once(command, monkeypatch, tmp_path, words):
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("a,y\n" + "".join(f"{i % 7}.5,{'uv'[i % 2]}\n" for i in range(60)))
    command("run", "rows.csv", "--learner", "NaiveBayes", "--save", "model.tw", "--json")
    read, unpacked = [], []
    counted(monkeypatch, Path, "read_bytes", read)
    monkeypatch.setattr(container, "hashlib", Hashing(unpacked))
    name, *source = words
    more = ["--save", "other.tw"] if name == "continue" else []
    command(name, "model.tw", *source, *more)
    assert [str(path) for (path,) in read].count("model.tw") == 1
    # A model that is saved is hashed as it is written, and when it is read back.
    assert len(unpacked) == (3 if more else 1)


class Hashing:
    """The module hashlib, whose calls are added to a list."""

    def __init__(self, calls):
        self.calls = calls

    def sha256(self, data):
        """Return the hash of some data."""
        self.calls.append(len(data))
        return hashlib.sha256(data)


def test_load_reads_a_file_once(monkeypatch, tmp_path):
    thalweg.save(NaiveBayes().begin(1, ["u", "v"]), tmp_path / "model.tw")
    read = []
    counted(monkeypatch, Path, "read_bytes", read)
    assert thalweg.load(tmp_path / "model.tw").classes_.tolist() == ["u", "v"]
    assert len(read) == 1
