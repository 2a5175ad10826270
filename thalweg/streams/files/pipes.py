"""Paths whose bytes can be read only once: standard input, pipes and devices."""

import os
import stat


def is_once(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is `-`, standard input, or that of a pipe or device; False for nothing."""
    if path == "-":
        return True
    try:
        kind = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))


def name_of(path: str | os.PathLike[str]) -> str:
    """Return what messages call a path."""
    return "standard input" if path == "-" else str(path)
