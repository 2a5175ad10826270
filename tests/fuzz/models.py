"""Load damaged model files: each must be loaded or refused in one line, without a crash or a hang.

    PYTHONPATH=tests python tests/fuzz/models.py --seconds 60 --seed 1

Half of the files get their length and checksum corrected, so that what comes after these is tried too. A file
that is a problem is kept in build/fuzz.
"""

import hashlib
from pathlib import Path

import numpy as np
from support.damaged_files import read_damaged, tell
from support.isolated import run_script

import thalweg
from thalweg.errors import ModelFileError
from thalweg.saving.container import HEADER, MAGIC

MODELS = Path(__file__).parents[1] / "golden" / "models"
TIME_LIMIT = 20


def read(path):
    """Return "read", "refused", or what is wrong with how the file was loaded."""
    try:
        learner = thalweg.load(path)
    except ModelFileError as error:
        is_clear = path in str(error) and len(str(error).splitlines()) == 1
        return "refused" if is_clear else f"message is not clear: {str(error)!r}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    if not hasattr(learner, "n_features_in_"):
        return "read"
    X = np.zeros((3, learner.n_features_in_))
    try:
        p = learner.predict_proba_block(X)
        learner.test_then_train_coded(X, np.zeros(3, dtype=np.intp))
    except ValueError as error:
        return f"a loaded learner fails: {error}"
    return "read" if np.isfinite(p).all() else "probabilities are not finite"


def signed(rng, data):
    """Return a file with its length and checksum corrected, or as it is."""
    if rng.random() < 0.5 or len(data) < HEADER.size + 32 or not data.startswith(MAGIC):
        return data
    fields = list(HEADER.unpack(data[: HEADER.size]))
    fields[3] = len(data)
    body = HEADER.pack(*fields) + data[HEADER.size : -32]
    return body + hashlib.sha256(body).digest()


def run(seed, **limit):
    """Load damaged models; return counts of (name, answer), and the problems."""
    files = {path.name: path.read_bytes() for path in sorted(MODELS.rglob("*.tw"))}
    return read_damaged(__file__, files, ["model"], seed, finish=signed, **limit)


if __name__ == "__main__":
    run_script(__doc__, read, TIME_LIMIT, run, tell)
