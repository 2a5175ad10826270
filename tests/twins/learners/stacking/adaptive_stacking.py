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
        counts = q if len(q) == 2 else np.where(q > 0.01 * q.max(), q, 0.0)
        self.information += w * (gaps * counts) @ gaps.T
        self.weights = self.weights + w * np.linalg.solve(self.information, gaps[:, y])


class SelectorTwin:
    """Whether the answer or a member that knows only labels was right more often, where they differ."""

    def __init__(self):
        self.right = np.zeros(2)

    def lead(self, p, a, b):
        seen, expected = self.right, 2 * p[[a, b]]
        total = seen.sum() + expected.sum()
        return (seen[1] - seen[0] + expected[1] - expected[0] - 0.2 * np.sqrt(total)) / total

    def learn(self, y, a, b):
        if a != b:
            self.right = 0.995 * self.right + (np.array([a, b]) == y)


class StackingTwin:
    """The mixture of several; `said` is what was answered when a row whose label comes late was observed."""

    def __init__(self, is_trivial, is_chain, decays, noises, switching):
        self.is_trivial, self.is_chain = np.array(is_trivial), np.array(is_chain)
        n_members, n_stacked = len(is_trivial), int((~self.is_trivial).sum())
        self.stackers = [StackerTwin(n_stacked, decay, 0.0) for decay in decays]
        self.stackers += [StackerTwin(n_stacked, 0.999, noise) for noise in noises]
        kinds = self.is_chain, self.is_trivial
        self.looks = [(which, [SelectorTwin() for _ in range(which.sum())]) for which in kinds]
        self.switching = [0.0, switching]
        self.start = np.append(
            np.full(n_members, 0.3 / n_members), np.full(len(self.stackers), 0.7 / len(self.stackers))
        )
        self.trust = np.array([self.start, self.start])
        self.top = np.full(2, 0.5)

    def said(self, p):
        """Return the logs of the members' answers, the members' and the stackers' answers, the mixtures'."""
        p = 0.999 * p + 0.001 / p.shape[1]
        z = np.log(p[~self.is_trivial])
        q = np.vstack([p, *(stacker.answer(z) for stacker in self.stackers)])
        return z, q, self.trust @ q

    def answer(self, p):
        """Return the mixture, changed where a chain of labels, then a trivial member was right more often."""
        _z, q, mixed = self.said(p)
        return self.looked_at(self.top @ mixed, q)[-1]

    def looked_at(self, p, q):
        """Return the answer before the first look, and after each."""
        found = [p]
        for which, selectors in self.looks:
            p, others = p.copy(), classes_of(q, which)
            a = int(p.argmax())
            leads = [0.0 if a == b else each.lead(p, a, b) for each, b in zip(selectors, others, strict=True)]
            if max(leads, default=0.0) > 0:
                b = others[int(np.argmax(leads))]
                total = p[a] + p[b]
                p[b] = max(total / 2, *np.delete(p, [a, b]), 0.0) * (1 + 1e-9)
                p[a] = total - p[b]
            found.append(p)
        return found

    def learn(self, said, y, delay=0, n_learned=0):
        """Learn a label `delay` rows late, with `n_learned` before it."""
        z, q, mixed = said
        answers = self.looked_at(self.top @ mixed, q)
        for (which, selectors), p in zip(self.looks, answers, strict=False):
            for each, b in zip(selectors, classes_of(q, which), strict=True):
                each.learn(y, int(p.argmax()), b)
        w = ((max(n_learned - delay, 0) + 1) / (n_learned + 1)) ** 2 / np.sqrt(1 + delay)
        for row, switching in zip(self.trust, self.switching, strict=True):
            row[:] = shared(row * q[:, y] ** w, switching, self.start)
        self.top = shared(self.top * mixed[:, y] ** w, 1e-9, 0.5)
        for stacker in self.stackers:
            stacker.learn(z, y, w)


def classes_of(q, which):
    return q[: len(which)][which].argmax(axis=1)


def shared(trust, switching, start):
    return (1 - switching) * trust / trust.sum() + switching * start
