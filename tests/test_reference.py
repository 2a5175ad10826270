"""Everything public is in the reference, with all its parameters."""

import re
import sys

import pytest
from support.places import ROOT, needs_checkout

pytestmark = needs_checkout
sys.path.insert(0, str(ROOT / "docs"))
SURFACE = (ROOT / "tests" / "surface.txt").read_text().splitlines()
OBJECTS = [line for line in SURFACE if re.match(r"thalweg(?!\._native)", line) and " is thalweg." not in line]
NAME = re.compile(r"\*{0,2}(\w+)(?:=|$)")


@pytest.fixture(scope="module")
def reference():
    griffe = pytest.importorskip("griffe", reason="mkdocstrings is not installed")
    import reference_pages

    reference_pages.sections = griffe.DocstringSectionKind
    return reference_pages


def names_in(line):
    """Return the names of the parameters in a line of the surface; of a property none."""
    inside = re.match(r"[\w.]+\((.*)\)(?:, a [\w.]+)?$", line)
    depth, parts = 0, [""]
    for letter in inside[1] if inside else "":
        depth += (letter in "([{") - (letter in ")]}")
        parts = [*parts, ""] if letter == "," and not depth else [*parts[:-1], parts[-1] + letter]
    return [NAME.match(part.strip())[1] for part in parts if part.strip() not in ("", "*", "/")]


def described(reference, page, path):
    """Return whether a page has an entry for a public path."""
    if f"\n::: {path}\n" in page:
        return True
    owner, _, member = path.rpartition(".")
    entry = re.search(rf"\n::: {re.escape(owner)}\n.*\n +members: (.*)\n", page)
    if not entry:
        return False
    under = reference.shared_base(owner, member)
    return (
        member in re.findall(r"\w+", entry[1])
        or member in reference.attributes(reference.find(owner))
        or (under is not None and described(reference, page, f"{under}.{member}"))
    )


def test_every_public_name_has_an_entry(reference):
    whole = "".join(reference.pages().values())
    modules = [line for line in OBJECTS if any(each.startswith((f"{line}.", f"{line} ")) for each in SURFACE)]
    shown = {each.source for page in reference.entries().values() for each in page}
    missing = []
    for line in sorted(set(OBJECTS) - set(modules)):
        path = re.match(r"[\w.]+", line)[0]
        again = "(" in line and reference.find(path).path in shown  # thalweg.saving.load is thalweg.load
        if not described(reference, whole, path) and not again:
            missing.append(path)
    assert len(OBJECTS) > 1000
    assert not missing


def test_names_that_are_not_in_the_list_have_entries_too(reference):
    """Such as those that need Spark: its sources are read, not imported."""
    whole = "".join(reference.pages().values())
    paths = [line.partition("(")[0] for line in reference.BESIDE]
    assert "thalweg.keyed.spark.over_stream" in paths
    assert all(described(reference, whole, path) for path in paths)


def test_entries_have_all_parameters(reference):
    """As the sources are read, not run: what a decorator or a compiled base would hide is found here."""
    lines = [line for line in OBJECTS if "(" in line]
    wrong = {}
    for line in lines:
        path = line.partition("(")[0]
        found = [name for name in reference.parameters(path) if not name.startswith("_")]
        if found != names_in(line):
            wrong[path] = found
    assert len(lines) > 600
    assert not wrong


def test_docstrings_describe_all_parameters(reference):
    """Of classes and functions; a result such as Run describes them as attributes."""
    missing = {}
    for line in OBJECTS:
        path = line.partition("(")[0].partition(",")[0]
        owner = path.rpartition(".")[0]
        if "(" not in line or reference.find(owner).is_class or path.startswith("thalweg.errors."):
            continue
        thing = reference.find(path)
        every = [thing, *(thing.mro() if thing.is_class else [])]
        texts = [each.docstring for each in every if each.docstring]
        kinds = (reference.sections.parameters, reference.sections.attributes)
        parts = [part.value for text in texts for part in text.parsed if part.kind in kinds]
        known = {name.strip("* ") for part in parts for item in part for name in item.name.split(",")}
        wanted = [name for name in names_in(line) if name not in known]
        said = [*texts, reference.find(owner).docstring]  # metrics share what their module says
        mentioned = " ".join(text.value for text in said if text)
        unsaid = [name for name in wanted if not re.search(rf"\b{name}\b", mentioned)]
        if unsaid:
            missing[path] = unsaid
    assert not missing


def test_every_option_of_the_command_is_described(reference):
    page = reference.pages()["commands"]
    for line in (line for line in SURFACE if line.startswith("$")):
        _, _, command, option = line.split()
        section = re.search(rf"\n## thalweg {command}\n(.*?)(?=\n## |\Z)", page, re.S)[1]
        assert re.search(rf"\n\| `(?:\S+, )?{re.escape(option)}[ `,]", section), line


def test_a_public_package_without_a_page_is_an_error(reference):
    with pytest.raises(LookupError, match="add its package to SUBJECTS"):
        reference.page_of("thalweg.unheard_of.Thing")
