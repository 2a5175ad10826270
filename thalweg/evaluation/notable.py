"""What one should not overlook in a run: sorted rows, classes never answered rightly, a fall of accuracy."""

from typing import Any, NamedTuple

import numpy as np

from thalweg.errors import first_of
from thalweg.evaluation.curves import is_grouped
from thalweg.evaluation.formatting import percentage
from thalweg.evaluation.run import Run
from thalweg.evaluation.stretches import ACCURACY, about_sorted
from thalweg.evaluation.tally import ANSWERERS, LEARNER
from thalweg.streams.columns.new_labels import new_label_text
from thalweg.trust.performance_alarm import PerformanceAlarm

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


class Alarm(NamedTuple):
    """A fall of accuracy that is not chance: since when, found at which row, and how sure that is."""

    since: int
    found_at: int
    reference: float
    accuracy: float
    drop: float
    p_value: float
    false_alarms: float


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
    row = run.rows_until(tally.ends[middle[k] - 1 :][:1])
    return Fall(int(row[0]), float(before[k]), float(after[k]))


def alarm_of_accuracy(run: Run) -> Alarm | None:
    """Return since when accuracy is surely more than 5 points below that of the first 2,000 scored rows.

    None if it is not, or if the run does not keep its rows. See `thalweg.trust.PerformanceAlarm`.
    """
    if not run.keeps_rows or is_grouped(run):
        return None
    alarm = PerformanceAlarm()
    scored = np.flatnonzero(run.codes >= 0)
    alarm.update(run.codes[scored] == run.predicted[scored])
    since, at = alarm.fallen_since_, alarm.alarm_row_
    if since is None or at is None or alarm.reference_ is None or alarm.accuracy_since_ is None:
        return None
    rows = scored if run.row_numbers is None else run.row_numbers[scored]
    found = (int(rows[since]), int(rows[at - 1]), alarm.reference_, alarm.accuracy_since_)
    return Alarm(*found, alarm.drop, alarm.p_value_, alarm.false_alarms)


def new_labels(run: Run) -> list[str]:
    """Return in words which labels were new after many rows, if there are few: they may be mistyped."""
    late, labels = run.stretches.late, run.classes.tolist()
    if len(late) > MOST_NAMED:
        return []
    first = run.stretches.first
    return [
        new_label_text(labels[code], n, [labels[k] for k in np.flatnonzero(first < n)])
        for code, n in late
    ]


def in_words(run: Run) -> list[str]:
    """Return sentences about all this."""
    said = []
    for words in (about_sorted(ACCURACY) if run.stretches.are_sorted else "", run.learned_before):
        said += [_sentence(words)] if words else []
    said += [_sentence(words) for words in new_labels(run)]
    missed = missed_classes(run)
    if missed:
        classes = first_of([f"{each.label} ({each.n_rows:,} rows)" for each in missed], MOST_NAMED)
        said.append(f"Never answered rightly: {'class' if len(missed) == 1 else 'classes'} {classes}.")
    fall = fall_of_accuracy(run)
    if fall is not None:
        shares = f"from {percentage(fall.before)} before to {percentage(fall.after)} after"
        said.append(f"Accuracy falls at about row {fall.row:,}: {shares}.")
    alarm = alarm_of_accuracy(run)
    if alarm is not None:
        shares = f"{percentage(alarm.reference)} at first, then {percentage(alarm.accuracy)}"
        chance = f"chance of a false alarm at most {percentage(alarm.false_alarms, 'g')}"
        points = f"more than {100 * alarm.drop:g} points"
        said.append(f"Accuracy has fallen by {points} since about row {alarm.since:,} ({shares}; {chance}).")
    return said


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}{'' if words.endswith('?') else '.'}"


def plain(run: Run) -> dict[str, Any]:
    """Return the same as plain data, for JSON."""
    fall, alarm = fall_of_accuracy(run), alarm_of_accuracy(run)
    missed = {str(each.label): each.n_rows for each in missed_classes(run)}
    return {
        "sorted_by_label": run.stretches.are_sorted,
        "learned_before": run.learned_before,
        "new_labels": {str(run.classes[code]): n for code, n in run.stretches.late},
        "classes_never_right": missed,
        "fall_of_accuracy": None if fall is None else fall._asdict(),
        "alarm_of_accuracy": None if alarm is None else alarm._asdict(),
    }
