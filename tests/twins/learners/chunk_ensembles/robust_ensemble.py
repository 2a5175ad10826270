"""The robust-regression ensemble in plain NumPy: every fit to the end, outliers tried at both borders."""

import numpy as np
from twins.learners.chunk_ensembles.base import ChunkEnsemble


class RobustEnsemble(ChunkEnsemble):
    """Chu, Wang and Zaniolo 2004, for several classes."""

    max_leaves, first_weight = 8, 2.0

    def __init__(
        self, n_classes, n_members, chunk_size, n_held_out,
        penalty=1.5, ridge=1.0, class_weight=None, folds=10,
    ):
        super().__init__(n_classes, n_members, chunk_size, n_held_out)
        self.penalty, self.ridge, self.outliers = penalty, ridge, []
        self.class_weight, self.folds = class_weight, folds

    def fitted(self, rows):
        if self.class_weight is None:
            return super().fitted(rows)
        X, y, w, number = self.arrays(rows)
        return super().fitted(list(zip(X, y, self.row_weights(y, w), number, strict=True)))

    def row_weights(self, y, w):
        if self.class_weight == "balanced":
            counts = np.bincount(y, minlength=self.n_classes)
            of_class = len(y) / ((counts > 0).sum() * np.maximum(counts, 1))
        else:
            of_class = np.array([(self.class_weight or {}).get(k, 1.0) for k in range(self.n_classes)])
        return w * of_class[y]

    def weigh(self, fresh, X, y, w, number):
        slot = self.n_chunks % self.n_members
        self.members[slot : slot + 1] = [fresh]
        P = np.array([member(X) for member in self.members])
        v = self.row_weights(y, w)
        if not self.n_held_out:
            P[slot] = self.crossed(X, y, v, number, self.folds)
        self.weights, out, likelihoods = robust_fit(P, y, v / v.mean(), self.ridge, self.penalty)
        z = np.tensordot(self.weights, P, 1)
        z[np.arange(len(y)), y] += 1e-9  # a tie with the label is the label
        believed = z.argmax(axis=1)
        found = [(number[i], y[i], believed[i], np.exp(likelihoods[i])) for i in np.flatnonzero(out)]
        self.outliers = [*sorted(found, reverse=True), *self.outliers]

    def predict(self, X):
        parts = [weight * member(X) for member, weight in zip(self.members, self.weights, strict=True)]
        return softmax(np.sum(parts, axis=0) if parts else np.zeros((len(X), self.n_classes)))


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def log_likelihoods(P, y, w):
    z = np.tensordot(w, P, 1)
    z = z - z.max(axis=1, keepdims=True)
    return z[np.arange(len(y)), y] - np.log(np.exp(z).sum(axis=1))


def score_of(P, y, v, out, ridge, penalty, w):
    likelihoods = log_likelihoods(P, y, w)
    return (v * likelihoods)[~out].sum() - (penalty * v)[out].sum() - ridge / 2 * w @ w


def newton(P, y, v, out, ridge, w):
    """Return the weights that fit the rows that are not outliers."""
    P, y, v, none = P[:, ~out], y[~out], v[~out], np.zeros((~out).sum(), dtype=bool)
    a = P[:, np.arange(len(y)), y][:, :, None] - P  # zero for the label itself
    for _ in range(100):
        q = softmax(np.tensordot(w, P, 1))
        b = (q * a).sum(axis=2)
        gradient = b @ v - ridge * w
        hessian = np.einsum("i,ik,mik,lik->ml", v, q, a, a) - (b * v) @ b.T + ridge * np.eye(len(w))
        direction = np.linalg.solve(hessian, gradient)
        if gradient @ direction < 1e-15:
            break
        step, before = 1.0, score_of(P, y, v, none, ridge, 0, w)
        while score_of(P, y, v, none, ridge, 0, w + step * direction) < before and step > 1e-10:
            step /= 2
        w = w + step * direction
    return w


def borders_of(values):
    """Return the two borders between three clusters on a line, by Lloyd's algorithm."""
    low, high = values.min(), values.max()
    centres = low + (high - low) * np.array([1, 3, 5]) / 6
    while True:
        borders = (centres[:-1] + centres[1:]) / 2
        cluster = np.searchsorted(borders, values, side="right")
        inside = [values[cluster == k] for k in range(3)]
        pairs = zip(inside, centres, strict=True)
        new = np.array([each.mean() if len(each) else centre for each, centre in pairs])
        if np.allclose(new, centres, rtol=0, atol=1e-13):
            return borders
        centres = new


def robust_fit(P, y, v, ridge, penalty):
    """Return weights, outliers, and the logarithms of the likelihoods."""
    out = np.zeros(len(y), dtype=bool)
    w = newton(P, y, v, out, ridge, np.full(len(P), 2 / len(P)))
    while penalty is not None:
        likelihoods, best = log_likelihoods(P, y, w), None
        for border in borders_of(likelihoods):
            trial = likelihoods < border
            if 0 < trial.sum() <= len(y) / 2:
                fit = newton(P, y, v, trial, ridge, w)
                score = score_of(P, y, v, trial, ridge, penalty, fit)
                if best is None or score > best[0]:
                    best = score, fit, trial
        if best is None or best[0] <= score_of(P, y, v, out, ridge, penalty, w) + 1e-9:
            break
        _, w, out = best
    return w, out, log_likelihoods(P, y, w)
