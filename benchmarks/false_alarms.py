"""How often monitors raise an alarm on streams that do not change, beside the rate they state.

Columns are normal, skewed, rounded, heavily tied, flags, categories (few; many, mostly rare) and constant but
for a few rows, a third of them with missing values; labels are watched in the last setting.
`python -m benchmarks.false_alarms 1000 FOLDER` prints the table of docs/drift.md.
"""

import sys
import warnings

import numpy as np

from thalweg import drift
from thalweg.streams import datasets

RATE = 0.05
SETTINGS = (  # reference, window, windows, inputs, labels
    (2000, 1000, 10, 20, 0),
    (1000, 100, 40, 20, 0),
    (100, 50, 40, 20, 0),
    (400, 4000, 5, 20, 0),
    (1000, 200, 5, 200, 0),
    (2000, 1000, 10, 8, 3),
)


def columns(rng, n_rows, n_inputs):
    """Return rows of mixed inputs, and the positions of the categorical ones."""
    rare = 1 / np.arange(1, 2001)
    kinds = [
        lambda: rng.normal(size=n_rows),
        lambda: rng.lognormal(sigma=2, size=n_rows),
        lambda: rng.normal(scale=2, size=n_rows).round(),
        lambda: np.maximum(rng.normal(size=n_rows), 0.3),
        lambda: rng.random(n_rows) < 0.1,
        lambda: rng.choice(5, n_rows, p=[0.5, 0.3, 0.15, 0.04, 0.01]),
        lambda: rng.choice(2000, n_rows, p=rare / rare.sum()),
        lambda: rng.random(n_rows) < 0.002,
    ]
    X = np.column_stack([kinds[j % len(kinds)]() for j in range(n_inputs)]).astype(float)
    X[:, ::3][rng.random(X[:, ::3].shape) < rng.choice([0.3, 0.01])] = np.nan
    return X, [j for j in range(n_inputs) if j % len(kinds) in (4, 5, 6)]


def streams_with_alarms(kinds, setting, n_streams, seed=0):
    """Return how many of the streams get an alarm from each kind of monitor."""
    reference, window, n_windows, n_inputs, n_labels = setting
    rng = np.random.default_rng(seed)
    found = np.zeros(len(kinds))
    for _ in range(n_streams):
        X, categorical = columns(rng, reference + n_windows * window, n_inputs)
        y = rng.integers(n_labels, size=len(X)) if n_labels else None
        monitors = [kind(reference=reference, window=window, categorical=categorical, false_alarms=RATE)
                    for kind in kinds]
        found += [bool(monitor.update(X, y)) for monitor in monitors]
    return found


def shuffled(kinds, name, n_streams, data, labels):
    """Return how many shuffles of a dataset's rows get an alarm from each kind of monitor."""
    stream = datasets.load(name, data)
    X, codes = next(stream.coded_blocks(10**6))
    monitors = [kind(categorical=np.flatnonzero(stream.n_categories).tolist(), false_alarms=RATE)
                for kind in kinds]
    rng = np.random.default_rng(1)
    found = np.zeros(len(kinds))
    for _ in range(n_streams):
        order = rng.permutation(len(X))
        for k, monitor in enumerate(monitors):
            monitor.begin(X.shape[1], stream.classes if labels else None)
            found[k] += (monitor.update_coded(X[order], codes[order]).p_values <= RATE).any()
    return found


def main(n_streams=1000, data=None):
    warnings.simplefilter("error")
    kinds = [drift.monitor_registry.load(name) for name in drift.monitor_registry]
    print("| stream |", " | ".join(kind.__name__ for kind in kinds), "|\n|---|" + "---:|" * len(kinds))
    for name in ("elec2", "weather", "insects_gradual") if data else ():
        for labels in (False, True):
            found = shuffled(kinds, name, n_streams // 5, data, labels)
            words = f"{name}, shuffled {n_streams // 5} times{', with labels' if labels else ''}"
            show(words, found, n_streams // 5)
    for setting in SETTINGS:
        reference, window, n_windows, n_inputs, n_labels = setting
        words = f"{n_inputs} inputs, {reference} + {n_windows} × {window} rows, {n_labels or 'no'} labels"
        show(words, streams_with_alarms(kinds, setting, n_streams), n_streams)


def show(words, found, n_streams):
    print(f"| {words} |", " | ".join(f"{100 * n / n_streams:.1f} %" for n in found), "|", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, *sys.argv[2:3])
