"""The streams of the table of expected accuracies: made ones, and the first rows of real ones."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from golden.mixed_rows import N_CATEGORIES, mixed_rows
from support.places import DATA

from thalweg.streams import LED, SEA, Hyperplane, RandomRBF, datasets


@dataclass
class Rows:
    """A stream's rows in memory; `weights` is None where each row weighs 1."""

    X: np.ndarray
    codes: np.ndarray
    n_classes: int
    n_categories: np.ndarray
    weights: np.ndarray | None = None


def first_rows(stream, n_rows):
    """Return the first rows of a stream."""
    X, codes = next(stream.coded_blocks(n_rows))
    return Rows(X, codes, len(stream.classes), stream.n_categories)


def weighted_sea():
    """Return rows of SEA of which a fifth each weighs 0, 0.5, 1, 2 and 3."""
    rows = first_rows(SEA(5000, period=1250, seed=2), 5000)
    rows.weights = np.random.default_rng(2).choice([0.0, 0.5, 1.0, 2.0, 3.0], 5000)
    return rows


def mixed_with_gaps():
    """Return numbers and categories, a tenth of them missing, three classes and one abrupt change."""
    X, codes = mixed_rows(5000, seed=3)
    X[np.random.default_rng(3).random(X.shape) < 0.1] = np.nan
    return Rows(X, codes, 3, N_CATEGORIES)


MADE = {
    "sea": lambda: first_rows(SEA(5000, period=1250, seed=1), 5000),
    "sea, weighted": weighted_sea,
    "rbf": lambda: first_rows(RandomRBF(5000, n_classes=5, n_centroids=15, speed=0.001, seed=1), 5000),
    "led": lambda: first_rows(LED(3000, period=1500, seed=1), 3000),
    "hyperplane": lambda: first_rows(Hyperplane(5000, rotating=True, n_drifting=5, seed=1), 5000),
    "mixed, with gaps": mixed_with_gaps,
}
REAL = {
    "elec2": 10_000,
    "elec2_raw": 5000,
    "usenet1": 1500,
    "weather": 5000,
    "covertype": 2000,
    "luxembourg": 1901,
    "keystroke": 1600,
    "powersupply": 3000,
    "insects_gradual": 2500,
    "gmsc": 5000,
    "santa_fe": 5000,
}  # not email_list: 913 inputs take minutes
STREAMS = [*MADE, *REAL]


@cache
def load(name):
    """Return the rows of a stream."""
    return MADE[name]() if name in MADE else first_rows(datasets.load(name, folder()), REAL[name])


def is_there(name):
    """Return whether a stream is made, or is a file in `folder()`."""
    return name in MADE or any((folder() / file).is_file() for file in datasets.FILES[name][0])


def folder():
    """Return the folder of the real streams: THALWEG_DATA, else ../shared/data beside the checkout."""
    return Path(os.environ.get("THALWEG_DATA") or DATA)
