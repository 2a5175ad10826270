"""The particle filter: logistic regression by random steps, the best of which are kept."""

import os
from numbers import Integral, Real

import numpy as np

from thalweg._kernels.learner import PythonKernel
from thalweg._kernels.particle_filter import ParticleKernel
from thalweg.learners.native import NativeClassifier

FORMS = {"tracking": ("scaled", "averages", "widening"), "published": ()}
STARTS = {"zeros": 0, "uniform": 1, "normal": 2}
AVERAGES = 3  # candidates beside the centre, of 4, 16 and 64 batches
MEMORY = 20  # batches standardising looks back on
WIDENING = 3.0  # of the spread, after an alarm


class ParticleFilter(NativeClassifier):
    """Logistic regression by a particle filter (PF-LR): random steps, of which the best are kept.

    Each batch of rows is met by `n_particles` sets of coefficients, drawn around those that did best on the
    batch before; those that get the most rows right are kept, and their mean predicts. Counting hits instead
    of likelihoods makes it hard to mislead by wrong labels, and it follows drifts as it remembers little more
    than a batch. It is a random search: with many inputs it needs many particles, or a
    `RefittingParticleFilter`. With batches much smaller than the concept needs it is noisy; nothing is
    learned before the first batch with two classes is full.

    Rows that do not fill a batch wait inside, so that blocks of any size give the same result; `fit` learns
    the last, shorter batch too. A row of weight 2 counts as the row twice. Memory: one batch of rows, and the
    best set twice: at most 2 (n_particles + 1) sets of coefficients, far fewer as a rule.

    Parameters
    ----------
    n_particles : int
        Sets of coefficients tried on a batch (paper: M).
    spread : float
        Standard deviation of a step (paper: σ).
    batch_size : int
        Rows, or weight of rows, in a batch (paper: B).
    boundary : "linear", "circle", function, or (one of them, modulo)
        Energy −β₀ + β·x, or ‖x − c‖² − r² with β = (r, c); or a function from rows × inputs to rows ×
        features, in which the boundary is then linear. With a modulo, coefficients are taken modulo it (the
        width of a domain that closes on itself; paper: 2 for CIRCLES).
    form : {"tracking", "published"} or tuple
        "published" is the paper's filter. "tracking" has three parts more, of which a tuple names some:
        "scaled", inputs standardised by their mean and deviation over about the last twenty batches, and
        coefficients of length 1 (not for circles and modulos); "averages", means of the centre over about 4,
        16 and 64 batches predict while they do better; "widening", the spread is tripled for a batch on which
        the centre does two deviations worse than it used to.
    start : {"normal", "zeros", "uniform"}, float, or (one of them, int)
        Where the first particles come from: N(0, 1), 0, U(0, 1) (or U(0, modulo)), or U(0, start); and how
        many extra steps are taken on the first batch (the paper: 500, where it tells).
    n_jobs : int
        Threads, where there is work enough for them; -1 for one a processor. The result is the same for any.
    random_state : int, NumPy generator or None
        Seed; None takes a fresh one at each beginning.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_outputs, 1 + n_features)
        What predicts, in the units of the inputs: β₀, β₁, … of class 1 as against 0, or of each of more
        classes; the class of the least energy wins. With one input the boundary lies at β₀/β₁.
    particles_ : ndarray of shape (n_best, n_outputs, 1 + n_features)
        The best set of the last batch: its spread is the boundary's uncertainty.
    coefficient_spread_ : ndarray of shape (n_outputs, 1 + n_features)
        Standard deviation of each coefficient over the best set.

    Differs from the paper
    ----------------------
    The tracking form, and probabilities: the share of the best set (of up to 32 of it) that votes with the
    predictor, mixed with its faded error rate on new batches, so that an unanimous vote gives the accuracy
    seen and a divided one ½. The answer itself is that of the mean, as in the paper. The first batch must
    hold two classes. Several classes have one energy each.

    References
    ----------
    Fok, An, Wang: Mining evolving data streams with particle filters. Technical report CSE-2013-11, York
    University, 2013.

    Examples
    --------
    >>> from thalweg.learners import ParticleFilter
    >>> from thalweg.streams import SEA
    >>> X, y = next(SEA(seed=1).blocks(5000))
    >>> p = ParticleFilter().begin(3, [0, 1]).test_then_train(X, y)
    >>> round(float((p.argmax(axis=1) == y).mean()), 2)
    0.89
    """

    # What the other filters of the paper set.
    scoring = "accuracy"
    spread_prior = None
    refit_below = None

    def __init__(
        self,
        n_particles=100,
        spread=0.1,
        batch_size=50,
        boundary="linear",
        form="tracking",
        start="normal",
        n_jobs=1,
        random_state=0,
    ):
        self.n_particles = n_particles
        self.spread = spread
        self.batch_size = batch_size
        self.boundary = boundary
        self.form = form
        self.start = start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _boundary(self):
        return self.boundary if isinstance(self.boundary, tuple) else (self.boundary, 0.0)

    def _make_kernel(self, n_features, n_classes):
        if callable(self._boundary()[0]):
            n_features = self._mapped(np.zeros((1, n_features))).shape[1]
        return ParticleKernel(n_features, n_classes, self._settings())

    def _settings(self):
        shape, modulo = self._boundary()
        parts = self._parts()
        circle = not callable(shape) and self._one_of("boundary", shape, ("linear", "circle")) == "circle"
        pull, jitter = self._prior()
        start, width, n_warmup = self._start(modulo)
        return {
            "n_particles": self._whole("n_particles", self.n_particles, 1),
            "batch_size": self._whole("batch_size", self.batch_size, 2),
            "n_warmup": self._whole("the steps in start", n_warmup, 0),
            "n_jobs": self._threads(),
            "start": start,
            "start_width": width,
            "circle": circle,
            "likelihood": self.scoring == "likelihood",
            "regularised": self.spread_prior is not None,
            "scaled": "scaled" in parts and not circle and not modulo,
            "modulo": float(modulo),
            "spread": self._positive("spread", self.spread),
            "wide_spread": WIDENING * self.spread if "widening" in parts else 0.0,
            "pull": pull,
            "memory": float(MEMORY * self.batch_size),
            "jitter": jitter,
            "refit_below": 0.0 if self.refit_below is None else float(self.refit_below),
            "n_averages": AVERAGES if "averages" in parts else 0,
            "seed": self._seed(),
        }

    def _parts(self):
        parts = (
            FORMS[self._one_of("form", self.form, FORMS)] if isinstance(self.form, str) else tuple(self.form)
        )
        for part in parts:
            self._one_of("a part of form", part, FORMS["tracking"])
        return parts

    def _start(self, modulo):
        start, n_warmup = self.start if isinstance(self.start, tuple) else (self.start, 0)
        if isinstance(start, Real):
            return STARTS["uniform"], self._positive("start", start), n_warmup
        start = STARTS[self._one_of("start", start, STARTS)]
        return start, float(modulo) if start == STARTS["uniform"] and modulo else 1.0, n_warmup

    def _threads(self):
        n = 1 if self.n_jobs is None else self.n_jobs
        if isinstance(n, Integral) and n < 0:
            return max(1, (os.cpu_count() or 1) + 1 + n)
        return self._whole("n_jobs", n, 1)

    def _seed(self):
        if isinstance(self.random_state, np.random.Generator):
            return int(self.random_state.integers(2**63))
        return int(np.random.SeedSequence(self.random_state).generate_state(1, np.uint64)[0])

    def _one_of(self, name, value, known):
        if not isinstance(value, str) or value not in known:
            raise ValueError(f"{self._who}: {name} must be one of {sorted(known)}, got {value!r}")
        return value

    def _prior(self):
        return 0.0, 0.0

    def _whole(self, name, value, low):
        if not isinstance(value, Integral) or value < low:
            raise ValueError(f"{self._who}: {name} must be a whole number, {low} or more, got {value!r}")
        return int(value)

    def _positive(self, name, value):
        if not isinstance(value, Real) or not 0 < value < np.inf:
            raise ValueError(f"{self._who}: {name} must be a positive number, got {value!r}")
        return float(value)

    def _mapped(self, X):
        shape = self._boundary()[0]
        return np.ascontiguousarray(shape(X), dtype=np.float64) if callable(shape) else X

    def _learn(self, X, y, w, p):
        self._kernel.learn(self._mapped(X), y, w, p)

    def _predict(self, X, p):
        self._kernel.predict(self._mapped(X), p)

    @property
    def coefficients_(self):
        """Coefficients β₀, β₁, … that predict, one row an output: energy −β₀ + β·x, or a circle (r, c)."""
        return self._in_raw_units(self._kernel.predicting())[0]

    @property
    def particles_(self):
        """The best set of the last batch: particles × outputs × coefficients, as in `coefficients_`."""
        return self._in_raw_units(self._kernel.arrays["kept"][: self._kernel.n_kept])

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
        if not callable(self._boundary()[0]):
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
        if callable(self._boundary()[0]):
            return PythonKernel(self, self.n_features_in_, len(self.classes_))
        return self._kernel
