"""What becomes of labels that are new after the first rows, and the warning of them."""

from collections.abc import Sequence
from typing import Any

from thalweg._misspelt import meant_class
from thalweg._warn import warn
from thalweg.errors import LabelWarning, first_of, short_repr

ADD, REFUSE = "add", "refuse"


def warn_of_labels(labels: Sequence[Any], known: Sequence[Any], rows: str) -> None:
    """Warn of labels that became classes after these rows, where others were known."""
    named, meant = first_of([*map(short_repr, labels)], 5), meant_class(labels[0], known)
    warn(
        f"new after {rows}, and now classes of all keys: {named}{meant or '.'} With new_labels=refuse such "
        "rows are refused",
        LabelWarning,
    )
