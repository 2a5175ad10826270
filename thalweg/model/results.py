"""What a model keeps of its runs."""

import datetime
from typing import Any

from thalweg.evaluation.run import Run

MANY_ROWS = 200_000
RESULTS = (
    "rows", "unlabelled", "accuracy", "kappa_temporal", "log_loss", "baselines", "skipped", "interrupted",
    "seconds",
)  # fmt: skip


def results(run: Run) -> dict[str, Any]:
    """Return what is kept of a run; of one that was interrupted after many rows no metrics, to end soon."""
    in_a_hurry = run.interrupted and run.keeps_rows and run.n_rows > MANY_ROWS
    summary = {"rows": run.n_rows, "interrupted": True} if in_a_hurry else run.summary()
    return {
        "source": run.stream,
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "settings": {name: str(value) for name, value in run.settings.items()},
        **{name: value for name, value in summary.items() if name in RESULTS},
    }
