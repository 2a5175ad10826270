"""Where the checkout and the real streams beside it lie; tests that need them skip where they are not."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
SHARED = ROOT.parent / "shared"
DATA = SHARED / "data"
needs_checkout = pytest.mark.skipif(
    not (ROOT / "meson.build").exists(), reason="the tests are not in a checkout"
)


def data_file(name):
    """Return the path of a real stream, or skip the test."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not beside the checkout (../shared/data)")
    return path
