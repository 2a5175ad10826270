"""Folders show subjects: layers, cimports, and where a reader looks for the files of a learner."""

import re
import tomllib
from collections import Counter
from graphlib import TopologicalSorter

import pytest
from support import every_learner
from support.places import ROOT, TESTS, needs_checkout

from thalweg import learners, trust
from thalweg.learners.base import NativeClassifier

pytestmark = needs_checkout
PACKAGE = ROOT / "thalweg"
CIMPORT = re.compile(r"^\s*from (\.?[\w.]*) c?import (\([^)]*\)|[^\n]+)", re.M)
CONTRACTS = {"thalweg._native.kernel", "thalweg.drift._native.base", "thalweg._native.python_kernel"}
PARTS_OF_ENSEMBLES = {
    "thalweg.learners.ensembles._native.base",
    "thalweg.learners.base._native.member_pool",
    "thalweg.learners.base._native.member_view",
    "thalweg.learners.ensembles._native.threaded",
    "thalweg.learners.chunk_ensembles._native.base",
}
MOST_FILES = 40
SOURCES = {".h", ".py", ".pyi", ".pxd", ".pyx", ".build"}
# Twins of several modules, and kernels of learners whose test needs no twin.
SHARED_TWINS = {"steps": "all steps", "window": "both learners of neighbours"}
NO_TWIN = {
    "hoeffding_adaptive_tree": "its splits are those that MOA's tree makes on the same rows",
    "hoeffding_option_tree": "with one option it is the plain tree, with more as good as MOA's",
}
# Compiled learners that have no kernel of their own, and whose they use.
KERNEL_OF = {
    "adaboost_window": "iboost",
    "adaptive_random_forest": "forest",
    "adwin_bagging": "online_bagging",
    "bole": "online_boost",
    "leveraging_bagging": "online_bagging",
    "likelihood_particle_filter": "particle_filter",
    "logistic_mixture": "adaptive_logistic",
    "refitting_particle_filter": "particle_filter",
    "regularised_particle_filter": "particle_filter",
    "sliding_huwrs": "huwrs",
    "streaming_random_patches": "forest",
}


def contracts():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]


