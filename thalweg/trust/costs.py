"""What wrong answers cost, and the answer that costs least."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from thalweg._frames import plain_table
from thalweg._native.argmax import likeliest
from thalweg._parameters import is_real, wrong
from thalweg._types import Floats, Ints

MOST = 1e100  # of a cost: sums of more could overflow
ALLOWED = (
    "a cost of missing each class, or a matrix of costs[true][predicted]: an array in the order of the "
    "classes, or a dict by labels, which may leave out what costs 1"
)


def cost_matrix(
    owner: object, costs: Any, classes: Sequence[Hashable], *, more_classes: bool = False, name: str = "costs"
) -> Floats:
    """Return the costs as a matrix, [true class, answer]; raise ParameterError if they are not valid.

    `costs` are an array or nested lists in the order of `classes`, or a dict by labels, or a frame whose rows
    and columns are named by labels. One number for a
    class is what it costs to miss it; being right then costs nothing. A dict of dicts, `{true: {answer:
    cost}}`, and a dict of numbers may be incomplete: what they leave out costs 1, and being right costs 0.
    With `more_classes` there may be costs of classes that have not come yet.
    """
    try:
        costs = plain_table(costs)
    except ValueError as error:
        raise wrong(owner, name, f"{ALLOWED}; {error}", costs) from None
    if isinstance(costs, dict):
        return _by_labels(owner, costs, list(classes), more_classes, name)
    try:
        given = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise wrong(owner, name, ALLOWED, costs) from None
    if given.ndim not in (1, 2) or len(set(given.shape)) != 1:
        raise wrong(owner, name, ALLOWED, costs)
    if not (np.abs(given) <= MOST).all():
        raise wrong(owner, name, f"finite numbers of at most {MOST:g}", costs)
    n, n_given = len(classes), len(given)
    if n_given < n or (n_given > n and not more_classes):
        problem = f"{ALLOWED}; these are for {n_given} classes, and there are {n}: {list(classes)}"
        raise wrong(owner, name, problem, costs)
    if given.ndim == 1:
        return _of_missing(owner, given, costs, name)[:n, :n]
    return np.ascontiguousarray(given[:n, :n])


def _by_labels(owner: object, costs: dict[Any, Any], classes: list[Any], is_open: bool, name: str) -> Floats:
    costs = _with_labels(costs, classes)
    mentioned = [*costs, *(label for each in costs.values() if isinstance(each, dict) for label in each)]
    strange = [label for label in mentioned if label not in classes]
    if strange and not is_open:
        wanted = f"a dict by labels of {classes}, and {strange[0]!r} is not one of them"
        raise wrong(owner, name, wanted, costs)
    rows = (each.values() if isinstance(each, dict) else [each] for each in costs.values())
    numbers = [cost for row in rows for cost in row]
    if not numbers or not all(is_real(cost) and abs(cost) <= MOST for cost in numbers):
        raise wrong(owner, name, ALLOWED, costs)
    if any(isinstance(each, dict) for each in costs.values()):
        if not all(isinstance(each, dict) for each in costs.values()):
            raise wrong(owner, name, "numbers for all labels it has, or dicts for all", costs)
        matrix = 1.0 - np.eye(len(classes))
        for i, true in enumerate(classes):
            for j, answer in enumerate(classes):
                matrix[i, j] = costs.get(true, {}).get(answer, matrix[i, j])
        return matrix
    return _of_missing(owner, np.array([float(costs.get(label, 1.0)) for label in classes]), costs, name)


def _with_labels(costs: dict[Any, Any], classes: list[Any]) -> dict[Any, Any]:
    """Return the costs with labels for their texts: a file of costs has "1" for the label 1."""
    by_text = {str(label): label for label in classes}

    def label_of(key: Any) -> Any:
        return by_text.get(key, key) if isinstance(key, str) and key not in classes else key

    return {
        label_of(true): {label_of(answer): cost for answer, cost in each.items()}
        if isinstance(each, dict)
        else each
        for true, each in costs.items()
    }


def _of_missing(owner: object, missed: Floats, costs: Any, name: str) -> Floats:
    if (missed < 0).any():
        raise wrong(owner, name, "costs of missing a class that are not negative", costs)
    return missed[:, None] * (1.0 - np.eye(len(missed)))


def answer_codes(p: Floats, costs: Floats | None) -> Ints:
    """Return the code of the answer to each row: the likeliest class, or that of the least expected cost."""
    return likeliest(p) if costs is None else least_cost(p, costs)


def least_cost(p: Floats, costs: Floats, without: Sequence[int] = ()) -> Ints:
    """Return the code of the answer with the least expected cost for each row of probabilities.

    `costs` are those of `cost_matrix`. Of answers that cost the same it is the first; none is `without`.
    """
    # What a class costs whatever is answered makes no difference. Without it, equal costs of all mistakes
    # give exactly the likeliest class, and sums in order give the same answer for a row alone as for many.
    costs = costs - costs.max(axis=1, keepdims=True)
    expected = np.zeros(p.shape)
    for k in range(p.shape[1]):
        expected += p[:, k : k + 1] * costs[k]
    expected[:, list(without)] = np.inf
    return expected.argmin(axis=1)
