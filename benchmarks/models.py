"""What a Model costs beyond its learner: one record of ten columns, and blocks of records in every form."""

import itertools
import json
import tempfile
import time
import timeit
import warnings
from functools import partial
from pathlib import Path

import numpy as np

import thalweg
from thalweg.errors import ColumnWarning

N_CALLS, REPEATS, N_ROWS = 2000, 15, 100_000
WORDS = [f"w{k}" for k in range(200)]
LEARNERS = ("MajorityClass", "NaiveBayes", "HoeffdingTree")


def records(n, seed=1):
    """Return records of ten columns of mixed kinds, and a label."""
    rng = np.random.default_rng(seed)
    return [
        {
            "price": f"{rng.gamma(2, 20):.2f}".replace(".", ","), "weight": float(rng.normal()),
            "n_items": int(rng.integers(1, 9)), "width": str(rng.random()),
            "shop": str(rng.choice(["north", "south"])), "colour": str(rng.choice(["red", "blue", "green"])),
            "size": str(rng.choice(["S", "M", "L"])), "when": f"{i % 28 + 1:02}.03.2024 {i % 24:02}:30",
            "paid": int(i % 2), "comment": " ".join(rng.choice(WORDS, 5)),
            "y": str(rng.choice(["yes", "no"])),
        }
        for i in range(n)
    ]  # fmt: skip


def taught(learner, rows):
    """Return a model that has learned these rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ColumnWarning)
        return thalweg.Model("y", learner).learn(rows)


def microseconds(call):
    """Return the least time of a call in a loop."""
    return 1e6 * min(timeit.repeat(call, timer=time.process_time, number=N_CALLS, repeat=REPEATS)) / N_CALLS


def label_later(model, row, numbers):
    """Predict a row that then waits, and learn it by its id."""
    number = next(numbers)
    model.predict(row, ids=number)
    model.label(number, "yes")


def main():
    import pandas as pd
    import polars as pl

    rows = records(N_ROWS // 5)
    row = {name: value for name, value in rows[5].items() if name != "y"}
    print(f"json.loads of the record {microseconds(partial(json.loads, json.dumps(row))):6.2f} µs")
    for name in LEARNERS:
        model = taught(name, rows[:3000])
        x = next(model.stream([row]).coded_blocks(1))[0][0]
        learner = model.learner_
        both = microseconds(partial(model.predict_one, row)), microseconds(partial(learner.predict_one, x))
        print(f"{name:16} predict_one {both[0]:6.2f} µs, its learner {both[1]:6.2f}")
        both = microseconds(partial(model.learn, rows[5])), microseconds(partial(learner.learn_one, x, "yes"))
        print(f"{'':16} learn       {both[0]:6.2f} µs, its learner {both[1]:6.2f}")
        late = microseconds(partial(label_later, model, row, itertools.count()))
        print(f"{'':16} predict with an id, and label {late:6.2f} µs")
    rows, model = rows * 5, taught("NaiveBayes", rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        frame = pd.DataFrame(rows)
        frame.to_csv(path, index=False)
        forms = {"CSV": path, "pandas": frame, "polars": pl.DataFrame(rows), "records": rows}
        for name, form in forms.items():
            start = time.process_time()
            model.predict(form)
            print(f"predict of {name:8} {len(rows) / (time.process_time() - start):9,.0f} rows a second")


if __name__ == "__main__":
    main()
