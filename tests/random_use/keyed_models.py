"""Models by key at random, beside dicts of separate learners and written-down rules for statuses."""

import pickle
import tempfile
from collections import Counter, OrderedDict
from pathlib import Path

import numpy as np
import pytest

import thalweg
from random_use.tables import as_csv
from thalweg import keyed
from thalweg.errors import ParameterError
from thalweg.keyed import Bank, Operator
from thalweg.learners import (
    HoeffdingTree,
    LinearLogistic,
    LogisticMixture,
    MajorityClass,
    NaiveBayes,
    NearestNeighbours,
)

KEYED = (NaiveBayes, LinearLogistic, LogisticMixture, MajorityClass, lambda: NearestNeighbours(window=20),
         lambda: HoeffdingTree(grace_period=20))  # fmt: skip
KEYS = ("ann", "bob", "", "x" * 300, "Ünal", "7", "a,b")
ODD = ("much", [1.0], "half of a pair \ud83d")  # cells that are no number


def a_bank(rng):
    """Compare a bank with a dict of learners, and its rows that wait with a table."""
    make, k = KEYED[rng.integers(len(KEYED))], int(rng.choice([1, 3]))
    classes, most = ["no", "yes", "maybe"], int(rng.choice([3, 1000]))
    n_jobs, most_bytes = int(rng.choice([1, 2])), [None, 20_000][rng.integers(2)]
    folder = tempfile.TemporaryDirectory()
    settings = {"max_waiting": most, "n_jobs": n_jobs, "max_bytes": most_bytes, "folder": folder.name}
    bank = Bank(make(), on_error="skip", **settings).begin(k, classes)
    alone, waiting, n_dropped = {}, OrderedDict(), 0
    what = f"{make()!r}, {k} inputs, {settings}"

    def learner(key):
        return alone.setdefault(key, make().begin(k, classes))

    for step in range(int(rng.integers(5, 30))):
        n = int(rng.choice([1, 2, 10, 60]))
        keys = [KEYS[i] if rng.random() < 0.95 else None for i in rng.integers(0, len(KEYS), n)]
        X = rng.normal(size=(n, k)).round(1)
        X[rng.random(X.shape) < 0.05] = np.nan
        said = [classes[i] for i in rng.integers(0, 3, n)]
        match rng.integers(5):
            case 0 | 1:
                bad = rng.random(n) < 0.05
                X[bad, 0] = np.inf
                found = bank.test_then_train(keys, X, said)
                rows = zip(keys, X, said, bad, strict=True)
                expected = [
                    np.full(3, np.nan) if is_bad else learner(key).test_then_train(x[None], [label])[0]
                    for key, x, label, is_bad in rows
                ]
            case 2:
                ids = [f"{step} {i}" for i in range(n)]
                found = bank.predict_proba_block(keys, X, ids=ids)
                expected = [
                    learner(key).predict_proba_block(x[None])[0] for key, x in zip(keys, X, strict=True)
                ]
                waiting.update(zip(ids, zip(keys, X, strict=True), strict=True))
                while len(waiting) > most:
                    waiting.popitem(last=False)
                    n_dropped += 1
            case 3:
                ids = [str(each) for each in rng.permutation([*waiting, "unknown"])[:n]]
                known = [each for each in ids if each in waiting]
                n_learned = bank.label(ids, said[: len(ids)], ignore_unknown=True)
                assert n_learned == len(known), f"{what}: {n_learned} labels learned, not {len(known)}"
                for each, label in zip(ids, said, strict=False):
                    if each in waiting:
                        key, x = waiting.pop(each)
                        learner(key).test_then_train(x[None], [label])
                continue
            case 4:
                bank = bank.copy() if rng.integers(2) == 0 else pickle.loads(pickle.dumps(bank))
                found = bank.predict_proba_block(keys, X)
                fresh = make().begin(k, classes)
                learners = [alone.get(key, fresh) for key in keys]
                expected = [
                    each.predict_proba_block(x[None])[0] for each, x in zip(learners, X, strict=True)
                ]
        same = np.array_equal(found, np.array(expected), equal_nan=True)
        assert same, f"{what}: step {step}: other answers"
        counts = (bank.n_waiting_, bank.n_dropped_)
        assert counts == (len(waiting), n_dropped), f"{what}: {counts}, not {len(waiting), n_dropped}"


