"""Rows whose labels look wrong: how many there are, and which are the likeliest."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._kernels.logistic_weights import Weighing
from thalweg._types import Block, Floats, Ints, Mask
from thalweg.errors import ParameterError, StreamError
from thalweg.evaluation.opinions import forest_of_others, read_both_ways
from thalweg.streams import as_stream, from_arrays
from thalweg.streams.base import Stream

FEW_ROWS = 50_000
LEAST_LIKELY = 0.01  # an opinion's probability, so that none decides alone
LEAST_SURE, SHARE_SURE = 500, 0.1
NORMAL_95 = 1.959964


def suspicious(
    X: Any,
    y: ArrayLike | None = None,
    learners: Sequence[Any] | None = None,
    categorical: Sequence[int | str] = (),
    names: Sequence[str] | None = None,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> "Suspicions":
    """Return how likely each row's label is, judged by the rows before and after it.

    Every learner reads the rows forwards and backwards and gives, before it is told a label, the
    probabilities of the classes. Where there are at most 50,000 rows, a forest gives them as well, for each
    row from the trees grown without it. A logistic regression weighs the logarithms of all these. A label is
    the more suspicious the less likely it is. Rows without a label (None, NaN) are left alone.

    All rows are held in memory, and for each row and class one number an opinion.

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
        Called as progress(opinions ready, opinions in all).

    Examples
    --------
    >>> from thalweg.evaluation import suspicious
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(3000, noise=0, seed=1).blocks(3000))
    >>> y[::20] = 1 - y[::20]
    >>> found = suspicious(X, y)
    >>> bool((found.rows[:100] % 20 == 0).mean() > 0.9), 100 < found.n_wrong < 200
    (True, True)
    """
    if y is None:
        if names is not None or len(categorical):
            raise ParameterError("suspicious: names and categorical are for arrays; pass y as well")
        return suspicious_in_stream(as_stream(X, who="suspicious"), learners, seed, progress)
    stream = from_arrays(X, y, names=names, categorical=categorical)
    return suspicious_in_stream(stream, learners, seed, progress)


def suspicious_in_stream(
    stream: Stream,
    learners: Sequence[Any] | None = None,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
    rows: int | None = None,
) -> "Suspicions":
    """Return the Suspicions of a stream's rows, the first `rows` if that is given."""
    started = time.perf_counter()
    X, codes = _all_rows(stream, rows)
    known = np.flatnonzero(codes >= 0)
    classes = stream.classes
    if len(np.unique(codes[known])) < 2:
        raise StreamError("two different labels at least are needed to tell which look wrong")
    learners = _usual_learners(len(known), seed) if learners is None else list(learners)
    said, answers = [], []
    n_opinions = 2 * len(learners) + (len(known) <= FEW_ROWS)
    for name, p in _opinions(learners, X[known], codes[known], classes, stream.n_categories, seed):
        said.append(name)
        answers.append(np.log(p + LEAST_LIKELY))
        if progress is not None:
            progress(len(said), n_opinions)
    fit = Weighing(np.array(answers), codes[known], penalty=-1.0)
    p = np.full((len(X), len(classes)), np.nan)
    p[known] = fit.probabilities(np.array(answers))
    weights = dict(zip(said, fit.weights.tolist(), strict=True))
    return Suspicions(X, codes, np.asarray(classes), p, weights, time.perf_counter() - started)


