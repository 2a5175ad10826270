"""What the command keeps in a model file beside the learner: its inputs, and how it did."""

import datetime
from collections.abc import Sequence
from typing import Any

from thalweg import saving
from thalweg.errors import ModelFileError, ThalwegError
from thalweg.evaluation.run import Run
from thalweg.learners.base.stream_classifier import StreamClassifier
from thalweg.saving.files import load_and_describe
from thalweg.streams.base import Stream
from thalweg.streams.named import is_file, open_stream

MOST_RUNS = 100  # whose results are kept
RESULTS = (
    "rows", "unlabelled", "accuracy", "kappa_temporal", "log_loss", "baselines", "skipped", "interrupted",
    "seconds",
)  # fmt: skip


def save(
    learner: StreamClassifier, path: str, run: Run, schema: dict[str, Any], source: str,
    earlier: Sequence[dict[str, Any]] = (),
) -> None:
    """Write a learner after a run to a file: with the schema of its inputs, and the results so far."""
    about = {
        "source": source,
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "settings": {name: str(value) for name, value in run.settings.items()},
        **{name: value for name, value in run.summary().items() if name in RESULTS},
    }
    runs = [*earlier, about][-MOST_RUNS:]
    saving.save(learner, path, notes={"schema": schema, "runs": runs})


def load(path: str) -> tuple[StreamClassifier, dict[str, Any] | None, list[dict[str, Any]]]:
    """Return the learner in a file that the command wrote, its schema, and the results so far."""
    learner, content = load_and_describe(path)
    notes = content["notes"]
    if not learner.__sklearn_is_fitted__():
        raise ModelFileError(f"{path}: the model has learned nothing yet")
    return learner, notes.get("schema"), notes.get("runs", [])


def open_with_schema(
    source: str, learner: StreamClassifier, schema: dict[str, Any] | None, path: str, rows: int | None = None,
    seed: int = 0, data: str | None = None, **options: Any,
) -> Stream:
    """Return the stream `source` with the inputs of a saved learner; raise ValueError if they differ."""
    if is_file(source):
        if schema is None:
            raise ValueError(
                f"{path} does not say what its inputs are: it was not written by `thalweg run --save`. "
                "Use thalweg.load in Python"
            )
        return open_stream(source, rows=rows, seed=seed, data=data, like=schema, **options)
    stream = open_stream(source, rows=rows, seed=seed, data=data, **options)
    if stream.n_features != learner.n_features_in_:
        raise ValueError(f"{source} has {stream.n_features} inputs, the model {learner.n_features_in_}")
    return stream


def check_can_be_saved(learner: StreamClassifier) -> None:
    """Raise ModelFileError if a learner cannot be saved and loaded again, which is tried here."""
    name = type(learner).__name__
    if not learner.can_be_saved:
        raise ModelFileError(f"{name} cannot be saved: its model is of another library; leave out --save")
    try:
        saving.from_bytes(saving.to_bytes(learner))
    except (ThalwegError, TypeError, ValueError) as error:
        raise ModelFileError(f"{name} cannot be saved: {error}; leave out --save") from error
