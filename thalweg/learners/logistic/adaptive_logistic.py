"""Logistic regression that forgets, at a rate that is fixed, tuned row by row or learned."""

from typing import Any

import numpy as np

from thalweg._parameters import is_whole, one_of, real_number, wrong, yes_or_no
from thalweg._types import Floats, State
from thalweg.learners.base.one_hot import NativeOneHot
from thalweg.learners.logistic._native.adaptive_logistic import LogisticKernel

UNSURE = 0.3  # variance of the coefficients of a copy that is less sure
MOST_ROWS = 100.0  # that its means and deviations of the inputs count for
DECAYS = {"tuned": 0.98, "adaptive": 0.9, "rprop": 0.9, "fixed": 0.98, "none": 1.0}


class LogisticFilters(NativeOneHot):
    """What learners made of recursive logistic filters have in common."""

    takes_missing = True
    standardise: bool
    guard: float | None
    prior: float
    time_column: int | str | None
    _kernel: LogisticKernel

    @property
    def n_restarts_(self) -> int:
        """How often a filter had to start again because its numbers had left the range of a double."""
        return int(self._copied("restarts")[0].sum())

    def _coefficients(self) -> tuple[Floats, Floats]:
        arrays, time = self._kernel.arrays, self._kernel.time
        beta = arrays["beta"].reshape(len(arrays["beta"]), len(arrays["share"]), -1)
        beta = np.einsum("jmk,m->kj", beta, arrays["share"])
        coef, intercept = beta[:, :-1].copy(), beta[:, -1].copy()
        if self.standardise:
            coef *= arrays["scale"]
            intercept -= coef @ arrays["mean"]
        return (coef if time < 0 else np.insert(coef, time, 0.0, axis=1)), intercept

    def _copied(self, *names: str) -> list[Any]:
        """Return copies of arrays of the kernel, all of the same moment."""
        with self._reading:
            return [self._kernel.arrays[name].copy() for name in names]

    def _less_sure(self) -> State:
        """Return arrays with the coefficients of all members together, each with the variance UNSURE."""
        arrays = {name: self._kernel.arrays[name].copy() for name in self._kernel.layout}
        beta, share = arrays["beta"], arrays["share"]
        members = beta.reshape(len(beta), len(share), -1)
        members[...] = np.einsum("jmk,m->jk", members, share)[:, None]
        share[...] = 1.0 / len(share)
        arrays["R"][...] = 0.0
        arrays["R"][np.cumsum(np.arange(1, len(beta) + 1)) - 1] = min(UNSURE, self.prior)
        np.minimum(arrays["count"], MOST_ROWS, out=arrays["count"])
        for name in ("S", "psi", "slope", "turn", "place", "restarts"):
            arrays[name][...] = 0
        if "clock" in arrays:
            arrays["clock"][...] = np.nan
        return arrays

    def _common_settings(self) -> dict[str, Any]:
        return {
            "standardise": yes_or_no(self, "standardise", self.standardise),
            "guard": 0.0 if self.guard is None else real_number(self, "guard", self.guard, above=0),
            "prior": real_number(self, "prior", self.prior, above=0),
            "indicators": self._indicators(),
            **self._time_settings(),
        }

    def _time_settings(self) -> dict[str, Any]:
        # The place of the time in a widened row, and those of indicators in a row without it.
        if self.time_column is None:
            return {}
        j = self._time_input()
        if j is None:
            return {"time": -1}
        if self.n_categories_[j]:
            raise wrong(self, "time_column", "an input that is a number, not a category", self.time_column)
        place = self.input_places().index((j, None))
        indicators = self._indicators()
        return {"time": place, "indicators": indicators - (indicators > place)}

    def _time_input(self) -> int | None:
        # Position of the time among the inputs; None while it may still come.
        given, names = self.time_column, self._names
        if isinstance(given, str):
            j = names.get(given, names.n_features)
        elif given is not None and is_whole(given) and given >= 0:
            j = int(given)
        else:
            raise wrong(self, "time_column", "the position of an input from 0, or its name", given)
        if j < names.n_features:
            return j
        if names.is_open:
            return None
        known = f" {list(names)}" if names else ", which have no names here; give a position"
        raise wrong(self, "time_column", f"among the {names.n_features} inputs{known}", given)


