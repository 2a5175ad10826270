"""Datasets of OpenML, kept in a cache folder with their checksums."""

import hashlib
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather

from thalweg._atomic_file import replacing
from thalweg.errors import StreamError


def cache_folder() -> Path:
    """Return the cache folder: THALWEG_CACHE, or the usual place of the system."""
    if os.environ.get("THALWEG_CACHE"):
        return Path(os.environ["THALWEG_CACHE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "thalweg"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "thalweg"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "thalweg"


def cached(name: str, number: int, otherwise: str) -> Path:
    """Return the path of OpenML's dataset `number`, downloaded on first use; errors end with `otherwise`."""
    path = cache_folder() / f"{name}.arrow"
    recorded = path.with_suffix(".sha256")
    if path.is_file() and recorded.is_file():
        if _checksum(path) != recorded.read_text(encoding="ascii").strip():
            raise StreamError(f"dataset {name}: {path} was changed since its download; delete it")
        return path
    table = _fetched(name, number, otherwise)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, lambda part: recorded.write_text(f"{_checksum(part)}\n", "ascii")) as file:
            pa.feather.write_feather(table, file, compression="zstd")
    except OSError as error:
        reason = f"cannot write {path}: {error.strerror}; set THALWEG_CACHE to another folder"
        raise StreamError(f"dataset {name}: {reason}") from error
    return path


def _fetched(name: str, number: int, otherwise: str) -> Any:
    from sklearn.datasets import fetch_openml

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bunch = fetch_openml(
                data_id=number, as_frame=False, parser="liac-arff", cache=False, n_retries=1, delay=0.1
            )
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise StreamError(f"dataset {name}: cannot fetch it from OpenML ({reason}); {otherwise}") from error
    return _table(bunch)


def _table(bunch: Any) -> Any:
    """Return a table of the inputs and the label; OpenML gives categories as codes."""
    arrays = {}
    for j, feature in enumerate(bunch.feature_names):
        values = np.asarray(bunch.data[:, j], dtype=float)
        if feature in bunch.categories:
            known = ~np.isnan(values)
            codes = pa.array(np.where(known, values, 0).astype(np.int32), mask=~known)
            categories = pa.array([str(value) for value in bunch.categories[feature]])
            arrays[feature] = pa.DictionaryArray.from_arrays(codes, categories)
        else:
            arrays[feature] = pa.array(values, from_pandas=True)
    arrays[bunch.target_names[0]] = pa.array(list(bunch.target), from_pandas=True)
    return pa.table(arrays)


def _checksum(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
