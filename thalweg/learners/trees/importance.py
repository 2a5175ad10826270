"""How much each input counts in a Hoeffding tree, computed from the class weights in its nodes."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints
from thalweg.learners.base.importance import shares, weighted_impurity
from thalweg.learners.trees._native.codes import ROOT


def of_hoeffding_tree(arrays: dict[str, NDArray[Any]], n_features: int, criterion: str) -> Floats:
    """Return the importance of the inputs in a Hoeffding tree, given by the arrays of its kernel.

    A node has the class weights of the leaves below it, which include what they were given when they were
    split off. The options of a node count together as much as it would alone.
    """
    total = np.zeros(n_features)
    levels = list(_levels(arrays))
    below = arrays["weight"][levels[-1].nodes]
    scale = max(float(arrays["weight"].sum(axis=1).max()), 1e-300)
    for level in reversed(levels[:-1]):
        parted = np.add.reduceat(below, level.starts)
        falls = weighted_impurity(parted / scale, criterion)
        falls -= np.add.reduceat(weighted_impurity(below / scale, criterion), level.starts)
        total += np.bincount(arrays["feature"][level.tests], np.maximum(falls, 0) * level.share, n_features)
        below = arrays["weight"][level.nodes]
        below[level.heads] = 0.0
        np.add.at(below, level.heads, parted / level.n_options[:, None])
    return shares(total)


class _Level(NamedTuple):
    """The nodes of a depth, and the tests among them: each node's options are tests of its own.

    `heads` are the places of the tests' nodes in `nodes`, `starts` those of their children in the next level;
    `share` is how much of a row a test gets, where options share it evenly.
    """

    nodes: Ints
    tests: Ints
    heads: Ints
    n_options: Ints
    share: Floats
    starts: Ints


def _levels(arrays: dict[str, NDArray[Any]]) -> Iterator[_Level]:
    nodes, share = arrays["size"][ROOT : ROOT + 1], np.ones(1)
    while len(nodes):
        heads, tests = _options(arrays, nodes)
        n_options = np.bincount(heads, minlength=len(nodes))[heads]
        share = share[heads] / n_options
        n_children = arrays["n_children"][tests]
        starts = np.cumsum(n_children) - n_children
        yield _Level(nodes, tests, heads, n_options, share, starts)
        nodes = np.repeat(arrays["child"][tests] - starts, n_children) + np.arange(n_children.sum())
        share = np.repeat(share, n_children)


def _options(arrays: dict[str, NDArray[Any]], nodes: Ints) -> tuple[Ints, Ints]:
    """Return the tests of the nodes that have any, and the places of their nodes."""
    heads = np.flatnonzero(arrays["feature"][nodes] >= 0)
    tests = nodes[heads]
    if "options" not in arrays or not len(tests):
        return heads, tests
    found = [(heads, tests)]
    while len(tests):
        following = arrays["alternate"][tests]
        more = (following >= 0) & (arrays["feature"][following] >= 0)
        heads, tests = heads[more], following[more]
        found.append((heads, tests))
    return np.concatenate([each[0] for each in found]), np.concatenate([each[1] for each in found])
