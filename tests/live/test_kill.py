"""A short form of `python -m tests.kill`: no acknowledged event is lost when the process is killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def test_fifty_kills():
    command = [sys.executable, "-m", "tests.kill", "--kills", "10", "--seed", "11"]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.count("kills=10") == 5
