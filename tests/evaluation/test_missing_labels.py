"""Rows without a label have the code -1 in a stream, which no protocol hands on to a learner."""

import json

import numpy as np
import pytest
from support.file_rows import whole, write
from typer.testing import CliRunner

from thalweg.commands.app import app
from thalweg.drift import HellingerMonitor
from thalweg.evaluation import chunked, detect_drift, holdout, prequential
from thalweg.evaluation.wrong_labels.find import label_errors_in_stream
from thalweg.learners import NaiveBayes
from thalweg.streams import SEA, drifting, from_arrays, from_file, noisy

X = np.arange(100.0)[:, None]
LABELS = ["?" if i % 7 in (0, 3, 4) else "uv"[i % 2] for i in range(100)]
N_KNOWN = sum(label != "?" for label in LABELS)


def file_stream(folder):
    rows = "".join(f"{x},{y}\n" for x, y in zip(X[:, 0], LABELS, strict=True))
    return from_file(write(folder, "a,y\n" + rows))


def array_stream(folder):
    return from_arrays(X, [None if label == "?" else label for label in LABELS])


def noisy_stream(folder):
    return noisy(file_stream(folder), 0.3)


def drifting_stream(folder):
    return drifting.Abrupt(file_stream(folder), array_stream(folder), at=40)


class Strict(NaiveBayes):
    """Refuses codes that are no class, and counts the rest."""

    n_learned = 0

    def test_then_train_coded(self, X, codes, *, sample_weight=None, **settings):
        assert ((codes >= 0) & (codes < len(self.classes_))).all()
        self.n_learned += len(codes) if sample_weight is None else np.count_nonzero(sample_weight)
        return super().test_then_train_coded(X, codes, sample_weight=sample_weight, **settings)


class Observing(Strict):
    """Is shown rows without a label too."""

    def _observe(self, X):
        self.n_observed = getattr(self, "n_observed", 0) + len(X)


@pytest.mark.parametrize("opened", [file_stream, array_stream, noisy_stream, drifting_stream])
@pytest.mark.parametrize("learner", [Strict, Observing])
@pytest.mark.parametrize(
    "protocol",
    [
        prequential,
        lambda stream, learner: prequential(stream, learner, block=1),
        lambda stream, learner: prequential(stream, learner, delay=3, rows=100),
        lambda stream, learner: chunked(stream, learner, size=9),
        lambda stream, learner: chunked(stream, learner, size=9, label_share=0.5),
    ],
)
def test_no_protocol_hands_on_a_missing_label(tmp_path, opened, learner, protocol):
    stream = opened(tmp_path)
    codes = whole(stream)[1]
    assert set(codes) == {-1, 0, 1}
    learner = learner()
    run = protocol(stream, learner)
    np.testing.assert_array_equal(run.codes, codes[: run.n_rows])
    assert np.isfinite(run.probabilities).all()
    assert 0 < learner.n_learned <= np.count_nonzero(codes >= 0)
    scored = run.codes >= 0
    right = run.probabilities.argmax(axis=1)[scored] == run.codes[scored]
    assert run.summary()["accuracy"] == pytest.approx(right.mean())


def test_every_labelled_row_is_learned(tmp_path):
    for protocol in (prequential, lambda stream, learner: chunked(stream, learner, size=9)):
        learner = Observing()
        protocol(file_stream(tmp_path), learner)
        assert learner.n_learned == N_KNOWN
        assert learner.n_observed == (100 - N_KNOWN if protocol is prequential else 100)


def test_blocks_of_labels_leave_rows_without_one_out(tmp_path):
    for opened in (file_stream, array_stream):
        y = np.concatenate([labels for _, labels in opened(tmp_path).blocks(9)])
        assert y.tolist() == [label for label in LABELS if label != "?"]


N_UNKNOWN = len(LABELS) - N_KNOWN


def test_rows_without_a_label_are_counted(tmp_path):
    stream = file_stream(tmp_path)
    for keep in ("rows", "totals"):
        assert prequential(stream, NaiveBayes(), keep=keep).unlabelled == N_UNKNOWN
        assert prequential(stream, NaiveBayes(), keep=keep, rows=10, delay=3).unlabelled == 4
        assert chunked(stream, NaiveBayes(), size=9, label_share=0, keep=keep).unlabelled == N_UNKNOWN
    assert holdout(SEA(2000), NaiveBayes(), every=500, n=50).unlabelled == 0
    with_labels = detect_drift(stream, HellingerMonitor(reference=40, window=20), with_labels=True)
    assert with_labels.unlabelled == N_UNKNOWN
    assert detect_drift(stream, HellingerMonitor(reference=40, window=20)).unlabelled == 0
    assert label_errors_in_stream(stream, [NaiveBayes()]).n_unlabelled == N_UNKNOWN


@pytest.mark.parametrize("command", ["run", "compare", "drift", "label-errors"])
def test_every_command_tells_them_in_the_terminal_the_page_and_the_json(tmp_path, monkeypatch, command):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path))
    file_stream(tmp_path)
    arguments = [str(tmp_path / "rows.csv"), "--target", "y"]
    if command == "compare":
        arguments = ["NaiveBayes", "MajorityClass", "--jobs", "1", "--on", *arguments]
    elif command != "drift":
        arguments += ["--learner", "NaiveBayes"]
    page = tmp_path / "page.html"
    said = CliRunner().invoke(app, [command, *arguments, "--report", str(page)])
    assert said.exit_code == 0, said.exception
    words = f"{N_UNKNOWN} rows without a label"
    assert words in " ".join(said.stdout.split())
    assert words in page.read_text(encoding="utf-8")
    told = json.loads(CliRunner().invoke(app, [command, *arguments, "--json"]).stdout)["unlabelled"]
    assert told == ({"rows.csv": N_UNKNOWN} if command == "compare" else N_UNKNOWN)


def test_tune_counts_rows_without_a_label(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"{i % 7},{'' if i % 50 == 0 else i % 2}\n" for i in range(600)))
    words = ["tune", str(path), "--learner", "HoeffdingTree", "--try", "grace_period=50,100", "--jobs", "1"]
    assert "12 rows without a label, not scored." in " ".join(CliRunner().invoke(app, words).stdout.split())
    assert json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["unlabelled"] == 12
