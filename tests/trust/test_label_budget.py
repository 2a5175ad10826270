"""LabelBudget keeps its budget, prefers uncertain rows, says the true chance; blocks change nothing."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.trust.label_budget import LabelBudgetTwin

from thalweg.errors import ParameterError, StateError
from thalweg.trust import LabelBudget


def made(n_rows, n_classes=3, seed=1):
    return np.random.default_rng(seed).dirichlet(np.full(n_classes, 0.4), n_rows)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("more", [{}, {"window": 7, "random_share": 0.5}, {"advance": 20, "random_state": 9}])
def test_decisions_are_those_of_the_twin(share, more):
    p = made(1500)
    asked, chances = LabelBudget(share, **more).ask(p)
    settings = dict(more)
    twin = LabelBudgetTwin(share, seed=settings.pop("random_state", 0), **settings)
    expected = [twin.ask_one(row) for row in p]
    np.testing.assert_array_equal(asked, [each for each, _ in expected])
    np.testing.assert_allclose(chances, [chance for _, chance in expected], rtol=1e-12)


def falling(n_rows):
    return np.linspace(0.5, 1, n_rows)


TOP = {
    "noise": lambda n: np.random.default_rng(3).uniform(0.5, 1, n),
    "always the same": lambda n: np.full(n, 0.7),
    "ever more sure": falling,
    "ever less sure": lambda n: falling(n)[::-1],
    "in turns": lambda n: np.where(np.arange(n) // 700 % 2, 0.51, 0.99),
}


@pytest.mark.parametrize("share", [0.01, 0.05, 0.1, 0.4])
@pytest.mark.parametrize("name", TOP)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_budget_is_never_exceeded_and_is_spent_in_the_end(name, share, seed):
    top = TOP[name](20_000)
    budget = LabelBudget(share, random_state=seed)
    asked, _ = budget.ask(np.column_stack([top, 1 - top]))
    allowed = share * (np.arange(1, 20_001) + 1000)
    assert (np.cumsum(asked) <= allowed).all()
    assert asked.sum() >= 0.97 * allowed[-1] - 1  # a whole label
    assert budget.n_asked_ == asked.sum()
    assert budget.n_rows_ == 20_000
    assert budget.share_so_far_ == asked.mean()
    assert budget.credit_ == pytest.approx(allowed[-1] - asked.sum())


@pytest.mark.parametrize("share", [0.05, 0.1])
def test_uncertain_rows_are_preferred_but_every_row_keeps_a_chance(share):
    p = made(20_000, 2)
    asked, chances = LabelBudget(share).ask(p)
    order = np.argsort(np.abs(p[:, 0] - p[:, 1]))
    assert asked[order[:2000]].sum() > 0.5 * asked.sum()
    assert asked[order[10_000:]].sum() > 0.05 * asked.sum()
    assert (chances[chances > 0] >= 0.2 * 0.2 * share).all()
    assert (chances == 0).mean() < 0.03
    even, _ = LabelBudget(share, random_share=1.0).ask(p)
    assert abs(even[order[:10_000]].sum() - even[order[10_000:]].sum()) < 5 * np.sqrt(even.sum())


def test_the_scale_of_the_probabilities_does_not_matter():
    top = np.random.default_rng(2).permutation(np.linspace(0.5, 0.9, 3000))
    p = np.column_stack([top, 1 - top])
    sure = p**2 / (p**2).sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(LabelBudget().ask(p).asked, LabelBudget().ask(sure).asked)


@settings(max_examples=50, deadline=None)
@given(cuts=st.lists(st.integers(0, 400), max_size=12), share=st.sampled_from([0.02, 0.3]))
def test_blocks_change_nothing(cuts, share):
    p, budget = made(400), LabelBudget(share, window=50, advance=100)
    parts = [budget.ask(part) for part in np.split(p, sorted(cuts))]
    whole = LabelBudget(share, window=50, advance=100).ask(p)
    np.testing.assert_array_equal(np.concatenate([each.asked for each in parts]), whole.asked)
    np.testing.assert_array_equal(np.concatenate([each.chances for each in parts]), whole.chances)


def test_one_row_is_a_block_of_one():
    p, budget = made(300), LabelBudget(0.2)
    one = [budget.ask_one(row) for row in p]
    whole = LabelBudget(0.2).ask(p)
    assert one == list(zip(whole.asked.tolist(), whole.chances.tolist(), strict=True))
    budget, again = LabelBudget(0.2), LabelBudget(0.2)
    named = [budget.ask_one(dict(zip("abc", row, strict=True))) for row in p.tolist()]
    assert named == one == [(bool(a[0]), float(c[0])) for a, c in map(again.ask, p)]


@pytest.mark.parametrize("way", ["state", "copy", "pickle"])
def test_it_goes_on_where_it_was(way):
    p, budget = made(1300), LabelBudget(0.1, random_state=None)
    budget.ask(p[:700])
    copied = {
        "state": lambda: LabelBudget().restore(budget.state()),
        "copy": budget.copy,
        "pickle": lambda: pickle.loads(pickle.dumps(budget)),
    }[way]()
    assert (copied.n_rows_, copied.n_asked_, copied.share) == (700, budget.n_asked_, 0.1)
    for own, other in zip(budget.ask(p[700:]), copied.ask(p[700:]), strict=True):
        np.testing.assert_array_equal(own, other)


def with_memory(state, place, value):
    memory = state["memory"]["memory"].copy()
    memory[place] = value
    return state | {"memory": {"memory": memory}}


DAMAGED = {
    "another share": lambda state: with_memory(state, 0, 0.5),
    "half a row": lambda state: with_memory(state, 5, 3.5),
    "more asked for than rows": lambda state: with_memory(state, 6, 701),
    "a mean of 0": lambda state: with_memory(state, 7, 0.0),
    "NaN": lambda state: with_memory(state, -1, np.nan),
    "an uncertainty of 2": lambda state: with_memory(state, -1, 2.0),
    "no memory": lambda state: {"parameters": state["parameters"]},
    "too short": lambda state: state | {"memory": {"memory": np.zeros(9)}},
    "other parameters": lambda state: state | {"parameters": {"share": 0.1}},
    "no dict": lambda state: 3,
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=list(DAMAGED))
def test_a_damaged_state_is_refused_and_changes_nothing(damage):
    budget = LabelBudget(0.1)
    budget.ask(made(700))
    before, again = budget.state(), budget.copy()
    with pytest.raises(StateError):
        budget.restore(damage(before))
    np.testing.assert_array_equal(budget.ask(made(50)).chances, again.ask(made(50)).chances)


@pytest.mark.parametrize(
    "wrong",
    [{"share": 0}, {"share": 1.5}, {"share": "half"}, {"random_share": -0.1}, {"window": 0}, {"advance": -1},
     {"random_state": -2}],
)  # fmt: skip
def test_wrong_parameters_are_named(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        LabelBudget(**wrong).ask(made(3))


@pytest.mark.parametrize(
    "p",
    [[[0.5, np.nan]], [[0.5, 2.0]], [[-1.0, 1.0]], np.zeros((2, 2, 2)), 0.5, [["a", "b"]], [[0.5], [1, 0]]],
)
def test_what_is_no_probability_is_refused_and_changes_nothing(p):
    budget = LabelBudget(0.1)
    budget.ask(made(100))
    before = budget.state()["memory"]["memory"]
    with pytest.raises((ValueError, TypeError), match="LabelBudget"):
        budget.ask(p)
    np.testing.assert_array_equal(budget.state()["memory"]["memory"], before)


def test_rows_before_the_first_class_are_most_uncertain():
    budget = LabelBudget(0.1, advance=10**6)
    budget.ask(np.tile([0.6, 0.4], (100, 1)))
    _, chance = budget.ask(np.empty((1, 0)))
    assert chance == 1
    assert budget.ask_one({})[1] == 1


def test_parameters_reset_it():
    budget = LabelBudget(0.1)
    budget.ask(made(100))
    assert budget.set_params(share=0.2).n_rows_ == 0
    budget.ask(made(100))
    assert budget.reset().n_rows_ == budget.n_asked_ == 0
    assert np.isnan(budget.share_so_far_)
    assert repr(LabelBudget(0.3, window=9)) == "LabelBudget(share=0.3, window=9)"


def test_the_estimate_is_that_of_all_rows_and_its_error_is_true():
    rng = np.random.default_rng(5)
    misses, naive = [], []
    for seed in range(200):
        sure = rng.beta(2, 1, 4000)
        right = rng.random(4000) < 0.5 + 0.5 * sure  # uncertain rows are harder
        p = np.column_stack([0.5 + sure / 2, 0.5 - sure / 2])
        asked, chances = LabelBudget(0.1, random_state=seed).ask(p)
        found = LabelBudget.estimate(right[asked], chances[asked])
        misses.append((found.mean - right.mean()) / found.error)
        naive.append(right[asked].mean() - right.mean())
    assert np.mean(naive) < -0.1
    assert abs(np.mean(misses)) < 0.25  # standard errors
    assert 0.85 < np.std(misses) < 1.25
    assert np.mean(np.abs(misses) < 1.96) > 0.9


def test_an_estimate_of_nothing_is_not_defined():
    assert np.isnan(LabelBudget.estimate([], [])).all()
    mean, error = LabelBudget.estimate([1, 0, np.nan], [1.0, 1.0, 0.5])
    assert (mean, error) == (0.5, 0.0)
    for values, chances in (([1], [0.0]), ([1, 0], [0.5]), ([1], [1.5]), ([2], [0.5])):
        with pytest.raises(ValueError, match="LabelBudget"):
            LabelBudget.estimate(values, chances)
