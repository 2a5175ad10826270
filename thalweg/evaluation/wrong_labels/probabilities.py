"""How likely each label is wrong, given how often one class is called another."""

import numpy as np

from thalweg._types import Floats, Ints
from thalweg.evaluation.wrong_labels.share import WrongShare

SHARE_SURE, LEAST_SURE = 0.1, 50  # of the rows in which a class is believed
CAUTION = 4.0  # hard rows make the counts uneven too, so the mean of all pairs gets this much more weight
LEAST_SHARE, MOST_WRONG = 1e-4, 0.45  # of all labels; of a class, so that its labels still tell something


def doubts(p: Floats, codes: Ints, estimate: WrongShare) -> Floats:
    """Return the probability that each label is wrong; `p` are the probabilities of labels as they are given.

    Let C have in row k how often class k is called each class. The probabilities of the true classes are
    t = p C⁻¹, and a label j is wrong with Σ t_k C_kj over all k but j, divided by the sum over all k. C is
    multiplied to fit shares of wrong labels from one end of the range to the other, and the mean is taken.
    The odds are multiplied by one number so that all doubts add up to the estimate.
    """
    called = confusions(p, codes)
    class_shares = np.bincount(p.argmax(axis=1), minlength=p.shape[1]) / len(p)
    low, middle, high = estimate.low, estimate.middle, estimate.high
    shares = (low, (low + middle) / 2, middle, (middle + high) / 2, high)
    found = [_wrong(p, codes, _fitted(called, share, class_shares)) for share in shares]
    return scaled(np.mean(found, axis=0), middle * len(p))


def confusions(p: Floats, codes: Ints) -> Floats:
    """Return how often a row of class k is called j, another one, as a matrix of classes × classes.

    It is counted in the surest tenth of the rows in which class k is believed. Counts are few, so they are
    drawn towards the mean of all pairs, the more the less they vary beyond chance (empirical Bayes with gamma
    distributed rates).
    """
    n_classes = p.shape[1]
    counts, n_rows = _counts(p, codes)
    others = ~np.eye(n_classes, dtype=bool)
    mean = max(counts[others].sum() / max((n_classes - 1) * n_rows.sum(), 1), 1e-6)
    expected = n_rows[:, None] * np.full(n_classes, mean)
    excess = ((counts - expected) ** 2 - expected)[others].sum()
    variance = max(excess / max((n_classes - 1) * (n_rows**2).sum(), 1), 1e-12)
    weight = CAUTION * min(mean**2 / variance, 1e6)
    return np.where(others, (counts + weight) / (n_rows[:, None] + weight / mean), 0.0)


def _counts(p: Floats, codes: Ints) -> tuple[Floats, Floats]:
    """Return how often class k is called j, another one, among its surest rows, and the number of these."""
    n_classes = p.shape[1]
    believed, sureness = p.argmax(axis=1), p.max(axis=1)
    counts, n_rows = np.zeros((n_classes, n_classes)), np.zeros(n_classes)
    for k in np.unique(believed).tolist():
        rows = np.flatnonzero(believed == k)
        n = max(round(SHARE_SURE * len(rows)), min(LEAST_SURE, len(rows)))
        surest = rows[np.argsort(-sureness[rows], kind="stable")[:n]]
        counts[k], n_rows[k] = np.bincount(codes[surest], minlength=n_classes), n
    np.fill_diagonal(counts, 0.0)
    return counts, n_rows


def _fitted(called: Floats, share: float, class_shares: Floats) -> Floats:
    """Return confusions multiplied so that this share of all labels is wrong, with what is right added."""
    called = called * max(share, LEAST_SHARE) / float(called.sum(axis=1) @ class_shares)
    wrong = called.sum(axis=1)
    called *= (np.minimum(wrong, MOST_WRONG) / wrong)[:, None]
    return called + np.diag(1 - called.sum(axis=1))


def _wrong(p: Floats, codes: Ints, called: Floats) -> Floats:
    true = np.clip(p @ np.linalg.inv(called), 0.0, None)
    joint = true * called[:, codes].T
    return 1 - joint[np.arange(len(p)), codes] / np.maximum(joint.sum(axis=1), 1e-300)


def scaled(doubt: Floats, total: float) -> Floats:
    """Return probabilities whose odds are multiplied by one number, so that they add up to a total."""
    from scipy.optimize import brentq
    from scipy.special import expit, logit

    log_odds = logit(np.clip(doubt, 1e-9, 1 - 1e-9))
    ends = [expit(log_odds + factor).sum() for factor in (-30.0, 30.0)]
    wanted = np.clip(total, *ends)
    return expit(log_odds + brentq(lambda factor: expit(log_odds + factor).sum() - wanted, -30.0, 30.0))
