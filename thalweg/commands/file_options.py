"""The options for reading a file, declared once for all commands that read files."""

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import typer

PANEL = "Reading files"
COLUMNS = "A,B,…"


class FileOption(NamedTuple):
    """An option for the keyword of `from_file` with the same name.

    `read` converts the text of the command line. `in_schema` says that the schema of a saved model has the
    answer, so that commands with a model cannot be told another one.
    """

    help: str
    kind: Any = str
    metavar: str | None = None
    names: tuple[str, ...] = ()
    least: int | None = None
    read: Callable[[Any], Any] | None = None
    in_schema: bool = False
    panel: str | None = PANEL

    def parameter(self, name: str, hidden: bool) -> inspect.Parameter:
        """Return the parameter of a function that typer turns into this option."""
        option = typer.Option(
            None, *self.names, help=self.help, metavar=self.metavar, min=self.least, hidden=hidden,
            rich_help_panel=self.panel,
        )  # fmt: skip
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(name, kind, default=option, annotation=self.kind | None)


def listed(text: str) -> list[str]:
    """Return the parts of a text a,b,c."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _mark(text: str) -> str:
    return "\t" if text in ("tab", "\\t") else text


def _labels(text: str) -> list[Any]:
    from thalweg.streams.columns.class_codes import labels_of_cells

    return labels_of_cells(listed(text))


def _list(help: str, in_schema: bool = True) -> FileOption:
    return FileOption(help, metavar=COLUMNS, read=listed, in_schema=in_schema)


FILE_OPTIONS = {
    "target": FileOption("Column of the label in a file; else the last one.", metavar="COLUMN", panel=None),
    "categorical": _list("Columns of categories, a,b,c."),
    "numeric": _list("Columns of numbers, even if all 0 and 1."),
    "date": _list("Columns of dates, also as seconds since 1970."),
    "date_parts": _list("What a date becomes, of elapsed,time,weekday,month; else all."),
    "text": _list("Columns of text, whose words are counted."),
    "n_words": FileOption(
        "Inputs of a column of text (256; 4096 if the learner of run takes sparse rows); 0: none.",
        kind=int, metavar="N", least=0, in_schema=True,
    ),
    "ignore": _list("Columns to leave out, a,b,c."),
    "classes": _list("The labels, a,b,c; any other is an error.")._replace(read=_labels),
    "missing": _list("Cells that stand for a missing value in any column, such as none,-999.", False),
    "on_error": FileOption(
        "A row that cannot be read: raise (default), or skip and count it.", metavar="raise|skip"
    ),
    "header": FileOption(
        "Whether the first row of a CSV file has names.",
        kind=bool, metavar=" ", names=("--header/--no-header",),
    ),
    "delimiter": FileOption(
        "What separates the cells of a CSV file; tab for tabs.", metavar="MARK", read=_mark
    ),
    "decimal": FileOption("The decimal point of a text file: . or ,", metavar=".|,"),
    "encoding": FileOption("The encoding of a text file, such as cp1252; else UTF-8.", metavar="NAME"),
    "date_order": FileOption("Of dates such as 01/02/03: month first, day first or year first.",
                             metavar="mdy|dmy|ymd"),
}  # fmt: skip
ORDER = {
    "newest_first": FileOption(
        "The newest row is the first of the file: read it from its end.",
        kind=bool, metavar=" ", names=("--newest-first",),
    ),
    "sort": FileOption("Sort the rows by this column of dates or numbers.", metavar="COLUMN"),
    "shuffle": FileOption(
        "Read the rows in a random order, by the seed.",
        kind=bool, metavar=" ", names=("--shuffle",),
    ),
}  # fmt: skip
KEEP = {
    "keep": _list('Columns to copy into the output, a,b,c; else ids that are found; "" for none.', False),
}


def with_file_options(
    *, model: bool = False, keep: bool = False, order: bool = False, only: Collection[str] | None = None,
    **help: str,
) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that gives a command all file options.

    The command gets those that were chosen as the argument `file_options`, in the form that `from_file`
    takes. With `model`, the options that the model's schema answers are left out of the help, and are an
    error that says so. With `keep`, there is an option for columns to copy into what the command writes, with
    `order` there are those of the order of rows.
    `only` names the options there are, if not all. Other arguments replace the help of an option, such as
    `target="…"`.
    """
    options = {
        name: option._replace(help=help.get(name, option.help))
        for name, option in (FILE_OPTIONS | (ORDER if order else {}) | (KEEP if keep else {})).items()
        if only is None or name in only
    }

    def decorate(command: Callable[..., Any]) -> Any:
        @functools.wraps(command)
        def call(**given: Any) -> Any:
            chosen = {name: given.pop(name) for name in options}
            return command(**given, file_options=_values(chosen, model))

        own = inspect.signature(command).parameters.values()
        added = [option.parameter(name, model and option.in_schema) for name, option in options.items()]
        parameters = [
            *(each for each in added if options[each.name].panel is None),
            *(each.replace(kind=each.KEYWORD_ONLY) for each in own if each.name != "file_options"),
            *(each for each in added if options[each.name].panel is not None),
        ]
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {each.name: each.annotation for each in parameters}
        return call

    return decorate


def _values(chosen: dict[str, Any], model: bool) -> dict[str, Any]:
    """Return the chosen options as `from_file` takes them."""
    values = {}
    for name, value in chosen.items():
        if value is None:
            continue
        option = (FILE_OPTIONS | ORDER | KEEP)[name]
        if model and option.in_schema:
            raise ValueError(
                f"--{name.replace('_', '-')} does not apply: the model's file says how its columns are read. "
                "Give it to `thalweg run` when the model is made"
            )
        values[name] = value if option.read is None else option.read(value)
    return values
