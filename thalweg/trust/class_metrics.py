"""Precision, recall, F1 and cost from sums over rows with labels, and expected sums over the others."""

from typing import NamedTuple

import numpy as np

from thalweg._types import Floats, Ints

OF_CLASSES = ("precision", "recall", "f1", "cost")


class ClassSums(NamedTuple):
    """Right answers, answers and labels of each class, the cost, and the number of rows.

    `variance` is that of the right answers of each class by chance.
    """

    right: Floats
    answered: Floats
    true: Floats
    cost: float
    n: float
    variance: Floats

    def plus(self, other: "ClassSums") -> "ClassSums":
        """Return the sums over both."""
        return ClassSums(
            self.right + other.right, self.answered + other.answered, self.true + other.true,
            self.cost + other.cost, self.n + other.n, self.variance + other.variance,
        )  # fmt: skip

    def value(self, metric: str, code: int | None) -> float:
        """Return a metric, NaN if it is not defined."""
        if metric == "cost":
            return float(self.cost / self.n) if self.n else np.nan
        right, answered, true = self.right[code], self.answered[code], self.true[code]
        below = {"precision": answered, "recall": true, "f1": (answered + true) / 2}[metric]
        return float(right / below) if below > 0 else np.nan

    def with_right(self, total: float) -> "ClassSums":
        """Return the sums if so many answers were right, the same share more or fewer in each class.

        Rows whose answer was wrong are shared among the true classes as they were.
        """
        now = self.right.sum()
        total = min(max(total, 0.0), self.n)
        odds = _odds(total / self.n) - _odds(now / self.n)
        share = np.divide(self.right, self.answered, out=np.zeros_like(self.right), where=self.answered > 0)
        share = np.where(self.answered > 0, 1 / (1 + np.exp(-(_odds(share) + odds))), 0.0)
        right = share * self.answered
        right *= total / right.sum() if right.sum() > 0 else 1.0
        right = np.minimum(right, self.answered)
        wrong_before, wrong = self.n - now, self.n - right.sum()
        ratio = wrong / wrong_before if wrong_before > 0 else 1.0
        true = right + (self.true - self.right) * ratio
        return self._replace(right=right, true=true, cost=self.cost * ratio)

    def chance(self, counted: "ClassSums", metric: str, code: int | None) -> float:
        """Return the standard deviation of a metric by chance, of the rows without labels."""
        both = self.plus(counted)
        if metric == "cost":  # that of a number of equally dear errors
            n_wrong = max(self.n - float(self.right.sum()), 1.0)
            return float(abs(self.cost) / np.sqrt(n_wrong) / max(both.n, 1.0))
        answered, true = both.answered[code], both.true[code]
        below = {"precision": answered, "recall": true, "f1": (answered + true) / 2}[metric]
        return float(np.sqrt(self.variance[code]) / max(below, 1.0))


def known_sums(answers: Ints, labels: Ints, n_classes: int, costs: Floats | None) -> ClassSums:
    """Return the sums over rows with labels."""
    right = np.bincount(labels[answers == labels], minlength=n_classes).astype(float)
    answered, true = (np.bincount(each, minlength=n_classes).astype(float) for each in (answers, labels))
    cost = 0.0 if costs is None else float(costs[labels, answers].sum())
    return ClassSums(right, answered, true, cost, float(len(labels)), np.zeros(n_classes))


def unknown_sums(g: Floats, answers: Ints, p: Floats, costs: Floats | None) -> ClassSums:
    """Return the expected sums over rows without labels, whose answers are right with the chances `g`.

    The rest of the probability is shared by the other classes as the model said.
    """
    n, n_classes = p.shape
    rows, full = np.arange(n), p.copy()
    full[rows, answers] = 0.0
    rest = full.sum(axis=1, keepdims=True)
    even = np.ones_like(full) / max(1, n_classes - 1)
    even[rows, answers] = 0.0
    full = np.where(rest > 0, full / np.where(rest > 0, rest, 1.0), even) * (1 - g)[:, None]
    full[rows, answers] = g
    right = np.bincount(answers, weights=g, minlength=n_classes).astype(float)
    answered = np.bincount(answers, minlength=n_classes).astype(float)
    variance = np.bincount(answers, weights=g * (1 - g), minlength=n_classes).astype(float)
    cost = 0.0 if costs is None else float((full * costs.T[answers]).sum())
    return ClassSums(right, answered, full.sum(axis=0), cost, float(n), variance)


def _odds(share: Floats | float) -> Floats:
    share = np.clip(share, 1e-9, 1 - 1e-9)
    return np.asarray(np.log(share / (1 - share)))
