"""Whatever rows a model is given, as a stream of its inputs."""

from collections.abc import Iterable, Mapping, Set
from os import PathLike
from typing import Any

import numpy as np

from thalweg._frames import frame_names
from thalweg._misspelt import unknown_parameter
from thalweg._parameters import wrong
from thalweg.errors import ParameterError, StreamError, first_of
from thalweg.streams.base import Stream, stream_name
from thalweg.streams.columns.column import CATEGORY, DATE, NUMBER, TEXT
from thalweg.streams.files.coding import Coding
from thalweg.streams.files.open import ReadingOptions, open_path, open_source
from thalweg.streams.files.tables import is_records, table_source
from thalweg.streams.named import is_file, is_path, open_stream
from thalweg.streams.source import as_stream

WHO = "Model"
PARAMETERS = {NUMBER: "numeric", CATEGORY: "categorical", DATE: "date", TEXT: "text", "ignore": "ignore"}
OF_TEXT = ("header", "delimiter", "encoding")
OF_ORDER = ("newest_first", "sort", "shuffle")
OPTIONS = (
    *OF_TEXT, "decimal", "date_order", "on_error", "missing", "keep", *OF_ORDER, "target", "rows", "seed",
    "data",
)  # fmt: skip


class ColumnSettings:
    """What the user says about the columns of a model; see the parameters of `Model`."""

    def __init__(
        self, target: str | int | None, columns: Mapping[str, Any] | None, classes: Iterable[Any] | None,
        **others: Any,
    ) -> None:
        self.target, self._classes, self._others = target, classes, others
        self._kinds: dict[str, Any] = {}
        categories: dict[str, list[Any] | None] = {}
        if columns is not None and not isinstance(columns, Mapping):
            raise wrong(WHO, "columns", "a dict of names and kinds", columns)
        for name, given in (columns or {}).items():
            kind = listed(given)
            if isinstance(kind, str) and kind == CATEGORY:
                categories[name] = None
            elif isinstance(kind, str) and kind in PARAMETERS:
                self._kinds.setdefault(PARAMETERS[kind], []).append(name)
            elif isinstance(kind, str) or not isinstance(kind, Iterable):
                wanted = f"one of {', '.join(PARAMETERS)}, or a list of categories"
                raise ParameterError(f"{WHO}: columns[{name!r}] must be {wanted}, got {given!r}")
            else:
                categories[name] = list(kind)
        self._kinds |= {"categorical": categories} if categories else {}

    def options(self, **more: Any) -> dict[str, Any]:
        """Return the keywords of `from_file`, for rows whose columns are not known yet."""
        return {"classes": self._classes, **self._kinds, **self._others, **more}

    def open(self, source: Any, labels: Any, coding: Coding | None, **options: Any) -> Stream:
        """Return a source of any form as a stream; with a `coding`, of its inputs and classes.

        `labels` are those of the rows, if these have no column of them. Raise ValueError if a stream without
        columns has another number of inputs.
        """
        unknown = next((name for name in options if name not in OPTIONS), None)
        if unknown is not None:
            raise unknown_parameter(WHO, unknown, OPTIONS)
        stream = self._open(source, labels, coding, options)
        if coding is not None and stream.n_features != coding.n_inputs:
            n = f"{stream_name(stream)} has {stream.n_features} inputs"
            raise ValueError(f"{n}, the model {coding.n_inputs}")
        return stream

    def _open(self, source: Any, labels: Any, coding: Coding | None, options: dict[str, Any]) -> Stream:
        if isinstance(source, str | PathLike):
            return self._open_path(str(source), labels, coding, options)
        options = {name: value for name, value in options.items() if value is not None}
        given = [name for name in (*OF_TEXT, "data") if name in options]
        if given:
            raise ParameterError.of(WHO, given[0], problem="is for files")
        options = _for_rows(options)
        if is_table(source):
            return self._open_table(source, labels, coding, options)
        check_own_order(options, "is for files, frames, arrays and records")
        if labels is not None:
            return as_stream((source, labels), who=WHO)
        return as_stream(source, who=WHO)

    def _open_path(self, path: str, labels: Any, coding: Coding | None, options: dict[str, Any]) -> Stream:
        if labels is not None:
            raise ParameterError(f"{WHO}: got labels beside {path}; name its column of labels: target=…")
        if not is_file(path):
            if coding is None:
                options |= {"target": self.target, "classes": self._classes, **self._kinds}
            return open_stream(path, **{key: value for key, value in options.items() if value is not None})
        options = _for_rows(options)
        reading, target = self._reading(coding, options), self._target(coding)
        if "target" in reading:
            target = {"target": reading.pop("target")}
        if not is_path(path):
            return open_stream(path, **target, **reading)
        if reading.pop("data", None) is not None:
            context = f"{path} is a file"
            raise ParameterError.of("open_stream", "data", problem="does not apply to it", context=context)
        parsing = {name: reading.pop(name) for name in OF_TEXT if name in reading}
        columns = ReadingOptions(**reading)
        return open_path(path, target.get("target"), columns, **parsing)

    def _open_table(self, rows: Any, labels: Any, coding: Coding | None, options: dict[str, Any]) -> Stream:
        target = self.target if coding is None else coding.target
        name = target if isinstance(target, str) else None
        wanted, known = ((), ()) if coding is None else (coding.names, coding.known)
        source = table_source(rows, labels, name, wanted, known)
        if coding is not None and is_records(rows) and not isinstance(rows, Mapping) and not len(rows):
            raise StreamError(f"{WHO}: there are no rows")
        if coding is not None and is_records(rows):
            check_any_known(source.given, coding)
        chosen = options.pop("target", None)
        if chosen is not None and labels is not None:
            raise ParameterError.of(WHO, "target", problem=f"is {chosen!r}, and there are labels y: give one")
        chosen = self._target(coding).get("target") if chosen is None else chosen
        reading = ReadingOptions(is_fixed=True, **self._reading(coding, options))
        chosen = chosen if labels is None else source.columns[-1].name
        return open_source(source, chosen, reading.checked(chosen, WHO))

    def _target(self, coding: Coding | None) -> dict[str, Any]:
        return {} if coding is not None or self.target is None else {"target": self.target}

    def _reading(self, coding: Coding | None, options: dict[str, Any]) -> dict[str, Any]:
        missing = _listed(options.pop("missing", None))
        if coding is None:
            return self.options(**options | {"missing": [*_listed(self._others.get("missing")), *missing]})
        names = "decimal", "date_order"
        found = {name: options.pop(name, None) or self._others.get(name) for name in names}
        return {"like": coding.reader(), "missing": missing, **found, **options}


