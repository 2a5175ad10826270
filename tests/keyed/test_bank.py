"""What a bank does besides answering as separate learners do."""

import gc
import itertools
import pickle
import signal
import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from support.separate_learners import rows_of
from support.timed_interrupts import interrupted_within

import thalweg
from thalweg.errors import ModelFileError, ParameterError, StateError, WaitingError
from thalweg.keyed import Bank
from thalweg.keyed.learner_store import LearnerStore
from thalweg.keyed.slab_store import SlabStore
from thalweg.learners import (
    AdaptiveStacking,
    HoeffdingTree,
    LogisticMixture,
    NaiveBayes,
    OnlineBagging,
    ParticleFilter,
)

KEYS, X, Y = rows_of(1, 400, 8)
NAMES = np.array([f"customer {key}" for key in KEYS])


def bank_of(learner=None, **parameters):
    bank = Bank(NaiveBayes() if learner is None else learner, **parameters).begin(3, [0, 1])
    bank.test_then_train(NAMES, X, Y)
    return bank


def test_a_learner_can_be_looked_at():
    bank = bank_of(LogisticMixture())
    mine = NAMES == "customer 3"
    alone = LogisticMixture().begin(3, [0, 1])
    alone.test_then_train(X[mine], Y[mine])
    found = bank["customer 3"]
    np.testing.assert_array_equal(found.coef_, alone.coef_)
    np.testing.assert_array_equal(found.predict_proba_block(X), alone.predict_proba_block(X))
    found.test_then_train(X, Y)  # a copy: the bank learns nothing from this
    np.testing.assert_array_equal(
        bank.predict_proba_block(["customer 3"] * len(X), X), alone.predict_proba_block(X)
    )
    with pytest.raises(KeyError, match="nobody"):
        bank["nobody"]


def test_keys_come_in_the_order_of_their_first_rows():
    bank = bank_of()
    assert bank.keys() == list(dict.fromkeys(NAMES.tolist())) and len(bank) == 8
    assert "customer 3" in bank and "nobody" not in bank
    assert repr(bank) == "<Bank of NaiveBayes: 8 keys>"
    assert repr(Bank()) == "<Bank of LogisticMixture: not begun>"


def test_a_key_that_has_not_come_is_answered_as_a_new_one_and_not_kept():
    bank = bank_of()
    np.testing.assert_array_equal(bank.predict_proba_block(["nobody", "customer 3"], X[:2])[0], [0.5, 0.5])
    np.testing.assert_array_equal(bank.predict_proba_one("nobody", X[0]), [0.5, 0.5])
    assert len(bank) == 8
    np.testing.assert_array_equal(bank.new_learner().predict_proba_one(X[0]), [0.5, 0.5])


@pytest.mark.parametrize("learner", [
    NaiveBayes(), LogisticMixture(), HoeffdingTree(), OnlineBagging(n_members=2, random_state=1),
], ids=repr)  # fmt: skip
@pytest.mark.parametrize("max_states", [None, 3])
def test_a_bank_goes_on_after_saving(learner, max_states, tmp_path):
    size = Bank(learner).begin(3, [0, 1]).bytes_per_key_
    bank = bank_of(learner, max_bytes=None if max_states is None else (max_states + 1) * size)
    bank.predict_proba_block(["customer 1", "new"], X[:2], ids=["a", 7])
    thalweg.save(bank, tmp_path / "bank.tw")
    loaded = thalweg.load(tmp_path / "bank.tw")
    assert loaded.keys() == bank.keys() and loaded.n_rows_ == 400 and loaded.n_waiting_ == 2
    for each in (loaded, pickle.loads(pickle.dumps(bank)), bank.copy()):
        assert each.label(["a", 7], [1, 0]) == 2
    bank.label(["a", 7], [1, 0])
    np.testing.assert_array_equal(loaded.test_then_train(NAMES, X, Y), bank.test_then_train(NAMES, X, Y))


def test_a_bank_that_has_not_begun_can_be_saved_and_says_what_to_do(tmp_path):
    thalweg.save(Bank(NaiveBayes(), n_jobs=2), tmp_path / "bank.tw")
    loaded = thalweg.load(tmp_path / "bank.tw")
    assert loaded.n_jobs == 2 and len(loaded) == 0 and loaded
    with pytest.raises(NotFittedError, match=r"call begin\(n_features, classes\) first"):
        loaded.predict_proba_block(["a"], X[:1])


