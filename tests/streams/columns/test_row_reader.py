"""One record is read as a block of one row is, bit for bit, or it is declined and changes nothing."""

import copy
import datetime
import itertools
import pickle
import random
import tracemalloc
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from support.messy_values import SOME, any_value, date
from support.record_rows import Refused, are_identical, block_row

from thalweg.streams.columns import date_layouts
from thalweg.streams.columns.codes import MATCHES, Codes
from thalweg.streams.columns.column import CATEGORY, DATE, FLAG, NUMBER, TEXT, Column
from thalweg.streams.columns.date_parts import PARTS
from thalweg.streams.columns.dates import Dates
from thalweg.streams.columns.decimals import Decimals
from thalweg.streams.columns.missing import Missing
from thalweg.streams.columns.number_text import MONEY, are_numbers
from thalweg.streams.columns.row_reader import LAYOUTS, MOST_LAYOUTS, MOST_WORDS, RowReader
from thalweg.streams.columns.words import Words

N_VALUES = 300
MISSING = {"": Missing(), "named": Missing(("-999", "gone", "12.5"))}
DOTTED, SLASHED = date_layouts.ORDERS[0][0], date_layouts.ORDERS[1][1]
SEVERAL = (date_layouts.YEAR_FIRST, DOTTED, SLASHED, date_layouts.DAY_NAMED)


def categories(match, grows):
    return Column("a", CATEGORY, Codes(["red", "1", "Yes", "No", "2.5"], grows=grows, match=match))


COLUMNS = {
    "number": lambda: Column("a", NUMBER),
    "flag": lambda: Column("a", FLAG),
    "comma": lambda: Column("a", NUMBER, reader=Decimals(",")),
    "point": lambda: Column("a", NUMBER, reader=Decimals(".")),
    "text": lambda: Column("a", TEXT, reader=Words(37)),
    "python dates": lambda: Column("a", DATE, reader=Dates((date_layouts.ARROW,), 1.7e9, PARTS)),
    "python times": lambda: Column("a", DATE, reader=Dates((date_layouts.ARROW,), 0.0, ("time",))),
    "several layouts": lambda: dates(*SEVERAL),
    **{f"closed, {match}": lambda match=match: categories(match, grows=False) for match in MATCHES},
    **{f"open, {match}": lambda match=match: categories(match, grows=True) for match in MATCHES},
    **{layout.name: lambda layout=layout: dates(layout) for layout in LAYOUTS},
}
PAIRS = [(kind, "") for kind in COLUMNS] + [
    (kind, "named") for kind in COLUMNS if kind not in date_layouts.BY_NAME or kind == "day.month.year"
]


def dates(*layouts, parts=PARTS, origin=1.7e9 + 0.5):
    return Column("a", DATE, reader=Dates(layouts, origin, parts))


def column_of(kind, missing=""):
    column = COLUMNS[kind]()
    column.missing = MISSING[missing]
    return column


def read_one(column, value):
    return RowReader([column]).read({column.name: value}, False)


def check_same(column, reader, value, learns):
    """Assert that a value is read as in a block, or declined; return whether it was read."""
    other, before = replace(column, codes=copy.deepcopy(column.codes)), copy.copy(column.codes.values)
    found = reader.read({column.name: value}, learns)
    if found is None:
        assert repr(column.codes.values) == repr(before), value
        return False
    expected = block_row([other], {column.name: value})  # raises Refused for what should have been declined
    assert are_identical(found, expected), value
    assert repr(column.codes.values) == repr(other.codes.values if learns else before), value
    return True


@pytest.mark.parametrize(("kind", "missing"), PAIRS)
def test_odd_values_are_read_as_in_a_block(kind, missing):
    column = column_of(kind, missing)
    reader = RowReader([column])
    n_read = sum(check_same(column, reader, value, learns=False) for value in SOME)
    assert n_read > 0
    if column.codes.grows and column.kind == CATEGORY:
        assert sum(check_same(column, reader, value, learns=True) for value in SOME) == n_read


