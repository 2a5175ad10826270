"""Write the messy files of this folder and their clean twins; `expected.toml` says how each is read.

Each maker returns the cells of a file as they should be written cleanly, and as people write them. Run it
again after a change: `python tests/files/make.py`.
"""

import csv
import datetime
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


def accounting(rng):
    """Return amounts of which a third is negative: (1,200.50), 80.25-, −80.25, $-80.25."""
    ways = ("({:,.2f})", "{:,.2f}-", "−{:,.2f}", "$-{:,.2f}", "-${:,.2f}")
    values = [(-1 if k % 3 == 0 else 1) * value for k, value in enumerate(amounts(rng))]
    messy = [f"{value:,.2f}" if value > 0 else ways[k // 3 % 5].format(-value)
             for k, value in enumerate(values)]
    shops, labels = [rng.choice(SHOPS) for _ in range(N)], paid(values)
    clean = table(shop=shops, amount=[f"{value:.2f}" for value in values], paid=labels)
    return clean, table(shop=shops, amount=messy, paid=labels)


def spaces(rng):
    """Return thousands apart by blanks of three kinds, and by apostrophes."""
    marks = (" ", "\u00a0", "\u202f", "'", "’")
    return with_amounts(rng, lambda value, k: f"{value:,.2f}".replace(",", marks[k % 5]))


def percent(rng):
    """Return shares such as 13 % and 7.5%."""
    shares = [f"{rng.uniform(0, 100):.1f}" for _ in range(N)]
    messy = [share + (" %" if k % 2 else "%") for k, share in enumerate(shares)]
    labels, staff = paid([float(share) for share in shares]), [rng.randrange(3, 90) for _ in range(N)]
    return table(share=shares, staff=staff, good=labels), table(share=messy, staff=staff, good=labels)


def currencies(rng):
    """Return amounts in euros and dollars, which are not one unit."""
    return with_amounts(rng, lambda value, k: f"{'€' if k % 4 else '$'}{value:,.2f}")


def missing(rng):
    """Return numbers and dates with every kind of marker for a missing value."""
    marks = ("-", "--", ".", "n/a", "#N/A", "none", "null", "?", "None", "N/A", "")
    heat, days = [f"{rng.gauss(20, 5):.1f}" for _ in range(N)], dates(rng)
    labels = paid([float(value) for value in heat])
    levels = [rng.choice(("none", "low", "high")) for _ in range(N)]

    def cells(values, texts):
        return [next(texts) if k % 4 == 0 else value for k, value in enumerate(values)]

    def repeated():
        while True:
            yield from marks

    clean = table(heat=cells(heat, iter([""] * N)), day=cells(days, iter([""] * N)), level=levels, ok=labels)
    return clean, table(heat=cells(heat, repeated()), day=cells(days, repeated()), level=levels, ok=labels)


def sentinel(rng):
    """Return numbers in which -999 and -999.0 are missing, and words in which "unknown" is."""
    heat = [f"{rng.gauss(20, 5):.1f}" for _ in range(N)]
    town = [rng.choice(SHOPS) for _ in range(N)]
    labels = paid([float(value) for value in heat])
    gone = {k: ("-999", "-999.0")[k % 2] for k in range(0, N, 7)}
    messy = table(heat=[gone.get(k, value) for k, value in enumerate(heat)],
                  town=["unknown" if k % 9 == 8 else name for k, name in enumerate(town)], ok=labels)
    clean = table(heat=["" if k in gone else value for k, value in enumerate(heat)],
                  town=["" if k % 9 == 8 else name for k, name in enumerate(town)], ok=labels)
    return clean, messy


def countries(rng):
    """Return codes of countries, of which NA is Namibia; its twin has other words for them."""
    codes = ["DE", "NA", "FR", "IT", *(rng.choice(("DE", "FR", "IT", "NA")) for _ in range(N - 4))]
    names = {"DE": "Germany", "FR": "France", "IT": "Italy", "NA": "Namibia"}
    size = [rng.randrange(1, 500) for _ in range(N)]
    labels = paid(size)
    return table(country=[names[code] for code in codes], size=size, big=labels), table(
        country=codes, size=size, big=labels)


def dates(rng):
    """Return days of some months, in order."""
    day = datetime.date(2023, 11, 20)
    return [str(day := day + datetime.timedelta(days=rng.randrange(1, 5))) for _ in range(N)]


def mixed_dates(rng):
    """Return dates in four formats, some with a time."""
    days = [datetime.datetime.fromisoformat(day) for day in dates(rng)]
    times = [day.replace(hour=rng.randrange(24), minute=30) if k % 5 == 0 else day
             for k, day in enumerate(days)]
    forms = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%b %d, %Y")
    messy = [f"{time:{forms[k % 4]}}" + (f" {time:%H:%M}" if k % 5 == 0 else "")
             for k, time in enumerate(times)]
    size = [rng.randrange(1, 500) for _ in range(N)]
    clean = [time.isoformat(" ") for time in times]
    return table(when=clean, size=size, big=paid(size)), table(when=messy, size=size, big=paid(size))


def yes_no(rng):
    """Return an input and a label with all spellings of yes and no."""
    smoker = ["no", *(rng.choice(("yes", "no")) for _ in range(N - 1))]
    left = ["yes", "no", *(rng.choice(("yes", "no")) for _ in range(N - 2))]
    ways = {"yes": ("yes", "Yes", "yes", "Y", " YES"), "no": ("no", "NO", "no", "n", "No ")}
    age = [rng.randrange(18, 90) for _ in range(N)]
    messy = [[ways[value][rng.randrange(5)] for value in values] for values in (smoker, left)]
    return table(age=age, smoker=smoker, left=left), table(age=age, smoker=messy[0], left=messy[1])


def spelled_labels(rng):
    """Return labels with capital letters here and there, and blanks around them."""
    length = [round(rng.uniform(1, 7), 2) for _ in range(N)]
    kinds = ["setosa" if value < 3 else "versicolor" if value < 5 else "virginica" for value in length]
    ways = (str, str, str.upper, str.capitalize, lambda text: f" {text}")
    messy = [ways[rng.randrange(5)](kind) for kind in kinds]
    width = [round(rng.uniform(1, 3), 2) for _ in range(N)]
    return table(length=length, width=width, species=kinds), table(length=length, width=width, species=messy)


def zip_codes(rng):
    """Return zip codes, some with a leading zero; in its twin they have a letter in front."""
    codes = [f"{rng.choice((1067, 4109, 10115, 20095, 50667, 80331)):05}" for _ in range(N)]
    codes[:2] = "10115", "01067"
    size = [rng.randrange(1, 500) for _ in range(N)]
    return table(plz=[f"D{code}" for code in codes], size=size, big=paid(size)), table(
        plz=codes, size=size, big=paid(size))


def phones(rng):
    """Return phone numbers, all different, in three ways to write them."""
    ways = ("+49 30 {:07}", "+49 (301) {:07}", "+49-301-{:07}")
    numbers = [ways[k % 3].format(rng.randrange(10**6, 10**7)) for k in range(N)]
    size = [rng.randrange(1, 500) for _ in range(N)]
    return table(size=size, big=paid(size)), table(phone=numbers, size=size, big=paid(size))


def late_date(rng):
    """Return a file whose last column is a date; the label is before it."""
    size = [rng.randrange(1, 500) for _ in range(N)]
    return None, table(size=size, shop=[rng.choice(SHOPS) for _ in range(N)], paid=paid(size), day=dates(rng))


def late_id(rng):
    """Return a file whose last column is an id; the label is called so."""
    size = [rng.randrange(1, 500) for _ in range(N)]
    ids = [f"C-{rng.randrange(10**6):06}" for _ in range(N)]
    return None, table(label=paid(size), size=size, shop=[rng.choice(SHOPS) for _ in range(N)], customer=ids)


def headless(rng):
    """Return rows without a header, with decorated numbers in the first one."""
    clean, messy = with_amounts(rng, lambda value, k: f"€{value:,.2f}")
    return [["x0", "x1", "x2"], *clean[1:]], messy[1:]


FILES = (
    euro, dollar, euro_behind, accounting, spaces, percent, currencies, missing, sentinel, countries,
    mixed_dates, yes_no, spelled_labels, zip_codes, phones, late_date, late_id, headless,
)
DELIMITERS = {"euro_behind": ";"}


def write(path, rows, delimiter=","):
    """Write rows of cells as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    for make in FILES:
        name = make.__name__
        clean, messy = make(Random(name))
        write(HERE / f"{name}.csv", messy, DELIMITERS.get(name, ","))
        if clean is not None:
            write(HERE / f"{name}.clean.csv", clean)
