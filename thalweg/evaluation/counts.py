"""Numbers as text, for the terminal and for pages: counts, shares and their errors."""

import math

NOT_DEFINED = "–"
DATE = "%Y-%m-%d %H:%M:%S %z"


def count(n: int, what: str) -> str:
    """Return a number with the word for what is counted: "1 row", "2,000 rows"."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def without_label(n: int) -> str:
    """Return in words that `n` rows have no label."""
    return f"{count(n, 'row')} without a label"


def formatted(value: float, form: str) -> str:
    """Return a number in a format, or a dash if it is not defined."""
    return format(value, form) if math.isfinite(value) else NOT_DEFINED


def points(share: float, form: str = ".2f") -> str:
    """Return a fraction of 1 in per cent, without the sign."""
    return formatted(100 * share, form)


def percentage(share: float, form: str = ".2f") -> str:
    """Return a fraction of 1 as a percentage."""
    return f"{points(share, form)} %" if math.isfinite(share) else NOT_DEFINED


def plus_minus(value: str, error: float) -> str:
    """Return a share, as text, with its standard error if that is known."""
    return value if math.isnan(error) else f"{value} ± {points(error)}"


def all_of(names: list[str]) -> str:
    """Return names in words: "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