def sources():
    """Return the paths of the compiled modules and the Python beside them, by dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("_native/*.p*")):
        if path.suffix in (".py", ".pyx", ".pxd"):
            found.setdefault(".".join(path.relative_to(ROOT).with_suffix("").parts), []).append(path)
    return found


def cimports():
    """Return for each module in a `_native` folder the others it cimports or imports."""
    modules = sources()
    graph = {}
    for name, paths in modules.items():
        package = name.rpartition(".")[0]
        others = set()
        for origin, names in CIMPORT.findall("\n".join(path.read_text() for path in paths)):
            base = package + origin.removesuffix(".") if origin.startswith(".") else origin
            inside = {f"{base}.{each.split(' as ')[0].strip()}" for each in names.strip("()").split(",")}
            others |= ({base} | inside) & set(modules)
        graph[name] = others - {name}
    return graph


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
    trivial = graph["thalweg.learners.baselines._native.trivial"]
    assert {"thalweg._native.kernel", "thalweg._native.pointers", "thalweg._native.layout"} <= trivial
    assert "thalweg.drift._native.adwin" in graph["thalweg.learners.ensembles._native.forest"]


def test_cimports_have_no_cycle(graph):
    TopologicalSorter(graph).prepare()


def ranks(contract):
    """Return how high each package of a contract stands."""
    layers = contract["layers"]
    container = contract["containers"][0]
    return {
        f"{container}.{name}": len(layers) - i
        for i, layer in enumerate(layers)
        for name in layer.replace("(", "").replace(")", "").split(" | ")
    }


@pytest.mark.parametrize("contract", contracts(), ids=lambda contract: contract["name"])
def test_cimports_follow_the_layers_of_imports(graph, contract):
    rank = ranks(contract)

    def package(name):
        return next((each for each in rank if name == each or name.startswith(f"{each}.")), None)

    for name, others in graph.items():
        for other in others:
            above, below = package(name), package(other)
            if above and below and above != below:
                assert rank[above] > rank[below], f"{name} cimports {other}"


def test_a_contract_knows_no_method(graph):
    for name in CONTRACTS:
        above = {other for other in reached(name, graph) - CONTRACTS if reached(other, graph) & CONTRACTS}
        assert not above, f"{name} depends on {above}"


def test_parts_of_ensembles_know_no_other_learner(graph):
    kernel = "thalweg._native.kernel"
    learners = {name for name in graph if kernel in reached(name, graph)} - PARTS_OF_ENSEMBLES - CONTRACTS
    for name in PARTS_OF_ENSEMBLES:
        assert not reached(name, graph) & learners, f"{name} depends on {reached(name, graph) & learners}"


def test_contributing_draws_the_layers_of_the_linter():
    drawn = re.findall(r"```\n((?:commands|stacking)\b.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.S)
    assert len(drawn) == 2, "a picture of the layers is missing"
    for picture, contract in zip(drawn, contracts()[:2], strict=True):
        assert [re.split(r"\s{2,}", line)[0] for line in picture.splitlines()] == contract["layers"]


def test_no_folder_of_source_has_many_files():
    n_files = Counter(path.parent for path in PACKAGE.rglob("*") if path.suffix in SOURCES)
    assert len(n_files) > 30
    assert {folder: n for folder, n in n_files.items() if n > MOST_FILES} == {}


def module_path(folder, module):
    """Return the folder and the stem of a module of a package: learners/bayes, naive_bayes."""
    *subject, stem = module.split(".")
    return "/".join([folder, *subject]), stem


def learner_modules():
    """Return the folder and the stem of every module with public learners."""
    parts = {"learners": learners.registry, "trust": trust.registry}
    found = {(name, module) for name, part in parts.items() for module in part.modules.values()}
    return sorted(module_path(*each) for each in found)


def learners_in(folder, stem):
    """Return the public names of a module."""
    package, _, subject = folder.partition("/")
    module = f"{subject}.{stem}".lstrip(".").replace("/", ".")
    part = trust.registry if package == "trust" else learners.registry
    return [name for name, origin in part.modules.items() if origin == module]


@pytest.mark.parametrize(("folder", "stem"), learner_modules())
def test_a_learner_has_its_test(folder, stem):
    text = (TESTS / folder / f"test_{stem}.py").read_text()
    assert re.search("^def test_", text, re.M)
    names = learners_in(folder, stem)
    assert names
    for name in names:
        assert len(re.findall(rf"\b{name}\b", text)) > 1, f"test_{stem}.py does not use {name}"


def has_kernel(folder, stem):
    """Return whether there is a kernel of that name."""
    return (PACKAGE / folder / "_native" / f"{stem}.pyx").exists()


@pytest.mark.parametrize(("folder", "stem"), learner_modules())
def test_a_compiled_learner_has_its_kernel(folder, stem):
    names = learners_in(folder, stem)
    is_compiled = any(issubclass(every_learner.registry.load(name), NativeClassifier) for name in names)
    if has_kernel(folder, stem) or not is_compiled:
        assert stem not in KERNEL_OF
    else:
        assert stem in KERNEL_OF, f"{stem} has no kernel of its own"
        assert list((PACKAGE / "learners").glob(f"*/_native/{KERNEL_OF[stem]}.pyx"))


@pytest.mark.parametrize(("folder", "stem"), learner_modules())
def test_a_learner_with_a_kernel_has_its_twin_and_uses_it(folder, stem):
    twin = TESTS / "twins" / folder / f"{stem}.py"
    if has_kernel(folder, stem):
        assert twin.exists() != (stem in NO_TWIN), f"{stem} has {'a' if twin.exists() else 'no'} twin"
    if twin.exists():
        text = (TESTS / folder / f"test_{stem}.py").read_text()
        used = rf"from twins\.{folder.replace('/', '.')}(\.{stem} import| import {stem}\b)"
        assert re.search(used, text), f"test_{stem}.py does not use the twin"


def test_every_twin_is_beside_what_it_imitates():
    for path in (TESTS / "twins").rglob("*.py"):
        folder, stem = path.parent.relative_to(TESTS / "twins"), path.stem
        there = list((PACKAGE / folder).glob(f"{stem}.p*")) or SHARED_TWINS.get(stem)
        assert there, f"{path.relative_to(TESTS)} is no module's twin"


def test_excuses_are_needed():
    assert set(NO_TWIN) | set(KERNEL_OF) <= {stem for _, stem in learner_modules()}
