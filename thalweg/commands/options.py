"""Options that several commands share, and how their values are read."""

import re
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

SOURCE = typer.Argument(help="A file, - for standard input, a generator or a dataset.")
PLACEHOLDERS = {
    "report": "FILE", "save": "FILE", "out": "FILE", "data": "FOLDER", "figures": "FOLDER", "file": "FILE",
    "learner": "LEARNER", "set": "NAME=VALUE", "delay": "ROWS", "label-share": "SHARE", "method": "NAME",
    "share": "SHARE", "coverage": "SHARE", "label-budget": "SHARE", "false-alarms": "SHARE",
    "limit": "SECONDS", "probability": "COLUMN", "prediction": "COLUMN", "time": "COLUMN",
    "label-time": "COLUMN", "metric": "NAME", "label": "LABEL", "worse-than": "VALUE", "costs": "FILE",
    "positive": "LABEL",
}  # fmt: skip


class OnceCommand(TyperCommand):
    """A command that refuses an option given twice, unless it is one that can be repeated."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        parameters: list[Any] = self.params
        for parameter in parameters:
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = lambda ctx: None
                parameter.metavar = parameter.name.upper()
            elif parameter.metavar is None:
                parameter.metavar = _placeholder(parameter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments of the usage line as the text below it names them."""
        return [piece.strip("{}").replace("}...", "...") for piece in super().collect_usage_pieces(ctx)]

    def get_help_option(self, ctx: Any) -> Any:
        """Return --help without a type."""
        return _without_type(super().get_help_option(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the command line."""
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        for parameter in set(order):
            times = order.count(parameter)
            if times > 1 and not parameter.multiple and parameter.param_type_name == "option":
                name = max(parameter.opts, key=len)
                raise ValueError(f"{name} is given {times} times: give it once")
        return super().parse_args(ctx, args)


class Commands(TyperGroup):
    """All commands; the options of the group have no types in the help."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for parameter in self.params:
            _without_type(parameter)

    def get_help_option(self, ctx: Any) -> Any:
        """Return --help without a type."""
        return _without_type(super().get_help_option(ctx))


def _without_type(option: Any) -> Any:
    if option is not None:
        option.metavar = " "
    return option


def _placeholder(parameter: Any) -> str:
    """Return what stands for the value of an option in the help."""
    if getattr(parameter, "is_flag", False):
        return " "
    name = max(parameter.opts, key=len).lstrip("-")
    return PLACEHOLDERS.get(name, "N")


Text = str | None
Model = Annotated[str, typer.Argument(help="A model file, as `thalweg run --save` writes it.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
Importance = Annotated[
    bool, typer.Option("--importance", help="Find out how much each input is needed; takes longer.")
]
Report = Annotated[Text, typer.Option(help="Write an HTML page with pictures here.")]
Costs = Annotated[Text, typer.Option(help="What wrong answers cost: a CSV of labels and costs, or a matrix.")]
Positive = Annotated[
    Text,
    typer.Option(help="The label whose F1 and average precision are meant; else yes, 1 or the rarer."),
]
CsvSafe = Annotated[
    bool,
    typer.Option("--csv-safe", help="In CSV, write ' before texts that a spreadsheet would run as formulas."),
]
Data = Annotated[Text, typer.Option(help="Folder of the public datasets.")]
Jobs = Annotated[int, typer.Option(help="Processes; -1 for all cores, -2 for all but one.")]
Rows = Annotated[int | None, typer.Option(min=1, help="Stop after this many rows.")]
Delay = Annotated[
    str, typer.Option(help="Rows a label is late: a number, or a distribution of scipy.stats: poisson(50).")
]
LabelShare = Annotated[str, typer.Option(help="Share of labels that come, 0 to 1.")]
LabelBudget = Annotated[
    Text, typer.Option(help="Ask for the labels that help most, for this share of the rows.")
]


def read_delay(text: str) -> Any:
    """Return a number of rows, or the frozen scipy.stats distribution that e.g. `poisson(50)` names."""
    if re.fullmatch(r"\d+", text):
        return int(text)
    parts = re.fullmatch(r"(\w+)\(([-\d.eE, ]*)\)", text)
    if parts:
        import scipy.stats

        law = getattr(scipy.stats, parts[1], None)
        if isinstance(law, scipy.stats.rv_continuous | scipy.stats.rv_discrete):
            found = law(*[float(part) for part in parts[2].split(",") if part.strip()])
            if not 0 <= found.mean() < float("inf"):
                raise ValueError(f"--delay {text}: its mean must be a number of rows of at least 0")
            return found
    raise ValueError(f"--delay {text}: give a whole number of rows or a scipy.stats law such as poisson(50)")


def read_share(text: str) -> float:
    """Return the share of labels that arrive."""
    share = _number(text)
    if not 0 <= share <= 1:
        raise ValueError(f"--label-share {text}: give a share from 0 to 1")
    return share


def read_budget(text: str | None) -> float | None:
    """Return the share of rows to ask a label for, None if there is no budget."""
    share = None if text is None else _number(text)
    if share is not None and not 0 < share <= 1:
        raise ValueError(f"--label-budget {text}: give a share of the rows, above 0 and at most 1")
    return share


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


def command_line() -> str:
    """Return the command that was typed, or nothing if this is another program."""
    name = Path(sys.argv[0]).name
    return shlex.join(["thalweg", *sys.argv[1:]]) if name in ("thalweg", "thalweg.exe") else ""
