"""Restore damaged states of operators and banks, and go on with damaged folders; all checksums are right.

    PYTHONPATH=tests python tests/fuzz/keyed_states.py --seconds 60 --seed 1

What is restored must predict and learn events of known and new keys, and labels that come late.
"""

import sqlite3
import tempfile
import warnings
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
from support.damaged_states import DamagedStates, changed, packed, unpacked
from support.numbered_inputs import Steps, fuzz_script, refused, run_inputs

import thalweg
from thalweg import learners
from thalweg.errors import ModelFileError, StateError, ThalwegError
from thalweg.keyed import Bank, Operator
from thalweg.keyed import run as run_keyed
from thalweg.keyed.bucket_file import from_ipc, to_ipc

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
SMALL = {
    "NaiveBayes": learners.NaiveBayes(),
    "LogisticMixture": learners.LogisticMixture(),
    "AdaptiveLogistic": learners.AdaptiveLogistic(),
    "LinearLogistic": learners.LinearLogistic(),
    "MultinomialNaiveBayes": learners.MultinomialNaiveBayes(),
    "NearestNeighbours": learners.NearestNeighbours(window=10),
    "MajorityClass": learners.MajorityClass(),
    "NoChange": learners.NoChange(),
    "HoeffdingTree": learners.HoeffdingTree(grace_period=5),
    "LastLabels": learners.LastLabels(learners.NaiveBayes()),
    "LabelChain": learners.LabelChain(),
}  # fmt: skip
IN_FOLDERS = ("NaiveBayes", "HoeffdingTree")
SLAB = ("NaiveBayes", "LogisticMixture", "LinearLogistic")
IDS = [f"q{i}" for i in range(6)]


def events(start, stop):
    """Return events of some keys, some of whose labels come late or not at all."""
    rng, found = np.random.default_rng(start), []
    for i in range(start, stop):
        late = i % 3 == 1
        found.append({"who": f"k{rng.integers(4)}", "n": 2 * i, "x0": float(rng.random()), "x1": float(i % 5),
                      "y": None if i % 3 else "ab"[i % 2], "id": f"e{i}" if late else None})  # fmt: skip
        if i % 6 == 5:
            found.append(found[-2] | {"n": 2 * i + 1, "y": "a", "x0": None, "x1": None})
    return pa.Table.from_pylist(found)


BEFORE, AFTER = events(0, 40), events(36, 56)
ROWS = np.random.default_rng(2).random((8, 2))
KEYS = ["a", "b", "c", "d", "a", "b", "new", "a"]


