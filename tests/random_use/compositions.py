"""Random compositions of learners: row by row, or in blocks with reloads between, give the same."""

import inspect
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from support.every_learner import registry

import thalweg
from thalweg.checks.running import assert_same
from thalweg.preprocessing import FeatureHasher, Imputer, OneHotEncoder, Pipeline, StandardScaler

VALUES = {  # small, so that a hundred rows lead through all states of a learner
    "n_members": (2, 3, 5),
    "chunk_size": (20, 50),
    "window": (30, 100),
    "period": (1, 7, 25),
    "batch_size": (8, 24),
    "n_particles": (20, 50),
    "grace_period": (10, 50),
    "min_rows": (10, 30),
    "max_waiting": (3, 50, 10_000),
    "max_members": (3, 10),
    "n_bins": (5, 30),
    "order": (1, 2),
    "n": (1, 2),
    "folds": (2, 3),
    "min_categories": (2, 17),
    "random_state": (0, 1, 2),
    "n_jobs": (1, 2),
    "max_leaves": (None, 4),
    "keep_answers": (True, False),
}
DEEPEST = 2
STEPS = (StandardScaler, Imputer, OneHotEncoder, FeatureHasher)
LABELS = ([0, 1], ["no", "yes"], [False, True], [3, 1, 2], ["a", "b", "c", "d"])
WEIGHTS = (0.0, 0.5, 1.0, 2.0, 3.7)


def run(seed):
    """Try the case of this seed; return "agreed" or "refused"; raise AssertionError if two paths differ."""
    rng = np.random.default_rng(seed)
    learner = composition(rng)
    use = Use(rng)
    description = f"{learner!r}, {use}"
    try:
        one_by_one = use.begun(learner.copy())
    except ValueError:
        return "refused"
    answers, ending = followed(one_by_one, use, [[event] for event in use.events])
    again, ending_again = followed(use.begun(learner.copy()), use, cut(use.events, rng), rng)
    if ending or ending_again:
        assert isinstance(ending, ValueError) and isinstance(ending_again, ValueError), (
            f"{description}: one by one {ending!r}, in blocks {ending_again!r}"
        )
        return "refused"
    for (row, p), (_, q) in zip(answers, again, strict=True):
        assert same_probabilities(p, q), f"{description}: row {row}: {p} one by one, {q} in blocks"
    return "agreed"


def composition(rng, depth=0):
    """Return a learner with random parameters; members are compositions themselves."""
    owners = [name for name in registry if member_parameter(registry.load(name))]
    others = [name for name in registry if name not in owners]
    if depth < DEEPEST and rng.random() < (0.8 if depth == 0 else 0.3):
        if rng.random() < 0.15:
            steps = [STEPS[i]() for i in rng.permutation(len(STEPS))[: rng.integers(1, 3)]]
            return Pipeline(steps, composition(rng, depth + 1))
        name = str(rng.choice(owners))
    else:
        name = str(rng.choice(others))
    kind = registry.load(name)
    place = member_parameter(kind)
    drawn = [name for name in inspect.signature(kind).parameters if name in VALUES]
    parameters = {
        name: VALUES[name][rng.integers(len(VALUES[name]))]
        for name in drawn
        if name == "n_members" or rng.random() < 0.7
    }
    if place == "members":
        parameters[place] = [composition(rng, depth + 1) for _ in range(rng.integers(1, 4))]
    elif place and rng.random() < 0.9:
        parameters[place] = composition(rng, depth + 1)
    return kind(**parameters)


def member_parameter(kind):
    """Return the name of the parameter that takes other learners, or None."""
    parameters = inspect.signature(kind).parameters
    return next((name for name in ("member", "members", "learner") if name in parameters), None)