class AdaptiveLogistic(LogisticFilters):
    """Logistic regression that forgets: each row is one exact, weighted step, and old rows fade.

    A filter in the manner of recursive least squares: it needs no learning rate, takes O(p²) time and memory
    for p inputs, and gives probabilities that can be trusted. It is right where the boundary between the
    classes is roughly flat and moves; it cannot bend. Two classes share one filter; more have one each,
    joined by softmax; with link="probit" each tells its class from the rest, and its probabilities are
    scaled to sum 1.

    With tuned forgetting, the default, the past fades only where the row brings news: rows far from the
    boundary leave it alone. If you would rather not choose how fast to forget, take `LogisticMixture`.

    A row of weight v counts v times in the information; forgetting goes by rows, whatever they weigh. A
    missing value counts as its input's mean. Three or more categories are an input each, 0 or 1, at most 256
    of them in all (docs/logistic.md).

    Parameters
    ----------
    forgetting : {"tuned", "adaptive", "rprop", "fixed", "none"}
        How the past fades: by what a row brings (paper: TF), by a rate learned by gradient steps, or by
        RPROP's (AF), by a fixed rate (F), or not at all (On-line).
    decay : float, optional
        Share of the past's weight kept from row to row where forgetting is strongest (λ; λ* for "tuned";
        least λ for "adaptive" and "rprop"). By default 0.98, and 0.9 for "adaptive" and "rprop".
    bandwidth : float
        "tuned": how little news is enough to forget (h); near 0 nothing is forgotten.
    rate : float
        "adaptive": length of a gradient step (η; α in the text). "rprop": its first step.
    step : {"converged", "single"}
        "single" is the paper's one Newton step a row; "converged" goes on to the maximum, which costs a tenth
        more time and saves the filter from overshooting when a row surprises it.
    link : {"logit", "probit"}, default="logit"
        What turns a row's score z into a probability (Φ): the logistic function or the normal distribution
        function. The latter is surer of rows far from the boundary, and moves further when they surprise it.
    standardise : bool
        Measure inputs in running standard deviations from their running means, at most ten of them. The paper
        takes them as they are.
    guard : float or None
        Bound of a coefficient's variance (P) in directions that bring no news; None lets it grow without end,
        as in the paper.
    prior : float
        Variance of the coefficients at the beginning (P₀ = −prior·I).
    time_column : int or str, optional
        Position or name of an input that is the time of a row. The past then fades by time, not by rows: by
        λ to the power of the gap since the row before, so that `decay` belongs to one unit of the column. It
        is no input of the regression: its coefficient is 0. A row whose time is missing, or before the latest
        one, counts as of the latest; a millionth of the past outlasts any gap (docs/logistic.md).

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The coefficients for inputs as they are given: one row for two classes (the second one's), else one
        for each class. Scores are log-odds; with link="probit" they are in standard deviations of
        the normal distribution, and coefficients smaller.
    input_names_ : list of str
        What the columns of `coef_` belong to: the inputs' names, and for three or more categories one each.
    decay_ : ndarray
        The forgetting at the last row (λ), for each filter; with `time_column` of one unit of time.
    n_restarts_ : int
        How often a filter had to start again because its numbers had left the range of a double.

    Differs from the paper
    ----------------------
    The converged step, standardising, the guard, more than two classes, weights, missing values and times are
    ours; step="single", standardise=False, guard=None, prior=10 is the paper. It names the probit link, (1)
    and (5)–(6), and runs the logistic one only; with probit the curvature a is that of (5), which depends on
    the label. In its adaptive forgetting the sign of (21) and the missing a of (22)–(23) are put right. With
    the converged step tuned forgetting needs (26) no more, so one λ serves both sums. RPROP
    grows its steps by 1.2 and halves them, between 1e-6 and 5e-5; the paper does not say. Defaults were
    chosen on simulated streams.

    References
    ----------
    Anagnostopoulos, Tasoulis, Adams, Hand: Temporally adaptive estimation of logistic classifiers on data
    streams. Advances in Data Analysis and Classification, 2009.

    Examples
    --------
    >>> from thalweg.learners import AdaptiveLogistic
    >>> from thalweg.streams import DriftingGaussians
    >>> X, y = next(DriftingGaussians(kind="drift", seed=1).blocks(5000))
    >>> for forgetting in ("none", "tuned"):
    ...     p = AdaptiveLogistic(forgetting).begin(5, [0, 1]).test_then_train(X, y)
    ...     print(forgetting, round(float((p.argmax(axis=1) == y).mean()), 2))
    none 0.58
    tuned 0.78
    """

    def __init__(
        self,
        forgetting: str = "tuned",
        decay: float | None = None,
        *,
        bandwidth: float = 10.0,
        rate: float = 1e-5,
        step: str = "converged",
        link: str = "logit",
        standardise: bool = True,
        guard: float | None = 100.0,
        prior: float = 1.0,
        time_column: int | str | None = None,
    ) -> None:
        self.forgetting = forgetting
        self.decay = decay
        self.bandwidth = bandwidth
        self.rate = rate
        self.step = step
        self.link = link
        self.standardise = standardise
        self.guard = guard
        self.prior = prior
        self.time_column = time_column

    def _make_kernel(self, n_features: int, n_classes: int) -> LogisticKernel:
        decay = usual = DECAYS[one_of(self, "forgetting", self.forgetting, DECAYS)]
        if self.decay is not None:
            decay = real_number(self, "decay", self.decay, above=0, most=1)
        fades = self.forgetting != "none"
        return LogisticKernel(
            self._who,
            n_features,
            n_classes,
            kind=self.forgetting if fades else "fixed",
            least=[decay if fades else usual],
            bandwidth=real_number(self, "bandwidth", self.bandwidth, least=0),
            rate=real_number(self, "rate", self.rate, above=0),
            converged=one_of(self, "step", self.step, ("converged", "single")) == "converged",
            probit=one_of(self, "link", self.link, ("logit", "probit")) == "probit",
            discount=0.0,
            **self._common_settings(),
        )

    @property
    def decay_(self) -> Floats:
        """The forgetting at the last row, for each filter."""
        return self._copied("decay")[0]
