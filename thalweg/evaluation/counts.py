"""Numbers of rows and other things in words, for the terminal and for pages."""


def count(n: int, what: str) -> str:
    """Return a number with the word for what is counted: "1 row", "2,000 rows"."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def without_label(n: int) -> str:
    """Return in words that `n` rows have no label."""
    return f"{count(n, 'row')} without a label"
