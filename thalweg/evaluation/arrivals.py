"""When labels come: at once, late, or never, drawn by row number so that blocks change nothing."""

import numpy as np

from thalweg._parameters import is_whole, real_number, wrong
from thalweg.evaluation.loop import Step

NEVER = np.iinfo(np.int64).max
_CHUNK = 4096
_NEAR = 16_384


class Arrivals:
    """The row after whose prediction each row's label is there; NEVER if it does not come.

    Parameters
    ----------
    delay : int or frozen scipy.stats distribution
        Rows a label waits; draws are rounded up to whole rows, negative ones count as 0, infinite as never.
    labels : float
        Share of the labels that come at all.
    seed : int
        Seed of both draws. Each stretch of 4,096 rows has a random generator of its own.
    """

    def __init__(self, delay, labels, seed):
        if not (hasattr(delay, "rvs") or (is_whole(delay) and delay >= 0)):
            wanted = "a whole number of rows, at least 0, or a frozen scipy.stats distribution"
            raise wrong("prequential", "delay", wanted, delay)
        self.delay, self.seed = delay, seed
        self.labels = real_number("prequential", "labels", labels, least=0, most=1)
        self._number, self._waits = None, None

    def of(self, start, n):
        """Return when the labels of the rows `start` to `start + n` come."""
        rows = np.arange(start, start + n, dtype=np.int64)
        if self.labels == 1 and not hasattr(self.delay, "rvs"):
            return rows + int(self.delay)
        parts, row = [], start
        while row < start + n:
            number, offset = divmod(row, _CHUNK)
            parts.append(self._chunk(number)[offset : offset + start + n - row])
            row += len(parts[-1])
        waits = np.concatenate(parts) if parts else rows
        return np.where(waits == NEVER, NEVER, rows + np.where(waits == NEVER, 0, waits))

    def _chunk(self, number):
        if number != self._number:
            rng = np.random.default_rng([self.seed, number])
            comes = rng.random(_CHUNK) < self.labels
            if hasattr(self.delay, "rvs"):
                waits = _whole_rows(self.delay.rvs(size=_CHUNK, random_state=rng))
            else:
                waits = np.full(_CHUNK, self.delay, dtype=np.int64)
            self._number, self._waits = number, np.where(comes, waits, NEVER)
        return self._waits


class LabelsUnderWay:
    """Labels that have not come yet, as lines of (row after which it comes, its own row, code).

    Those that come within the next 16,384 rows are kept apart, so that a block does not look at all the rest.
    """

    def __init__(self):
        self._near = np.empty((0, 3), dtype=np.int64)
        self._far = [self._near]
        self._horizon = 0

    def add(self, comes, rows, codes):
        """Send labels on their way."""
        lines = np.column_stack([comes, rows, codes])
        near = comes < self._horizon
        self._near = np.concatenate([self._near, lines[near]])
        self._far.append(lines[~near])

    def pop(self, stop):
        """Remove those that come before row `stop`; return them, the first first, of equals by row."""
        if stop > self._horizon:
            self._horizon = stop + _NEAR
            far = np.concatenate(self._far)
            near = far[:, 0] < self._horizon
            self._near, self._far = np.concatenate([self._near, far[near]]), [far[~near]]
        comes = self._near[:, 0] < stop
        popped, self._near = self._near[comes], self._near[~comes]
        return popped[np.lexsort((popped[:, 1], popped[:, 0]))]


def steps_as_labels_come(blocks, arrivals, observes, total, waiting):
    """Yield the steps of test-then-train with the labels coming as `arrivals` says.

    A block is one step, in which rows are tested and, in between, earlier ones learned whose labels come;
    only if the learner observes, a step ends with each row whose label is not there at once. Rows are kept in
    `waiting` until their labels come.
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
            yield _step(X, codes, np.ones(len(X), dtype=bool), coming)
            continue
        under_way.add(comes[coming], rows[coming], codes[coming])
        due = under_way.pop(start)
        # A row is learned right after it is tested, unless older ones whose labels come then go first.
        first = np.diff(due[:, 0], prepend=-1) > 0
        at_once = first & (due[:, 0] == due[:, 1])
        both = np.zeros(len(X), dtype=bool)
        both[due[at_once, 1] - rows[0]] = True
        kept = coming & ~both
        waiting.add(X[kept], ids=rows[kept], now=rows[kept])
        yield from _block_steps(X, codes, rows, both, late & observes, due[~at_once], waiting)


def _block_steps(X, codes, rows, both, observed, due, waiting):
    """Yield the steps of a block: `both` marks rows learned at once, `due` are the labels that come late."""
    tested_at = np.arange(len(X)) + np.searchsorted(due[:, 0], rows)
    learned_at = np.arange(len(due)) + due[:, 0] - rows[0] + 1
    n = len(X) + len(due)
    all_X, all_codes = np.empty((n, X.shape[1])), np.empty(n, dtype=np.int64)
    all_X[tested_at], all_X[learned_at] = X, waiting.resolve(due[:, 1]).X
    all_codes[tested_at], all_codes[learned_at] = codes, due[:, 2]
    tested, learned = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    tested[tested_at] = learned[learned_at] = learned[tested_at[both]] = True
    first = 0
    for last in tested_at[observed].tolist():
        part = slice(first, last + 1)
        yield _step(all_X[part], all_codes[part], tested[part], learned[part])
        yield Step(all_X[last : last + 1])
        first = last + 1
    if first < n:
        yield _step(all_X[first:], all_codes[first:], tested[first:], learned[first:])


def _step(X, codes, *masks):
    """Return a Step, with one word for a mask that says the same of all rows."""
    return Step(X, codes, *(bool(mask[0]) if mask.all() or not mask.any() else mask for mask in masks))


def _whole_rows(drawn):
    drawn = np.maximum(np.ceil(np.asarray(drawn, dtype=float)), 0)
    if np.isnan(drawn).any():
        raise ValueError("delay drew NaN: check the parameters of the distribution")
    waits = np.full(len(drawn), NEVER)
    ends = drawn < 2**62
    waits[ends] = drawn[ends]
    return waits
