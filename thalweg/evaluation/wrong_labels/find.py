"""Rows whose labels look wrong: how many there are, and which are the likeliest."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._frames import frame_names
from thalweg._types import Floats, Ints
from thalweg.errors import ParameterError, StreamError
from thalweg.evaluation.wrong_labels.all_rows import all_rows
from thalweg.evaluation.wrong_labels.out_of_sample import forest_of_others, read_both_ways
from thalweg.evaluation.wrong_labels.probabilities import doubts
from thalweg.evaluation.wrong_labels.row_cells import Cells, FrameCells
from thalweg.evaluation.wrong_labels.share import WrongShare, wrong_share
from thalweg.learners.chunk_ensembles._native.member_weights import Weighing
from thalweg.streams import as_stream, from_arrays
from thalweg.streams.base import Stream

FEW_ROWS = 50_000
LEAST_LIKELY = 0.01  # a model's probability, so that none decides alone


def label_errors(
    X: Any,
    y: ArrayLike | None = None,
    *,
    learners: Sequence[Any] | None = None,
    categorical: Sequence[int | str] = (),
    names: Sequence[str] | None = None,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> "LabelErrors":
    """Return how likely each row's label is, judged by the rows before and after it.

    Every learner reads the rows forwards and backwards and gives, before it is told a label, the
    probabilities of the classes. Where there are at most 50,000 rows, a forest gives them as well, for each
    row from the trees grown without it. A logistic regression weighs the logarithms of all these. A label is
    the more doubtful the less likely it is, and the more often the likely class is called that. Rows
    without a label (None, NaN) are left alone.

    All rows are held in memory, and for each row and class one number a model.

    Parameters
    ----------
    X, y : array-like
        Rows and their labels; or, without `y`, what `thalweg.streams.as_stream` takes: a stream, a path or a
        name, (X, y), a data frame whose last column has the labels, an iterable of pairs (x, y).
    learners : sequence of learners or None
        Who reads the rows. By default `AdaptiveStacking()` up to 50,000 rows; beyond them, to save time,
        `AdaptiveRandomForest(20)` and `LogisticMixture()`.
    categorical : sequence of int or str
        Inputs that hold categories.
    names : sequence of str or None
        Names of the inputs.
    seed : int
        Seed of the forest, and of the default learners.
    progress : callable or None
        Called as progress(models ready, models in all).

    Examples
    --------
    >>> from thalweg.evaluation import label_errors
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(3000, noise=0, seed=1).blocks(3000))
    >>> y[::20] = 1 - y[::20]
    >>> found = label_errors(X, y)
    >>> bool((found.rows[:100] % 20 == 0).mean() > 0.9), 100 < found.n_wrong < 200
    (True, True)
    """
    if y is None:
        if names is not None or len(categorical):
            raise ParameterError("label_errors: names and categorical are for arrays; pass y as well")
        return label_errors_in_stream(as_stream(X, who="label_errors"), learners, seed, progress)
    stream = from_arrays(X, y, names=names, categorical=categorical)
    cells = None if frame_names(X) is None else FrameCells(X)
    return label_errors_in_stream(stream, learners, seed, progress, cells=cells)


def label_errors_in_stream(
    stream: Stream,
    learners: Sequence[Any] | None = None,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
    rows: int | None = None,
    cells: Cells | None = None,
) -> "LabelErrors":
    """Return the LabelErrors of a stream's rows; only the first `rows` are read if that is given.

    `cells` are what a person knows the rows by; by default those of the stream's file, or else the inputs.
    """
    started = time.perf_counter()
    X, codes, usual_cells = all_rows(stream, rows)
    known = np.flatnonzero(codes >= 0)
    classes = stream.classes
    if len(np.unique(codes[known])) < 2:
        raise StreamError("two different labels at least are needed to tell which look wrong")
    learners = _usual_learners(len(known), seed) if learners is None else list(learners)
    names, answers = [], []
    n_models = 2 * len(learners) + (len(known) <= FEW_ROWS)
    for name, p in _predictions(learners, X[known], codes[known], classes, stream.n_categories, seed):
        names.append(name)
        answers.append(np.log(p + LEAST_LIKELY))
        if progress is not None:
            progress(len(names), n_models)
    fit = Weighing(np.array(answers), codes[known], penalty=-1.0)
    p = np.full((len(X), len(classes)), np.nan)
    p[known] = fit.probabilities(np.array(answers))
    weights = dict(zip(names, fit.weights.tolist(), strict=True))
    seconds = time.perf_counter() - started
    return LabelErrors(
        X,
        codes,
        classes=np.asarray(classes),
        p=p,
        weights=weights,
        seconds=seconds,
        cells=cells or usual_cells,
    )


@dataclass
class LabelErrors:
    """How likely the label of each row is.

    Attributes
    ----------
    X, codes, classes : ndarray
        The rows, their labels as positions in `classes` (-1: none), and the labels there are.
    p : ndarray
        Rows × classes: the probabilities that were believed, the row's own label not being known.
    weights : dict
        How much each model counts.
    seconds : float
        The time it took.
    cells : FileCells, FrameCells or InputCells
        What the rows are shown by: the cells of a file or a frame, or else the inputs.
    """

    X: Floats
    codes: Ints
    _: KW_ONLY
    classes: NDArray[Any]
    p: Floats
    weights: dict[str, float]
    seconds: float
    cells: Cells

    def __repr__(self) -> str:
        estimate = self.estimate
        wrong = f"{estimate.low:.1%} to {estimate.high:.1%} of {estimate.n_labels:,} labels are wrong"
        return f"<LabelErrors: {wrong}; {self.n_listed:,} rows to look at>"

    @property
    def likelihood(self) -> Floats:
        """The probability of each row's label; NaN where it has none."""
        found = self.p[np.arange(len(self.p)), np.maximum(self.codes, 0)]
        return np.where(self.codes < 0, np.nan, found)

    @property
    def believed(self) -> NDArray[Any]:
        """The likeliest label of each row."""
        return self.classes[np.nan_to_num(self.p, nan=0.0).argmax(axis=1)]

    @cached_property
    def estimate(self) -> WrongShare:
        """The share of wrong labels, if one can be given, a 95 % range for it, and what it rests on."""
        known = self.codes >= 0
        return wrong_share(self.p[known], self.codes[known])

    @property
    def share(self) -> float | None:
        """The estimated share of wrong labels; None if wrong labels and hard rows cannot be told apart."""
        return self.estimate.share

    @property
    def share_low(self) -> float:
        """The lower end of a 95 % range for the share of wrong labels."""
        return self.estimate.low

    @property
    def share_high(self) -> float:
        """The upper end of a 95 % range for the share of wrong labels."""
        return self.estimate.high

    @cached_property
    def doubt(self) -> Floats:
        """The probability that each row's label is wrong; NaN where it has none.

        How often one class is called another is estimated where the models are surest. All doubts add up to
        the estimated share of the rows, or to the middle of its range where none is given.
        """
        known = self.codes >= 0
        found = np.full(len(self.codes), np.nan)
        found[known] = doubts(self.p[known], self.codes[known], self.estimate)
        return found

    @cached_property
    def rows(self) -> Ints:
        """Numbers of the rows whose labels look wrong, the most doubtful first.

        Another label is believed, and the one that is given is less likely than it is in half of the rows
        that have it: a class that is hard to tell is not listed as a whole.
        """
        q = self.likelihood
        order = np.lexsort((q, -self.doubt))[: self.estimate.n_labels]  # rows without a label are last
        usual = np.array([_median(q[self.codes == k]) for k in range(len(self.classes))])
        is_other = (self.p[order] > q[order, None]).any(axis=1)
        return order[is_other & (q[order] <= usual[self.codes[order]])]

    @property
    def n_unlabelled(self) -> int:
        """Rows that have no label, and are not judged."""
        return int((self.codes < 0).sum())

    @property
    def n_wrong(self) -> int | None:
        """Number of rows estimated to be wrong, at most as many as are in `rows`; None if `share` is."""
        return None if self.share is None else self.n_listed

    @property
    def n_listed(self) -> int:
        """Number of rows to look at: those estimated to be wrong, or the middle of the range."""
        estimate = self.estimate
        return min(round(estimate.middle * estimate.n_labels), len(self.rows))


def _median(values: Floats) -> float:
    return float(np.median(values)) if len(values) else 0.0


def _usual_learners(n_rows: int, seed: int) -> list[Any]:
    from thalweg.learners import AdaptiveRandomForest, AdaptiveStacking, LogisticMixture

    if n_rows <= FEW_ROWS:
        return [AdaptiveStacking(random_state=seed)]
    return [AdaptiveRandomForest(n_members=20, random_state=seed), LogisticMixture()]


def _predictions(
    learners: Sequence[Any], X: Floats, codes: Ints, classes: Any, n_categories: Ints, seed: int
) -> Iterator[tuple[str, Floats]]:
    """Yield the name of each model and its probabilities of all rows."""
    for learner in learners:
        for direction, p in read_both_ways(learner, X, codes, classes, n_categories):
            yield f"{type(learner).__name__} {direction}", p
    if len(X) <= FEW_ROWS:
        yield "forest of other rows", forest_of_others(X, codes, len(classes), n_categories, seed)
