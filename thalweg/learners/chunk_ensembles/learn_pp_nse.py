"""Learn++.NSE: learning in nonstationary environments."""

from thalweg._native.kernel import Kernel
from thalweg._parameters import one_of, real_number
from thalweg._types import RandomState
from thalweg.learners.base.member_list import Members
from thalweg.learners.chunk_ensembles._native.learn_pp_nse import LearnNSEKernel
from thalweg.learners.chunk_ensembles.base import ChunkEnsemble


class LearnPPNSE(ChunkEnsemble):
    """Learn++.NSE: members fitted on chunks, weighed by their errors on all chunks since they came.

    Errors on recent chunks, and on rows that the ensemble gets wrong, count more. Follows drift of any kind,
    and remembers: a member of a concept that returns regains its weight. The weights come from rows on which
    the newest member was fitted, so let it not learn them by heart: limit its leaves. Until the first chunk
    ends, a member fitted on its rows so far predicts. Chunks count rows, whatever their weights.

    Memory: the members and a chunk.

    Parameters
    ----------
    member : learner or list of learners, default=None
        What is fitted on a chunk; `NaiveBayes()` and `DecisionTree(max_leaves=8)` in turn if None. Learners
        in a list take turns.
    n_members : int, default=50
        Members at most.
    chunk_size : int, default=100
        Rows of a chunk (m).
    slope : float, default=0.5
        Of the sigmoid by which a member's errors count more the older it was (a).
    shift : float, default=10.0
        The age, in chunks, at which they count half (b).
    prune : {"age", "error"}, default="age"
        Which member goes when there are too many: the oldest, or the one of the largest error.
    random_state : int, None, Generator or RandomState, default=1
        Seed of the members.

    Attributes
    ----------
    importance_ : ndarray
        How much each input counts in the members that are trees (docs/explanations.md).
    members_ : list
        The members.
    weights_ : ndarray
        The weights of their votes (W).
    history_ : dict of arrays
        Weights and sizes of the members over time, and which came and went, bounded; drawn by
        `plot_history`.

    Notes
    -----
    *Differs from the paper*: it keeps all members for ever; pruning is that of the authors' later study. A
    new member with an error above 1/2 gets no weight, where the paper fits it again; errors below 0.01 count
    as 0.01, as in G. Ditzler's MATLAB program, so that no weight is infinite. The defaults are the best of
    those tried on sixteen streams (docs/chunk_ensembles.md); the paper has members of one kind, such as
    `LearnPPNSE(DecisionTree(max_leaves=32, window=1), 25, chunk_size=500)`.

    References
    ----------
    R. Elwell, R. Polikar. Incremental learning of concept drift in nonstationary environments. IEEE
    Transactions on Neural Networks 22, 2011.

    Examples
    --------
    >>> from thalweg.learners import LearnPPNSE
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> y[2500:] = 1 - y[2500:]
    >>> learner = LearnPPNSE().begin(3, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.82
    """

    def __init__(
        self,
        member: Members = None,
        n_members: int = 50,
        *,
        chunk_size: int = 100,
        slope: float = 0.5,
        shift: float = 10.0,
        prune: str = "age",
        random_state: RandomState = 1,
    ) -> None:
        self.member = member
        self.n_members = n_members
        self.chunk_size = chunk_size
        self.slope = slope
        self.shift = shift
        self.prune = prune
        self.random_state = random_state

    def _make_chunk_kernel(self, n_features: int, n_classes: int, n_members: int, chunk_size: int) -> Kernel:
        settings = (
            real_number(self, "slope", self.slope, least=0, most=1e6),
            real_number(self, "shift", self.shift, least=0, most=1e6),
            one_of(self, "prune", self.prune, ("age", "error")) == "error",
        )
        return LearnNSEKernel(
            self._who,
            n_features,
            n_classes,
            n_members,
            chunk_size,
            *settings,
            len(self._made_from),
            self._build,
        )
