"""The public surface is the kept one, so that no name or parameter changes by accident."""

import inspect
import os
import re
import subprocess
import sys
from difflib import unified_diff
from pathlib import Path

import pytest
from public_surface import COMPILED, KEPT, LAYOUT, OVERRIDABLE, public_names, surface

import thalweg

FOLDER = Path(__file__).parent
STABILITY = FOLDER.parent / "docs" / "stability.md"
SKLEARNS = {"fit", "partial_fit", "score"}  # which take their arguments by position
WITHOUT_EXTRAS = """
import sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name in ("matplotlib", "pandas", "polars", "river", "capymoa"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, NotInstalled())
import public_surface
print(*public_surface.surface(), sep="\\n")
"""
# Words that the public surface had before they were settled; docs/concepts.md has those that replaced them.
GIVEN_UP = re.compile(
    r"\b(predict_block|suspicious|Suspicions|block_size|workers)\b|\bwatch=\(|\bjobs=|\blabels=(True|False)"
    r"|\bforgetting=[(\d]|thalweg outliers|Run\.labels|PageHinkley\(.*delta"
)
RENEW = "if that was meant, run: make surface"
BY_NAME = ("thalweg.adapters", "thalweg.drift", "thalweg.learners", "thalweg.preprocessing")


def assert_kept(found, kept):
    """Assert that the lines found are those kept; say which are not."""
    changed = [line for line in unified_diff(kept, found, lineterm="", n=0) if line[0] in "+-"][2:]
    if changed:
        raise AssertionError("\n".join([f"the public surface has changed; {RENEW}", *changed]))


def test_the_public_surface_is_the_kept_one():
    assert_kept(surface(), KEPT.read_text(encoding="utf-8").splitlines())


def test_a_changed_line_is_shown_with_what_to_do():
    with pytest.raises(AssertionError, match=r"run: make surface\n-f\(a\)\n\+f\(a, b\)$"):
        assert_kept(["c", "f(a, b)", "g()"], ["c", "f(a)", "g()"])


def test_the_list_depends_on_no_extra_and_no_hash():
    given = os.environ | {"PYTHONHASHSEED": "3", "PYTHONPATH": str(FOLDER), "PYTHONIOENCODING": "utf-8"}
    found = subprocess.check_output([sys.executable, "-c", WITHOUT_EXTRAS], env=given, encoding="utf-8")
    assert_kept(found.splitlines(), KEPT.read_text(encoding="utf-8").splitlines())
    assert " at 0x" not in found


def test_words_that_were_given_up_do_not_come_back():
    assert [line for line in surface() if GIVEN_UP.search(line)] == []
    for line in ("from_file(path, *, labels=True)", "tune(jobs=1)", "A.predict_block(X)", "F(*, watch=())"):
        assert GIVEN_UP.search(line)


def called(path, thing):
    """Yield the paths of what can be called: a function, or a class and its public methods."""
    yield path, thing
    if inspect.isclass(thing):
        for name, method in inspect.getmembers(thing, inspect.isfunction):
            if not name.startswith("_") and name not in SKLEARNS:
                yield f"{path}.{name}", method


@pytest.mark.parametrize("module", BY_NAME)
def test_arguments_beyond_the_first_two_go_by_name(module):
    for path, thing in public_names().items():
        if path.rpartition(".")[0] != module or not callable(thing):
            continue
        for each, function in called(path, thing):
            given = inspect.signature(function).parameters.values()
            by_position = [one.name for one in given if one.kind is one.POSITIONAL_OR_KEYWORD]
            assert len([name for name in by_position if name != "self"]) <= 2, f"{each}: {by_position}"


def test_what_others_may_override_is_there_and_promised():
    page = STABILITY.read_text(encoding="utf-8")
    for kind, names in OVERRIDABLE.items():
        for name in names:
            assert callable(getattr(getattr(thalweg.learners.base, kind), name)) and f"`{name}`" in page


@pytest.mark.parametrize("module", [*COMPILED, "layout"])
def test_the_compiled_interface_is_declared_and_promised(module):
    page, listed = STABILITY.read_text(encoding="utf-8"), KEPT.read_text(encoding="utf-8")
    for name in LAYOUT if module == "layout" else COMPILED[module]:
        assert f"\nthalweg._native.{module}.{name}" in listed and f"`{name}`" in page, name
