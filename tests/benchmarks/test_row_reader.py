"""One record is read in less time than parsing it from JSON takes."""

import json
import time

import numpy as np
import pytest
from support.record_rows import are_identical, block_row

from thalweg.streams.columns.row_reader import RowReader

row_reader = pytest.importorskip("benchmarks.row_reader")


def seconds(call):
    start = time.process_time()
    for _ in range(3000):
        call()
    return time.process_time() - start


def test_a_record_is_read_in_less_time_than_its_json():
    record, columns = row_reader.RECORD, row_reader.columns()
    read, text = RowReader(columns).read, json.dumps(record)
    ratios = [seconds(lambda: read(record, False)) / seconds(lambda: json.loads(text)) for _ in range(9)]
    assert np.median(ratios) < 1  # a half, on a quiet machine
    assert are_identical(read(record, False), block_row(columns, record))
