"""Damaged states of trees: refused with the name of the array that is wrong, or harmless."""

import copy

import numpy as np
import pytest
from support.tree_rows import KINDS, busy_tree, growing_rows

from thalweg.checks.mutate import mutated
from thalweg.checks.rows import assert_proper
from thalweg.checks.safety import try_damaged_state
from thalweg.errors import StateError
from thalweg.learners import (
    AdaptiveHoeffdingOptionTree,
    HoeffdingAdaptiveTree,
    HoeffdingOptionTree,
    HoeffdingTree,
)
from thalweg.learners.trees._native.codes import (
    BELOW,
    DEAD,
    DEAD_NODES,
    EACH,
    FREE_SLOTS,
    FREE_WINDOWS,
    INVERSE,
    MOST_DEPTH,
    NODES,
    ROOT,
    SLOTS,
    WINDOWS,
)

MUTATIONS = 150
X, Y = growing_rows(1200)


def grown(kind):
    # A tree that has alternates or options, if it can have them.
    waits = {"early": False} if kind is HoeffdingAdaptiveTree else {}
    tree = busy_tree(kind, max_features=3, max_bytes=10**6, **waits)
    tree.test_then_train(X, Y)
    assert (tree.state()["memory"].get("alternate", np.zeros(1)) >= 0).any()
    return tree


def splits_of(arrays):
    return np.flatnonzero(arrays["feature"] >= 0)


def leaves_of(arrays):
    return np.flatnonzero((arrays["slot"] >= 0).any(axis=1))


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_states_are_refused_or_harmless(kind):
    tree, rng = grown(kind), np.random.default_rng(1)
    state = tree.state()
    for _ in range(MUTATIONS):
        try_damaged_state(tree, *mutated(state, rng), X[:200], Y[:200])


@pytest.mark.parametrize("kind", KINDS)
def test_states_that_are_nearly_right_are_refused_or_harmless(kind):
    tree, rng = grown(kind), np.random.default_rng(2)
    state = tree.state()
    for _ in range(MUTATIONS):
        try_damaged_state(tree, *slightly_mutated(state, rng), X[:200], Y[:200])


def slightly_mutated(state, rng):
    # Some numbers become others that their array has, or that are next to them.
    state = copy.deepcopy(state)
    arrays = {name: array for name, array in state["memory"].items()
              if isinstance(array, np.ndarray) and array.size and array.dtype.kind != "u"}
    whats = []
    for name in rng.choice(list(arrays), rng.integers(1, 4)):
        flat = arrays[name].reshape(-1)
        place, other = rng.integers(flat.size, size=2)
        old = flat[place]
        flat[place] = [flat[other], old + 1, old - 1, 0, flat.max() + 1][rng.integers(5)]
        whats.append(f"{name}: {old} at {place} became {flat[place]}")
    return "; ".join(whats), state


def leave_out_a_node(arrays):
    arrays["size"][NODES] -= 1


def free_more_slots_than_there_are(arrays):
    arrays["size"][FREE_SLOTS] = arrays["size"][SLOTS] + 1


def count_a_dead_node(arrays):
    arrays["size"][DEAD_NODES] += 1


def begin_at_a_child(arrays):
    arrays["size"][ROOT] = arrays["child"][0]


def make_a_cycle(arrays):
    arrays["child"][splits_of(arrays)[-1]] = 0


def share_children(arrays):
    first, second = splits_of(arrays)[:2]
    arrays["child"][second] = arrays["child"][first]
    arrays["usual"][second] = arrays["usual"][first]
    arrays["n_children"][second] = arrays["n_children"][first]
    arrays["test"][second], arrays["feature"][second] = arrays["test"][first], arrays["feature"][first]


def send_gaps_elsewhere(arrays):
    arrays["usual"][0] = 0


def claim_many_children(arrays):
    arrays["n_children"][0] = 1000


def point_to_another_parent(arrays):
    arrays["parent"][arrays["child"][0]] = len(arrays["parent"]) - 1


def kill_a_child(arrays):
    arrays["feature"][arrays["child"][splits_of(arrays)[-1]]] = DEAD
    arrays["size"][DEAD_NODES] += 1


def take_another_kind_of_test(arrays):
    arrays["test"][0] = EACH if arrays["test"][0] == BELOW else BELOW


def share_a_slot(arrays):
    first, second = leaves_of(arrays)[:2]
    arrays["slot"][first] = arrays["slot"][second]


def give_a_test_a_slot(arrays):
    slots = arrays["slot"]
    leaf = leaves_of(arrays)[0]
    slots[0], slots[leaf] = slots[leaf].copy(), -1


def see_a_class_that_has_no_weight(arrays):
    arrays["n_seen"][arrays["weight"].any(axis=1)] = 0


def take_a_category_for_a_number(arrays):
    arrays["picked"][:, 1:] = 1


def begin_counts_beyond_their_end(arrays):
    arrays["offset"][1:] += 7


def know_more_categories_than_counts(arrays):
    arrays["known"][:] = 1000


def forget_a_variance(arrays):
    arrays["numbers"][:, INVERSE] = 0.0


def count_more_than_was_seen(arrays):
    arrays["counts"] += 1e9


