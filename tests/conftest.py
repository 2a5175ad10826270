"""Fixtures that several tests use."""

import sys

import pytest
from support import quick, sampling, skips
from support.sampling import (  # noqa: F401, hooks
    pytest_collection_modifyitems,
    pytest_configure_node,
    pytest_report_header,
)
from support.skips import pytest_sessionfinish  # noqa: F401, a hook

from thalweg.commands import app as cli


def pytest_addoption(parser):
    """Add the options."""
    quick.add_option(parser)
    sampling.add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Choose the tests."""
    quick.choose(config)
    sampling.choose(config)


def pytest_terminal_summary(terminalreporter, config):
    """Say what was not tested."""
    skips.tell(terminalreporter, config)
    quick.tell(terminalreporter, config)


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
