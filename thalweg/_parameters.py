"""Checks of parameters: one function for each kind of value, one error, one style of message.

`owner` is the learner, detector or stream that has the parameter, or its name. Each function returns the
value as a plain Python type. If the value is not allowed, it raises a ParameterError that names the owner,
the parameter, the allowed values and the given value.
"""

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from thalweg._misspelt import nearest
from thalweg._types import RandomState
from thalweg.errors import ParameterError

if TYPE_CHECKING:
    from thalweg._sklearn import BaseEstimator

MOST_COUNT = 2**31 - 1
MOST_THREADS = 1024


def wrong(owner: object, name: str, wanted: str, value: Any) -> ParameterError:
    """Return the error for a `value` of the parameter `name` that is not `wanted`."""
    return ParameterError.of(_name(owner), name, problem=f"must be {wanted}, got {value!r}")


def _name(owner: object) -> str:
    return owner if isinstance(owner, str) else type(owner).__name__


def is_whole(value: Any) -> bool:
    """Return whether `value` is a Python or NumPy integer; a bool is not."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: Any) -> bool:
    """Return whether `value` is a Python or NumPy number; a bool is not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_no_text(owner: object, **lists: Any) -> None:
    """Raise ParameterError if a text stands where a list is expected, whose letters would be its values."""
    for name, value in lists.items():
        if isinstance(value, str):
            raise wrong(owner, name, "a list, not one text", value)


def whole_number(owner: object, name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return `value` as an int of at least `least`, and at most `most` if that is given."""
    if not is_whole(value) or int(value) < least:
        raise wrong(owner, name, f"a whole number of at least {least}", value)
    if most is not None and int(value) > most:
        raise wrong(owner, name, f"a whole number of at most {most}", value)
    return int(value)


def count(owner: object, name: str, value: Any, least: int) -> int:
    """Return `value`, a number of rows, members, …, as an int from `least` to MOST_COUNT."""
    return whole_number(owner, name, value, least, MOST_COUNT)


def real_number(
    owner: object,
    name: str,
    value: Any,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
) -> float:
    """Return `value` as a finite float within the bounds that are given."""
    number = _as_float(value) if is_real(value) else math.nan
    if not (
        math.isfinite(number)
        and (above is None or number > above)
        and (least is None or number >= least)
        and (below is None or number < below)
        and (most is None or number <= most)
    ):
        bounds = {"above": above, "at least": least, "below": below, "at most": most}
        said = " and ".join(f"{word} {bound:g}" for word, bound in bounds.items() if bound is not None)
        raise wrong(owner, name, f"a number {said}" if said else "a finite number", value)
    return number


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def yes_or_no(owner: object, name: str, value: Any) -> bool:
    """Return `value`, True or False, as a bool."""
    if not isinstance(value, bool | np.bool_):
        raise wrong(owner, name, "True or False", value)
    return bool(value)


def one_of(owner: object, name: str, value: Any, known: Collection[str]) -> str:
    """Return `value`, which must be one of the strings `known`."""
    if not isinstance(value, str) or value not in known:
        near = nearest(value, known) if isinstance(value, str) else None
        meant = "" if near is None else f"; did you mean {near!r}?"
        problem = f"must be one of {', '.join(map(repr, known))}, got {value!r}{meant}"
        raise ParameterError.of(_name(owner), name, problem=problem)
    return value


def instance_of(owner: object, name: str, value: Any, kind: type[Any], wanted: str) -> Any:
    """Return `value`, which must be an instance of `kind`; the error message calls that `wanted`."""
    if not isinstance(value, kind):
        raise wrong(owner, name, wanted, value)
    return value


def columns(owner: object, name: str, value: Any, n_features: int) -> list[int]:
    """Return positions of inputs as a list of ints; negative ones count from the end."""
    found = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(found, list | tuple | range) or not all(map(is_whole, found)):
        raise wrong(owner, name, "a sequence of whole numbers, the positions of inputs", value)
    if not all(-n_features <= j < n_features for j in found):
        raise wrong(owner, name, f"positions among the {n_features} inputs of a row", value)
    return [int(j) for j in found]


def seed_of(owner: object, random_state: RandomState) -> int:
    """Return the seed for `random_state`: a whole number of at least 0.

    None gives a new random seed at each call; a NumPy generator or RandomState draws one.
    """
    if random_state is None:
        random_state = np.random.default_rng()
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**63 - 1, dtype=np.int64))
    if not is_whole(random_state) or random_state < 0:
        wanted = "a whole number of at least 0, None, or a NumPy Generator or RandomState"
        raise wrong(owner, "random_state", wanted, random_state)
    return int(random_state)


def is_seed(name: str) -> bool:
    """Return whether `name` is a `random_state` parameter of an estimator or of one nested in it."""
    return name.split("__")[-1] == "random_state"


def seeds_of(estimator: "BaseEstimator") -> dict[str, int]:
    """Return a seed for each `random_state` of `estimator` and of nested estimators, by parameter name."""
    return {
        name: seed_of(estimator, value) for name, value in estimator.get_params().items() if is_seed(name)
    }


def n_threads(owner: object, n_jobs: int | None) -> int:
    """Return how many threads or processes `n_jobs` stands for: 1 for None, all cores for -1, and so on."""
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0 or n_jobs > MOST_THREADS:
        wanted = f"a whole number up to {MOST_THREADS}, -1 for all cores, -2 for all but one, or None"
        raise wrong(owner, "n_jobs", wanted, n_jobs)
    if n_jobs > 0:
        return int(n_jobs)
    from joblib import cpu_count

    return max(cpu_count() + 1 + int(n_jobs), 1)
