"""The docs are true: examples run, lists are current, README's commands exist."""

import doctest
import importlib
import pkgutil
import re
import runpy
import subprocess
import sys
import types

import pytest
from support.places import ROOT, needs_checkout

import thalweg

DOCS = ROOT / "docs"
FOUND = [found.name for found in pkgutil.walk_packages(thalweg.__path__, "thalweg.")]
MODULES = [name for name in FOUND if "_native." not in name]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_are_true(name):
    if name == "thalweg.adapters.capymoa_base":
        pytest.importorskip("capymoa", reason="CapyMOA, which needs Java, is not installed")
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@needs_checkout
@pytest.mark.parametrize("path", sorted((DOCS / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_example_runs(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip()


@needs_checkout
def test_the_learner_of_the_tutorial_passes_the_checks_named_there(monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "tutorial_learner.md").read_text(), re.S)
    module = types.ModuleType("tutorial_learner")  # for pickles
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for part in ("class MovingMeans", "check_learner("):
        exec(next(block for block in blocks if part in block), vars(module))


@needs_checkout
def test_readme_names_the_two_commands_that_make_has():
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, re.M)


@needs_checkout
def test_learner_list_is_current():
    made = subprocess.check_output([sys.executable, DOCS / "make_learners.py"], text=True)
    assert made == (DOCS / "learners.md").read_text(), "run: make goldens"


@needs_checkout
def test_site_builds(tmp_path):
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path / "s"]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "NaiveBayes" in (tmp_path / "s" / "learners" / "index.html").read_text()
    page = (tmp_path / "s" / "reference" / "learners_bayes" / "index.html").read_text()
    for part in ('id="thalweg.learners.NaiveBayes"', "Parameters:", "Examples:", "Source code in"):
        assert part in page


@needs_checkout
def test_pages_show_the_examples_as_they_run():
    for page in DOCS.glob("*.md"):
        found = re.findall(r"<!-- (examples/[\w/]+\.\w+) -->\n```\w+\n(.*?)```", page.read_text(), re.S)
        for name, shown in found:
            assert shown == (DOCS / name).read_text(), f"{page.name} shows another {name}"
        assert len(found) == page.read_text().count("<!-- examples/")


@needs_checkout
def test_pages_name_files_that_exist():
    package = ROOT / "thalweg"
    inside = [path.name for path in package.iterdir() if path.is_dir()]
    folders = ["thalweg", "tests", "docs", "benchmarks", "tools", *inside]
    path = re.compile(rf"`((?:{'|'.join(folders)})/[\w./-]+)`")
    pages = [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("benchmarks/*.md")]
    named = {(page.name, name) for page in pages for name in path.findall(page.read_text())}
    assert len(named) > 20
    assert not {each for each in named if not (ROOT / each[1]).exists() and not (package / each[1]).exists()}


@needs_checkout
def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M))
    listed.remove("reference/index.md")  # docs/reference_pages.py makes it and all beside it
    assert listed == {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
