"""Type checkers see the installed package and its types from any folder."""

import importlib.metadata
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

SCRIPT = """
from thalweg.evaluation import metrics, prequential
from thalweg.learners import NaiveBayes
learner = NaiveBayes()
run = prequential("sea", learner)
reveal_type(metrics.accuracy(run))
reveal_type(metrics.accuracy(run, window=100))
reveal_type(metrics.log_loss([0, 1], [0.2, 0.7]))
reveal_type(learner.predict_one({"wind": 3.0}))
reveal_type(learner.predict_proba_one({"wind": 3.0}))
reveal_type(learner.predict([{"wind": 3.0}]))
reveal_type(learner._kernel.bytes)
learner.learn_two()
learner._kernel.flush(1)
"""
EXPECTED = ["float", "ndarray", "float", "Hashable", "dict[typing.Hashable, float]", "ndarray", "int"]
WRONG = ('"NaiveBayes" has no attribute "learn_two"', 'Too many arguments for "flush" of "Kernel"')


def test_mypy_sees_the_types_of_the_installed_package(tmp_path, request):
    pytest.importorskip("mypy")
    about = importlib.metadata.distribution("thalweg").read_text("direct_url.json") or ""
    if "editable" in about and not (Path(sysconfig.get_path("purelib")) / "thalweg-source.pth").exists():
        pytest.skip("installed in place without `make install`: docs/installing.md says what to do")
    (tmp_path / "script.py").write_text(SCRIPT)
    cache = request.config.cache.mkdir("mypy") if hasattr(request.config, "cache") else tmp_path / "cache"
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(cache), "script.py"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    revealed = [line.split('"')[1] for line in said.splitlines() if "Revealed type" in line]
    assert len(revealed) == len(EXPECTED), said
    for found, expected in zip(revealed, EXPECTED, strict=True):
        assert expected in found
    errors = [line for line in said.splitlines() if "error:" in line]
    assert len(errors) == len(WRONG) and all(map(str.__contains__, errors, WRONG)), said
