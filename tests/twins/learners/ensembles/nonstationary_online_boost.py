"""Online non-stationary boosting in plain Python, over any learners as members."""

import numpy as np
from twins.learners.ensembles.online_boost import OnlineBoostTwin


class NonstationaryTwin(OnlineBoostTwin):
    """Online boosting that replaces, every `period` rows, the member that does most harm on the window.

    `build(slot)` returns a fresh member.
    """

    def __init__(self, members, n_classes, key, window, period, least, build):
        super().__init__(members, n_classes, key)
        self.window, self.period, self.least, self.build = window, period, least, build
        self.rows = []
        self.had = [0] * len(members)
        self.replaced = []

    def voters(self):
        """Return the members that vote and their voting weights."""
        votes = zip(self.members, self.votes(), self.had, strict=True)
        return [(member, vote) for member, vote, had in votes if had >= self.least and vote]

    def learn(self, x, y, w):
        """Learn a row of weight `w`, and judge the members if that is due."""
        super().learn(x, y, w)
        self.had = [had + 1 for had in self.had]
        self.rows = [*self.rows, (x, y, w)][-self.window :]
        voters = self.voters()
        if self.n_rows % self.period == 0 and len(voters) > 1:
            self.judge(voters)

    def judge(self, voters):
        """Replace the voter without whom the error on the window is smallest, if it is smaller."""
        every = self.error(voters)
        without = [self.error([other for other in voters if other is not voter]) for voter in voters]
        if min(without) < every:
            m = self.members.index(voters[int(np.argmin(without))][0])
            self.members[m], self.right[m], self.wrong[m], self.had[m] = self.build(m), 0.0, 0.0, 0
            self.replaced.append((self.n_rows - 1, m))

    def error(self, voters):
        """Return the weight of the window's rows on which the vote of these is wrong."""
        total = 0.0
        for x, y, w in self.rows:
            p = sum(vote * member.predict_proba_one(x) for member, vote in voters)
            total += w * (p.argmax() != y)
        return total
