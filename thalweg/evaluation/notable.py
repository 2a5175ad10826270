"""What one should not overlook in a run: classes that were never answered rightly, and a fall of accuracy."""

from typing import Any, NamedTuple

import numpy as np

from thalweg.errors import first_of
from thalweg.evaluation.curves import is_grouped
from thalweg.evaluation.formatting import percentage
from thalweg.evaluation.run import Run
from thalweg.evaluation.tally import ANSWERERS, LEARNER

FEWEST_ROWS = 10  # of a class that was never answered rightly
LEAST_FALL, ERRORS, SPREADS = 0.05, 6.0, 5.0  # of accuracy; in standard errors; in usual ups and downs
LEAST_PARTS, SIDE = 40, 20  # parts of a run; a twentieth of them is compared on either side
MOST_NAMED = 5


class Missed(NamedTuple):
    """A class none of whose rows was answered rightly, and their number."""

    label: Any
    n_rows: int


class Fall(NamedTuple):
    """The largest fall of accuracy: the row, and the accuracies just before and after it."""

    row: int
    before: float
    after: float


def missed_classes(run: Run) -> list[Missed]:
    """Return the classes of at least 10 rows of which none was answered rightly, the most frequent first."""
    counts = run.confusion()
    totals, right = counts.sum(axis=1), np.diag(counts)
    order = np.argsort(-totals, kind="stable")
    labels = run.classes.tolist()
    return [Missed(labels[k], int(totals[k])) for k in order if totals[k] >= FEWEST_ROWS and not right[k]]


def fall_of_accuracy(run: Run) -> Fall | None:
    """Return where accuracy falls most, if that is visible: by 5 points, and far more than it usually varies.

    A twentieth of the run before each of its 128 to 256 parts is compared with a twentieth after it.
    """
    tally = run.tally
    n_parts = tally.n_parts
    side = n_parts // SIDE
    if n_parts < LEAST_PARTS or is_grouped(run):
        return None
    right, scored = (
        np.append(0, np.cumsum(counts))
        for counts in (
            tally.right[:n_parts, ANSWERERS.index(LEARNER)],
            tally.class_counts[:n_parts].sum(axis=1),
        )
    )
    middle = np.arange(side, n_parts - side + 1)
    n_before, n_after = scored[middle] - scored[middle - side], scored[middle + side] - scored[middle]
    if min(n_before.min(), n_after.min()) < FEWEST_ROWS:
        return None
    before = (right[middle] - right[middle - side]) / n_before
    after = (right[middle + side] - right[middle]) / n_after
    change = after - before
    k = int(change.argmin())
    share = (before[k] + after[k]) / 2
    error = np.sqrt(share * (1 - share) * (1 / n_before[k] + 1 / n_after[k]))
    spread = 1.4826 * np.median(np.abs(change - np.median(change)))
    if -change[k] < max(LEAST_FALL, ERRORS * error, SPREADS * spread):
        return None
    return Fall(int(tally.ends[middle[k] - 1]), float(before[k]), float(after[k]))


def in_words(run: Run) -> list[str]:
    """Return sentences about all this."""
    said = []
    missed = missed_classes(run)
    if missed:
        classes = first_of([f"{each.label} ({each.n_rows:,} rows)" for each in missed], MOST_NAMED)
        said.append(f"Never answered rightly: {'class' if len(missed) == 1 else 'classes'} {classes}.")
    fall = fall_of_accuracy(run)
    if fall is not None:
        shares = f"from {percentage(fall.before)} before to {percentage(fall.after)} after"
        said.append(f"Accuracy falls at about row {fall.row:,}: {shares}.")
    return said


def plain(run: Run) -> dict[str, Any]:
    """Return the same as plain data, for JSON."""
    fall = fall_of_accuracy(run)
    missed = {str(each.label): each.n_rows for each in missed_classes(run)}
    return {"classes_never_right": missed, "fall_of_accuracy": None if fall is None else fall._asdict()}
