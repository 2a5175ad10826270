"""Shows a tree kept in arrays: as text, or drawn."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._escaping import printable
from thalweg.learners.trees._native.codes import EACH, IS, ROOT

Say: TypeAlias = Callable[[str, str, float], str]


@dataclass
class Node:
    """A node as it is shown: the branch that leads to it, and at a leaf what it has seen."""

    number: int
    parent: int
    branch: int
    depth: int
    feature: int
    test: int
    threshold: float
    weight: np.ndarray
    is_option: bool = False

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no split."""
        return self.feature < 0


def walk(arrays: dict[str, NDArray[Any]]) -> Iterator[Node]:
    """Yield the nodes that vote from the root down: each before its children, then its other options."""
    stack = [(int(arrays["size"][ROOT]), -1, 0, 0, False)]
    while stack:
        i, parent, branch, depth, is_option = stack.pop()
        node = Node(i, parent, branch, depth, int(arrays["feature"][i]), int(arrays["test"][i]),
                    float(arrays["threshold"][i]), arrays["weight"][i].copy(), is_option)
        yield node
        if node.is_leaf:
            continue
        option = int(arrays["alternate"][i]) if "options" in arrays else -1
        if option >= 0 and arrays["feature"][option] >= 0:
            stack.append((option, parent, branch, depth, True))
        first, n = int(arrays["child"][i]), int(arrays["n_children"][i])
        stack.extend((first + child, i, child, depth + 1, False) for child in reversed(range(n)))


def condition(node: Node, branch: int, names: list[str], say: Say) -> str:
    """Return what holds for the rows that take a branch of a node."""
    name = names[node.feature]
    if node.test == EACH:
        return say(name, "=", branch)
    sign = ("=", "≠") if node.test == IS else ("≤", ">")
    return say(name, sign[branch], node.threshold)


def without_spare(nodes: list[Node], n_known: dict[int, int]) -> list[Node]:
    """Return the nodes without leaves for unseen categories; `n_known` counts the seen ones by input."""
    tests = {node.number: node for node in nodes if node.test == EACH and node.feature in n_known}
    return [
        node for node in nodes
        if not node.is_leaf or node.parent not in tests or node.branch < n_known[tests[node.parent].feature]
    ]


def plain_condition(name: str, sign: str, value: float) -> str:
    """Return a condition on an input, as it is given to a learner."""
    return f"{name} {sign} {value:.5g}"


def outcome(node: Node, classes: list[Any]) -> str:
    """Return the class a leaf has seen most, its share and the weight seen."""
    total = float(node.weight.sum())
    if total <= 0:
        return "nothing seen yet"
    best = int(node.weight.argmax())
    return f"{classes[best]} ({node.weight[best] / total:.0%} of {total:.0f})"


def describe(nodes: list[Node], names: list[str], classes: list[Any], say: Say = plain_condition) -> str:
    """Return the rules of a tree, one line for each branch.

    `say` turns the name of an input, a sign and a number into words.
    """
    by_number = {node.number: node for node in nodes}
    lines = []
    for node in nodes:
        if node.is_option:
            lines.append("  " * node.depth + "or")
            continue
        parts = [condition(by_number[node.parent], node.branch, names, say)] if node.parent >= 0 else []
        if node.is_leaf:
            parts.append(outcome(node, classes))
        if parts:
            lines.append("  " * max(node.depth - 1, 0) + printable(": ".join(parts)))
    return "\n".join(lines)


def plot_tree(
    nodes: list[Node], names: list[str], classes: list[Any], ax: Any | None = None,
    say: Say = plain_condition,
) -> Any:
    """Draw a tree: tests in boxes, leaves below with their class and its share."""
    import matplotlib.pyplot as plt

    if ax is None:
        ax = plt.subplots(figsize=(max(1.6 * sum(node.is_leaf for node in nodes), 4), 4))[1]
    places = _places(nodes)
    for node in nodes:
        x, y = places[node.number]
        text = outcome(node, classes) if node.is_leaf else condition(node, 0, names, say)
        colour = "#dce9f5" if node.is_leaf else "#f5f0dc"
        ax.text(x, y, text, ha="center", va="center", fontsize=8,
                bbox={"boxstyle": "round", "facecolor": colour, "edgecolor": "#777777"})
        if node.parent >= 0:
            above = places[node.parent]
            style = "--" if node.is_option else "-"
            ax.plot([above[0], x], [above[1], y], style, color="#777777", zorder=0)
    ax.set_xlim(-1, sum(node.is_leaf for node in nodes))
    ax.set_axis_off()
    return ax


def _places(nodes: list[Node]) -> Any:
    # Leaves side by side in their order, each test above the middle of its branches.
    places: dict[int, tuple[float, int]] = {}
    below: dict[int, list[int]] = {}
    row = 0
    for node in nodes:
        below.setdefault(node.parent, []).append(node.number)
    for node in nodes:
        if node.is_leaf:
            places[node.number] = (row, -node.depth)
            row += 1
    for node in reversed(nodes):
        if not node.is_leaf:
            middle = np.mean([places[number][0] for number in below[node.number]])
            places[node.number] = (float(middle), -node.depth)
    return places
