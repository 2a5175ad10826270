"""AdaBoost on a window of rows in plain NumPy: all members found again after an error."""

from twins.learners.window_boosting.iboost import IBoost


class AdaBoostWindow(IBoost):
    """Freund and Schapire 1996, for several classes as in SAMME."""

    def __init__(self, n_classes, n_members, window, period, retrain="errors", train=None):
        super().__init__(n_classes, n_members, window, period, "none", add=retrain, train=train)

    def learn(self, x, y, w=1.0):
        """Return the probabilities of the row, then learn it."""
        p = self.predict(x)
        if self.slide(x, y, w, p):
            self.remove(range(self.n_members))
            while self.n_present < self.n_members and self.add():
                pass
        return p
