"""Live models, services over HTTP and models by key beside plain models and the rules of their statuses."""

import itertools
import shutil
import tempfile
import time
from collections import OrderedDict
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
from support.service_app import Service

import thalweg
from random_use import keyed_models
from thalweg.learners import (
    LastLabels,
    NaiveBayes,
)
from thalweg.learners.base.arguments import Labels
from thalweg.live import LiveFollower, LiveModel, RowError
from thalweg.live.requests import Outcomes
from thalweg.service import Settings

COLUMNS = {"price": "number", "weight": "number", "shop": "category", "day": "date"}
LEARNERS = (
    "NaiveBayes",
    "LogisticMixture",
    "LinearLogistic",
    "HoeffdingTree(grace_period=20)",
    "NearestNeighbours(window=40)",
    "AdaptiveStacking([NaiveBayes(), LinearLogistic()])",
    LastLabels(NaiveBayes(), max_waiting=100_000),
)
OTHER_LABELS = ("no", "no", "yess", "case 36", None, "")
DROPPED, EXPIRED = object(), object()
ANY = mock.ANY  # an error does not say in which event the row was learned


def run(seed):
    """Try the case of this seed; return "agreed", or raise AssertionError with the answer that differs."""
    rng = np.random.default_rng(seed)
    kind = rng.random()
    if kind < 0.7:
        with tempfile.TemporaryDirectory() as folder:
            Living(rng, Path(folder)).go_on()
    elif kind < 0.82:
        keyed_models.a_bank(rng)
    elif kind < 0.94:
        keyed_models.an_operator(rng)
    else:
        keyed_models.a_shared_start(rng)
    return "agreed"


def record(i):
    """Return row `i`."""
    rng = np.random.default_rng([3, i])
    price, weight = rng.normal(size=2).round(3).tolist()
    shop = f"shop {rng.integers(4 + i // 15)}" if i % 13 else None
    return {
        "price": price if i % 11 else None,
        "weight": weight,
        "shop": shop,
        "day": f"2026-0{1 + i % 9}-1{i % 10}",
    }


def label(i):
    """Return the label of row `i`, sometimes a new one."""
    if i % 37 == 36:
        return f"case {i}"
    return "yes" if (record(i)["price"] or 0.0) > record(i)["weight"] else "no"


