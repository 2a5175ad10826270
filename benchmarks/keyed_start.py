"""How new keys begin: cold, as copies of a shared model that are less sure, or mixed with it.

    python -m benchmarks.keyed_start --seeds 1 2 3

Each key follows a rule of its own: a logistic one whose coefficients are those that all keys share plus an
own part that is `own` times as large. Coefficients have length 4 in all, rows are Gaussian, with ten inputs.
The shared model learns 20,000 rows of other keys. Printed: accuracy over the first 50 and 200 rows of 200 new
keys, mean and least difference to a cold start over the seeds, in points.
"""

import argparse

import numpy as np

from thalweg.keyed import Bank
from thalweg.learners import AdaptiveLogistic, LogisticMixture, NaiveBayes

LEARNERS = {kind.__name__: kind for kind in (LogisticMixture, AdaptiveLogistic, NaiveBayes)}
CASES = {"own .3": (0.3, 0.0), "own 1": (1.0, 0.0), "own 3": (3.0, 0.0), "own 3, drifting": (3.0, 0.05)}
N_INPUTS, LENGTH, N_ROWS, N_KEYS, N_HISTORY = 10, 4.0, 200, 200, 20_000


class Rules:
    """Rows of keys that each have a rule of their own."""

    def __init__(self, own: float, drift: float, seed: int) -> None:
        self.own, self.drift, self.rng = own, drift, np.random.default_rng(seed)
        self.shared = self.rng.normal(size=N_INPUTS)

    def rows(self, n_keys: int, n_rows: int):
        """Return keys, rows and labels: a row of each key, then another of each."""
        part = self.rng.normal(size=(n_keys, N_INPUTS))
        X = self.rng.normal(size=(n_rows, n_keys, N_INPUTS))
        y = np.empty((n_rows, n_keys), dtype=int)
        for i in range(n_rows):
            rule = self.shared + self.own * part
            rule *= LENGTH / np.linalg.norm(rule, axis=1, keepdims=True)
            chance = 1.0 / (1.0 + np.exp(-(X[i] * rule).sum(axis=1)))
            y[i] = self.rng.random(n_keys) < chance
            step = self.rng.normal(size=part.shape)
            part = np.sqrt(1.0 - self.drift**2) * part + self.drift * step
        keys = np.tile(np.arange(n_keys), n_rows)
        return keys, X.reshape(-1, N_INPUTS), y.ravel()


def accuracies(kind, own: float, drift: float, seed: int) -> dict[str, tuple[float, float]]:
    """Return the accuracy over the first 50 and over all rows of new keys, by how they begin."""
    rules = Rules(own, drift, seed)
    _, X, y = rules.rows(N_HISTORY // 20, 20)
    shared = kind().begin(N_INPUTS, [0, 1])
    shared.test_then_train(X, y)
    keys, X, y = rules.rows(N_KEYS, N_ROWS)
    found = {"shared only": shared.predict_proba_block(X)}
    for start in ("cold", "copy", "mix"):
        bank = Bank(kind(), start=start, shared=None if start == "cold" else shared).begin(N_INPUTS, [0, 1])
        found[start] = bank.test_then_train(keys, X, y)
    right = {name: p.argmax(axis=1) == y for name, p in found.items()}
    return {name: (each[: 50 * N_KEYS].mean(), each.mean()) for name, each in right.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=LEARNERS)
    asked = parser.parse_args()
    for name in asked.learners:
        for case, (own, drift) in CASES.items():
            runs = [accuracies(LEARNERS[name], own, drift, seed) for seed in asked.seeds]
            for start in runs[0]:
                values = np.array([run[start] for run in runs])
                least = (values - np.array([run["cold"] for run in runs])).min(axis=0) * 100
                mean = values.mean(axis=0)
                print(f"{name:16} {case:16} {start:12} {mean[0]:.3f} / {mean[1]:.3f}   least difference to "
                      f"cold {least[0]:+.1f} / {least[1]:+.1f} points")


if __name__ == "__main__":
    main()
