"""The Hoeffding tree."""

from collections.abc import Sequence

from thalweg._types import RandomState
from thalweg.learners.trees._native.hoeffding_tree import HoeffdingTreeKernel
from thalweg.learners.trees.base import Tree


class HoeffdingTree(Tree):
    """A decision tree that grows row by row: a leaf splits once Hoeffding's bound says which input is best.

    Fast, readable and as good as a tree grown on all rows at once, if the rules of the stream stay; it never
    takes a split back, so after a drift it is slow to follow (see `HoeffdingAdaptiveTree`).

    Numeric inputs are described by a normal distribution for each class and split at one of ten thresholds;
    categorical inputs by counts, and split into a branch for each category, or one against the others. A row
    whose split value is missing, or of a category unknown when the node was split, follows the branch that
    had most weight; at a leaf missing values are left out. A row of weight 2 counts as the row twice.

    Parameters
    ----------
    grace_period : float, default=200
        Weight of rows a leaf sees between attempts to split (n_min).
    delta : float, default=1e-7
        Chance that a split is not the one an endless stream would choose (δ).
    tie : float, default=0.05
        When the bound has fallen below this, the best input wins however small its lead (τ).
    criterion : {"gain", "gini"}, default="gain"
        Merit of a split: information gain or Gini.
    leaf : {"adaptive", "bayes", "majority"}, default="adaptive"
        How leaves vote: the majority, naive Bayes, or the one of both that was right more often there.
    max_features : int, float or "sqrt", default=None
        Random inputs each leaf looks at, their share, or √inputs + 1; all if None.
    max_bytes : int, default=33554432
        Bound on the tree's memory. When it is reached, the leaves with the fewest errors to remove stop
        learning in favour of others, and the tree stops growing; categories that come later and find no room
        are treated as missing. Classes and inputs that come later come on top.
    categorical : sequence of int, default=()
        Positions of inputs that hold category codes 0, 1, 2, …; streams that know their categories say so
        themselves. Codes from 1,024 on are treated as missing.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the random inputs.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the splits: shares of 1 (docs/explanations.md).
    n_nodes_, n_leaves_, depth_, n_bytes_ : int
        Size of the tree.

    Notes
    -----
    Differs from the paper (as MOA does): normal distributions and ten thresholds instead of counts of every
    value, naive Bayes leaves, a branch must take 1 % of the weight under information gain, the range R of the
    bound is log2 of the highest class code seen at the leaf + 1, and staying a leaf is no rival to a split
    under information gain.

    Differs from MOA: missing and unknown values follow the usual branch, where MOA stops at the node and
    forgets the row; naive Bayes works with logarithms and one value weighs no more than e^-745, where MOA's
    products of many densities vanish; a leaf whose best split is worthless does not split, where MOA breaks
    the tie at random or forgets what the leaf knows; the bound on memory is on the bytes in use, where MOA
    extrapolates from an estimate every million rows.

    References
    ----------
    P. Domingos and G. Hulten, Mining high-speed data streams, KDD 2000.
    J. Gama, R. Rocha and P. Medas, Accurate decision trees for mining high-speed data streams, KDD 2003.
    R. Kirkby, Improving Hoeffding trees, PhD thesis, University of Waikato 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.learners import HoeffdingTree
    >>> X = np.random.default_rng(1).random((2000, 2))
    >>> tree = HoeffdingTree(leaf="majority").begin(2, ["no", "yes"], names=["a", "b"])
    >>> p = tree.test_then_train(X, np.where(X[:, 0] > 0.5, "yes", "no"))
    >>> print(tree.describe())
    a ≤ 0.46322: no (100% of 928)
    a > 0.46322
      a ≤ 0.51238: no (72% of 92)
      a > 0.51238: yes (100% of 882)
    """

    def __init__(
        self,
        grace_period: int = 200,
        delta: float = 1e-7,
        *,
        tie: float = 0.05,
        criterion: str = "gain",
        leaf: str = "adaptive",
        max_features: int | float | str | None = None,
        max_bytes: int = 33554432,
        categorical: Sequence[int] = (),
        random_state: RandomState = 1,
    ) -> None:
        self.grace_period = grace_period
        self.delta = delta
        self.tie = tie
        self.criterion = criterion
        self.leaf = leaf
        self.max_features = max_features
        self.max_bytes = max_bytes
        self.categorical = categorical
        self.random_state = random_state

    def _make_kernel(self, n_features: int, n_classes: int) -> HoeffdingTreeKernel:
        counts = self._category_counts(n_features)
        return HoeffdingTreeKernel(n_features, n_classes, counts, self._options(n_features))
