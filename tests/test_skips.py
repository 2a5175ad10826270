"""Under CI a skipped test fails the session, unless its reason is in the list."""

import os
import subprocess
import sys

import pytest
from support.places import ROOT
from support.skips import is_allowed

PLAIN = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # plugins take most of the time
ALLOWED = "CapyMOA, which needs Java, is not installed"
TEST = f"""
import pytest

def test_one():
    pass

def test_allowed():
    pytest.skip({ALLOWED!r})

def test_other():
    pytest.skip("no colour")
"""

CONFTEST = """
from support.skips import pytest_sessionfinish, tell

def pytest_terminal_summary(terminalreporter, config):
    tell(terminalreporter, config)
"""


def run(folder, *options, **variables):
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", *options, str(folder)]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("THALWEG_CI")}
    environment = {**inherited, "PYTHONPATH": str(ROOT / "tests"), **PLAIN, **variables}
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout


def test_a_skipped_test_passes_where_it_is_not_ci(tmp_path):
    code, printed = run(tmp_path)
    assert code == 0 and "no colour" not in printed


def test_under_ci_on_workers_a_skipped_test_fails_unless_its_reason_is_allowed(tmp_path):
    code, printed = run(tmp_path, "-p", "xdist", "-n", "1", THALWEG_CI="1")
    assert code == 1 and "SHOULD HAVE RUN: 1 × no colour" in printed
    assert "allowed: 1 × CapyMOA" in printed
    code, printed = run(tmp_path, "--deselect", "test_it.py::test_other", THALWEG_CI="1")
    assert code == 0 and "allowed: 1 × CapyMOA" in printed


def test_data_and_chromium_may_be_absent_where_they_cannot_be_there(monkeypatch, tmp_path):
    for lacks, expected in (("", False), ("chromium", True)):
        monkeypatch.setenv("THALWEG_CI_LACKS", lacks)
        assert is_allowed("needs Chromium to lay out a page") is expected
    monkeypatch.setattr("support.skips.SHARED", tmp_path)
    assert is_allowed("elec2.arff is not beside the checkout (../shared/data)")
    assert is_allowed("elec2 is not in /data, nor beside the checkout (../shared/data)")
    (tmp_path / "data").mkdir()
    assert not is_allowed("elec2.arff is not beside the checkout (../shared/data)")


@pytest.mark.parametrize("reason", ["", "could not import 'pandas'", "the tests are not in a checkout"])
def test_other_reasons_are_not_allowed(reason):
    assert not is_allowed(reason)
