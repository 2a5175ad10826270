"""When labels come: at once, late or never. Draws depend only on the row number, not on the blocks."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._parameters import is_whole, real_number, whole_number, wrong
from thalweg._types import Block, Floats, Ints, Mask, Numbers
from thalweg.evaluation.sparse_blocks import WaitingSparse, interleaved
from thalweg.evaluation.steps import Step
from thalweg.waiting import WaitingRows

NEVER = np.iinfo(np.int64).max
ENDLESS = 2**62  # rows
_CHUNK = 4096
_NEAR = 16_384


class Distribution(Protocol):
    """A frozen distribution of scipy.stats."""

    def rvs(self, size: int, random_state: Any) -> Any:
        """Draw `size` numbers."""


class Arrivals:
    """For each row the row after whose prediction its label comes; NEVER if it does not come.

    Parameters
    ----------
    delay : int or frozen scipy.stats distribution
        Number of rows by which labels are late. Draws are rounded up; negative ones count as 0; 2**62 and
        more as never.
    label_share : float
        Share of the labels that come.
    seed : int
        Seed of both draws. Every 4,096 rows have their own random generator.
    """

    def __init__(self, delay: int | Distribution, label_share: float, seed: int) -> None:
        family = _family(delay)
        if not (hasattr(delay, "rvs") or (is_whole(delay) and delay >= 0)) or family:
            wanted = "a whole number of rows, at least 0, or a frozen scipy.stats distribution"
            hint = f", with its parameters, such as stats.{family}(…)" if family else ""
            raise wrong("prequential", "delay", wanted + hint, delay)
        self.delay, self.seed = delay, whole_number("prequential", "seed", seed, 0)
        self.label_share = real_number("prequential", "label_share", label_share, least=0, most=1)
        self._number = -1
        self._waits = np.empty(0, dtype=np.int64)

    def of(self, start: int, n: int) -> NDArray[np.int64]:
        """Return when the labels of the rows from `start` to `start + n` come."""
        rows = np.arange(start, start + n, dtype=np.int64)
        if self.label_share == 1 and not hasattr(self.delay, "rvs"):
            return rows + int(self.delay) if self.delay < ENDLESS else np.full(n, NEVER)
        parts, row = [], start
        while row < start + n:
            number, offset = divmod(row, _CHUNK)
            parts.append(self._chunk(number)[offset : offset + start + n - row])
            row += len(parts[-1])
        waits = np.concatenate(parts) if parts else rows
        return np.where(waits == NEVER, NEVER, rows + np.where(waits == NEVER, 0, waits))

    def _chunk(self, number: int) -> NDArray[np.int64]:
        if number != self._number:
            rng = np.random.default_rng([self.seed, number])
            comes = rng.random(_CHUNK) < self.label_share
            if hasattr(self.delay, "rvs"):
                waits = _whole_rows(self.delay.rvs(size=_CHUNK, random_state=rng))
            else:
                waits = np.full(_CHUNK, self.delay if self.delay < ENDLESS else NEVER, dtype=np.int64)
            self._number, self._waits = number, np.where(comes, waits, NEVER)
        return self._waits


class LabelsUnderWay:
    """Labels that have not come yet, as rows of (row after which it comes, its own row, code).

    Those that come within the next 16,384 rows are kept separately, so that a block does not search the rest.
    """

    def __init__(self) -> None:
        self._near = np.empty((0, 3), dtype=np.int64)
        self._far = [self._near]
        self._horizon = 0

    def add(self, comes: NDArray[np.int64], rows: NDArray[np.int64], codes: Ints) -> None:
        """Add labels that will come later."""
        lines = np.column_stack([comes, rows, codes])
        near = comes < self._horizon
        self._near = np.concatenate([self._near, lines[near]])
        self._far.append(lines[~near])

    def pop(self, stop: int) -> NDArray[np.int64]:
        """Remove the labels that come before row `stop`; return them in order of arrival, then of rows."""
        if stop > self._horizon:
            self._horizon = stop + _NEAR
            far = np.concatenate(self._far)
            near = far[:, 0] < self._horizon
            self._near, self._far = np.concatenate([self._near, far[near]]), [far[~near]]
        comes = self._near[:, 0] < stop
        popped, self._near = self._near[comes], self._near[~comes]
        return popped[np.lexsort((popped[:, 1], popped[:, 0]))]


def steps_as_labels_come(
    blocks: Iterable[Block],
    arrivals: Arrivals,
    observes: bool,
    total: int | None,
    waiting: WaitingRows | WaitingSparse,
) -> Iterator[Step]:
    """Yield the steps of test-then-train for labels that come when `arrivals` says.

    A block is one step: its rows are tested and, in between, earlier rows are learned when their labels come.
    If the learner observes, a row whose label does not come at once is observed after its test, and rows have
    ids: their numbers, or -1, -2, … where the label comes at once and the row is not observed. Rows are kept
    in `waiting` until their labels come.
    """
    start, under_way = 0, LabelsUnderWay()
    for X, codes in blocks:
        rows = np.arange(start, start + len(X), dtype=np.int64)
        comes = np.where(codes >= 0, arrivals.of(start, len(X)), NEVER)
        start += len(X)
        if total is not None:
            comes[comes >= total] = NEVER
        late, coming = comes != rows, comes < NEVER
        if not len(waiting) and not (late & (observes | coming)).any():
            untested, ids = np.zeros(len(X), dtype=bool), -1 - rows if observes else None
            yield _step(X, codes, ids, ~untested, coming, untested)
            continue
        under_way.add(comes[coming], rows[coming], codes[coming])
        due = under_way.pop(start)
        # A row is learned right after its test, unless labels of older rows come at the same time.
        first = np.diff(due[:, 0], prepend=-1) > 0
        at_once = first & (due[:, 0] == due[:, 1])
        both = np.zeros(len(X), dtype=bool)
        both[due[at_once, 1] - rows[0]] = True
        kept = coming & ~both
        waiting.add(X[kept], ids=rows[kept], now=rows[kept])
        yield _block_step(X, codes, rows, both, late, observes, due[~at_once], waiting)


def _block_step(
    X: Floats,
    codes: Ints,
    rows: NDArray[np.int64],
    both: Mask,
    late: Mask,
    observes: bool,
    due: NDArray[np.int64],
    waiting: WaitingRows | WaitingSparse,
) -> Step:
    """Return the step of a block; `both` marks rows learned at once, `due` are the labels that come late."""
    tested_at = np.arange(len(X)) + np.searchsorted(due[:, 0], rows)
    learned_at = np.arange(len(due)) + due[:, 0] - rows[0] + 1
    n = len(X) + len(due)
    all_X = interleaved([X, waiting.resolve(due[:, 1]).X], [tested_at, learned_at])
    all_codes = np.empty(n, dtype=np.int64)
    all_codes[tested_at], all_codes[learned_at] = codes, due[:, 2]
    ids = np.empty(n, dtype=np.int64) if observes else None
    if ids is not None:
        ids[tested_at] = np.where(late, rows, -1 - rows)
        ids[learned_at] = np.where(due[:, 0] > due[:, 1], due[:, 1], -1 - due[:, 1])
    tested, learned, observed = np.zeros((3, n), dtype=bool)
    tested[tested_at] = learned[learned_at] = learned[tested_at[both]] = True
    observed[tested_at[late & observes]] = True
    return _step(all_X, all_codes, ids, tested, learned, observed)


def _step(X: Floats, codes: Ints, ids: Numbers | None, *masks: Mask) -> Step:
    """Return a Step, with True or False instead of masks that are constant."""
    tested, learned, observed = (
        bool(mask[0]) if mask.all() or not mask.any() else mask for mask in masks
    )
    return Step(X, codes, tested, learned, observed, ids=ids)


def _family(distribution: Any) -> str:
    """Return the name of a family of distributions of scipy.stats that lacks its parameters; else nothing."""
    if not hasattr(distribution, "freeze"):
        return ""
    from scipy import stats

    name = str(distribution.name)
    return name if distribution.numargs > 0 or getattr(stats, name, None) is distribution else ""


def _whole_rows(drawn: ArrayLike) -> NDArray[np.int64]:
    rows: Floats = np.maximum(np.ceil(np.asarray(drawn, dtype=np.float64)), 0)
    if np.isnan(rows).any():
        raise ValueError("a delay is NaN: check the parameters of the distribution")
    waits = np.full(len(rows), NEVER)
    ends = rows < ENDLESS
    waits[ends] = rows[ends]
    return waits
