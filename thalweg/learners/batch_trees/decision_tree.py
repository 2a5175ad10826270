"""Batch trees on the latest rows: a decision tree and a stump."""

from collections.abc import Sequence
from typing import Any

from thalweg._parameters import columns, count, one_of, real_number, yes_or_no
from thalweg._types import Floats, Ints
from thalweg.learners.base.importance import HasImportance, of_batch_tree
from thalweg.learners.base.native import NativeClassifier
from thalweg.learners.batch_trees._native.decision_tree import WindowTreeKernel
from thalweg.learners.batch_trees._native.grow import CRITERIA

MOST_LAPLACE = MOST_LEAST = 1e100  # sums stay finite


class DecisionTree(HasImportance, NativeClassifier):
    """Decision tree with exact splits on the latest `window` rows, grown again every `period` rows.

    A member for ensembles that work in chunks, and a plain learner that forgets all that left its window: it
    follows drift within `window` rows, and knows no more than these rows can tell. It is grown best first,
    without pruning, and its leaves give smoothed probabilities, which makes it a better estimator of
    probabilities (C4.4) but needs `max_leaves` where labels are noisy.

    A missing value goes to the side where it helps most, and to the heavier one if a split met none.

    C4.4 is `DecisionTree(criterion="gain_ratio", multiway=True, min_weight=2)`: the tree of C4.5, release 8,
    without pruning and with smoothed leaves.

    Memory: the window, and a node for every leaf and split. `fit` ends by growing the tree on the latest
    `window` rows it was given; otherwise rows wait for the next `period`. A row of weight 2 counts as the row
    twice, but takes one place in the window; weights should be of the order of 1.

    Parameters
    ----------
    max_leaves : int, default=None
        Leaves at most; as many as it takes to make them pure if None.
    criterion : {"gini", "entropy", "error", "gain_ratio"}, default="gini"
        The impurity whose fall is largest in the split taken. "gain_ratio" is C4.5's choice: each input's
        best split by entropy, and of those that gain at least the mean, the one whose gain is the largest
        share of the information in the split itself (docs/batch_trees.md).
    laplace : float, default=1.0
        Added to the weight of every class in a leaf.
    multiway : bool, default=False
        Whether a categorical input is split into a branch for each category at once, and not used again
        below, instead of one category and the rest. A category that a split met no row of gets the
        probabilities of the node that is split; missing values have a branch of their own.
    min_weight : float, default=0.0
        Two children of a split, at least, weigh as much: both, if there are two (C4.5's m).
    window : int, default=1000
        Latest rows it is grown on.
    period : int, default=100
        Weight of rows after which it is grown again; at first it is grown after 1, 2, 4, … rows.
    categorical : sequence of int, default=()
        Positions of inputs that hold category codes 0, 1, 2, …; streams that know their categories say so
        themselves.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the splits: shares of 1 (docs/explanations.md).
    nodes_ : dict of ndarray
        For every node, the root first: `feature` (-1 in a leaf), `threshold` (values up to it, or this
        category, go left; NaN if there is a branch for each category), `left` and `right` (the first and the
        last child), `missing` (the child of a missing value), `weights` of the classes, and if `multiway`
        the `category` that leads to it.

    Notes
    -----
    Splits are those of scikit-learn's DecisionTreeClassifier with the same criterion and `max_leaf_nodes`,
    except that of equal ones the first input, at its lowest value, is taken, where scikit-learn draws at
    random; values are compared in double precision, not in single; a pure node is never split, which rounding
    makes scikit-learn do where weights differ. *Differs from C4.4*, with the settings above: missing values
    are not split into fractions, and count as known ones in the gain; thresholds lie in the middle between
    two values; inputs with many categories count in the mean gain as others do.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone. Classification and regression trees. 1984.
    J. R. Quinlan. Improved use of continuous attributes in C4.5. JAIR 4, 1996.
    F. Provost, P. Domingos. Tree induction for probability-based ranking. Machine Learning 52, 2003.

    Examples
    --------
    >>> from thalweg.learners import DecisionTree
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> p = DecisionTree(max_leaves=16).begin(3, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.86
    """

    _kernel: WindowTreeKernel
    takes_missing = True
    _kept_rows = "window"

    def __init__(
        self,
        max_leaves: int | None = None,
        criterion: str = "gini",
        *,
        laplace: float = 1.0,
        multiway: bool = False,
        min_weight: float = 0.0,
        window: int = 1000,
        period: int = 100,
        categorical: Sequence[int] = (),
    ) -> None:
        self.max_leaves = max_leaves
        self.criterion = criterion
        self.laplace = laplace
        self.multiway = multiway
        self.min_weight = min_weight
        self.window = window
        self.period = period
        self.categorical = categorical

    @property
    def nodes_(self) -> dict[str, Any]:
        """The grown tree, node by node."""
        with self._reading:
            return self._kernel.nodes()

    def _importance(self) -> Floats:
        return of_batch_tree(self._kernel.nodes(), self.n_features_in_, self.criterion)

    def _make_kernel(self, n_features: int, n_classes: int) -> WindowTreeKernel:
        window = count(self, "window", self.window, 1)
        settings = tree_settings(self, self.n_categories_, window)
        period = count(self, "period", self.period, 1)
        return WindowTreeKernel(n_features, n_classes, *settings, window, period, self._by_distance())

    def _by_distance(self) -> bool:
        return False


