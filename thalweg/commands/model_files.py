"""Models for the commands: made from options, and loaded from files."""

from typing import TYPE_CHECKING, Any

from thalweg import saving
from thalweg.errors import ModelFileError, ThalwegError
from thalweg.learners.base.stream_classifier import StreamClassifier

if TYPE_CHECKING:
    from thalweg.model import Model

KINDS = {
    "categorical": "category", "numeric": "number", "date": "date", "text": "text", "ignore": "ignore",
}  # fmt: skip
OF_MODEL = ("target", "classes", "missing", "decimal", "date_order", "date_parts", "n_words")


def make_model(
    learner: StreamClassifier, file_options: dict[str, Any], costs: Any = None
) -> "tuple[Model, dict[str, Any]]":
    """Return a model that learns with `learner`, and the options that say how its file is read."""
    from thalweg.model import Model

    chosen: dict[str, str] = {}
    for option in KINDS:
        for name in file_options.get(option, ()):
            other = chosen.setdefault(name, option)
            if other != option:
                raise ValueError(f"--{other} {name} and --{option} {name}: give one of them")
    columns = {name: KINDS[option] for name, option in chosen.items()}
    settings = {name: file_options[name] for name in OF_MODEL if name in file_options}
    reading = {name: value for name, value in file_options.items() if name not in (*KINDS, *OF_MODEL)}
    return Model(learner=learner, columns=columns or None, costs=costs, **settings), reading


def load(path: str) -> "Model":
    """Return the model in a file; raise ModelFileError if it has learned nothing, or is a learner alone."""
    found = saving.load(path)
    if isinstance(found, StreamClassifier):
        why = "it was not written by `thalweg run --save` or Model.save. Use thalweg.load in Python"
        raise ModelFileError(f"{path} does not say what its columns are: {why}")
    if not found.__sklearn_is_fitted__():
        raise ModelFileError(f"{path}: the model has learned nothing yet")
    return found


def check_can_be_saved(learner: StreamClassifier) -> None:
    """Raise ModelFileError if a learner cannot be saved and loaded again, which is tried here."""
    name = type(learner).__name__
    if not learner.can_be_saved:
        raise ModelFileError(f"{name} cannot be saved: its model is of another library; leave out --save")
    try:
        saving.from_bytes(saving.to_bytes(learner))
    except (ThalwegError, TypeError, ValueError) as error:
        raise ModelFileError(f"{name} cannot be saved: {error}; leave out --save") from error
