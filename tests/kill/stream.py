"""Requests of a client whose rows and labels follow from their number, so that they can be sent again."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import thalweg

SHOPS = ["north", "south", "east", "west"]
MAX_WAITING = 60


def record(i: int) -> dict[str, Any]:
    rng = np.random.default_rng([7, i])
    shop = SHOPS[int(rng.integers(4))] if rng.random() < 0.98 else f"shop {i}"  # now and then a new category
    price, weight = rng.normal(size=2).round(3).tolist()
    return {"price": price if rng.random() < 0.95 else None, "weight": weight, "shop": shop}


def label(i: int) -> str:
    row = record(i)
    if i % 500 == 499:
        return f"case {i}"  # now and then a new class
    return "yes" if (row["price"] or 0.0) + (row["shop"] == "north") > row["weight"] else "no"


def first_model(learner: str) -> thalweg.Model:
    rows = [record(-i - 1 + 10**6) | {"paid": "yes" if i % 3 else "no"} for i in range(200)]
    columns = {"price": "number", "weight": "number", "shop": "category"}
    kept = {"max_waiting": MAX_WAITING, "new_labels": "add"}
    model = thalweg.Model(target="paid", learner=learner, columns=columns, **kept)
    return model.learn(rows)


@dataclass
class Sent:
    """A request: what it asks for each of its rows, which are numbers of the stream."""

    kind: str  # "predict", "label" or "learn"
    rows: list[int]
    soon: bool = False

    def ids(self) -> list[str]:
        name = "k" if self.kind == "learn" else "r"
        return [f"{name}{i}" for i in self.rows]


class Script:
    """Draws requests: rows are predicted, most are labelled some time later, some are learned at once."""

    def __init__(self, seed: int, batch: int, soon: bool) -> None:
        self.rng, self.batch, self.soon = np.random.default_rng(seed), batch, soon
        self.next = 0
        self.unlabelled: list[int] = []

    def draw(self) -> Sent:
        n = self.batch if self.batch == 1 else int(self.rng.integers(1, self.batch + 1))
        choice = self.rng.random()
        if choice < 0.4 and len(self.unlabelled) >= n:
            chosen = [self.unlabelled.pop(int(self.rng.integers(len(self.unlabelled)))) for _ in range(n)]
            return Sent("label", chosen)
        rows = list(range(self.next, self.next + n))
        self.next += n
        if choice < 0.55:
            return Sent("learn", rows)
        return Sent("predict", rows, self.soon and self.rng.random() < 0.8)

    def was_predicted(self, rows: list[int]) -> None:
        self.unlabelled += rows
        del self.unlabelled[: max(0, len(self.unlabelled) - 3 * MAX_WAITING)]