def an_operator(rng):
    """Compare an operator with a dict of learners and the rules of its statuses, and a run of it with it."""
    make, most = KEYED[rng.integers(len(KEYED))], int(rng.choice([2, 1000]))
    operator = Operator(
        Bank(make()), key="who", order="n", target="y", id="id", weight="w", max_waiting=most,
    ).begin(inputs=["a", "b"], classes=["no", "yes"])  # fmt: skip
    events = events_of_keys(rng)
    rules = KeyedRules(make, most)
    state, place, outputs = None, 0, []
    while place < len(events):
        batch = events[place : place + int(rng.choice([1, 5, 40]))]
        place += len(batch)
        found, state = operator(batch, state)
        outputs += found.to_pylist()
        expected = rules.batch(batch)
        lines = [(line["status"], line["p_no"]) for line in found.to_pylist()]
        assert lines == expected, f"{make()!r}, {most}: {lines}; by the rules {expected} of {batch}"
    if rng.random() < 0.4:
        assert_run(rng, operator, events, make())


def a_shared_start(rng):
    """Compare a run by key whose models begin with what one model has learned with a bank; rows have gaps.

    Without that model it is refused: it would be learned from the rows that are judged.
    """
    n, name = int(rng.integers(20, 120)), ("NaiveBayes", "LogisticMixture")[rng.integers(2)]
    start, places = ("copy", "mix")[rng.integers(2)], rng.integers(0, 4, n)
    rows = [{"who": KEYS[i], "a": round(rng.normal(), 2), "c": "uvw"[i % 3]} for i in places]
    for row in rows:
        row["y"] = "yes" if row["a"] > 0 or rng.random() < 0.1 else "no"
        if rng.random() < 0.1:
            row[("a", "c")[rng.integers(2)]] = None
    first = [{"who": "ann", "a": a, "c": c, "y": y} for a, c, y in ((1.0, "u", "yes"), (-1.0, "v", "no"))]
    earlier, later = [*first, *rows[: n // 2]], rows[n // 2 :]
    settings = {"key": "who", "target": "y", "learner": name, "start": start}
    model = thalweg.Model("y", name, columns={"who": "ignore"})
    shared = model.copy().learn(earlier)
    with tempfile.TemporaryDirectory() as folder, pytest.raises(ParameterError, match="shared"):
        keyed.run(later, folder=folder, **settings)
    with tempfile.TemporaryDirectory() as folder:
        done = keyed.run(later, folder=folder, shared=shared, **settings)
        lines = [line for table in done.outputs() for line in table.to_pylist()]
    bank = Bank(model, key="who", start=start, shared=shared)
    lines.sort(key=lambda line: line["_row"])
    statuses = [line["status"] for line in lines]
    assert statuses == ["learned"] * len(later), f"{name}, {start}: {statuses}"
    by_bank = bank.prequential(later)
    found = [[line[f"p_{label}"] for label in by_bank.classes] for line in lines]
    expected = by_bank.probabilities.tolist()
    assert found == expected, f"{name}, {start}: {found}, by a bank {expected}"


def events_of_keys(rng):
    """Return events: most in order, some late, twice, or with cells that cannot be read."""
    events, waiting = [], {}
    for n in range(int(rng.integers(5, 80))):
        who = KEYS[rng.integers(len(KEYS))] or None
        event = {"who": who, "n": n + 1, "a": round(rng.normal(), 2), "b": None, "w": 1.0, "id": None}
        event |= {"b": float(n % 5), "y": ("no", "yes")[rng.integers(2)]}
        share = rng.random()
        if share < 0.3:
            event |= {"id": f"i{n}", "y": None}
            waiting.setdefault(who, []).append(f"i{n}")
        elif share < 0.5 and waiting.get(who):
            each = waiting[who][rng.integers(len(waiting[who]))]
            event |= {"id": each, "a": None, "b": None}
        elif share < 0.6:
            key = ("a", "y", "n", "w")[rng.integers(4)]
            event[key] = {"a": ODD[rng.integers(len(ODD))], "y": "maybe", "n": None, "w": -1.0}[key]
        elif share < 0.65:
            event["w"] = [0.0, 2.5, None][rng.integers(3)]
        events.append(event)
        if rng.random() < 0.1:
            events.append(dict(events[rng.integers(len(events))]))
    return events


class KeyedRules:
    """What becomes of each event of a batch: learners by key, their last orders, and rows that wait."""

    def __init__(self, make, most):
        self._make, self._most = make, most
        self._learners, self._last, self._waiting = {}, {}, {}

    def batch(self, events):
        """Return status and probability of "no" for each event, done in their order."""
        found = [None] * len(events)
        for i in sorted(range(len(events)), key=lambda i: events[i]["n"] or -1):
            found[i] = self._one(events[i])
        return found

    def _one(self, event):
        who = event["who"]
        if event["n"] is None:
            return "refused", None
        if event["n"] <= self._last.get(who, 0):
            return "dropped", None
        self._last[who] = event["n"]
        if event["a"] in ODD or event["y"] == "maybe" or event["w"] == -1.0:
            return "refused", None
        learner = self._learners.setdefault(who, self._make().begin(2, ["no", "yes"]))
        waiting = self._waiting.setdefault(who, OrderedDict())
        x = np.array([[event["a"], event["b"]]], dtype=float)
        weight = 1.0 if event["w"] is None else event["w"]
        status, p = "predicted", float(learner.predict_proba_block(x)[0, 0])
        each = event["id"]
        if each is not None and event["y"] is None:
            if each not in waiting:
                waiting[each] = x, p
                if len(waiting) > self._most:
                    waiting.popitem(last=False)
            return status, p
        if each is not None and each in waiting:
            status = "late"
            x, p = waiting.pop(each)
        elif each is not None and event["a"] is None:
            return "unknown", None
        elif event["y"] is not None and weight > 0:
            status = "learned"
        if event["y"] is not None and weight > 0:
            learner.test_then_train(x, [event["y"]], sample_weight=[weight])
        return status, p


def assert_run(rng, operator, events, learner):
    """Run the operator over a file that grows; compare with the operator alone, each event in its place."""
    names = [*events[0]]
    cut = int(rng.integers(1, len(events) + 1))
    with tempfile.TemporaryDirectory() as folder:
        path, expected = Path(folder) / "events.csv", {}
        text, rest = (as_csv(part, names, ",") for part in (events[:cut], events[cut:]))
        n_buckets = int(rng.choice([1, 3]))
        for i, event in enumerate(operator(events)[0].to_pylist()):
            expected[i] = (event["status"], event["p_no"])
        path.write_text(text, "utf-8", errors="replace")
        made = keyed.run(path, folder=Path(folder) / "run", operator=operator, n_buckets=n_buckets)
        if cut < len(events):
            with open(path, "a", encoding="utf-8", errors="replace") as file:
                file.write(rest.partition("\n")[2])
            made = keyed.run(path, folder=Path(folder) / "run", operator=operator)
        lines = [line for table in made.outputs() for line in table.to_pylist()]
        found = Counter((line["who"], line["n"], line["status"], line["p_no"]) for line in lines)
        one_by_one, state = [], None
        for event in events:
            table, state = operator([event], state)
            one_by_one += table.to_pylist()
        alone = Counter((line["who"], line["n"], line["status"], line["p_no"]) for line in one_by_one)
        assert found == alone, f"{learner!r}: the run has {found - alone}, the operator {alone - found}"
