"""Expressions that were given up do not come back: pages, docstrings, messages and tests use plain words."""

import re
from functools import cache

import pytest
from support.places import ROOT, needs_checkout

pytestmark = needs_checkout
GIVEN_UP = {
    r"what (most often )?followed the last label": "Markov chain of labels",
    r"\b(can(not)?|could( not)?) be had\b": "is (not) available; was not tested",
    r"\btwo doors\b": "validated and fast methods",
    r"\basking changes nothing\b": "prediction has no side effects",
    r"\bhonest\b": "measured on unseen rows; shown beside three baselines",
    r"\banew\b|\bafresh\b": "again",
    r"\bheeds?\b": "uses",
    r"\b(is|stays|leaves? .{1,30}) as it was( before)?[.,;|]": "does not change; is unchanged",
    r"\bin force\b": "current",
    r"\bof which there (are|is)\b": "say the number",
    r"\bof no use\b": "not worth using; do not use",
    r"\bin place of\b": "instead of",
    r"\bseldom\b": "rarely",
    r"\bone's own\b": "your own",
    r"\b(lest|thereby|therein|hereby|henceforth|thereof|whence)\b": "a modern word",
    r"\bhas risen for good\b": "has risen",
    r"\bgoes on (bit for bit|from|where)\b": "continues",
}
PLACES = ("*.md", "docs/**/*.md", "docs/*.py", "benchmarks/*.md", "benchmarks/*.py", "thalweg/**/*.py",
          "thalweg/**/*.pyx", "thalweg/**/*.pxd", "tools/*.py", "tests/**/*.py")  # fmt: skip


@cache
def texts():
    """Return all texts but this one, by their names."""
    paths = [path for place in PLACES for path in ROOT.glob(place) if path.name != "test_words.py"]
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


@pytest.mark.parametrize("expression", GIVEN_UP)
def test_an_expression_that_was_given_up_is_not_used(expression):
    pattern, found = re.compile(expression, re.I), []
    for name, text in texts().items():
        found += [f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
                  for match in pattern.finditer(text)]  # fmt: skip
    assert not found, f"say instead: {GIVEN_UP[expression]}"


def test_there_are_texts_to_read():
    assert len(texts()) > 500
