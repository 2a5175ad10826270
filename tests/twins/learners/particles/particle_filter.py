"""The particle filter in plain NumPy: every particle stored, every random number from the same counters."""

import numpy as np
from twins._native.rng import normal, unit, word


def bits(key, counters):
    return word(np.array([key], np.uint64), np.array(counters, np.uint64))


def normals(words):
    return np.array([normal(word) for word in words.ravel().tolist()]).reshape(words.shape)


def unit_length(beta):
    return beta / np.sqrt((beta**2).sum(axis=-1, keepdims=True))


class ParticleTwin:
    """PF-LR for batches of `size` rows, handed over one by one; `settings` are those of the kernel.

    `met` has what probabilities, averages, spreads and sizes went through.
    """

    def __init__(self, n_features, n_classes, settings):
        self.__dict__.update(settings)
        self.n_classes, self.n_outputs = n_classes, n_classes if n_classes > 2 else 1
        self.shape = (self.n_particles, self.n_outputs * (1 + n_features))
        self.step, self.centre, self.best, self.kept = 0, None, None, None
        self.seen, self.candidates, self.tallies, self.chosen = np.ones(n_classes), None, None, 0
        self.met = set()
        self.size, self.gains, self.path = self.batch_size, [], np.zeros(self.shape[1])
        self.log_spread = np.full(self.shape, np.log(self.spread))
        self.next_spread, self.faded, self.active = self.spread, None, None
        self.n_seen, self.mean, self.variance = 0, np.zeros(n_features), np.zeros(n_features)

    def test_then_train(self, X, y):
        """Return the probabilities of the rows of one batch, each before it is learned; then learn them."""
        p = []
        for x, label in zip(X, y, strict=True):
            p.append(self.predict(x))
            self.seen[label] += 1
        if self.step or len(set(y)) > 1:
            self.learn(X, y)
        else:
            self.met.add("one class")
        return np.array(p)

    def predict(self, x):
        """Return probabilities: votes of up to 32 of the best set, mixed with the error rate so far."""
        if self.step == 0:
            return self.seen / self.seen.sum()
        answer, votes = self.answer(x, self.vote and self.chosen == 0)
        n_voters = votes.sum()
        votes[answer] += 1
        if votes.max() > votes[answer]:
            self.met.add("outvoted")
            most = votes.argmax()
            votes[most], votes[answer] = votes[answer], votes[most]
        ties = [k for k in np.flatnonzero(votes == votes[answer]) if k != answer]
        if ties:
            self.met.add("tied")
            votes[ties[0]] -= 0.25
            votes[answer] += 0.25
        others, q = self.n_classes - 1, votes / (n_voters + 1)
        error = min(max(self.error, 0.001), 0.9 * others / self.n_classes)
        return (1 - error) * q + error * (1 - q) / others

    def answer(self, x, votes_decide):
        """Return the class of the predictor, or of the vote, and the number of votes for each class."""
        x = self.standardised(x[None])
        n_voters = min(len(self.kept), -(-self.most_voters // 8) * 8)
        voters = self.kept[[v * len(self.kept) // n_voters for v in range(n_voters)]]
        votes = np.bincount(self.classes(voters, x), minlength=self.n_classes).astype(float)
        answer = self.classes(self.candidates[self.chosen][None], x)[0]
        if votes_decide and votes[answer] < votes.max():
            self.met.add("majority")
            answer = votes.argmax()
        return answer, votes

    def classes(self, particles, x):
        """Return the class that each particle answers for one row."""
        energy = self.energies(particles, x)[:, :, 0]
        return (energy[:, 0] < 0).astype(int) if self.n_outputs == 1 else energy.argmin(axis=1)

    def standardised(self, X):
        return (X - self.mean) / np.sqrt(self.variance) if self.scaled else X

    def in_raw_units(self, particles):
        """Return particles × outputs × coefficients of inputs as they come: −β₀ + β·x is the same."""
        beta = particles.reshape(len(particles), self.n_outputs, -1).copy()
        if self.scaled:
            beta[:, :, 1:] /= np.sqrt(self.variance)
            beta[:, :, 0] += beta[:, :, 1:] @ self.mean
        return beta

    def learn(self, X, y):
        """Learn one batch."""
        voted = None
        if self.vote and self.step:
            voted = np.mean([self.answer(x, True)[0] == label for x, label in zip(X, y, strict=True)])
        if self.scaled:
            for x in X:
                self.n_seen = min(self.n_seen + 1, self.memory * self.size / self.batch_size)
                error = x - self.mean
                self.mean = self.mean + error / self.n_seen
                self.variance = self.variance + (error * (x - self.mean) - self.variance) / self.n_seen
        X = self.standardised(X)
        if self.step:
            self.judge(X, y, voted)
            self.adapt(X, y)
            gain = self.try_half(X, y) if self.resizing else 0
            last = self.centre
            self.take_step(X, y)
            self.follow(last)
            self.resize(gain)
        else:
            for _ in range(self.n_warmup + 1):
                self.take_step(X, y)
            self.error = 1 - (self.hits(self.centre[None], X, y)[0] + 1) / (len(y) + 2)
            self.start_candidates(0.0)
        self.close(X, y)
        self.update_candidates()

    def close(self, X, y):
        """Do what a kind of filter does at the end of a batch."""

    def judge(self, X, y, voted):
        """Count the hits of all who might have predicted the batch, and the errors of the one that did."""
        accuracy = self.hits(self.candidates, X, y) / len(y)
        accuracy[0] = accuracy[0] if voted is None else voted
        self.tallies = 0.9 * self.tallies + accuracy
        self.error += 0.1 * (1 - accuracy[self.chosen] - self.error)

    def start_candidates(self, tally):
        self.candidates = np.tile(self.centre, (1 + self.n_averages, 1))
        self.tallies = np.full(1 + self.n_averages, tally)

    def update_candidates(self):
        """Move the averages to the centre, by a quarter, a sixteenth, …; the best so far predicts."""
        rates = 0.25 ** np.arange(1 + self.n_averages)
        self.candidates = self.candidates + rates[:, None] * (self.centre - self.candidates)
        self.candidates[0] = self.centre
        self.chosen = int(self.tallies.argmax())
        self.met |= {"average"} if self.chosen else set()

    def adapt(self, X, y):
        accuracy = self.hits(self.centre[None], X, y)[0] / len(y)
        self.next_spread = self.spread
        if self.faded is None:
            self.faded = accuracy
            return
        if self.movement:
            n_active = len(self.path) if self.active is None else self.active.sum()
            moving = 3 * np.sqrt((self.path**2).sum() / n_active)
            self.next_spread = min(max(moving, 0.3 * self.spread), 3 * self.spread)
            bound = "most" if moving > self.spread else "least"
            self.met.add("free" if moving == self.next_spread else bound)
        if self.wide_spread and accuracy < self.faded - 2 * np.sqrt(self.faded * (1 - self.faded) / len(y)):
            self.next_spread = self.wide_spread * (self.next_spread / self.spread)
        self.faded += 0.1 * (accuracy - self.faded)

    def follow(self, last):
        """Fade the path by what the centre moved in this batch, the short way where it closes on itself."""
        moved = self.centre - last
        if self.modulo:
            moved = (moved + self.modulo / 2) % self.modulo - self.modulo / 2
        self.path = 0.7 * self.path + 0.3 * moved

    def try_half(self, X, y):
        """Return the hits on the second half that the best particles on the first half would gain."""
        half = len(y) // 2
        particles = np.vstack([self.centre, self.draw()[0]])
        hits = self.hits(particles, X[:half], y[:half])
        trial = particles[hits == hits.max()].mean(axis=0)
        trial = unit_length(trial) if self.scaled else trial
        after = self.hits(np.array([trial, self.centre]), X[half:], y[half:])
        return int(after[0]) - int(after[1])

    def resize(self, gain):
        """Halve or double the next batch if gains since the last time are two deviations from 0.

        After 400 batches it is doubled without.
        """
        self.gains.append(gain)
        decided = sum(self.gains) ** 2 > 4 * sum(gain**2 for gain in self.gains)
        if decided or len(self.gains) == 400:
            shrinks = decided and sum(self.gains) > 0
            self.met.add("shrinks" if shrinks else "grows")
            least = min(4, self.batch_size)
            self.size = max(self.size // 2, least) if shrinks else min(2 * self.size, self.batch_size)
            self.gains = []

    def take_step(self, X, y):
        particles, log_spread = self.draw()
        if self.likelihood:
            log_p = self.log_likelihoods(particles, X, y)
            weights = np.exp(log_p - log_p.max())
            sums = np.cumsum(weights)
            u = sums[-1] * unit(bits(self.keys[0], np.arange(self.n_particles)))
            self.parents = np.searchsorted(sums, u, side="right")
            self.particles, self.parent_log_spread = particles, log_spread
            self.centre = weights @ particles / weights.sum()
            self.kept = particles[list(dict.fromkeys(self.parents))]
        else:
            if self.step:
                particles = np.vstack([self.centre, particles])
            hits = self.hits(particles, X, y)
            self.best = np.flatnonzero(hits == hits.max()) + (0 if self.step else 1)
            kept = self.best if self.step else self.best - 1
            self.particles = self.kept = particles[kept]
            self.centre = self.particles.mean(axis=0)
            spreads = np.vstack([self.centre_log_spread, log_spread]) if self.step else log_spread
            self.parent_log_spread = spreads[kept]
            self.centre_log_spread = self.parent_log_spread.mean(axis=0)
            if self.scaled:
                self.centre = unit_length(self.centre)
        self.log_spread = log_spread
        self.step += 1

    def draw(self):
        self.keys = bits(self.seed, 4 * self.step + np.arange(4))
        counters = np.arange(self.n_particles * self.shape[1]).reshape(self.shape)
        if self.step == 0:
            words = bits(self.keys[3], counters)
            start = {0: np.zeros(self.shape), 1: unit(words), 2: normals(words)}[self.start]
            particles, log_spread = self.start_width * start, self.log_spread
        else:
            if not self.likelihood:
                words = bits(self.keys[0], np.arange(self.n_particles)).tolist()
                self.parents = [word * len(self.particles) >> 64 for word in words]
            particles, log_spread = self.particles[self.parents], self.parent_log_spread[self.parents]
        spread = self.next_spread
        if self.regularised:
            log_spread = self.pull * log_spread + (1 - self.pull) * self.log_spread.mean(axis=0)
            log_spread = log_spread + self.jitter * normals(bits(self.keys[2], counters))
            log_spread = log_spread.clip(np.log(0.001), 0.0)
            spread = np.exp(log_spread)
        particles = particles + spread * normals(bits(self.keys[1], counters))
        if self.active is not None:
            particles = particles * self.active
        if self.modulo:
            particles = particles % self.modulo
        return (unit_length(particles) if self.scaled else particles), log_spread

    def energies(self, particles, X):
        """Energies: particles × outputs × rows."""
        beta = particles.reshape(len(particles), self.n_outputs, -1)
        if self.circle:
            distance = ((X[None, None] - beta[:, :, None, 1:]) ** 2).sum(axis=-1)
            return distance - beta[:, :, :1] ** 2
        return beta[:, :, 1:] @ X.T - beta[:, :, :1]

    def hits(self, particles, X, y):
        energy = self.energies(particles, X)
        if self.n_outputs == 1:
            return (((energy[:, 0] < 0) & (y == 1)) | ((energy[:, 0] > 0) & (y == 0))).sum(axis=1)
        own = energy[:, y, np.arange(len(y))].copy()
        energy[:, y, np.arange(len(y))] = np.inf
        return (own < energy.min(axis=1)).sum(axis=1)

    def log_likelihoods(self, particles, X, y):
        energy = self.energies(particles, X)
        if self.n_outputs == 1:
            return -np.logaddexp(0, np.where(y == 1, energy[:, 0], -energy[:, 0])).sum(axis=1)
        own = energy[:, y, np.arange(len(y))]
        return -(own + np.logaddexp.reduce(-energy, axis=1)).sum(axis=1)
