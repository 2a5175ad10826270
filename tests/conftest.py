"""Fixtures that several tests use."""

import sys

import pytest
from support.sampling import (  # noqa: F401, hooks
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_report_header,
)
from support.skips import pytest_sessionfinish, pytest_terminal_summary  # noqa: F401, hooks

from thalweg.commands import app as cli


@pytest.fixture
def thalweg(monkeypatch, capsys, tmp_path):
    """Run the command in this process: return its exit code, what it prints and what it says."""
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path / "cache"))

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["thalweg", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return run