@pytest.mark.parametrize(("kind", "missing"), PAIRS)
def test_random_values_are_read_as_in_a_block(kind, missing):
    rng, column = random.Random(f"{kind} {missing}"), column_of(kind, missing)
    reader = RowReader([column])
    n_read = sum(check_same(column, reader, any_value(rng), rng.random() < 0.5) for _ in range(N_VALUES))
    assert n_read > 0


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_all_dates_of_a_layout_are_read(layout):
    rng, column = random.Random(layout.name), dates(layout)
    texts = {date(rng) for _ in range(300)} | {"1709285400", "-5.5", "1.7e12", "20240229", "09:30"}
    texts |= {"24-02-29", "69/2/1 9:30 PM", "70.12.31T23:59:59Z", "24-13-01", "24-02-30"}
    n_read = 0
    for text in texts:
        try:
            expected = block_row([column], {"a": text})
        except Refused:
            assert read_one(column, text) is None, text
            continue
        assert are_identical(read_one(column, text), expected), text
        n_read += 1
    assert n_read >= 2


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("number", [f"{digits}e{power}" for digits in (1, 3, 10**15 - 1) for power in range(-40, 40)]),
        ("point", ["kr.5", "kr .5", "Rs.5", "$.5", "0.5", ".5", "5.", "1,000,000.5", "0,000", "5 kr."]),
        ("comma", ["kr.5", "kr ,5", "Rs.5", "€,5", "0,5", ",5", "5,", "1.000.000,5", "0.000", "5 kr."]),
        ("day.month.yy", ["1.1.69", "1.1.70", "1.1.99", "1.1.00", "29.2.00", "29.2.23", "31.4.24", "0.1.24"]),
        ("day.month.year", ["1.1.0069", "1.1.0070", "1.1.0099", "1.1.0100", "29.2.1900", "29.2.2000"]),
        ("year-month-day", ["2024-1-1 0:00", "2024-1-1 12:00 am", "2024-1-1 12:00 pm", "2024-1-1 13:00 pm"]),
        ("yearmonthday", ["18991231", "19000101", "21991231", "22000101"]),
        ("seconds since 1970", [f"{size:.0f}" for size in (1e11, 2e11, 5e13, 1e14, 2e14, 1e17, 2e17, -1e12)]),
    ],
)
def test_borders_are_those_of_a_block(kind, texts):
    column = column_of(kind)
    assert sum(check_same(column, RowReader([column]), text, learns=False) for text in texts) > len(texts) / 4


def test_every_layout_of_text_is_known():
    assert {*LAYOUTS, date_layouts.ARROW} == set(date_layouts.BY_NAME.values())


@pytest.mark.parametrize("n", range(1, len(PARTS) + 1))
def test_all_parts_of_dates_come_in_their_order(n):
    for parts in itertools.combinations(PARTS, n):
        column = dates(date_layouts.DAY_FIRST, parts=parts)
        for text in ("01.03.2024 09:30", "31.12.1899", "1.1.1970 23:59:59.999+05:30", None):
            assert are_identical(read_one(column, text), block_row([column], {"a": text}))


@pytest.mark.parametrize(
    ("kind", "value", "number"),
    [
        ("number", 2.5, 2.5), ("number", 7, 7), ("number", " 1e3 ", 1000), ("number", "12.5", 12.5),
        ("number", True, 1), ("number", np.float32(0.5), 0.5), ("number", np.int16(3), 3),
        ("number", "NA", np.nan), ("number", "–", np.nan), ("number", "", np.nan),
        ("number", Decimal("2.5"), 2.5), ("flag", "1", 1), ("flag", False, 0), ("flag", np.bool_(True), 1),
        ("comma", "12,50", 12.5), ("comma", "1.234,5", 1234.5),
        ("comma", "€ 1.234,56", 1234.56), ("comma", "-5,5 %", -5.5), ("comma", "1 234,5 EUR", 1234.5),
        ("comma", 12.5, 12.5), ("comma", 3, 3), ("comma", "n/a", np.nan), ("point", "€1,234.56", 1234.56),
        ("point", "(1,200)", -1200), ("point", "13 %", 13), ("point", "80.25-", -80.25), ("point", "−5", -5),
        ("point", "1'234.5", 1234.5), ("point", "CHF 12", 12), ("point", "-$5", -5), ("point", "5 kr", 5),
        ("open, exact", "red", 0), ("open, exact", " red", 0), ("open, exact", 1.0, 1), ("open, exact", 1, 1),
        ("open, exact", "01", 1), ("open, exact", "green", 5), ("open, exact", None, np.nan),
        ("open, exact", "NA", np.nan), ("open, codes", "NA", 5), ("open, caseless", "RED", 0),
        ("closed, yes/no", "ja", 2), ("closed, yes/no", True, 2), ("closed, yes/no", "off", 3),
    ],
)  # fmt: skip
def test_ordinary_values_are_read(kind, value, number):
    np.testing.assert_array_equal(read_one(column_of(kind), value), [number])


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("number", ["word", "inf", float("inf"), "1_000", "0x10", "12,5", "1e999", 2**64, [1], b"1", "true"]),
        ("flag", [2, "3", 0.5, "yes", float("inf")]),
        ("comma", ["word", "12.5", "1,2,3", True, float("inf")]),
        ("closed, exact", ["green", "RED", 7, "yes", True]),
        ("closed, caseless", ["green"]),
        ("open, exact", ["long\n" * 20_000, [1], b"red", "half \ud800 pair"]),
        ("day.month.year", ["32.1.2024", "2024-01-01", "soon", "1.1.2024 25:00", datetime.date.max, True]),
        ("python dates", ["2024-01-01", datetime.time(9, 30), 5, float("nan")]),
        ("text", [[1], b"words", "half \ud800 pair"]),
    ],
)
def test_what_a_block_would_refuse_is_declined(kind, values):
    for value in values:
        assert read_one(column_of(kind), value) is None, value


