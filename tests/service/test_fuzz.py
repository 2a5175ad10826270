"""A few hundred damaged requests and Arrow streams; scripts in `tests/fuzz` try more."""

import fuzz.arrow_messages
import fuzz.http_requests
import pytest
from support.numbered_inputs import check_sample


@pytest.mark.filterwarnings("ignore::thalweg.errors.ColumnWarning")
def test_odd_requests_are_refused_and_disturb_nobody():
    found, n, _ = fuzz.http_requests.fuzz(seed=1, requests=600)
    assert n == 600
    assert found.faults == []
    assert {200, 400, 404, 405, 415, 422} <= set(found.statuses)


def test_damaged_arrow_streams_are_read_or_refused(tmp_path):
    check_sample(fuzz.arrow_messages.run, tmp_path, 500)
