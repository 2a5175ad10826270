"""The rows all libraries are given: two made streams, and real files as arrays of numbers."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas
from scipy.io import arff

DATA = Path(__file__).parents[2] / "shared" / "data"
REAL = {
    "elec2": "elec2.arff",
    "weather": "weather.arff",
    "usenet1": "usenet1.arff",
    "email-list": "email-list.csv.gz",
    "luxembourg": "luxembourg.csv",
    "keystroke": "keystroke.arff",
    "powersupply": "powersupply.csv",
    "covtype": "covertype-100k.csv.gz",
    "insects": "insects-gradual.csv.gz",
    "gmsc": "gmsc.arff.gz",
}
HEADERLESS = {"insects"}


@dataclass
class Rows:
    """Inputs, label codes, and for each input its number of categories (0 is numeric)."""

    X: np.ndarray
    codes: np.ndarray
    n_categories: np.ndarray

    @property
    def n_classes(self):
        return int(self.codes.max()) + 1


def load(name, data=DATA):
    """Return the rows of a stream: "sea", "rbf", "elec" (6 inputs) or a name in REAL.

    A name with " nominal" behind it declares the categories; without, every input is a number.
    """
    if name == "sea":
        return numeric(*sea())
    if name == "rbf":
        return numeric(*rbf())
    if name == "elec":
        rows = real("elec2", data)
        return numeric(rows.X[:, 2:], 1 - rows.codes)  # as published: no date, no day, DOWN before UP
    file, _, nominal = name.partition(" ")
    if file not in REAL or nominal not in ("", "nominal"):
        raise SystemExit(f"no stream {name!r}; name sea, rbf, elec or one of {', '.join(REAL)} (+ nominal)")
    rows = real(file, data)
    return rows if nominal else numeric(rows.X, rows.codes)


def save(name, data, folder):
    """Write the rows of a stream into `folder`; return the file, which `np.load` reads."""
    rows, path = load(name, data), Path(folder) / f"{name}.npz"
    np.savez(path, **vars(rows), n_classes=rows.n_classes)
    return path


def numeric(X, codes):
    """Return the rows with every input taken as a number."""
    return Rows(np.ascontiguousarray(X), codes.astype(np.intp), np.zeros(X.shape[1], dtype=np.intp))


def sea(n_rows=100_000, seed=1, noise=0.1):
    """Three inputs in [0, 10]; x0 + x1 <= θ, a quarter each of θ = 8, 9, 7, 9.5; some labels flipped."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 10, (n_rows, 3))
    threshold = np.repeat([8.0, 9.0, 7.0, 9.5], n_rows // 4)
    codes = X[:, 0] + X[:, 1] <= threshold
    return X, codes ^ (rng.random(n_rows) < noise)


def rbf(n_rows=100_000, n_features=10, n_centres=10, speed=0.001, n_classes=2, seed=1):
    """Gaussian balls whose centres move by `speed` a row in the unit cube and bounce off its walls."""
    rng = np.random.default_rng(seed)
    centres = rng.random((n_centres, n_features))
    spread = rng.random(n_centres)
    share = rng.random(n_centres)
    motion = rng.random((n_centres, n_features))
    motion *= speed / np.linalg.norm(motion, axis=1, keepdims=True)
    picked = rng.choice(n_centres, n_rows, p=share / share.sum())
    offset = rng.uniform(-1, 1, (n_rows, n_features))
    offset /= np.linalg.norm(offset, axis=1, keepdims=True)
    offset *= (rng.standard_normal(n_rows) * spread[picked])[:, None]
    X = np.empty((n_rows, n_features))
    for i, k in enumerate(picked):
        centres += motion
        outside = (centres > 1) | (centres < 0)
        if outside.any():
            np.clip(centres, 0, 1, out=centres)
            motion[outside] *= -1
        X[i] = centres[k] + offset[i]
    return X, picked % n_classes


def real(name, data=DATA):
    """Return a real file's rows; inputs nominal in its header, or only ever 0 and 1, are categories."""
    path = Path(data) / REAL[name]
    if ".arff" in path.suffixes:
        frame, nominal = _arff(path)
    else:
        frame, nominal = pandas.read_csv(path, header=None if name in HEADERLESS else 0), {}
    X = frame.iloc[:, :-1].to_numpy(np.float64)
    labels = frame.iloc[:, -1].to_numpy()
    counts = [nominal.get(column, 0) or _binary(X[:, j]) for j, column in enumerate(frame.columns[:-1])]
    codes = np.unique(labels, return_inverse=True)[1].astype(np.intp)
    return Rows(np.ascontiguousarray(X), codes, np.array(counts, dtype=np.intp))


def _arff(path):
    """Return the file as numbers, nominal values by their place in the header, and how many there are."""
    with pandas.io.common.get_handle(path, "r", compression="infer") as handle:
        cells, header = arff.loadarff(handle.handle)
    frame, nominal = pandas.DataFrame(cells), {}
    for column in header.names():
        kind, values = header[column]
        if kind == "nominal":
            nominal[column] = len(values)
            places = {value.encode(): float(place) for place, value in enumerate(values)}
            frame[column] = frame[column].map(places)
    return frame, nominal


def _binary(column):
    return 2 if np.isin(column, (0, 1)).all() else 0
