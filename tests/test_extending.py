"""Cheap to extend: a learner, a metric, a baseline and a command are added to a copy, in three files at most.

Where the library changes what an addition takes, only `ADDED` needs to follow.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.places import ROOT, needs_checkout

pytestmark = needs_checkout
MOST_FILES = 3
END = None  # where text goes to the end of a file

LEARNER = '''"""The class whose mean is nearest."""

from typing import Any

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.learners.base.stream_classifier import StreamClassifier


class NearestMean(StreamClassifier):
    """Nearest class mean, forgetting exponentially.

    Parameters
    ----------
    rate : float, default=0.05
        How far a row of weight 1 moves the mean of its class.
    """

    def __init__(self, rate: float = 0.05) -> None:
        self.rate = rate

    def _begin(self, n_features: int, n_classes: int) -> None:
        self._mean, self._is_unseen = np.zeros((n_classes, n_features)), np.ones(n_classes)

    def _learn(self, X: Floats, y: Ints, w: Floats, p: Floats) -> Any:
        for i in range(len(X)):
            self._predict(X[i : i + 1], p[i : i + 1])
            self._mean[y[i]] += (1 - (1 - self.rate) ** w[i]) * (X[i] - self._mean[y[i]])
            self._is_unseen[y[i]] *= w[i] == 0

    def _predict(self, X: Floats, p: Floats) -> None:
        far = np.abs(X[:, None] / 1e150 - self._mean / 1e150).sum(axis=2) * 1e150
        far += 1e150 * self._is_unseen
        near = np.exp(-np.minimum(far - far.min(axis=1, keepdims=True), 700))
        p[:] = near / near.sum(axis=1, keepdims=True)
'''
LEARNER_TEST = '''"""The nearest mean is the mean of a class if it forgets nothing but the start."""

from thalweg.learners import NearestMean


def test_a_rate_of_one_remembers_the_last_row_of_each_class():
    learner = NearestMean(rate=1.0).begin(1, ["a", "b"])
    learner.test_then_train([[9.0], [1.0], [3.0]], ["a", "a", "b"])
    assert learner.predict([[1.2], [2.5]]).tolist() == ["a", "b"]
'''
METRIC = '''@metric
def worst_recall(run: Run, window: int | None = None, fade: float | None = None) -> Score:
    """Smallest recall of the classes present."""
    smallest: Score = 1.0
    for true, _, right in _class_totals(run, window, fade):
        smallest = np.where(true > 0, np.minimum(smallest, ratio(right, true)), smallest)
    return smallest if np.ndim(smallest) else float(smallest)


'''
METRIC_TEST = '''

def test_worst_recall():
    assert metrics.worst_recall([0, 0, 1, 1, 1], [0, 1, 1, 1, 1]) == 0.5
'''
COMMAND = '''"""`thalweg count`: how many rows a stream has."""

from typing import Annotated

from thalweg.commands import options


def count(source: Annotated[str, options.SOURCE], rows: options.Rows = None) -> None:
    """Count the rows of a stream."""
    from thalweg.streams.named import open_stream

    print(sum(len(y) for _, y in open_stream(source, rows).blocks(1000)))
'''
COMMAND_TEST = '''"""The command that counts rows."""


def test_rows_are_counted(thalweg):
    assert thalweg("count", "sea", "--rows", "1234") == (0, "1234\\n", "")
'''
COMMAND_LINE = '    "count": "count",\n'
BASELINE = '''    "last_labels": Baseline(
        "LastLabels", "latest labels", "learning from the latest labels", Style("4 2", "#606a75", "#b4bfca")
    ),
'''
# For each addition its files: the text of a new one, or what is inserted before which text.
ADDED = {
    "learner": {
        "thalweg/learners/bayes/nearest_mean.py": LEARNER,
        "thalweg/learners/__init__.py": [(
            "    from thalweg.learners.chunk_ensembles.accuracy",
            "    from thalweg.learners.bayes.nearest_mean import NearestMean as NearestMean\n",
        )],
        "tests/learners/bayes/test_nearest_mean.py": LEARNER_TEST,
    },
    "metric": {
        "thalweg/evaluation/metrics.py": [("@metric\ndef kappa(", METRIC)],
        "tests/evaluation/test_metrics.py": [(END, METRIC_TEST)],
    },
    "baseline": {"thalweg/evaluation/baselines.py": [('    "no_change": Baseline(', BASELINE)]},
    "command": {
        "thalweg/commands/count.py": COMMAND,
        "thalweg/commands/app.py": [('    "inspect": "inspect"', COMMAND_LINE)],
        "tests/commands/test_count.py": COMMAND_TEST,
    },
}
# The editable install is an import hook that comes before PYTHONPATH.
SITE = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "MesonpyMetaFinder"]
sys.path_hooks[:] = [hook for hook in sys.path_hooks if "Mesonpy" not in repr(hook)]
"""


