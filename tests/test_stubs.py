"""The stubs of compiled modules say what these modules have: the same classes, attributes and arguments."""

import ast
import importlib
import re
from pathlib import Path

import pytest

import thalweg

ROOT = Path(thalweg.__file__).parent
STUBS = {str(path.relative_to(ROOT).with_suffix("")): path for path in sorted(ROOT.rglob("*.pyi"))}
DEFINED = re.compile(r"^( *)(?:def|cpdef|cdef class|class) +(\w+)(?:\(((?:[^()]|\([^()]*\))*)\))?.*:", re.M)


def parts(text):
    # Of `const double[:, ::1] X, n=None`: ["const double[:, ::1] X", "n=None"].
    return [part.strip() for part in re.split(r",(?![^\[(]*[\])])", text or "") if part.strip()]


def definitions(source):
    """Return {"Class": bases, "Class.method" or "function": [(argument, whether it has a default)]}."""
    found, owner = {}, ""
    for match in DEFINED.finditer(source):
        indent, name, inside = match.groups()
        if "class " in match[0].split(name)[0]:
            owner = name
            found[name] = parts(inside)
        else:
            key = f"{owner}.{name}" if indent else name
            found[key] = [(part.split("=")[0].split()[-1], "=" in part) for part in parts(inside)]
    return found


def stubbed(tree):
    """Return the same of a stub."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = [base.id for base in node.bases]
            found |= {f"{node.name}.{key}": value for key, value in stubbed(node).items()}
        elif isinstance(node, ast.FunctionDef) and not node.decorator_list:
            given = node.args
            least = len(given.args) - len(given.defaults)
            found[node.name] = [(each.arg, i >= least) for i, each in enumerate(given.args)]
            found[node.name] += [(f"*{given.vararg.arg}", False)] if given.vararg else []
    return found


def attributes(tree):
    """Return the names that have a type, and the properties."""
    annotated = [node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)]
    return annotated + [each.name for each in tree.body if getattr(each, "decorator_list", ())]


def test_there_are_stubs():
    assert len(STUBS) > 50


@pytest.mark.parametrize("name", STUBS)
def test_a_stub_agrees_with_its_module(name):
    source = (ROOT / f"{name}.pyx").read_text(encoding="utf-8")
    module = importlib.import_module("thalweg." + name.replace("/", "."))
    tree = ast.parse(STUBS[name].read_text(encoding="utf-8"))
    real = definitions(source)
    for key, value in stubbed(tree).items():
        assert real.get(key) == value, key
    assert all(hasattr(module, each) for each in attributes(tree))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for each in attributes(node):
                assert hasattr(getattr(module, node.name), each) or f"self.{each}" in source, each
