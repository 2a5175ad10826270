"""What tests of files share: a file of some text, all its rows, what reading it complains of."""

import numpy as np
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
