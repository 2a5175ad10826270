"""The index of rows that wait for labels does what a plain list of rows does, and refuses damaged states."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thalweg._native.waiting_index import WaitingIndex
from thalweg.errors import StateError

ONE = np.ones(1)
ROWS = [np.array([[a, b]]) for a in (0.0, 1.0, np.nan) for b in (2.0, -3.5)]


class PlainIndex:
    """The same as a list of (number, id or values), oldest first; rows over the bound are dropped."""

    def __init__(self, most):
        self.most, self.rows, self.n_observed = most, [], 0

    def observe(self, row, id):
        self.n_observed += 1
        if id is not None:
            self.rows = [each for each in self.rows if each[1] != id]
        self.rows.append((self.n_observed, name_of(row) if id is None else id))
        self.rows = [each for each in self.rows if each[0] > self.n_observed - self.most]
        return self.n_observed

    def take(self, row, id):
        name = name_of(row) if id is None else id
        for each in self.rows:
            if each[1] == name:
                self.rows.remove(each)
                return each[0]
        return 0


def name_of(row):
    return str([(j, value) for j, value in enumerate(row[0]) if value == value])


def observed(index, row, id=None):
    numbers = np.zeros(1, dtype=np.int64)
    index.observe(row, None if id is None else np.array([id]), numbers)
    return numbers[0]


def taken(index, row, id=None):
    numbers = np.zeros(1, dtype=np.int64)
    index.take(row, None if id is None else np.array([id]), ONE, numbers)
    return numbers[0]


def reloaded(index):
    new = WaitingIndex("Learner", index.most)
    new.restore(index.state())
    return new


IDS = st.none() | st.integers(-4, 30) | st.sampled_from([-(2**63), 2**63 - 1])
STEP = st.tuples(st.sampled_from(["observe", "observe", "take", "reload"]), st.sampled_from(ROWS), IDS)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([1, 3, 16, 17, 40]), st.lists(STEP, max_size=120))
def test_it_finds_what_a_list_finds(most, steps):
    index, plain = WaitingIndex("Learner", most), PlainIndex(most)
    for what, row, id in steps:
        if what == "reload":
            index = reloaded(index)
        elif what == "observe":
            assert observed(index, row, id) == plain.observe(row, id)
        else:
            assert taken(index, row, id) == plain.take(row, id)
        assert index.n == len(plain.rows)
    assert sorted(index.arrays["number"][index.arrays["number"] > 0]) == [number for number, _ in plain.rows]


@pytest.mark.parametrize("most", [1, 5, 16, 100])
def test_beyond_the_bound_the_oldest_is_forgotten(most):
    index = WaitingIndex("Learner", most)
    numbers = np.zeros(most + 1, dtype=np.int64)
    index.observe(None, np.arange(most + 1), numbers)
    assert index.n == most
    assert taken(index, None, 0) == 0
    assert taken(index, None, 1 if most > 1 else most) == 2
    before = index.bytes
    index.observe(None, np.arange(100_000), np.zeros(100_000, dtype=np.int64))
    assert index.n == most and index.bytes == before


def test_memory_follows_the_rows_that_wait():
    index = WaitingIndex("Learner", 10_000)
    for i in range(3000):
        observed(index, None, i)
        if i >= 20:
            assert taken(index, None, i - 20) == i - 19
    assert len(index.arrays["number"]) == 32


def test_many_equal_rows_are_found_in_order_and_in_no_time():
    index, n = WaitingIndex("Learner", 1_000_000), 200_000
    numbers = np.zeros(n, dtype=np.int64)
    index.observe(np.zeros((n, 2)), None, numbers)
    found = np.zeros(n, dtype=np.int64)
    index.take(np.zeros((n, 2)), None, np.ones(n), found)
    np.testing.assert_array_equal(found, numbers)


def test_rows_of_weight_0_go_on_waiting():
    index = WaitingIndex("Learner", 10)
    index.observe(None, np.arange(4), np.zeros(4, dtype=np.int64))
    numbers = np.zeros(4, dtype=np.int64)
    index.take(None, np.arange(4), np.array([0.0, 1.0, 0.0, 2.0]), numbers)
    assert numbers.tolist() == [0, 2, 0, 4] and index.n == 2


def test_more_inputs_leave_a_row_what_it_is():
    index = WaitingIndex("Learner", 10)
    assert observed(index, np.array([[1.0, np.nan, 3.0]])) == 1
    assert taken(index, np.array([[1.0, 3.0, np.nan]])) == 0
    assert taken(index, np.array([[1.0, np.nan, 3.0, np.nan, np.nan]])) == 1


@pytest.mark.parametrize("row", [[0.0, 2.0], [2.0, 0.0], [0.0, 0.0], [-0.0, 2.0], [2.0, 2.0]], ids=str)
def test_a_missing_value_is_no_number(row):
    index = WaitingIndex("Learner", 10)
    rows = [row, [np.nan, row[1]], [row[0], np.nan], [np.nan, np.nan], [*row[::-1], np.nan]]
    for x in rows[:4]:
        observed(index, np.array([x]))
    assert [taken(index, np.array([x])) for x in rows[3::-1]] == [4, 3, 2, 1]
    assert taken(index, np.array([rows[4]])) == 0


def test_what_was_taken_or_observed_can_be_undone():
    index = WaitingIndex("Learner", 100)
    index.observe(np.zeros((40, 1)), None, np.zeros(40, dtype=np.int64))
    before, numbers = index.state(), np.zeros(30, dtype=np.int64)
    index.take(np.zeros((30, 1)), None, np.ones(30), numbers)
    index.put_back(numbers[10:])
    assert index.n == 30
    assert [taken(index, np.zeros((1, 1))) for _ in range(2)] == [11, 12]
    index.put_back(np.arange(1, 13))
    numbers = np.zeros(7, dtype=np.int64)
    index.observe(None, np.arange(7), numbers)
    index.undo(numbers[2:])
    assert index.n == 42 and observed(index, None, 99) == 43
    index.undo(np.array([41, 42, 43]))
    after = index.state()
    for name in ("counts", "number"):
        np.testing.assert_array_equal(after[name], before[name])
    np.testing.assert_array_equal(after["key"], before["key"])


def test_numbers_that_were_never_given_cannot_be_put_back():
    index = WaitingIndex("Learner", 100)
    observed(index, None, 1)
    index.put_back(np.array([0, 2, -5, 2**62, -(2**63)]))
    index.undo(np.array([7, -1, 0]))
    assert index.n == 1 and taken(index, None, 1) == 1


def damaged_states():
    def changed(**arrays):
        return lambda state: state | {name: change(state[name].copy()) for name, change in arrays.items()}

    def with_value(place, value):
        def change(array):
            array[place] = value
            return array

        return change

    return {
        "a row less": changed(counts=with_value(0, 19)),
        "a row more": changed(counts=with_value(0, 21)),
        "a negative count": changed(counts=with_value(0, -1)),
        "fewer observed": changed(counts=with_value(1, 18)),
        "many more observed": changed(counts=with_value(1, 500)),
        "beyond all counts": changed(counts=with_value(1, 2**60)),
        "a number in another place": changed(number=lambda array: np.roll(array, 1)),
        "a number twice": changed(number=with_value(5, 6)),
        "a negative number": changed(number=with_value(5, -5)),
        "a number of long ago": changed(number=with_value(25, 25 - 32)),
        "a key less": changed(key=lambda array: array[:-1]),
        "another type": changed(key=lambda array: array.astype(float)),
        "no room": changed(key=lambda array: array[:0], number=lambda array: array[:0]),
        "too much room": changed(
            key=lambda array: np.resize(array, 5000), number=lambda array: np.resize(array, 5000)
        ),
        "an axis more": changed(number=lambda array: array[None]),
        "an array less": lambda state: {name: state[name] for name in ("counts", "number")},
        "an array more": lambda state: state | {"chain": state["number"]},
        "no dict": lambda state: [state],
    }


@pytest.mark.parametrize("name", damaged_states())
def test_a_damaged_state_is_refused_and_changes_nothing(name):
    index = WaitingIndex("Learner", 100)
    index.observe(None, np.arange(20), np.zeros(20, dtype=np.int64))
    state = damaged_states()[name](index.state())
    with pytest.raises(StateError, match="Learner"):
        index.restore(state)
    assert index.n == 20 and taken(index, None, 7) == 8
