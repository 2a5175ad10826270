"""The page on the five papers: every claim with its verdict, the paper's number and ours, and the command."""

import re
import runpy

from support.places import ROOT, needs_checkout

from thalweg import papers
from thalweg.papers.reports import Claim, Report

DOCS = ROOT / "docs"
pytestmark = needs_checkout


def made():
    return runpy.run_path(str(DOCS / "make_papers.py"))


def test_a_claim_is_a_line_with_its_verdict():
    claims = [Claim("A | B", "97.0 ± 0.1", None, "98.1"), Claim("C", "1", False), Claim("D", "2", True)]
    report = Report("Some paper", "Journal.", {"seeds": 5}, claims=claims, notes=["A note."])
    report.figures = [str(DOCS / "images" / "papers" / "huwrs" / "figure_1.svg")]
    text = made()["page"]({"huwrs": report})
    assert "| A ∣ B | 98.1 | 97.0 ± 0.1 | undecided |" in text
    assert "| huwrs: Some paper | 1 | 1 | 1 | [page](huwrs.md) |" in text
    assert "`thalweg reproduce huwrs --data FOLDER`: seeds 5." in text and "- A note." in text
    assert "![Figure 1](images/papers/huwrs/figure_1.svg)" in text


def test_the_page_has_all_papers_their_claims_and_figures():
    assert set(made()["PAGES"]) == set(papers.NAMES)
    text = (DOCS / "papers.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert len(sections) == len(papers.NAMES)
    for name, section in zip(made()["PAGES"], sections, strict=True):
        assert f"thalweg reproduce {name} " in section
        rows = re.findall(r"^\| .* \| (yes|no|undecided) \|$", section, re.MULTILINE)
        assert len(rows) >= 10
        drawn = re.findall(r"\((images/papers/[^)]*)\)", section)
        assert drawn and all((DOCS / path).stat().st_size > 1000 for path in drawn)
        kept = {path.relative_to(DOCS).as_posix() for path in (DOCS / "images/papers" / name).iterdir()}
        assert kept == set(drawn)
