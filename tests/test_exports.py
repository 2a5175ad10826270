"""The public names are true, and importing the package costs next to nothing."""

import ast
import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import thalweg
from thalweg._registry import Registry


@pytest.mark.parametrize("module", sorted(set(thalweg.__all__) - set(thalweg.NAMES)))
def test_all_names_are_there(module):
    public = getattr(thalweg, module)
    assert public.__all__
    for name in public.__all__:
        assert getattr(public, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = public.nothing


@pytest.mark.parametrize("name", thalweg.NAMES)
def test_names_are_those_of_their_module(name):
    assert getattr(thalweg, name) is getattr(getattr(thalweg, thalweg.NAMES[name]), name)


@pytest.mark.parametrize("module", ["learners", "streams", "drift", "evaluation", "checks"])
def test_every_public_name_has_a_summary(module):
    registry = getattr(thalweg, module).registry
    for name in registry:
        assert len(registry.summary(name)) > 15, name
        assert registry.summary(name) == registry.load(name).__doc__.strip().splitlines()[0]


@pytest.mark.parametrize("module", ["learners", "streams", "drift", "evaluation", "preprocessing", "checks"])
def test_no_module_hides_a_public_name(module):
    # Importing a submodule makes it an attribute of its package, before which lazy names are not looked up.
    package = getattr(thalweg, module)
    for name in package.registry:
        assert importlib.util.find_spec(f"{package.__name__}.{name}") is None, name


def test_import_is_quick_and_lazy():
    # It takes about a tenth of what importing NumPy takes.
    code = (
        "import sys, time; start = time.process_time(); import thalweg; "
        "heavy = 'numpy' in sys.modules, 'sklearn' in sys.modules; "
        "middle = time.process_time(); import numpy; "
        "print((middle - start) / (time.process_time() - middle), *heavy)"
    )
    ratio, *heavy = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert float(ratio) < 0.5
    assert heavy == ["False", "False"]


def test_version_is_that_of_the_package():
    assert thalweg.__version__.count(".") == 2


MODULES = [
    "thalweg",
    *(f"thalweg.{name}" for name in thalweg.__all__ if name not in thalweg.NAMES),
    "thalweg.evaluation.metrics",
    "thalweg.evaluation.plots",
    "thalweg.evaluation.report",
    "thalweg.streams.datasets",
    "thalweg.streams.drifting",
]


@pytest.mark.parametrize("name", MODULES)
def test_dir_shows_public_names_only(name):
    module = importlib.import_module(name)
    assert set(dir(module)) == {*module.__all__, *(["__version__"] if name == "thalweg" else [])}


ROOT = Path(thalweg.__file__).parent
LAZY = [
    ".".join(("thalweg", *path.parent.relative_to(ROOT).parts))
    for path in sorted(ROOT.rglob("__init__.py"))
    if "__getattr__" in path.read_text(encoding="utf-8")
]


def type_checked(module):
    """Return {name: the module that it is imported from} of what type checkers alone see."""
    return {
        alias.asname or alias.name: line.module
        for block in ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body
        if isinstance(block, ast.If) and getattr(block.test, "id", "") == "TYPE_CHECKING"
        for line in block.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }


def test_packages_with_lazy_names_are_found():
    assert {"thalweg", "thalweg.learners", "thalweg.evaluation"} <= set(LAZY)


def listed(module):
    """Return the same of what the registries of a package list and the package has."""
    registries = [each for each in vars(module).values() if isinstance(each, Registry)]
    found = {}
    for each in (each for each in registries if each.package == module.__name__):
        found |= dict.fromkeys(each.submodules, each.package)
        found |= {name: f"{each.package}.{place}" for name, place in each.modules.items()}
    public = {*module.__all__, *module.registry.submodules}
    return {name: origin for name, origin in found.items() if name in public}


@pytest.mark.parametrize("name", LAZY)
def test_type_checkers_see_the_names_that_are_imported_on_first_use(name):
    module = importlib.import_module(name)
    seen = type_checked(module)
    if name == "thalweg":
        assert sorted(seen) == sorted(module.__all__)
    else:
        assert seen == listed(module)
        assert set(module.__all__) <= set(seen)
    for public, origin in seen.items():
        assert getattr(module, public) is getattr(importlib.import_module(origin), public)