class Rules:
    """What becomes of each request: a plain model that knows rows by their events, and tables of ids."""

    def __init__(self, model, max_waiting, max_age, max_known, new_labels):
        self.model = model.copy().set_params(max_waiting=10**9)
        self.adds = new_labels == "add"
        self.event, self.now = 0, time.time() + 1000.0  # the clock of the log never goes back
        self.max_waiting, self.max_age, self.max_known = max_waiting, max_age, max_known
        self.waiting = OrderedDict()  # {id: (event, time, row, answer)}
        self.done = OrderedDict()  # {id: (label, DROPPED or EXPIRED, event)}
        self.strangers = set()  # events of rows that another model has predicted

    def is_aged(self, key):
        """Return whether a row has waited too long."""
        return self.max_age is not None and self.waiting[key][1] <= self.now - self.max_age

    def learned_of(self, ids):
        """Return {id: (label, event)} of those that were learned when a request comes."""
        known = {key: self.done[key] for key in ids if key in self.done}
        return {key: what for key, what in known.items() if what[0] not in (DROPPED, EXPIRED)}

    def predict(self, rows, ids):
        """Return status, event and probabilities of each row; rows without ids change nothing."""
        if ids is None:
            return [("predicted", None, self.answer(row)) for row in rows]
        found, before = [], self.event
        learned = self.learned_of(ids)
        for row, key in zip(rows, ids, strict=True):
            if key in self.waiting and not self.is_aged(key):
                found.append(("already", self.waiting[key][0], self.waiting[key][3]))
            elif key in learned:
                found.append(("already", learned[key][1], lambda row=row: self.answer(row)))
            else:
                found.append(self._predicted(row, key))
        if self.event > before:
            self.expire()
        return [(status, event, p() if callable(p) else p) for status, event, p in found]

    def _predicted(self, row, key):
        self.waiting.pop(key, None)
        self.done.pop(key, None)
        self.event += 1
        p = self.model.predict_proba([row], ids=[self.event])[0]
        answer = dict(zip(self.model.classes_.tolist(), p.tolist(), strict=True))
        self.waiting[key] = self.event, self.now, row, answer
        if len(self.waiting) > self.max_waiting:
            self._drop(DROPPED, self.event)
        return "predicted", self.event, answer

    def answer(self, row):
        """Return {label: probability}."""
        return dict(self.model.predict_proba_one(row))

    def _drop(self, why, event):
        key, _ = self.waiting.popitem(last=False)
        self.note(key, why, event)

    def note(self, key, what, event):
        """Remember what became of an id."""
        self.done.pop(key, None)
        self.done[key] = what, event
        while len(self.done) > self.max_known:
            self.done.popitem(last=False)

    def expire(self):
        """Drop the rows that have waited too long, after an event."""
        while self.waiting and self.is_aged(next(iter(self.waiting))):
            self._drop(EXPIRED, self.event)

    def label(self, ids, labels):
        """Return status and event of each label."""
        before = self.event
        found = [self._labelled(key, label) for key, label in zip(ids, labels, strict=True)]
        if self.event > before:
            self.expire()
        return found

    def is_refused(self, label):
        """Return whether a label is no class and becomes none: the model begins with two."""
        return not self.adds and label not in self.model.classes_.tolist()

    def _labelled(self, key, label):
        if not label:
            return "unknown_label", None
        if key in self.waiting:
            if self.is_aged(key):
                return "expired", None
            if self.is_refused(label):
                return "unknown_label", None
            self.event += 1
            event, _, row, _ = self.waiting.pop(key)
            if event in self.strangers:
                self.model.learn({**row, "paid": label})
            else:
                self.model.label([event], [label])
            self.note(key, label, self.event)
            return "learned", self.event
        what, event = self.done.get(key, (None, None))
        if what in (DROPPED, EXPIRED):
            return "dropped" if what is DROPPED else "expired", None
        if what is None:
            return "unknown_id", None
        return ("already" if what == label else "other_label"), event

    def learn(self, rows, labels, ids):
        """Return status and event of each row."""
        before, found, learned = self.event, [], self.learned_of(ids or ())
        for row, label, key in zip(rows, labels, ids or itertools.repeat(None), strict=False):
            if not label:
                found.append(("unknown_label", None))
                continue
            if key in self.waiting and not self.is_aged(key):
                found.append(self._labelled(key, label))
                if found[-1][0] == "learned":
                    learned[key] = label, self.event
                continue
            if key in learned:
                what, event = learned[key]
                found.append(("already" if what == label else "other_label", event))
                continue
            if self.is_refused(label):
                found.append(("unknown_label", None))
                continue
            self.event += 1
            self.waiting.pop(key, None)
            self.model.learn({**row, "paid": label})
            if key is not None:
                self.note(key, label, self.event)
                learned[key] = label, self.event
            found.append(("learned", self.event))
        if self.event > before:
            self.expire()
        return found

    def bounded(self, max_waiting, max_known):
        """Keep so many rows and ids from now on."""
        self.max_waiting, self.max_known = max_waiting, max_known
        while len(self.waiting) > max_waiting:
            self._drop(DROPPED, self.event)
        while len(self.done) > max_known:
            self.done.popitem(last=False)

    def add_class(self, label):
        """Let a label be a class that the learner has not met; return the event."""
        learner = self.model.learner_
        self.model._coding.open_label(label)
        labels = Labels(self.model._coding.classes, is_open=learner._labels.is_open)
        learner._make_room(learner._names, labels)
        self.event += 1
        return self.event

    def erase(self, key):
        """Forget an id."""
        return self.waiting.pop(key, None) is not None, self.done.pop(key, None) is not None

    def replace(self, model):
        """Go on with another model."""
        self.event += 1
        self.model = model.copy().set_params(max_waiting=10**9)
        self.strangers |= {event for event, *_ in self.waiting.values()}
        known = {*model.classes_.tolist()}
        for key, (what, event) in self.done.items():
            if what not in (DROPPED, EXPIRED) and what not in known:
                self.done[key] = object(), event  # of the label it is known only that it is no class
        for key, (event, moment, row, answer) in self.waiting.items():
            if callable(answer) or max(answer, key=answer.get) not in known:  # it has no answer any more
                answer = partial(self.answer, row)
            else:
                answer = {label: p for label, p in answer.items() if label in known}
            self.waiting[key] = event, moment, row, answer


