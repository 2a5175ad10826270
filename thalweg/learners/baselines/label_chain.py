"""The learner that looks at the latest labels alone."""

from thalweg._parameters import real_number, whole_number
from thalweg.learners.base.native import KeepsRows
from thalweg.learners.baselines._native.label_chain import LabelChainKernel, n_contexts
from thalweg.learners.baselines.trivial import InputFree

HIGHEST_ORDER, MOST_COUNTS, MOST_WAITING = 8, 1_000_000, 1_000_000


class LabelChain(KeepsRows, InputFree):
    """Predicts the class that most often follows the last labels: a Markov chain that ignores the inputs.

    The third baseline, beside `MajorityClass` and `NoChange`: what any learner must beat on a stream whose
    labels follow each other by a rule. On the power supply data, whose labels are the hours of the day, it is
    right for 99.9 % of the rows. With labels that come late it learns what followed the labels known when the
    row was observed.

    Memory: (K + K² + … + K^(order + 1)) counts for K classes, and what is kept with the rows that wait for
    their labels.

    Parameters
    ----------
    order : int, default=1
        How many of the latest labels it looks at, at most 8; fewer where the classes would make more than a
        million counts. The shares of the classes are order 0; where an order has seen little, the answer
        leans on the order below.
    decay : float, default=0.999
        Factor of the counts of a context each time it is met again.
    max_waiting : int, default=10000
        Most rows that can wait for their labels, if they are observed first.

    Examples
    --------
    >>> from thalweg.learners import LabelChain
    >>> learner = LabelChain().begin(1, ["day", "night"])
    >>> for label in ["day", "night"] * 3:
    ...     learner.learn_one([0.0], label)
    >>> learner.predict_one([0.0])
    'day'
    """

    def __init__(self, order: int = 1, decay: float = 0.999, *, max_waiting: int = 10_000) -> None:
        self.order = order
        self.decay = decay
        self.max_waiting = max_waiting

    def _make_kernel(self, n_features: int, n_classes: int) -> LabelChainKernel:
        order = whole_number(self, "order", self.order, 0, HIGHEST_ORDER)
        decay = real_number(self, "decay", self.decay, above=0, most=1)
        most_kept = whole_number(self, "max_waiting", self.max_waiting, 1, MOST_WAITING)
        while order > 0 and n_contexts(n_classes, order) * n_classes > MOST_COUNTS:
            order -= 1
        return LabelChainKernel(n_features, n_classes, order, decay, most_kept)
