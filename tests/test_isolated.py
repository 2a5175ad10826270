"""A case that ends its process is found, and the next one is answered."""

import sys

import fuzz.files
import numpy as np
import pytest
from support.file_rows import write
from support.isolated import Worker
from support.mutations import MUTATIONS, damaged

from thalweg.errors import StreamError

SCRIPT = """
import os, time
from support.isolated import answer_cases

def check(case):
    if case == "crash":
        os.abort()
    if case == "leave":
        os._exit(3)
    if case == "hang":
        time.sleep(60)
    return f"{case}\\nwas fine"

answer_cases(check, seconds=3)
"""


def test_crashes_and_hangs_are_found_and_the_rest_goes_on(tmp_path):
    with Worker([str(write(tmp_path, SCRIPT, "script.py"))]) as worker:
        assert worker.answer("one") == ("one was fine", None)
        for case, ending in (("crash", "signal 6"), ("leave", "status 3"), ("hang", "time-out")):
            answer, how = worker.answer(case)
            assert answer is None and how.startswith(ending)
            assert worker.answer("two") == ("two was fine", None)


def test_damage_is_seeded_and_every_kind_of_it_changes_something():
    content, other = bytes(range(200)), b"another"
    for mutation in MUTATIONS:
        copies = {mutation(np.random.default_rng(seed), content, [other]) for seed in range(20)}
        assert len(copies - {content}) > 10
        for seed in range(20):
            assert isinstance(mutation(np.random.default_rng(seed), b"", [b""]), bytes)
    one, two = (damaged(np.random.default_rng(5), content, [other]) for _ in range(2))
    assert one == two != content


class Rows:
    n_features, names, classes, n_rows = 2, ("a", "b"), np.array([0, 1]), 3
    n_categories = np.array([0, 2])

    def __init__(self, X, codes):
        self.block = np.array(X, dtype=float), np.array(codes)

    def coded_blocks(self, size):
        yield self.block


def _raise(error):
    raise error


GOOD = [[1.5, 0], [np.nan, 1], [7, np.nan]]


@pytest.mark.parametrize(
    ("reader", "answer"),
    [
        (lambda path: Rows(GOOD, [0, 1, -1]), "read"),
        (lambda path: Rows(GOOD, [0, 1, -2]), "wrong rows: codes"),
        (lambda path: Rows(GOOD, [0, 1, 2]), "wrong rows: codes"),
        (lambda path: Rows(GOOD, [0, 1]), "wrong rows: an array of shape (3, 2)"),
        (lambda path: Rows(GOOD[:2], [0, 1]), "wrong rows: 2 rows instead of 3"),
        (lambda path: Rows([[np.inf, 0]] * 3, [0, 1, 0]), "wrong rows: infinity"),
        (lambda path: Rows([[1, 2]] * 3, [0, 1, 0]), "wrong rows: categories [2. 2. 2.] of 2"),
        (lambda path: Rows([[1, 0.5]] * 3, [0, 1, 0]), "wrong rows: categories"),
        (lambda path: _raise(StreamError(f"{path} is damaged")), "refused"),
        (lambda path: _raise(StreamError("it is damaged")), "message is not clear"),
        (lambda path: _raise(KeyError("a")), "KeyError: 'a'"),
        (lambda path: _raise(KeyboardInterrupt), "KeyboardInterrupt"),
    ],
)
def test_what_fuzzing_takes_for_a_problem(monkeypatch, reader, answer):
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(fuzz.files, "from_file", reader)
    assert fuzz.files.read("/raise-rows").startswith(answer)


def test_memory_and_lost_errors_are_problems(monkeypatch):
    class Failing:
        def __del__(self):
            raise ValueError("nobody sees this")

    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(fuzz.files, "from_file", lambda path: Failing() and Rows(GOOD, [0, 1, -1]))
    assert fuzz.files.read("/raise-rows").startswith("an error is not passed on: ValueError('nobody")
    memory = iter([100, 3_000_100])
    monkeypatch.setattr(fuzz.files, "_most_memory", lambda: next(memory))
    monkeypatch.setattr(fuzz.files, "from_file", lambda path: Rows(GOOD, [0, 1, -1]))
    assert fuzz.files.read("/raise-rows") == "3000 MB of memory; read"
