"""How wide text is in a picture, about: for names that have to fit beside a chart."""

CLASSES = {"WMmw@%": 13.0, "ijl.,:;'|!()[] ": 4.8, "frt-": 5.8}  # pixels at 13 pixels, of a wide typeface
WIDTHS = {letter: width for letters, width in CLASSES.items() for letter in letters}
CAPITAL, OTHER = 9.6, 8.2


def width_of(text: str) -> float:
    """Return the width of text in pixels, rather too much than too little."""
    return sum(WIDTHS.get(letter, CAPITAL if letter.isupper() else OTHER) for letter in text)


def fitted(text: str, most: float) -> str:
    """Return the text, or as much of its beginning as fits into `most` pixels."""
    if width_of(text) <= most:
        return text
    n = len(text) - 1
    while n > 1 and width_of(text[:n] + "…") > most:
        n -= 1
    return text[:n].rstrip() + "…"
