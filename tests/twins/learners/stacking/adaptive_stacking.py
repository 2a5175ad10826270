"""Adaptive stacking in plain NumPy: logistic regressions on the members' answers, and their mixture."""

import numpy as np


class StackerTwin:
    """One logistic regression on the logs of the members' answers, by Newton steps that fade."""

    def __init__(self, n_members, decay, noise):
        self.weights = np.full(n_members, 1 / n_members)
        self.information = 30.0 * np.eye(n_members)
        self.decay, self.noise = decay, noise

    def without_noise(self, z):
        scores = self.weights @ z
        q = np.exp(scores - scores.max())
        return q / q.sum()

    def answer(self, z):
        return (1 - self.noise) * self.without_noise(z) + self.noise / z.shape[1]

    def learn(self, z, y, w):
        n = len(self.weights)
        trace, most = np.trace(np.linalg.inv(self.information)), 4 * n / 30
        self.information /= max(min(1 / self.decay, most / trace), 1.0)
        q = self.without_noise(z)
        w *= (1 - self.noise) * q[y] / self.answer(z)[y]
        gaps = z - (z @ q)[:, None]
        self.information += w * (gaps * q) @ gaps.T
        self.weights = self.weights + w * np.linalg.solve(self.information, gaps[:, y])


class StackingTwin:
    """The mixture of several; `said` is what was answered when a row whose label comes late was observed."""

    def __init__(self, n_members, decays, noises, switching):
        self.stackers = [StackerTwin(n_members, decay, 0.0) for decay in decays]
        self.stackers += [StackerTwin(n_members, 0.999, noise) for noise in noises]
        self.switching = [0.0, switching]
        self.start = np.append(
            np.full(n_members, 0.6 / n_members), np.full(len(self.stackers), 0.4 / len(self.stackers))
        )
        self.trust = np.array([self.start, self.start])
        self.top = np.full(2, 0.5)

    def said(self, p):
        """Return the logs of the members' answers, the members' and the stackers' answers, the mixtures'."""
        p = 0.999 * p + 0.001 / p.shape[1]
        q = np.vstack([p, *(stacker.answer(np.log(p)) for stacker in self.stackers)])
        return np.log(p), q, self.trust @ q

    def answer(self, p):
        return self.top @ self.said(p)[2]

    def learn(self, said, y, delay=0, n_learned=0):
        """Learn a label `delay` rows late, with `n_learned` before it."""
        z, q, mixed = said
        w = ((max(n_learned - delay, 0) + 1) / (n_learned + 1)) ** 2 / np.sqrt(1 + delay)
        for row, switching in zip(self.trust, self.switching, strict=True):
            row[:] = shared(row * q[:, y] ** w, switching, self.start)
        self.top = shared(self.top * mixed[:, y] ** w, 1e-9, 0.5)
        for stacker in self.stackers:
            stacker.learn(z, y, w)


def shared(trust, switching, start):
    return (1 - switching) * trust / trust.sum() + switching * start
