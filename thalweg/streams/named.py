"""Streams by name: a generator, a public dataset or a file."""

import difflib
from os import PathLike
from pathlib import Path
from typing import Any

from thalweg.errors import StreamError
from thalweg.streams.base import Stream


def open_stream(
    source: str,
    rows: int | None = None,
    seed: int | None = None,
    data: str | PathLike[str] | None = None,
    **options: Any,
) -> Stream:
    """Return the stream called `source`: a file, `-` for standard input, a generator or a public dataset.

    `rows` and `seed` are the length and seed of a generated stream; `data` is the folder with public
    datasets; `options` are passed to `from_file`.
    """
    from thalweg.streams import datasets, registry

    is_path = source == "-" or Path(source).suffix or "/" in source or Path(source).is_file()
    if is_path:
        from thalweg.streams import from_file

        return from_file(source, **options)
    name = registry.find(source)
    if name in generators():
        chosen = {"n_rows": rows, "seed": seed}
        return registry.load(name)(**{key: value for key, value in chosen.items() if value is not None})
    dataset = next((known for known in datasets.names() if known == source.replace("-", "_")), None)
    if dataset:
        return datasets.load(dataset, data=data, **options)
    known = [*map(str.lower, generators()), *datasets.names()]
    near = difflib.get_close_matches(source.lower(), known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known names are {', '.join(known)}"
    raise StreamError(f"{source} is neither a file nor the name of a stream; {hint}")


def generators() -> list[str]:
    """Return the names of the streams that can be made from a seed alone."""
    from thalweg.streams import registry

    return [name for name in registry if name[0].isupper() and name != "ThresholdSeries"]
