"""How much each input counts in trees and in ensembles of them, computed from the weights in their nodes.

A split of a node with class weights v of sum S, by input j, adds the fall of the impurity I to the importance
of j: S I less the sum of S I over the node's children, which are the rows that went through it. The sums over
all splits are divided by their total.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thalweg._types import Floats, Ints
from thalweg.learners.base.contract import Contract


class HasImportance(Contract):
    """The part of a learner that says how much each input counts in its splits."""

    @property
    def importance_(self) -> Floats:
        """How much each input counts in the splits: shares of 1, all 0 before the first split.

        An ensemble has the mean of its members, weighed by their votes; members without splits are left out.
        """
        with self._reading:
            found = self._importance()
        if found is None:
            raise AttributeError(
                f"{self._who}: no member has an importance_; evaluation.PermutationImportance finds one "
                "for any learner"
            )
        return found

    def _importance(self) -> Floats | None:
        """Return the shares of the inputs, or None if they are not defined; the caller has the lock."""
        raise NotImplementedError


def importance_of(learner: Any) -> Floats | None:
    """Return the importance of the inputs of a learner whose lock is held; None if it has none."""
    return learner._importance() if isinstance(learner, HasImportance) else None


Part: TypeAlias = tuple[Floats | None, Ints | None, float]


def weighted_mean(parts: Iterable[Part], n_features: int) -> Floats | None:
    """Return the mean of importances as shares of 1; None if no part has one, 0 if there are no parts.

    A part is an importance, the columns of its inputs (None: all) and its weight. If all weights are 0, all
    count the same.
    """
    parts = list(parts)
    known = [part for part in parts if part[0] is not None]
    if not known:
        return None if parts else np.zeros(n_features)
    weights = np.abs([weight for _, _, weight in known])
    weights = weights / weights.max() if weights.max() > 0 else np.ones(len(known))
    total = np.zeros(n_features)
    for (importance, columns, _), weight in zip(known, weights.tolist(), strict=True):
        total[slice(None) if columns is None else columns] += weight * importance
    return shares(total)


def shares(total: NDArray[Any]) -> Floats:
    """Return numbers divided by their sum, unless it is 0."""
    return total / total.sum() if total.sum() > 0 else np.zeros(len(total))


def weighted_impurity(weights: Floats, criterion: str) -> Floats:
    """Return S I for each row of class weights; `criterion` is "gini", "error", or entropy for any other."""
    total = weights.sum(axis=-1)
    if criterion == "error":
        return total - weights.max(axis=-1)
    share = weights / np.where(total > 0, total, 1.0)[..., None]
    if criterion == "gini":
        return total * (1.0 - (share**2).sum(axis=-1))
    return -total * (share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=-1)


def of_batch_tree(nodes: dict[str, NDArray[Any]], n_features: int, criterion: str) -> Floats:
    """Return the importance of the inputs in a tree such as `DecisionTree.nodes_`."""
    splits = np.flatnonzero(nodes["feature"] >= 0)
    weights = nodes["weights"] / max(nodes["weights"][0].sum(), 1e-300)
    impurity = weighted_impurity(weights, criterion)
    falls = impurity[splits] - impurity[nodes["left"][splits]]
    if len(splits):
        # The children of a node follow each other; those after the first are summed.
        bounds = np.column_stack([nodes["left"][splits] + 1, nodes["right"][splits] + 1]).ravel()
        falls -= np.add.reduceat(np.append(impurity, 0.0), bounds)[::2]
    return shares(np.bincount(nodes["feature"][splits], np.maximum(falls, 0.0), n_features))
