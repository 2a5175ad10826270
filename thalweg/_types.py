"""Types that many signatures share."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
"""Rows × inputs, rows × classes, or one number a row."""

Codes: TypeAlias = NDArray[np.intp]
"""Positions in `classes`, one a row."""

Mask: TypeAlias = NDArray[np.bool_]
"""True where something holds."""

Counts: TypeAlias = NDArray[Any]
"""Whole or real numbers of rows."""

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""What a parameter `random_state` can be."""

State: TypeAlias = dict[str, Any]
"""What `state()` returns: arrays, numbers, strings, and lists and dicts of them."""
