"""Which rows a model has learned, by their checksums, so that it knows the same ones when they come again."""

import datetime
from typing import Any

from thalweg.errors import StateError
from thalweg.evaluation.formatting import count
from thalweg.streams.base import Stream
from thalweg.streams.columns.codes import MOST_TEXT
from thalweg.streams.files.row_digest import RowDigest

MOST = 100  # that are kept
FEWEST = 50  # rows: fewer may well be the same by chance


class LearnedRows:
    """The latest files and frames that were learned: checksum, number of rows, name and time of each."""

    def __init__(self) -> None:
        self._known: list[dict[str, Any]] = []

    def add(self, stream: Stream, digest: RowDigest) -> str:
        """Add rows that were learned just now; return in words when they were learned before, if so."""
        if digest.n_rows < FEWEST:
            return ""
        now, name = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), stream.name[:MOST_TEXT]
        each = {"digest": digest.hexdigest(), "rows": digest.n_rows, "source": name, "when": now}
        before = [known for known in self._known if known["digest"] == each["digest"]]
        self._known = [*self._known, each][-MOST:]
        if not before:
            return ""
        earlier = before[-1]["source"]
        other = "" if earlier == name else f" as {earlier}"
        rows = f"these {count(digest.n_rows, 'row')} of {name}"
        return f"{rows} were learned before, on {before[-1]['when'][:10]}{other}"

    def state(self) -> list[dict[str, Any]]:
        """Return it as plain data."""
        return self._known

    @classmethod
    def from_state(cls, state: Any) -> "LearnedRows":
        """Return what `state` returned; an empty one for a model that was saved without."""
        made, types = cls(), {"digest": str, "rows": int, "source": str, "when": str}
        for each in state or []:
            if not isinstance(each, dict) or {name: type(value) for name, value in each.items()} != types:
                raise StateError("Model: the state has no list of rows that were learned")
            made._known.append(each)
        made._known = made._known[-MOST:]
        return made
