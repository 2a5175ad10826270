"""Open live folders whose log and checkpoints have damaged values and right checksums.

    PYTHONPATH=tests python tests/fuzz/live_folders.py --seconds 60 --seed 1

Each is verified and opened, some are followed; then it must predict, label rows that wait, learn and close.
"""

import json
import logging
import sqlite3
import struct
import tempfile
import warnings
import zlib
from contextlib import closing
from pathlib import Path

import numpy as np
from fuzz.saved_models import records
from support.damaged_states import DamagedStates, packed, unpacked
from support.mutations import damaged as damaged_bytes
from support.numbered_inputs import Steps, fuzz_script, run_inputs

import thalweg
from thalweg.errors import ModelFileError, ThalwegError
from thalweg.live import LiveFollower, LiveModel
from thalweg.live.errors import LiveError
from thalweg.live.events import HAS_CODE, HEADER, MAGIC
from thalweg.live.inspecting import verify
from thalweg.live.log import NAME
from thalweg.saving.plain import from_json, to_json

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
TEXT = {"columns": {"note": "text"}, "n_words": 64}
DENSE = {"columns": {"note": "ignore"}}
MODELS = {
    "sparse LinearLogistic": ("LinearLogistic", TEXT, None),
    "sparse MultinomialNaiveBayes": ("MultinomialNaiveBayes", TEXT, None),
    "dense NaiveBayes": ("NaiveBayes", DENSE, None),
    "dense HoeffdingTree": ("HoeffdingTree", DENSE, 0.5),
    "dense LastLabels": ("LastLabels", DENSE, None),
    "dense PredictionSets": (None, DENSE, None),
}
HEADER_NAMES = ("n", "n_rows", "n_features", "is_sparse", "time", "n_expired", "n_growth", "n_model")
FOLLOWED = 3  # one folder of so many is followed, too, which reads it as opening does
LIMITS = (2**32, 2**32, 2**32, 2**8, None, 2**32, 2**32, 2**64)
ROWS = [{name: row[name] for name in ("note", "shop", "price")} for row in records(12, seed=5)]


def folder_of(name):
    """Return the files of a folder by name: two checkpoints, and events after both."""
    learner, options, budget = MODELS[name]
    with tempfile.TemporaryDirectory(dir=MEMORY) as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = thalweg.trust.PredictionSets(thalweg.learners.NaiveBayes()) if learner is None else learner
        model = thalweg.Model("paid", made, max_waiting=20, **options)
        begins_later = name in ("dense NaiveBayes", "sparse LinearLogistic")
        if not begins_later:
            model.learn(records(40))
        live = LiveModel(place, model, survive="process", label_budget=budget, max_known=50, new_labels="add")
        if begins_later:
            live.learn(records(40))
        _work(live, 0)
        live.checkpoint()
        _work(live, 1)
        with closing(sqlite3.connect(f"{Path(place, NAME).as_uri()}?mode=ro", uri=True)) as log:
            content = sqlite3.connect(":memory:")
            log.backup(content)
            whole = content.serialize()
            files = {NAME: whole[:18] + b"\1\1" + whole[20:]}  # not in WAL mode, which needs files of its own
            content.close()
        files |= {path.name: path.read_bytes() for path in Path(place).glob("checkpoint-*.tw")}
        live.close()
    return files


def _work(live, turn):
    ids = [f"{turn} {i}" for i in range(5)] + [turn * 10 + i for i in range(5)]
    live.predict(ROWS[:10], ids=ids)
    live.label(ids[:3], ["a", "b", "a"])
    live.learn(ROWS[10:], ["b", f"new {turn}"], ids=[f"l{turn}", f"m{turn}"])
    live.add_class(f"opened {turn}")
    live.predict([ROWS[0] | {"shop": f"shop {turn}"}], ids=[f"{turn} late"])
    live.learn(ROWS[:2], ["a", "b"])
    live.label(ids[5:7], ["a", f"new {turn}"])