@pytest.mark.parametrize("damage", [
    lambda state: state["keys"].update(kinds=state["keys"]["kinds"][1:]),
    lambda state: state["keys"].update(text=state["keys"]["text"][:-1]),
    lambda state: state["states"].update(weight=state["states"]["weight"][1:]),
    lambda state: state["states"].update(mean=state["states"]["mean"] + np.inf),
    lambda state: state["states"].pop("n"),
    lambda state: state["states"]["n"].__setitem__((0, 0, 0), 1e6),
    lambda state: state.update(classes=np.array([1, 1])),
    lambda state: state["parameters"].update(start="warm"),
])  # fmt: skip
def test_a_damaged_state_is_refused(damage):
    bank = bank_of()
    state = bank.state()
    damage(state)
    with pytest.raises(StateError):
        Bank().restore(state)


@pytest.mark.parametrize("number", [-1, 1e9, 0.5, np.nan])
@pytest.mark.parametrize("learner", [NaiveBayes(), HoeffdingTree()])
def test_a_row_that_waits_for_no_key_is_refused(learner, number):
    bank = bank_of(learner)
    bank.predict_proba_block(NAMES[:2], X[:2], ids=["a", "b"])
    state = bank.state()
    Bank().restore(state)
    state["late"]["rows"]["X"][1, 0] = number
    with pytest.raises(StateError):
        Bank().restore(state)


def test_a_learner_with_other_classes_or_inputs_than_the_bank_is_refused():
    state = bank_of(HoeffdingTree()).state()
    for learner in (HoeffdingTree().begin(3, [0, 1, 2]), HoeffdingTree().begin(2, [0, 1]), HoeffdingTree()):
        state["states"]["learners"][1][0] = learner.state()
        with pytest.raises(StateError, match="other inputs or classes than the bank"):
            Bank().restore(state)


def test_a_damaged_file_is_refused(tmp_path):
    data = bytearray(thalweg.to_bytes(bank_of()))
    data[-3] ^= 1
    with pytest.raises(ModelFileError):
        thalweg.from_bytes(bytes(data))


@pytest.mark.parametrize("learner", [NaiveBayes(), HoeffdingTree()])
def test_bad_rows_of_one_key_do_not_stop_the_others(learner):
    bad = X.copy()
    bad[5, 1], bad[9, 0] = np.inf, -np.inf
    labels = Y.astype(object)
    labels[20] = "what?"
    with pytest.raises(ValueError, match=r"row 5, column 1.*on_error=\"skip\""):
        Bank(learner).begin(3, [0, 1]).test_then_train(NAMES, bad, Y)
    with pytest.raises(ValueError, match=r"row 20 has the label 'what\?'"):
        Bank(learner).begin(3, [0, 1]).test_then_train(NAMES, X, labels)
    bank = Bank(learner, on_error="skip").begin(3, [0, 1])
    p = bank.test_then_train(NAMES, bad, labels)
    good = ~np.isin(np.arange(400), [5, 9, 20])
    expected = Bank(learner).begin(3, [0, 1]).test_then_train(NAMES[good], X[good], Y[good])
    np.testing.assert_array_equal(p[good], expected)
    assert np.isnan(p[~good]).all() and bank.n_skipped_ == 3 and bank.n_rows_ == 397


def test_a_refused_block_leaves_the_bank_as_it_was():
    bank = bank_of()
    before = bank.predict_proba_block(NAMES, X)
    good = [[1, 2, 3]]
    for keys, rows, labels in (
        (["new"], [[np.inf, 0, 0]], [0]), (["new"], [[1, 2]], [0]), (["new"], good, [5]),
        (["new", "b"], good, [0]), (["new"], good, [0, 1]),
    ):
        with pytest.raises(ValueError):
            bank.test_then_train(keys, rows, labels)
    assert "new" not in bank and bank.n_rows_ == 400
    np.testing.assert_array_equal(bank.predict_proba_block(NAMES, X), before)


def test_rows_may_be_frames_or_dicts():
    names = ["a", "b", "c"]
    bank = Bank(NaiveBayes()).begin(3, [0, 1], names=names)
    frame = pd.DataFrame(X, columns=names)
    dicts = frame.to_dict("records")
    p = bank.test_then_train(pd.Series(NAMES), frame, Y)
    other = Bank(NaiveBayes()).begin(3, [0, 1], names=names)
    np.testing.assert_array_equal(other.test_then_train(NAMES.tolist(), dicts, Y), p)
    other.learn_one("customer 1", dicts[0], 1)
    bank.learn_one("customer 1", X[0], 1)
    found = other.predict_proba_one("customer 1", dicts[0])
    assert list(found.values()) == bank.predict_proba_one("customer 1", X[0]).tolist()
    assert other.predict_one("customer 1", dicts[0]) == bank.predict_one("customer 1", X[0])


