"""Runs a list of checks, says which one failed, and draws random cuts of a stream."""

import numpy as np


def run_checks(checks, subject, excused):
    """Call each check on `subject`, except the excused ones; a failure names the check."""
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


def for_random_cuts(n_rows, test, n_examples=15):
    """Call `test(sizes)` with lists of block sizes that add up to `n_rows`, drawn by hypothesis."""
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    places = st.lists(st.integers(0, n_rows), max_size=12).map(sorted)

    @settings(max_examples=n_examples, deadline=None, derandomize=True, database=None,
              suppress_health_check=list(HealthCheck))
    @given(places)
    def drawn(cuts):
        test(np.diff([0, *cuts, n_rows]).tolist())

    drawn()
    test([1] * n_rows)


def assert_same(one, other, what="state"):
    """Assert that two plain structures of dicts, lists, arrays and numbers are equal, NaN equal to NaN."""
    if isinstance(one, dict):
        assert isinstance(other, dict) and list(one) == list(other), f"{what}: different keys"
        for key in one:
            assert_same(one[key], other[key], f"{what}[{key!r}]")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), f"{what}: different lengths"
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{what}[{place}]")
    else:
        same = np.array_equal(one, other, equal_nan=isinstance(one, np.ndarray) and one.dtype.kind == "f")
        both_nan = isinstance(one, float) and isinstance(other, float) and one != one and other != other
        assert same or both_nan, f"{what} differs: {one} is not {other}"
