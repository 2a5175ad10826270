"""Cost of boosting on a window by rows, members and the window, and the speed bars of the paper.

    python -m benchmarks.boosting_scaling

Processor time, one thread, least of several repeats. A cost in proportion has the exponent 1.
"""

import time

import numpy as np

from thalweg.learners import AdaBoostWindow, FastLightBoost, IBoost, NaiveBayes, OnlineCoordinateBoost
from thalweg.streams import LED, SEA, RandomRBF

ROWS = (5000, 10_000, 20_000, 40_000)
MEMBERS = (50, 100, 200, 400, 800)
WINDOWS = (100, 200, 400, 800, 1600)
METHODS = {
    "IBoost stochastic": lambda **size: IBoost(cap=None, **size),
    "IBoost batch": lambda **size: IBoost(update="batch", cap=None, **size),
    "AdaBoostWindow": AdaBoostWindow,
    "OnlineCoordinateBoost": OnlineCoordinateBoost,
}
PAPER = {"IBoost stochastic": 372, "IBoost batch": 898, "AdaBoostWindow": 913}


def seconds(learner, X, y, repeats=3):
    """Return the least processor time that a learner takes for these rows after the first 2000 of them."""
    least = np.inf
    for _ in range(repeats):
        learner.begin(X.shape[1], [0, 1]).test_then_train(X[:2000], y[:2000])
        start = time.process_time()
        learner.test_then_train(X[2000:], y[2000:])
        least = min(least, time.process_time() - start)
    return least


def slope(x, y):
    """Return the exponent of the power of x that y follows best."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def scaling():
    """Yield a line of the exponents for each method."""
    yield "| | rows | members | window |"
    yield "|---|---:|---:|---:|"
    X, y = next(SEA(42_000, noise=0, seed=1).blocks(42_000))
    for name, make in METHODS.items():
        found = [
            slope(ROWS, [seconds(make(), X[: n + 2000], y[: n + 2000]) for n in ROWS]),
            slope(MEMBERS, [seconds(make(n_members=m), X[:6000], y[:6000]) for m in MEMBERS]),
            slope(WINDOWS, [seconds(make(window=n), X[:6000], y[:6000]) for n in WINDOWS]),
        ]
        yield f"| {name} | " + " | ".join(f"{value:.2f}" for value in found) + " |"


def bars():
    """Yield a line for each speed bar: 50,000 rows of SEA with M = n = 200, a million of RBF and of LED."""
    X, y = next(SEA(noise=0, seed=1).blocks(50_000))
    for name, paper in PAPER.items():
        start = time.process_time()
        METHODS[name]().begin(3, [0, 1]).test_then_train(X, y)
        taken = time.process_time() - start
        yield f"SEA, {name}: {taken:.2f} s, {paper / taken:.0f} times faster than the paper's {paper} s"
    learners = {
        "IBoost": IBoost(NaiveBayes(), n_members=20, period=10, n_updates=1, cap=None),
        "IBoost, cap auto": IBoost(NaiveBayes(), n_members=20, period=10, n_updates=1, cap="auto"),
        "IBoost, stumps": IBoost(n_members=20, period=10, n_updates=1, cap=None),
        "FastLightBoost": FastLightBoost(NaiveBayes(), 20, chunk_size=200),
    }
    for stream in (RandomRBF(n_rows=10**6, seed=1), LED(n_rows=10**6, seed=1, binary=True)):
        X, y = next(stream.blocks(10**6))
        for name, learner in learners.items():
            start = time.process_time()
            learner.begin(X.shape[1], [0, 1]).test_then_train(X, y)
            yield f"{type(stream).__name__}, a million rows, {name}: {time.process_time() - start:.1f} s"


if __name__ == "__main__":
    for line in (*scaling(), *bars()):
        print(line, flush=True)
