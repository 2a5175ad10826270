"""Writes papers.md and images/papers: each claim of the five papers with what `thalweg reproduce` measures.

Results that are in the cache are not measured again. Usage: python docs/make_papers.py [FOLDER OF THE DATA]
"""

import sys
from collections import Counter
from pathlib import Path

from thalweg import papers
from thalweg.papers.reports import VERDICTS

DOCS = Path(__file__).parent
PAGES = {
    "particle-filter": "particle_filter.md", "forgetting": "logistic.md", "iboost": "boosting.md",
    "huwrs": "huwrs.md", "robust": "chunk_ensembles.md",
}  # fmt: skip
HEAD = """# The five papers, claim by claim

Every claim of the five papers is listed with our result: whether it holds, the number in the paper,
ours, and the command that measures it. A claim is undecided if the difference is within two standard errors.
If a paper gives only curves, its number is empty or names the figure; claims marked "ours" are not from the
paper. Each command prints all tables behind its claims, with their spread, `--figures FOLDER` draws the
figures, and `--quick` uses fewer runs. This page is written by `python docs/make_papers.py FOLDER`, where
FOLDER has the public datasets.
"""


def main(data=None):
    """Write the page and the figures."""
    reports = {}
    for name in PAGES:
        folder = DOCS / "images" / "papers" / name
        for path in folder.glob("*.svg"):
            path.unlink()
        reports[name] = papers.reproduce(name, data=data, figures=folder, quiet=False)
    (DOCS / "papers.md").write_text(page(reports), encoding="utf-8")


def page(reports):
    """Return the page on reports, by the names of their papers."""
    summaries = [_summary(name, report) for name, report in reports.items()]
    parts = [HEAD, table(["paper", *VERDICTS.values(), "more"], summaries)]
    for name, report in reports.items():
        rows = [[each.claim, each.paper, each.measured, VERDICTS[each.holds]] for each in report.claims]
        settings = "; ".join(f"{key} {value}" for key, value in report.settings.items())
        parts += [
            f"## {report.paper}\n",
            f"{report.reference} Measured by `thalweg reproduce {name} --data FOLDER`: {settings}.\n",
            table(["the paper says", "its number", "here", "holds"], rows),
            "\n".join(f"- {note}" for note in report.notes) + "\n",
            "\n".join(_image(Path(path)) for path in report.figures) + "\n",
        ]
    return "\n".join(parts)


def table(header, rows):
    """Return a table of Markdown."""
    lines = [[str(cell).replace("|", "∣") for cell in row] for row in (header, ["---"] * len(header), *rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _summary(name, report):
    counts = Counter(claim.holds for claim in report.claims)
    return [f"{name}: {report.paper}", *(counts[verdict] for verdict in VERDICTS), f"[page]({PAGES[name]})"]


def _image(path):
    title = path.stem.replace("_", " ").capitalize()
    return f"**{title}**\n\n![{title}]({path.relative_to(DOCS).as_posix()})\n"


if __name__ == "__main__":
    main(*sys.argv[1:2])
