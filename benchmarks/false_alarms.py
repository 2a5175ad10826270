"""How often monitors raise an alarm on streams that do not change, beside the rate they state.

Columns are normal, skewed, rounded, heavily tied, flags, categories (few; many, mostly rare) and constant but for a
few rows, a third of them with missing values; labels are watched in the last settings. `python -m
benchmarks.false_alarms` prints a table for docs/drift.md.
"""

import sys
import warnings

import numpy as np

from thalweg import drift
from thalweg.streams import datasets

SETTINGS = (  # reference, window, windows, inputs, labels
    (2000, 1000, 10, 20, 0),
    (1000, 100, 40, 20, 0),
    (100, 50, 40, 20, 0),
    (400, 4000, 5, 20, 0),
    (2000, 500, 10, 200, 0),
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


def streams_with_alarms(kind, setting, n_streams, seed=0):
    """Return how many of the streams get an alarm."""
    reference, window, n_windows, n_inputs, n_labels = setting
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(n_streams):
        X, categorical = columns(rng, reference + n_windows * window, n_inputs)
        y = rng.integers(n_labels, size=len(X)) if n_labels else None
        found += bool(kind(reference=reference, window=window, categorical=categorical).update(X, y))
    return found


def shuffled(kind, name, n_streams, data, labels):
    """Return how many shuffles of a dataset's rows get an alarm."""
    stream = datasets.load(name, data)
    X, codes = next(stream.coded_blocks(10**6))
    categorical = np.flatnonzero(stream.n_categories).tolist()
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(n_streams):
        order = rng.permutation(len(X))
        monitor = kind(categorical=categorical).begin(X.shape[1], np.arange(codes.max() + 1) if labels else None)
        found += bool((monitor.update_coded(X[order], codes[order]).p_values <= 0.05).any())
    return found


def main(n_streams=1000, data=None):
    warnings.simplefilter("error")
    kinds = [drift.monitor_registry.load(name) for name in drift.monitor_registry]
    print("| stream |", " | ".join(kind.__name__ for kind in kinds), "|\n|---|" + "---:|" * len(kinds))
    for setting in SETTINGS:
        found = [streams_with_alarms(kind, setting, n_streams) for kind in kinds]
        reference, window, n_windows, n_inputs, n_labels = setting
        words = f"{n_inputs} inputs, {reference} + {n_windows} × {window} rows, {n_labels or 'no'} labels"
        print(f"| {words} |", " | ".join(f"{100 * n / n_streams:.1f} %" for n in found), "|", flush=True)
    for name in ("elec2", "weather", "insects_gradual") if data else ():
        for labels in (False, True):
            found = [shuffled(kind, name, n_streams // 5, data, labels) for kind in kinds]
            words = f"{name}, shuffled{' with labels' if labels else ''}, {n_streams // 5} times"
            print(f"| {words} |", " | ".join(f"{100 * n / (n_streams // 5):.1f} %" for n in found), "|", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, *sys.argv[2:3])
