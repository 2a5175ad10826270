"""Logistic regression for many inputs in slow plain NumPy: all inputs of every row, whether 0 or not."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, log_softmax, logit, softmax

RATES = np.array([0.3, 1.0, 0.1])
FARTHEST, WILDEST, SUREST, RIDGE, FADING = 3.0, 10.0, np.log(1000.0), 10.0, 0.99


class LinearLogistic:
    """The formulas of the kernel's docstring, one row at a time."""

    def __init__(self, n_features, n_classes, rate=1.0, decay=0.9999, l2=0.0):
        self.n_filters = 1 if n_classes == 2 else n_classes
        self.rates, self.decay, self.l2 = rate * RATES, decay, l2
        self.seen, self.count, self.missing = 0, np.zeros(n_features), np.zeros(n_features)
        self.mean, self.variance = np.zeros(n_features), np.zeros(n_features)
        # the constant is the last input, always 1
        self.beta = np.zeros((3, self.n_filters, n_features + 1))
        self.square = np.zeros_like(self.beta)
        self.weights, self.information = np.full(3, 1 / 3), RIDGE * np.eye(3)

    def measures(self):
        """Return what is subtracted from the inputs, what they are divided by, and their variances."""
        if not self.seen:
            return np.zeros((3, len(self.mean)))
        share = self.count / self.seen
        known = self.count / np.maximum(self.seen - self.missing, 1)
        c, square = np.clip(4 * share - 1, 0, 1), self.mean**2
        spread = self.variance * (1 - c + c * known) + square * (1 - c + c * known * (1 - known))
        return c * known * self.mean, np.sqrt(spread), share * (self.variance + (1 - share) * square)

    def inputs(self, x):
        centre, spread, _ = self.measures()
        is_seen = (self.count > 0) & (spread > 1e-150)
        u = np.clip((x - centre) / np.where(is_seen, spread, 1.0), -FARTHEST, FARTHEST)
        return np.append(np.where(is_seen & ~np.isnan(x), u, 0.0), 1.0)

    def scores(self, u):
        """Return the models' scores, models × classes, as they are and bounded."""
        z = self.beta @ u
        if self.n_filters == 1:
            bounded = np.clip(z, -SUREST, SUREST)
            return z, np.concatenate([np.zeros_like(bounded), bounded], axis=1)
        return z, np.maximum(log_softmax(z, axis=1), -SUREST)

    def predict(self, x):
        return softmax(self.weights @ self.scores(self.inputs(x))[1])

    def learn(self, x, y, v=1.0):
        is_looked_at = np.append((x != 0) | (4 * self.count > self.seen), True)
        self.see(x)
        u = self.inputs(x)
        z, bounded = self.scores(u)
        q = expit(z) if self.n_filters == 1 else softmax(z, axis=1)
        is_class = np.array([y == 1]) if self.n_filters == 1 else np.arange(self.n_filters) == y
        steps = self.rates[:, None, None] / np.sqrt(1 + self.square)
        steps[0] = self.rates[0] * self.quick_factors()
        moved = self.moves(q, is_class, (steps * u**2).sum(axis=2), v)
        self.beta += steps * u * moved[:, :, None]
        shrinking = np.where(u == 0, 0.0, steps)
        shrinking[:, :, -1] = 0.0
        self.beta /= 1 + shrinking * self.l2
        news = self.decay * self.square + v * (is_class - q)[:, :, None] ** 2 * u**2
        self.square = np.where(is_looked_at, news, self.square)
        self.weigh(bounded, y, min(v, 10.0))

    def see(self, x):
        self.seen += 1
        self.missing += np.isnan(x)
        for j in np.flatnonzero((x != 0) & ~np.isnan(x)):
            self.count[j] += 1
            error, bound = x[j] - self.mean[j], WILDEST * np.sqrt(self.variance[j])
            if bound > 0:
                error = np.clip(error, -bound, bound)
            self.mean[j] += error / self.count[j]
            self.variance[j] += (error**2 * (1 - 1 / self.count[j]) - self.variance[j]) / self.count[j]

    def quick_factors(self):
        _, spread, variance = self.measures()
        is_seen = (spread > 1e-150) & (variance > 0)
        factors = spread**2 / np.where(is_seen, variance, 1.0)
        return np.append(np.where(is_seen, np.minimum(factors, self.seen), 0.0), 1.0)

    def moves(self, q, is_class, size, v):
        moved = np.empty_like(q)
        for (m, k), chance in np.ndenumerate(q):
            error = is_class[k] - chance
            ends = error_at_peak(logit(chance), v * size[m, k], is_class[k])
            moved[m, k] = v * ends
            if m == 0:
                moved[m, k] = v * error if v <= 1 else max(v * ends, error, key=abs)
        return moved

    def weigh(self, f, y, v):
        p = softmax(self.weights @ f)
        h = f - (f @ p)[:, None]
        self.information = FADING * self.information + (1 - FADING) * RIDGE * np.eye(3) + v * (h * p) @ h.T
        self.weights = np.clip(self.weights + np.linalg.solve(self.information, v * h[:, y]), -10, 10)


def error_at_peak(z, size, is_class):
    """Return the error at t = z + size × error."""
    sign = 1.0 if is_class else -1.0

    def miss(t):
        return t - sign * z - size * expit(-t)

    t = brentq(miss, sign * z - 1e-9, sign * z + size + 1e-9, xtol=1e-15, rtol=1e-15, maxiter=500)
    return sign * expit(-t)
