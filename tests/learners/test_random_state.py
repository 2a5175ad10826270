"""`random_state` means the same everywhere: None, a whole number, a Generator or a RandomState."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from support import every_learner

from thalweg._parameters import seed_of
from thalweg.drift import KSWIN
from thalweg.errors import ParameterError, StateError
from thalweg.learners import (
    AdaptiveRandomForest,
    DriftReset,
    HoeffdingAdaptiveTree,
    HoeffdingTree,
    LeveragingBagging,
    StreamingRandomPatches,
)

QUICK = {"grace_period": 20, "tie": 0.9, "max_features": 1}
RNG = np.random.default_rng(5)
X = RNG.random((600, 4))
Y = (X[:, 0] + 0.3 * X[:, 1] > 0.6).astype(int)
Y[300:] = 1 - Y[300:]
KINDS = [
    kind
    for kind in map(every_learner.registry.load, every_learner.registry)
    if "random_state" in inspect.signature(kind).parameters
]
SEEDS = {
    "int": lambda: 3,
    "numpy": lambda: np.uint64(3),
    "huge": lambda: 2**100,
    "generator": lambda: np.random.default_rng(3),
    "legacy": lambda: np.random.RandomState(3),
}


def made(kind, random_state):
    # A learner whose answers depend on its seed.
    accepted = inspect.signature(kind).parameters
    parameters = {name: value for name, value in QUICK.items() if name in accepted}
    if "member" in accepted:
        parameters = {"member": HoeffdingTree(**QUICK)}
    return kind(**parameters, random_state=random_state)


def answers(learner):
    return learner.begin(4, [0, 1]).test_then_train(X, Y)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_and_a_generator_goes_on(kind, seed):
    first, again = made(kind, SEEDS[seed]()), made(kind, SEEDS[seed]())
    p = answers(first)
    np.testing.assert_array_equal(answers(again), p)
    draws = seed in ("generator", "legacy")
    assert np.array_equal(answers(first), p) != draws


@pytest.mark.parametrize("kind", KINDS)
def test_none_is_another_seed_each_time(kind):
    learner = made(kind, None)
    assert not np.array_equal(answers(learner), answers(learner))


@pytest.mark.parametrize("kind", KINDS)
def test_a_generator_is_drawn_from_once_when_the_learner_begins(kind):
    generator, other = np.random.default_rng(4), np.random.default_rng(4)
    learner = made(kind, generator)
    assert generator.bit_generator.state == other.bit_generator.state
    answers(learner)
    other.integers(2**63)
    assert generator.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize("seed", [lambda: None, SEEDS["generator"], SEEDS["legacy"]])
@pytest.mark.parametrize("kind", [*KINDS, DriftReset])
def test_copies_carry_on_although_they_cannot_draw_the_seed_again(kind, seed):
    learner = made(HoeffdingAdaptiveTree if kind is DriftReset else kind, seed())
    if kind is DriftReset:
        learner = DriftReset(learner, KSWIN(random_state=seed()))
    learner.begin(4, [0, 1]).test_then_train(X[:250], Y[:250])
    copies = learner.copy(), learner.copy().copy()
    p = learner.test_then_train(X[250:], Y[250:])
    for copy in copies:
        np.testing.assert_array_equal(copy.test_then_train(X[250:], Y[250:]), p)


@pytest.mark.parametrize(
    "ensemble",
    [
        LeveragingBagging(delta=0.5),
        AdaptiveRandomForest(warning_delta=0.6, drift_delta=0.5),
        StreamingRandomPatches(warning_delta=0.6, drift_delta=0.5),
    ],
)
def test_copies_carry_on_after_members_that_draw_were_replaced(ensemble):
    rows = np.random.default_rng(5).random((3000, 4))
    labels = (rows[:, 0] + 0.3 * rows[:, 1] > 0.6).astype(int)
    labels[np.arange(3000) % 300 < 150] ^= 1
    learner = clone(ensemble).set_params(member=HoeffdingAdaptiveTree(**QUICK)).begin(4, [0, 1])
    learner.test_then_train(rows[:1500], labels[:1500])
    assert learner.n_replaced_ > 0
    copy = learner.copy()
    p = learner.test_then_train(rows[1500:], labels[1500:])
    np.testing.assert_array_equal(copy.test_then_train(rows[1500:], labels[1500:]), p)


def test_members_of_drift_reset_draw_when_it_begins():
    learner = DriftReset(HoeffdingTree(**QUICK, random_state=np.random.default_rng(7)))
    assert not np.array_equal(answers(learner), answers(learner))
    learner = DriftReset(HoeffdingTree(**QUICK, random_state=8))
    assert np.array_equal(answers(learner), answers(learner))


def test_a_detector_takes_any_seed():
    losses = np.random.default_rng(9).random(3000)
    found, again = (
        {name: KSWIN(random_state=seed()).update_many(losses).tolist() for name, seed in SEEDS.items()}
        for _ in range(2)
    )
    assert found == again
    assert len({tuple(alarms) for alarms in found.values()}) == len(SEEDS) - 1  # 3 is 3 in Python and NumPy
    generator = np.random.default_rng(3)
    first, second = (KSWIN(random_state=generator).update_many(losses).tolist() for _ in range(2))
    assert first == found["generator"] != second


def test_seeds_are_whole_numbers_of_any_size():
    for seed in (-1, 1.0, True, "1"):
        with pytest.raises(ParameterError, match=f"A: random_state must be a whole number .*, got {seed!r}"):
            seed_of("A", seed)
    assert [seed_of("A", seed) for seed in (0, np.int8(5), 2**200)] == [0, 5, 2**200]
    drawn = [seed_of("A", seed()) for seed in (*SEEDS.values(), lambda: None, lambda: None)]
    assert len(set(drawn)) == len(drawn) - 1
    assert all(isinstance(seed, int) and seed >= 0 for seed in drawn)


@pytest.mark.parametrize("seed", [-1, "a", None, 1.5])
def test_a_state_with_a_seed_that_is_none_is_refused(seed):
    state = LeveragingBagging().begin(4, [0, 1]).state()
    state["memory"]["random_state"] = seed
    with pytest.raises(StateError, match="LeveragingBagging: the state's seed must be a whole number"):
        LeveragingBagging().restore(state)
