"""Print where Python may keep its caches below thalweg/: nothing of it is installed."""

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "thalweg"
folders = [PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir() and path.name != "__pycache__")]
print(*((path / "__pycache__").relative_to(PACKAGE).as_posix() for path in folders))
