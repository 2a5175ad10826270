"""Online boosting in plain Python, over any learners as members."""

import math
from collections import Counter

import numpy as np
from twins._native.rng import poisson, word


class OnlineBoostTwin:
    """Oza and Russell's online boosting with the vote of AdaBoost.M1, as in MOA's OzaBoost.

    `met` counts what happened, so that a test can tell which parts of the method its rows reached.
    """

    def __init__(self, members, n_classes, key):
        self.members = members
        self.n_classes = n_classes
        self.key = key
        self.bound, self.shift = 0.5, 0.0
        self.n_rows = 0
        self.weight = 0.0
        self.right = [0.0] * len(members)
        self.wrong = [0.0] * len(members)
        self.met = Counter()

    def votes(self):
        """Return each member's voting weight; None where it may not vote."""
        return [self.vote(right, wrong) for right, wrong in zip(self.right, self.wrong, strict=True)]

    def vote(self, right, wrong):
        if right == 0 or wrong == 0:
            return None
        error = wrong / (right + wrong)
        if error > self.bound:
            return None
        return max(math.log((1 - error) / error) + self.shift, 0.0)

    def voters(self):
        """Return the members asked and their voting weights: those before the first that may not vote."""
        voters = []
        for member, vote in zip(self.members, self.votes(), strict=True):
            if vote is None:
                self.met["stopped after a vote"] += bool(voters)
                break
            voters.append((member, vote))
        return voters

    def predict(self, x):
        """Return the probabilities of a row."""
        voters = self.voters()
        if not any(vote for _, vote in voters):
            self.met["nobody may vote"] += 1
            voters = [(member, 1.0) for member in self.members]
        p = np.zeros(self.n_classes)
        for member, vote in voters:
            p += vote * member.predict_proba_one(x)
        return p / sum(vote for _, vote in voters)

    def ranking(self):
        """Return the members' numbers, those that may be asked first in front."""
        return list(range(len(self.members)))

    def chosen(self, left, was_right):
        """Take the member whose turn it is out of those left; `was_right` is about the one before it."""
        return left.pop(0)

    def learn(self, x, y, w):
        """Learn a row of weight `w`."""
        self.weight += w
        left, is_right, weight = self.ranking(), False, w
        for turn in range(len(self.members)):
            m = self.chosen(left, is_right)
            member = self.members[m]
            times = poisson(weight, word(self.key, self.n_rows * len(self.members) + turn))
            self.met["heavy row"] += weight >= 100
            if times:
                member.test_then_train(x[None], [y], sample_weight=[times])
            p = member.predict_proba_one(x)
            self.met["tied classes"] += (p == p.max()).sum() > 1
            is_right = p.argmax() == y
            if is_right:
                self.right[m] += weight
                weight *= self.weight / (2 * self.right[m])
            else:
                self.wrong[m] += weight
                weight *= self.weight / (2 * self.wrong[m])
        self.n_rows += 1