def insert(path, anchor, text):
    """Insert text before the first `anchor` in a file, or at its end."""
    before = path.read_text()
    place = len(before) if anchor is END else before.find(anchor)
    assert place >= 0, f"{path.name} has no {anchor!r}: ADDED must follow the library"
    path.write_text(before[:place] + text + before[place:])


def link_kernels(package):
    """Link the compiled modules of the running library into a copy of its package."""
    names = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "thalweg").rglob("*.pyx")]
    for name in [*names, Path("thalweg/_native/memoryviews")]:
        origin = Path(importlib.util.find_spec(".".join(name.parts)).origin)
        (package.parent / name.parent / origin.name).symlink_to(origin)


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """Return the folder of a copy of the library to which one of each kind was added."""
    copy = tmp_path_factory.mktemp("extended")
    for name in ("thalweg", "tests", "docs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in ("pyproject.toml", "meson.build", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, copy)
    (copy / "sitecustomize.py").write_text(SITE)
    link_kernels(copy / "thalweg")
    for files in ADDED.values():
        for name, change in files.items():
            if isinstance(change, str):
                (copy / name).write_text(change)
            for anchor, text in change if isinstance(change, list) else ():
                insert(copy / name, anchor, text)
    return copy


def run_in(copy, *arguments):
    """Run Python in the copy; return what it printed."""
    paths = os.pathsep.join([str(copy), str(copy / "tests")])
    env = os.environ | {"PYTHONPATH": paths, "THALWEG_CACHE": str(copy / "cache"), "COLUMNS": "200"}
    ended = subprocess.run(
        [sys.executable, *arguments], cwd=copy, env=env, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.parametrize("kind", ADDED)
def test_an_addition_takes_three_files_at_most(kind):
    assert len(ADDED[kind]) <= MOST_FILES


def test_new_tests_and_those_of_the_layout_and_the_contract_pass(extended):
    new = [name for files in ADDED.values() for name in files if name.startswith("tests/")]
    chosen = "nearest_mean or NearestMean or worst_recall or counted"
    asked = [*new, "tests/test_layers.py", "tests/learners/test_contract.py", "-k", chosen]
    run_in(extended, "-m", "pytest", "-q", "-p", "no:cacheprovider", *asked)


COMMANDS = """
import json
from pathlib import Path
from support.command import run_command
import thalweg.learners.bayes._native.naive_bayes as kernel

assert Path(kernel.__file__).is_relative_to(Path.cwd()), "the copy is not what is imported"

def said(*arguments):
    ended = run_command(*arguments)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout

assert "NearestMean" in said("list", "learners")
assert "worst_recall" in said("list", "metrics")
assert "Count the rows of a stream." in said("--help")
tuned = said("tune", "sea", "--rows", "600", "--learner", "NearestMean", "--try", "rate=0.01,0.1",
             "--metric", "worst_recall", "--jobs", "1", "--json")
assert json.loads(tuned)["metric"] == "worst_recall"
ran = said("run", "sea", "--rows", "600", "--learner", "NearestMean", "--json", "--report", "page.html")
assert 0 < json.loads(ran)["baselines"]["last_labels"] <= 1
assert "latest labels" in Path("page.html").read_text()
"""


def test_the_command_knows_them(extended):
    run_in(extended, "-c", COMMANDS)


GOLDENS = """
import runpy, sys
import expected_accuracies, golden_models, public_surface

expected_accuracies.STREAMS[:] = ["led"]
sys.argv = ["expected_accuracies.py", "--add"]
expected_accuracies.main()
golden_models.main()
public_surface.main()
sys.path.insert(0, "docs")  # as if it were run as a script
runpy.run_path("docs/make_learners.py")
"""


def test_make_goldens_finds_the_learner(extended):
    said = run_in(extended, "-c", GOLDENS)
    assert "NearestMean on led: new" in said and "| [`NearestMean`](reference/" in said
    assert "led,NearestMean,3000," in (extended / "tests/golden/accuracies.csv").read_text()
    assert list((extended / "tests/golden/models").glob("*/NearestMean.tw"))
    assert "\nthalweg.learners.NearestMean(rate=0.05), a " in (extended / "tests/surface.txt").read_text()