@dataclass
class Suspicions:
    """How likely the label of each row is.

    Attributes
    ----------
    X, codes, classes : ndarray
        The rows, their labels as positions in `classes` (-1: none), and the labels there are.
    p : ndarray
        Rows × classes: the probabilities that were believed, the row's own label not being known.
    weights : dict
        How much each opinion counts.
    seconds : float
        The time it took.
    """

    X: Floats
    codes: Ints
    classes: NDArray[Any]
    p: Floats
    weights: dict[str, float]
    seconds: float

    @property
    def likelihood(self) -> Floats:
        """The probability of each row's label; NaN where it has none."""
        found = self.p[np.arange(len(self.p)), np.maximum(self.codes, 0)]
        return np.where(self.codes < 0, np.nan, found)

    @property
    def believed(self) -> NDArray[Any]:
        """The likeliest label of each row."""
        return self.classes[np.nan_to_num(self.p, nan=0.0).argmax(axis=1)]

    @property
    def doubt(self) -> Floats:
        """The probability that each row's label is wrong; NaN where it has none.

        With q the likelihood, e the estimated share of wrong labels and K classes, a label is right with
        t = (q - e/(K-1)) / (1 - e - e/(K-1)) and wrong with (1 - t) e/(K-1), of which q is the sum. The odds
        of all are then multiplied by one number, so that the doubts add up to the share e of the rows.
        """
        q, share = self.likelihood, self.estimate[0]
        each = share / (len(self.classes) - 1)
        right = np.clip((q - each) / max(1 - share - each, 1e-9), 0.0, 1.0)
        wrong = (1 - right) * each
        doubt = wrong / np.maximum(wrong + (1 - share) * right, 1e-300)
        known = self.codes >= 0
        return _scaled(doubt, share * int(known.sum()), known)

    @property
    def rows(self) -> Ints:
        """Numbers of the rows for which another label is believed, the least likely labels first."""
        order = np.argsort(self.likelihood, kind="stable")
        differs = (self.p[order] > self.likelihood[order, None]).any(axis=1)
        return order[differs]

    @property
    def estimate(self) -> tuple[float, float, float]:
        """Share of wrong labels, and the ends of a 95 % interval for it.

        It is how often the label differs from what is believed where that is surest: among the surest tenth
        of the rows, 500 at least, and up to half of them as long as it does not rise. There, hardly anything
        else than a wrong label makes a difference. It holds if labels are as often wrong elsewhere; the
        interval allows for chance alone.
        """
        known = np.flatnonzero(self.codes >= 0)
        surest = known[np.argsort(-self.p[known].max(axis=1), kind="stable")]
        differs = self.p[surest].argmax(axis=1) != self.codes[surest]
        n = min(max(round(SHARE_SURE * len(known)), LEAST_SURE), len(known))
        wrong = int(differs[:n].sum())
        step = n // 2
        while n + step <= len(known) // 2:
            more = int(differs[n : n + step].sum())
            if not _as_rare(more / step, wrong / n, step):
                break
            n, wrong = n + step, wrong + more
        return wrong / n, *_wilson(wrong, n)

    @property
    def n_unlabelled(self) -> int:
        """Rows that have no label, and are not judged."""
        return int((self.codes < 0).sum())

    @property
    def n_wrong(self) -> int:
        """Rows that are estimated to be wrong, at most as many as are in `rows`."""
        return min(round(self.estimate[0] * int((self.codes >= 0).sum())), len(self.rows))


def _all_rows(stream: Stream, rows: int | None) -> Block:
    blocks = list(stream.coded_blocks(10_000))
    if not blocks:
        raise StreamError("there are no rows")
    X, codes = (np.concatenate(part)[:rows] for part in zip(*blocks, strict=True))
    return np.ascontiguousarray(X), np.ascontiguousarray(codes)


def _usual_learners(n_rows: int, seed: int) -> list[Any]:
    from thalweg.learners import AdaptiveRandomForest, AdaptiveStacking, LogisticMixture

    if n_rows <= FEW_ROWS:
        return [AdaptiveStacking(random_state=seed)]
    return [AdaptiveRandomForest(n_members=20, random_state=seed), LogisticMixture()]


def _opinions(
    learners: Sequence[Any], X: Floats, codes: Ints, classes: Any, n_categories: Ints, seed: int
) -> Iterator[tuple[str, Floats]]:
    for learner in learners:
        for direction, p in read_both_ways(learner, X, codes, classes, n_categories):
            yield f"{type(learner).__name__} {direction}", p
    if len(X) <= FEW_ROWS:
        yield "forest of other rows", forest_of_others(X, codes, len(classes), n_categories, seed)


def _scaled(doubt: Floats, total: float, known: Mask) -> Floats:
    """Return probabilities whose odds are multiplied so that those of the known rows add up to a total."""
    doubt = np.clip(doubt, 1e-9, 1 - 1e-9)
    odds = doubt / (1 - doubt)
    low, high = -30.0, 30.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        scaled = odds * math.exp(middle)
        is_less = float((scaled / (1 + scaled))[known].sum()) < total
        low, high = (middle, high) if is_less else (low, middle)
    scaled = odds * math.exp(low)
    return scaled / (1 + scaled)


def _as_rare(share: float, usual: float, n: int) -> bool:
    """Whether a share among n is no more than chance allows above the usual one."""
    return share <= usual + math.sqrt(usual * (1 - usual) / n)


def _wilson(k: int, n: int) -> tuple[float, float]:
    """Return the ends of Wilson's 95 % interval for a share of which k of n were seen."""
    z = NORMAL_95 * NORMAL_95 / n
    middle = (k / n + z / 2) / (1 + z)
    half = math.sqrt((k / n * (1 - k / n) + z / 4) * z) / (1 + z)
    return max(middle - half, 0.0), min(middle + half, 1.0)
