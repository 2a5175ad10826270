"""Where the real streams lie beside the checkout; tests that need them skip where they are not."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
DATA = SHARED / "data"


def data_file(name):
    """Return the path of a real stream, or skip the test."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not beside the checkout (../shared/data)")
    return path
