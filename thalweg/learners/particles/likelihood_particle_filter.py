"""The conventional particle filter, which weighs particles by likelihood, for comparison."""

from thalweg._types import RandomState
from thalweg.learners.particles.particle_filter import Boundary, ParticleFilter, Start


class LikelihoodParticleFilter(ParticleFilter):
    """The conventional auxiliary filter: particles are weighed by the likelihood of the labels.

    For comparison with `ParticleFilter`, which counts hits instead: wrong labels far from the boundary weigh
    much in a likelihood, and on noisy circles it is no better than guessing.

    Parameters
    ----------
    n_particles, spread, batch_size, boundary, start, n_jobs, random_state
        As those of `ParticleFilter`.

    Attributes
    ----------
    coef_, intercept_, coefficients_, particles_, coefficient_spread_
        As those of `ParticleFilter`; all particles are kept, and `coefficients_` is their weighted mean.

    References
    ----------
    Fok, An, Wang: Mining evolving data streams with particle filters. Technical report CSE-2013-11, York
    University, 2013. Appendix B.

    Examples
    --------
    >>> from thalweg.learners import LikelihoodParticleFilter
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(scaled=True, seed=1).blocks(5000))
    >>> p = LikelihoodParticleFilter().begin(3, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.83
    """

    scoring = "likelihood"

    def __init__(
        self,
        n_particles: int = 100,
        spread: float = 0.1,
        *,
        batch_size: int = 24,
        boundary: Boundary = "linear",
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
