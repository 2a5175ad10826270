"""A progress bar for commands that take long."""


class Bar:
    """A progress bar on standard error with a figure beside it; nothing where no person is looking.

    `told` says what of the figure is shown, such as "{} rows". Beside it are the time so far and, if the
    total is known, the time left.
    """

    def __init__(self, title, told, figure, quiet):
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(told.format("{task.fields[figure]}")),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        console = Console(stderr=True)
        self.figure = figure
        self.bar = Progress(*columns, console=console, disable=quiet or not console.is_terminal)
        self.task = self.bar.add_task(title, total=None, figure=figure)

    def __enter__(self):
        self.bar.start()
        return self

    def __exit__(self, *error):
        self.bar.stop()

    def show(self, done, total, figure):
        """Show how far the work is, and the figure as it is now."""
        self.figure = figure
        self.bar.update(self.task, completed=done, total=total, figure=figure)
