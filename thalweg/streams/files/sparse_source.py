"""Text files of sparse rows, parsed without writing them in full."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from thalweg.streams.columns.column import Column, Problems
from thalweg.streams.files.sparse_inputs import SparseInputs
from thalweg.streams.files.sparse_table import parsed
from thalweg.streams.files.text_files import Pieces, TextSource


class SparseSource(TextSource):
    """Sparse rows of a text file; `defaults` are the texts of cells that are left out."""

    is_sparse = True

    def __init__(
        self, pieces: Pieces, columns: list[Column], body: Callable[[bool], Iterator[bytes]],
        defaults: list[str],
    ) -> None:
        super().__init__(pieces, columns, body, lambda piece: None)
        self._defaults = defaults
        self._places = {column.name: j for j, column in enumerate(columns)}

    def inputs(self, columns: Sequence[Column]) -> SparseInputs:
        """Return what reads these columns of the rows."""
        return SparseInputs(columns, self._places, self._defaults)

    def _parse(
        self, names: Sequence[str], numeric: Collection[str], piece: bytes, kept: Sequence[str] = ()
    ) -> tuple[Any, Problems]:
        self._all_pieces.encoding.check(piece)
        return parsed(piece, names, self._places, self._defaults)
