"""Messages for a live model, and what it answers if they are given to it one by one."""

import numpy as np

import thalweg
from thalweg.live import LiveError, LiveModel
from thalweg.live.consuming import answer_record, request_of


def begun_model(learner="LogisticMixture"):
    """Return a model that has learned a few rows."""
    rng = np.random.default_rng(7)
    rows = [_row(rng) | {"paid": "yes" if rng.random() < 0.5 else "no"} for _ in range(50)]
    return thalweg.Model(target="paid", learner=learner).learn(rows)


def _row(rng):
    return {"price": f"{rng.integers(100)},50", "who": str(rng.choice(["ann", "bob", "cem"]))}


def messages(n, seed=1):
    """Return (key, record) pairs: predictions, their labels a little later, rows to learn, repeated ones."""
    rng, sent, open_ids = np.random.default_rng(seed), [], []
    for i in range(n):
        name, kind = f"m{i}", rng.random()
        if kind < 0.45 or (kind < 0.85 and not open_ids):
            sent.append((name, {"event": "predict", "id": name, "row": _row(rng)}))
            open_ids.append(name)
        elif kind < 0.85:
            name = open_ids.pop(int(rng.integers(len(open_ids))))
            sent.append((name, {"event": "label", "id": name, "label": str(rng.choice(["yes", "no"]))}))
        elif kind < 0.95:
            label = str(rng.choice(["yes", "no", "later" if i > n // 2 else "no"]))
            sent.append((name, {"event": "learn", "id": name, "row": _row(rng), "label": label}))
        else:
            sent.append(sent[int(rng.integers(len(sent)))])
    return sent


def direct(folder, sent):
    """Return the answers of a live model that gets the messages one by one, and its digest."""
    found = []
    with LiveModel(folder, begun_model(), survive="process") as live:
        for i, (key, record) in enumerate(sent):
            try:
                answer = live._ask(request_of(record, key))
            except LiveError as error:
                answer = error
            found.append(answer_record(answer, record.get("id", key), f"x/0/{i}"))
        return found, live.digest()


def bit_equal_answers(by_place, expected):
    """Compare answers by the place of their message: all but the name of the topic is the same.

    A prediction that is asked for again after its label was learned is made when the batch is done, so its
    probabilities depend on the batches.
    """
    assert len(by_place) == len(expected)
    for i, each in enumerate(expected):
        names = set(each) - {"source"}
        if each["status"] == "already":
            names -= {"label", "classes", "probabilities"}
        found = by_place[f"0/{i}"]
        assert {name: found[name] for name in names} == {name: each[name] for name in names}
