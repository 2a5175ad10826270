"""Rows whose labels come late, out of order or never, for any learner; and learners that keep such rows."""

import numpy as np
from sklearn.base import clone

from thalweg import learners
from thalweg.learners import (
    AdaptiveStacking,
    DriftReset,
    HoeffdingTree,
    LabelChain,
    LastLabels,
    MajorityClass,
    NaiveBayes,
    NeighbourMixture,
    OnlineBagging,
)
from thalweg.learners.base import StreamClassifier
from thalweg.preprocessing import Pipeline, StandardScaler

SMALL = {"n_members": 3, "max_members": 3, "window": 20, "chunk_size": 20}
ENSEMBLES = [
    name
    for name in learners.registry
    if "member" in learners.registry.load(name)().get_params(deep=False) and name != "LastLabels"
]


class Dropping(StreamClassifier):
    """Hides the last input from a learner, and hands on the numbers of rows that wait for labels."""

    observes = True

    def __init__(self, learner=None):
        self.learner = learner

    def _begin(self, n_features, n_classes):
        self._inner = clone(LabelChain() if self.learner is None else self.learner)
        self._inner.begin(n_features - 1, range(n_classes))

    def _learn(self, X, y, w, p, ids=None):
        p[:] = self._inner.test_then_train(X[:, :-1].copy(), y, sample_weight=w, ids=ids)

    def _observe(self, X, ids=None):
        self._inner.observe(X[:, :-1].copy(), ids)

    def _predict(self, X, p):
        p[:] = self._inner.predict_proba(X[:, :-1].copy())


def stack(**parameters):
    """Return a stack of learners that keep rows, of one that does not, and of a stack."""
    inner = AdaptiveStacking([MajorityClass(), LabelChain()], max_waiting=1000)
    members = [LastLabels(HoeffdingTree()), LabelChain(2), Pipeline([StandardScaler()], NaiveBayes()), inner]
    return AdaptiveStacking(members, **parameters)


def keepers():
    """Return learners that keep something with rows that wait, or have members that do, by name."""
    mixture = NeighbourMixture((1, 3), (10, 30))
    found = {
        "LabelChain": LabelChain(2),
        "LastLabels": LastLabels(NaiveBayes(), n=2),
        "LastLabels of LastLabels": LastLabels(LastLabels(HoeffdingTree())),
        "NeighbourMixture": mixture,
        "Pipeline": Pipeline([StandardScaler(decay=0.99)], NaiveBayes()),
        "Pipeline of LastLabels": Pipeline([StandardScaler()], LastLabels(NaiveBayes())),
        "AdaptiveStacking": stack(),
        "AdaptiveStacking on two threads": stack(n_jobs=2),
        "OnlineBagging on two threads": OnlineBagging(mixture, n_members=3, n_jobs=2),
        "OnlineBagging of several": OnlineBagging([LabelChain(), mixture, NaiveBayes()], n_members=3),
        "DriftReset of a stack": DriftReset(stack()),
        "a wrapper written in Python": Dropping(LastLabels(NaiveBayes())),
        "a stack of wrappers": AdaptiveStacking([Dropping(LabelChain(2)), LabelChain()]),
    }
    for name in ENSEMBLES:
        ensemble = learners.registry.load(name)(member=LastLabels(NaiveBayes()))
        given = ensemble.get_params(deep=False)
        if ensemble.observes:
            found[name] = ensemble.set_params(**{key: SMALL[key] for key in SMALL if key in given})
    return found


def random_steps(n_rows, seed=0, latest=40, at_once=0.2, never=0.1):
    """Return ("observe", row) and ("learn", row) in the order in which they happen, for random delays."""
    rng = np.random.default_rng(seed)
    delay = np.where(rng.random(n_rows) < at_once, 0, rng.integers(1, latest, n_rows))
    comes = np.where(rng.random(n_rows) < never, 10 * n_rows, np.arange(n_rows) + delay)
    steps = []
    for i in range(n_rows + latest):
        if i < n_rows and comes[i] > i:
            steps.append(("observe", i))
        steps += [("learn", int(row)) for row in rng.permutation(np.flatnonzero(comes == i))]
    return steps


def blocks_of(steps):
    """Return (what, rows) for each longest range of steps that do the same."""
    blocks = []
    for what, row in steps:
        if not blocks or blocks[-1][0] != what:
            blocks.append((what, []))
        blocks[-1][1].append(row)
    return blocks


def follow(learner, X, y, steps, ids=None, in_blocks=True):
    """Let a learner observe and learn rows as the steps say; return what it predicted for those learned."""
    p = []
    for what, rows in blocks_of(steps) if in_blocks else [(what, [row]) for what, row in steps]:
        given = None if ids is None else ids[rows]
        if what == "observe":
            learner.observe(X[rows], given)
        elif in_blocks:
            p.append(learner.test_then_train(X[rows], y[rows], ids=given))
        else:
            p.append(learner.predict_proba(X[rows]))
            learner.learn_one(X[rows[0]], y[rows[0]], id=None if ids is None else given[0])
    return np.concatenate(p) if p else None
