"""The layers drawn in CONTRIBUTING are those of the code, and cimports between kernels follow their own."""

import re
import tomllib
from graphlib import TopologicalSorter

import pytest
from places import ROOT, needs_checkout

pytestmark = needs_checkout
KERNELS = ROOT / "thalweg" / "_kernels"
CIMPORT = re.compile(r"^\s*from (?:\.|thalweg\._kernels\.)(\w+) c?import|^\s*from \. c?import (.+)", re.M)
CONTRACTS = {"learner", "detector", "python_learner"}
PARTS_OF_ENSEMBLES = {"adapter", "block_ensemble", "ensemble", "member_blocks"}


def cimports():
    """Return for each module in _kernels the others it cimports or imports."""
    found = {}
    for path in sorted(KERNELS.glob("*.p*")):
        if path.suffix in (".py", ".pyx", ".pxd"):
            found.setdefault(path.stem, set()).update(names_in(path.read_text()))
    return {name: others - {name} for name, others in found.items()}


def names_in(text):
    """Return the modules of _kernels that a source text cimports or imports."""
    for one, several in CIMPORT.findall(text):
        yield from [one] if one else (name.split(" as ")[0].strip() for name in several.split(","))


def reached(name, graph):
    """Return all modules that a module cimports, directly or through others."""
    found, open_ = set(), [name]
    while open_:
        new = graph[open_.pop()] - found
        found |= new
        open_ += new
    return found


@pytest.fixture(scope="module")
def graph():
    return cimports()


def test_cimports_are_found(graph):
    assert {"learner", "pointers", "layout"} <= graph["trivial"]
    assert "adwin" in graph["forest"]


def test_cimports_have_no_cycle(graph):
    TopologicalSorter(graph).prepare()


def test_a_contract_knows_no_method(graph):
    for name in CONTRACTS:
        above = {other for other in reached(name, graph) - CONTRACTS if reached(other, graph) & CONTRACTS}
        assert not above, f"{name} depends on {above}"


def test_parts_of_ensembles_know_no_other_learner(graph):
    learners = {name for name in graph if "learner" in reached(name, graph)} - PARTS_OF_ENSEMBLES - CONTRACTS
    for name in PARTS_OF_ENSEMBLES:
        assert not reached(name, graph) & learners, f"{name} depends on {reached(name, graph) & learners}"


def test_contributing_draws_the_layers_of_the_linter():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    drawn = re.search(r"```\n(cli\n.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.S)
    assert drawn, "there is no picture of the layers"
    assert [re.split(r"\s{2,}", line)[0] for line in drawn[1].splitlines()] == contract["layers"]


def test_the_kernels_that_contributing_names_exist(graph):
    paragraph = re.search(r"Inside `_kernels`(.*?)\n\n", (ROOT / "CONTRIBUTING.md").read_text(), re.S)[1]
    assert CONTRACTS | PARTS_OF_ENSEMBLES <= set(re.findall(r"`(\w+)`", paragraph)) <= set(graph)
