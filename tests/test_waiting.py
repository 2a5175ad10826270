"""Rows that wait for their labels: found by id or by order, bounded, whole after any refusal or interrupt."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thalweg.errors import StateError, WaitingError
from thalweg.waiting import WaitingRows


def numbered(*numbers):
    return np.array(numbers, dtype=float)[:, None] * [1.0, 10.0]


def waiting_ids(store):
    return store.rows().ids


@pytest.fixture
def store():
    made = WaitingRows(n_features=2, n_classes=3)
    made.add(numbered(1, 2, 3), ids=["a", "b", "c"], p=np.full((3, 3), 1 / 3), now=[10.0, 20.0, 30.0])
    return made


def test_a_label_finds_what_was_asked_answered_and_when(store):
    found = store.resolve(["c", "a"])
    assert found.ids == ["c", "a"]
    assert found.X.tolist() == [[3.0, 30.0], [1.0, 10.0]]
    assert found.p.tolist() == [[1 / 3] * 3] * 2
    assert found.times.tolist() == [30.0, 10.0]
    assert waiting_ids(store) == ["b"]
    assert len(store) == 1


def test_labels_can_come_in_the_order_of_the_rows():
    store = WaitingRows(2)
    assert store.add(numbered(0, 1, 2, 3)) == [0, 1, 2, 3]
    store.resolve([1])
    assert store.resolve_oldest(2).ids == [0, 2]
    assert store.add(numbered(4)) == [4]
    assert store.resolve_oldest(2).X[:, 0].tolist() == [3.0, 4.0]
    with pytest.raises(WaitingError, match="cannot resolve 1 rows: only 0 are waiting"):
        store.resolve_oldest()


@pytest.mark.parametrize(
    "ids", [np.array([7, 8]), np.array(["x", "y"]), [np.int64(7), np.str_("y")], (7, "y")], ids=repr
)
def test_ids_are_whole_numbers_or_strings(ids):
    store = WaitingRows(2)
    added = store.add(numbered(1, 2), ids=ids)
    assert [type(each) for each in added] == [int if str(each).isdigit() else str for each in added]
    assert store.contains(ids).tolist() == [True, True]
    assert store.resolve(ids[::-1]).X[:, 0].tolist() == [2.0, 1.0]
    assert not store.contains(ids).any()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda store: store.add(numbered(4, 5), ids=["d", "b"]), WaitingError, "'b' is waiting already"),
        (lambda store: store.add(numbered(4, 5), ids=["d", "d"]), WaitingError, "twice among those to add"),
        (lambda store: store.add(numbered(4, 5), ids=["d"]), ValueError, "2 rows but 1 ids"),
        (lambda store: store.add(numbered(4), ids=[1.5]), TypeError, "a whole number or text, got 1.5"),
        (lambda store: store.add(numbered(4), ids=[True]), TypeError, "a whole number or text, got True"),
        (lambda store: store.add(numbered(4), ids="d"), TypeError, "a sequence of int or str, got 'd'"),
        (lambda store: store.add(numbered(4)[:, :1], ids=["d"]), ValueError, "rows of 2 inputs"),
        (lambda store: store.add(numbered(4), p=np.ones((1, 2)), ids=["d"]), ValueError, "p of shape"),
        (lambda store: store.resolve(["a", "z"]), WaitingError, "no row is waiting with the id 'z'"),
        (lambda store: store.resolve(["a", "a"]), WaitingError, "twice among those to resolve"),
        (lambda store: store.resolve_oldest(4), WaitingError, "only 3 are waiting"),
    ],
)
def test_what_is_refused_changes_nothing(store, call, error, message):
    with pytest.raises(error, match=message):
        call(store)
    assert waiting_ids(store) == ["a", "b", "c"]
    assert len(store) == 3
    assert store.resolve(["b"]).X.tolist() == [[2.0, 20.0]]


def test_a_full_store_drops_the_oldest_and_counts_them():
    store = WaitingRows(2, capacity=3)
    store.add(numbered(0, 1))
    store.add(numbered(2, 3))
    assert (waiting_ids(store), store.n_dropped) == ([1, 2, 3], 1)
    assert store.add(numbered(4, 5, 6, 7, 8)) == [4, 5, 6, 7, 8]
    assert (waiting_ids(store), store.n_dropped) == ([6, 7, 8], 6)
    assert store.resolve([7]).X.tolist() == [[7.0, 70.0]]
    assert store.contains([1, 4, 6]).tolist() == [False, False, True]


def test_a_full_store_can_refuse_instead():
    store = WaitingRows(2, capacity=3, when_full="raise")
    store.add(numbered(0, 1))
    with pytest.raises(WaitingError, match="cannot add 2 rows: 2 are waiting, and the capacity is 3"):
        store.add(numbered(2, 3), ids=[2, 3])
    assert (waiting_ids(store), store.n_dropped) == ([0, 1], 0)
    store.resolve_oldest()
    store.add(numbered(2, 3), ids=[2, 3])
    assert waiting_ids(store) == [1, 2, 3]


@pytest.mark.parametrize("settings", [{"capacity": 0}, {"when_full": "wait"}])
def test_senseless_settings_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        WaitingRows(2, **settings)


def test_old_rows_are_listed_and_expire(store):
    assert store.rows(age=15, now=35).ids == ["a", "b"]
    assert len(store) == 3
    assert store.expire(age=15, now=35).ids == ["a", "b"]
    assert (waiting_ids(store), store.n_expired) == (["c"], 2)
    assert store.expire(age=15, now=35).ids == []
    store.add(numbered(4))
    assert store.rows(age=0).ids == ["c", 0]
    assert store.rows(age=1e6).ids == ["c"]  # of 1970


def test_memory_is_bounded_by_the_rows_that_wait():
    store = WaitingRows(2, capacity=100)
    for start in range(0, 20_000, 50):
        ids = store.add(np.zeros((50, 2)), ids=np.arange(start, start + 50))
        store.resolve(ids[1:])
    assert max(len(slots) for slots in store._slots) <= 2 * (100 + 50) + 16
    assert len(store._index) == len(store) == 51


operations = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 12)),
        st.tuples(st.just("resolve"), st.lists(st.integers(0, 10**6), max_size=8)),
        st.tuples(st.just("resolve_oldest"), st.integers(0, 8)),
        st.tuples(st.just("expire"), st.integers(0, 40)),
        st.tuples(st.just("save"), st.none()),
    ),
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(operations, st.sampled_from([None, 1, 7, 20]), st.booleans())
def test_it_is_a_dict_in_the_order_of_arrival(operations, capacity, named):
    store, model, n = WaitingRows(2, capacity=capacity), {}, 0
    for what, argument in operations:
        if what == "add":
            ids = [f"row {i}" if named else i for i in range(n, n + argument)]
            rows = np.arange(n, n + argument)
            store.add(numbered(*rows), ids=ids, now=rows)
            model |= dict(zip(ids, rows.tolist(), strict=True))
            n += argument
            model = dict(list(model.items())[-capacity:]) if capacity else model
        elif what == "save":
            store = WaitingRows.from_state(store.state())
        else:
            if what == "resolve":
                chosen = list(dict.fromkeys(list(model)[i % len(model)] for i in argument)) if model else []
                removed = store.resolve(chosen)
            elif what == "resolve_oldest":
                chosen = list(model)[: min(argument, len(model))]
                removed = store.resolve_oldest(len(chosen))
            else:
                chosen = [key for key, row in model.items() if n - row >= argument]
                removed = store.expire(argument, now=n)
            assert removed.ids == chosen
            assert removed.X[:, 0].tolist() == [model.pop(key) for key in chosen]
        assert len(store) == len(model)
        assert waiting_ids(store) == list(model)
        assert store.rows().X[:, 1].tolist() == [10.0 * row for row in model.values()]


class InterruptedIndex(dict):
    """Raises Ctrl-C after some of the changes that one call makes."""

    left = 1

    def update(self, pairs):
        for key, slot in pairs:
            self[key] = slot
            self._count()

    def __delitem__(self, key):
        super().__delitem__(key)
        self._count()

    def _count(self):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("call", ["add", "resolve"])
@pytest.mark.parametrize("after", [1, 2])
def test_an_interrupted_call_leaves_whole_rows(store, call, after):
    store.add(numbered(4, 5, 6), ids=["d", "e", "f"])
    store._index = InterruptedIndex(store._index)
    store._index.left = after
    with pytest.raises(KeyboardInterrupt):
        store.add(numbered(7, 8, 9), ids=["g", "h", "i"]) if call == "add" else store.resolve(["a", "c", "e"])
    left = ["a", "b", "c", "d", "e", "f"] if call == "add" else ["b", "d", "f"]
    assert waiting_ids(store) == left
    assert len(store) == len(left)
    assert not store.contains(["g", "h", "i"]).any()
    store.add(numbered(70, 80, 90), ids=["g", "h", "i"])
    store.add(np.zeros((50, 2)), ids=[f"more {i}" for i in range(50)])
    assert store.resolve(["h", "b", "g"]).X[:, 0].tolist() == [80.0, 2.0, 70.0]
    assert store.resolve_oldest(2).ids == [each for each in left if each != "b"][:2]


def test_a_store_goes_on_from_its_state(store):
    store.add(numbered(4), ids=[5])
    store.expire(age=15, now=25)
    state = store.state()
    assert {type(state[name]) for name in ("X", "p", "times")} == {np.ndarray}
    again = WaitingRows.from_state(state)
    assert again.rows().ids == ["b", "c", 5]
    assert again.n_expired == 1
    store.resolve(["b", "c"])
    again.resolve(["b", "c"])
    for one, other in zip(store.rows(), again.rows(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "damage",
    [{"ids": ["a", "b"]}, {"ids": ["a", "a", "b"]}, {"ids": [1.0, 2.0, 3.0]}, {"X": np.zeros((3, 1))},
     {"p": np.zeros((2, 3))}, {"times": np.zeros(2)}, {"capacity": 2}, {"n_features": None},
     {"n_dropped": "many"}],
    ids=repr,
)
def test_a_damaged_state_is_refused(store, damage):
    with pytest.raises(StateError, match="WaitingRows"):
        WaitingRows.from_state(store.state() | damage)
    state = store.state()
    state.pop(next(iter(damage)))
    with pytest.raises(StateError, match="damaged"):
        WaitingRows.from_state(state)


@pytest.mark.parametrize("damage", [{"capacity": 2}, {"ids": ["a", "a", "b"]}, {"next_id": "x"}], ids=repr)
def test_a_refused_state_changes_nothing(store, damage):
    before = store.state()
    with pytest.raises(StateError, match="WaitingRows"):
        store.restore(before | damage)
    for name, value in store.state().items():
        np.testing.assert_array_equal(value, before[name])
    assert store.resolve(["b"]).ids == ["b"]


def test_copies_and_pickles_go_on_by_themselves(store):
    for twin in (store.copy(), copy.copy(store), copy.deepcopy(store), pickle.loads(pickle.dumps(store))):
        assert twin.rows().ids == store.rows().ids
        twin.resolve_oldest(2)
    assert len(store) == 3


def test_threads_share_a_store():
    store = WaitingRows(n_features=1)

    def add_and_resolve(thread):
        for i in range(300):
            store.add([[i], [i]], ids=[f"{thread} {i}", f"{thread} {i} stays"])
            store.resolve([f"{thread} {i}"])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add_and_resolve, range(4)))
    assert len(store) == 1200 and store.contains([f"{k} 299 stays" for k in range(4)]).all()


DICTS = [{"wind": 3.0}, {"wind": 22.0, "sky": "grey"}, {}, {"rain": None}]


def test_dict_rows_wait_as_they_are():
    store = WaitingRows(n_classes=2)
    rows = [dict(row) for row in DICTS]
    ids = store.add(rows, p=np.full((4, 2), 0.5), ids=["a", "b", "c", "d"], now=0)
    rows[0]["wind"] = 99.0
    assert store.resolve(["b", "a"]).X.tolist() == [DICTS[1], DICTS[0]]
    again = WaitingRows.from_state(store.state())
    assert again.rows().ids == ids[2:] and again.rows().X.tolist() == DICTS[2:]
    assert again.state()["X"] == DICTS[2:]


def test_dict_rows_are_learned_when_their_labels_come():
    from thalweg.learners import NaiveBayes

    store, later, at_once = WaitingRows(), NaiveBayes().begin(), NaiveBayes().begin()
    labels = ["calm", "storm", "calm", "storm"]
    store.add(DICTS)
    later.test_then_train(store.resolve_oldest(4).X, labels)
    at_once.test_then_train(DICTS, labels)
    assert later.predict_proba(DICTS).tolist() == at_once.predict_proba(DICTS).tolist()


@pytest.mark.parametrize("n_features", [1, None])
def test_it_says_which_rows_it_dropped(n_features):
    def rows(*values):
        return [[value] for value in values] if n_features else [{"x": value} for value in values]

    store = WaitingRows(n_features, capacity=3)
    assert store.dropped.ids == []
    store.add(rows(1.0, 2.0), ids=["a", "b"], now=[1, 2])
    assert store.dropped.ids == []
    store.add(rows(3.0, 4.0), ids=["c", "d"], now=[3, 4])
    assert store.dropped.ids == ["a"] and store.dropped.X.tolist() == rows(1.0)
    store.add(rows(5.0, 6.0, 7.0, 8.0), ids=["e", "f", "g", "h"], now=5)
    assert store.dropped.ids == ["b", "c", "d", "e"] and store.dropped.X.tolist() == rows(2.0, 3.0, 4.0, 5.0)
    assert store.n_dropped == 5 and store.rows().ids == ["f", "g", "h"]
    store.resolve(["f"])
    store.add(rows(9.0), ids=["i"])
    assert store.dropped.ids == []


def test_arrays_and_dicts_are_not_mixed():
    with pytest.raises(ValueError, match="leave out n_features"):
        WaitingRows(2).add(DICTS)
    with pytest.raises(ValueError, match="row 0 is a list, not a dict; for arrays, give n_features"):
        WaitingRows().add([[1.0, 2.0]])


@pytest.mark.parametrize("rows", [DICTS[0], pd.DataFrame(DICTS)], ids=["one row", "frame"])
def test_dict_rows_come_in_a_list(rows):
    seen = type(rows).__name__
    with pytest.raises(ValueError, match=f"expected a list of dicts, one for each row, got a {seen}"):
        WaitingRows().add(rows)


def test_it_is_shown_with_its_kind_of_rows():
    store = WaitingRows(capacity=1000)
    store.add(DICTS)
    assert repr(store) == "<WaitingRows: 4 waiting of at most 1,000, 0 dropped, 0 expired; dict rows>"
    assert repr(WaitingRows(2)).endswith("; 2 inputs>")


@pytest.mark.parametrize("capacity", [0, "3", 2.5])
def test_a_wrong_capacity_is_refused(capacity):
    with pytest.raises(ValueError, match="capacity must be at least 1 or None"):
        WaitingRows(capacity=capacity)