def operator(name, **options):
    """Return an operator that has begun."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bank = Bank(SMALL[name], **options)
        found = Operator(bank, key="who", order="n", target="y", id="id", max_waiting=5)
        return found.begin(inputs=["x0", "x1"], classes=["a", "b"])


def bank(name, **options):
    """Return the bytes of a bank of arrays with rows that wait."""
    found = Bank(SMALL[name], max_waiting=20, **options).begin(2, ["a", "b"])
    found.test_then_train(KEYS * 3, np.tile(ROWS, (3, 1)), list("abbaabab") * 3)
    found.predict_proba_block(KEYS[:6], ROWS[:6], ids=IDS)
    return thalweg.to_bytes(found)


def _size(name):
    return Bank(SMALL[name]).begin(2, ["a", "b"]).bytes_per_key_


def shared(name):
    """Return a learner of the kind that has learned."""
    found = SMALL[name].copy().begin(2, ["a", "b"])
    found.test_then_train(np.tile(ROWS, (3, 1)), list("abbaabab") * 3)
    return found


RECORDS = [{"who": KEYS[i % 8], "price": float(i % 5), "shop": "ns"[i % 2], "y": "ab"[i % 2]}
           for i in range(24)]  # fmt: skip


def record_bank(name):
    """Return the bytes of a bank of a model with rows that wait."""
    columns = {"price": "number", "shop": "category"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Bank(thalweg.Model("y", SMALL[name].copy(), columns=columns), key="who", max_waiting=20)
        found.learn(RECORDS)
        found.predict(RECORDS[:6], ids=IDS)
    return thalweg.to_bytes(found)


class States:
    """States of an operator: with the operator or, rarely, damaged bytes of it."""

    def __init__(self, name, **options):
        self._operator = operator(name, **options)
        self._bytes = DamagedStates(unpacked(self._operator.to_bytes()))
        self._states = DamagedStates(unpacked(self._operator(BEFORE)[1]), often=["late", "records"])

    def damaged(self, rng):
        """Return what was changed, and the bytes of a state, or of an operator."""
        source, kind = (self._bytes, "operator") if rng.random() < 0.15 else (self._states, "state")
        what, content = source.draw(rng)
        return what, {kind: packed(content)}

    def attempt(self, data):
        """Return what became of it."""
        steps = Steps(ThalwegError)
        try:
            if "operator" in data:
                found = Operator.from_bytes(data["operator"])
                bucket = found.bucket()
            else:
                found = self._operator
                bucket = found.bucket(data["state"])
        except StateError as error:
            return refused(error)
        steps(bucket.process, AFTER)
        steps(found.state_of, bucket)
        if "k1" in bucket:
            steps(bucket.__getitem__, "k1")
        return steps.answer()


class Banks:
    """Bytes of a bank, opened as a model file; some keep part of their keys on disk."""

    def __init__(self, data):
        self._states = DamagedStates(unpacked(data), often=["late", "states"])

    def damaged(self, rng):
        """Return what was changed, and the bytes of a file."""
        what, content = self._states.draw(rng)
        return what, {"bank": packed(content)}

    def attempt(self, data):
        """Return what became of it."""
        try:
            found = thalweg.from_bytes(data["bank"])
        except ModelFileError as error:
            return refused(error)
        steps = Steps(ThalwegError)
        if not isinstance(found, Bank) or not found._begun:
            return "accepted"
        d, classes = found.n_features_in_, list(found.classes_)
        if d > 100:
            return "accepted"
        Z, y = np.resize(ROWS, (8, d)), [classes[i % len(classes)] for i in range(8)]
        if "_model" in vars(found):
            steps(found.predict_proba, RECORDS[:4])
            steps(found.learn, RECORDS[4:10])
        else:
            steps(found.predict_proba_block, KEYS, Z)
            steps(found.test_then_train, KEYS, Z, y)
        steps(found.label, IDS[:3], y[:3], ignore_unknown=True)
        twin = steps(found.copy)
        steps(found.label, IDS[3:], y[3:6], ignore_unknown=True)
        if twin is not None:
            steps(thalweg.to_bytes, twin)
        return steps.answer()


class Folders:
    """Folders of runs: damaged states, pending rows, orders, or what they say about the run."""

    def __init__(self, name):
        with tempfile.TemporaryDirectory(dir=MEMORY) as place, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run_keyed(BEFORE, folder=place, operator=operator(name), n_buckets=1)
            self._files = {path.name: path.read_bytes() for path in Path(place).iterdir()
                           if path.name.endswith(".sqlite")}  # fmt: skip
        self._operator = operator(name)

    def damaged(self, rng):
        """Return what was changed, and the files of a folder by name."""
        name = "run.sqlite" if rng.random() < 0.15 else "bucket-000.sqlite"
        table, columns = ("states", ("state", "state", "late", "late", "last", "key"))
        if name == "run.sqlite":
            table, columns = "about", ("value",)
        elif rng.random() < 0.1:
            table, columns = "done", ("batch", "operator", "counts")
        column = columns[rng.integers(len(columns))]
        with tempfile.TemporaryDirectory(dir=MEMORY) as place:
            path = Path(place, name)
            path.write_bytes(self._files[name])
            with closing(sqlite3.connect(path)) as file:
                rows = file.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
                row, value = rows[rng.integers(len(rows))]
                new = _late_changed(value, rng) if column == "late" and value else changed(value, rng)
                if not isinstance(new, str | bytes | int | float | None):
                    raise TypeError("no value of a database")
                file.execute(f"UPDATE {table} SET {column}=? WHERE rowid=?", (new, row))
                file.commit()
            what = f"{table}.{column}[{row}]: {value!r} became {new!r}"
            return what, self._files | {name: path.read_bytes()}

    def attempt(self, files):
        """Return what became of it."""
        with tempfile.TemporaryDirectory(dir=MEMORY) as place, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, data in files.items():
                Path(place, name).write_bytes(data)
            steps = Steps(ThalwegError)
            if steps(run_keyed, AFTER, folder=place, operator=self._operator) is None:
                return steps.answer().replace("accepted", "refused")
        return steps.answer()


def _late_changed(data, rng):
    """Return rows that wait of a key, with one of them changed."""
    table = from_ipc(data)
    rows = [np.frombuffer(each) for each in table.column("row").to_pylist()]
    state = {name: table.column(name).to_pylist() for name in ("order", "id")} | {"row": rows}
    _, state = DamagedStates(state).draw(rng)
    parts = {"order": pa.array(state["order"]), "id": pa.array(state["id"]),
             "row": pa.array([np.asarray(each).tobytes() for each in state["row"]])}  # fmt: skip
    return to_ipc(pa.table(parts), None)


class KeyedStates:
    """Half of the inputs are states of operators, a tenth folders, the others banks."""

    def __init__(self):
        some = {"start": "mix"}
        self._makers = (
            {name: lambda name=name: States(name) for name in SMALL}
            | {f"{name} mixed": lambda name=name: States(name, shared=shared(name), **some) for name in SLAB},
            {f"bank of {name}": lambda name=name: Banks(bank(name)) for name in SMALL}
            | {f"bank of {name} on disk": lambda name=name: Banks(bank(name, max_bytes=3 * _size(name)))
               for name in SMALL}
            | {f"bank of {name} mixed": lambda name=name: Banks(bank(name, shared=shared(name), **some))
               for name in SLAB}
            | {f"records of {name}": lambda name=name: Banks(record_bank(name)) for name in SMALL},
            {f"folder of {name}": lambda name=name: Folders(name) for name in IN_FOLDERS},
        )  # fmt: skip
        self._made = {}

    def damaged(self, rng, number):
        """Return what was changed, and the input."""
        makers = self._makers[(0, 1, 0, 1, 0, 1, 0, 1, 0, 2)[number % 10]]
        self._name = list(makers)[rng.integers(len(makers))]
        if self._name not in self._made:
            self._made[self._name] = makers[self._name]()
        while True:
            try:
                what, data = self._made[self._name].damaged(rng)
            except (ArithmeticError, LookupError, TypeError, ValueError, sqlite3.Error):
                continue  # there are no such bytes
            return (self._name, what), data

    def attempt(self, data):
        """Return what became of the input that was made last."""
        with np.errstate(all="ignore"):
            return self._made[self._name].attempt(data)


def run(seed, **limit):
    """Restore damaged states; return counts of answers, and the problems."""
    return run_inputs(__file__, seed, **limit)


if __name__ == "__main__":
    fuzz_script(__doc__, KeyedStates, __file__)
