"""Costs of wrong answers, read from a CSV file."""

import csv
from pathlib import Path
from typing import Any

from thalweg.errors import StreamError

FORMS = (
    "write two columns, a label and what it costs to miss it, or a matrix: the answers in the first line, "
    "then a line for each label"
)


def read_costs(path: str | None) -> dict[str, Any] | None:
    """Return the costs in a file by labels, as `thalweg.trust.Calibrated` takes them; None without a file.

    The first line is a head. With two columns, a line has a label and the cost of missing it; with more, the
    head has the answers, and a line has a label and the cost of each answer. Cells are separated by commas,
    or by semicolons or tabs if there are any in the head; numbers may then have decimal commas.
    """
    if path is None:
        return None
    text = _text_of(path)
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = next((each for each in ";\t" if each in first), ",")
    read = csv.reader(text.splitlines(), delimiter=delimiter, skipinitialspace=True)
    lines = [line for line in read if any(line)]
    if len(lines) < 2 or len(lines[0]) < 2:
        raise StreamError(f"--costs {path}: {FORMS}")
    head, *rest = lines
    found: dict[str, Any] = {}
    for n, line in enumerate(rest, start=2):
        if len(line) != len(head):
            raise StreamError(f"--costs {path}, line {n}: {len(line)} cells, but the head has {len(head)}")
        label = line[0].strip()
        if label in found:
            raise StreamError(f"--costs {path}, line {n}: the label {label!r} comes twice")
        costs = [_cost(cell, path, n, name) for cell, name in zip(line[1:], head[1:], strict=True)]
        answers = [name.strip() for name in head[1:]]
        found[label] = costs[0] if len(head) == 2 else dict(zip(answers, costs, strict=True))
    return found


def _text_of(path: str) -> str:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise StreamError(f"--costs {path}: cannot read the file: {error}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")  # as other files of text are read


def _cost(cell: str, path: str, n: int, name: str) -> float:
    try:
        return float(cell.replace(",", ".") if cell.count(",") == 1 and "." not in cell else cell)
    except ValueError:
        where = f"--costs {path}, line {n}, column {name.strip()!r}"
        raise StreamError(f"{where}: {cell!r} is not a number; {FORMS}") from None
