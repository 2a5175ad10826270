"""Which rows to ask a label for, within a budget."""

import copy
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from thalweg._parameters import is_whole, real_number, seed_of, whole_number
from thalweg._stateful import Stateful, check_alike
from thalweg._types import Floats, Mask, RandomState, State
from thalweg.drift.parameters import Parameters
from thalweg.trust._native.label_budget import LabelBudgetKernel

MOST_WINDOW, MOST_ADVANCE = 100_000, 10**9
_ROUNDING = 1e-6  # by which a probability may lie outside 0 to 1


class Asked(NamedTuple):
    """For each row whether its label is asked for, and the chance with which it was."""

    asked: Mask
    chances: Floats


class MeanEstimate(NamedTuple):
    """A mean over all rows, estimated from those asked for, and its standard error."""

    mean: float
    error: float


class LabelBudget(Stateful, Parameters):
    """LabelBudget: says which rows to ask a label for, so that a share of the labels helps most.

    Give it the probabilities that a model predicts. Rows among the most uncertain of late are preferred,
    whatever the scale of the probabilities; a part is asked for at random, so that rows which the model is
    wrongly sure of are still seen after a change. At every row at most `share` × (rows + `advance`) labels
    have been asked for, and in the end nearly all of these: the advance is spent at the start, where labels
    help most. Cutting rows into blocks in another way changes nothing.

    Uncertain rows are harder than others: the accuracy on rows asked for is too low. Each row therefore comes
    with the chance with which it was asked for, and `estimate` weighs it by the inverse of that. A chance is
    0 while the budget is used up, for some rows in a hundred; such rows are not represented.

    Memory: `window` numbers.

    Parameters
    ----------
    share : float, default=0.05
        Labels to ask for per row (B), above 0 and at most 1.
    random_share : float, default=0.2
        Part of the labels that is asked for at random (ε), 0 to 1; with 1, all of them.
    window : int, default=500
        Number of latest rows among which the uncertainty of a row is ranked.
    advance : int, default=1000
        Number of rows whose labels may be asked for ahead.
    random_state : int, None, Generator or RandomState, default=0
        Seed of the choice.

    Attributes
    ----------
    n_rows_, n_asked_ : int
        Rows so far, and labels asked for.
    share_so_far_ : float
        Labels asked for per row so far; NaN before the first row.
    credit_ : float
        How many labels may be asked for now: `share` × (`n_rows_` + `advance`) - `n_asked_`.

    References
    ----------
    I. Žliobaitė, A. Bifet, B. Pfahringer, G. Holmes. Active learning with drifting streaming data. IEEE
    Transactions on Neural Networks and Learning Systems 25, 2014: the problem, and rivals. D. G. Horvitz,
    D. J. Thompson. A generalization of sampling without replacement from a finite universe. Journal of the
    American Statistical Association 47, 1952; J. Hájek, 1971: the estimate.

    Examples
    --------
    >>> from thalweg.trust import LabelBudget
    >>> budget = LabelBudget(0.1, random_state=1)
    >>> asked, chances = budget.ask([[0.9, 0.1], [0.5, 0.5], [0.8, 0.2]] * 1000)
    >>> budget.n_asked_, budget.n_rows_
    (398, 3000)
    >>> print([int(asked[i::3].sum()) for i in range(3)])
    [37, 325, 36]
    """

    _kernel: LabelBudgetKernel

    def __init__(
        self, share: float = 0.05, *, random_share: float = 0.2, window: int = 500, advance: int = 1000,
        random_state: RandomState = 0,
    ) -> None:
        self.share = share
        self.random_share = random_share
        self.window = window
        self.advance = advance
        self.random_state = random_state

    def __repr__(self) -> str:
        usual = self._defaults() | {"share": None}
        changed = [f"{name}={x!r}" for name, x in self.get_params().items() if x != usual[name]]
        return f"LabelBudget({', '.join(changed)})"

    def ask(self, p: ArrayLike) -> Asked:
        """Decide for rows, one after another, by their predicted probabilities.

        Parameters
        ----------
        p : array of rows × classes
            What `predict_proba` returns; one row alone may be given as its probabilities.

        Returns
        -------
        Asked
            For each row whether to ask for its label, and the chance with which that was decided: both an
            array.
        """
        rows = self._checked(p)
        asked, chances = np.zeros(len(rows), dtype=np.uint8), np.empty(len(rows))
        with self._own_lock().write:
            self._handle().ask(rows, asked, chances)
        return Asked(asked.view(np.bool_), chances)

    def ask_one(self, p: ArrayLike | Mapping[Any, float]) -> tuple[bool, float]:
        """Decide for one row by its probabilities, or {class: probability}; return also the chance."""
        asked, chances = self.ask([list(p.values())] if isinstance(p, Mapping) else np.atleast_2d(p))
        if len(asked) != 1:
            raise ValueError(f"LabelBudget: ask_one takes one row, got {len(asked)}; call ask for several")
        return bool(asked[0]), float(chances[0])

    @staticmethod
    def estimate(values: ArrayLike, chances: ArrayLike) -> MeanEstimate:
        """Estimate the mean of a value from 0 to 1 over all rows from those that were asked for.

        Parameters
        ----------
        values : array of numbers
            A value for each row asked for, such as whether the answer was right; NaN where it is not known.
        chances : array of float
            The chance with which each of these rows was asked for.

        Returns
        -------
        MeanEstimate
            The mean weighted by 1 / chance, and its standard error; both NaN if there are no rows.

        Examples
        --------
        >>> mean, error = LabelBudget.estimate([True, False, True, True], [0.5, 0.5, 0.1, 0.2])
        >>> round(mean, 3), round(error, 3)
        (0.895, 0.165)
        """
        y, chance = (np.asarray(each, dtype=np.float64) for each in (values, chances))
        if y.ndim != 1 or y.shape != chance.shape:
            raise ValueError(f"LabelBudget: {y.shape} values and {chance.shape} chances; give one for each")
        if not ((y >= 0) & (y <= 1) | np.isnan(y)).all():
            raise ValueError("LabelBudget: a value must lie between 0 and 1, or be NaN")
        if not ((chance > 0) & (chance <= 1)).all():
            raise ValueError("LabelBudget: the chance of a row that was asked for lies above 0 and up to 1")
        sums = WeightedSums()
        for value, each in zip(y.tolist(), chance.tolist(), strict=True):
            if not math.isnan(value):
                sums.add(value, each)
        return sums.estimate()

    @property
    def n_rows_(self) -> int:
        """Rows so far."""
        return int(self._field("n_rows"))

    @property
    def n_asked_(self) -> int:
        """Labels asked for so far."""
        return int(self._field("n_asked"))

    @property
    def share_so_far_(self) -> float:
        """Labels asked for per row so far."""
        return self.n_asked_ / self.n_rows_ if self.n_rows_ else math.nan

    @property
    def credit_(self) -> float:
        """How many labels may be asked for now."""
        with self._own_lock().read:
            return self._current().due

    def reset(self) -> Self:
        """Forget all rows; return self."""
        self._own_lock().renew()
        with self._lock.write:
            self._kernel = self._new_kernel()
        return self

    def set_params(self, **params: Any) -> Self:
        """Set parameters and forget all rows; if one of them is unknown, do nothing. Return self."""
        with self._own_lock().write:
            self._all_or_nothing(super().set_params, **params)
            vars(self).pop("_kernel", None)
        return self

    def _checked(self, p: ArrayLike) -> Floats:
        try:
            rows = np.asarray(p, dtype=np.float64, order="C")
        except (TypeError, ValueError) as error:
            raise type(error)(f"LabelBudget: probabilities must be numbers: {error}") from None
        rows = rows[None, :] if rows.ndim == 1 else rows
        if rows.ndim != 2:
            raise ValueError(f"LabelBudget: expected rows × classes, got shape {rows.shape}")
        good = (rows >= -_ROUNDING) & (rows <= 1 + _ROUNDING)
        if not good.all():
            i, k = (int(place[0]) for place in np.nonzero(~good))
            raise ValueError(f"LabelBudget: {rows[i, k]} in row {i} is not a probability")
        return rows

    def _content(self) -> State:
        return {"parameters": copy.deepcopy(self.get_params()), "memory": self._current().state()}

    def _set_content(self, state: State) -> None:
        parameters = copy.deepcopy(state["parameters"])
        check_alike(dict.fromkeys(parameters), dict.fromkeys(self.get_params()), "parameters")
        vars(self).update(parameters)
        kernel = self._new_kernel()
        kernel.restore(state["memory"])
        self._kernel = kernel

    def _field(self, name: str) -> float:
        with self._own_lock().read:
            kernel = self._current()
            return float(getattr(kernel, name))

    def _current(self) -> LabelBudgetKernel:
        """Return the kernel, or a new one for a caller that may not write."""
        return vars(self).get("_kernel") or self._new_kernel()

    def _handle(self) -> LabelBudgetKernel:
        """Return the kernel, for a caller that holds the lock."""
        if "_kernel" not in vars(self):
            self._kernel = self._new_kernel()
        return self._kernel

    def _new_kernel(self) -> LabelBudgetKernel:
        share = real_number(self, "share", self.share, above=0, most=1)
        random_share = real_number(self, "random_share", self.random_share, least=0, most=1)
        window = whole_number(self, "window", self.window, 1, MOST_WINDOW)
        advance = whole_number(self, "advance", self.advance, 0, MOST_ADVANCE)
        seed, is_given = seed_of(self, self.random_state), is_whole(self.random_state)
        if seed >= 2**32:
            seed = int(np.random.SeedSequence(seed).generate_state(1)[0])
        return LabelBudgetKernel("LabelBudget", share, random_share, window, advance, seed, is_given)


