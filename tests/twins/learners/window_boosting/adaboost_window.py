"""AdaBoost on a window of rows in plain NumPy: all stumps found again after an error."""

from twins.learners.window_boosting.iboost import IBoost


class AdaBoostWindow(IBoost):
    """Freund and Schapire 1996, for several classes as in SAMME."""

    def __init__(self, n_classes, n_members, window, period):
        super().__init__(n_classes, n_members, window, period, "none", 0, 1.0, None)

    def learn(self, x, y):
        """Return the probabilities of the row, then learn it."""
        p = self.predict(x)
        wrong = not self.n_present or p.argmax() != y
        self.n_rows += 1
        self.seen.add(y)
        self.X, self.y = [*self.X, x][-self.window :], [*self.y, y][-self.window :]
        if wrong and self.n_rows % self.period == 0:
            self.remove(range(self.n_members))
            n_present = -1
            while n_present < self.n_present < self.n_members:
                n_present = self.n_present
                self.add()
        return p
