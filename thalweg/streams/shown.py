"""Streams as they are shown in a terminal and in a notebook."""

from typing import TYPE_CHECKING

from thalweg._escaping import in_html
from thalweg.errors import first_of

if TYPE_CHECKING:
    from thalweg.streams.base import Stream

MOST_NAMES, MOST_CLASSES = 8, 6


def facts(stream: "Stream") -> dict[str, str]:
    """Return the number of rows, the inputs, classes and drifts of a stream as texts, where known."""
    found = {}
    if stream.n_rows is not None:
        found["rows"] = f"{stream.n_rows:,}"
    if hasattr(stream, "n_features"):  # your own stream is shown before they are set too
        found["inputs"] = first_of(stream.names, MOST_NAMES)
    if hasattr(stream, "classes") and len(stream.classes):
        found["classes"] = first_of(stream.classes, MOST_CLASSES) + (", or others" if stream.is_open else "")
    if len(stream.drifts):
        found["drifts"] = f"rows {first_of([f'{row:,}' for row in stream.drifts], MOST_NAMES)}"
    return found


def as_text(stream: "Stream", name: str) -> str:
    """Return a stream in one line."""
    known = facts(stream)
    parts = [f"{known['rows']} rows"] if "rows" in known else []
    if "inputs" in known:
        parts.append(f"{stream.n_features:,} input{'s' if stream.n_features != 1 else ''}")
    parts += [f"classes {known['classes']}"] if "classes" in known else []
    parts += [f"drifts at {known['drifts']}"] if "drifts" in known else []
    return f"<{name}: {', '.join(parts)}>" if parts else f"<{name}>"


def as_html(stream: "Stream", name: str) -> str:
    """Return the HTML of a stream: its name and a table of what is known of it."""
    known = facts(stream)
    if stream.columns is not None:
        known.pop("inputs", None)
        known |= dict(stream.columns.in_words())
    cells = [(in_html(key), in_html(value)) for key, value in known.items()]
    rows = "".join(f"<tr><th>{key}</th><td>{value}</td></tr>" for key, value in cells)
    return f"<p><b>{in_html(name)}</b></p><table>{rows}</table>"
