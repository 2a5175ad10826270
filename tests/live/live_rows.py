"""Rows, models and folders for the tests of live models."""

import warnings
from typing import Any

import numpy as np

import thalweg
from thalweg.live import LiveModel

COLUMNS = {"price": "number", "weight": "number", "shop": "category", "day": "date"}


def record(i: int) -> dict[str, Any]:
    rng = np.random.default_rng([3, i])
    price, weight = rng.normal(size=2).round(3).tolist()
    return {
        "price": price if i % 11 else None,
        "weight": weight,
        "shop": f"shop {rng.integers(6 + i // 40)}",  # new ones keep coming
        "day": f"2026-0{1 + i % 9}-1{i % 10}",
    }


def label(i: int) -> str:
    row = record(i)
    if i % 97 == 96:
        return f"case {i}"  # a new class
    return "yes" if (row["price"] or 0.0) > row["weight"] else "no"


def records(start: int, stop: int) -> list[dict[str, Any]]:
    return [record(i) for i in range(start, stop)]


def labels(start: int, stop: int) -> list[str]:
    return [label(i) for i in range(start, stop)]


def new_model(learner: Any = "LogisticMixture", **options: Any) -> thalweg.Model:
    """Return a model that has learned some records."""
    rows = [record(i + 10**6) | {"paid": ["yes", "no"][i % 2]} for i in range(100)]
    return thalweg.Model(target="paid", learner=learner, columns=COLUMNS, **options).learn(rows)


def numeric_model(learner: Any = "LogisticMixture", n: int = 5, n_classes: int = 2, **options: Any) -> Any:
    """Return a model of numbers that has learned some rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return thalweg.Model(learner=learner, **options).learn(X, np.arange(300) % n_classes)


class Stepped:
    """A live model whose thread handles one group at a time, of the requests that a test puts into it."""

    def __init__(self, live: LiveModel) -> None:
        self.live = live

    def group(self, requests: list[Any]) -> list[Any]:
        """Answer requests as one group: they are queued while the thread is busy with a call."""
        import threading

        go, entered, found = threading.Event(), threading.Event(), [None] * len(requests)
        finished = threading.Semaphore(0)

        def hold() -> None:
            entered.set()
            go.wait()

        holder = threading.Thread(target=lambda: self.live._call(hold))
        holder.start()
        entered.wait()
        for i, request in enumerate(requests):

            def done(result: Any, i: int = i) -> None:
                found[i] = result
                finished.release()

            self.live.submit(request, done)
        go.set()
        holder.join()
        for _ in requests:
            finished.acquire()
        return found


def crash(live):
    """End a live model as a kill would: without a checkpoint."""
    live._worker.close()
    live._keeper.close()
    live._lock.release()
    del live._lock


def work(live, start, stop):
    ids = [f"r{i}" for i in range(start, stop)]
    live.predict(records(start, stop), ids=ids)
    live.label(ids[::2], labels(start, stop)[::2])
    live.learn(records(stop, stop + 5), labels(stop, stop + 5), ids=[f"k{i}" for i in range(stop, stop + 5)])
