"""BOLE in plain Python, over any learners as members."""

from twins.learners.ensembles.online_boost import OnlineBoostTwin


class BoleTwin(OnlineBoostTwin):
    """De Barros, de Carvalho Santos and Gonçalves' BOLE."""

    def __init__(self, members, n_classes, key, bound=0.5, shift=0.0):
        super().__init__(members, n_classes, key)
        self.bound, self.shift = bound, shift
        self.order = list(range(len(members)))

    def voters(self):
        """Return all members that may vote and their voting weights."""
        votes = self.votes()
        voters = [(m, vote) for m, vote in enumerate(votes) if vote is not None]
        self.met["passed over"] += any(votes[m] is None for m in range(voters[-1][0])) if voters else 0
        self.met["vote cut at 0"] += any(vote == 0 for _, vote in voters)
        return [(self.members[m], vote) for m, vote in voters]

    def ranking(self):
        """Return the members from the best to the worst; those of the same accuracy keep their order."""
        pairs = zip(self.right, self.wrong, strict=True)
        accuracy = [right / (right + wrong) if right + wrong else 0.0 for right, wrong in pairs]
        before, self.order = self.order, sorted(self.order, key=lambda m: -accuracy[m])
        self.met["new order"] += self.order != before
        self.met["tied members"] += len(set(accuracy)) < len(accuracy)
        return list(self.order)

    def chosen(self, left, was_right):
        """Take the best of those left after a right answer, the worst at first and after an error."""
        return left.pop(0 if was_right else -1)
