"""The columns of a file of predictions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thalweg.errors import StreamError
from thalweg.streams.files.open import from_file
from thalweg.streams.files.pipes import is_once, name_of

ROWS_AT_A_TIME = 10_000


def read_file(
    path: str, names: Sequence[str], target: str, reading: dict[str, Any]
) -> dict[str, NDArray[Any]]:
    """Return the columns `names` and `target` of a file; `reading` are settings of `from_file`.

    Labels are as `from_file` finds them, None where one is missing; other columns are numbers if all their
    cells are, else text.
    """
    from thalweg.trust.prediction_tables import check_column

    if is_once(path):
        raise StreamError(f"{name_of(path)} cannot be read twice: write the predictions to a file first")
    known = list(from_file(path, with_labels=False, n_words=0, **reading).columns.kinds)
    for name in [*names, target]:
        check_column(name, known, path)
    others = [name for name in known if name not in (*names, target)]
    wanted = list(dict.fromkeys(names))
    # One column stays as an input, since a stream needs one; all cells come from those that are kept.
    stream = from_file(path, target, keep=wanted, ignore=[*others, *wanted[1:]], n_words=0, **reading)
    cells: dict[str, list[Any]] = {name: [] for name in wanted}
    codes = []
    for _, block_codes, kept in stream.blocks_with_cells(ROWS_AT_A_TIME):
        codes.append(np.array(block_codes))
        for name in wanted:
            cells[name] += kept.column(name).to_pylist()
    columns = {name: _column(values) for name, values in cells.items()}
    labels = np.array([*np.asarray(stream.classes).tolist(), None], dtype=object)
    found = np.concatenate([np.empty(0, dtype=np.intp), *codes])
    return columns | {target: labels[found]}


def _column(values: list[Any]) -> NDArray[Any]:
    if all(isinstance(each, float | int) or each is None for each in values):
        return np.array([np.nan if each is None else each for each in values], dtype=np.float64)
    return np.array(values, dtype=object)
