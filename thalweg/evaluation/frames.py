"""A Run as a pandas DataFrame; pandas is imported on demand."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from thalweg.evaluation.run import Run


def frame_of(run: "Run") -> Any:
    """Return a DataFrame with a line for each tested row."""
    labels, predicted, probabilities = run.labels, run.predicted, run.probabilities
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame needs pandas: pip install pandas") from error
    names = np.array([*run.classes.tolist(), None], dtype=object)
    numbers = np.arange(len(labels)) if run.row_numbers is None else run.row_numbers
    columns = {
        "row": numbers,
        "label": names[labels],
        "predicted": names[predicted],
        "correct": labels == predicted,
    }
    columns |= {f"probability of {label}": probabilities[:, k] for k, label in enumerate(run.classes)}
    columns |= {name: names[codes] for name, codes in run.baselines.items()}
    return pd.DataFrame(columns)
