"""Dynamic weighted majority in plain Python, over any learners as members."""

from collections import deque

import numpy as np


class MajorityTwin:
    """Kolter and Maloof 2007, figure 2, with room for `max_members`; `builders` take turns to make members.

    A member is added where the vote that was answered, with the weights before they are lowered, is wrong;
    MOA takes the vote with the lowered ones, and adds fewer. With reduce="always" and a window it is DWM as
    Grbovic and Vucetic 2011 describe it. `events` has the row, the place and what happened to each member
    that came or went.
    """

    def __init__(
        self, builders, n_classes, period=50, beta=0.5, theta=0.01, max_members=100, reduce="period", window=0
    ):
        self.builders, self.n_classes, self.period = builders, n_classes, period
        self.at_once, self.rows = reduce == "always", deque(maxlen=window)
        self.beta, self.theta, self.max_members = beta, theta, max_members
        self.members, self.weights = [build() for build in builders], [1.0] * len(builders)
        self.n_rows, self.n_built, self.events = 0, len(builders), []

    def run(self, X, y, w):
        """Return the probabilities of each row before it is learned."""
        return np.array([self.learn(*row) for row in zip(X, y, w, strict=True)])

    def learn(self, x, y, w):
        votes = np.zeros(self.n_classes)
        chosen = [int(member.predict_proba_one(x).argmax()) for member in self.members]
        for k, weight in zip(chosen, self.weights, strict=True):
            votes[k] += weight
        is_due = (self.n_rows + 1) % self.period == 0
        if is_due or self.at_once:
            lower = [self.beta if k != y else 1.0 for k in chosen]
            lowered = [weight * factor for weight, factor in zip(self.weights, lower, strict=True)]
            self.weights = [weight / max(lowered) for weight in lowered]
        if is_due:
            self.change(votes.argmax() != y)
        for member in self.members:
            member.test_then_train(x[None], [y], sample_weight=[w])
        self.rows.append((x, y, w))
        self.n_rows += 1
        return votes / votes.sum()

    def change(self, is_wrong):
        gone = [m for m, w in enumerate(self.weights) if w < self.theta]
        if is_wrong and len(self.members) - len(gone) == self.max_members:
            gone = [int(np.argmin(self.weights))]
        for m in reversed(gone):
            del self.members[m], self.weights[m]
            self.events.append((self.n_rows, m, "went"))
        if is_wrong:
            self.events.append((self.n_rows, len(self.members), "came"))
            fresh = self.builders[self.n_built % len(self.builders)]()
            for x, y, w in self.rows:
                fresh.test_then_train(x[None], [y], sample_weight=[w])
            self.members.append(fresh)
            self.weights.append(1.0)
            self.n_built += 1
