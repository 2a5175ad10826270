"""The particle filter: logistic regression by random steps, the best of which are kept."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._native.kernel import Kernel
from thalweg._native.python_kernel import PythonKernel
from thalweg._parameters import count, is_real, n_threads, one_of, real_number, whole_number, wrong
from thalweg._types import Floats, Ints, RandomState, State
from thalweg.learners.base.growth import FixedInputsError
from thalweg.learners.base.one_hot import NativeOneHot
from thalweg.learners.base.seeded import SeededClassifier
from thalweg.learners.particles._native.layout import MOST_NUMBERS
from thalweg.learners.particles._native.particle_filter import STARTS, ParticleKernel

FORMS = {"tracking": ("scaled", "averages", "widening"), "published": ()}
PARTS = (*FORMS["tracking"], "vote", "movement", "resizing")
AVERAGES = 3  # candidates besides the centre, over 4, 16 and 64 batches
VOTERS = 32  # of the best set, for probabilities
MOST_VOTERS = 1024  # where their vote answers
MEMORY = 20  # batches standardising looks back on
WIDENING = 3.0  # of the spread, after an alarm
WIDEST = 1e50  # spread, start and modulo: squares of coefficients stay finite
LARGEST = 1e150  # values that a function returns are clipped to this
Boundary: TypeAlias = str | Callable[[Floats], ArrayLike] | tuple[str | Callable[[Floats], ArrayLike], float]
Start: TypeAlias = str | float | tuple[str | float, int]


class ParticleFilter(NativeOneHot, SeededClassifier):
    """Logistic regression by a particle filter (PF-LR): random steps, of which the best are kept.

    For each batch of rows, `n_particles` sets of coefficients are drawn around those that did best on the
    batch before; those that get the most rows right are kept, and their mean predicts. Counting hits instead
    of likelihoods makes it hard to mislead by wrong labels, and it follows drifts as it remembers little more
    than a batch. It is a random search: with many inputs it needs many particles, or a
    `RefittingParticleFilter`. With batches much smaller than the concept needs it is noisy; nothing is
    learned before the first batch with two classes is full.

    Rows that do not fill a batch wait inside, so that blocks of any size give the same result; `fit` learns
    the last, shorter batch too. Ctrl-C ends a long batch: it waits, and the next call that learns finishes
    it. A row of weight 2 counts as the row twice. Three or more categories are an input each, 0 or 1, at most
    256 of them in all; a function in `boundary` gets their codes. Memory: one batch of rows, and the best set
    twice: at most 2 (n_particles + 1) sets of coefficients, far fewer as a rule.

    Parameters
    ----------
    n_particles : int
        Sets of coefficients tried on a batch (paper: M).
    spread : float
        Standard deviation of a step (paper: σ).
    batch_size : int
        Rows, or weight of rows, in a batch (paper: B, 50 as a rule).
    boundary : "linear", "circle", function, or (one of them, modulo)
        Energy −β₀ + β·x, or ‖x − c‖² − r² with β = (r, c); or a function from rows × inputs to rows ×
        features, in which the boundary is then linear. With a modulo, coefficients are taken modulo it (the
        width of a domain that closes on itself; paper: 2 for CIRCLES).
    form : {"tracking", "published"} or tuple
        "published" is the paper's filter. "tracking" has three parts more: "scaled", inputs standardised by
        their mean and deviation over about the last twenty batches, and coefficients of length 1 (not for
        circles and modulos); "averages", means of the centre over about 4, 16 and 64 batches predict while
        they do better; "widening", the spread is tripled for a batch on which the centre does two deviations
        worse than it used to. A tuple names parts, among them three more: "vote", the best set answers by
        majority where its mean would; "movement", the spread follows the net movement of the centre over
        about three batches, between 0.3 and 3 times `spread`; "resizing", batches are halved (to no less than
        4 rows) while what half of one would have taught does better on its other half, and doubled again (up
        to `batch_size`, the first) while it does worse or 400 batches do not tell.
    start : {"normal", "zeros", "uniform"}, float, or (one of them, int)
        Where the first particles come from: N(0, 1), 0, U(0, 1) (or U(0, modulo)), or U(0, start); and how
        many extra steps are taken on the first batch (the paper: 500, where it tells).
    n_jobs : int or None
        Threads, where there is work enough for them; -1 for all cores, -2 for all but one. The result is the
        same for any.
    random_state : int, None, Generator or RandomState
        Seed of the steps.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The same as scores, which are larger for likelier classes: −β₁, −β₂, … and β₀. Circles and modulos
        have none.
    coefficients_ : ndarray of shape (n_outputs, 1 + number of input_names_)
        What predicts (with "vote": the mean of what votes), in the units of the inputs: β₀, β₁, … of class 1
        as against 0, or of each of more classes; the class of the least energy wins. With one input the
        boundary lies at β₀/β₁.
    particles_ : ndarray of shape (n_best, n_outputs, 1 + number of input_names_)
        The best set of the last batch: its spread is the boundary's uncertainty.
    coefficient_spread_ : ndarray of shape (n_outputs, 1 + number of input_names_)
        Standard deviation of each coefficient over the best set.
    batch_size_ : int
        Rows of the batch that is being filled: `batch_size`, unless "resizing" has changed it.
    input_names_ : list of str
        What β₁, β₂, … belong to: the inputs' names, and for three or more categories one each; the features
        if the boundary is a function.

    Differs from the paper
    ----------------------
    The tracking form, and probabilities: the share of the best set (of up to 32 of it) that votes with the
    predictor, mixed with its faded error rate on new batches, so that an unanimous vote gives the accuracy
    seen and a divided one ½. The answer itself is that of the mean, as in line 14 of its algorithm 1; line 13
    speaks of a vote, which is the part "vote". The parts "movement" and "resizing" are what the paper leaves
    for the future. The first batch must hold two classes. Several classes have one energy each.

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

    _kernel: ParticleKernel

    # What the other filters of the paper set.
    scoring = "accuracy"
    spread_prior: Any = None

    def __init__(
        self,
        n_particles: int = 100,
        spread: float = 0.1,
        *,
        batch_size: int = 24,
        boundary: Boundary = "linear",
        form: str | Sequence[str] = "tracking",
        start: Start = "normal",
        n_jobs: int | None = 1,
        random_state: RandomState = 0,
    ) -> None:
        self.n_particles = n_particles
        self.spread = spread
        self.batch_size = batch_size
        self.boundary = boundary
        self.form = form
        self.start = start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _function(self) -> Callable[[Floats], Any] | None:
        shape = self.boundary[0] if isinstance(self.boundary, tuple) and self.boundary else self.boundary
        return shape if callable(shape) else None

    def _n_places(self, n_features: int) -> int:
        if self._function() is None:
            return super()._n_places(n_features)
        self._own = None  # a function of the inputs is given them as they are
        return n_features

    def _make_kernel(self, n_features: int, n_classes: int) -> ParticleKernel:
        # Rows are mapped by the function that was given then, whatever becomes of the parameter.
        self._map, self._n_terms = self._function(), n_features
        if self._map is not None:
            shape = np.shape(self._map(np.zeros((1, n_features))))
            if len(shape) != 2 or shape[0] != 1 or shape[1] < 1:
                raise wrong(self, "boundary", "a function that returns one row of features for a row", shape)
            self._n_terms = shape[1]
        most = MOST_NUMBERS // self._n_terms
        whole_number(self, "batch_size", self.batch_size, 2, most)
        return ParticleKernel(self._who, self._n_terms, n_classes, self._settings())

    def _grow_from(self, n_features: int, n_classes: int) -> None:
        if self._map is not None and self.n_features_in_ > n_features:
            raise FixedInputsError("its boundary is a function of the inputs")
        super()._grow_from(n_features, n_classes)

    def _settings(self) -> dict[str, Any]:
        circle, modulo = self._shape()
        parts = self._parts()
        n_particles = whole_number(self, "n_particles", self.n_particles, 1, MOST_NUMBERS)
        batch_size = count(self, "batch_size", self.batch_size, 2)
        spread = real_number(self, "spread", self.spread, above=0, most=WIDEST)
        pull, jitter = self._prior()
        start, width, n_warmup = self._start(modulo)
        return {
            "n_particles": n_particles,
            "most_voters": min(n_particles + 1, MOST_VOTERS) if "vote" in parts else VOTERS,
            "batch_size": batch_size,
            "n_warmup": n_warmup,
            "n_jobs": n_threads(self, self.n_jobs),
            "start": start,
            "start_width": width,
            "circle": circle,
            "likelihood": self.scoring == "likelihood",
            "regularised": self.spread_prior is not None,
            "scaled": "scaled" in parts and not circle and not modulo,
            "vote": "vote" in parts,
            "movement": "movement" in parts,
            "resizing": "resizing" in parts,
            "modulo": modulo,
            "spread": spread,
            "wide_spread": WIDENING * spread if "widening" in parts else 0.0,
            "pull": pull,
            "memory": float(MEMORY * batch_size),
            "jitter": jitter,
            "refit_below": 0.0,
            "n_averages": AVERAGES if "averages" in parts else 0,
            "seed": int(np.random.SeedSequence(self._seed).generate_state(1, np.uint64)[0]),
        }

    def _shape(self) -> tuple[bool, float]:
        shape, modulo = pair(self, "boundary", self.boundary, 0.0)
        circle = not callable(shape) and one_of(self, "boundary", shape, ("linear", "circle")) == "circle"
        return circle, real_number(self, "the modulo in boundary", modulo, least=0, most=WIDEST)

    def _parts(self) -> Sequence[str]:
        if not isinstance(self.form, list | tuple):
            return FORMS[one_of(self, "form", self.form, FORMS)]
        return [one_of(self, "each part of form", part, PARTS) for part in self.form]

    def _start(self, modulo: float) -> tuple[int, float, int]:
        start, n_warmup = pair(self, "start", self.start, 0)
        n_warmup = count(self, "the steps in start", n_warmup, 0)
        if is_real(start):
            return STARTS["uniform"], real_number(self, "start", start, above=0, most=WIDEST), n_warmup
        start = STARTS[one_of(self, "start", start, STARTS)]
        return start, modulo if start == STARTS["uniform"] and modulo else 1.0, n_warmup

    def _prior(self) -> tuple[float, float]:
        return 0.0, 0.0

    def _mapped(self, X: Floats) -> Floats:
        if self._map is None:
            return X
        mapped = np.ascontiguousarray(self._map(X), dtype=np.float64)
        if mapped.shape != (len(X), self._n_terms):
            wanted = f"a function that returns {self._n_terms} features for each of {len(X)} rows"
            raise wrong(self, "boundary", wanted, mapped.shape)
        if np.isnan(mapped).any():
            row = int(np.isnan(mapped).any(axis=1).argmax())
            raise ValueError(f"{self._who}: the function of boundary returned NaN for row {row}: {X[row]}")
        return np.clip(mapped, -LARGEST, LARGEST)

    def _is_fast(self, x: object) -> TypeGuard[NDArray[Any]]:
        return super()._is_fast(x) and self._map is None

    def _learn(self, X: Floats, y: Ints, w: Floats, p: Floats) -> None:
        super()._learn(self._mapped(X), y, w, p)

    def _learn_tested(self, X: Floats, y: Ints, w: Floats, p: Floats, tested: NDArray[np.uint8]) -> None:
        super()._learn_tested(self._mapped(X), y, w, p, tested)

    def _fit_block(self, X: Floats, y: Ints, w: Floats) -> None:
        super()._fit_block(self._mapped(X), y, w)

    def _predict(self, X: Floats, p: Floats) -> None:
        super()._predict(self._mapped(X), p)

    def _coefficients(self) -> tuple[Floats, Floats]:
        if any(self._shape()):
            raise AttributeError(f"{self._who}: circles and modulos have no coef_; see coefficients_")
        beta = self._in_raw_units(self._kernel.predicting())[0]
        return -beta[:, 1:], beta[:, 0].copy()

    @property
    def input_names_(self) -> list[str]:
        """Names of what has a coefficient each: inputs, categories, or the features of a boundary."""
        names = super().input_names_
        return names if self._map is None else [f"feature {j}" for j in range(self._n_terms)]

    @property
    def coefficients_(self) -> Floats:
        """Coefficients β₀, β₁, … that predict, one row an output: energy −β₀ + β·x, or a circle (r, c)."""
        with self._reading:
            return self._in_raw_units(self._kernel.predicting())[0]

    @property
    def particles_(self) -> Floats:
        """The best set of the last batch: particles × outputs × coefficients, as in `coefficients_`."""
        with self._reading:
            return self._in_raw_units(self._kernel.arrays["kept"][: self._kernel.n_kept])

    @property
    def coefficient_spread_(self) -> Floats:
        """Standard deviation of each coefficient over the best set; NaN before the first batch is learned."""
        particles = self.particles_
        return particles.std(axis=0) if len(particles) else np.full(particles.shape[1:], np.nan)

    @property
    def batch_size_(self) -> int:
        """Rows of the batch that is being filled: `batch_size`, unless "resizing" has changed it."""
        with self._reading:
            arrays = self._kernel.arrays
            return int(arrays["size"][0]) if "size" in arrays else len(arrays["y"])

    def _in_raw_units(self, particles: Floats) -> Floats:
        outputs = len(self.classes_) if len(self.classes_) > 2 else 1
        raw = self._kernel.in_raw_units(particles)
        return raw.reshape(len(raw), outputs, raw.shape[1] // outputs)

    def _state_unlocked(self) -> State:
        if "boundary" not in self.get_params(deep=False):  # of a subclass whose boundary is fixed
            return super()._state_unlocked()
        # A boundary that is a function is in the state as that function. Others may use this learner
        # meanwhile: a twin without it is asked.
        state = super(ParticleFilter, self._with_parameters(boundary="linear"))._state_unlocked()
        return self._with_object(state, "boundary", lambda boundary: boundary)

    def _handle(self) -> Kernel:
        self._check_begun()
        if self._map is not None:
            return PythonKernel(self, self.n_features_in_, self._n_columns)
        return super()._handle()


def pair(owner: object, name: str, value: Any, other: Any) -> tuple[Any, Any]:
    """Return `value` and `other`, or, if `value` is a tuple, its two parts."""
    if not isinstance(value, tuple):
        return value, other
    if len(value) != 2:
        raise wrong(owner, name, "one value or a tuple of two", value)
    return value
