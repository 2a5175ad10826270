"""Keys of any kind are found again, and are what they were."""

import datetime
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thalweg.errors import ColumnWarning
from thalweg.keyed import Bank
from thalweg.keyed._native.key_index import KeyIndex, index_of
from thalweg.keyed.key_texts import key_hashes
from thalweg.keyed.keys import decode, encode, key_seed, numbers_of
from thalweg.learners import NaiveBayes

PLAIN = st.one_of(
    st.text(), st.integers(), st.floats(allow_nan=False), st.none(), st.binary(), st.dates(), st.datetimes(),
    st.booleans(),
)  # fmt: skip
KEYS = st.one_of(PLAIN, st.tuples(PLAIN, PLAIN), st.tuples(st.text(), st.integers(), st.none()))


@given(st.lists(KEYS, max_size=60))
@settings(max_examples=200, deadline=None)
def test_an_index_numbers_keys_as_a_dict_does(keys):
    index, known = KeyIndex(), {}
    expected = [known.setdefault(key, len(known)) for key in keys]
    assert numbers_of(index, keys, True).tolist() == expected
    assert numbers_of(index, keys, False).tolist() == expected
    assert [decode(index.key(i)) for i in range(len(index))] == list(known)
    again = index_of(*index.content())
    assert numbers_of(again, keys, False).tolist() == expected


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT, np.datetime64("NaT")])
def test_missing_keys_are_one_key(missing):
    index = KeyIndex()
    assert numbers_of(index, [missing, "a", None], True).tolist() == [0, 1, 0]
    assert decode(index.key(0)) is None


TEXTS = ["bob", "", "ann", "é" * 5000, "bob", "x" * 10_000, "ann"]


@pytest.mark.parametrize("column", [
    TEXTS, tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, dtype=object), pd.Series(TEXTS),
    pd.Series(TEXTS, dtype="category"), pd.Series(TEXTS, dtype="string[pyarrow]"), pa.array(TEXTS),
    pa.array(TEXTS, pa.large_string()), pa.chunked_array([TEXTS[:3], TEXTS[3:]]),
    pa.array(["none", *TEXTS])[1:], pa.array(TEXTS).dictionary_encode(), pd.DataFrame({"key": TEXTS}),
], ids=lambda column: f"{type(column).__name__} {getattr(column, 'dtype', '')}")  # fmt: skip
def test_text_comes_in_any_form(column):
    index = KeyIndex()
    assert numbers_of(index, column, True).tolist() == [0, 1, 2, 3, 0, 4, 2]
    assert [decode(index.key(i)) for i in range(5)] == ["bob", "", "ann", "é" * 5000, "x" * 10_000]
    assert numbers_of(index, column, False).tolist() == [0, 1, 2, 3, 0, 4, 2]


@pytest.mark.parametrize("column", [
    [7, -2, 7], np.array([7, -2, 7]), np.array([7, -2, 7], dtype=np.int8), np.array([7.0, -2.0, 7.0]),
    pd.Series([7, -2, 7]), pa.array([7, -2, 7]), pa.array([7, -2, 7], pa.int32()), pd.Series([7, -2, 7.0]),
], ids=str)  # fmt: skip
def test_whole_numbers_come_in_any_form(column):
    index = KeyIndex()
    assert numbers_of(index, column, True).tolist() == [0, 1, 0]
    assert [decode(index.key(i)) for i in range(2)] == [7, -2]


def test_columns_together_are_a_key():
    frame = pd.DataFrame({"shop": ["a", "a", "b"], "till": [1, 2, 1]})
    index = KeyIndex()
    assert numbers_of(index, frame, True).tolist() == [0, 1, 2]
    assert numbers_of(index, [("a", 2), ("b", 1)], False).tolist() == [1, 2]
    assert numbers_of(index, np.array([["a", "b"], ["a", "c"]]), True).tolist() == [3, 4]
    assert numbers_of(index, [("ab", ""), ("a", "b")], False).tolist() == [-1, 3]