class Living:
    """A live model, asked at random, beside the rules."""

    def __init__(self, rng, folder):
        self.rng, self.folder, self.n_folders = rng, folder / "0", 0
        self.may_age = rng.random() < 0.4
        self.settings = {
            "max_waiting": int(rng.choice([3, 8, 1000])), "max_known": int(rng.choice([8, 20, 1000])),
            "max_age": 30.0 if self.may_age else None,
            "survive": "process", "watch": bool(rng.random() < 0.2),
            "new_labels": str(rng.choice(["refuse", "add"])),
        }  # fmt: skip
        self.by_http = rng.random() < 0.3
        self.learner = LEARNERS[rng.integers(len(LEARNERS))]
        self.is_replaced = rng.random() < 0.3
        shops = [f"shop {i}" for i in range(30)] if self.is_replaced else "category"
        self.columns = COLUMNS | {"shop": shops}
        rows = [record(i + 10**6 * 15) | {"paid": ["yes", "no"][i % 2]} for i in range(60)]
        rows = [row | {"shop": f"shop {i % 3}"} for i, row in enumerate(rows)]
        rows[1]["day"] = rows[0]["day"]
        self.first = rows
        first = thalweg.Model("paid", self.learner, columns=self.columns).learn(rows)
        bounds = (self.settings[name] for name in ("max_waiting", "max_age", "max_known", "new_labels"))
        self.rules = Rules(first, *bounds)
        self.steps, self.follower = [], None
        self.live = LiveModel(self.folder, first, **self.settings)

    def __repr__(self):
        way = "HTTP" if self.by_http else "Python"
        return f"{self.learner!r} by {way}, {self.settings}, after {self.steps[-4:]}"

    def go_on(self):
        """Send requests, and do what may happen to a folder; compare every answer."""
        self.begin_service()
        try:
            for _ in range(int(self.rng.integers(8, 50))):
                self.rules.now += float(self.rng.choice([0.0, 1.0, 12.0]))
                share = self.rng.random()
                if share < 0.85:
                    self.ask()
                else:
                    names = [self.crash, self.erase, self.export, self.follow, self.refuse, self.add_class]
                    if self.is_replaced:
                        names.append(self.replace)
                    names[self.rng.integers(len(names))]()
                self.compare()
        finally:
            if self.follower is not None:
                self.follower.close()
            self.live.close()

    def begin_service(self):
        """Let requests come at the time of the rules, and by the way that is tried."""
        self.live._worker.clock = lambda: self.rules.now
        self.service = Service(Settings(admin=True), self.live) if self.by_http else None

    def ask(self):
        """Send a request for some of few rows, so that ids come again in every way."""
        rng = self.rng
        places = rng.integers(0, 40, size=int(rng.choice([1, 1, 2, 5]))).tolist()
        ids, rows = [f"<{i}>" for i in places], [record(i) for i in places]
        share = rng.random()
        if share < 0.45:
            ids = None if share < 0.05 else ids
            self.steps.append(f"predict {ids}")
            expected = self.rules.predict(rows, ids)
            found = self.predicted(rows, ids)
            for (status, event, p), (status_rule, event_rule, p_rule) in zip(found, expected, strict=True):
                assert (status, event) == (status_rule, event_rule), (
                    f"{self}: {status} in event {event}; by the rules {status_rule} in {event_rule}"
                )
                assert same(p, p_rule), f"{self}: {p}; by the rules {p_rule}"
            return
        labels = [label(i) if rng.random() < 0.85 else rng.choice(OTHER_LABELS) for i in places]
        if share < 0.75:
            self.steps.append(f"label {ids} {labels}")
            expected, found = self.rules.label(ids, labels), self.labelled(ids, labels)
        else:
            ids = None if share > 0.95 else ids
            self.steps.append(f"learn {ids} {labels}")
            expected, found = self.rules.learn(rows, labels, ids), self.learned(rows, labels, ids)
        assert found == expected, f"{self}: {found}; by the rules {expected}"

    def predicted(self, rows, ids):
        """Return status, event and {label: probability} of each row."""
        if not self.by_http:
            made = self.live.predict(rows, ids=ids)
            p = [dict(zip(made.classes, line, strict=False)) for line in made.probabilities.tolist()]
            return [*zip(made.statuses, made.events, p, strict=True)]
        body = {"rows": rows} if ids is None else {"rows": rows, "ids": ids}
        if len(rows) == 1 and self.rng.random() < 0.5:
            body = {"row": rows[0]} if ids is None else {"row": rows[0], "id": ids[0]}
        answer = self.service.post("/models/m/predict", body)
        assert answer.status_code == 200, f"{self}: {answer.text}"
        lines = answer.json().get("predictions") or [answer.json()]
        return [(x.get("status", "predicted"), x.get("event"), x["probabilities"]) for x in lines]

    def labelled(self, ids, labels):
        """Return status and event of each label."""
        return self.outcomes(lambda: self.live.label(ids, labels), "label", {"ids": ids, "labels": labels})

    def learned(self, rows, labels, ids):
        """Return status and event of each row."""
        body = {"rows": rows, "labels": labels} | ({} if ids is None else {"ids": ids})
        return self.outcomes(lambda: self.live.learn(rows, labels, ids=ids), "learn", body)

    def outcomes(self, in_python, verb, body):
        """Return status and event of each entry of a request, sent in one of both ways."""
        if not self.by_http:
            made: Outcomes = in_python()
            return [*zip(made.statuses, made.events, strict=True)]
        is_one = len(body["labels"]) == 1 and self.rng.random() < 0.5
        if is_one:
            body = {name.removesuffix("s"): values[0] for name, values in body.items()}
        answer = self.service.post(f"/models/m/{verb}", body)
        if not is_one:
            return [(x.get("status", x.get("error")), x.get("event")) for x in answer.json()["outcomes"]]
        found = answer.json()
        status = found.get("status", found.get("error"))
        codes = {"learned": 200, "already": 200, "other_label": 409, "unknown_label": 422}
        assert answer.status_code == codes.get(status, 404), f"{self}: {answer.status_code} {answer.text}"
        return [(status, found.get("event") if status in ("learned", "already") else ANY)]

    def refuse(self):
        """Send a request with a row that cannot be read: nothing happens."""
        if self.by_http and self.rng.random() < 0.4:
            self.refuse_setting()
            return
        self.steps.append("a bad row")
        before = self.live.digest()
        new = record(1) | {"shop": "a new one"} if not self.is_replaced else record(1)
        rows = [new, record(2) | {"price": "much"}]
        verb = ("predict", "learn")[self.rng.integers(2)]
        ids, labels = ["<new>", "<other>"], ["yes", "new label" if self.rules.adds else "no"]
        if self.by_http:
            body = {"rows": rows, "ids": ids} | ({"labels": labels} if verb == "learn" else {})
            answer = self.service.post(f"/models/m/{verb}", body)
            assert answer.status_code == 422, f"{self}: {answer.status_code} {answer.text}"
            assert answer.json()["row"] == 1, f"{self}: {answer.text}"
        else:
            try:
                if verb == "predict":
                    self.live.predict(rows, ids=ids)
                else:
                    self.live.learn(rows, labels, ids=ids)
                raise AssertionError(f"{self}: {verb} takes a price that is no number")
            except ValueError as error:
                assert "much" in str(error), f"{self}: {error}"
        assert self.live.digest() == before, f"{self}: a refused request leaves something"

    def refuse_setting(self):
        """Send a setting of another type than it should have: nothing happens."""
        self.steps.append("a bad setting")
        before, row = self.live.digest(), record(1)
        name = ("durable", "sets")[self.rng.integers(2)]
        value = ("true", 1, [5], {}, None)[self.rng.integers(5)]
        if self.rng.random() < 0.5:
            path = "/models/m/predict"
            body = {"row": row, "id": "<new>", name: value}
        else:
            path = "/v2/models/m/infer"
            kinds = ("BYTES" if isinstance(cell, str) else "FP64" for cell in row.values())
            inputs = [
                {"name": key, "shape": [1], "datatype": kind, "data": [cell]}
                for (key, cell), kind in zip(row.items(), kinds, strict=True)
            ]
            body = {"inputs": inputs, "parameters": {"ids": ["<new>"], name: value}}
        answer = self.service.post(path, body)
        assert answer.status_code in (400, 422), f"{self}: {path} {name}={value!r}: {answer.text}"
        assert self.live.digest() == before, f"{self}: a refused request leaves something"

    def crash(self):
        """Go on with a copy of the folder as it is on disk, perhaps with other bounds."""
        self.n_folders += 1
        before, digest = self.live, self.live.digest()
        copied = self.folder.parent / str(self.n_folders)
        if self.follower is not None:
            self.follower.close()
            self.follower = None
        if self.rng.random() < 0.3:
            before.checkpoint()
        before._call(before._keeper.wait)
        shutil.copytree(self.folder, copied)
        how = str(self.rng.choice(["as it was", "the newest checkpoint is damaged", "other bounds"]))
        self.steps.append(f"crash, {how}")
        checkpoints = sorted(copied.glob("checkpoint-*.tw"), key=lambda path: int(path.stem.split("-")[1]))
        if how.startswith("the newest") and len(checkpoints) > 1:
            data = checkpoints[-1].read_bytes()
            checkpoints[-1].write_bytes(data[: len(data) // 2])
        if how == "other bounds":
            self.settings["max_waiting"] = int(self.rng.choice([3, 8, 1000]))
            self.settings["max_known"] = int(self.rng.choice([8, 20, 1000]))
            self.rules.bounded(self.settings["max_waiting"], self.settings["max_known"])
        before.close()
        self.folder, self.live = copied, LiveModel(copied, **self.settings)
        self.begin_service()
        if how != "other bounds":
            assert self.live.digest() == digest, f"{self}: another digest than before"

    def add_class(self):
        """Open a class, by an administrator's request or in Python; one that is known is refused."""
        new = label(int(self.rng.choice([36, 73, 110])))
        self.steps.append(f"add_class {new}")
        is_known = new in self.rules.model.classes_.tolist()
        expected = None if is_known else self.rules.add_class(new)
        if self.by_http:
            answer = self.service.post("/admin/models/m/classes", {"label": new})
            assert answer.status_code == (422 if is_known else 200), f"{self}: {answer.text}"
            assert answer.json().get("event") == expected, f"{self}: {answer.text}"
            return
        try:
            found = self.live.add_class(new)
        except RowError:
            found = None
        assert found == expected, f"{self}: {found}; by the rules {expected}"

    def erase(self):
        """Erase an id; it is in no file any more."""
        known = [*self.rules.waiting, *self.rules.done, "<?>"]
        key = known[self.rng.integers(len(known))]
        self.steps.append(f"erase {key}")
        found = self.live.erase(key)
        was_waiting, was_known = self.rules.erase(key)
        assert (found["was_waiting"], found["was_known"]) == (was_waiting, was_known), f"{self}: {found}"
        for path in self.folder.iterdir():
            assert key.encode() not in path.read_bytes(), f"{self}: {key} is still in {path.name}"

    def export(self):
        """Write a model file; it has the model and the rows that wait."""
        self.steps.append("export")
        path = self.folder.parent / "exported.tw"
        self.live.export(path)
        model = thalweg.load(path)
        n_waiting = model.n_waiting_
        assert n_waiting == len(self.rules.waiting), f"{self}: {n_waiting} rows wait in the file"
        rows = [record(i) for i in range(5)]
        expected = self.rules.model.predict_proba(rows).tolist()
        assert model.predict_proba(rows).tolist() == expected, f"{self}: the file predicts something else"

    def follow(self):
        """Compare a follower with the owner."""
        self.steps.append("follow")
        if self.follower is None:
            self.follower = LiveFollower(self.folder, period=0.5)
        self.follower.refresh()
        for name in ("event", "n_waiting"):
            found, expected = getattr(self.follower, name), getattr(self.live, name)
            assert found == expected, f"{self}: the follower's {name} is {found}, not {expected}"
        assert self.follower.digest() == self.live.digest(), f"{self}: the follower has another digest"

    def replace(self):
        """Put in a model of the same columns that has learned other rows, with labels in another order."""
        self.steps.append("replace")
        rows = [record(i + 50) | {"paid": label(i + 50)} for i in self.rng.integers(0, 40, 30).tolist()]
        rows[:2] = self.first[1::-1]  # dates count from the first one
        model = thalweg.Model("paid", self.learner, columns=self.columns).learn(rows)
        self.rules.replace(model)
        self.live.replace(model)

    def compare(self):
        """Raise AssertionError unless the same rows wait, and the same was learned."""
        assert self.live.event == self.rules.event, f"{self}: event {self.live.event}, not {self.rules.event}"
        n = len(self.rules.waiting)
        assert self.live.n_waiting == n, f"{self}: {self.live.n_waiting} rows wait, not {n}"


def same(p, q):
    """Return whether two answers are equal; a class that only one of them has is impossible there."""
    return all(p.get(label, 0.0) == q.get(label, 0.0) for label in {*p, *q})
