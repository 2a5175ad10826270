"""The ring of rows against a plain deque, whatever is done with it in whatever order."""

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thalweg._native.layout import new_arrays
from thalweg._native.ring import appended
from thalweg._native.ring_layout import ROWS, check_ring, places, ring_layout, selected
from thalweg.errors import StateError

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 5), st.integers(0, 9)),
        st.tuples(st.just("remove"), st.sets(st.integers(0, 8)), st.none()),
        st.tuples(st.just("resize"), st.integers(1, 9), st.none()),
    ),
    max_size=30,
)


def empty(room):
    return new_arrays(ring_layout(), {"row": room, "input": 2})


def numbered(start, n):
    """Return n different rows, their labels and weights."""
    numbers = np.arange(start, start + n)
    return np.column_stack([numbers, -numbers]).astype(float), numbers % 3, numbers + 0.5


def held(arrays):
    """Return the rows from the oldest on, as tuples of plain numbers."""
    X, y, w = (arrays[name][places(arrays)].tolist() for name in ROWS)
    return list(zip(map(tuple, X), y, w, strict=True))


@given(st.integers(1, 9), STEPS)
def test_it_is_a_deque(room, steps):
    arrays, model, n_rows = empty(room), deque(maxlen=room), 0
    for step, what, most in steps:
        if step == "append":
            X, y, w = numbered(n_rows, what)
            arrays, n_rows = appended(arrays, X, y, w, most), n_rows + what
            model.extend(zip(map(tuple, X.tolist()), y.tolist(), w.tolist(), strict=True))
            while len(model) > most:
                model.popleft()
        elif step == "remove":
            ages = [age for age in range(len(model)) if age not in what]
            arrays, model = selected(arrays, ages, room), deque([model[age] for age in ages], room)
        else:
            room = what
            ages = np.arange(len(model))[-room:]
            arrays, model = selected(arrays, ages, room), deque(model, room)
        assert held(arrays) == list(model)
        check_ring(arrays, "Ring", slides=True)


def test_what_was_held_stays_until_the_room_is_used_up():
    before = appended(empty(5), *numbered(0, 3), most=3)
    after = appended(before, *numbered(3, 2), most=3)
    assert held(before) == held(appended(empty(3), *numbered(0, 3), most=3))
    assert held(after) == held(appended(empty(3), *numbered(2, 3), most=3))
    assert after["X"] is before["X"]


@pytest.mark.parametrize(("first", "count", "slides"), [(3, 3, True), (0, 4, True), (1, 2, False)])
def test_a_span_that_leads_nowhere_is_refused(first, count, slides):
    arrays = empty(3)
    arrays["span"][:] = first, count
    with pytest.raises(StateError, match="'span' says"):
        check_ring(arrays, "Ring", slides)
