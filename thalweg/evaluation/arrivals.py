"""When labels come: at once, late, or never, drawn by row number so that blocks change nothing."""

import numpy as np

from thalweg._parameters import is_whole, real_number, wrong
from thalweg.evaluation.loop import BOTH, LEARN, OBSERVE, PREDICT, Step

NEVER = np.iinfo(np.int64).max
_CHUNK = 4096


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


def steps_as_labels_come(blocks, arrivals, observes, total):
    """Yield the steps of test-then-train with the labels coming as `arrivals` says.

    Rows are put together as far as nothing is learned or observed between them.
    """
    start, waiting = 0, None
    for X, codes in blocks:
        rows = np.arange(start, start + len(X))
        comes = np.where(codes >= 0, arrivals.of(start, len(X)), NEVER)
        start += len(X)
        if total is not None:
            comes[comes >= total] = NEVER
        at_once = comes == rows
        late = comes[~at_once] if waiting is None else np.append(waiting[2], comes[~at_once])
        busy = np.zeros(len(X), dtype=bool)
        busy[late[late < start] - rows[0]] = True
        both = at_once & ~busy
        pool = _joined(waiting, X[~both], codes[~both], comes[~both])
        now = pool[2] < start
        waiting = tuple(part[~now & (pool[2] < NEVER)] for part in pool)
        order = np.flatnonzero(now)[np.argsort(pool[2][now], kind="stable")]
        due = [part[order] for part in pool]
        yield from _block_steps(X, codes, rows, both, ~at_once & observes, busy, due)


def _block_steps(X, codes, rows, both, observed, busy, due):
    """Yield a block's steps: `both` marks rows learned at once, `busy` those after which late labels come."""
    due_X, due_codes, due_rows = due
    cut = observed | busy
    cut[:-1] |= both[:-1] != both[1:]
    cut[-1:] = True
    last = np.flatnonzero(cut)
    due_stop = np.searchsorted(due_rows, rows[last], side="right")
    first = due_first = 0
    for stop, together, seen, due_end in zip(
        (last + 1).tolist(), both[last].tolist(), observed[last].tolist(), due_stop.tolist(), strict=True
    ):
        yield Step(BOTH if together else PREDICT, X[first:stop], codes[first:stop])
        if seen:
            yield Step(OBSERVE, X[stop - 1 : stop])
        if due_end > due_first:
            yield Step(LEARN, due_X[due_first:due_end], due_codes[due_first:due_end])
        first, due_first = stop, due_end


def _joined(waiting, *parts):
    if waiting is None or not len(waiting[0]):
        return parts
    return tuple(np.concatenate(pair) for pair in zip(waiting, parts, strict=True))


def _whole_rows(drawn):
    drawn = np.maximum(np.ceil(np.asarray(drawn, dtype=float)), 0)
    if np.isnan(drawn).any():
        raise ValueError("delay drew NaN: check the parameters of the distribution")
    waits = np.full(len(drawn), NEVER)
    ends = drawn < 2**62
    waits[ends] = drawn[ends]
    return waits
