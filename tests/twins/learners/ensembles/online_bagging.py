"""Online bagging in plain Python, over any learners as members; ADWIN may watch their errors."""

import numpy as np
from twins._native.rng import poisson, word

from thalweg.drift import ADWIN


class BaggingTwin:
    """Oza and Russell's online bagging; with `delta`, Bifet's ADWIN bagging and leveraging bagging.

    `build` returns a member that has begun; `replaced` has the row and the member of each replacement.
    """

    def __init__(self, build, keys, poisson_mean=1.0, delta=None):
        self.build, self.keys, self.poisson_mean, self.delta = build, keys, poisson_mean, delta
        self.members = [build() for _ in keys]
        self.watches = [ADWIN(delta) for _ in keys] if delta else []
        self.n_rows, self.replaced = 0, []

    def run(self, X, y, w):
        """Return the probabilities of each row before it is learned."""
        return np.array([self.learn(*row) for row in zip(X, y, w, strict=True)])

    def learn(self, x, y, w):
        p = np.mean([member.predict_proba_one(x) for member in self.members], axis=0)
        for member, key in zip(self.members, self.keys, strict=True):
            times = poisson(self.poisson_mean, word(key, self.n_rows))
            if times:
                member.test_then_train(x[None], [y], sample_weight=[w * times])
        wrong = [float(member.predict_proba_one(x).argmax() != y) for member in self.members]
        alarms = [watch.update(loss) for watch, loss in zip(self.watches, wrong, strict=False)]
        if any(alarms):
            self.replace(int(np.argmax([watch.mean for watch in self.watches])))
        self.n_rows += 1
        return p

    def replace(self, worst):
        self.members[worst], self.watches[worst] = self.build(), ADWIN(self.delta)
        self.replaced.append((self.n_rows, worst))
