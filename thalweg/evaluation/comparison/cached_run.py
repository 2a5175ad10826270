"""One run of a comparison: its result as plain data, and the file that caches it."""

import base64
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thalweg.errors import Message, RowWarning, StreamError
from thalweg.evaluation import curves, metrics
from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.comparison.cache_keys import cache_file
from thalweg.evaluation.protocols import prequential
from thalweg.evaluation.run import Run, not_cut
from thalweg.evaluation.summary import plain, plain_number
from thalweg.evaluation.tally import LEARNER
from thalweg.evaluation.uncertainty import standard_error
from thalweg.streams.base import Generator, Stream
from thalweg.streams.named import dataset_name, is_path, open_stream, paths_of

CURVE_POINTS, LEAST_WINDOW = 120, 200


class Source(NamedTuple):
    """A stream, or the name or path that `open_stream` opens with these options."""

    stream: Stream | str
    options: dict[str, Any]

    def opened(self, seed: int) -> Stream:
        """Return the stream; a generator that is given by name gets the seed."""
        return (
            open_stream(self.stream, seed=seed, **self.options)
            if isinstance(self.stream, str)
            else self.stream
        )

    @property
    def has_same_rows(self) -> bool:
        """Whether all seeds give the same rows: it is not a generator that is given by name."""
        name = self.stream
        return not isinstance(name, str) or is_path(name) or dataset_name(name) is not None

    def about(self) -> Any:
        """Return what tells the rows, beside the content of files; None if nothing does."""
        if isinstance(self.stream, str):
            return [self.stream, self.options]
        return self.stream if isinstance(self.stream, Generator) else None

    def files(self) -> list[Path]:
        """Return the files that the rows may be read from."""
        return paths_of(self.stream, self.options.get("data")) if isinstance(self.stream, str) else []


def evaluate(learner: Any, source: Source, seed: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a learner on a stream, as plain data; an error is a result too."""
    try:
        found = result_of(run_of(source, learner, seed, settings))
        return found | {"same_rows": source.has_same_rows, "measured": time.time()}
    except Exception as error:
        message = error.message if isinstance(error, StreamError) else str(error)
        return {"error": Message(f"{type(error).__name__}: ", message)}


def run_of(source: Source, learner: Any, seed: int, settings: dict[str, Any]) -> Run:
    """Return the whole run of a learner on a stream; what it would warn of is in its result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RowWarning)
        return not_cut(prequential(source.opened(seed), learner, seed=seed, **settings))


def result_of(run: Run) -> dict[str, Any]:
    """Return what a comparison keeps of a Run."""
    right = (run.predicted == run.codes)[run.codes >= 0]
    recovery = metrics.recovery(run) if len(run.drifts) else float("nan")
    return {
        "rows": run.n_rows,
        "unlabelled": run.unlabelled,
        **plain(run),
        "sorted_by_label": run.stretches.are_sorted,
        "positive": None if run.positive_code is None else str(run.positive_class),
        "accuracy_error": plain_number(standard_error(right)),
        "recovery": plain_number(recovery),
        "seconds": run.seconds,
        "rows_per_second": plain_number(run.rows_per_second),
        "memory": run.memory,
        "parameters": _parameters(run),
        "baselines": {name: _baseline(run, name) for name in BASELINES},
        "curve": curve(run, LEARNER),
        "curve_title": curves.title_over_time(run, _window(run)),
        "right": base64.b64encode(np.packbits(right).tobytes()).decode(),
        "n_scored": len(right),
        "drifts": run.drifts.tolist(),
        "alarms": len(run.alarms),
        "skipped": run.skipped,
        "stopped": run.interrupted,
    }


def _baseline(run: Run, name: str) -> dict[str, Any]:
    undefined = {"log_loss": None, "average_precision": None}
    return plain(run.of_baseline(name)) | undefined | {"curve": curve(run, name)}


def _parameters(run: Run) -> dict[str, str]:
    """Return the parameters as text, with the value of those that the learner chose by itself."""
    chosen = {name: f" → {value}" for name, value in run.resolved_parameters.items()}
    return {name: f"{value!r}{chosen.get(name, '')}" for name, value in run.parameters.items()}


def curve(run: Run, answerer: str) -> dict[str, Any]:
    """Return row numbers and accuracies over a sliding window of about a twentieth of the rows."""
    found = curves.over_time(run, answerer, _window(run), most=CURVE_POINTS)
    return {"x": found.rows.tolist(), "y": [plain_number(share) for share in found.values]}


def _window(run: Run) -> int:
    return max(LEAST_WINDOW, curves.usual_window(5 * run.n_scored // 2))


def rows_right(result: dict[str, Any]) -> NDArray[np.bool_]:
    """Return for each scored row whether it was predicted correctly."""
    packed = np.frombuffer(base64.b64decode(result["right"]), dtype=np.uint8)
    return np.unpackbits(packed, count=result["n_scored"]).astype(bool)


def run_file(learner: Any, source: Source, seed: int, settings: dict[str, Any]) -> Path | None:
    """Return the file that caches this run; None if the run has no stable identity."""
    about = source.about()
    if about is None:
        return None
    return cache_file("runs", [learner, about, seed, settings], source.files())
