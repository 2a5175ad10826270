"""JSON lines: an object on each line, whose keys are the columns; nested ones are called `outer.inner`."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from thalweg.errors import StreamError, first_of
from thalweg.streams.columns.column import Column, Problems
from thalweg.streams.files.csv_files import MAX_COLUMNS
from thalweg.streams.files.first_rows import FIRST_BYTES, FIRST_ROWS
from thalweg.streams.files.json_rows import Keys, Path, Unfit, cells, rows_of, texts, tree
from thalweg.streams.files.kept_cells import beside
from thalweg.streams.files.text_files import Batch, Pieces, TextSource

OBJECT = re.compile(rb'\s*\{\s*["}]')
LATER = b"keys that the first rows do not have"
MOST_NAMED = 5
NUMBERS = ({"int"}, {"float"}, {"int", "float"})
ARROW_TYPES = {"int": pa.float64(), "float": pa.float64(), "str": pa.string(), "bool": pa.bool_()}


def looks_like_json_lines(start: bytes) -> bool:
    """Return whether a file that starts with these bytes has JSON objects in it."""
    return OBJECT.match(start) is not None


def json_source(pieces: Pieces) -> "JsonSource":
    """Open a file of JSON lines; the keys of its first 10,000 rows are its columns."""
    keys, n_rows, problem = Keys(), 0, None
    for number, row in _first_objects(pieces):
        n_rows += 1
        if isinstance(row, Unfit):
            problem = problem or f"data row {number}{row}"
        else:
            keys.add(row)
        if len(keys.types) > MAX_COLUMNS:
            raise StreamError(f"{pieces.name}: its rows have more than {MAX_COLUMNS} different keys")
    if not n_rows:
        raise StreamError(f"{pieces.name} is empty")
    if not keys.types and problem:
        raise StreamError(f"{pieces.name}: no row could be read; {problem}")
    lists = [path for path, types in keys.types.items() if types == {"list"}]
    if n_rows == 1 and lists:
        advice = f"make it JSON lines: jq -c '.{'.'.join(lists[0])}[]' FILE > rows.jsonl"
        raise StreamError(f"{pieces.name} is one JSON object with a list in it; {advice}")
    return JsonSource(pieces, keys)


def _first_objects(pieces: Pieces) -> Iterator[tuple[int, dict[str, Any] | Unfit]]:
    """Yield (number, object) of the first 10,000 rows, or of fewer if they are long."""
    n_bytes = n_before = number = 0
    for piece in pieces.read():
        for number, row in rows_of(piece):
            yield n_before + number, row
            if n_before + number >= FIRST_ROWS:
                return
        n_before += number
        n_bytes += len(piece)
        if n_bytes >= FIRST_BYTES:
            return


class JsonSource(TextSource):
    """Rows of JSON lines. Numbers and text are the same whether they are quoted or not, as in CSV.

    Numbers that are not quoted have a decimal point.

    pyarrow parses a piece if each key has values of one type and there is no new key; otherwise, and where a
    line is damaged, each line is parsed by itself. Both give the same values.
    """

    def __init__(self, pieces: Pieces, keys: Keys) -> None:
        self._types = keys.types
        paths = keys.in_order()
        names = [".".join(path) or f"x{j}" for j, path in enumerate(paths)]
        self._paths: dict[str, Path] = dict(zip(names, paths, strict=True))
        self._known = tree(paths)
        self._later: Counter[str] = Counter()
        found = zip(names, (keys.types[path] for path in paths), strict=True)
        columns = [Column(name, _kind(types), has_points=types in NUMBERS) for name, types in found]
        super().__init__(pieces, columns, pieces.read, lambda piece: None)

    @property
    def warnings(self) -> list[str]:
        """What was guessed about the file as a whole, and keys that were left out."""
        if not self._later:
            return super().warnings
        keys = [f"{key!r} ({n:,} rows)" for key, n in self._later.most_common()]
        why = f"left out, as none of the first {FIRST_ROWS:,} rows has such a key"
        return [*super().warnings, f"{why}: {first_of(keys, MOST_NAMED)}"]

    def batches(
        self, names: Sequence[str], numeric: Collection[str] = (), last: bool = False,
        kept: Sequence[str] = (),
    ) -> Iterator[Batch]:
        """Yield batches as a CSV file does; keys that are no columns are counted."""
        self._later = Counter()
        for batch in super().batches(names, numeric, last, kept):
            for key, n in json.loads((batch.rows.schema.metadata or {}).get(LATER, b"{}")).items():
                if key in self._later or len(self._later) < MAX_COLUMNS:
                    self._later[key] += n
            yield batch

    def _parse(
        self, names: Sequence[str], numeric: Collection[str], piece: bytes, kept: Sequence[str] = ()
    ) -> tuple[Any, Problems]:
        self._all_pieces.encoding.check(piece)
        rows, problems = self._values(names, numeric, piece)
        left_out = [number - 1 for number, _ in problems]
        return (beside(rows, self._cells(kept, piece, left_out)) if kept else rows), problems

    def _cells(self, names: Sequence[str], piece: bytes, left_out: Sequence[int]) -> Any:
        """Return the cells of all rows but those left out, whatever is in them."""
        schema, paths = self._schema(names, ()), [self._paths[name] for name in names]
        arrays = None if schema is None else _parsed(piece, schema, paths)
        if arrays is None:
            arrays = [pa.array(values, pa.string()) for values in cells(piece, paths)]
        rows = pa.RecordBatch.from_arrays(arrays, names=names)
        return rows.take(np.delete(np.arange(rows.num_rows), left_out)) if left_out else rows

    def _values(self, names: Sequence[str], numeric: Collection[str], piece: bytes) -> tuple[Any, Problems]:
        schema = self._schema(names, numeric)
        arrays = None if schema is None else _parsed(piece, schema, [self._paths[name] for name in names])
        if arrays is not None:
            return pa.RecordBatch.from_arrays(arrays, names=names), []
        columns, problems, others = texts(piece, [self._paths[name] for name in names], self._known)
        found = [
            _from_texts(values, name in numeric, self.not_numbers)
            for name, values in zip(names, columns, strict=True)
        ]
        later = {LATER: json.dumps(others)} if others else None
        return pa.RecordBatch.from_arrays(found, names=names, metadata=later), problems

    def _schema(self, names: Sequence[str], numeric: Collection[str]) -> Any:
        """Return the schema by which pyarrow reads all keys; None if it cannot read them."""
        types: dict[Path, Any] = {}
        for name, path in self._paths.items():
            seen = self._types[path]
            if seen in NUMBERS:
                as_text = name in names and name not in numeric
                if as_text and seen != {"int"}:
                    return None  # as floats, long numbers would lose digits
                types[path] = pa.int64() if as_text else pa.float64()
            elif len(seen) > 1 or not seen <= ARROW_TYPES.keys():
                return None
            else:
                types[path] = ARROW_TYPES[next(iter(seen), "str")]
        return pa.schema(_fields(self._known, types))


def _kind(types: set[str]) -> str | None:
    return f"type {min(types)!r}" if types and types <= {"list", "object"} else None


def _fields(known: dict[str, Any], types: dict[Path, Any], before: Path = ()) -> list[Any]:
    found = []
    for key, inner in known.items():
        path = (*before, key)
        found.append(pa.field(key, types[path] if inner is None else pa.struct(_fields(inner, types, path))))
    return found


def _parsed(piece: bytes, schema: Any, paths: Sequence[Path]) -> list[Any] | None:
    """Return the values at `paths`, floats or texts; None if pyarrow cannot read the piece."""
    try:
        table = pa.json.read_json(
            pa.BufferReader(piece),
            pa.json.ReadOptions(use_threads=False, block_size=len(piece) + 1),
            pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
        )
    except pa.ArrowInvalid:
        return None
    if table.num_rows != piece.count(b"\n") + (not piece.endswith(b"\n")):
        return None  # a line is blank, or has two objects or half of one
    return [_as_read(_at(table, path)) for path in paths]


def _at(table: Any, path: Path) -> Any:
    array = table.column(path[0]).combine_chunks()
    for key in path[1:]:
        array = pc.struct_field(array, key)
    return array


def _as_read(array: Any) -> Any:
    if pa.types.is_float64(array.type):
        return array
    return array.cast(pa.string()).dictionary_encode()


def _from_texts(values: list[str | None], as_numbers: bool, not_numbers: Sequence[str]) -> Any:
    texts = pa.array(values, pa.string())
    if as_numbers:
        try:
            return pc.if_else(pc.is_in(texts, pa.array(not_numbers)), None, texts).cast(pa.float64())
        except pa.ArrowInvalid:
            pass
    return texts.dictionary_encode()
