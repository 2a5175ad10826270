"""The fast and light classifier in plain Python, over any learners as members."""

from twins._native.rng import poisson, word
from twins.learners.ensembles.online_boost import OnlineBoostTwin


class FastLightTwin(OnlineBoostTwin):
    """Online boosting; where `watch`, an ADWIN, cuts its window, members learn the row with (1 - q)/q."""

    def __init__(self, members, n_classes, key, watch):
        super().__init__(members, n_classes, key)
        self.watch = watch
        self.changes = []

    def has_changed(self, is_wrong):
        """Return whether ADWIN cuts its window after this row; a fall of the mean counts, too."""
        width = self.watch.width
        self.watch.update(float(is_wrong))
        return self.watch.width <= width

    def learn(self, x, y, w):
        """Learn a row of weight `w`."""
        changed = self.has_changed(self.predict(x).argmax() != y)
        if changed:
            self.changes.append(self.n_rows)
        weight = w
        for m, member in enumerate(self.members):
            had = self.right[m] + self.wrong[m]
            if changed:
                q = max(self.wrong[m] / had, 1e-3) if had else 0.5
                weight = w * (1 - q) / q
            times = poisson(weight, word(self.key, self.n_rows * len(self.members) + m))
            if times:
                member.test_then_train(x[None], [y], sample_weight=[times])
            part = self.right if member.predict_proba_one(x).argmax() == y else self.wrong
            part[m] += weight
            weight = weight * (self.right[m] + self.wrong[m]) / (2 * part[m]) if part[m] else 0.0
        self.n_rows += 1
