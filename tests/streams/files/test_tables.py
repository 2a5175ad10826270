"""A table as people have it is learned as well as the same table prepared by hand."""

import datetime
import time

import numpy as np
import pytest

from thalweg.evaluation import metrics, prequential
from thalweg.learners import AdaptiveStacking
from thalweg.streams import from_arrays, from_file
from thalweg.streams.files.tables import table_source

N = 6000
NUMBERS = [f"A-{i * 7919 % 100_003:06}" for i in range(N)]
REGIONS = np.array(["north", "south", "east", "west", "centre"])


def orders(seed):
    """Return the columns of a table, and whether each order was late: region and hour decide, and price."""
    rng = np.random.default_rng(seed)
    start = datetime.datetime(2024, 3, 1)
    when = [start + datetime.timedelta(minutes=int(m)) for m in np.cumsum(rng.integers(1, 90, N))]
    hour = np.array([each.hour + each.minute / 60 for each in when])
    region, price, weight = rng.integers(0, 5, N), rng.normal(50, 20, N), rng.normal(0, 1, N)
    late = np.isin(region, (0, 3)) ^ ((hour > 18) & (price > 40)) ^ (rng.random(N) < 0.03)
    return when, hour, region, price.round(2), weight.round(3), late.astype(int)


def accuracy(stream):
    return metrics.accuracy(prequential(stream, AdaptiveStacking(random_state=0)))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_option_is_needed(tmp_path, seed):
    when, hour, region, price, weight, late = orders(seed)
    prices = [str(each).replace(".", ",") for each in price]
    moments = [f"{each:%d.%m.%Y %H:%M}" for each in when]
    cells = zip(NUMBERS, prices, moments, REGIONS[region], weight, late, strict=True)
    lines = ["id;price;ordered;region;weight;late", *(";".join(map(str, row)) for row in cells)]
    path = tmp_path / "orders.csv"
    path.write_text("\n".join(lines) + "\n")
    stream = from_file(path)
    assert stream.columns.kinds == {
        "id": "ignored", "price": "number", "ordered": "date", "region": "category", "weight": "number"
    }
    days = [[each.weekday() for each in when], [each.month for each in when]]
    prepared = from_arrays(np.column_stack([price, hour, *days, region, weight]), late, categorical=[4])
    as_it_is, by_hand = accuracy(stream), accuracy(prepared)
    assert as_it_is > by_hand - 0.01
    assert by_hand > 0.92


def test_records_with_keys_of_their_own_do_not_take_the_square_of_their_number():
    def seconds(n):
        rows = [{f"k{i}": i % 7, "y": i % 2} for i in range(n)]
        start = time.process_time()
        table_source(rows, wanted=[f"z{i}" for i in range(n)])
        return time.process_time() - start

    few, many = (min(seconds(n) for _ in range(3)) for n in (400, 3200))
    assert many < 24 * max(few, 0.01)  # 8 if it is their number, 64 if it is the square
