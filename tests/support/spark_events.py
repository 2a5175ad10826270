"""Events of many keys with all that may happen to them, and what separate learners say about each."""

import numpy as np
import pyarrow as pa

from support.separate_learners import SeparateLearners
from thalweg.keyed import Bank, Operator
from thalweg.learners import LogisticMixture

INPUTS, CLASSES = ["a", "b", "c"], ["no", "yes"]
FIRST = 2**60  # orders that a float would round
SCHEMA = pa.schema([
    ("who", pa.string()), ("n", pa.int64()), *((name, pa.float64()) for name in INPUTS),
    ("paid", pa.string()), ("order_id", pa.string()), ("w", pa.float64()),
])  # fmt: skip


def operator():
    made = Operator(
        Bank(LogisticMixture()), key="who", order="n", target="paid", id="order_id", weight="w", keep=["a"]
    )
    return made.begin(inputs=INPUTS, classes=CLASSES)


def events(n, n_keys, seed=1):
    """Return a table: labels at once, five events late or never, missing values, weight 0, poisoned rows."""
    rng = np.random.default_rng(seed)
    made, due = [], []
    while len(made) < n:
        i = len(made)
        if due and due[0][0] <= i:
            _, who, name, label = due.pop(0)
            made.append({"who": who, "n": FIRST + i, "paid": label, "order_id": name, "w": 1.0})
            continue
        x = np.where(rng.random(3) < 0.05, np.nan, rng.normal(size=3))
        key = int(rng.integers(n_keys))
        label = CLASSES[int(np.nansum(x * (1 if key % 2 else -1)) + rng.logistic() > 0)]
        who = None if key == 0 else f"customer {key}"
        row = {"who": who, "n": FIRST + i, **dict(zip(INPUTS, x.tolist(), strict=True)), "w": 1.0}
        kind = rng.random()
        if kind < 0.6:
            made.append(row | {"paid": label, "w": 0.0 if kind < 0.05 else 1.0})
        elif kind < 0.95:
            made.append(row | {"order_id": f"o{i}"})
            if kind < 0.9:
                due.append((i + 5, who, f"o{i}", label))
        else:
            made.append(row | ({"paid": "perhaps"} if kind < 0.975 else {"a": np.inf, "paid": label}))
    return pa.Table.from_pylist([each | {"a": each.get("a")} for each in made], schema=SCHEMA)


def plain(table):
    """Return (status, probabilities or None) by order: a learner for each key, an event after another."""
    learners = SeparateLearners(LogisticMixture(), len(INPUTS), CLASSES)
    waiting, found = {}, {}
    for row in sorted(table.to_pylist(), key=lambda each: each["n"]):
        x = np.array([[np.nan if row[name] is None else row[name] for name in INPUTS]])
        key, label, name = str(row["who"]), row["paid"], row["order_id"]
        learner = learners.at(key)
        if label == "perhaps" or np.isinf(x).any():
            found[row["n"]] = "refused", None
        elif label is not None and (key, name) in waiting:
            x, p = waiting.pop((key, name))
            learner.test_then_train(x, [label])
            found[row["n"]] = "late", p
        elif label is not None:
            p = learner.test_then_train(x, [label], sample_weight=[row["w"]])[0]
            found[row["n"]] = "learned" if row["w"] else "predicted", p
        else:
            p = learner.predict_proba_block(x)[0]
            found[row["n"]] = "predicted", p
            if name is not None:
                waiting[key, name] = x, p
    return found


def differences(outputs, expected):
    """Return the orders of events whose output is not the expected one, bit for bit and once."""
    orders = outputs.column("n").to_pylist()
    found = dict(zip(orders, outputs.select(["status", "p_no", "p_yes"]).to_pylist(), strict=True))
    wrong = [order for order, (status, p) in expected.items() if order not in found or found[order] != {
        "status": status, "p_no": None if p is None else p[0], "p_yes": None if p is None else p[1]
    }]  # fmt: skip
    twice = len(orders) - len(found)
    return wrong + [order for order in found if order not in expected] + [None] * twice
