"""What scikit-learn's pipelines lack: `partial_fit` of all steps, and weights of rows by one name."""

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from thalweg._types import Floats, Ints


def without_partial_fit(model: Any) -> Any:
    """Return the part of a model that can neither be fitted row by row nor does without, or None."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    for step in steps:
        learns = not isinstance(step, str) and step is not None and get_tags(step).requires_fit
        if learns and not hasattr(step, "partial_fit"):
            return step
    return None


def takes_weights(model: Any) -> bool:
    """Return whether a model, or the last step of a pipeline, takes weights of rows."""
    return has_fit_parameter(model.steps[-1][1] if isinstance(model, Pipeline) else model, "sample_weight")


def weights(model: Any, w: Floats) -> dict[str, Floats]:
    """Return the argument of `fit` that holds the weights of the rows."""
    name = f"{model.steps[-1][0]}__sample_weight" if isinstance(model, Pipeline) else "sample_weight"
    return {name: w}


def partial_fit(model: Any, X: Floats, y: Ints, **settings: Any) -> None:
    """Fit a model on more rows; of a pipeline, each step and then the next one on what it makes of them."""
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            if step is None or step == "passthrough":
                continue
            if hasattr(step, "partial_fit"):
                step.partial_fit(X, y)
            X = step.transform(X)
        model = model.steps[-1][1]
    model.partial_fit(X, y, **settings)
