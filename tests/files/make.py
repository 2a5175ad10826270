"""Write the messy files of this folder and their clean twins; `expected.toml` says how each is read.

Each maker returns the cells of a file as they should be written cleanly, and as people write them. Run it
again after a change: `python tests/files/make.py`.
"""

import csv
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
N = 60
SHOPS = ("Aachen", "Bern", "Cork")


def amounts(rng, low=20, high=9000):
    """Return amounts of money with cents, the last decimal not 0."""
    return [round(rng.uniform(low, high), 2) + (0.01 if k % 5 else 0.02) for k in range(N)]


def table(**columns):
    """Return the header and the rows of columns."""
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


def paid(values):
    """Return a label that the values tell."""
    middle = sorted(values)[len(values) // 2]
    return ["yes" if value > middle else "no" for value in values]


def with_amounts(rng, write):
    """Return a clean and a messy file whose amounts are written by `write(amount, k)`."""
    values = [f"{value:.2f}" for value in amounts(rng)]
    shops = [rng.choice(SHOPS) for _ in range(N)]
    labels = paid([float(value) for value in values])
    messy = [write(float(value), k) for k, value in enumerate(values)]
    return table(shop=shops, amount=values, paid=labels), table(shop=shops, amount=messy, paid=labels)


def swapped(text):
    """Return a number with the marks of German: 1.234,5."""
    return text.translate(str.maketrans(",.", ".,"))


def euro(rng):
    """Return amounts such as €4,222.11."""
    return with_amounts(rng, lambda value, k: f"€{value:,.2f}")


def dollar(rng):
    """Return amounts such as $ 1,764.60, some without the sign."""
    return with_amounts(rng, lambda value, k: f"$ {value:,.2f}" if k % 7 else f"{value:.2f}")


def euro_behind(rng):
    """Return amounts such as 1.764,60 EUR, also written with the sign."""
    return with_amounts(rng, lambda value, k: swapped(f"{value:,.2f}") + (" EUR" if k % 3 else " €"))


FILES = {"euro": euro, "dollar": dollar, "euro_behind": euro_behind}
DELIMITERS = {"euro_behind": ";"}


def write(path, rows, delimiter=","):
    """Write rows of cells as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    for name, make in FILES.items():
        clean, messy = make(Random(name))
        write(HERE / f"{name}.clean.csv", clean)
        write(HERE / f"{name}.csv", messy, DELIMITERS.get(name, ","))