OF_ALL = [
    (leave_out_a_node, "size"), (free_more_slots_than_there_are, "size"), (count_a_dead_node, "size"),
    (begin_at_a_child, "size"), (make_a_cycle, "child"), (share_children, "child"),
    (send_gaps_elsewhere, "usual"), (claim_many_children, "n_children"), (point_to_another_parent, "parent"),
    (kill_a_child, "child"), (take_another_kind_of_test, "test"), (share_a_slot, "slot"),
    (give_a_test_a_slot, "slot"), (see_a_class_that_has_no_weight, "n_seen"),
    (take_a_category_for_a_number, "picked"), (begin_counts_beyond_their_end, "offset"),
    (know_more_categories_than_counts, "known"), (forget_a_variance, "numbers"),
    (count_more_than_was_seen, "seen"),
]


def share_a_window(arrays):
    first, second = np.flatnonzero(arrays["window"] >= 0)[:2]
    arrays["window"][first] = arrays["window"][second]


def free_a_window_that_is_held(arrays):
    arrays["free_windows"][arrays["size"][FREE_WINDOWS]] = arrays["window"][0]
    arrays["size"][FREE_WINDOWS] += 1


def lose_a_window(arrays):
    arrays["size"][WINDOWS] -= 1


def take_the_window_of_a_test(arrays):
    leaf = leaves_of(arrays)
    leaf = leaf[arrays["window"][leaf] < 0][0]
    arrays["window"][leaf], arrays["window"][0] = arrays["window"][0], -1


def empty_a_bucket(arrays):
    arrays["windows"][arrays["window"][0], 9] = 7.0


def search_a_window_never(arrays):
    arrays["windows"][:, 1] = 0.0


def begin_an_alternate_at_the_root(arrays):
    arrays["alternate"][np.flatnonzero(arrays["alternate"] >= 0)] = 0


OF_ADAPTIVE = [
    (share_a_window, "window"), (free_a_window_that_is_held, "window"), (lose_a_window, "size"),
    (take_the_window_of_a_test, "window"), (empty_a_bucket, "windows"), (search_a_window_never, "windows"),
    (begin_an_alternate_at_the_root, "alternate"),
]


def count_no_options(arrays):
    arrays["options"][0] = 0


def count_too_many_options(arrays):
    arrays["options"][0] = 1000


def give_a_leaf_an_option(arrays):
    # Moves the option of a test to a leaf that is earlier than the option.
    test = splits_of(arrays)
    test = test[arrays["alternate"][test] >= 0][-1]
    option = arrays["alternate"][test]
    leaf = next(leaf for leaf in leaves_of(arrays) if leaf < option and arrays["alternate"][leaf] < 0)
    arrays["alternate"][leaf], arrays["alternate"][test] = option, -1
    arrays["parent"][option] = leaf


def be_always_right(arrays):
    arrays["recent"][:] = 1.0


OF_OPTIONS = [
    (count_no_options, "options"), (count_too_many_options, "options"), (give_a_leaf_an_option, "alternate"),
    (be_always_right, "recent"),
]

WRONG = (
    [(kind, *wrong) for kind in KINDS for wrong in OF_ALL]
    + [(HoeffdingAdaptiveTree, *wrong) for wrong in OF_ADAPTIVE]
    + [(kind, *wrong) for kind in (HoeffdingOptionTree, AdaptiveHoeffdingOptionTree) for wrong in OF_OPTIONS]
)


@pytest.mark.parametrize(("kind", "damage", "name"), WRONG, ids=lambda value: getattr(value, "__name__", ""))
def test_the_array_that_is_wrong_is_named(kind, damage, name):
    tree = grown(kind)
    state = tree.state()
    before = copy.deepcopy(state["memory"])
    damage(state["memory"])
    assert any(not np.array_equal(before[each], state["memory"][each]) for each in before)
    with pytest.raises(StateError, match=f"{kind.__name__}: the state's '{name}'"):
        tree.restore(state)
    np.testing.assert_array_equal(
        tree.predict_proba_block(X), kind().restore(tree.state()).predict_proba_block(X)
    )


def test_a_root_that_must_be_watched_needs_a_window():
    state = HoeffdingAdaptiveTree().begin(2, [0, 1]).state()
    state["parameters"]["watch_root"] = True
    with pytest.raises(StateError, match="'window' lacks the window of the root"):
        HoeffdingAdaptiveTree().restore(state)


def chain(kind, depth):
    # The state of a tree of so many tests one below the other, x0 <= 0.5 at each.
    state = kind(grace_period=20, tie=0.9).begin(2, [0, 1]).state()
    memory, n = state["memory"], 2 * depth + 1
    for name, axes in kind().begin(2, [0, 1])._kernel.layout.items():
        if axes.axes[0] == "node":
            memory[name] = np.repeat(memory[name], n, axis=0)
    tests = np.arange(0, n - 1, 2)
    memory["size"][NODES] = n
    memory["feature"][tests], memory["threshold"][tests], memory["n_children"][tests] = 0, 0.5, 2
    memory["child"][tests] = memory["usual"][tests] = tests + 1
    memory["parent"][1:] = np.repeat(tests, 2)
    if "options" in memory:
        memory["options"][tests] = 5
    return state


@pytest.mark.parametrize("kind", [HoeffdingTree, HoeffdingOptionTree])
def test_trees_are_not_too_deep_to_recurse(kind):
    rng = np.random.default_rng(1)
    X = rng.random((150, 2))
    X[:, 0] = 0.7
    for depth, splits in ((MOST_DEPTH - 1, True), (MOST_DEPTH, False)):
        tree = kind().restore(chain(kind, depth))
        assert_proper(tree.test_then_train(X, (X[:, 1] > 0.5).astype(int)))
        assert (tree._kernel.size > 2 * depth + 1) == splits
    with pytest.raises(StateError, match="too deep"):
        kind().restore(chain(kind, MOST_DEPTH + 2))
