"""A file from a stranger costs no more memory and time than its bytes account for, and raises one error."""

import hashlib
import json

import numpy as np
import pytest
from support.text_rows import DAMAGED_ROWS, SPARSE_LEARNERS, text_model

import thalweg
from thalweg import learners
from thalweg._native import layout
from thalweg.errors import ModelFileError, StateError
from thalweg.keyed import Bank
from thalweg.saving import container
from thalweg.saving.plain import to_json

RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)
PRIME = 2**61 - 1  # whole numbers that differ by it have the same hash
EMPTY = {"about": {}, "notes": {}, "state": {}}


def file_of(content):
    """Return the bytes of a file with this content."""
    arrays = []
    return container.pack({"content": to_json(content, arrays)}, arrays)


def raw_file(description, body):
    """Return the bytes of a file with a description in JSON and the bytes of its arrays."""
    text = json.dumps(description).encode()
    text += b" " * (-(container.HEADER.size + len(text)) % container.ALIGNMENT)
    length = container.HEADER.size + len(text) + len(body) + container.DIGEST
    data = container.HEADER.pack(container.MAGIC, container.VERSION, 0, length, len(text)) + text + body
    return data + hashlib.sha256(data).digest()


def with_notes(notes, **more):
    """Return the description of a file with these notes, in JSON."""
    parts = [["about", {"dict": []}], ["notes", notes], ["state", {"dict": []}]]
    return {"content": {"dict": parts}, "arrays": [], **more}


def taught(learner):
    learner.begin(3, [0, 1]).test_then_train(X, Y)
    return learner


def bank():
    found = Bank(learners.NaiveBayes()).begin(3, [0, 1])
    found.test_then_train(["a"] * len(X), X, Y)
    return found


def put(*path_and_value):
    """Return a function that puts a value into a state."""
    *path, last, value = path_and_value

    def change(state):
        for step in path:
            state = state[step]
        state[last] = value

    return change


def more_members(state):
    found = [each["parameters"] for each in state["made_from"] if "n_members" in each["parameters"]]
    found[0]["n_members"] = 10**6


WINDOW = learners.WindowLogistic(window=50)
HUGE = [
    (bank, put("shape", "n_features", 10**6)),
    (bank, put("shape", "n_features", 10**7)),
    (bank, put("shape", "n_features", 2 * 10**8)),
    (lambda: taught(learners.AdaptiveStacking(size="large")), more_members),
    (lambda: taught(WINDOW.copy()), put("parameters", "window", 10**9)),
    (lambda: taught(learners.LastLabels(WINDOW.copy())),
     put("parameters", "member", "parameters", "window", 10**9)),
    (lambda: taught(learners.NaiveBayes()), put("n_categories", np.array([10**9, 0, 0]))),
]  # fmt: skip


@pytest.mark.parametrize(("make", "change"), HUGE)
def test_a_state_that_asks_for_far_more_memory_than_its_file_has_is_refused(make, change, monkeypatch):
    made, original = [0], np.zeros

    def zeros(shape, *arguments, **settings):
        found = original(shape, *arguments, **settings)
        made[0] += found.nbytes
        return found

    state = make().state()
    change(state)
    data = file_of(EMPTY | {"state": state})
    monkeypatch.setattr(layout.np, "zeros", zeros)
    with pytest.raises(ModelFileError):
        thalweg.from_bytes(data)
    assert made[0] < 2 << 28


def test_memory_is_bounded_only_while_a_file_is_opened():
    with pytest.raises(StateError, match=r"more memory than the 1,000,000 bytes"), layout.at_most(10**6):
        learners.NaiveBayes().begin(10**5, [0, 1])
    assert learners.NaiveBayes().begin(10**5, [0, 1]).n_features_in_ == 10**5


@pytest.mark.parametrize("name", ["about", "notes", "state"])
@pytest.mark.parametrize("value", [None, [], 5, "x"])
def test_parts_of_a_file_that_are_no_dicts_are_refused(name, value):
    with pytest.raises(ModelFileError, match="the file holds no model"):
        thalweg.from_bytes(file_of(EMPTY | {name: value}))


def test_arrays_that_overlap_are_refused():
    table = [["<f8", [64], 0], ["<f8", [64], 256]]
    with pytest.raises(ModelFileError, match="begins at 256, within another one that ends at 512"):
        thalweg.from_bytes(raw_file(with_notes(None, arrays=table), bytes(768)))


def test_an_array_that_is_there_twice_is_refused():
    notes = [{"array": 0}, {"array": 0}]
    data = raw_file(with_notes(notes, arrays=[["<f8", [8], 0]]), bytes(64))
    with pytest.raises(ModelFileError, match="array 0 is there twice"):
        thalweg.from_bytes(data)


@pytest.mark.parametrize("shape", [[10**7, 0], [10, 10**7, 0, 3]])
def test_long_lists_of_empty_lines_are_refused(shape):
    objects = raw_file(with_notes({"objects": [shape, []]}), b"")
    numbers = raw_file(with_notes({"array": 0}, arrays=[["<i8", shape, 0]]), b"")
    for data in (objects, numbers):
        with pytest.raises(ModelFileError, match="has no values, but very many lines"):
            thalweg.from_bytes(data)


