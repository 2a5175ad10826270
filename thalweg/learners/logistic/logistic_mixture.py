"""Logistic regressions that forget at several rates, trusted by how well they do of late."""

from collections.abc import Sequence

import numpy as np

from thalweg._parameters import is_real, one_of, real_number, wrong
from thalweg._types import Floats
from thalweg.learners.logistic._native.adaptive_logistic import MOST_MEMBERS, LogisticKernel
from thalweg.learners.logistic.adaptive_logistic import LogisticFilters


class LogisticMixture(LogisticFilters):
    """Logistic regressions that forget at several rates at once, weighted by their recent log-loss.

    For the user who does not want to choose how fast to forget: on every simulated stream it came close to
    the best single rate, or beat it, at the cost of all of them together. Each member is an
    `AdaptiveLogistic` with fixed forgetting, and all share one standardising. Three or more categories are an
    input each, 0 or 1, at most 256 of them in all.

    Parameters
    ----------
    decays : sequence of float
        The members' forgetting: shares of the past's weight kept from row to row (λ).
    discount : float
        Share of a member's merits, the logarithms of its probabilities, kept from row to row.
    link : {"logit", "probit"}, default="logit"
        What turns a row's score into a probability, as in `AdaptiveLogistic`.
    standardise : bool
        Measure inputs in running standard deviations from their running means, at most ten of them.
    guard : float or None
        Bound of a coefficient's variance in directions that bring no news; None lets it grow without end.
    prior : float
        Variance of the coefficients at the beginning.
    time_column : int or str, optional
        Position or name of an input that is the time of a row, as in `AdaptiveLogistic`: `decays` then belong
        to one unit of it. The discount goes by rows.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The members' coefficients for inputs as they are given, averaged by `shares_`: one row for two classes
        (the second one's), else one for each class. The mixture's probabilities are averaged, not these, so
        they are near its answer where the members agree.
    input_names_ : list of str
        What the columns of `coef_` belong to: the inputs' names, and for three or more categories one each.
    shares_ : ndarray
        The weight of each member in the next prediction.
    n_restarts_ : int
        How often a filter had to start again because its numbers had left the range of a double.

    Notes
    -----
    A member's share is proportional to exp(Σ discountⁱ log pᵢ), pᵢ the probability it gave to the label i
    rows ago (at least 1e-4); i moves in steps of 8. Rates and discount were chosen on simulated streams.

    Examples
    --------
    >>> from thalweg.learners import LogisticMixture
    >>> from thalweg.streams import DriftingGaussians
    >>> X, y = next(DriftingGaussians(kind="drift", seed=1).blocks(5000))
    >>> learner = LogisticMixture().begin(5, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.8
    """

    def __init__(
        self,
        decays: Sequence[float] = (0.9995, 0.995, 0.97, 0.88),
        discount: float = 0.995,
        *,
        link: str = "logit",
        standardise: bool = True,
        guard: float | None = 100.0,
        prior: float = 1.0,
        time_column: int | str | None = None,
    ) -> None:
        self.decays = decays
        self.discount = discount
        self.link = link
        self.standardise = standardise
        self.guard = guard
        self.prior = prior
        self.time_column = time_column

    def _make_kernel(self, n_features: int, n_classes: int) -> LogisticKernel:
        return LogisticKernel(
            self._who,
            n_features,
            n_classes,
            kind="fixed",
            least=self._checked_decays(),
            bandwidth=0.0,
            rate=0.0,
            converged=True,
            probit=one_of(self, "link", self.link, ("logit", "probit")) == "probit",
            discount=real_number(self, "discount", self.discount, above=0, most=1),
            **self._common_settings(),
        )

    def _checked_decays(self) -> list[float]:
        decays = self.decays.tolist() if isinstance(self.decays, np.ndarray) else self.decays
        good = isinstance(decays, list | tuple) and 0 < len(decays) <= MOST_MEMBERS
        if not good or not all(is_real(decay) and 0 < decay <= 1 for decay in decays):
            wanted = f"a sequence of 1 to {MOST_MEMBERS} numbers above 0 and at most 1"
            raise wrong(self, "decays", wanted, self.decays)
        return [float(decay) for decay in decays]

    @property
    def shares_(self) -> Floats:
        """The weight of each member in the next prediction."""
        return self._copied("share")[0]
