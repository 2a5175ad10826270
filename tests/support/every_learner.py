"""All public learners, those around a learner (`thalweg.trust`) after the others."""

from thalweg import learners, trust


class EveryLearner:
    """The names of both registries, and the classes they stand for."""

    parts = (learners.registry, trust.registry)

    def __iter__(self):
        return (name for part in self.parts for name in part)

    def __contains__(self, name):
        return any(name in part for part in self.parts)

    def load(self, name):
        """Return the class of that name."""
        return next(part for part in self.parts if name in part).load(name)


registry = EveryLearner()