@pytest.mark.parametrize(("n", "step"), [(40_000, PRIME), (9_999, PRIME), (40_000, 1)])
def test_keys_chosen_to_collide_are_refused_before_a_dict_is_made(n, step):
    data = raw_file(with_notes({"dict": [[i * step, 0] for i in range(n)]}), b"")
    with pytest.raises(ModelFileError, match=r"keys that are not text|keys that share their hashes"):
        thalweg.from_bytes(data)


def test_ten_thousand_numbers_may_be_keys_of_notes(tmp_path):
    notes = {"n": {i: i for i in range(10_000)}, "text": {str(i): i for i in range(20_000)}}
    thalweg.save(learners.NaiveBayes(), tmp_path / "model.tw", notes=notes)
    assert thalweg.saving.describe(tmp_path / "model.tw")["notes"] == notes
    with pytest.raises(ModelFileError, match="10,001 keys that are not text"):
        thalweg.to_bytes(learners.NaiveBayes(), notes={"n": {i: i for i in range(10_001)}})


STRANGE = [[], {}, None, 3, 1.5, "x", True, np.zeros(3), {"a": 1}, ["x"], (1, 2)]


@pytest.mark.parametrize("key", ["learner", "format", "version", "parameters", "classes", "memory", "names"])
@pytest.mark.parametrize("make", [learners.NaiveBayes, lambda: learners.OnlineBagging(n_members=2)])
def test_a_value_of_another_type_is_refused_as_a_model_file(make, key):
    state, n_refused = taught(make()).state(), 0
    for value in STRANGE:
        try:
            thalweg.from_bytes(file_of(EMPTY | {"state": state | {key: value}}))
        except ModelFileError:
            n_refused += 1
    assert n_refused >= len(STRANGE) - 2  # True is 1; there may be no names, and two classes


def test_any_error_of_a_state_is_a_model_file_error(monkeypatch):
    data = thalweg.to_bytes(taught(learners.NaiveBayes()))
    for error in (MemoryError("too large"), TypeError("odd"), RuntimeError("odd")):
        def fails(self, state, error=error):
            raise error

        monkeypatch.setattr(learners.NaiveBayes, "_set_content", fails)
        with pytest.raises(ModelFileError, match=r"too large|odd"):
            thalweg.from_bytes(data)


@pytest.mark.parametrize("learner", SPARSE_LEARNERS)
@pytest.mark.parametrize("damage", DAMAGED_ROWS)
def test_sparse_rows_that_wait_in_a_file_are_checked(learner, damage):
    state = text_model(learner, n_waiting=6).state()
    row = state["waiting"]["rows"]["X"][4]
    assert thalweg.from_bytes(file_of(EMPTY | {"state": state})).n_waiting_ == 6
    DAMAGED_ROWS[damage](row["columns"], row["values"])
    with pytest.raises(ModelFileError, match=r"sparse rows are damaged|is inf"):
        thalweg.from_bytes(file_of(EMPTY | {"state": state}))


CONTRADICTIONS = {
    "more inputs than the model": put("waiting", "n_features", 10**7),
    "fewer inputs": put("waiting", "n_features", 5),
    "dense": put("waiting", "sparse", False),
    "columns of the next row": lambda state: [
        rows[0].update(columns=np.arange(len(rows[0]["columns"]) + 1)),
        rows[1].update(columns=np.arange(len(rows[1]["columns"]) - 1)),
    ] if (rows := state["waiting"]["rows"]["X"]) else None,
    "columns that are no whole numbers": put("waiting", "rows", "X", 0, "columns", np.array([0.0, 1.0, 2.0])),
    "values that are text": put("waiting", "rows", "X", 0, "values", np.array(["a", "b", "c"])),
    "no values": lambda state: state["waiting"]["rows"]["X"][0].pop("values"),
    "numbers of rows that are none": put("waiting", "rows", "times", np.full(6, np.nan)),
}  # fmt: skip


@pytest.mark.parametrize("change", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_sparse_rows_that_contradict_their_model_are_refused(change):
    state = text_model(n_waiting=6).state()
    change(state)
    with pytest.raises(ModelFileError, match="damaged"):
        thalweg.from_bytes(file_of(EMPTY | {"state": state}))


DENSE_DAMAGE = {
    "infinite": lambda X: X.__setitem__((1, 1), np.inf),
    "wider": lambda X: np.c_[X, X],
    "flat": lambda X: X.ravel(),
    "text": lambda X: X.astype(str),
    "objects": lambda X: [None] * len(X),
}


@pytest.mark.parametrize("damage", DENSE_DAMAGE)
def test_dense_rows_that_wait_in_a_file_are_checked(damage):
    rows = [{"a": i % 7, "b": i % 3, "lab": "xy"[i % 2]} for i in range(60)]
    made = thalweg.Model("lab", "NaiveBayes").learn(rows)
    made.predict([{"a": 1, "b": 2}] * 3, ids=[1, 2, 3])
    state = made.state()
    waiting = state["waiting"]["rows"]
    waiting["X"] = found if (found := DENSE_DAMAGE[damage](waiting["X"])) is not None else waiting["X"]
    with pytest.raises(ModelFileError, match="damaged"):
        thalweg.from_bytes(file_of(EMPTY | {"state": state}))