def group_parts(data):
    """Return the parts of the bytes of a group, to be damaged: `group_bytes` joins them."""
    body = memoryview(data)[8:]
    header = dict(zip(HEADER_NAMES, HEADER.unpack_from(body), strict=True))
    place = HEADER.size

    def take(kind, n):
        nonlocal place
        found = np.frombuffer(body, kind, n, place).copy()
        place += found.nbytes
        return found

    kinds = take("u1", header["n"])
    parts = {"kinds": kinds, "codes": take("<i4", int(HAS_CODE[kinds].sum()))}
    n_ids = int(take("<u4", 1)[0])
    lengths = take("<u4", n_ids)
    parts |= {"lengths": lengths, "text": take("u1", int((lengths & 0x7FFFFFFF).sum()))}
    if header["is_sparse"]:
        parts["starts"] = starts = take("<i8", header["n_rows"] + 1)
        parts |= {"columns": take("<i8", int(starts[-1])), "values": take("<f8", int(starts[-1]))}
    else:
        parts["values"] = take("<f8", header["n_rows"] * header["n_features"])
    growth = bytes(take("u1", header["n_growth"]))
    parts["growth"] = from_json(json.loads(growth), []) if growth else {}
    parts["model"] = bytes(take("u1", header["n_model"]))
    return parts | {"header": {name: header[name] for name in HEADER_NAMES[:6]}, "more": {"n_ids": n_ids}}


TYPES = {"kinds": "u1", "codes": "<i4", "lengths": "<u4", "text": "u1", "starts": "<i8", "columns": "<i8",
         "values": "<f8"}  # fmt: skip


def group_bytes(parts):
    """Return parts as the bytes of a group with a right checksum; raise TypeError if they have no form."""
    rows = [_bytes(parts[name], TYPES[name]) for name in ("starts", "columns", "values") if name in parts]
    growth = json.dumps(to_json(parts["growth"], [])).encode() if parts["growth"] else b""
    header = parts["header"] | {"n_growth": len(growth), "n_model": len(parts["model"])}
    numbers = [float(header[name]) if most is None else int(header[name]) % most
               for name, most in zip(HEADER_NAMES, LIMITS, strict=True)]  # fmt: skip
    before = [_bytes(parts[name], TYPES[name]) for name in ("kinds", "codes")]
    ids = [struct.pack("<I", int(parts["more"]["n_ids"]) % 2**32)]
    ids += [_bytes(parts[name], TYPES[name]) for name in ("lengths", "text")]
    return signed(b"".join([HEADER.pack(*numbers), *before, *ids, *rows, growth, parts["model"]]))


def signed(body):
    """Return the bytes of a group after its checksum."""
    return b"".join((MAGIC, struct.pack("<I", zlib.crc32(body)), body))


def _bytes(array, kind):
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        raise TypeError("only numbers have a place in a group")
    with np.errstate(all="ignore"):
        return array.astype(kind).tobytes()


