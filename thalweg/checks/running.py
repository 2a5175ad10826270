"""Runs a list of checks and names the one that failed."""

import pickle
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg._stateful import Stateful
from thalweg.errors import ParameterError

PLAIN: Any = np.ndarray | np.generic | float | int | str | bytes | None


def run_checks(checks: Sequence[Callable[[Any], object]], subject: object, excused: Collection[str]) -> None:
    """Call each check that is not excused; raise AssertionError with the name of the one that fails."""
    if isinstance(subject, type):
        name = subject.__name__
        raise ParameterError(f"got the class {name}; pass an instance: {name}(…)")
    names = {check.__name__ for check in checks}
    unknown = set(excused) - names
    if unknown:
        raise ValueError(f"no such check: {sorted(unknown)}; the checks are {sorted(names)}")
    for check in checks:
        if check.__name__ not in excused:
            try:
                check(subject)
            except Exception as error:
                raise AssertionError(f"{type(subject).__name__}: {check.__name__}: {error}") from error


def for_random_cuts(n_rows: int, test: Callable[[list[int]], None]) -> None:
    """Call `test(sizes)` with random lists of block sizes that sum to `n_rows`, short lists first."""
    rng = np.random.default_rng(0)
    for n_cuts in range(15):
        cuts = np.sort(rng.integers(0, n_rows + 1, n_cuts))
        test(np.diff([0, *cuts, n_rows]).tolist())
    test([1] * n_rows)


def assert_same(one: Any, other: Any, what: str = "state") -> None:
    """Assert that two nested dicts or lists of arrays and numbers are equal; NaN equals NaN."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and _same_bytes(one, other):
        return
    if isinstance(one, dict):
        assert isinstance(other, dict) and list(one) == list(other), f"{what}: different keys"
        for key in one:
            assert_same(one[key], other[key], f"{what}[{key!r}]")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), f"{what}: different lengths"
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{what}[{place}]")
    elif not isinstance(one, PLAIN):
        # The model of another library. Loaded once, equal objects give equal bytes.
        pickles = [pickle.dumps(pickle.loads(pickle.dumps(model))) for model in (one, other)]
        assert pickles[0] == pickles[1], f"{what} differs"
    else:
        same = np.array_equal(one, other, equal_nan=isinstance(one, np.ndarray) and one.dtype.kind == "f")
        both_nan = isinstance(one, float) and isinstance(other, float) and one != one and other != other
        assert same or both_nan, f"{what} differs: {one} is not {other}"


def _same_bytes(one: NDArray[Any], other: NDArray[Any]) -> bool:
    # Much quicker than a comparison of numbers, and true of nearly all arrays that are compared.
    alike = one.dtype == other.dtype and one.shape == other.shape and not one.dtype.hasobject
    return alike and one.tobytes() == other.tobytes()


def assert_refused(learner: Stateful, call: Callable[[], object], what: str) -> None:
    """Raise AssertionError unless `call` raises ValueError and does not change the state of the learner."""
    before = learner.state()
    try:
        call()
    except ValueError:
        assert_same(learner.state(), before, f"after {what}, the state")
    else:
        raise AssertionError(f"{what} was accepted")
