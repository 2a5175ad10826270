"""Types that many signatures share."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
"""Rows × inputs, rows × classes, or one number for each row."""

Ints: TypeAlias = NDArray[np.intp]
"""Codes of labels, positions or counts."""

Numbers: TypeAlias = NDArray[np.int64]
"""Ids of rows, or the numbers under which rows wait for their labels."""

Block: TypeAlias = tuple[Floats, Ints]
"""Rows and the codes of their labels."""

Labelled: TypeAlias = tuple[Floats, NDArray[Any]]
"""Rows and their labels."""

Mask: TypeAlias = NDArray[np.bool_]
"""True where something holds."""

Counts: TypeAlias = NDArray[Any]
"""Numbers of rows, whole or weighted."""

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""What a parameter `random_state` can be."""

RowsLike: TypeAlias = ArrayLike | Sequence[dict[Any, Any]]
"""Rows as a user gives them: an array, nested lists, a data frame, or dicts of named inputs."""

AnyArray: TypeAlias = NDArray[Any]
"""Numbers or labels of any type."""

State: TypeAlias = dict[str, Any]
"""What `state()` returns: arrays, numbers, strings, and lists and dicts of them."""

Arrays: TypeAlias = dict[str, AnyArray]
"""A kernel's arrays by name."""

Lengths: TypeAlias = dict[str, Any]
"""Axes of a kernel's arrays, and how long each is: None where it grows."""
