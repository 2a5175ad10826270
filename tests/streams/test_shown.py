"""How runs, comparisons, reports, streams and waiting rows look in a terminal and in a notebook."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from thalweg.evaluation import compare, detect_drift, label_errors, prequential
from thalweg.learners import HoeffdingTree, NaiveBayes
from thalweg.streams import SEA, from_arrays, from_file
from thalweg.streams.base import Stream
from thalweg.waiting import WaitingRows

EVIL = "<script>alert('x')</script>"


def parsed(shown):
    """Return the text of HTML that must be well formed and hold no script."""
    tree = ElementTree.fromstring(f"<div>{shown._repr_html_()}</div>")
    assert not list(tree.iter("script"))
    return " ".join("".join(tree.itertext()).split())


def test_streams_say_what_they_hold(tmp_path):
    said = "5,000 rows, 3 inputs, classes 0, 1, drifts at rows 2,000, 4,000"
    assert repr(SEA(5000, period=2000)) == f"<SEA: {said}>"
    stream = from_arrays(np.zeros((4, 2)), ["a", EVIL, "a", "a"], names=["x", EVIL])
    assert repr(stream) == f"<Arrays: 4 rows, 2 inputs, classes {EVIL}, a>"
    assert EVIL in parsed(stream)
    path = tmp_path / "rows.csv"
    path.write_text(f"price,{EVIL},ok\n" + "".join(f"{i}.5,{'uv'[i % 2]},yes\n{i},u,no\n" for i in range(30)))
    stream = from_file(path, "ok")
    assert repr(stream).startswith(f"<{path}: 60 rows, 2 inputs, classes no, yes")
    assert "number price" in parsed(stream).replace("number", "number ").replace("  ", " ")
    many = from_arrays(np.zeros((100, 1)), np.arange(100))
    assert "0, 1, 2, 3, 4, 5 and 94 more" in repr(many)


def test_a_stream_of_ones_own_has_a_repr_before_it_is_set_up():
    class Own(Stream):
        pass

    assert repr(Own()) == "<Own>"


def test_runs_and_comparisons(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path))
    stream = from_arrays(np.random.default_rng(0).normal(size=(300, 2)), np.arange(300) % 2)
    stream.name = EVIL
    run = prequential(stream, NaiveBayes())
    assert repr(run).startswith(f"<NaiveBayes on {EVIL}: accuracy ")
    assert "NaiveBayes answered" in parsed(run)
    found = compare({"tree": HoeffdingTree(), EVIL: NaiveBayes()}, ["sea", "led"], rows=300, n_jobs=1)
    assert repr(found).startswith("<Comparison: 2 learners on 2 streams; best mean rank 1")
    assert len(repr(found)) < 200
    assert EVIL in parsed(found) and "mean rank" in parsed(found)


def test_drift_reports():
    X = np.random.default_rng(0).normal(size=(4000, 2))
    X[2500:, 1] += 2
    report = detect_drift(from_arrays(X, np.zeros(4000), names=["a", EVIL]))
    assert repr(report).startswith("<Drift in Arrays: 1 of 2 inputs changed.") and len(repr(report)) < 200
    assert EVIL in parsed(report) and "higher" in parsed(report)


@pytest.mark.parametrize(("capacity", "words"), [(None, "3 waiting, 0"), (2, "2 waiting of at most 2, 1")])
def test_waiting_rows(capacity, words):
    waiting = WaitingRows(2, capacity=capacity)
    waiting.add(np.zeros((3, 2)))
    assert words in repr(waiting)
    assert "waiting" in parsed(waiting)


def test_label_errors_are_shown_in_a_line():
    X = np.random.default_rng(1).normal(size=(300, 2))
    found = label_errors(X, X[:, 0] > 0, learners=[NaiveBayes()])
    said = r"<LabelErrors: \S+% to \S+% of 300 labels are wrong; \d+ rows to look at>"
    assert re.fullmatch(said, repr(found))
