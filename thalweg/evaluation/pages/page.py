"""HTML pages: one file, light, dark or printed, without external resources; nothing depends on the script."""

import math
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path

from thalweg._atomic_file import replacing_text
from thalweg._escaping import in_html
from thalweg.evaluation.formatting import points
from thalweg.evaluation.pages.script import SCRIPT
from thalweg.evaluation.pages.svg_style import CHART_STYLE

STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --card: #f6f7f9; --ink: #1f2933; --soft: #5b6672;
  --rule: #dfe3e8; --accent: #005a8f; --right: 0, 114, 178; --wrong: 213, 94, 0; }
@media screen and (prefers-color-scheme: dark) { :root { --page: #14181d; --card: #1c2229; --ink: #e6eaef;
  --soft: #9aa6b2; --rule: #2c343d; --accent: #6fb9ec; --right: 40, 130, 190; --wrong: 225, 110, 20; } }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 36px 20px 60px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 6px; overflow-wrap: anywhere; }
h2 { font-size: 20px; margin: 44px 0 10px; overflow-wrap: anywhere; }
h3 { font-size: 16px; margin: 30px 0 8px; }
.lead { font-size: 17px; color: var(--soft); margin: 0 0 6px; overflow-wrap: anywhere; }
.note + dl { margin-top: 14px; }
.note, figcaption { color: var(--soft); font-size: 13px; margin: 8px 0 0; }
.warning { border-left: 3px solid #d97706; padding: 6px 12px; background: var(--card); }
.warning { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; scrollbar-width: thin; --shade: rgba(0, 0, 0, 0.28);
  background: linear-gradient(to right, var(--page) 30%, transparent) left / 36px 100% no-repeat local,
    linear-gradient(to left, var(--page) 30%, transparent) right / 36px 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / 12px 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / 12px 100% no-repeat scroll; }
@media screen and (prefers-color-scheme: dark) { .scroll { --shade: rgba(255, 255, 255, 0.3); } }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 10px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { font-weight: 600; color: var(--soft); font-size: 13px; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
table.runs td:first-child, table.runs th:first-child { position: sticky; left: 0; background: var(--page); }
table.one th, table.runs th { white-space: normal; }
table.runs td, table.runs th { padding: 7px 8px; } td small { font-size: inherit; }
table.one td:nth-child(2) { font-weight: 600; }
table.words td:nth-child(2), table.words th:nth-child(2) { white-space: normal; text-align: left; }
table.words td:nth-child(2) { min-width: 130px; }
td.best { color: var(--accent); font-weight: 700; } td.best::before { content: "\\2605 "; font-size: 11px; }
table.matrix { width: auto; } table.matrix th, table.matrix td { text-align: center; padding: 5px 8px; }
table.matrix td { border: 1px solid var(--page); }
table.matrix small { display: block; color: var(--soft); font-size: 12px; }
table.matrix th:first-child { text-align: right; vertical-align: middle; }
dl { display: grid; grid-template-columns: fit-content(45%) 1fr; gap: 4px 20px; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.long { white-space: normal; min-width: 260px; text-align: left; overflow-wrap: anywhere; }
details { margin: 14px 0 0; } summary { cursor: pointer; color: var(--accent); }
figure { margin: 0; } .note + figure { margin-top: 24px; } svg { width: 100%; height: auto; display: block; }
svg.swatch { display: inline-block; width: 26px; height: 8px; margin-right: 8px; vertical-align: middle; }
.pair { display: flex; flex-wrap: wrap; gap: 16px 48px; align-items: flex-start; }
.pair > * { flex: 0 1 auto; max-width: 100%; min-width: 0; } .pair figcaption { max-width: 320px; }
.narrow { display: none; max-width: 560px; } .square { max-width: 820px; }
.tip { position: absolute; pointer-events: none; background: var(--page); border: 1px solid var(--rule);
  border-radius: 6px; padding: 6px 10px; font-size: 13px; box-shadow: 0 2px 8px rgba(0, 0, 0, 0.25); }
@media screen and (max-width: 1080px) { table.runs td small { display: block; } }
@media screen and (max-width: 760px) {
  main { padding: 22px 14px 40px; } h1 { font-size: 22px; } .lead { font-size: 16px; }
  .wide { display: none; } .narrow { display: block; }
  th, td, table.runs th, table.runs td { padding: 6px; }
  table { font-size: 14px; } table.one th, table.one td { padding: 6px 3px; font-size: 12.5px; }
  td small { display: block; } table.one td:first-child { white-space: normal; }
  table.runs td:first-child { white-space: normal; min-width: 96px; } td svg.swatch { display: block; }
  table.matrix th, table.matrix td { padding: 4px; font-size: 13px; }
}
@media print {
  main { max-width: none; padding: 0; } body { font-size: 11pt; } .scroll { overflow: visible; }
  figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  details:not([open]) { display: none; } table, th { font-size: 8pt; }
  th, td, table.runs th, table.runs td { padding: 3px 4px; }
  table.runs td:first-child { white-space: normal; } td small { display: block; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
STOPPED = "Stopped before the end: these are the results so far."


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


class Best(Markup):
    """The HTML of a cell that is the best of its column."""

    __slots__ = ()


def write_page(path: str | PathLike[str], title: str, body: str) -> Path:
    """Write a page with a title and the HTML `body`; return its path."""
    with replacing_text(path) as file:
        file.write(page_html(title, body, script=SCRIPT if "data-frame=" in body else ""))
    return Path(path)


def page_html(title: str, body: str, *, head: str = "", script: str = "") -> str:
    """Return the HTML of a page; `head` is added to its head, and the script to its end."""
    script = f"<script>{script}</script>" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>{text(title)}</title><style>{STYLE}{CHART_STYLE}</style>{head}</head>"
        f"<body><main><h1>{text(title)}</h1>{body}</main>{script}</body></html>\n"
    )


def table(rows: Sequence[Sequence[object]], kind: str = "") -> str:
    """Return the HTML of a table; the first row is the header; a cell that is a `Best` is marked as such."""
    head = "".join(f"<th>{text(cell)}</th>" for cell in rows[0])
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[1:])
    kind = f' class="{kind}"' if kind else ""
    made = f"<table{kind}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll">{made}</div>'


def note(words: object, kind: str = "note") -> str:
    """Return the HTML of a paragraph, a "note", a "warning" or the "lead"; nothing if there are no words."""
    return f'<p class="{kind}">{text(words)}</p>' if words else ""


def pairs(entries: Iterable[tuple[str, str]]) -> str:
    """Return the HTML of a list of names and values."""
    items = (f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in entries)
    return f"<dl>{''.join(items)}</dl>"


def made_by(command: str, date: str) -> list[tuple[str, str]]:
    """Return what a page says of its origin: the command, if there was one, the date and the version."""
    from thalweg import __version__

    said = [("command", command)] if command else []
    return [*said, ("date", date), ("version", f"thalweg {__version__}")]


def text(value: object) -> str:
    """Return `value` as escaped text; `Markup` as it is."""
    return value if isinstance(value, Markup) else in_html(value)


def with_small_error(share: str, error: float) -> Markup:
    """Return the HTML of a share with its standard error in small print, if that is known."""
    return Markup(share if math.isnan(error) else f"{share} <small>± {points(error)}</small>")


def _cell(value: object) -> str:
    best = ' class="best"' if isinstance(value, Best) else ""
    return f"<td{best}>{text(value)}</td>"