class Use:
    """Rows, labels, and the order in which they are predicted, observed and learned."""

    def __init__(self, rng):
        self.n = int(rng.choice([30, 80, 150]))
        self.labels = LABELS[rng.integers(len(LABELS))]
        self.knows_classes = rng.random() < 0.5
        self.has_names = rng.random() < 0.5
        if self.has_names:
            self.rows = records(rng, self.n)
            self.n_inputs = None
        else:
            self.n_inputs = int(rng.choice([1, 2, 3, 7, 20]))
            self.rows = rng.normal(size=(self.n, self.n_inputs)).round(2)
            self.rows[rng.random(self.rows.shape) < rng.choice([0.0, 0.1])] = np.nan
        self.codes = np.minimum(rng.poisson(0.7, self.n), len(self.labels) - 1)
        if rng.random() < 0.3:  # rare events
            self.codes[: self.n // 3] = 0
        self.weights = rng.choice(WEIGHTS, self.n) if rng.random() < 0.3 else None
        self.has_frames = self.has_names and rng.random() < 0.4
        self.latest = int(rng.choice([0, 0, 5, 40]))
        self.events = timeline(rng, self.n, self.latest)

    def __repr__(self):
        names = ("n", "n_inputs", "labels", "knows_classes", "has_names", "has_frames", "latest")
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in names)

    def begun(self, learner):
        """Return the learner, begun."""
        return learner.begin(self.n_inputs, self.labels if self.knows_classes else None)

    def block(self, places, as_frame=False):
        """Return these rows together."""
        if not self.has_names:
            return self.rows[places]
        rows = [self.rows[i] for i in places]
        have_same_names = len({frozenset(row) for row in rows}) == 1
        # A frame has an order of columns; without one, that of the first row that is learned counts.
        is_first_learned = self.weights is None or self.weights[places[0]] > 0
        return pd.DataFrame(rows) if as_frame and have_same_names and is_first_learned else rows

    def label(self, places):
        """Return the labels of these rows."""
        return [self.labels[self.codes[i]] for i in places]


def records(rng, n):
    """Return `n` rows with names, absent keys, texts, and inputs that only come later."""
    n_names = int(rng.integers(1, 6))
    begins = np.where(rng.random(n_names) < 0.3, rng.integers(0, n, n_names), 0)
    begins[rng.integers(n_names)] = 0
    has_text = rng.random(n_names) < 0.4
    rows = []
    for i in range(n):
        row = {}
        for j in rng.permutation(n_names):
            if i >= begins[j] and (rng.random() < 0.95 or not row):
                text = "abcdefgh"[rng.integers(min(2 + i // 20, 8))]
                row[f"x{j}"] = text if has_text[j] else float(rng.normal())
        rows.append(row or {"x0": "a" if has_text[0] else 1.0})
    return rows


def timeline(rng, n, latest):
    """Return pairs (what, row): a row is learned at once, or observed and learned some rows later."""
    due, events = {}, []
    for i in range(n):
        if rng.random() < 0.1:
            events.append(("predict", i))
        if latest and rng.random() < 0.6:
            events.append(("observe", i))
            if rng.random() < 0.9:
                due.setdefault(i + int(rng.integers(1, latest + 1)), []).append(i)
        else:
            events.append(("learn", i))
        events += [("label", j) for j in due.pop(i, [])]
    return events


def cut(events, rng):
    """Return the events in blocks of the same kind, cut at random."""
    blocks, longest = [], int(rng.choice([2, 10, 1000]))
    for event in events:
        if blocks and blocks[-1][0][0] == event[0] and len(blocks[-1]) < longest and rng.random() < 0.95:
            blocks[-1].append(event)
        else:
            blocks.append([event])
    return blocks


def followed(learner, use, blocks, rng=None):
    """Return pairs (row, {label: probability}) in order, and the error that ended it or None."""
    answers = []
    for block in blocks:
        what, places = block[0][0], [i for _, i in block]
        X = use.block(places, as_frame=rng is not None and use.has_frames and rng.random() < 0.5)
        try:
            if rng is not None and rng.random() < 0.15:
                learner = passed_on(learner, rng)
            if what == "observe":
                learner.observe(X, places)
                continue
            if what == "predict":
                p = learner.predict_proba_block(X)
            else:
                weight = None if use.weights is None else use.weights[places]
                ids = places if what == "label" else None
                p = learner.test_then_train(X, use.label(places), sample_weight=weight, ids=ids)
        except Exception as error:
            return answers, error
        classes = learner.classes_.tolist()
        answers += [(i, dict(zip(classes, row, strict=False))) for i, row in zip(places, p, strict=True)]
    return answers, None


def passed_on(learner, rng):
    """Return the learner after something that changes nothing: copied, pickled, saved or restored."""
    match rng.integers(4):
        case 0:
            return learner.copy()
        case 1:
            return pickle.loads(pickle.dumps(learner))
        case 2:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "learner.tw"
                thalweg.save(learner, path)
                loaded = thalweg.load(path)
            assert_same(loaded.state(), learner.state())
            return loaded
    return learner.copy().restore(learner.state())


def same_probabilities(p, q):
    """Return whether two rows agree to the bit; a class that only one of them has is impossible there."""
    return all(p.get(label, 0.0) == q.get(label, 0.0) for label in {*p, *q})