class DecisionStump(DecisionTree):
    """Decision stump: the best single split of the latest `window` rows, found exactly.

    The weak learner of boosting. Alone it tells two classes apart by one input.

    Parameters
    ----------
    criterion : {"gini", "entropy", "error", "gain_ratio"}, default="gini"
        The impurity whose fall is largest in the split taken; "error" is the weighted number of mistakes,
        "gain_ratio" as in `DecisionTree`.
    laplace : float, default=1.0
        Added to the weight of every class in a leaf.
    window : int, default=1000
        Latest rows it is grown on.
    period : int, default=100
        Weight of rows after which it is grown again; at first it is grown after 1, 2, 4, … rows.
    categorical : sequence of int, default=()
        Positions of inputs that hold category codes 0, 1, 2, …; streams that know their categories say so
        themselves. They are split into one category and the rest.
    by_distance : bool, default=False
        Whether probabilities depend on the distance from the split: those of the leaf at the farthest row
        that it was grown on, and the mean of both leaves at the split.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the splits: shares of 1 (docs/explanations.md).
    nodes_ : dict of ndarray
        As those of `DecisionTree`.

    References
    ----------
    W. Iba, P. Langley. Induction of one-level decision trees. ICML 1992.

    Examples
    --------
    >>> from thalweg.learners import DecisionStump
    >>> stump = DecisionStump().fit([[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> float(stump.nodes_["threshold"][0])
    3.0
    """

    max_leaves, multiway, min_weight = 2, False, 0.0

    def __init__(
        self,
        criterion: str = "gini",
        laplace: float = 1.0,
        *,
        window: int = 1000,
        period: int = 100,
        categorical: Sequence[int] = (),
        by_distance: bool = False,
    ) -> None:
        self.criterion = criterion
        self.laplace = laplace
        self.window = window
        self.period = period
        self.categorical = categorical
        self.by_distance = by_distance

    def _by_distance(self) -> bool:
        return yes_or_no(self, "by_distance", self.by_distance)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # two leaves cannot tell three classes apart
        return tags


def tree_settings(
    tree: DecisionTree, n_categories: Ints, n_rows: int
) -> tuple[Ints, int, int, float, bool, float]:
    """Return what the kernel of a DecisionTree on so many rows needs to know, parameters checked.

    These are the numbers of categories of the inputs, leaves at most, the criterion's number, `laplace`,
    `multiway` and `min_weight`.
    """
    n_categories = n_categories.copy()
    for j in columns(tree, "categorical", tree.categorical, len(n_categories)):
        n_categories[j] = max(n_categories[j], 1)
    return (
        n_categories,
        n_rows if tree.max_leaves is None else count(tree, "max_leaves", tree.max_leaves, 1),
        CRITERIA[one_of(tree, "criterion", tree.criterion, CRITERIA)],
        real_number(tree, "laplace", tree.laplace, least=0, most=MOST_LAPLACE),
        yes_or_no(tree, "multiway", tree.multiway),
        real_number(tree, "min_weight", tree.min_weight, least=0, most=MOST_LEAST),
    )