def test_named_markers_are_missing_in_every_kind():
    for kind in ("number", "comma", "point", "open, exact", "day.month.year"):
        for value in ("gone", " -999.0 ", -999):
            assert np.isnan(read_one(column_of(kind, "named"), value)).all(), (kind, value)
    assert not read_one(column_of("text", "named"), "gone").any()


def test_a_new_category_gets_the_next_code_and_keeps_it_only_if_it_is_learned():
    column = column_of("open, exact")
    reader = RowReader([column])
    assert reader.read({"a": "green"}, False) == reader.read({"a": "blue"}, False) == 5
    assert len(column.codes) == 5
    assert reader.read({"a": " green "}, True) == 5 and column.codes.values[5] == "green"
    assert reader.read({"a": "blue"}, False) == 6
    column.codes.of(["blue"])  # by a block, meanwhile
    assert reader.read({"a": "blue"}, False) == 6 and reader.read({"a": "grey"}, False) == 7
    assert reader.read({"a": Decimal("7.5")}, True) == 7 and type(column.codes.values[7]) is Decimal


def test_a_record_that_is_declined_adds_no_category():
    first, second = Column("a", CATEGORY), Column("b", NUMBER)
    assert RowReader([first, second]).read({"a": "new", "b": "word"}, True) is None
    assert len(first.codes) == 0


def test_memory_is_bounded():
    reader = RowReader([Column("a", CATEGORY), Column("b", NUMBER), Column("c", TEXT, reader=Words(8))])

    def most(n):
        tracemalloc.start()
        for i in range(n):
            reader.read({"a": f"new category {i}", "b": f"{i}.5", "c": f"é {i}"}, False)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert most(40_000) < 1.5 * most(8000)


def test_values_may_be_absent_nested_or_of_no_column():
    columns = [Column("a", NUMBER), Column("b.c", NUMBER), Column("b.d.e", CATEGORY), Column("f", TEXT)]
    columns[3].reader = Words(2)
    reader = RowReader(columns)
    nested = {"b": {"c": "2.5", "d": {"e": "x"}}, "other": object()}
    for record in (nested, OrderedDict(nested), {"b.c": 2.5, "b.d": {"e": "x"}}, {"b.c": 2.5, "b.d.e": "x"}):
        np.testing.assert_array_equal(reader.read(record, False), [np.nan, 2.5, 0, 0, 0])
    np.testing.assert_array_equal(reader.read({"b.c": 1, "b": {"c": 2}, "a": 3}, False), [3, 1, np.nan, 0, 0])
    assert np.isnan(reader.read({"b": None}, False)[:3]).all()
    assert reader.read({"b": 5}, False) is None
    assert reader.read({"b": {"c": [1]}}, False) is None
    assert reader.read({"b": {"d": {}}, "b.d": {"e": 1}}, False) is not None


def test_a_text_of_very_many_inputs_is_declined():
    assert read_one(Column("a", TEXT, reader=Words(MOST_WORDS)), "word").sum() == 1
    assert read_one(Column("a", TEXT, reader=Words(MOST_WORDS + 1)), "word") is None


def test_a_date_of_very_many_layouts_is_declined():
    assert read_one(dates(*[date_layouts.YEAR_FIRST] * MOST_LAYOUTS), "2024-01-01") is not None
    assert read_one(dates(*[date_layouts.YEAR_FIRST] * (MOST_LAYOUTS + 1)), "2024-01-01") is None


def test_units_are_those_of_numbers_in_files():
    assert are_numbers([f"{unit} 5" for unit in MONEY], ".").to_pylist() == [True] * len(MONEY)
    assert are_numbers([f"5{unit}" for unit in MONEY], ".").to_pylist() == [True] * len(MONEY)


def test_rows_are_new_arrays():
    reader = RowReader([Column("b", NUMBER), dates(date_layouts.YEAR_FIRST)])
    rows = [reader.read({"b": i}, False) for i in range(3)]
    assert [row[0] for row in rows] == [0, 1, 2]
    assert all(row.flags.c_contiguous and row.flags.owndata and row.dtype == np.float64 for row in rows)


def test_threads_may_read_side_by_side():
    columns = [Column("a", NUMBER), Column("b", CATEGORY), Column("c", TEXT, reader=Words(16))]
    columns[1].codes.of([f"value {i}" for i in range(0, 9000, 2)])
    reader = RowReader(columns)
    records = [{"a": f"{i}.25", "b": f"value {i}", "c": f"é word {i}"} for i in range(9000)]
    expected = [reader.read(record, False) for record in records]
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(lambda _: [reader.read(record, False) for record in records], range(4)):
            assert all(map(are_identical, rows, expected))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_a_copy_reads_into_its_own_categories(copied):
    column = column_of("open, exact")
    other, reader = copied((column, RowReader([column])))
    assert reader.read({"a": "green"}, True) == 5
    assert other.codes.values[5:] == ["green"] and len(column.codes) == 5
