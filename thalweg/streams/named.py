"""Streams by name: a generator, a public dataset or a file."""

from os import PathLike
from pathlib import Path
from typing import Any

from thalweg._misspelt import hint
from thalweg.errors import ParameterError, StreamError
from thalweg.streams.base import Stream
from thalweg.streams.files.pipes import is_once

SERIES = "santa_fe"


def open_stream(
    source: str,
    rows: int | None = None,
    seed: int | None = None,
    data: str | PathLike[str] | None = None,
    **options: Any,
) -> Stream:
    """Return the stream called `source`: a file, `-` for standard input, a generator or a public dataset.

    `rows` and `seed` are the length and seed of a generated stream, `seed` also that of `shuffle`; `data` is
    the folder with public datasets; `options` are passed to `from_file`.
    """
    from thalweg.streams import datasets, registry

    if options.get("shuffle") and is_file(source):
        options["seed"] = 0 if seed is None else seed
    if is_path(source):
        from thalweg.streams import from_file

        _check_none(source, "a file", {"data": data})
        return from_file(source, **options)
    name = registry.find(source)
    if name in generators():
        _check_none(source, "a generator", {"data": data, **options})
        chosen = {"n_rows": rows, "seed": seed}
        return registry.load(name)(**{key: value for key, value in chosen.items() if value is not None})
    dataset = dataset_name(source)
    if dataset:
        if dataset == SERIES:
            _check_none(source, "a series of numbers", options)
        return datasets.load(dataset, data=data, **options)
    known = [*map(str.lower, generators()), *datasets.names()]
    raise StreamError(
        f"{source} is neither a file nor the name of a stream; {hint(source, known, 'known names')}"
    )


def generators() -> list[str]:
    """Return the names of the streams that can be made from a seed alone."""
    from thalweg.streams import registry

    return [name for name in registry if name[0].isupper() and name != "ThresholdSeries"]


def is_file(source: str) -> bool:
    """Return whether the rows of `source` are read from a file with columns."""
    return is_path(source) or dataset_name(source) not in (None, SERIES)


def is_path(source: str) -> bool:
    """Return whether `source` is the path of a file, or `-`, and not a name."""
    return bool(Path(source).suffix) or "/" in source or is_once(source) or Path(source).is_file()


def paths_of(source: str, data: str | PathLike[str] | None = None) -> list[Path]:
    """Return the files that the rows of `source` may be read from; none for a generator."""
    from thalweg.streams import datasets

    if is_path(source):
        return [Path(source)]
    name = dataset_name(source)
    return [] if name is None else datasets.places(name, data)


def dataset_name(source: str) -> str | None:
    """Return the name of the public dataset that `source` means, None if there is none."""
    from thalweg.streams import datasets

    return next((known for known in datasets.names() if known == source.replace("-", "_")), None)


def _check_none(source: str, kind: str, options: dict[str, Any]) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        context = f"{source} is {kind}"
        raise ParameterError.of("open_stream", given[0], problem="does not apply to it", context=context)
