"""The list of what compiled code takes from outside, docs/decisions/0018, is whole, and its guards exist."""

import re

import pytest
from support.places import ROOT, needs_checkout

pytestmark = needs_checkout
PAGE = ROOT / "docs/decisions/0018-checked-arrays.md"
GUARD = re.compile(r"`([\w/]+\.pyx?)`((?:,? `\w+`)+)")


def tables():
    """Return the cells of the rows of both tables."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def guards():
    found = [each for row in tables() for each in GUARD.findall(row[-1])]
    return [(path, name) for path, names in found for name in re.findall(r"`(\w+)`", names)]


def test_every_row_has_a_guard_that_can_be_read():
    rows = [row for row in tables() if row[-1] not in ("guard", "guard beyond the declaration")]
    assert len(rows) > 40
    assert [row for row in rows if not GUARD.search(row[-1])] == [["none", rows[-1][1], ""]]


@pytest.mark.parametrize(("path", "name"), sorted(set(guards())))
def test_a_guard_is_where_the_list_says(path, name):
    text = (ROOT / "thalweg" / path).read_text()
    assert re.search(rf"^ *(?:cp?def\b.*\b|def ){name}\(", text, re.M), f"{path} has no {name}"


def test_every_compiled_module_is_listed():
    listed = {name for row in tables() for name in re.findall(r"`(\w+)`", " ".join(row[:-1]))}
    modules = {path.stem for path in (ROOT / "thalweg").rglob("_native/*.pyx")}
    assert modules - listed == set()