class LiveFolders:
    """Damages one or more groups, a checkpoint, or the table of the log."""

    def __init__(self):
        self._known = {}
        logging.disable()  # of checkpoints that are left out

    def _parts(self, name):
        if name not in self._known:
            files = folder_of(name)
            with closing(sqlite3.connect(":memory:")) as log:
                log.deserialize(files[NAME])
                data = dict(log.execute("SELECT first, data FROM log ORDER BY first"))
            groups = {first: DamagedStates(group_parts(each), often=["starts", "columns", "values", "codes"])
                      for first, each in data.items()}  # fmt: skip
            states = {path: DamagedStates(unpacked(each), often=["notes"])
                      for path, each in files.items() if path != NAME}  # fmt: skip
            self._known[name] = files, data, groups, states
        return self._known[name]

    def damaged(self, rng, number):
        """Return what was changed, and the files of a folder by name."""
        name = list(MODELS)[number % len(MODELS)]
        files, data, groups, states = self._parts(name)
        while True:
            draw = rng.random()
            try:
                if draw < 0.15:
                    path = list(states)[rng.integers(len(states))]
                    what, state = states[path].draw(rng)
                    return (name, path, what), files | {path: packed(state)}
                if draw < 0.25:
                    return self._other_table(rng, name, files)
                first = list(data)[rng.integers(len(data))]
                if draw < 0.35:
                    what, new = "its bytes", signed(damaged_bytes(rng, data[first][8:], list(data.values())))
                else:
                    what, parts = groups[first].draw(rng)
                    new = group_bytes(parts)
            except (LookupError, TypeError, ValueError, AttributeError, OverflowError, struct.error):
                continue  # there are no such bytes
            change = "UPDATE log SET data=? WHERE first=?", (new, first)
            return (name, f"group {first}", what), files | {NAME: _edited(files[NAME], *change)}

    def _other_table(self, rng, name, files):
        with closing(sqlite3.connect(":memory:")) as log:
            log.deserialize(files[NAME])
            first = [row[0] for row in log.execute("SELECT first FROM log ORDER BY first")]
        at = first[rng.integers(len(first))]
        odd = [0, 1, -1, at + 1, 2**40, 2**63 - 1, -(2**63), 1.5, None, "x", b"x", float("inf")]
        value = odd[rng.integers(len(odd))]
        column = ("first", "n", "time", "data")[rng.integers(4)]
        ways = (
            (f"UPDATE OR REPLACE log SET {column}=? WHERE first=?", (value, at)),
            ("DELETE FROM log WHERE first=?", (at,)),
            ("DELETE FROM log WHERE first>?", (at,)),
            ("UPDATE log SET data=(SELECT data FROM log WHERE first=?) WHERE first=?", (first[0], at)),
            ("INSERT OR REPLACE INTO meta VALUES ('emptied', ?)", (value,)),
            ("INSERT OR REPLACE INTO meta VALUES ('changes', ?)", (value,)),
            ("UPDATE OR REPLACE versions SET first=?", (value,)),
            ("UPDATE versions SET version=?", (value,)),
            ("INSERT OR REPLACE INTO log SELECT first + ?, n, time, data FROM log WHERE first=?", (100, at)),
        )
        change = ways[rng.integers(len(ways))]
        try:
            return (name, *map(str, change)), files | {NAME: _edited(files[NAME], *change)}
        except (sqlite3.Error, OverflowError) as error:
            raise ValueError("no such table") from error

    def attempt(self, files):
        """Return what became of a folder."""
        steps = Steps(LiveError, ModelFileError)
        with tempfile.TemporaryDirectory(dir=MEMORY) as place, np.errstate(all="ignore"):
            for name, data in files.items():
                Path(place, name).write_bytes(data)
            found = steps(verify, place)
            if zlib.crc32(files[NAME]) % FOLLOWED == 0:
                self._follow(place, steps)
            live = steps(LiveModel, place, survive="process", checkpoint_seconds=100.0, lock_timeout=0.1)
            if live is None:
                return steps.answer().replace("accepted", "refused")
            try:
                self._use(live, Steps(ThalwegError))
            finally:
                live.close()
        return "accepted" if found is not None and not found.problems else "accepted but not by verify"

    def _follow(self, place, steps):
        follower = steps(LiveFollower, place, period=0.001)
        if follower is not None:
            with closing(follower):
                follower_steps = Steps(ThalwegError)
                follower_steps(follower.predict, ROWS[:2])
                follower_steps(follower.digest)

    def _use(self, live, steps):
        steps(live.predict, ROWS[:2])
        steps(live.predict, ROWS[:2], ids=["x", "y"])
        ids = ["0 3", "0 4", "1 3", "1 4", "1 late", 8, 9, 17, 18, 19, "x"]
        steps(live.label, ids, ["a", "b"] * 5 + ["a"])
        steps(live.learn, ROWS[:2], ["b", "a"])


def _edited(data, statement, values):
    with closing(sqlite3.connect(":memory:")) as log:
        log.deserialize(data)
        log.execute(statement, values)
        log.commit()
        return log.serialize()


def run(seed, **limit):
    """Open damaged folders; return counts of answers, and the problems."""
    return run_inputs(__file__, seed, **limit)


if __name__ == "__main__":
    fuzz_script(__doc__, LiveFolders, __file__)
