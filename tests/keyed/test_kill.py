"""A short form of `python -m tests.kill_keyed`: a run that is killed leaves the same bits."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def test_nine_kills():
    command = [sys.executable, "-m", "tests.kill_keyed", "--kills", "9", "--events", "800", "--seed", "5"]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.count("kills=3") == 3
