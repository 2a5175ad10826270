"""The particle filter: logistic regression by random steps, the best of which are kept."""

import os
from numbers import Integral, Real

import numpy as np

from thalweg._kernels.learner import PythonKernel
from thalweg._kernels.particle_filter import ParticleKernel
from thalweg.learners.native import NativeClassifier

STARTS = {"zeros": 0, "uniform": 1, "normal": 2}
AVERAGES = 3  # candidates beside the centre, of 4, 16 and 64 batches
MEMORY = 20  # batches standardising looks back on
WIDENING = 3.0  # of the spread, after an alarm


class ParticleFilter(NativeClassifier):
    """Logistic regression tracked by a cloud of particles."""

    def __init__(
        self,
        n_particles=100,
        spread=0.1,
        batch_size=50,
        boundary="linear",
        scoring="accuracy",
        spread_prior=None,
        start="normal",
        n_warmup=0,
        form="tracking",
        refit_below=None,
        n_jobs=1,
        random_state=0,
    ):
        self.n_particles = n_particles
        self.spread = spread
        self.batch_size = batch_size
        self.boundary = boundary
        self.scoring = scoring
        self.spread_prior = spread_prior
        self.start = start
        self.n_warmup = n_warmup
        self.form = form
        self.refit_below = refit_below
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_kernel(self, n_features, n_classes):
        if callable(self.boundary):
            n_features = self._mapped(np.zeros((1, n_features))).shape[1]
        return ParticleKernel(n_features, n_classes, self._settings())

    def _settings(self):
        shape, modulo = self.boundary if isinstance(self.boundary, tuple) else (self.boundary, 0.0)
        tracking = self._one_of("form", self.form, ("tracking", "published")) == "tracking"
        circle = not callable(shape) and self._one_of("boundary", shape, ("linear", "circle")) == "circle"
        pull, jitter = (0.0, 0.0) if self.spread_prior is None else self._pair("spread_prior", self.spread_prior)
        start, width = self._start(modulo)
        scoring = self._one_of("scoring", self.scoring, ("accuracy", "likelihood"))
        if self.refit_below is not None and circle:
            raise ValueError("ParticleFilter: a refit is a linear fit; use refit_below=None with a circle")
        return {
            "n_particles": self._whole("n_particles", self.n_particles, 1),
            "batch_size": self._whole("batch_size", self.batch_size, 2),
            "n_warmup": self._whole("n_warmup", self.n_warmup, 0),
            "n_jobs": self._threads(),
            "start": start,
            "start_width": width,
            "circle": circle,
            "likelihood": scoring == "likelihood",
            "regularised": self.spread_prior is not None,
            "scaled": tracking and not circle and not modulo,
            "modulo": float(modulo),
            "spread": self._positive("spread", self.spread),
            "wide_spread": WIDENING * self.spread if tracking else 0.0,
            "pull": float(pull),
            "memory": float(MEMORY * self.batch_size),
            "jitter": float(jitter),
            "refit_below": 0.0 if self.refit_below is None else float(self.refit_below),
            "n_averages": AVERAGES if tracking else 0,
            "seed": self._seed(),
        }

    def _start(self, modulo):
        if isinstance(self.start, Real):
            return STARTS["uniform"], float(self.start)
        start = STARTS[self._one_of("start", self.start, STARTS)]
        return start, float(modulo) if start == STARTS["uniform"] and modulo else 1.0

    def _threads(self):
        n = 1 if self.n_jobs is None else self.n_jobs
        return self._whole("n_jobs", n, 1) if n > 0 else max(1, (os.cpu_count() or 1) + 1 + n)

    def _seed(self):
        if isinstance(self.random_state, np.random.Generator | np.random.RandomState):
            return int(self.random_state.integers(2**63)) if hasattr(self.random_state, "integers") else int(
                self.random_state.randint(2**31)
            )
        return int(np.random.SeedSequence(self.random_state).generate_state(1, np.uint64)[0])

    def _one_of(self, name, value, known):
        if not isinstance(value, str) or value not in known:
            raise ValueError(f"ParticleFilter: {name} must be one of {sorted(known)}, got {value!r}")
        return value

    def _pair(self, name, value):
        try:
            first, second = value
            return float(first), float(second)
        except (TypeError, ValueError):
            raise ValueError(f"ParticleFilter: {name} must be two numbers, got {value!r}") from None

    def _whole(self, name, value, low):
        if not isinstance(value, Integral) or value < low:
            raise ValueError(f"ParticleFilter: {name} must be a whole number of at least {low}, got {value!r}")
        return int(value)

    def _positive(self, name, value):
        if not isinstance(value, Real) or not 0 < value < np.inf:
            raise ValueError(f"ParticleFilter: {name} must be a positive number, got {value!r}")
        return float(value)

    def _mapped(self, X):
        return np.ascontiguousarray(self.boundary(X), dtype=np.float64)

    def _learn(self, X, y, w, p):
        self._kernel.learn(self._mapped(X) if callable(self.boundary) else X, y, w, p)

    def _predict(self, X, p):
        self._kernel.predict(self._mapped(X) if callable(self.boundary) else X, p)

    @property
    def coefficients_(self):
        """Coefficients β₀, β₁, … that predict, one row an output: energy −β₀ + β·x, or a circle (r, c)."""
        return self._in_raw_units(self._kernel.predicting())[0]

    @property
    def particles_(self):
        """The best set of the last batch: particles × outputs × coefficients, as in `coefficients_`."""
        arrays = self._kernel.arrays
        return self._in_raw_units(arrays["kept"][: self._kernel.n_kept])

    @property
    def coefficient_spread_(self):
        """Standard deviation of each coefficient over the best set."""
        return self.particles_.std(axis=0)

    def _in_raw_units(self, particles):
        self._check_begun()
        outputs = len(self.classes_) if len(self.classes_) > 2 else 1
        raw = self._kernel.in_raw_units(particles)
        return raw.reshape(len(raw), outputs, raw.shape[1] // outputs)

    def state(self):
        """Return all there is to this learner; a boundary that is a function stays a function in it."""
        if not callable(self.boundary):
            return super().state()
        boundary, self.boundary = self.boundary, "linear"
        try:
            state = super().state()
        finally:
            self.boundary = boundary
        state["parameters"]["boundary"] = boundary
        return state

    def fit(self, X, y, sample_weight=None):
        """Start afresh, learn the rows in their order, and at the end those that fill no whole batch."""
        super().fit(X, y, sample_weight)
        self._kernel.finish()
        return self

    def _handle(self):
        self._check_begun()
        if callable(self.boundary):
            return PythonKernel(self, self.n_features_in_, len(self.classes_))
        return self._kernel
