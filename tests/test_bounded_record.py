"""A bounded record covers the whole run evenly, whatever its length."""

import numpy as np
import pytest

from thalweg._bounded_record import BoundedRecord, halved


def record_of(n_rows, most, period=None, step=1):
    record = BoundedRecord(most, period)
    for row in range(step, n_rows + 1, step):
        if record.is_due(row):
            record.add(row, f"value {row}")
    return record


@pytest.mark.parametrize("n_rows", [0, 6, 7, 8, 100, 1000])
@pytest.mark.parametrize("period", [1, 3, 10])
def test_rows_are_the_multiples_of_one_period(n_rows, period):
    record = record_of(n_rows, 8, period)
    steps = {int(step) for step in np.diff([0, *record.rows])}
    assert len(record.rows) < 8
    assert len(steps) <= 1
    assert all(step % period == 0 and record.rows[-1] + step > n_rows for step in steps)
    assert record.values == [f"value {row}" for row in record.rows]


def test_a_row_without_a_value_is_passed_over():
    record = record_of(30, 8, 10)
    record.skip(40)
    assert not record.is_due(49)
    assert record.is_due(50)
    assert record.rows == [10, 20, 30]


def test_without_a_period_all_values_are_kept_until_the_record_is_full():
    assert record_of(70, 8, step=10).rows == [10, 20, 30, 40, 50, 60, 70]
    assert record_of(80, 8, step=10).rows == [20, 40, 60, 80]
    assert record_of(130, 8, step=10).rows == [20, 40, 60, 80, 100, 120]
    assert record_of(160, 8, step=10).rows == [40, 80, 120, 160]


@pytest.mark.parametrize("shape", [(6,), (6, 2)])
def test_half_the_lines_or_sums_of_two(shape):
    lines = np.arange(np.prod(shape), dtype=float).reshape(shape)
    np.testing.assert_array_equal(halved(lines, np.nan)[:3], lines[[1, 3, 5]])
    assert np.isnan(halved(lines, np.nan)[3:]).all()
    np.testing.assert_array_equal(halved(lines, add=True)[:3], lines[[0, 2, 4]] + lines[[1, 3, 5]])
    assert halved(lines, add=True).sum() == lines.sum()
