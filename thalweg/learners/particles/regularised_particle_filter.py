"""RegPF-LR: a particle filter in which every coefficient's step finds its own size."""

from typing import Any

from thalweg._parameters import real_number, wrong
from thalweg._types import RandomState
from thalweg.learners.particles.particle_filter import Boundary, ParticleFilter, Start


class RegularisedParticleFilter(ParticleFilter):
    """RegPF-LR: a `ParticleFilter` in which the sizes of steps are particles too.

    Each coefficient of each particle has a spread of its own; spreads move by a log-normal hyperprior and
    survive with the particles that do best. For streams of which nobody knows how fast they change. Where 0.1
    is about right it is no better than the plain filter, and costs twice the random numbers. It is the
    paper's form, without the parts of the tracking one.

    Parameters
    ----------
    n_particles, spread, batch_size, boundary, start, n_jobs, random_state
        As those of `ParticleFilter`; `spread` is the one to begin with, and batches have 50 rows.
    spread_prior : (float, float)
        How much of its logarithm a spread keeps, the rest being the mean of all, and the standard deviation
        of its change (paper: a and h). Spreads stay within [0.001, 1].

    Attributes
    ----------
    coef_, intercept_, coefficients_, particles_, coefficient_spread_
        As those of `ParticleFilter`.

    Differs from the paper
    ----------------------
    The sign of (1 − a) in line 4 of its algorithm 3 is that of its equation 12: as printed, spreads run to 1.
    The paper takes 500 extra steps on the first batch, `start=("zeros", 500)`. They let coefficients grow so
    much that it cannot follow when all classes swap places, so they are not the default.

    References
    ----------
    Fok, An, Wang: Mining evolving data streams with particle filters. Technical report CSE-2013-11, York
    University, 2013. Appendix A.

    Examples
    --------
    >>> from thalweg.learners import RegularisedParticleFilter
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(scaled=True, seed=1).blocks(5000))
    >>> p = RegularisedParticleFilter().begin(3, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.87
    """

    def __init__(
        self,
        n_particles: int = 100,
        spread: float = 0.1,
        *,
        batch_size: int = 50,
        boundary: Boundary = "linear",
        spread_prior: Any = (0.98, 0.02),
        start: Start = "zeros",
        n_jobs: int | None = 1,
        random_state: RandomState = 0,
    ) -> None:
        super().__init__(
            n_particles,
            spread,
            batch_size=batch_size,
            boundary=boundary,
            form="published",
            start=start,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.spread_prior = spread_prior

    def _prior(self) -> tuple[float, float]:
        if not isinstance(self.spread_prior, list | tuple) or len(self.spread_prior) != 2:
            raise wrong(self, "spread_prior", "two numbers", self.spread_prior)
        pull, jitter = self.spread_prior
        pull = real_number(self, "the first of spread_prior", pull, least=0, most=1)
        return pull, real_number(self, "the second of spread_prior", jitter, least=0)
