"""HTML pages: one file, light or dark, without scripts or external resources."""

import html
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path

STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --card: #f6f7f9; --ink: #1f2933; --soft: #64707d;
  --rule: #dfe3e8; --accent: #1d5fd1; }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --card: #1c2229; --ink: #e6eaef;
  --soft: #9aa6b2; --rule: #2c343d; --accent: #6aa5ff; } }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 36px 20px 60px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 6px; } h2 { font-size: 21px; margin: 52px 0 8px; }
h3 { font-size: 17px; margin: 36px 0 10px; }
.lead { font-size: 17px; color: var(--soft); margin: 0 0 6px; }
.note { color: var(--soft); font-size: 13px; margin: 8px 0 0; }
.warning { border-left: 3px solid #d97706; padding: 6px 12px; background: var(--card); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 12px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { font-weight: 600; color: var(--soft); font-size: 13px; }
th:first-child, td:first-child { text-align: left; }
table.words td:last-child, table.words th:last-child { white-space: normal; text-align: left; }
tr.bold td { font-weight: 600; } tr.bold td:first-child { color: var(--accent); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 20px; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 0; } svg { width: 100%; height: auto; display: block; }
"""


def write_page(path: str | PathLike[str], title: str, body: str) -> Path:
    """Write a page with a title and the HTML `body`; return its path."""
    page = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>{text(title)}</title><style>{STYLE}</style></head>"
        f"<body><main><h1>{text(title)}</h1>{body}</main></body></html>\n"
    )
    path = Path(path)
    path.write_text(page, encoding="utf-8")
    return path


def table(rows: Sequence[Sequence[object]], n_bold: int = 0, kind: str = "") -> str:
    """Return the HTML of a table; the first row is the header, the next `n_bold` rows are bold."""
    head = "".join(f"<th>{text(cell)}</th>" for cell in rows[0])
    body = ""
    for i, row in enumerate(rows[1:]):
        bold = ' class="bold"' if i < n_bold else ""
        body += f"<tr{bold}>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>"
    kind = f' class="{kind}"' if kind else ""
    made = f"<table{kind}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll">{made}</div>'


def pairs(entries: Iterable[tuple[str, str]]) -> str:
    """Return the HTML of a list of names and values."""
    items = (f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in entries)
    return f"<dl>{''.join(items)}</dl>"


def text(value: object) -> str:
    """Return `value` as escaped text."""
    return html.escape(str(value))
