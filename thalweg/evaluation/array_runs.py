"""Labels and predictions in arrays as a Run, so that metrics take them too."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thalweg._types import Floats, Ints
from thalweg.errors import ParameterError
from thalweg.evaluation.loop import Record
from thalweg.evaluation.metric import Needs
from thalweg.evaluation.run import Run
from thalweg.evaluation.steps import Step
from thalweg.streams.labels import LabelCodes, sorted_labels

ROUNDING = 1e-9  # of probabilities


def run_of(
    y: ArrayLike,
    p: ArrayLike,
    who: str,
    needs: Needs = "labels",
    classes: ArrayLike | None = None,
    drifts: ArrayLike = (),
) -> Run:
    """Return the Run of rows with the labels `y` and the predictions `p`, in their order.

    `p` has the probabilities as rows × classes; or the probability of the second class, if there are two; or
    the predicted labels, unless the metric needs scores or probabilities. `classes` are the labels in the
    order of the columns, by default those of `y`, sorted. A label that is None, NaN or pandas.NA is missing.
    """
    labels, given = _one_axis(y, "y", who), _array(p)
    if given.shape[:1] != labels.shape or given.ndim > 2:
        raise ParameterError(f"{who}: {len(labels)} labels, but predictions of shape {given.shape}")
    known = sorted_labels(labels.tolist()) if classes is None else np.asarray(classes).tolist()
    if given.ndim == 2:
        probabilities = _checked(_numbers(given, who), who, needs)
    elif _is_second(given, known, needs):
        second = _checked(_numbers(given, who), who, needs)
        probabilities = np.column_stack([1 - second, second])
    elif needs != "labels":
        raise ParameterError(f"{who} needs probabilities: p of rows × classes; got p of shape {given.shape}")
    else:
        _check_labels(given, known, who)
        if classes is None:
            _check_alike(labels, given, who)
            known = sorted_labels([*labels.tolist(), *given.tolist()])
            known = [*known, type(known[0])(1)] if known == [0] else known  # nothing is of class 1
        probabilities = np.eye(len(known))[_codes(given, known, "p", who)]
    if probabilities.shape[1] != len(known):
        raise ParameterError(
            f"{who}: p has {probabilities.shape[1]} columns, but y has {len(known)} different labels; "
            "pass classes=[…], the label of each column"
        )
    return _recorded(_codes(labels, known, "y", who), probabilities, known, drifts)


def _recorded(codes: Ints, p: Floats, classes: list[Any], drifts: ArrayLike) -> Run:
    # The baselines learn each label right after its row, as in prequential.
    record = Record(max(len(classes), 1), len(codes), numbered=False)
    if len(codes):
        record.add(Step(p, codes, tested=True, learned=codes >= 0), p, len(codes))
    labels = LabelCodes(classes, False, "")
    arrays = record.arrays()
    del arrays["interrupted"], arrays["timed_out"], arrays["row_numbers"]
    known_drifts = np.asarray(drifts, dtype=np.int64)
    return Run(
        "predictions", "arrays", classes=labels.classes, n_rows=len(codes), drifts=known_drifts, **arrays
    )


def _check_alike(labels: NDArray[Any], given: NDArray[Any], who: str) -> None:
    """Raise ParameterError if labels are text and predictions are not, or the other way round."""
    kinds = [{isinstance(value, str) for value in sorted_labels(each.tolist())} for each in (labels, given)]
    if kinds[0] and kinds[1] and kinds[0].isdisjoint(kinds[1]):
        text, other = ("y", "p") if True in kinds[0] else ("p", "y")
        seen = f"the labels in {text} are text, those in {other} are not"
        raise ParameterError(f"{who}: {seen}; make them alike")


def _one_axis(values: ArrayLike, name: str, who: str) -> NDArray[Any]:
    array = values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
    if array.ndim != 1:
        raise ParameterError(f"{who}: {name} needs one dimension, got shape {array.shape}")
    return array


def _array(p: ArrayLike) -> NDArray[Any]:
    """Return predictions as an array; NumPy would turn numbers beside texts into texts."""
    found = np.asarray(p)
    is_text = found.dtype.kind in "US" and not isinstance(p, np.ndarray)
    return np.asarray(p, dtype=object) if is_text else found


def _check_labels(given: NDArray[Any], known: list[Any], who: str) -> None:
    """Raise ParameterError if predicted labels are numbers between those that labels are: probabilities."""
    if given.dtype.kind != "f" or not all(isinstance(label, int | float) for label in known):
        return
    strange = (given % 1 != 0) & ~np.isnan(given) & ~np.isin(given, np.array(known, dtype=np.float64))
    if strange.any() and not any(label % 1 for label in known):
        seen = f"p has {given[strange][0]:g}, and the labels are {known}"
        advice = "for probabilities of the second of two classes pass classes=[…], both labels"
        raise ParameterError(f"{who}: {seen}; {advice}")


def _checked(p: Floats, who: str, needs: Needs) -> Floats:
    """Return probabilities or scores; raise ParameterError if they are not numbers or not probabilities."""
    wrong = np.isnan(p)
    if needs == "probabilities":
        wrong |= (p < -ROUNDING) | (p > 1 + ROUNDING)
    if wrong.any():
        row = int(np.argmax(wrong.reshape(len(p), -1).any(axis=1)))
        found = p[row].ravel().tolist()
        wanted = "probabilities from 0 to 1" if needs == "probabilities" else "numbers"
        raise ParameterError(f"{who}: p must have {wanted}; row {row} is {found}")
    return p


def _is_second(given: NDArray[Any], known: list[Any], needs: Needs) -> bool:
    """Return whether predictions in one axis are probabilities of the second class."""
    if given.dtype.kind != "f" or len(known) != 2:
        return False
    if needs == "probabilities":
        return True
    if not ((given >= 0) & (given <= 1)).all():
        return False
    return needs == "scores" or not set(given.tolist()) <= set(known)


def _numbers(p: NDArray[Any], who: str) -> Floats:
    try:
        return np.ascontiguousarray(p, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{who}: p of rows × classes must have numbers, got {p.dtype}") from None


def _codes(labels: NDArray[Any], classes: list[Any], name: str, who: str) -> Ints:
    codes = LabelCodes(classes, is_open=True, name=name).of(labels.tolist(), 0)
    if codes.max(initial=-1) >= len(classes):
        unknown = labels.tolist()[int(np.argmax(codes >= len(classes)))]
        raise ParameterError(f"{who}: {name} has {unknown!r}, which is not among the classes {classes}")
    if name == "p" and codes.min(initial=0) < 0:
        raise ParameterError(f"{who}: a prediction is missing, at row {int(np.argmin(codes))}")
    return codes
