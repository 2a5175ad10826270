"""Public datasets by name, from a folder of files or from OpenML.

`elec2(data, **options)` is short for `load("elec2", data, **options)`: `data` is the folder with the file,
and `options` go to `from_file`.
"""

import inspect
import os
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from thalweg._misspelt import hint
from thalweg.errors import StreamError
from thalweg.streams.base import Stream

# name: (files to look for, number at OpenML or None, first rows of new concepts where these are known)
FILES: dict[str, tuple[tuple[str, ...], int | None, Sequence[int]]] = {
    "elec2": (("elec2.arff", "electricity.arff"), 151, ()),
    "elec2_raw": (("elec2-raw.arff",), None, ()),
    "usenet1": (("usenet1.arff",), None, range(300, 1500, 300)),
    "usenet2": (("usenet2.arff",), None, range(300, 1500, 300)),
    "spam": (("spam_data.arff", "spam_corpus.arff"), None, ()),
    "email_list": (("email-list.csv.gz",), None, range(300, 1500, 300)),
    "weather": (("weather.arff",), None, ()),
    "covertype": (("covertype.csv.gz", "covertype-100k.csv.gz", "covertype.arff"), 1596, ()),
    "luxembourg": (("luxembourg.csv",), None, ()),
    "keystroke": (("keystroke.arff",), None, ()),
    "powersupply": (("powersupply.csv",), None, ()),
    "insects_gradual": (("insects-gradual.csv.gz",), None, ()),
    "gmsc": (("gmsc.arff.gz",), None, ()),
    "santa_fe": (("santa-fe-laser.txt",), None, ()),
}
# name: the page of those who made it
PAGES = dict.fromkeys(("usenet1", "usenet2", "spam"), "http://mlkd.csd.auth.gr/concept_drift.html")
__all__ = ["load", "names", "summary", *FILES]


def names() -> tuple[str, ...]:
    """Return the names of all datasets."""
    return tuple(FILES)


def summary(name: str) -> str:
    """Return one line about a dataset.

    Parameters
    ----------
    name : str
        One of `names()`.
    """
    return str(globals()[name].__doc__).splitlines()[0]


def load(name: str, data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Return a dataset as a stream.

    Parameters
    ----------
    name
        One of `names()`.
    data
        Folder with its file; by default that of the environment variable THALWEG_DATA. If the file is not
        there, the dataset is downloaded from OpenML, if OpenML has it, to a cache folder (THALWEG_CACHE, or
        the usual place of the system) with a checksum that is verified each time.
    options
        Passed on to `from_file`; for `santa_fe`, to `ThresholdSeries`.
    """
    if name not in FILES:
        raise StreamError(f"there is no dataset {name!r}; {hint(name, FILES, 'datasets')}")
    path = _file_of(name, data)
    if name == "santa_fe":
        return _series(path, options)
    from thalweg.streams.files.open import from_file

    stream = from_file(path, **options)
    if stream.file_order is None:
        stream.drifts = np.array(FILES[name][2], dtype=np.intp)
    return stream


def elec2(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Electricity prices of New South Wales, up or down: 45,312 rows, 8 inputs, 2 classes."""
    return load("elec2", data, **options)


def elec2_raw(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Electricity as first published, with missing values: 45,312 rows, 8 inputs, 2 classes."""
    return load("elec2_raw", data, **options)


def usenet1(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Newsgroup messages, interests that change every 300 rows: 1,500 rows, 99 words, 2 classes."""
    return load("usenet1", data, **options)


def usenet2(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Newsgroup messages, one topic of interest at a time, for 300 rows: 1,500 rows, 99 words, 2 classes."""
    return load("usenet2", data, **options)


def spam(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """E-mail of SpamAssassin, spam or legitimate, drifting gradually: 9,324 rows, 499 words, 2 classes."""
    return load("spam", data, **options)


def email_list(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """E-mail messages, interests that change every 300 rows: 1,500 rows, 913 words, 2 classes."""
    return load("email_list", data, **options)


def weather(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Daily weather at Bellevue, rain or none, 1949 to 1999: 18,159 rows, 8 inputs, 2 classes."""
    return load("weather", data, **options)


def covertype(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Forest cover types: 581,012 rows (or a file's first 100,000), 54 inputs, 7 classes."""
    return load("covertype", data, **options)


def luxembourg(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Internet use in surveys over time: 1,901 rows, 31 inputs, 2 classes."""
    return load("luxembourg", data, **options)


def keystroke(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Who is typing, by rhythm: 1,600 rows, 10 inputs, 4 classes."""
    return load("keystroke", data, **options)


def powersupply(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Hour of the day from the power load: 29,928 rows, 2 inputs, 24 classes."""
    return load("powersupply", data, **options)


def insects_gradual(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Flying insects by wing beat, temperature drifting gradually: 24,150 rows, 33 inputs, 6 classes."""
    return load("insects_gradual", data, **options)


def gmsc(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Credit defaults ("Give Me Some Credit"), 6.7 % of them: 150,000 rows, 10 inputs, 2 classes."""
    return load("gmsc", data, **options)


def santa_fe(data: str | PathLike[str] | None = None, **options: Any) -> Stream:
    """Santa Fe laser series A against a moving threshold: 9,990 rows, 9 inputs, 2 classes."""
    return load("santa_fe", data, **options)


def places(name: str, data: str | PathLike[str] | None) -> list[Path]:
    """Return where the file of a dataset may be in the folder, or in that of THALWEG_DATA."""
    folder = data or os.environ.get("THALWEG_DATA")
    return [Path(folder) / file for file in FILES[name][0]] if folder else []


def _file_of(name: str, data: str | PathLike[str] | None) -> Path:
    """Return the path of the file of a dataset; download it if necessary."""
    files, number, _ = FILES[name]
    folder = data or os.environ.get("THALWEG_DATA")
    for path in places(name, folder):
        if path.is_file():
            return path
    advice = f"put {files[0]} into {folder or 'a folder and set THALWEG_DATA to that folder'}"
    if number is None:
        reason = "OpenML does not offer it in its published order"
        origin = f"; get it from {PAGES[name]}" if name in PAGES else ""
        raise StreamError(f"dataset {name}: {reason}{origin}; {advice}")
    from thalweg.streams.openml import cached

    return cached(name, number, advice)


def _series(path: Path, options: dict[str, Any]) -> Stream:
    from thalweg.streams.files.errors import reading
    from thalweg.streams.generators.threshold_series import ThresholdSeries

    strange = [name for name in options if name not in inspect.signature(ThresholdSeries).parameters]
    if strange:
        raise StreamError(f"{path} is a series of numbers, not a table: there is no {strange[0]} to set")
    with reading(str(path)):
        try:
            series = np.array(path.read_text(encoding="utf-8").split(), dtype=float)
        except ValueError as error:
            raise StreamError(f"{path} is not a list of numbers, one a line: {error}") from error
    return ThresholdSeries(series, **options)


def __dir__() -> list[str]:
    return __all__
