"""Label errors as a person reads them: with their cells, their labels, and in words."""

from collections import Counter
from typing import Any

from thalweg.evaluation.formatting import percentage, without_label
from thalweg.evaluation.wrong_labels.find import LabelErrors
from thalweg.evaluation.wrong_labels.row_cells import as_text
from thalweg.evaluation.wrong_labels.share import LEAST_RIGHT, LEAST_SURE
from thalweg.streams.base import Stream
from thalweg.streams.files.row_numbers import numbers_in_file

ASSUMPTION = (
    "Wrong labels are counted where the models are surest, overall and for each believed label. That holds "
    "if every class has rows that are easy to tell, and labels are wrong by chance."
)


class Lines:
    """The rows of a stream that look wrong, the likeliest first.

    Parameters
    ----------
    found : LabelErrors
        How likely each label is.
    stream : Stream
        Where the rows come from.
    top : int, optional
        How many rows to list; by default as many as are estimated to be wrong.

    Attributes
    ----------
    rows : list of int
        The rows of the stream, from 0.
    numbers : dict
        For each of them its number in the file, from 1: rows that were skipped count.
    names : list of str
        Names of the cells of a row: first the columns that are kept, then the others of the file.
    n_kept : int
        How many of these are kept.
    n_skipped : int
        Rows of the file that could not be read and are left out.
    columns : ColumnReport or None
        What the columns of a file were taken for.
    """

    def __init__(self, found: LabelErrors, stream: Stream, top: int | None = None) -> None:
        self.label_errors = found
        self.rows: list[int] = found.rows[: found.n_listed if top is None else top].tolist()
        self.names = found.cells.names
        self.columns = stream.columns
        numbers = numbers_in_file(self.rows, stream.skipped_rows, stream.file_order)
        self.numbers = dict(zip(self.rows, numbers.tolist(), strict=True))
        self._cells = dict(zip(self.rows, found.cells.of(self.rows), strict=True))
        self.n_skipped = stream.skipped
        self.n_kept = len(stream.kept)
        self._believed = found.believed

    @property
    def shown_names(self) -> list[str]:
        """Names of the cells; not the target, which is the label, unless it is kept."""
        target = None if self.columns is None else self.columns.target
        return [name for j, name in enumerate(self.names) if name != target or j < self.n_kept]

    def label(self, i: int) -> str:
        """Return the label of row i as text."""
        return str(self.label_errors.classes[self.label_errors.codes[i]])

    def believed(self, i: int) -> str:
        """Return the label that is believed instead."""
        return str(self._believed[i])

    def cells(self, i: int) -> dict[str, Any]:
        """Return the cells of row i by their names; None where one is missing."""
        return dict(zip(self.names, self._cells[i], strict=True))

    def texts(self, i: int) -> list[str]:
        """Return the cells of row i that `shown_names` names, as text."""
        cells = self.cells(i)
        return [as_text(cells[name]) for name in self.shown_names]

    @property
    def counted(self) -> str:
        """How many rows were read, and how many were left out, in words."""
        skipped = f" ({self.n_skipped:,} that could not be read left out)" if self.n_skipped else ""
        return f"{len(self.label_errors.codes):,} rows{skipped}"

    def confusions(self) -> list[tuple[str, str, int]]:
        """Return (label, believed, rows), the most frequent first."""
        pairs = Counter((self.label(i), self.believed(i)) for i in self.rows)
        return [(label, believed, n) for (label, believed), n in pairs.most_common()]

    def to_plain(self) -> dict[str, Any]:
        """Return all there is to say, as JSON can hold it; rows are counted from 1."""
        found, estimate = self.label_errors, self.label_errors.estimate
        doubt, likelihood = found.doubt, found.likelihood
        return {
            "rows": len(found.codes),
            "labels": estimate.n_labels,
            "unlabelled": found.n_unlabelled,
            "skipped": self.n_skipped,
            "estimated_wrong": found.n_wrong,
            "share": estimate.share,
            "share_low": estimate.low,
            "share_high": estimate.high,
            "agreement": estimate.agreement,
            "seconds": found.seconds,
            "models": found.weights,
            "columns": None if self.columns is None else self.columns.to_plain(),
            "label_errors": [
                {
                    "row": self.numbers[i],
                    "doubt": float(doubt[i]),
                    "likelihood": float(likelihood[i]),
                    "label": self.label(i),
                    "believed": self.believed(i),
                    "cells": {name: _as_json(cell) for name, cell in self.cells(i).items()},
                }
                for i in self.rows
            ],
        }


def headline(found: LabelErrors) -> str:
    """Return in one sentence how many labels are wrong."""
    estimate = found.estimate
    n, low, high = estimate.n_labels, percentage(estimate.low, ".1f"), percentage(estimate.high, ".1f")
    others = f" {without_label(found.n_unlabelled)}, not judged." if found.n_unlabelled else ""
    if estimate.share is None:
        return f"Between {low} and {high} of {n:,} labels are wrong: {_why_not(found)}.{others}"
    many = f"About {found.n_wrong:,} of {n:,} labels" if found.n_wrong else f"None of {n:,} labels"
    look = "look" if (found.n_wrong or 0) > 1 else "looks"
    share = percentage(estimate.share, ".1f")
    return f"{many} {look} wrong: {share} (95 % interval {low} to {high}).{others}"


def _why_not(found: LabelErrors) -> str:
    """Return in words why there is no estimate but a range."""
    estimate = found.estimate
    if estimate.n_labels < LEAST_SURE:
        return f"with fewer than {LEAST_SURE} labels there is too little to learn from"
    if estimate.agreement < LEAST_RIGHT:
        return (
            f"the learners are right on {percentage(estimate.agreement, '.1f')} of the rows only, so wrong "
            "labels and hard rows cannot be told apart"
        )
    return "wrong labels and hard rows cannot be told apart better than that"


def _as_json(cell: Any) -> Any:
    return cell if cell is None or isinstance(cell, str | int | float) else str(cell)