class WeightedSums:
    """Sums over rows asked for, from which a mean and its standard error follow."""

    def __init__(self) -> None:
        self._rows = self._total = self._squares = 0.0
        self._noise = self._noisy_total = self._noisy_squares = 0.0

    def add(self, value: float, chance: float) -> None:
        """Add a row with the chance with which it was asked for."""
        noise = (1 - chance) / chance**2
        self._rows += 1 / chance
        self._total += value / chance
        self._squares += 1 / chance**2
        self._noise += noise
        self._noisy_total += noise * value
        self._noisy_squares += noise * value**2

    def estimate(self) -> MeanEstimate:
        """Return the mean; the errors of rows add up, since each is asked for by a draw of its own.

        A rare row of large weight may be missing, and the error would be too small. Two rows more of value 0
        and two of value 1, of a usual weight, make up for that (Agresti, Coull 1998, for equal weights).
        """
        if not self._rows:
            return MeanEstimate(math.nan, math.nan)
        weight = self._squares / self._rows
        rows = self._rows + 4 * weight
        mean = (self._total + 2 * weight) / rows
        square = self._noisy_squares - 2 * mean * self._noisy_total + mean**2 * self._noise
        square += 2 * weight**2 * ((1 - mean) ** 2 + mean**2) * self._noise / self._squares
        return MeanEstimate(self._total / self._rows, math.sqrt(max(square, 0.0)) / rows)
