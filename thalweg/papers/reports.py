"""What a reproduction found: tables, claims that hold or not, notes, figures."""

import dataclasses
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 140
VERDICTS = {True: "yes", False: "no", None: "undecided"}

Mean: TypeAlias = tuple[float, float]
"""A mean and its standard error."""

Verdict: TypeAlias = tuple[str, bool | None]
"""What was measured, and whether a claim holds."""


@dataclass
class Table:
    """Rows of text and numbers under a header; a number may be a pair, a mean and its standard error."""

    title: str
    header: list[str]
    rows: Sequence[Sequence[object]]


@dataclass
class Claim:
    """A claim of a paper, what we measured, whether it holds (None: undecided), and the number there."""

    claim: str
    measured: str
    holds: bool | None
    paper: str = ""


@dataclass
class Report:
    """All that is shown of a reproduction."""

    paper: str
    reference: str
    settings: dict[str, object]
    tables: list[Table] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    drawing: Callable[[Path], Iterable[Path]] | None = field(default=None, repr=False)

    def to_json(self) -> str:
        """Return the report as one JSON object."""
        content = dataclasses.asdict(dataclasses.replace(self, drawing=None))
        del content["drawing"]
        return json.dumps(content)

    def draw(self, folder: str | Path) -> list[str]:
        """Draw the paper's figures into a folder; return their paths."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.figures = [str(path) for path in self.drawing(Path(folder))] if self.drawing else []
        return self.figures

    def show(self, console: "Console | None" = None) -> None:
        """Print the report."""
        from rich.table import Table as Grid

        from thalweg._console import Console

        console = console or Console(width=None if sys.stdout.isatty() else WIDTH)
        console.print(self.paper, style="bold")
        console.print(self.reference)
        console.print("; ".join(f"{key} {value}" for key, value in self.settings.items()))
        for table in self.tables:
            grid = Grid(*table.header, title=table.title, title_justify="left")
            for row in table.rows:
                grid.add_row(*map(cell_text, row))
            console.print(grid)
        header = ("the paper says", "its number", "measured here", "holds")
        grid = Grid(*header, title="Claims", title_justify="left")
        for claim in self.claims:
            grid.add_row(claim.claim, claim.paper, claim.measured, VERDICTS[claim.holds])
        console.print(grid)
        for line in [*self.notes, *(f"drawn: {path}" for path in self.figures)]:
            console.print(line)


def averaged(values: ArrayLike) -> Mean:
    """Return the mean of values and its standard error."""
    known = np.asarray(values, dtype=float)
    error = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else 0.0
    return float(known.mean()), float(error)


def is_positive(differences: ArrayLike) -> bool | None:
    """Return whether the mean of differences is above 0; None if it is within two standard errors of 0."""
    mean, error = averaged(differences)
    return None if abs(mean) <= 2 * error else mean > 0


def cell_text(value: object) -> str:
    """Return a cell as text: a number with three decimals, a pair as mean ± standard error."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return f"{value[0]:.3f} ± {value[1]:.3f}"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
