"""The script that makes a release says what is stale; the one that shows progress returns the exit code."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest
from support.places import ROOT, needs_checkout

pytestmark = needs_checkout
PAIRS = [("A", "sea"), ("B(x)", "sea"), ("A", "elec"), ("B(x)", "elec")]
RESULTS = json.dumps({"results": [{"learner": name, "stream": stream} for name, stream in PAIRS]})


@pytest.fixture
def release(tmp_path, monkeypatch):
    """The script, about a small repository in which nothing is stale."""
    found = importlib.util.spec_from_file_location("release", ROOT / "tools" / "release.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    for name, text in {
        "pyproject.toml": '[project]\nversion = "1.2.0"\n',
        "CHANGELOG.md": "# Changes\n\n## 1.2.0 (2026-01-02)\n",
        "CITATION.cff": "title: x\nversion: 1.2.0\n",
        "thalweg/a.pyx": "x = 1\n",
        "benchmarks/methods.py": '    "A": Method("A()"),\n    "B(x)": Method(\n        "B()"),\n',
        "benchmarks/results/1.2.0.json": RESULTS,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path, "2026-01-01T10:00:00Z")
    return module


def git(folder, *arguments, **options):
    names = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True, **options)


def commit(folder, date):
    git(folder, "add", "--all")
    dates = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
    git(folder, "commit", "--quiet", "--message", "x", env=os.environ | dates)


def test_nothing_is_stale(release):
    assert release.version() == "1.2.0"
    assert release.problems("1.2.0") == []


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("CHANGELOG.md", "# Changes\n\n## 1.2.0 (unreleased)\n", "CHANGELOG.md does not begin"),
        ("CHANGELOG.md", "# Changes\n\n## 1.1.0 (2025-01-02)\n", "CHANGELOG.md does not begin"),
        ("CITATION.cff", "title: x\nversion: 1.1.0\n", "CITATION.cff has another version"),
        ("thalweg/a.pyx", "x = 2\n", "older than the newest kernel"),
        ("benchmarks/results/1.2.0.json", '{"results": []}', "no result of any method"),
        ("benchmarks/results/1.2.0.json", RESULTS.replace("A", "C", 1), "no result of A on sea"),
    ],
)
def test_what_is_stale_is_named(release, tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    assert "there are changes that are not committed" in release.problems("1.2.0")
    commit(tmp_path, "2026-01-03T10:00:00Z")
    [found] = release.problems("1.2.0")
    assert said in found


def test_a_version_is_released_once_and_measured(release, tmp_path):
    git(tmp_path, "tag", "v1.2.0")
    assert any("the tag v1.2.0 exists" in each for each in release.problems("1.2.0"))
    assert any("there is no benchmarks/results/1.3.0.json" in each for each in release.problems("1.3.0"))


@pytest.mark.parametrize("code", [0, 3])
def test_progress_is_shown_and_the_exit_code_kept(code):
    lines = "".join(f"print('[{i}/20] gcc'); " for i in range(1, 21))
    command = [sys.executable, "-c", f"{lines} print('the reason'); import sys; sys.exit({code})"]
    script = [sys.executable, ROOT / "tools" / "show_progress.py"]
    done = subprocess.run([*script, *command], capture_output=True, text=True)
    assert done.returncode == code
    assert "compiling: 20 of 20 steps" in done.stdout
    assert done.stdout.count("compiling:") == 11
    assert ("the reason" in done.stdout) == bool(code)


def test_metadata_agree():
    """The citation has the version of the package, which is the first of the changelog."""
    import tomllib

    number = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert f"\nversion: {number}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\n## {number} (" in (ROOT / "CHANGELOG.md").read_text("utf-8")
