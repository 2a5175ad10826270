"""Options that several commands share."""

import re
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperCommand, TyperGroup

SOURCE = typer.Argument(help="A file, - for standard input, a generator or a dataset.")


PASSED = r"pass (target|classes|categorical|numeric|date|text|ignore|decimal|delimiter)=(\[[^]]*\]|'[^']*')"


PLACEHOLDERS = {
    "report": "FILE", "save": "FILE", "out": "FILE", "data": "FOLDER", "figures": "FOLDER", "file": "FILE",
    "learner": "LEARNER", "target": "COLUMN", "on-error": "raise|skip", "decimal": ".|,", "delimiter": "MARK",
    "categorical": "A,B,…", "numeric": "A,B,…", "date": "A,B,…", "text": "A,B,…", "ignore": "A,B,…",
    "keep": "A,B,…", "classes": "A,B,…", "set": "NAME=VALUE", "delay": "ROWS", "labels": "SHARE",
    "method": "NAME", "share": "SHARE", "false-alarms": "SHARE", "limit": "SECONDS",
}  # fmt: skip


class OnceCommand(TyperCommand):
    """A command that refuses an option given twice, unless it is one that can be repeated."""

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        for parameter in self.params:
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = lambda ctx: None
                parameter.metavar = parameter.name.upper()
            elif parameter.metavar is None:
                parameter.metavar = _placeholder(parameter)

    def collect_usage_pieces(self, ctx):
        """Return the arguments of the usage line as the text below it names them."""
        return [piece.strip("{}").replace("}...", "...") for piece in super().collect_usage_pieces(ctx)]

    def get_help_option(self, ctx):
        """Return --help without a type."""
        return _without_type(super().get_help_option(ctx))

    def parse_args(self, ctx, args):
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

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        for parameter in self.params:
            _without_type(parameter)

    def get_help_option(self, ctx):
        """Return --help without a type."""
        return _without_type(super().get_help_option(ctx))


def _without_type(option):
    if option is not None:
        option.metavar = " "
    return option


def _placeholder(parameter):
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
Data = Annotated[Text, typer.Option(help="Folder of the public datasets.")]
Rows = Annotated[int | None, typer.Option(min=1, help="Stop after this many rows.")]
Delay = Annotated[
    str, typer.Option(help="Rows a label is late: a number, or a distribution of scipy.stats: poisson(50).")
]
LabelShare = Annotated[str, typer.Option(help="Share of rows whose label arrives, 0 to 1.")]
OnError = Annotated[
    Text, typer.Option("--on-error", help="A row that cannot be read: raise (default), or skip and count it.")
]
Categorical = Annotated[Text, typer.Option(help="Columns of categories, a,b,c.")]
Numeric = Annotated[Text, typer.Option(help="Columns of numbers, even if all 0 and 1.")]
Dates = Annotated[Text, typer.Option(help="Columns of dates, also as seconds since 1970.")]
Words = Annotated[Text, typer.Option(help="Columns of text, whose words are counted.")]
NWords = Annotated[
    int | None,
    typer.Option("--n-words", min=0, help="Inputs of a column of text (256); 0 leaves such columns out."),
]
Ignore = Annotated[Text, typer.Option(help="Columns to leave out, a,b,c.")]
Keep = Annotated[
    Text, typer.Option(help='Columns to copy into the output, a,b,c; else ids that are found; "" for none.')
]
Classes = Annotated[Text, typer.Option(help="The labels, a,b,c; any other is an error.")]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Whether the first row of a CSV file has names.")
]
Delimiter = Annotated[Text, typer.Option(help="What separates the cells of a CSV file; tab for tabs.")]
Decimal = Annotated[Text, typer.Option(help="The decimal point of a text file: . or ,")]


LISTS = ("categorical", "numeric", "date", "text", "ignore", "classes", "keep")
OTHERS = ("target", "n_words", "on_error", "header", "delimiter", "decimal")


def file_options(arguments):
    """Return the options of `from_file` among the arguments of a command, without those that are None."""
    chosen = {name: listed(arguments.get(name)) for name in LISTS}
    chosen |= {name: arguments.get(name) for name in OTHERS}
    if chosen["delimiter"] in ("tab", "\\t"):
        chosen["delimiter"] = "\t"
    return {name: value for name, value in chosen.items() if value is not None}


def in_options(text):
    """Return a message in which `pass ignore=['a', 'b']` is written as an option of the command."""

    def option(found):
        values = re.sub(r"[\[\]'\"]", "", found[2]).replace(", ", ",")
        name = found[1].replace("_", "-")
        return f"pass --{name} {values}"

    return re.sub(PASSED, option, text)


def listed(text):
    """Return the parts of a text a,b,c; None if it is None."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def command_line():
    """Return the command as it was typed, or nothing if this is another program."""
    name = Path(sys.argv[0]).name
    return shlex.join(["thalweg", *sys.argv[1:]]) if name in ("thalweg", "thalweg.exe") else ""
