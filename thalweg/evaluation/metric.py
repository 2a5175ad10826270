"""A metric: a function of a Run, or of labels and predictions in arrays."""

import functools
import math
from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias, cast, overload

from numpy.typing import ArrayLike

from thalweg._types import Floats
from thalweg.errors import ParameterError
from thalweg.evaluation.run import Run
from thalweg.evaluation.running_sums import Score

Needs: TypeAlias = Literal["labels", "scores", "probabilities"]


class Metric(Protocol):
    """A number for all rows; with `window` or `fade`, an array with a number for each row."""

    __name__: str

    @overload
    def __call__(self, run: Run, *, window: None = None, fade: None = None, **settings: Any) -> float: ...

    @overload
    def __call__(self, run: Run, *, window: int, fade: None = None, **settings: Any) -> Floats: ...

    @overload
    def __call__(self, run: Run, *, window: None = None, fade: float, **settings: Any) -> Floats: ...

    @overload
    def __call__(
        self,
        y: ArrayLike,
        p: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        window: None = None,
        fade: None = None,
        **settings: Any,
    ) -> float: ...

    @overload
    def __call__(
        self,
        y: ArrayLike,
        p: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        window: int | None = None,
        fade: float | None = None,
        **settings: Any,
    ) -> Floats: ...


OF_A_CLASS = ("precision", "recall", "f1")
"""In arrays these are 0 where scikit-learn has 0: if no row is of the class, or none is predicted as it."""


def metric(of_run: Callable[..., Score]) -> Metric:
    """Return a function of a Run as one that takes labels and predictions as well."""
    return _metric(of_run, "labels")


def score_metric(of_run: Callable[..., Score]) -> Metric:
    """Do what `metric` does, for a function that looks at the order of probabilities or other scores."""
    return _metric(of_run, "scores")


def probability_metric(of_run: Callable[..., Score]) -> Metric:
    """Do what `metric` does, for a function that needs probabilities."""
    return _metric(of_run, "probabilities")


def _metric(of_run: Callable[..., Score], needs: Needs) -> Metric:
    @functools.wraps(of_run)
    def of_run_or_arrays(run: Any = None, *arguments: Any, **settings: Any) -> Score:
        if isinstance(run, Run):
            return of_run(run, *arguments, **settings)
        from thalweg.evaluation.array_runs import run_of  # importing it takes scikit-learn

        who = of_run.__name__
        y = settings.pop("y", run)
        p = settings.pop("p", arguments[0] if arguments else None)
        if y is None or p is None or len(arguments) > 1:
            raise ParameterError(f"{who}: pass a Run, or labels and predictions, {who}(y, p)")
        about = {name: settings.pop(name) for name in ("classes", "drifts") if name in settings}
        made = run_of(y, p, who, needs, **about)
        found = of_run(made, **settings)
        is_zero = who in OF_A_CLASS and isinstance(found, float) and math.isnan(found) and made.n_scored
        return 0.0 if is_zero else found

    return cast(Metric, of_run_or_arrays)
