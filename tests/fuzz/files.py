"""Read damaged files of every format: each must be read or refused in one line, without a crash or a hang.

    PYTHONPATH=tests python tests/fuzz/files.py --seconds 60 --seed 1

A file that is a problem is kept in build/fuzz.
"""

import resource
import sys
from pathlib import Path

import numpy as np
from support.damaged_files import read_damaged, tell
from support.isolated import run_script
from support.valid_files import valid_files

from thalweg.errors import StreamError
from thalweg.streams import from_arrays, from_file

TIME_LIMIT = 10
MEMORY_LIMIT = 1_000_000
ROW = [1.5, "red", 0.0]
SCHEMA = from_arrays(
    [ROW], ["up"], names=["price", "colour", "flag"], categorical=["colour"], classes=["down", "up"]
).schema()
OPTIONS = {
    "raise": {},
    "skip": {"on_error": "skip"},
    "told": {"classes": ["down", "up"]},
    "like": {"like": SCHEMA | {"target": "class"}, "on_error": "skip"},
}


def read(path):
    """Return "read", "refused", or what is wrong with how the file was read; its name begins with options."""
    lost = []
    sys.unraisablehook = lost.append
    before = _most_memory()
    try:
        wrong = _wrong_rows(from_file(path, **OPTIONS[Path(path).name.split("-")[0]]))
        answer = f"wrong rows: {wrong}" if wrong else "read"
    except StreamError as error:
        is_clear = path in str(error) and len(str(error).splitlines()) == 1
        answer = "refused" if is_clear else f"message is not clear: {str(error)!r}"
    except BaseException as error:
        answer = f"{type(error).__name__}: {error}"
    if lost:
        answer = f"an error is not passed on: {lost[0].exc_value!r}"
    grown = _most_memory() - before
    return answer if grown < MEMORY_LIMIT else f"{grown / 1000:.0f} MB of memory; {answer}"


def _most_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _wrong_rows(stream):
    """Return what is wrong with the rows of `stream`, None if nothing is."""
    total = 0
    for X, codes in stream.coded_blocks(7):
        total += len(X)
        if X.shape != (len(codes), stream.n_features) or X.dtype != float:
            return f"an array of shape {X.shape}"
        if np.isinf(X).any():
            return "infinity"
        if not ((codes >= -1) & (codes < len(stream.classes))).all():
            return f"codes {codes}"
        for j, n in enumerate(stream.n_categories):
            known = X[:, j][~np.isnan(X[:, j])]
            if n and not np.isin(known, np.arange(n)).all():
                return f"categories {known} of {n}"
    return None if stream.n_rows in (None, total) else f"{total} rows instead of {stream.n_rows}"


def run(seed, **limit):
    """Read damaged files; return counts of (name, answer), and the problems."""
    return read_damaged(__file__, valid_files(), OPTIONS, seed, **limit)


if __name__ == "__main__":
    run_script(__doc__, read, TIME_LIMIT, run, tell)
