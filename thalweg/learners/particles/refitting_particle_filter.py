"""A particle filter for many inputs: a drift makes it fit the batch and keep the inputs that matter."""

from collections.abc import Sequence
from typing import Any

from thalweg._parameters import real_number
from thalweg._types import RandomState
from thalweg.learners.particles.particle_filter import ParticleFilter, Start


class RefittingParticleFilter(ParticleFilter):
    """A `ParticleFilter` for ten or more inputs: a batch that it predicts badly is fitted directly.

    If the centre gets fewer than `refit_below` of a batch's rows right after learning it, a ridge logistic
    fit to the batch replaces it, and inputs whose coefficients have p ≥ 0.05 are left out until the next
    refit. So the search is in few dimensions. Where labels are noisier than `refit_below` allows it refits
    all the time and is a logistic regression on each batch: set it well below the accuracy you expect.

    Parameters
    ----------
    n_particles, spread, batch_size, form, start, n_jobs, random_state
        As those of `ParticleFilter`; its batches have 50 rows, as a fit needs them.
    refit_below : float
        Share of a batch's rows, between 0 and 1 (paper: 0.75).

    Attributes
    ----------
    coef_, intercept_, coefficients_, particles_, coefficient_spread_
        As those of `ParticleFilter`; 0 for an input that is left out.

    Differs from the paper
    ----------------------
    The fit has a ridge, as a batch can be separable; the intercept is never dropped; a refit that finds no
    coefficient significant is not used.

    References
    ----------
    Fok, An, Wang: Mining evolving data streams with particle filters. Technical report CSE-2013-11, York
    University, 2013. Appendix C.

    Examples
    --------
    >>> from thalweg.learners import RefittingParticleFilter
    >>> from thalweg.streams import Hyperplane
    >>> X, y = next(Hyperplane(seed=1).blocks(5000))
    >>> learner = RefittingParticleFilter().begin(10, [0, 1])
    >>> p = learner.test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.89
    """

    def __init__(
        self,
        n_particles: int = 100,
        spread: float = 0.1,
        *,
        batch_size: int = 50,
        form: str | Sequence[str] = "tracking",
        refit_below: float = 0.75,
        start: Start = "normal",
        n_jobs: int | None = 1,
        random_state: RandomState = 0,
    ) -> None:
        super().__init__(
            n_particles,
            spread,
            batch_size=batch_size,
            boundary="linear",
            form=form,
            start=start,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.refit_below = refit_below

    def _settings(self) -> dict[str, Any]:
        refit_below = real_number(self, "refit_below", self.refit_below, above=0, below=1)
        return super()._settings() | {"refit_below": refit_below}