def test_labels_of_rows_that_do_not_wait_are_refused():
    bank = bank_of()
    bank.predict_proba_block(["customer 1"], X[:1], ids=["a"])
    with pytest.raises(WaitingError):
        bank.label(["a", "b"], [0, 1])
    assert bank.n_waiting_ == 1
    assert bank.label(["a", "b"], [0, 1], ignore_unknown=True) == 1
    with pytest.raises(WaitingError, match="twice"):
        bank.predict_proba_block(["k", "k"], X[:2], ids=["c", "c"])
    bank.predict_proba_block(["k"], X[:1], ids=["c"])
    with pytest.raises(WaitingError, match="waiting already"):
        bank.predict_proba_block(["k"], X[:1], ids=["c"])


def test_rows_beyond_those_that_may_wait_are_dropped():
    bank = Bank(NaiveBayes(), max_waiting=10).begin(3, [0, 1])
    bank.predict_proba_block(NAMES[:25], X[:25], ids=range(25))
    assert (bank.n_waiting_, bank.n_dropped_) == (10, 15)


def test_the_price_of_a_key_is_said_and_refused_above_the_bound():
    assert 500 < Bank(NaiveBayes()).begin(10, [0, 1]).bytes_per_key_ < 800
    tree = Bank(HoeffdingTree()).begin(10, [0, 1])
    assert 5_000 < tree.bytes_per_key_ < 50_000 and not tree.is_slab_ and "grows" in tree.obstacle_
    with pytest.raises(ParameterError, match="max_bytes must be given: a key of AdaptiveStacking takes"):
        Bank(AdaptiveStacking()).begin(10, [0, 1])
    with pytest.raises(ParameterError, match=r"max_bytes is 10,000, but a key of HoeffdingTree takes about"):
        Bank(HoeffdingTree(), max_bytes=10_000).begin(10, [0, 1])


def test_states_on_disk_are_within_the_bound_and_read_again():
    bank = Bank(NaiveBayes(), max_bytes=100 * 320).begin(3, [0, 1])
    keys, rows, labels = rows_of(2, 3000, 500)
    expected = Bank(NaiveBayes()).begin(3, [0, 1]).test_then_train(keys, rows, labels)
    np.testing.assert_array_equal(bank.test_then_train(keys, rows, labels), expected)
    assert bank.n_in_memory_ < 150 and bank._store.nbytes <= 100 * 320 and len(bank) > 490
    path = bank._store._pages.spill.path
    assert path.exists()
    del bank
    gc.collect()
    assert not path.exists()


def test_trees_that_grow_are_within_the_bound():
    keys, rows, labels = rows_of(3, 3000, 30)
    most = 8 * Bank(HoeffdingTree()).begin(3, [0, 1]).bytes_per_key_
    bank = Bank(HoeffdingTree(grace_period=20), max_bytes=most).begin(3, [0, 1])
    expected = Bank(HoeffdingTree(grace_period=20)).begin(3, [0, 1]).test_then_train(keys, rows, labels)
    np.testing.assert_array_equal(bank.test_then_train(keys, rows, labels), expected)
    assert bank._store.nbytes <= most and bank.n_in_memory_ < 9


