"""What tests of files share: a file of some text, all its rows, what reading it complains of."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from thalweg.errors import StreamError
from thalweg.streams import from_file


def write(folder, text, name="rows.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def whole(stream, size=1000):
    blocks = list(stream.coded_blocks(size))
    return np.concatenate([X for X, _ in blocks]), np.concatenate([codes for _, codes in blocks])


def complaint(path, **options):
    with pytest.raises(StreamError) as caught:
        whole(from_file(path, **options))
    text = str(caught.value)
    assert "\n" not in text
    return text


def write_table(path, table):
    """Write columns of arrays as a CSV, ARFF or Parquet file, by its suffix; return the path."""
    if path.suffix == ".parquet":
        pa.parquet.write_table(pa.table(table), path)
        return path
    values = (column.tolist() for column in table.values())
    columns = [["" if value != value else str(value) for value in column] for column in values]
    body = "".join(",".join(cells) + "\n" for cells in zip(*columns, strict=True))
    head = ",".join(table) + "\n"
    if path.suffix == ".arff":
        kinds = {"colour": "{red,green,<b>}", "ok": "{no,yes}"}
        lines = [f"@attribute {name} {kinds.get(name, 'numeric')}\n" for name in table]
        head = f"@relation rows\n{''.join(lines)}@data\n"
        body = re.sub(r"(?<=,)(?=,)", "?", body)
    path.write_text(head + body)
    return path
