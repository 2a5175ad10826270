"""Logistic regression that forgets in slow plain NumPy: the paper's equations, corrected, and ours."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, expit, log_ndtr, logit, ndtr, softmax

FAR = 10.0
LEAST_LEFT = 1e-6


def remains(decay, gap):
    """Return how much of the past a gap leaves."""
    return max(decay ** (gap - 1), LEAST_LEFT) * decay if gap > 1 else decay**gap


def mills(t):
    """Return the normal density over the normal distribution function."""
    return np.sqrt(2 / np.pi) / erfcx(-t / np.sqrt(2))


class Filter:
    """One filter for c = 1 against c = 0; `forgetting` as in AdaptiveLogistic, `rate` is η."""

    def __init__(
        self, d, forgetting, decay, bandwidth=0.0, rate=1e-5, converged=False, guard=None, prior=10.0,
        link="logit",
    ):
        self.forgetting, self.least, self.bandwidth, self.rate = forgetting, decay, bandwidth, rate
        self.converged, self.guard, self.link = converged, guard, link
        self.beta, self.R = np.zeros(d), prior * np.eye(d)
        self.psi, self.S = np.zeros(d), np.zeros((d, d))
        self.decay = decay if forgetting == "fixed" else 1.0
        self.step, self.slope, self.place = rate, 0.0, 0

    def damped(self, u):
        return self.least + (1 - self.least) * np.exp(-self.bandwidth * abs(u))

    def learn(self, x, c, v=1.0, q=None, gap=1.0):
        """Take a row, `gap` steps after the last; `q` is its probability where others have a say in it."""
        z = self.beta @ x
        start = z if q is None or self.link == "probit" else logit(q)
        news, error = self.derivatives(start, c)
        a, e = v * news, v * error
        ratio = 1.0
        if self.forgetting == "tuned":
            self.decay = self.damped(news)
            if not self.converged:
                other = self.damped(-error - z * news)
                ratio = remains(other, gap) / remains(self.decay, gap)
        if gap > 1:
            self.wait(gap - 1)
        decay, rise = self.decay ** min(gap, 1.0), min(gap, 1.0) * self.decay ** (min(gap, 1.0) - 1)
        size = x @ self.R @ x
        if self.converged:
            news, error = self.derivatives(self.peak(start, v * size / decay, c), c)
            a, moved = v * news, v * error
            change = self.R @ x * moved / decay
        else:
            k = self.R @ x / (decay + a * size)
            moved = e * decay / (decay + a * size)
            change = -k * (-e - a * z + ratio * a * z)
        R = np.linalg.inv(decay * np.linalg.inv(self.R) + a * np.outer(x, x))
        if self.forgetting in ("adaptive", "rprop"):
            self.adapt(x, a, e, moved, R, decay, rise)
        self.beta = ratio * self.beta + change
        self.R = R
        self.leak(decay, rise)

    def wait(self, gap):
        """Let time go by without a row."""
        left, rise = self.decay**gap, gap * self.decay ** (gap - 1)
        left, rise = (left, rise) if left > LEAST_LEFT else (LEAST_LEFT, 0.0)
        self.S = self.S / left - self.R * rise / left**2
        self.R = self.R / left
        n_turns = min(int(np.ceil(gap)), len(self.beta))
        for _ in range(n_turns if self.guard is not None else 0):
            self.leak(left, rise, n_turns)

    def derivatives(self, z, c):
        """Return minus the second derivative of the log-likelihood by z, and the first: (5) and (6)."""
        if self.link == "logit":
            return expit(z) * (1 - expit(z)), c - expit(z)
        sign = 1 if c else -1
        r = mills(sign * z)
        return r * (sign * z + r), sign * r

    def peak(self, z, size, c):
        def miss(t):
            return t - z - size * self.derivatives(t, c)[1]

        far = 1 + size * max(abs(self.derivatives(z, c)[1]), 1)
        return brentq(miss, z - far, z + far, xtol=1e-15, rtol=1e-15, maxiter=500)

    def adapt(self, x, a, e, moved, R, decay, rise):
        F = np.eye(len(x)) - a * np.outer(R @ x, x)
        D = self.S / decay - self.R * rise / decay**2
        gradient = e * (x @ self.psi)
        self.psi = F @ (self.psi + D @ x * moved)
        self.S = F @ D @ F.T
        if self.forgetting == "adaptive":
            change = self.rate * gradient
        else:
            turn = gradient * self.slope
            self.step = min(1.2 * self.step, 5e-5) if turn > 0 else self.step
            self.step = max(0.5 * self.step, 1e-6) if turn < 0 else self.step
            self.slope, change = gradient, self.step * np.sign(gradient)
        self.decay = min(max(self.decay + change, self.least), 1.0)

    def leak(self, decay, rise=1.0, n_turns=1):
        i, d = self.place, len(self.beta)
        self.place = (i + 1) % d
        if self.guard is None or decay == 1.0:
            return
        u = d * (1 - decay) / (n_turns * self.guard)
        G = np.eye(d)
        G[:, i] -= u * self.R[:, i] / (1 + u * self.R[i, i])
        self.R = G @ self.R
        self.R = (self.R + self.R.T) / 2
        self.S = G @ self.S @ G.T + np.outer(self.R[i], self.R[i]) * rise * d / (n_turns * self.guard)


class Standardiser:
    def __init__(self, n_features):
        self.n, self.mean, self.variance = 0, np.zeros(n_features), np.zeros(n_features)

    def learn(self, x):
        self.n += 1
        error = x - self.mean
        bound = np.where(self.variance > 0, FAR * np.sqrt(self.variance), np.inf)
        error = np.clip(error, -bound, bound)
        self.variance += (error**2 * (1 - 1 / self.n) - self.variance) / self.n
        self.mean += error / self.n

    def apply(self, x):
        scale = np.where(self.variance > 0, 1 / np.sqrt(np.where(self.variance > 0, self.variance, 1)), 0.0)
        return np.append(np.clip((x - self.mean) * scale, -FAR, FAR), 1.0)


class Plain:
    def learn(self, x):
        pass

    def apply(self, x):
        return np.append(x, 1.0)


class Logistic:
    """Members with one filter, or one a class; trusted by their discounted likelihood."""

    def __init__(
        self, n_features, n_classes, decays, discount=0.995, standardise=True, time_column=None, **settings
    ):
        n_features -= time_column is not None
        self.time_column, self.clock = time_column, None
        n_filters = 1 if n_classes == 2 else n_classes
        self.members = [[Filter(n_features + 1, decay=decay, **settings) for _ in range(n_filters)]
                        for decay in decays]
        self.inputs = Standardiser(n_features) if standardise else Plain()
        self.share, self.discount, self.n_rows = np.full(len(decays), 1 / len(decays)), discount, 0

    def probabilities(self, member, x):
        z = np.array([f.beta @ x for f in member])
        if member[0].link == "probit":
            return ndtr([-z[0], z[0]]) if len(z) == 1 else softmax(log_ndtr(z))
        return np.array([expit(-z[0]), expit(z[0])]) if len(z) == 1 else softmax(z)

    def predict(self, row):
        x = self.inputs.apply(self.parts(row)[0])
        return self.share @ [self.probabilities(member, x) for member in self.members]

    def parts(self, row):
        """Return the row without its time, and the time; None if there is none."""
        if self.time_column is None:
            return row, None
        return np.delete(row, self.time_column), row[self.time_column]

    def gap(self, time):
        """Return the steps since the row before, and set the clock."""
        if time is None:
            return 1.0
        before = self.clock
        if np.isnan(time) or (before is not None and time <= before):
            return 0.0
        self.clock = time
        return 1.0 if before is None else time - before

    def learn(self, row, y, v=1.0):
        row, time = self.parts(row)
        gap = self.gap(time)
        self.inputs.learn(row)
        x = self.inputs.apply(row)
        for m, member in enumerate(self.members):
            p = self.probabilities(member, x)
            self.share[m] *= max(p[y], 1e-4) ** v
            if len(member) == 1:
                member[0].learn(x, float(y == 1), v, gap=gap)
            else:
                for k, f in enumerate(member):
                    f.learn(x, float(y == k), v, p[k], gap)
        self.n_rows += 1
        if self.n_rows % 8 == 0:
            self.share **= self.discount**8
        self.share /= self.share.sum()

    def test_then_train(self, X, y, sample_weight=None):
        p = []
        for i in range(len(X)):
            p.append(self.predict(X[i]))
            self.learn(X[i], y[i], 1.0 if sample_weight is None else sample_weight[i])
        return np.array(p)
