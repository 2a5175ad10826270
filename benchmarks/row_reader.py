"""How long RowReader takes for one record of ten columns of mixed kinds, beside parsing it from JSON."""

import json
import timeit
from functools import partial

from thalweg.streams.columns.codes import Codes
from thalweg.streams.columns.column import CATEGORY, DATE, FLAG, NUMBER, TEXT, Column
from thalweg.streams.columns.date_layouts import DAY_FIRST
from thalweg.streams.columns.date_parts import PARTS
from thalweg.streams.columns.dates import Dates
from thalweg.streams.columns.decimals import Decimals
from thalweg.streams.columns.row_reader import RowReader
from thalweg.streams.columns.words import Words

N_CALLS, REPEATS = 10_000, 30
RECORD = {
    "price": "12,50", "weight": 3.25, "n_items": 4, "width": "17.5", "shop": "north", "colour": "dark red",
    "size": "XL", "when": "01.03.2024 09:30", "paid": 1, "comment": "Please leave at the door",
}


def columns():
    return [
        Column("price", NUMBER, reader=Decimals(",")),
        *(Column(name, NUMBER) for name in ("weight", "n_items", "width")),
        Column("shop", CATEGORY, Codes(["south", "north", "east"], grows=True)),
        Column("colour", CATEGORY, Codes(["dark red", "blue"], grows=True, match="caseless")),
        Column("size", CATEGORY, Codes(["S", "M", "L", "XL"])),
        Column("when", DATE, reader=Dates((DAY_FIRST,), 1.7e9, PARTS)),
        Column("paid", FLAG),
        Column("comment", TEXT, reader=Words(256)),
    ]


def microseconds(call):
    """Return the least time of a call in a loop."""
    return 1e6 * min(timeit.repeat(call, number=N_CALLS, repeat=REPEATS)) / N_CALLS


def main():
    read, text = RowReader(columns()).read, json.dumps(RECORD)
    print(f"RowReader.read   {microseconds(partial(read, RECORD, False)):6.2f} µs")
    print(f"json.loads       {microseconds(partial(json.loads, text)):6.2f} µs")
    for column in columns():
        taken = microseconds(partial(RowReader([column]).read, RECORD, False))
        print(f"  {column.name:9} {column.kind:9} {taken:6.2f} µs")


if __name__ == "__main__":
    main()
