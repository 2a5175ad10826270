"""Made-up streams on which the labels themselves tell most, or nothing tells anything.

On these a learner can easily fall behind the majority class, the last label or a chain of labels.
"""

import numpy as np


def sorted_labels(rng, n):
    """Twelve classes one after another; inputs that say nothing."""
    return rng.normal(size=(n, 3)), np.sort(rng.integers(0, 12, n))


def sorted_seen(rng, n):
    """Six classes one after another; inputs that tell the class in part."""
    y = np.sort(rng.integers(0, 6, n))
    return y[:, None] * [0.5, -0.3, 0.0] + rng.normal(size=(n, 3)), y


def one_by_one(rng, n):
    """A class more every eighth of the stream, mixed with those before; inputs tell the class in part."""
    y = (rng.random(n) * (1 + np.arange(n) * 8 // n)).astype(int)
    centres = rng.normal(size=(8, 5))
    return centres[y] + 0.7 * rng.normal(size=(n, 5)), y


def long_runs(rng, n):
    """A lamp that follows the label, and flickers more often than the label changes."""
    y = np.cumsum(rng.random(n) < 0.005) % 2
    lamp = np.where(rng.random(n) < 0.02, 1 - y, y)
    return np.column_stack([lamp + 0.1 * rng.normal(size=n), rng.normal(size=n)]), y


def lagging_lamp(rng, n):
    """Runs of about 50 rows; a lamp shows the label of two rows before."""
    y = np.cumsum(rng.random(n) < 0.02) % 2
    return np.column_stack([np.roll(y, 2) + 0.1 * rng.normal(size=n), rng.normal(size=n)]), y


def chain(rng, n):
    """Each of eight labels depends on the one before, and on nothing else."""
    table, y = rng.dirichlet(np.full(8, 0.3), size=8).cumsum(axis=1), np.zeros(n, dtype=int)
    for i in range(1, n):
        y[i] = min(int(np.searchsorted(table[y[i - 1]], rng.random())), 7)
    return rng.normal(size=(n, 3)), y


def periodic(rng, n):
    """Labels that repeat every seven rows, 2 % of them replaced."""
    y = np.array([0, 1, 1, 2, 0, 2, 2])[np.arange(n) % 7]
    return rng.normal(size=(n, 4)), np.where(rng.random(n) < 0.02, rng.integers(0, 3, n), y)


def alternating(rng, n):
    """0, 1, 0, 1, …, with a label twice now and then."""
    return rng.normal(size=(n, 3)), np.cumsum(rng.random(n) > 0.01) % 2


def biased_coin(rng, n):
    """Labels by chance, 30 % of one class."""
    return rng.normal(size=(n, 5)), (rng.random(n) < 0.3).astype(int)


def fair_coin(rng, n):
    """Labels by chance, half of each class."""
    return rng.normal(size=(n, 5)), rng.integers(0, 2, n)


def turning_coin(rng, n):
    """Labels by chance, 20 or 80 % of one class, which turns every tenth of the stream."""
    share = np.where(np.arange(n) * 10 // n % 2, 0.8, 0.2)
    return rng.normal(size=(n, 5)), (rng.random(n) < share).astype(int)


def rare_class(rng, n):
    """One row of a thousand is of the other class, by chance."""
    return rng.normal(size=(n, 5)), (rng.random(n) < 0.001).astype(int)


def rare_seen(rng, n):
    """One row of a thousand is of the other class, which an input shows in part."""
    y = (rng.random(n) < 0.001).astype(int)
    return y[:, None] * [2.0, 0.0, 0.0] + rng.normal(size=(n, 3)), y


def rare_bursts(rng, n):
    """Ten rows of the other class in a run, once in 2,000 rows or so; inputs say nothing."""
    y = (np.convolve(rng.random(n) < 0.0005, np.ones(10))[:n] > 0).astype(int)
    return rng.normal(size=(n, 3)), y


def day_and_night(rng, n):
    """The label follows a clock with 48 rows a day, which is an input, but for 10 % of the rows."""
    hour = np.arange(n) % 48
    y = (hour >= 24) ^ (rng.random(n) < 0.1)
    return np.column_stack([hour / 48 + 0.02 * rng.normal(size=n), rng.normal(size=n)]), y.astype(int)


def one_change(rng, n):
    """All labels the same for half of the stream, then all the other."""
    return rng.normal(size=(n, 3)), (np.arange(n) >= n // 2).astype(int)


KINDS = (
    sorted_labels, sorted_seen, one_by_one, long_runs, lagging_lamp, chain, periodic, alternating,
    biased_coin, fair_coin, turning_coin, rare_class, rare_seen, rare_bursts, day_and_night, one_change,
)
NAMES = {kind.__name__: kind for kind in KINDS}


def made(name, seed, n):
    """Return rows and codes of their classes."""
    X, y = NAMES[name](np.random.default_rng([seed, 41]), n)
    return np.ascontiguousarray(X), y.astype(np.intp)
