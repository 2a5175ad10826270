"""IBoost in plain NumPy: everything computed again from the window after every row."""

from itertools import pairwise

import numpy as np

from thalweg.drift import ADWIN


class IBoost:
    """Algorithm 2 of Grbovic and Vucetic, for several classes as in SAMME.

    Members are stumps, or what `train` returns for rows, codes and weights: learners that have learned them.
    With `delta`, ADWIN cuts the window, which has `window` rows at most. `met` has what happened.
    """

    def __init__(
        self,
        n_classes,
        n_members,
        window,
        period,
        update,
        n_updates=1,
        rate=1.0,
        cap=None,
        add="errors",
        remove="lightest",
        delta=None,
        train=None,
    ):
        self.n_classes, self.n_members, self.window, self.period = n_classes, n_members, window, period
        self.update, self.n_updates, self.rate, self.cap = update, n_updates, rate, cap
        self.adding, self.removal, self.train = add, remove, train or self.best_stump
        self.adwin = ADWIN(delta, period=1) if delta else None
        self.X, self.y, self.w, self.seen, self.n_rows = [], [], [], set(), 0
        self.members, self.alpha = [None] * n_members, np.zeros(n_members)  # None where there is no member
        self.born, self.n_built, self.met = [0] * n_members, 0, set()

    def votes(self, x):
        total = np.zeros(self.n_classes)
        for member, alpha in zip(self.members, self.alpha, strict=True):
            if member is not None:
                total[answers_of(member, [x])[0]] += alpha
        return total

    def predict(self, x):
        if not self.seen:
            return np.full(self.n_classes, 1 / self.n_classes)
        votes = self.votes(x)
        seen = sorted(self.seen)
        p = np.zeros(self.n_classes)
        p[seen] = np.exp(2 * (votes[seen] - votes[seen].max()))
        return p / p.sum()

    def is_right(self, member):
        return np.array(answers_of(member, self.X)) == self.y

    @property
    def answers(self):
        k, none = max(len(self.seen), 2), np.zeros(len(self.X))
        return np.array([none if m is None else 2 * self.is_right(m) - 2 / k for m in self.members])

    @property
    def n_present(self):
        return sum(member is not None for member in self.members)

    def shares(self, answers):
        margins = self.alpha @ answers
        w = self.w * np.exp(-(margins - margins.min()))
        return w / w.sum()

    def learn(self, x, y, w=1.0):
        """Return the probabilities of the row, then learn it."""
        p = self.predict(x)
        due = self.slide(x, y, w, p)
        n_before = self.n_present
        if self.adding == "until_full" and n_before == self.n_members:
            due = False
        if due and n_before == self.n_members:
            self.remove([self.superfluous()])
        self.improve()
        if due:
            self.add()
        if (self.alpha < 0).any():
            self.met.add("negative")
            self.remove(np.flatnonzero(self.alpha < 0))
            self.improve()
        if self.cap and self.alpha.clip(0).sum() > self.cap:
            self.alpha = self.alpha * (self.cap / self.alpha.clip(0).sum())
        return p

    def slide(self, x, y, w, p):
        """Put the row into the window; return whether a member is due, p being the row's probabilities."""
        wrong = not self.n_present or p.argmax() != y
        self.n_rows += 1
        self.seen.add(y)
        room = self.window
        if self.adwin:
            self.adwin.update(float(wrong))
            room = min(room, self.adwin.width)
            self.met |= {"cut"} if room < min(len(self.y) + 1, self.window) else set()
        self.X, self.y, self.w = [*self.X, x][-room:], [*self.y, y][-room:], [*self.w, w][-room:]
        called = wrong or self.adding == "always"
        return not self.n_present or (called and self.n_rows % self.period == 0)

    def superfluous(self):
        """Return the member that makes room for another."""
        self.met.add("full")
        return {
            "lightest": lambda: self.alpha.argmin(),
            "oldest": lambda: np.argmin(self.born),
            "worst": lambda: np.argmin([self.is_right(member).sum() for member in self.members]),
        }[self.removal]()

    def remove(self, members):
        for m in members:
            self.members[m], self.alpha[m] = None, 0.0

    def improve(self):
        if not self.n_present or self.update == "none":
            return
        answers = self.answers
        for _ in range(self.n_updates):
            getattr(self, self.update)(answers)

    def stochastic(self, answers):
        self.alpha = self.alpha + self.rate * self.shares(answers)[-1] * answers[:, -1]

    def batch(self, answers):
        self.alpha = self.alpha + self.rate * answers @ self.shares(answers)

    def implicit(self, answers):
        newest = answers[:, -1]
        low, high = 0.0, 1e3
        for _ in range(200):
            s = (low + high) / 2
            if s > self.rate * self.w[-1] * np.exp(-(self.alpha @ newest + s * newest @ newest)):
                high = s
            else:
                low = s
        self.alpha = self.alpha + s * newest

    def coordinate(self, answers):
        k = max(len(self.seen), 2)
        for m in range(len(self.alpha)):
            if self.members[m] is None:
                continue
            w = self.shares(answers)
            right = w[answers[m] > 0].sum()
            odds = (k - 1) * max(right, 1e-3) / max(1 - right, 1e-3)
            self.alpha[m] += self.rate / 2 * np.log(odds)

    def add(self):
        """Train a member on the shares of the loss; add it and return True if it beats guessing."""
        w = self.shares(self.answers)
        member = self.train(np.array(self.X), np.array(self.y), w * len(w))
        error = np.clip(w[~self.is_right(member)].sum(), 1e-3, 1 - 1e-3)
        alpha = 0.5 * np.log((max(len(self.seen), 2) - 1) * (1 - error) / error)
        if alpha <= 1e-12:
            self.met.add("refused")
            return False
        m = self.members.index(None)
        self.n_built += 1
        self.members[m], self.alpha[m], self.born[m] = member, alpha, self.n_built
        return True

    def best_stump(self, X, y, w):
        return best_stump(X, y, w / w.sum(), self.n_classes)


def answers_of(member, X):
    """Return the classes that a member answers."""
    if not isinstance(member, tuple):
        return member.predict_proba_block(np.array(X)).argmax(axis=1)
    return [answer(member, x) for x in X]


def answer(stump, x):
    """Return the class that a stump answers."""
    feature, threshold, left, right = stump
    return left if x[feature] <= threshold else right


def best_stump(X, y, w, n_classes):
    """Return (feature, threshold, class up to it, class above it) of smallest weighted error."""
    one_hot = np.eye(n_classes)[y] * w[:, None]
    total = one_hot.sum(axis=0)
    best, found = total.max(), (0, 0.0, total.argmax(), total.argmax())
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for low, high in pairwise(values):
            left = one_hot[X[:, j] <= low].sum(axis=0)
            score = left.max() + (total - left).max()
            if score > best + 1e-12:
                best, found = score, (j, low + (high - low) / 2, left.argmax(), (total - left).argmax())
    return found
