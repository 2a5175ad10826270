"""The Hoeffding option tree, and its adaptive variant."""

from collections.abc import Sequence

from thalweg._parameters import count, real_number
from thalweg._types import RandomState
from thalweg.learners.trees._native.hoeffding_option_tree import OptionTreeKernel
from thalweg.learners.trees.base import Tree


class HoeffdingOptionTree(Tree):
    """A Hoeffding tree that keeps several good splits of a leaf: rows go down all of them, the leaves vote.

    Where two inputs are about equally good, a plain tree waits long or takes one for ever; this one takes the
    first and may add others. A small ensemble in a single tree: mostly more accurate than `HoeffdingTree`,
    slower and larger by the number of options. It never takes a split back. Inputs, missing values and leaves
    are as in `HoeffdingTree`.

    Parameters
    ----------
    max_options : int, default=5
        Most options on any way from the root to a leaf.
    option_delta : float, default=0.1
        Chance that a further option is not better than those before it (δ').
    grace_period : float, default=200
        Weight of rows a leaf sees between attempts to split (n_min).
    delta : float, default=0.01
        Chance that a split is not the one an endless stream would choose (δ); 1e-7 in the paper and in MOA.
    tie : float, default=0.05
        When the bound has fallen below this, the best input wins however small its lead (τ).
    criterion : {"gain", "gini"}, default="gain"
        Merit of a split: information gain or Gini.
    leaf : {"adaptive", "bayes", "majority"}, default="adaptive"
        How leaves vote: the majority, naive Bayes, or the one of both that was right more often there.
    max_features : int, float or "sqrt", default=None
        Random inputs each leaf looks at, their share, or √inputs + 1; all if None.
    max_bytes : int, default=33554432
        Bound on the tree's memory, as in `HoeffdingTree`.
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
        Size of the tree; leaves that wait to become an option count only in the bytes.

    Notes
    -----
    The probabilities are the mean of those of the leaves, as in the paper. MOA adds up raw votes, class
    counts of one leaf to products of densities of another (measured on the page about trees). As in MOA an
    option may test the input of another option once more, at another threshold. Other differences from MOA
    are those of `HoeffdingTree`, and `delta`: on sixteen streams 0.01 is right on 76.8 % of the rows, 1e-7 on
    74.9, since a hasty split is one option of several (docs/trees.md).

    References
    ----------
    B. Pfahringer, G. Holmes and R. Kirkby, New options for Hoeffding trees, AI 2007.

    Examples
    --------
    >>> from thalweg.learners import HoeffdingOptionTree, HoeffdingTree
    >>> from thalweg.streams import RandomRBF
    >>> X, y = next(RandomRBF(seed=1).blocks(20_000))
    >>> for tree in (HoeffdingTree(), HoeffdingOptionTree()):
    ...     p = tree.begin(X.shape[1], [0, 1]).test_then_train(X, y)
    ...     print(round(float((p.argmax(axis=1) == y).mean()), 2), tree.n_leaves_)
    0.75 14
    0.91 132
    """

    _fading = False

    def __init__(
        self,
        max_options: int = 5,
        option_delta: float = 0.1,
        *,
        grace_period: int = 200,
        delta: float = 0.01,
        tie: float = 0.05,
        criterion: str = "gain",
        leaf: str = "adaptive",
        max_features: int | float | str | None = None,
        max_bytes: int = 33554432,
        categorical: Sequence[int] = (),
        random_state: RandomState = 1,
    ) -> None:
        self.max_options = max_options
        self.option_delta = option_delta
        self.grace_period = grace_period
        self.delta = delta
        self.tie = tie
        self.criterion = criterion
        self.leaf = leaf
        self.max_features = max_features
        self.max_bytes = max_bytes
        self.categorical = categorical
        self.random_state = random_state

    def _make_kernel(self, n_features: int, n_classes: int) -> OptionTreeKernel:
        options = self._options(n_features) | {
            "max_options": count(self, "max_options", self.max_options, 1),
            "option_delta": real_number(self, "option_delta", self.option_delta, least=0, most=1),
            "fading": self._fading,
        }
        return OptionTreeKernel(n_features, n_classes, self._category_counts(n_features), options)


class AdaptiveHoeffdingOptionTree(HoeffdingOptionTree):
    """A Hoeffding option tree whose leaves vote by how often they were right lately.

    A leaf that was right for the share c of its last rows (the last ten, roughly) votes with the weight
    1/(1 - c)². After a drift the options that still hold win the vote, so this tree follows changes better
    than `HoeffdingOptionTree`, of which it has the parameters and attributes; the tree itself is the same.

    Notes
    -----
    The tree and the weights are MOA's AdaHoeffdingOptionTree; the constant 0.2 by which c fades is its too.

    References
    ----------
    A. Bifet, G. Holmes, B. Pfahringer, R. Kirkby and R. Gavaldà, New ensemble methods for evolving data
    streams, KDD 2009.

    Examples
    --------
    >>> from thalweg.learners import AdaptiveHoeffdingOptionTree, HoeffdingOptionTree
    >>> from thalweg.streams import RandomRBF
    >>> X, y = next(RandomRBF(seed=1).blocks(20_000))
    >>> y[10_000:] = 1 - y[10_000:]
    >>> for tree in (HoeffdingOptionTree(), AdaptiveHoeffdingOptionTree()):
    ...     p = tree.begin(X.shape[1], [0, 1]).test_then_train(X, y)
    ...     print(round(float((p.argmax(axis=1) == y)[10_000:].mean()), 2))
    0.87
    0.88
    """

    _fading = True
