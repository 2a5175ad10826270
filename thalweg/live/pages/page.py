"""The live page as HTML: complete without a script, renewed by server-sent events with one."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.pages.heat_map import STYLE as HEAT_STYLE
from thalweg.evaluation.pages.page import Markup, note, page_html, table, text
from thalweg.live.pages.script import SCRIPT
from thalweg.live.pages.sections import sections
from thalweg.live.watch import words

ABOUT = "Accuracy: of the latest 1,000 labels. Estimated: of the latest 1,000 rows, with or without labels."
RENEW = 10  # seconds, where there is no script
ALARMS = {"alarm": "accuracy fell", "drift": "inputs changed"}
STYLE = """
nav { font-size: 13px; margin: 0 0 10px; } nav a { color: var(--accent); } .state { color: var(--soft); }
.state::before { content: "\\25cf"; margin-right: 5px; color: var(--soft); }
.state.on::before { color: #00855f; } .state.off::before { color: #d97706; }
.scroll + dl, dl + .note { margin-top: 14px; }
.note + .scroll { margin-top: 8px; } figure + .scroll { margin-top: 14px; }
section:empty { display: none; } td a { color: var(--accent); }
"""


def model_page(
    name: str, found: Mapping[str, Any] | None, *, state: str = "ready", alone: bool = True
) -> str:
    """Return the page of a model; without a snapshot it says that the model is not ready."""
    back = "" if alone else '<a href="../../">all models</a> · '
    parts = model_parts(found, state)
    return _page(name, parts, f"models/{quote(name, safe='')}/events" if alone else "events", back)


def model_parts(found: Mapping[str, Any] | None, state: str = "ready") -> dict[str, str]:
    """Return the HTML of the parts of a model's page by their ids."""
    if found is None:
        return {"now": note(f"The model is {state}.", "lead")}
    return sections(found)


def overview_page(snapshots: Mapping[str, Mapping[str, Any] | None]) -> str:
    """Return the page of all models."""
    return _page("Live models", overview_parts(snapshots), "events", "")


def overview_parts(snapshots: Mapping[str, Mapping[str, Any] | None]) -> dict[str, str]:
    """Return the HTML of the parts of the page of all models by their ids."""
    rows: list[list[object]] = [
        ["model", "accuracy", "estimated", "best baseline", "rows/s", "waiting", "label delay", ""]
    ]
    for name, found in snapshots.items():
        link = Markup(f'<a href="models/{quote(name, safe="")}/page">{text(name)}</a>')
        rows.append([link, *(_line(found) if found is not None else ["–"] * 6 + ["not ready"])])
    return {"models": table(rows, kind="runs") + note(ABOUT)}


def _line(found: Mapping[str, Any]) -> list[str]:
    now, estimate, late = found["accuracy"]["now"], found["estimate"]["now"], found["delay"]["seconds"]
    best = None if not now["labels"] else max(now[name] for name in BASELINES)
    ends = "" if estimate is None else f"{words.share(estimate['low'])} to {words.share(estimate['high'])}"
    alarms = [said for key, said in ALARMS.items() if found[key]["is_open"]]
    return [
        words.share(now["learner"]), ends or "–", words.share(best),
        f"{found['traffic']['per_second']['rows']:.3g}", f"{found['waiting']:,}",
        words.duration(None if late is None else late["median"]), ", ".join(alarms),
    ]  # fmt: skip


def _page(title: str, parts: Mapping[str, str], events: str, back: str) -> str:
    """Return a page whose parts are renewed by the events of the address `events`."""
    renew = f'<noscript><meta http-equiv="refresh" content="{RENEW}"/></noscript>'
    state = f'<nav>{back}<span class="state" id="state">as of when the page was loaded</span></nav>'
    body = "".join(f'<section id="part-{name}">{html}</section>' for name, html in parts.items())
    body = f'{state}<div id="live" data-events="{text(events)}">{body}</div>'
    return page_html(title, body, head=f"<style>{HEAT_STYLE}{STYLE}</style>{renew}", script=SCRIPT)
