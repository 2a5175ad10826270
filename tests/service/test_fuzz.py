"""A few hundred damaged requests; `tests/fuzz/http_requests.py` sends more."""

import fuzz.http_requests
import pytest


@pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
def test_odd_requests_are_refused_and_disturb_nobody():
    found, n, _ = fuzz.http_requests.fuzz(seed=1, requests=600)
    assert n == 600
    assert found.faults == []
    assert {200, 400, 404, 405, 415, 422} <= set(found.statuses)
