"""Scalings of probabilities that forget, mixed and then corrected for the top class, in plain NumPy."""

import numpy as np

FORGETTING = (0.99, 0.999, 0.9999, 1.0)
FLOOR, H0 = 1e-4, 5.0
LINE_FORGETTING, LINE_PRIOR = 1 - 1 / 3000, np.diag([2.0, 20.0])


def softmax(z):
    """Return probabilities with these logarithms, up to a constant."""
    q = np.exp(z - z.max())
    return q / q.sum()


def logistic(z):
    """Return the probability with these log odds."""
    return 1 / (1 + np.exp(-z))


def shared(trust, start, chance):
    """Return the shares of experts after a label to which they gave these chances."""
    return 0.999 * trust * chance / (trust @ chance) + 0.001 * start


class Scaling:
    """softmax(b z + a) with b and a that forget; a stays 0 if it has no biases."""

    def __init__(self, n_classes, forgetting, has_bias):
        self.forgetting, self.has_bias = forgetting, has_bias
        self.b, self.a = 1.0, np.zeros(n_classes)
        self.h_b, self.h_a = H0, np.full(n_classes, H0)

    def say(self, z):
        """Return the scaled probabilities."""
        return softmax(self.b * z + self.a)

    def learn(self, z, y, u):
        """Learn a label that counts u."""
        q, kept, prior = self.say(z), self.forgetting, (1 - self.forgetting) * H0
        self.h_b = kept * self.h_b + prior + u * (q @ z**2 - (q @ z) ** 2)
        step = (u * (z[y] - q @ z) - prior * (self.b - 1)) / self.h_b
        self.b = np.clip(self.b + np.clip(step, -0.3, 0.3), 0.02, 5)
        if self.has_bias:
            self.h_a = kept * self.h_a + prior + u * q * (1 - q)
            step = (u * (np.eye(len(z))[y] - q) - prior * self.a) / self.h_a
            self.a = self.a + np.clip(step, -0.5, 0.5)


class Calibration:
    """What is said about rows, and learned from their labels."""

    def __init__(self, n_classes, keep_answers):
        self.keep_answers, self.n_labels = keep_answers, 0
        kinds = [False] if keep_answers else [False, True]
        self.scalings = [Scaling(n_classes, each, kind) for kind in kinds for each in FORGETTING]
        n = len(self.scalings)
        self.start = np.array([0.5] + [0.5 / n] * n)
        self.trust, self.line, self.information = self.start, np.array([0.0, 1.0]), LINE_PRIOR
        self.line_trust = np.array([0.8, 0.2])

    def say(self, p):
        """Return the calibrated probabilities, and what is kept until the label comes."""
        floored = np.maximum(p, FLOOR)
        z = np.log(floored / floored.sum())
        each = np.array([np.exp(z), *(scaling.say(z) for scaling in self.scalings)])
        mixed = self.trust @ each
        top = int(np.argmax(p if self.keep_answers else mixed))
        believed = np.clip(mixed[top], 0.001, 0.999)
        r = np.log(believed / (1 - believed))
        by_line = np.clip(logistic(self.line @ [1, r]), 1e-6, 1 - 1e-6)
        others = np.delete(mixed, top) / np.delete(mixed, top).sum()
        chance = max(self.line_trust @ [by_line, mixed[top]], others.max() / (1 + others.max()))
        kept = self.n_labels, z, each, top, r, np.array([by_line, believed])
        return np.insert((1 - chance) * others, top, chance), kept

    def learn(self, kept, y, age=0):
        """Learn the label of a row that came so many rows late."""
        n_labels, z, each, top, r, of_top = kept
        u = (1 + n_labels) / (1 + self.n_labels)
        worth = u / np.sqrt(1 + age)
        self.trust = shared(self.trust, self.start, each[:, y] ** worth)
        of_top = of_top if top == y else 1 - of_top
        self.line_trust = shared(self.line_trust, np.array([0.8, 0.2]), of_top**worth)
        for scaling in self.scalings:
            scaling.learn(z, y, u)
        self.step(np.array([1, r]), float(top == y), u)
        self.n_labels += 1

    def step(self, x, right, u):
        """Learn whether the top class was right."""
        chance, prior = logistic(self.line @ x), 1 - LINE_FORGETTING
        weight = u * max(chance * (1 - chance), 0.001)
        self.information = LINE_FORGETTING * self.information + prior * LINE_PRIOR + weight * np.outer(x, x)
        gradient = u * (right - chance) * x - prior * LINE_PRIOR @ (self.line - [0, 1])
        step = np.clip(np.linalg.solve(self.information, gradient), [-1, -0.5], [1, 0.5])
        self.line = np.clip(self.line + step, [-20, 0], [20, 5])
