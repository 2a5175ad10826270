"""Sums over the tested rows of a run, in constant memory: what confusion, calibration and charts need."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from thalweg._bounded_record import halved
from thalweg._types import Floats, Ints, Mask
from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.stretches import Stretches
from thalweg.trust.costs import answer_codes

LEARNER = "learner"
ANSWERERS = (LEARNER, *BASELINES)
N_BINS = 20
MOST_PARTS = 256
SMALLEST_PROBABILITY = np.finfo(np.float64).eps
ROWS_AT_A_TIME = 65_536
SETS = ("rows", "held", "covered", "size", "single")
"""What is counted of prediction sets: rows, labels in their sets before the rule that no set is empty and
with it, classes in all sets, and sets of one class."""


class Tally:
    """Sums over rows that are added block by block; how they are cut into blocks makes no difference.

    Attributes
    ----------
    n : int
        Number of rows so far.
    costs : ndarray or None
        What each answer costs, [true class, answer], if the learner's answers are those of the least cost.
    confusions : dict of ndarray
        For the learner and each baseline, the number of rows of each true class (first axis) and answer.
    log_loss, brier : float
        Sums over the rows that have a label, as in `metrics`.
    bins : ndarray
        Rows, sum of the answer's probability, and correct answers, for each of 20 equal ranges of it.
    part_size : int
        Number of rows of a part: over time the run is cut into 128 to 256 equal parts, the last one shorter.
    class_counts, right : ndarray
        Rows of each part and class, and correct answers of each part and answerer.
    stretches : Stretches
        How the labels come in stretches of one class.
    sets : ndarray
        For each part what is counted of prediction sets, in the order of SETS; 0 if there are none.
    """

    def __init__(self, n_classes: int) -> None:
        self.n = 0
        self.costs: Floats | None = None
        self.confusions = {name: np.zeros((n_classes, n_classes), dtype=np.int64) for name in ANSWERERS}
        self.log_loss = self.brier = 0.0
        self.bins = np.zeros((3, N_BINS))
        self.part_size = 1
        self.class_counts = np.zeros((MOST_PARTS, n_classes), dtype=np.int64)
        self.right = np.zeros((MOST_PARTS, len(ANSWERERS)), dtype=np.int64)
        self.sets = np.zeros((MOST_PARTS, len(SETS)), dtype=np.int64)
        self.stretches = Stretches()

    @property
    def n_classes(self) -> int:
        """Number of classes so far."""
        return self.class_counts.shape[1]

    @property
    def n_scored(self) -> int:
        """Number of rows that have a label."""
        return int(self.confusions[LEARNER].sum())

    @property
    def n_parts(self) -> int:
        """Number of parts over time that have rows."""
        return -(-self.n // self.part_size)

    @property
    def ends(self) -> Ints:
        """The row after each part."""
        return np.minimum(np.arange(1, self.n_parts + 1) * self.part_size, self.n)

    def part_starts(self, most: int) -> Ints:
        """Return the first parts of up to `most` nearly equal groups of parts."""
        n = min(most, self.n_parts)
        return np.arange(n) * self.n_parts // max(1, n)

    def of(self, answerer: str) -> "Tally":
        """Return the Tally of a baseline, as if it were the learner; it has no probabilities."""
        other = Tally(self.n_classes)
        other.n, other.part_size, other.class_counts = self.n, self.part_size, self.class_counts
        other.stretches = self.stretches
        other.confusions = self.confusions | {LEARNER: self.confusions[answerer]}
        other.right = self.right.copy()
        other.right[:, ANSWERERS.index(LEARNER)] = self.right[:, ANSWERERS.index(answerer)]
        other.log_loss = other.brier = float("nan")
        return other

    def set_classes(self, n_classes: int) -> None:
        """Increase the number of classes."""
        n_new = n_classes - self.n_classes
        self.confusions = {name: np.pad(counts, (0, n_new)) for name, counts in self.confusions.items()}
        self.class_counts = np.pad(self.class_counts, ((0, 0), (0, n_new)))

    def reorder(self, order: Ints) -> None:
        """Keep only the classes `order`, in this order."""
        self.confusions = {name: counts[np.ix_(order, order)] for name, counts in self.confusions.items()}
        self.class_counts = self.class_counts[:, order]

    def add(
        self,
        codes: Ints,
        probabilities: Floats,
        answers: Mapping[str, NDArray[np.integer]],
        sets: NDArray[np.int32] | None = None,
    ) -> None:
        """Add rows: codes of labels (-1: none), the learner's probabilities, answers of the baselines.

        `sets` is what is kept of prediction sets, if there are some.
        """
        while self.n + len(codes) > MOST_PARTS * self.part_size:
            self.class_counts, self.right = halved(self.class_counts, add=True), halved(self.right, add=True)
            self.sets = halved(self.sets, add=True)
            self.part_size *= 2
        part = (self.n + np.arange(len(codes))) // self.part_size
        scored = codes >= 0
        part, y, p = part[scored], codes[scored], probabilities[scored]
        answer = answer_codes(p, self.costs)
        np.add.at(self.class_counts, (part, y), 1)
        for i, name in enumerate(ANSWERERS):
            given = answer if name == LEARNER else answers[name][scored]
            np.add.at(self.confusions[name], (y, given), 1)
            self.right[:, i] += np.bincount(part[given == y], minlength=MOST_PARTS)
        if sets is not None:
            np.add.at(self.sets, part, set_counts(sets[scored], answer_codes(p, None) == y))
        self._add_probabilities(y, p, answer)
        self.stretches.add(y)
        self.n += len(codes)

    def _add_probabilities(self, y: Ints, p: Floats, answer: Ints) -> None:
        if not len(y):
            return
        rows = np.arange(len(y))
        given = p[rows, y]
        self.log_loss -= float(np.log(np.clip(given, SMALLEST_PROBABILITY, 1)).sum())
        if p.shape[1] == 2:
            self.brier += float(((p[:, 1] - y) ** 2).sum())
        else:
            self.brier += float((p * p).sum() + (1 - 2 * given).sum())
        sure = p[rows, answer]
        place = np.minimum((sure * N_BINS).astype(np.intp), N_BINS - 1)
        for line, weights in enumerate((None, sure, answer == y)):
            self.bins[line] += np.bincount(place, weights, N_BINS)

    def accuracy_of_parts(self, answerer: str = LEARNER, most: int = MOST_PARTS) -> Floats:
        """Return the accuracies of up to `most` nearly equal parts, without parts that have no labels."""
        n_parts, starts = self.n_parts, self.part_starts(most)
        if not len(starts):
            return np.empty(0)
        scored = np.add.reduceat(self.class_counts[:n_parts].sum(axis=1), starts)
        right = np.add.reduceat(self.right[:n_parts, ANSWERERS.index(answerer)], starts)
        return right[scored > 0] / scored[scored > 0]


def set_counts(sets: NDArray[np.int32], right: Mask) -> Ints:
    """Return for each row what is counted of its set, in the order of SETS.

    `sets` are rows × 2: the size before the rule that no set is empty, and 1 if the label is in. `right` says
    whether the likeliest class is the label: it is the set if no other class is in.
    """
    size, held = sets.T
    columns = np.ones_like(held), held, held | ((size == 0) & right), np.maximum(size, 1), size <= 1
    return np.column_stack(columns).astype(np.int64)
