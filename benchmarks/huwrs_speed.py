"""HUWRS beside the same algorithm in Python over scikit-learn's trees, on the same rows in one run."""

import argparse
import time

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from thalweg.learners import HUWRS
from thalweg.streams import RandomRBF

N_BINS = 30
STREAMS = {"no drift": 0.0, "drift in 4 of 20": 3000.0}


class Member:
    """A tree of scikit-learn's, the histograms of its chunk, and its weights; all its inputs at once."""

    def __init__(self, columns):
        self.columns, self.labelled, self.unlabelled = columns, 1.0, 0.0

    def train(self, X, y):
        """Train on a chunk and keep its histograms."""
        part = X[:, self.columns]
        self.tree = DecisionTreeClassifier().fit(part, y)
        self.low = part.min(axis=0)
        self.scale = N_BINS / (part.max(axis=0) - self.low)
        self.counts = self.histograms(X, y)
        self.labelled = 1.0

    def histograms(self, X, y=None):
        """Return counts [class, input, bin]; one class without labels."""
        n_inputs = len(self.columns)
        cells = ((X[:, self.columns] - self.low) * self.scale).astype(int).clip(0, N_BINS - 1)
        cells += np.arange(n_inputs) * N_BINS
        if y is not None:
            cells += (y * n_inputs * N_BINS)[:, None]
        shape = (1 if y is None else 2, n_inputs, N_BINS)
        return np.bincount(cells.ravel(), minlength=np.prod(shape)).reshape(shape)

    def weight_by_chunk(self, X, y):
        """Return the least weight of an input, averaged over the classes."""
        return weights(self.counts, self.histograms(X, y)).mean(axis=0).min()

    def weight_by_window(self, X):
        """Return the mean weight of the inputs without labels."""
        return weights(self.counts.sum(axis=0)[None], self.histograms(X)).mean()


def weights(a, b):
    """Return the weights of the plain distance of counts over the last axis."""
    a = np.sqrt(a / np.maximum(a.sum(axis=-1, keepdims=True), 1))
    b = np.sqrt(b / np.maximum(b.sum(axis=-1, keepdims=True), 1))
    return 1 - np.sqrt(((a - b) ** 2).sum(axis=-1) / 2)


class Python:
    """The ensemble."""

    def __init__(self, subspaces, chunk_size):
        self.members, self.n_retrained = [Member(columns) for columns in subspaces], 0
        self.window = max(30, chunk_size // 10)

    def predict_chunk(self, X):
        """Return the probabilities of a chunk's rows; members are asked once, votes change as rows come."""
        answers = np.array([member.tree.predict_proba(X[:, member.columns]) for member in self.members])
        p = np.empty((len(X), 2))
        for start in range(0, len(X), self.window):
            votes = np.array([member.labelled + member.unlabelled for member in self.members])
            part = slice(start, start + self.window)
            p[part] = np.einsum("m,mik->ik", votes / votes.sum(), answers[:, part])
            if start + self.window <= len(X):
                for member in self.members:
                    member.unlabelled = member.weight_by_window(X[part])
        return p

    def learn_chunk(self, X, y, first):
        """Weigh the members and train those that are too far from the chunk."""
        for member in self.members:
            member.unlabelled = 0.0
            if not first:
                member.labelled = member.weight_by_chunk(X, y)
            if first or member.labelled < 0.7:
                self.n_retrained += not first
                member.train(X, y)


def run_python(X, y, subspaces, chunk):
    """Return seconds and accuracy of the Python program, chunk by chunk, after the first."""
    model = Python(subspaces, chunk)
    model.learn_chunk(X[:chunk], y[:chunk], first=True)
    start, right = time.process_time(), []
    for at in range(chunk, len(X), chunk):
        part = slice(at, at + chunk)
        right.append((model.predict_chunk(X[part]).argmax(axis=1) == y[part]).mean())
        model.learn_chunk(X[part], y[part], first=False)
    return time.process_time() - start, np.mean(right), model.n_retrained


def run_ours(X, y, chunk, distance):
    """Return the same for ours."""
    learner = HUWRS(chunk_size=chunk, threshold=0.7, distance=distance).begin(X.shape[1], [0, 1])
    learner.test_then_train(X[:chunk], y[:chunk])
    start, right = time.process_time(), []
    for at in range(chunk, len(X), chunk):
        part = slice(at, at + chunk)
        right.append((learner.predict_then_observe(X[part]).argmax(axis=1) == y[part]).mean())
        learner.test_then_train_coded(X[part], y[part], tested=np.zeros(chunk, dtype=bool))
    return time.process_time() - start, np.mean(right), learner.n_retrained_


def main():
    """Print a table: milliseconds a chunk, best of all turns; their ratio; the ratios of single turns, median
    and range; accuracies; and the share retrained."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--chunks", type=int, default=10, help="chunks measured")
    arguments = parser.parse_args()
    print("| stream | chunk | Python, ms | ours, ms | times faster | by turn | accuracy | retrained |")
    print("|---|" + "---:|" * 7)
    for name, shift in STREAMS.items():
        for chunk in (100, 300, 1000):
            stream = RandomRBF(chunk * (1 + arguments.chunks), n_features=20, n_centroids=50, speed=0,
                               n_shifted=4, shift=shift * 300 / chunk, seed=1)
            X, y = next(stream.blocks(stream.n_rows))
            subspaces = HUWRS(chunk_size=chunk).begin(20, [0, 1]).subspaces_
            turns = [(run_python(X, y, subspaces, chunk), run_ours(X, y, chunk, "plain"))
                     for _ in range(arguments.turns)]
            seconds = np.array([[theirs[0], ours[0]] for theirs, ours in turns]) / arguments.chunks * 1e3
            ratios = seconds[:, 0] / seconds[:, 1]
            theirs, ours = turns[-1]
            retrained = [each[2] / 100 / arguments.chunks for each in (theirs, ours)]
            print(f"| {name} | {chunk} | {seconds[:, 0].min():.0f} | {seconds[:, 1].min():.2f} | "
                  f"{np.divide(*seconds.min(axis=0)):.0f} | "
                  f"{np.median(ratios):.0f} [{ratios.min():.0f}, {ratios.max():.0f}] | "
                  f"{theirs[1]:.3f}, {ours[1]:.3f} | "
                  f"{retrained[0]:.2f}, {retrained[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
