"""Damaged states are seeded and of every kind; what a damaged input does to its worker is found and kept."""

import numpy as np
from support.damaged_states import DamagedStates, changed, packed, unpacked
from support.file_rows import write
from support.numbered_inputs import line_about, run_inputs

from thalweg.checks.running import assert_same
from thalweg.saving.container import pack

STATE = {
    "name": "NaiveBayes", "rate": 0.5, "n": 7, "ready": True, "none": None, "empty": [],
    "counts": np.arange(12).reshape(3, 4), "means": np.linspace(0, 1, 5), "flags": np.array([True, False]),
    "words": np.array(["a", "b"]), "parts": [{"weight": np.ones(2)}, {"weight": np.zeros(2)}],
    "inner": pack({"content": {"array": 0}}, [np.arange(3)]),
}  # fmt: skip


def test_damage_is_seeded_and_reaches_every_value():
    damaged, before = DamagedStates(STATE), packed(STATE)
    touched, several = set(), 0
    for seed in range(600):
        (said, one), (_, two) = (damaged.draw(np.random.default_rng(seed)) for _ in range(2))
        assert_same_or_odd(one, two)
        touched |= {path[0] for path, _, _ in said}
        several += len(said) > 1
    assert touched == set(STATE) and several > 100
    assert packed(STATE) == before, "the state that is damaged must stay as it is"


def assert_same_or_odd(one, two):
    """Assert that two damaged states are equal, as far as they can be written."""
    try:
        assert packed(one) == packed(two)
    except (TypeError, ValueError):
        assert str(one) == str(two)


def test_half_of_the_damage_is_where_it_is_wanted():
    damaged = DamagedStates(STATE, often=["parts"])
    first = [damaged.draw(np.random.default_rng(seed))[0][:1] for seed in range(300)]
    share = np.mean([path[0] == "parts" for changes in first for path, _, _ in changes])
    assert 0.4 < share < 0.6


def test_what_is_packed_inside_has_a_right_checksum():
    found = [changed(STATE["inner"], np.random.default_rng(seed)) for seed in range(100)]
    inner = [unpacked(each) for each in found if isinstance(each, bytes) and len(each) > 100]
    assert len(inner) > 30 and any(not np.array_equal(each, np.arange(3)) for each in inner)


def test_arrays_get_other_values_shapes_and_types():
    array = np.arange(12).reshape(3, 4)
    found = [changed(array, np.random.default_rng(seed)) for seed in range(500)]
    arrays = [each for each in found if isinstance(each, np.ndarray)]
    assert len(arrays) < len(found)
    assert len({each.shape for each in arrays}) > 8 and len({each.dtype for each in arrays}) > 6
    same = [each for each in arrays if each.shape == array.shape and each.dtype == array.dtype]
    values = np.unique(np.concatenate([each.ravel() for each in same]))
    assert {-1, 12, np.iinfo(np.int64).max, np.iinfo(np.int64).min} <= set(values.tolist())
    assert_same(array, np.arange(12).reshape(3, 4))


SCRIPT = """
import os, time
import support.numbered_inputs as inputs

inputs.TIME_LIMIT = 3
PARTS = []

class Source:
    def damaged(self, rng, number):
        return f"what was changed in {number}", b"%d" % number

    def attempt(self, data):
        number = int(data)
        if number == 2:
            os.abort()
        if number == 4:
            time.sleep(60)
        if number == 6:
            raise KeyError("no such key")
        if number == 8:
            PARTS.append(bytes(5 << 30))
        return "accepted" if number % 2 else "refused StateError"

inputs.fuzz_script("A test.", Source, __file__)
"""


def test_crashes_hangs_mistakes_and_too_much_memory_are_kept(tmp_path):
    script = str(write(tmp_path, SCRIPT, "script.py"))
    answers, problems = run_inputs(script, 3, n_cases=10, kept=tmp_path)
    assert answers == {"accepted": 5, "refused StateError": 1, "crash": 2, "problem KeyError": 1,
                       "problem MemoryError": 1}  # fmt: skip
    ends = {2: "signal 6", 4: "time-out", 6: "KeyError: 'no such key'", 8: "MemoryError"}
    for number, seen in ends.items():
        text = (tmp_path / f"script-3-{number}.txt").read_text()
        assert text.startswith(f"PYTHONPATH=tests python {script} --seed 3 --only {number}\n")
        assert seen in text
    assert "what was changed in 6" in problems[2]
    line = line_about(answers, problems, 2.0)
    assert line.startswith("10 inputs (5 a second): 5 accepted, 1 refused, 4 problems")
