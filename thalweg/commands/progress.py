"""A progress bar for commands that take long."""

from typing import Self

from thalweg._escaping import printable
from thalweg.evaluation.formatting import percentage

BAR, LEAST_TITLE = 10, 12
ROOM_FOR_ELAPSED = 100  # in a narrower terminal only the time left is shown


class Bar:
    """A progress bar on standard error with a value beside it; nothing where no person is looking.

    It is one line that fits the terminal. `told` is the format of the value, such as "accuracy {}". Progress
    is a percentage of rows, or "3/12 runs" of any other `unit`; if the total is not known, the number done.
    Beside it are the time so far and, if the total is known, the time left.
    """

    def __init__(self, title: str, told: str, value: object, quiet: bool, unit: str = "rows") -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self.title, self.told, self.unit, self.value = printable(title), told, unit, value
        self.console = Console(stderr=True)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(BAR),
            TextColumn("{task.fields[beside]}", markup=False),
        )
        self.bar = Progress(
            *columns, console=self.console, disable=quiet or not self.console.is_terminal
        )
        self.task = self.bar.add_task("", total=None, beside="")
        self.show(0, None, value)

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.stop()

    def show(self, done: int, total: int | None, value: object) -> None:
        """Show how far the work is, and the value as it is now."""
        self.value = value
        if self.bar.disable:
            return
        self.bar.update(self.task, completed=done, total=total)
        task = self.bar.tasks[0]
        width = self.console.width - BAR - 2
        parts = [amount(done, total, self.unit), printable(self.told.format(value))]
        parts += times(task.elapsed, task.time_remaining, self.console.width >= ROOM_FOR_ELAPSED)
        beside = shortened("  ".join(filter(None, parts)), width - LEAST_TITLE)
        title = shortened(self.title, width - len(beside))
        self.bar.update(self.task, description=title, beside=beside)


def amount(done: int, total: int | None, unit: str) -> str:
    """Return how much is done, as text."""
    if total is None:
        return f"{done:,} {unit}"
    if unit != "rows":
        return f"{done:,}/{total:,} {unit}"
    return percentage(done / total if total else 1.0, ".0f")


def times(elapsed: float | None, left: float | None, with_elapsed: bool) -> list[str]:
    """Return the time since the start and the time left, as texts, as far as they are known and wanted."""
    texts = [] if elapsed is None or not (with_elapsed or left is None) else [clock(elapsed)]
    return texts if left is None else [*texts, f"{clock(left)} left"]


def clock(seconds: float) -> str:
    """Return seconds as 1:02:03, or 2:03 within the first hour."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def shortened(text: str, most: int) -> str:
    """Return a text of at most that many characters: its start and its end, of which more is kept."""
    if len(text) <= most:
        return text
    start = (most - 1) // 3
    return f"{text[:start]}…{text[len(text) - (most - 1 - start) :]}"
