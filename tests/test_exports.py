"""The public names are true, and importing the package costs next to nothing."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import thalweg


@pytest.mark.parametrize("module", sorted(set(thalweg.__all__) - set(thalweg.FUNCTIONS)))
def test_all_names_are_there(module):
    public = getattr(thalweg, module)
    assert public.__all__
    for name in public.__all__:
        assert getattr(public, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = public.nothing


@pytest.mark.parametrize("name", thalweg.FUNCTIONS)
def test_functions_are_those_of_their_module(name):
    assert getattr(thalweg, name) is getattr(thalweg.saving, name)


@pytest.mark.parametrize("module", ["learners", "streams", "drift", "evaluation", "checks"])
def test_every_public_name_has_a_summary(module):
    registry = getattr(thalweg, module).registry
    for name in registry:
        assert len(registry.summary(name)) > 15, name
        assert registry.summary(name) == registry.load(name).__doc__.strip().splitlines()[0]


def test_import_is_quick_and_lazy():
    code = (
        "import sys, time; start = time.process_time(); import thalweg; "
        "print(time.process_time() - start, 'numpy' in sys.modules, 'sklearn' in sys.modules)"
    )
    seconds, *heavy = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert float(seconds) < 0.1
    assert heavy == ["False", "False"]


def test_version_is_that_of_the_package():
    assert thalweg.__version__.count(".") == 2


MODULES = [
    "thalweg",
    *(f"thalweg.{name}" for name in thalweg.__all__ if name not in thalweg.FUNCTIONS),
    "thalweg.evaluation.metrics",
    "thalweg.evaluation.plots",
    "thalweg.evaluation.pages.run_page",
    "thalweg.streams.datasets",
    "thalweg.streams.drifting",
]


@pytest.mark.parametrize("name", MODULES)
def test_dir_shows_public_names_only(name):
    module = importlib.import_module(name)
    assert set(dir(module)) == {*module.__all__, *(["__version__"] if name == "thalweg" else [])}


@pytest.mark.parametrize("name", [name for name in MODULES if name.count(".") < 2])
def test_type_checkers_see_the_names_that_are_imported_on_first_use(name):
    module = importlib.import_module(name)
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.asname or alias.name
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for line in block.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }
    assert not seen or set(module.__all__) <= seen
