"""Saving a learner to a file or to bytes, and loading it again."""

import contextlib
import datetime
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from thalweg._atomic_file import replacing
from thalweg._native.layout import at_most
from thalweg._stateful import PACKAGES, Stateful, class_named, registries
from thalweg.errors import ModelFileError, StateError, one_line
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.saving.container import pack, unpack
from thalweg.saving.plain import from_json, to_json

KINDS = ("learner", "model", "bank")  # that can be saved
# Bytes that the model in a file may allocate, all copies and reserved memory counted. A learner that has just
# begun needs up to 23 bytes for each byte of its file; those with windows that they save only as far as they
# are filled need more, hence the constant.
FREE_BYTES, BYTES_PER_BYTE = 1 << 28, 64


def to_bytes(learner: Stateful, notes: dict[str, Any] | None = None) -> bytes:
    """Return a learner or a model as bytes, to be restored by `from_bytes`.

    Parameters
    ----------
    learner : learner or Model
        Begun or not. It continues after loading exactly as it would have without.
    notes : dict, default=None
        Anything else to keep in the file: numbers, strings, arrays, dates, lists and dicts of them.

    Examples
    --------
    >>> import thalweg
    >>> from thalweg.learners import NaiveBayes
    >>> learner = NaiveBayes().begin(1, ["no", "yes"])
    >>> learner.learn_one([1.0], "yes")
    >>> thalweg.from_bytes(thalweg.to_bytes(learner)).predict_one([1.0])
    'yes'
    """
    if isinstance(learner, type):
        raise TypeError(f"got the class {learner.__name__}; pass an instance: {learner.__name__}()")
    if not isinstance(learner, Stateful) or learner._kind not in KINDS:
        kind = type(learner).__name__
        raise TypeError(f"only learners, models and banks of thalweg can be saved, got {kind}")
    try:
        return _bytes_of(learner.state(), notes)
    except TypeError as error:
        if getattr(learner, "can_be_saved", True):
            raise
        why = "it holds an object that is not of thalweg. Pickle it instead"
        raise TypeError(f"{type(learner).__name__} cannot be saved to a model file: {why}") from error


def _bytes_of(state: dict[str, Any], notes: dict[str, Any] | None) -> bytes:
    import thalweg

    arrays: list[Any] = []
    about = {"version": thalweg.__version__, "saved": datetime.datetime.now(datetime.UTC)}
    content = {"about": about, "notes": notes or {}, "state": state}
    return pack({"content": to_json(content, arrays)}, arrays)


def from_bytes(data: bytes, allow: Sequence[type[StreamClassifier]] = ()) -> Any:
    """Return the learner or model that `to_bytes` was given.

    Parameters
    ----------
    data : bytes
        What `to_bytes` returned.
    allow : sequence of classes, default=()
        Learners of your own that may be in there. Those of this library always may.

    Raises
    ------
    ModelFileError
        If the bytes are damaged, not a model, or hold a class that is not allowed.
    """
    return _restored(_content(data), len(data), allow)


def _content(data: bytes) -> dict[str, Any]:
    description, arrays = unpack(data)
    with restoring(len(data)):
        content = from_json(description["content"], arrays)
        if not all(isinstance(content.get(name), dict) for name in ("about", "notes", "state")):
            raise ModelFileError("the file holds no model")
    return content


def _restored(
    content: dict[str, Any], n_bytes: int, allow: Sequence[type[StreamClassifier]]
) -> Any:
    allowed = {f"{kind.__module__}:{kind.__qualname__}": kind for kind in allow}
    with restoring(n_bytes):
        for key, name in _names(content["state"]):
            if not any(name in registry for registry in registries(key)) and name not in allowed:
                raise ModelFileError(
                    f"the file holds the {key} {one_line(repr(name))}, which is not one of thalweg's. "
                    "If you trust it, pass its class: allow=[…]"
                )
        return _kind(content["state"], allowed)().restore(content["state"])


