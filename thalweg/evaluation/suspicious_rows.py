"""Suspicious rows as a person reads them: with their values, their labels, and in words."""

from collections import Counter
from typing import Any

from thalweg.evaluation.figures import without_label
from thalweg.evaluation.suspicions import LEAST_SURE, Suspicions
from thalweg.evaluation.watching import category_names
from thalweg.streams.base import Stream


class Lines:
    """The rows of a stream that look wrong, the most suspicious first.

    Parameters
    ----------
    found : Suspicions
        What was found.
    stream : Stream
        Where the rows come from; it knows the names of inputs and categories.
    top : int, optional
        How many rows to list; by default as many as are estimated to be wrong.

    Attributes
    ----------
    columns : FoundColumns or None
        What the columns of a file were taken for.
    """

    def __init__(self, found: Suspicions, stream: Stream, top: int | None = None) -> None:
        self.found, self.stream = found, stream
        self.rows = found.rows[: found.n_wrong if top is None else top].tolist()
        self.names = [str(name) for name in stream.names]
        self.columns = getattr(stream, "columns", None)
        self._believed = found.believed

    def label(self, i: int) -> str:
        """Return the label of row i as text."""
        return str(self.found.classes[self.found.codes[i]])

    def believed(self, i: int) -> str:
        """Return the label that is believed instead."""
        return str(self._believed[i])

    def values(self, i: int) -> list[str]:
        """Return the inputs of row i as text, categories by their names, nothing where one is missing."""
        return [self._value(j, x) for j, x in enumerate(self.found.X[i].tolist())]

    def _value(self, j: int, x: float) -> str:
        if x != x:
            return ""
        if self.stream.n_categories[j]:
            names = category_names(self.stream, j)
            return names[int(x)] if x < len(names) else f"{x:g}"
        return f"{x:.10g}"

    def confusions(self) -> list[tuple[str, str, int]]:
        """Return (label, believed, how many rows), the most frequent first."""
        pairs = Counter((self.label(i), self.believed(i)) for i in self.rows)
        return [(label, believed, n) for (label, believed), n in pairs.most_common()]

    def to_plain(self) -> dict[str, Any]:
        """Return all there is to say, as JSON can hold it; rows are counted from 1."""
        found, (share, low, high) = self.found, self.found.estimate
        doubt, likelihood = found.doubt, found.likelihood
        return {
            "rows": len(found.codes),
            "labels": int((found.codes >= 0).sum()),
            "unlabelled": found.n_unlabelled,
            "estimated_wrong": found.n_wrong,
            "estimated_share": share,
            "interval": [low, high],
            "seconds": found.seconds,
            "opinions": found.weights,
            "columns": None if self.columns is None else self.columns.to_plain(),
            "suspicious": [
                {
                    "row": i + 1,
                    "doubt": float(doubt[i]),
                    "likelihood": float(likelihood[i]),
                    "label": self.label(i),
                    "believed": self.believed(i),
                    "inputs": dict(zip(self.names, self.values(i), strict=True)),
                }
                for i in self.rows
            ],
        }


def headline(found: Suspicions) -> str:
    """Return in one sentence how many labels are wrong."""
    n, (share, low, high) = int((found.codes >= 0).sum()), found.estimate
    many = f"About {found.n_wrong:,} of {n:,} labels" if found.n_wrong else f"None of {n:,} labels"
    look = "look" if found.n_wrong > 1 else "looks"
    others = f" {without_label(found.n_unlabelled)}, not judged." if found.n_unlabelled else ""
    return f"{many} {look} wrong: {percent(share)} (95 % interval {percent(low)} to {percent(high)}).{others}"


def reliability(found: Suspicions) -> str:
    """Return in words how far the estimate can be trusted."""
    if (found.codes >= 0).sum() < LEAST_SURE:
        return (
            f"With fewer than {LEAST_SURE} labels there is little to learn from: the estimate is how often "
            "the label differs from what is believed in any row, and is likely too high."
        )
    return (
        "The estimate is how often the label differs where the opinions are surest. It is too high where "
        "even the surest rows are a matter of chance, and wrong if labels are more often wrong elsewhere."
    )


def percent(share: float) -> str:
    """Return a share as text."""
    return f"{100 * share:.1f} %"
