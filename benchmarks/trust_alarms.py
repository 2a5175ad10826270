"""How soon alarms come after a change, and how often without one: of inputs, and of performance.

`python -m benchmarks.trust_alarms inputs 100` prints how many streams of 60,000 rows × 20 normal inputs get
an alarm from monitors with single windows and with longer ones; input 7 moves in the last 20,000 rows.
`python -m benchmarks.trust_alarms still 300` does so for shorter streams of all kinds without change.
`python -m benchmarks.trust_alarms performance 1000` prints the same for streams of right and wrong answers,
with detectors beside the alarm. All print the tables of docs/trust_alarms.md.
"""

import sys
from statistics import median

import numpy as np

from benchmarks.false_alarms import columns
from thalweg.drift import (
    ADWIN,
    DDM,
    HellingerMonitor,
    KolmogorovSmirnovMonitor,
    PageHinkley,
    StabilityMonitor,
)
from thalweg.trust import PerformanceAlarm

SHIFTS = (0.0, 0.05, 0.08, 0.12, 0.2)  # standard deviations
N_ROWS, N_INPUTS, CHANGE, MOVED = 60_000, 20, 40_000, 7
STILL = ((2000, 1000, 30, 20, 0), (1000, 100, 60, 20, 0), (100, 50, 80, 8, 0), (1000, 200, 40, 8, 3))
STILL_RATE = 0.05
ANSWERS, FALL_AT = 20_000, 10_000  # rows of answers; the fall, if there is one
FALLS = (0.05, 0.1, 0.2)


def inputs(n_streams):
    """Print which share of streams with a small shift of one input get alarms, and how soon."""
    print("| shift | monitor | windows | found | rows until found, median | scales | other alarms |")
    print("|---|---|---|---:|---:|---|---:|")
    kinds = [(kind, longest) for kind in (HellingerMonitor, KolmogorovSmirnovMonitor) for longest in (1, 64)]
    for shift in SHIFTS:
        found = {each: [] for each in kinds}
        others = dict.fromkeys(kinds, 0)
        for seed in range(n_streams):
            X = np.random.default_rng([seed, int(1000 * shift)]).normal(size=(N_ROWS, N_INPUTS))
            X[CHANGE:, MOVED] += shift
            for kind, longest in kinds:
                changes = kind(longest=longest).update(X)
                right = [each for each in changes if each.watched.position == MOVED and each.stop > CHANGE]
                others[kind, longest] += len({each.watched for each in changes}) > bool(right)
                found[kind, longest] += [(right[0].stop - CHANGE, right[0].scale)] if right and shift else []
        for (kind, longest), rows in found.items():
            delay = f"{median(row for row, _ in rows):,.0f}" if rows else "–"
            scales = ", ".join(map(str, sorted({scale for _, scale in rows}))) or "–"
            words = f"{kind.__name__} | {'single' if longest == 1 else 'up to 64 together'}"
            print(f"| {shift} | {words} | {len(rows) / n_streams:.0%} | {delay} | {scales} "
                  f"| {others[kind, longest] / n_streams:.1%} |", flush=True)


def still(n_streams):
    """Print which share of streams without change get an alarm at a stated rate of 5 %."""
    kinds = (HellingerMonitor, KolmogorovSmirnovMonitor, StabilityMonitor)
    print("| stream |", " | ".join(kind.__name__ for kind in kinds), "|\n|---|" + "---:|" * len(kinds))
    for reference, window, n_windows, n_inputs, n_labels in STILL:
        rng = np.random.default_rng(n_windows)
        found = np.zeros(len(kinds))
        for _ in range(n_streams):
            X, categorical = columns(rng, reference + n_windows * window, n_inputs)
            y = rng.integers(n_labels, size=len(X)) if n_labels else None
            settings = {"reference": reference, "window": window, "categorical": categorical}
            found += [bool(kind(**settings, false_alarms=STILL_RATE).update(X, y)) for kind in kinds]
        words = f"{n_inputs} inputs, {reference} + {n_windows} × {window} rows, {n_labels or 'no'} labels"
        print(f"| {words} |", " | ".join(f"{n / n_streams:.1%}" for n in found), "|", flush=True)


def answers(seed, accuracy, fall, n_rows=ANSWERS):
    """Return right and wrong answers whose accuracy falls half-way."""
    chance = np.where(np.arange(n_rows) < FALL_AT, accuracy, accuracy - fall)
    return np.random.default_rng(seed).random(n_rows) < chance


def performance(n_streams):
    """Print how often and how soon a fall of accuracy gives an alarm, beside detectors on these streams."""
    print("| accuracy | fall | alarm | before the fall | found after it | rows until found, median |")
    print("|---|---|---|---:|---:|---:|")
    for accuracy, fall, n in ((0.9, 0, 1), (0.85, 0, 1), *((0.9, fall, 5) for fall in FALLS)):
        kinds = {
            "PerformanceAlarm, drop 5, reference 90 % known": lambda: PerformanceAlarm(reference=0.9),
            "PerformanceAlarm, drop 2, reference 90 % known": lambda: PerformanceAlarm(0.02, reference=0.9),
            "PerformanceAlarm, drop 5, first 2,000 rows": lambda: PerformanceAlarm(),
            "PerformanceAlarm, drop 2, first 5,000 rows": lambda: PerformanceAlarm(0.02, reference_rows=5000),
            "ADWIN": ADWIN, "DDM": DDM, "PageHinkley": PageHinkley,
        }
        if accuracy != 0.9:  # it never fell: only an alarm with drop 5 and 90 % is at its limit
            kinds = dict(list(kinds.items())[:1])
        alarms = {name: [first_alarms(make(), answers([seed, int(100 * fall)], accuracy, fall))
                         for seed in range(n_streams // n)] for name, make in kinds.items()}
        for name, found in alarms.items():
            early = sum(before for before, _ in found) / len(found)
            delays = [after for _, after in found if after is not None]
            delay = f"{median(delays):,.0f}" if delays and fall else "–"
            late = len(delays) / len(found)
            print(f"| {accuracy} | {fall} | {name} | {early:.1%} | {late:.1%} | {delay} |", flush=True)


def first_alarms(alarm, right):
    """Return whether there is an alarm before the fall, and how many rows after it the first one comes."""
    if isinstance(alarm, PerformanceAlarm):
        row = alarm.alarm_row_ if alarm.update(right) else None
        if row is not None and row <= FALL_AT:
            return True, None
        return False, None if row is None else row - FALL_AT
    rows = alarm.update_many((~right).astype(float)) + 1
    after = rows[rows > FALL_AT]
    return bool((rows <= FALL_AT).any()), int(after[0]) - FALL_AT if len(after) else None


if __name__ == "__main__":
    globals()[sys.argv[1]](int(sys.argv[2]))