def _kind(state: Any, allowed: dict[str, type[StreamClassifier]]) -> type[Any]:
    for key in KINDS:
        if key in state:
            return allowed.get(state[key]) or class_named(state[key], key)
    raise ModelFileError("the file holds no model")


def _names(state: Any) -> Iterator[tuple[str, Any]]:
    # The kinds and names of all learners, steps and detectors in a state.
    if isinstance(state, dict):
        if "format" in state:
            yield from ((key, state[key]) for key in PACKAGES if key in state)
        state = list(state.values())
    if isinstance(state, list | tuple):
        for part in state:
            yield from _names(part)


def allowed_bytes(n_bytes: int) -> int:
    """Return how much memory may be allocated to restore a state that has so many bytes."""
    return FREE_BYTES + BYTES_PER_BYTE * n_bytes


@contextlib.contextmanager
def restoring(n_bytes: int) -> Iterator[None]:
    """Restore the content of a file of `n_bytes` here: bound its memory; raise ModelFileError for any error.

    Whatever a stranger wrote into the file, its reader sees one kind of error.
    """
    try:
        with at_most(allowed_bytes(n_bytes)):
            yield
    except ModelFileError:
        raise
    except StateError as error:
        raise ModelFileError(f"the model in the file is damaged: {error}") from error
    except MemoryError as error:
        raise ModelFileError(f"there is not enough memory for the model in the file: {error}") from error
    except Exception as error:
        raise ModelFileError(f"the model in the file is damaged: {type(error).__name__}: {error}") from error


def save(
    learner: Stateful, path: str | os.PathLike[str], *, notes: dict[str, Any] | None = None
) -> None:
    """Write a learner or a model to a file, to be loaded by `load`.

    The file is either complete or unchanged, whenever the process ends: a new one is written beside it, read
    back and restored once, and then takes its name. So saving takes about as long as loading.

    Parameters
    ----------
    learner : learner or Model
        Begun or not.
    path : path
        The file, which may exist. `.tw` is the usual ending.
    notes : dict, default=None
        Anything else to keep in the file; see `describe`.

    Raises
    ------
    ModelFileError
        If what was written cannot be loaded again; the file is then unchanged.
    """
    data = to_bytes(learner, notes)
    path = Path(path)
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {folder}")
    with replacing(path, lambda part: _check_loads(part, path, type(learner))) as file:
        file.write(data)
        del data  # a large model should not be in memory once more while it is restored


def _check_loads(part: Path, path: Path, kind: type[Stateful]) -> None:
    # Restore the learner in `part`, which is to become the file `path`, and forget it.
    try:
        data = part.read_bytes()
        content = _content(data)
        with restoring(len(data)):
            kind().restore(content["state"])
    except Exception as error:
        what = str(error) if isinstance(error, ModelFileError) else f"{type(error).__name__}: {error}"
        old = "the file is unchanged" if path.exists() else "there is no such file now"
        raise ModelFileError(
            f"{path}: the {kind.__name__} was not saved, because it could not be loaded again: {what}; {old}"
        ) from error


def load(path: str | os.PathLike[str], allow: Sequence[type[StreamClassifier]] = ()) -> Any:
    """Return the learner or model in a file that `save` wrote.

    Parameters
    ----------
    path : path
        The file.
    allow : sequence of classes, default=()
        Learners of your own that may be in there. Those of this library always may.

    Raises
    ------
    ModelFileError
        If the file is damaged, not a model, or holds a class that is not allowed.
    """
    return load_and_describe(path, allow)[0]


def load_and_describe(
    path: str | os.PathLike[str], allow: Sequence[type[StreamClassifier]] = ()
) -> tuple[Any, dict[str, Any]]:
    """Return what `load` and `describe` do; the file is read once."""
    with _of(path):
        data = Path(path).read_bytes()
        content = _content(data)
        return _restored(content, len(data), allow), content


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what is in a model file besides the learner: version, time and `notes`, and the state.

    Parameters
    ----------
    path : path
        The file.
    """
    with _of(path):
        return _content(Path(path).read_bytes())


@contextlib.contextmanager
def _of(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from error
