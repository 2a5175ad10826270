"""The file that caches a result: its name follows from all that the result depends on."""

import hashlib
import inspect
import json
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import Any

import thalweg
from thalweg.adapters.river_learner import river_parameters
from thalweg.streams.base import Generator
from thalweg.streams.openml import cache_folder

OTHERS = ("sklearn", "river")
"""Other libraries whose classes are known by the files of the library. The code of any other class, in a
script, a notebook or a package of your own, may change until the next call: what it gives is not kept."""
BELOW = ("numpy", "scipy", "scikit-learn")


def cache_file(folder: str, about: Any, files: Iterable[Path] = ()) -> Path | None:
    """Return the file that caches what depends on `about`, on `files` and on this library only.

    None if something that it depends on cannot be told from what it will be at another time.
    """
    try:
        key = [_this_library(), _described(about), [_file(path) for path in files]]
    except TypeError:
        return None
    digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()
    return cache_folder() / folder / f"{digest[:24]}.json"


def _described(value: Any) -> Any:
    """Return what tells a value from any other one, for JSON; raise TypeError if nothing does."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_described(each) for each in value]
    if isinstance(value, Mapping):
        return {"items": [[_described(name), _described(each)] for name, each in value.items()]}
    kind, content = _parts(value)
    return {"kind": kind, "content": _described(content)}


def _parts(value: Any) -> tuple[Any, Any]:
    """Return what kind of object this is, and what is in it."""
    import numpy as np

    if isinstance(value, np.ndarray | np.generic):
        return str(value.dtype), value.tolist()
    if isinstance(value, Path):
        return "path", str(value)
    if isinstance(value, type):
        return "class", [value.__module__, value.__qualname__, _code(value)]
    if isinstance(value, FunctionType):
        return "function", [value.__module__, value.__qualname__, _code_of_function(value)]
    if hasattr(value, "get_params"):
        return _described(type(value)), value.get_params(deep=False)
    of_river = river_parameters(value)
    if of_river is not None:
        return _described(type(value)), of_river
    if isinstance(value, Generator):
        return _described(type(value)), vars(value)
    if hasattr(value, "dist"):
        return "distribution", [_name_of_distribution(value.dist), value.args, value.kwds]
    raise TypeError(f"nothing is known that tells one {type(value).__name__} from another")


def _code(kind: type) -> Any:
    """Return what tells the code of a class; raise TypeError if it is not of a library that is known."""
    library = kind.__module__.partition(".")[0]
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    if library not in ("thalweg", *OTHERS) or found is not kind:
        raise TypeError(f"the code of {kind.__name__} may change unseen")
    return "" if library == "thalweg" else _other_library(library)


def _code_of_function(function: FunctionType) -> str:
    """Return nothing for a function of this library, else the source of the function's module."""
    if function.__module__.partition(".")[0] == "thalweg":
        return ""
    try:
        return inspect.getsource(sys.modules[function.__module__])
    except (OSError, KeyError):
        raise TypeError(f"the code of {function.__name__} cannot be read") from None


def _name_of_distribution(distribution: Any) -> str:
    """Return the name of a distribution of scipy.stats; raise TypeError for one of your own, or of samples.

    The values of the latter are not among their arguments.
    """
    from scipy import stats

    name = str(distribution.name)
    if type(getattr(stats, name, None)) is not type(distribution):
        raise TypeError(f"the values of the distribution {name} are unknown")
    return name


def _file(path: Path) -> Any:
    """Return what tells the content of a file, None if there is none."""
    if not path.is_file():
        return None
    about = path.stat()
    return [str(path.resolve()), about.st_size, about.st_mtime_ns]


@cache
def _this_library() -> list[str]:
    """Return versions, and a checksum of all files of this library: other code may give other results.

    It is that of the content, so that results outlast another installation of the same code.
    """
    found = hashlib.sha256()
    for place, paths in _files_of_this_library():
        for path in paths:
            found.update(f"\n{path.relative_to(place)}\n".encode())
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return [thalweg.__version__, found.hexdigest(), sys.version, *map(version, BELOW)]


def _files_of_this_library() -> list[tuple[Path, list[Path]]]:
    """Return the folder of the package with all its files, and that of compiled kernels if it is another."""
    package = Path(thalweg.__file__).parent
    kernel = import_module("thalweg._native.argmax")
    built = Path(str(kernel.__file__)).parents[1]
    places = [(package, sorted(path for path in package.rglob("*") if _counts(path)))]
    if built != package:
        kernels = (path for path in built.rglob("*") if path.name.endswith(tuple(EXTENSION_SUFFIXES)))
        places.append((built, sorted(kernels)))
    return places


def _counts(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts


@cache
def _other_library(name: str) -> str:
    """Return a checksum of the sizes and times of all files of another library, which is large."""
    package = Path(str(import_module(name).__file__)).parent
    about = [
        f"{path.relative_to(package)} {path.stat().st_size} {path.stat().st_mtime_ns}"
        for path in sorted(package.rglob("*"))
        if _counts(path)
    ]
    return hashlib.sha256("\n".join(about).encode()).hexdigest()
