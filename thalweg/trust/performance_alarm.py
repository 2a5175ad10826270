"""PerformanceAlarm: accuracy has fallen by more than x, and is that chance?"""

import copy
import math

import numpy as np
from numpy.typing import ArrayLike

from thalweg._parameters import count, real_number
from thalweg._sklearn import BaseEstimator
from thalweg._stateful import Stateful, check_alike
from thalweg._types import Floats, State
from thalweg.errors import StateError

STEP = 32  # rows between two looks, and between two rows at which a fall may begin
GAPS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)  # how far below the limit accuracy may be: bets on each
FOR_REFERENCE = 0.25  # part of the rate of false alarms for the error of a reference taken from rows
MOST_BET = 0.99  # of what a right answer may cost
MOST_EXPONENT = 600.0
HALVINGS = 60


class PerformanceAlarm(Stateful, BaseEstimator):
    """Says when accuracy has fallen by more than `drop`, with a stated rate of false alarms over all time.

    The alarm is raised if the rows cannot be explained by any accuracies, changing as they like, that are
    never below reference - drop. A stream for which that holds ever gets an alarm with a probability of at
    most `false_alarms`, however long it is and however often one looks. A fall that comes late is found
    too, though it needs somewhat more rows. The alarm stays until `reset`.

    The answers must be scored in the order in which they are given, and the conditional chance of a right
    answer must not be below the limit; they need not be independent. Estimates must be unbiased, with normal
    errors of the stated size that do not depend on each other; of rows with an estimate and a label, give
    one of the two.

    Memory: constant. Answers are looked at every 32 rows.

    Parameters
    ----------
    drop : float, default=0.05
        How far accuracy may fall (x): by 5 points.
    false_alarms : float, default=0.01
        Share of streams without such a fall that ever get an alarm (α).
    reference : float or None, default=None
        The accuracy before, if it is known. By default it is that of the first `reference_rows` answers; a
        quarter of `false_alarms` then pays for its error: its lower confidence bound is the reference.
    reference_rows : int, default=2000
        How many answers the reference is taken from. Independent ones are assumed.

    Attributes
    ----------
    alarm_ : bool
        Whether accuracy has fallen.
    alarm_row_ : int or None
        Number of rows when the alarm was raised.
    fallen_since_ : int or None
        The row since when accuracy is probably below the limit, counted from 0.
    accuracy_since_ : float or None
        Mean accuracy from that row to the alarm; somewhat too low, as rows were chosen for being bad.
    p_value_ : float
        A bound for the probability that a stream without such a fall ever looks as bad as this one did.
    reference_, limit_ : float or None
        The accuracy before, and the accuracy below which there is an alarm; None until it is known.
    n_rows_ : int
        Rows so far.

    Notes
    -----
    For a limit b and a gap g, let λ = g/(b (1 - b)). Rows with scores x from 0 to 1 multiply the evidence for
    a fall that began at row k by

        1 + λ (b - x),   or, for an estimate a with standard error s,   exp(g (b - a)/s² - g²/(2 s²)),   (1)

    both of which have mean at most 1 if accuracy is at least b. The evidence in all is the mean over the gaps
    and over all k, 32 rows apart, the i-th with the weight h(i) - h(i + 1), h(i) = 1/(1 + ln i). It is a
    nonnegative supermartingale from 1, so by Ville's inequality it ever exceeds 1/α with a probability of at
    most α. The lower bound r of a reference m of n rows solves n KL(m, r) = ln(1/δ) (Hoeffding).

    References
    ----------
    J. Shin, A. Ramdas, A. Rinaldo. E-detectors: a nonparametric framework for sequential change detection.
    New England Journal of Statistics in Data Science, 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from thalweg.trust import PerformanceAlarm
    >>> rng = np.random.default_rng(0)
    >>> right = rng.random(8000) < np.where(np.arange(8000) < 5000, 0.9, 0.75)
    >>> alarm = PerformanceAlarm(drop=0.05, reference=0.9)
    >>> alarm.update(right)
    True
    >>> print(alarm)
    accuracy has fallen by more than 5 points since row 4,992
    """

    _kind = ""

    def __init__(
        self,
        drop: float = 0.05,
        false_alarms: float = 0.01,
        *,
        reference: float | None = None,
        reference_rows: int = 2000,
    ) -> None:
        self.drop = drop
        self.false_alarms = false_alarms
        self.reference = reference
        self.reference_rows = reference_rows

    def reset(self) -> None:
        """Forget all rows and the alarm, and what the reference was taken from."""
        self._own_lock().renew()
        with self._lock.write:
            vars(self).pop("_memory", None)

    def update(self, right: ArrayLike) -> bool:
        """Process answers, right or wrong, or scores from 0 to 1; return whether there is an alarm."""
        scores = self._checked(right)
        with self._own_lock().write:
            return self._all_or_nothing(self._update, scores)

    def update_estimate(self, accuracy: float, standard_error: float, n_rows: int) -> bool:
        """Process an estimate of the accuracy of the next `n_rows` rows; return whether there is an alarm.

        Needs a reference: a parameter, or enough known answers before.
        """
        accuracy = real_number(self, "accuracy", accuracy)
        error = real_number(self, "standard_error", standard_error, above=0)
        n_rows = count(self, "n_rows", n_rows, 1)
        with self._own_lock().write:
            return self._all_or_nothing(self._update_estimate, accuracy, error, n_rows)

    @property
    def alarm_(self) -> bool:
        """Whether accuracy has fallen."""
        return self.alarm_row_ is not None

    @property
    def alarm_row_(self) -> int | None:
        """Number of rows when the alarm was raised."""
        row = self._current()["alarm_row"]
        return None if row < 0 else row

    @property
    def fallen_since_(self) -> int | None:
        """The row since when accuracy is probably below the limit."""
        memory = self._current()
        return None if memory["alarm_row"] < 0 else int(memory["since"][_surest(memory)])

    @property
    def accuracy_since_(self) -> float | None:
        """Mean accuracy from that row to the alarm."""
        since = self.fallen_since_
        if since is None:
            return None
        memory = self._current()
        return float(memory["sums"][_surest(memory)] / (memory["alarm_row"] - since))

    @property
    def p_value_(self) -> float:
        """A bound for the probability that a stream without a fall ever looks as bad."""
        usable = 1.0 if self.reference is not None else 1 - FOR_REFERENCE
        return min(1.0, 1 / self._current()["peak"] / usable)

    @property
    def reference_(self) -> float | None:
        """The accuracy before."""
        found = self._current()["reference"]
        return None if math.isnan(found) else found

    @property
    def limit_(self) -> float | None:
        """The accuracy below which there is an alarm."""
        found = self._current()["limit"]
        return None if math.isnan(found) else found

    @property
    def n_rows_(self) -> int:
        """Rows so far."""
        memory = self._current()
        return int(memory["n_done"] + len(memory["waiting"]))

    def __str__(self) -> str:
        fall = f"fallen by more than {100 * self.drop:.3g} points"
        since = self.fallen_since_
        return f"accuracy has not {fall}" if since is None else f"accuracy has {fall} since row {since:,}"

    def _update(self, scores: Floats) -> bool:
        memory = self._current()
        waiting = np.concatenate([memory["waiting"], scores])
        if math.isnan(memory["limit"]):
            if len(waiting) < self.reference_rows:
                self._memory = memory | {"waiting": waiting}
                return False
            used, waiting = waiting[: self.reference_rows], waiting[self.reference_rows :]
            mean = math.fsum(used.tolist()) / len(used)
            bound = lower_bound(mean, len(used), FOR_REFERENCE * self.false_alarms)
            memory |= {"reference": mean, "limit": bound - self.drop, "n_done": len(used)}
        n_whole = len(waiting) // STEP * STEP
        self._add_scores(memory, waiting[:n_whole].reshape(-1, STEP))
        self._memory = memory | {"waiting": waiting[n_whole:].copy()}
        return bool(memory["alarm_row"] >= 0)

    def _update_estimate(self, accuracy: float, error: float, n_rows: int) -> bool:
        memory = self._current()
        limit = memory["limit"]
        if math.isnan(limit):
            hint = f"it needs a reference: give one, or {self.reference_rows:,} known answers first"
            raise ValueError(f"{self._who}: {hint}")
        if len(memory["waiting"]):
            self._add_scores(memory, memory["waiting"][None])
            memory["waiting"] = np.empty(0)
        gaps = np.array(GAPS)
        evidence = (gaps * (limit - accuracy) - gaps**2 / 2) / error**2  # (1)
        self._add(memory, evidence[None], n_rows, [accuracy * n_rows])
        self._memory = memory
        return bool(memory["alarm_row"] >= 0)

    def _add_scores(self, memory: State, scores: Floats) -> None:
        """Add scores of shape (steps, rows of a step)."""
        limit, n_rows = memory["limit"], scores.shape[1]
        evidence = np.zeros((len(scores), len(GAPS)))
        if limit > 0:
            bets = np.minimum(np.array(GAPS) / limit, MOST_BET) / (1 - limit)
            n_right = scores.sum(axis=1)[:, None]
            evidence[:] = n_right * np.log1p(bets * (limit - 1)) + (n_rows - n_right) * np.log1p(bets * limit)
            for i in np.flatnonzero(((scores > 0) & (scores < 1)).any(axis=1)):
                evidence[i] = np.log1p(bets[:, None] * (limit - scores[i])).sum(axis=1)  # (1)
        self._add(memory, evidence, n_rows, scores.sum(axis=1).tolist())

    def _add(self, memory: State, evidence: Floats, n_rows: int, totals: list[float]) -> None:
        """Multiply what speaks for a fall by that of each step, in logarithms; look whether it is enough."""
        names = ("evidence", "best", "sums", "since")
        amounts, best, sums, since = (memory[name].tolist() for name in names)
        share = 1.0 if self.reference is not None else 1 - FOR_REFERENCE
        done, first, peak = memory["n_done"], memory["n_starts"], memory["peak"]
        enough = 1 / (share * self.false_alarms)
        steps = [] if memory["alarm_row"] >= 0 else np.minimum(evidence, MOST_EXPONENT).tolist()
        for step, total in zip(steps, totals[: len(steps)], strict=True):
            first += 1
            rest = left(first + 1)
            weight = (left(first) - rest) / len(GAPS)
            for j, amount in enumerate(step):
                amounts[j] = (amounts[j] + weight) * math.exp(amount)
                if best[j] <= 0:
                    best[j], sums[j], since[j] = 0.0, 0.0, done
                best[j] += amount
                sums[j] += total
            peak = max(peak, min(sum(amounts) + rest, 1e300))
            done += n_rows
            if peak >= enough:
                memory["alarm_row"] = done
                break
        kept = zip(names, (amounts, best, sums, since), strict=True)
        memory |= {name: np.array(value) for name, value in kept}
        memory |= {"n_starts": first, "peak": peak, "n_done": memory["n_done"] + len(totals) * n_rows}

    def _current(self) -> State:
        """Return a copy of the memory, whose parts are replaced and never changed."""
        if "_memory" not in vars(self):
            return self._fresh()
        return self._memory.copy()

    def _fresh(self) -> State:
        drop = real_number(self, "drop", self.drop, above=0, below=1)
        real_number(self, "false_alarms", self.false_alarms, above=0, below=1)
        count(self, "reference_rows", self.reference_rows, 1)
        reference = math.nan
        if self.reference is not None:
            reference = real_number(self, "reference", self.reference, least=0, most=1)
        zeros = np.zeros(len(GAPS))
        return {
            "waiting": np.empty(0), "n_done": 0, "n_starts": 0, "alarm_row": -1, "reference": reference,
            "limit": reference - drop, "peak": 1.0, "evidence": zeros, "best": zeros, "sums": zeros,
            "since": np.zeros(len(GAPS), dtype=np.intp),
        }  # fmt: skip

    def _checked(self, right: ArrayLike) -> Floats:
        try:
            scores = np.atleast_1d(np.asarray(right, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self._who}: answers must be True, False or numbers: {error}") from None
        if scores.ndim != 1:
            raise ValueError(f"{self._who}: expected answers in one dimension, got shape {scores.shape}")
        good = (scores >= 0) & (scores <= 1)
        if not good.all():
            place = int(np.argmin(good))
            raise ValueError(
                f"{self._who}: an answer must be between 0 and 1, got {scores[place]} at position {place}"
            )
        return scores

    def _content(self) -> State:
        return {"parameters": self.get_params(deep=False), "memory": copy.deepcopy(self._current())}

    def _set_content(self, state: State) -> None:
        parameters = dict(state["parameters"])
        check_alike(dict.fromkeys(parameters), dict.fromkeys(self.get_params(deep=False)), "parameters")
        vars(self).update(parameters)
        memory, fresh = copy.deepcopy(state["memory"]), self._fresh()
        check_alike(memory, fresh, "memory")
        for name in ("evidence", "best", "sums", "since"):
            if memory[name].shape != fresh[name].shape:
                raise StateError(f"the state's memory[{name!r}] must have {len(GAPS)} numbers")
        self._memory = memory


def left(start: int) -> float:
    """Return the weight of the `start`-th row at which a fall may begin, from 1, and of all later ones."""
    return 1 / (1 + math.log(start))


def lower_bound(mean: float, n_rows: int, chance: float) -> float:
    """Return the lowest accuracy for which a mean of `n_rows` rows is that high with at least this chance."""
    most = math.log(1 / chance) / n_rows
    if mean <= 0:
        return 0.0
    low, high = 0.0, mean
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        too_low = middle <= 0 or _divergence(mean, middle) > most
        low, high = (middle, high) if too_low else (low, middle)
    return low


def _divergence(mean: float, low: float) -> float:
    """Return the Kullback-Leibler divergence of two chances."""
    right = mean * math.log(mean / low)
    return right if mean >= 1 else right + (1 - mean) * math.log((1 - mean) / (1 - low))


def _surest(memory: State) -> int:
    """Return the gap for which there is most evidence."""
    return int(np.argmax(memory["evidence"]))