def check_own_order(options: Mapping[str, Any], problem: str) -> None:
    """Raise ParameterError, which says `problem`, if rows are to come in another order than their own."""
    given = [name for name in OF_ORDER if options.get(name) not in (None, False)]
    if given:
        raise ParameterError.of(WHO, given[0], problem=problem)


def _for_rows(options: dict[str, Any]) -> dict[str, Any]:
    """Return options without those of generators; the seed is that of a random order, too."""
    seed = options.get("seed") if options.get("shuffle") else None
    rest = {name: value for name, value in options.items() if name not in ("rows", "seed")}
    return rest if seed is None else rest | {"seed": seed}


def listed(kind: Any) -> Any:
    """Return the kind of a column as it is saved: text, or a list of categories, also of a pandas dtype."""
    categories = getattr(kind, "categories", kind)
    if kind is not categories and categories is None:
        return CATEGORY
    if isinstance(categories, str) or not isinstance(categories, Iterable):
        return categories
    return sorted_if_set(categories.tolist() if hasattr(categories, "tolist") else categories)


def sorted_if_set(labels: Iterable[Any]) -> list[Any]:
    """Return labels as a list; those of a set, which have no order, in that of their values."""
    found = list(labels)
    if isinstance(labels, Set):
        found.sort(key=lambda label: (isinstance(label, str), label))
    return found


def _listed(given: Any) -> list[Any]:
    return [given] if isinstance(given, str) else list(given or ())


def check_any_known(given: Iterable[str], coding: Coding) -> None:
    """Raise StreamError if the keys of records are none of the columns of the model, nor parts of one."""
    keys = set(map(str, given))
    keys |= {key.strip() for key in keys}
    if keys.isdisjoint(coding.names) and not any(name.partition(".")[0] in keys for name in coding.names):
        seen, known = first_of(sorted(keys), 10), first_of(sorted(coding.names), 10)
        raise StreamError(f"{WHO}: the records have {seen or 'nothing'}, and none of the columns {known}")


def is_table(source: Any) -> bool:
    """Return whether rows are a frame, an array or a list of records."""
    return frame_names(source) is not None or is_records(source) or isinstance(source, np.ndarray)


def has_any_order(source: Any) -> bool:
    """Return whether rows can be read in another order, and more than once."""
    return source != "-" if isinstance(source, str | PathLike) else is_table(source)
