"""Compiled modules are translated again if they, or what they cimport from any folder, changed; no others."""

import os
import subprocess
import sys

import pytest
from places import ROOT, needs_checkout

pytestmark = needs_checkout
FILES = {
    "core/_native/number.pxd": "cdef inline double twice(double x) noexcept nogil:\n    return 2 * x\n",
    "method/_native/uses.pyx": "from core._native.number cimport twice\ndef f(x):\n    return twice(x)\n",
    "method/_native/alone.pyx": "def f(double x):\n    return x\n",
}


@pytest.fixture
def translate(tmp_path):
    """Write two packages; return a function that translates one of them and returns which C files are new."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        (path.parent.parent / "__init__.py").touch()
        path.write_text(text)
        os.utime(path, (1e9, 1e9))
    sources = [tmp_path / name for name in FILES if name.endswith(".pyx")]
    targets = [tmp_path / f"{path.stem}.c" for path in sources]

    def run(checked="false"):
        before = {path: path.stat().st_mtime_ns for path in targets if path.exists()}
        words = [ROOT / "tools/cythonize.py", tmp_path, checked, tmp_path / "method.d", *sources, *targets]
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
        new = [path for path in targets if path.exists() and path.stat().st_mtime_ns != before.get(path)]
        return done, {path.stem for path in new}

    return run


def test_what_changed_is_translated_again(translate, tmp_path):
    assert translate()[1] == {"uses", "alone"}
    assert translate()[1] == set()
    os.utime(tmp_path / "core/_native/number.pxd")
    assert translate()[1] == {"uses"}
    assert str(tmp_path / "core/_native/number.pxd") in (tmp_path / "method.d").read_text()


def test_other_settings_translate_all(translate):
    translate()
    assert translate(checked="true")[1] == {"uses", "alone"}


def test_an_error_is_shown_and_fails(translate, tmp_path):
    translate()
    (tmp_path / "method/_native/alone.pyx").write_text("cdef int f(:\n")
    done, _ = translate()
    assert done.returncode
    assert "alone.pyx" in done.stdout + done.stderr
    assert not (tmp_path / "alone.c").exists()