def test_missing_cells_of_arrow_are_the_missing_key():
    index = KeyIndex()
    assert numbers_of(index, pa.array(["a", None, ""]), True).tolist() == [0, 1, 2]
    assert decode(index.key(1)) is None


@pytest.mark.parametrize("key", [[1], {"a": 1}, object(), {1}])
def test_what_cannot_be_a_key_is_refused(key):
    with pytest.raises(TypeError, match="Bank: a key is text, a number, a date, None or a tuple"):
        encode(key)


@pytest.mark.parametrize("keys", ["abc", 7, None])
def test_one_key_is_not_several(keys):
    with pytest.raises(TypeError, match="expected one key for each row"):
        numbers_of(KeyIndex(), keys, True)


def test_seeds_follow_from_keys():
    keys = [*range(500), *map(str, range(500)), None, ("a", 1), 2.5, datetime.date(2024, 1, 1)]
    seeds = [key_seed(key, 3) for key in keys]
    assert len(set(seeds)) == len(keys)
    assert key_seed("customer 7", 1) == 7_536_580 and key_seed("customer 7", 2) != key_seed("customer 7", 1)
    assert key_seed(1.0, 0) == key_seed(True, 0) == key_seed(np.int32(1), 0) == key_seed(1, 0)


def test_a_key_that_is_different_in_every_row_is_noticed():
    bank, X, y = Bank(NaiveBayes()).begin(1, [0, 1]), np.zeros((6000, 1)), np.zeros(6000, dtype=int)
    bank.test_then_train(np.arange(6000), X, y)
    with pytest.warns(ColumnWarning, match="12,000 rows have 12,000 different keys.*is the key an id"):
        bank.test_then_train(np.arange(6000, 12_000), X, y)
    bank.test_then_train(np.arange(12_000, 18_000), X, y)  # once


def test_many_keys_that_come_again_are_no_reason_to_warn():
    keys = np.random.default_rng(1).integers(500_000, size=12_000)
    bank = Bank(NaiveBayes()).begin(1, [0, 1])
    bank.test_then_train(keys, np.zeros((12_000, 1)), np.zeros(12_000, dtype=int))
    assert 11_500 < len(bank) < 12_000


def related_keys(n_pairs):
    """Return 2**n_pairs keys that have one hash, whatever its seed, if it is made of products and shifts."""
    words, keys = np.random.default_rng(1).integers(2**63, size=2 * n_pairs, dtype=np.uint64), []
    pair = np.resize(np.array([1 << 63, 1 << 63 | 1 << 34], dtype=np.uint64), len(words))
    for flips in range(2**n_pairs):
        chosen = np.repeat(flips >> np.arange(n_pairs) & 1, 2).astype(np.uint64)
        keys.append((words ^ chosen * pair).tobytes())
    return keys


def cpu_time(keys):
    start = time.process_time()
    numbers_of(KeyIndex(), keys, True)
    return time.process_time() - start


HASHES = [
    14608460251001054041, 6624770478017397347, 3285341570053154148, 542462388952117184, 15547094882411602485,
]


def test_keys_chosen_to_collide_take_no_longer_than_others():
    chosen = related_keys(14)
    rng = np.random.default_rng(2)
    others = [rng.bytes(len(chosen[0])) for _ in chosen]
    assert len(set(chosen)) == len(chosen)
    assert min(cpu_time(chosen) for _ in range(3)) < 6 * min(cpu_time(others) for _ in range(3))


def test_an_index_stays_within_its_bound_of_memory():
    index = KeyIndex()
    numbers_of(index, np.arange(200_000) << 40, True)
    numbers_of(index, [f"key {i}" for i in range(200_000)], True)
    assert len(index) == 400_000 and index.nbytes < 100 * len(index)


def test_texts_are_in_the_bucket_that_folders_of_0_2_0_have_them_in():
    texts = ["", "ann", "customer 7", "é" * 50, "x" * 1000]
    assert key_hashes(pa.array(texts, pa.large_string())).tolist() == HASHES
