"""Your own observer: looks at the learner during a run, after the rows it asks for."""

import numpy as np

from thalweg.evaluation import prequential
from thalweg.evaluation.history import History
from thalweg.learners import HoeffdingTree
from thalweg.streams import SEA


class Growth:
    """Notes the size of a tree every 2,000 learned rows."""

    def begin(self, names=(), n_rows=None):
        """Start for a stream with inputs of these names, and of so many rows if that is known."""
        self.n_learned, self.notes = 0, []

    @property
    def n_until_next(self):
        """Rows to be learned until it looks again; blocks are cut there."""
        return 2000 - self.n_learned % 2000

    def update_coded(self, learner, X, codes):
        """Take note of rows that the learner has just learned; codes are positions in `classes_`."""
        self.n_learned += len(X)
        if self.n_learned % 2000 == 0:
            self.notes.append((self.n_learned, learner.n_leaves_))

    def as_history(self):
        """Return what was found, for `run.explanations` and the page; None if that is nothing."""
        rows, leaves = np.array(self.notes).T
        return History("leaves", rows, values=leaves[:, None].astype(float), names=["leaves"])


run = prequential(SEA(10_000, seed=1), HoeffdingTree(), observers=Growth())
found = run.explanations[0]
print(dict(zip(found.rows.tolist(), found.values[:, 0].astype(int).tolist(), strict=True)))
