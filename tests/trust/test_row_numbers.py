"""Numbers of rows by their ids."""

import time

from thalweg.trust.row_numbers import RowNumbers


def dropping(n, at_a_time):
    """Return the processor time of forgetting 4,000 of `n` ids after the first half is gone."""
    rows = RowNumbers("test")
    rows.of.update(zip(range(n), range(n), strict=True))
    rows.drop_before(n // 2)
    start = time.process_time()
    for oldest in range(n // 2, n // 2 + 4000, at_a_time):
        rows.drop_before(oldest + at_a_time)
    assert next(iter(rows.of)) == n // 2 + 4000
    return time.process_time() - start


def test_forgetting_old_ids_does_not_cost_more_the_more_there_were():
    assert dropping(200_000, 4) < 10 * dropping(10_000, 4) + 0.01