def test_seeds_follow_from_keys_and_not_from_the_order():
    learner = ParticleFilter(n_particles=20, batch_size=10, random_state=3)
    one, two = Bank(learner).begin(3, [0, 1]), Bank(learner).begin(3, [0, 1])
    p = one.test_then_train(NAMES, X, Y)
    back = np.argsort(NAMES, kind="stable")
    np.testing.assert_array_equal(two.test_then_train(NAMES[back], X[back], Y[back]), p[back])
    assert one["customer 1"].random_state_ != one["customer 2"].random_state_


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_leaves_a_whole_bank_that_says_how_far_it_came(n_jobs):
    keys, rows, labels = rows_of(5, 60_000, 50)
    n, seconds = 0, 0.01
    while not 0 < n < len(rows):  # the signal may come before the first row, or after the last
        bank = Bank(LogisticMixture(), n_jobs=n_jobs).begin(3, [0, 1])
        try:
            with interrupted_within(SlabStore.learn, seconds):
                bank.test_then_train(keys, rows, labels)
            seconds /= 2
        except KeyboardInterrupt as error:
            n = error.rows_learned
            seconds *= 1.5
    other = Bank(LogisticMixture()).begin(3, [0, 1])
    other.test_then_train(keys[:n], rows[:n], labels[:n])
    np.testing.assert_array_equal(bank.predict_proba_block(keys, rows), other.predict_proba_block(keys, rows))
    assert bank.n_rows_ == n


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_among_learners_as_objects_leaves_the_first_rows_learned(n_jobs, monkeypatch):
    monkeypatch.setattr(Bank, "_part", 128)
    make, calls = LearnerStore._get, itertools.count()

    def get(store, number):
        if next(calls) == 25:
            signal.raise_signal(signal.SIGINT)
        return make(store, number)

    bank = Bank(HoeffdingTree(grace_period=20), n_jobs=n_jobs).begin(3, [0, 1])
    monkeypatch.setattr(LearnerStore, "_get", get)
    with pytest.raises(KeyboardInterrupt) as stop:
        bank.test_then_train(NAMES, X, Y)
    monkeypatch.undo()
    n = stop.value.rows_learned
    assert 128 <= n < len(X) and bank.n_rows_ == n
    found = bank.test_then_train(NAMES[n:], X[n:], Y[n:])
    whole = Bank(HoeffdingTree(grace_period=20)).begin(3, [0, 1])
    np.testing.assert_array_equal(found, whole.test_then_train(NAMES, X, Y)[n:])


def test_threads_predict_side_by_side():
    bank, wrong = bank_of(LogisticMixture()), []
    expected = bank.predict_proba_block(NAMES, X)

    def look():
        for _ in range(20):
            if not np.array_equal(bank.predict_proba_block(NAMES, X), expected):
                wrong.append(1)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


@pytest.mark.parametrize("parameters, message", [
    ({"start": "warm"}, "start must be one of"), ({"start": "copy"}, "shared must be given"),
    ({"shared": NaiveBayes()}, "shared is given: say how"), ({"on_error": "stop"}, "on_error must be"),
    ({"max_bytes": 0}, "max_bytes must be"), ({"max_waiting": 0}, "max_waiting must be"),
    ({"key": "customer"}, "key is for a bank of a Model"), ({"n_jobs": 0}, "n_jobs must be"),
])  # fmt: skip
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ParameterError, match=message):
        Bank(NaiveBayes(), **parameters).begin(3, [0, 1])


WAITING = {
    "a key beyond": lambda X: X.__setitem__((0, 0), 8),
    "a key far beyond": lambda X: X.__setitem__((0, 0), 1e300),
    "a negative key": lambda X: X.__setitem__((0, 0), -1),
    "half a key": lambda X: X.__setitem__((0, 0), 0.5),
    "no key": lambda X: X.__setitem__((0, 0), np.nan),
    "an infinite value": lambda X: X.__setitem__((0, 1), np.inf),
}


@pytest.mark.parametrize("learner", [NaiveBayes(), OnlineBagging(n_members=2)], ids=["slab", "objects"])
@pytest.mark.parametrize("damage", WAITING.values(), ids=WAITING)
def test_rows_that_wait_in_a_state_are_those_of_keys_of_the_bank(learner, damage):
    bank = bank_of(learner)
    bank.predict_proba_block(NAMES[:2], X[:2], ids=[1, 2])
    state = bank.state()
    assert Bank().restore(state).n_waiting_ == 2
    damage(state["late"]["rows"]["X"])
    with pytest.raises(StateError, match=r"rows that wait|infinity"):
        Bank().restore(state)


def test_rows_that_wait_in_a_state_have_the_inputs_of_the_bank():
    state = bank_of().state()
    narrow = Bank(NaiveBayes()).begin(2, [0, 1])
    narrow.predict_proba_block(["a"], X[:1, :2], ids=[1])
    with pytest.raises(StateError, match="have not 3 inputs"):
        Bank().restore(state | {"late": narrow.state()["late"]})


def test_a_slab_has_no_slots_but_its_own():
    slab = bank_of()._store.slab
    assert slab.n_slots == 9
    for slot in (-1, 9, 2**60):
        for use in (slab.read, slab.reset):
            with pytest.raises(ValueError, match="there is no slot"):
                use(np.array([0, slot]))
    for start, stop in ((0, 10), (-1, 2), (3, 2)):
        with pytest.raises(ValueError, match="there are no slots"):
            slab.derive(start, stop)
