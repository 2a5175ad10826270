"""The same events in any grouping, with saves in between and over threads: the same answers and state."""

import threading

import numpy as np
import pytest
from live.live_rows import Stepped, label, new_model, numeric_model, record

from thalweg.learners import HUWRS, AdaptiveStacking, HoeffdingTree, LastLabels, NaiveBayes
from thalweg.live import LiveModel
from thalweg.live.requests import LabelRequest, LearnRequest, PredictRequest
from thalweg.trust import Calibrated, PredictionSets

N = 70


def script(row, answer, n=N):
    """Return requests of one row each: predictions, labels some rows later, and rows to learn."""
    found = []
    for i in range(n):
        found.append(PredictRequest([row(i)], [f"r{i}"]))
        if i >= 20 and i % 3:
            found.append(LabelRequest([f"r{i - 20}"], [answer(i - 20)]))
        if i >= 45 and i % 5 == 0:
            found.append(LabelRequest([f"r{i - 45}"], [answer(i - 45)]))  # too late for some
        if i % 7 == 0:
            found.append(LearnRequest([row(10_000 + i)], [answer(10_000 + i)], [f"k{i}"]))
    return found


def in_order(requests, size):
    """Join neighbours of one kind into requests of up to `size` rows."""
    found = []
    for each in requests:
        last = found[-1] if found else None
        if last is not None and type(last) is type(each) and len(last.ids) < size:
            last.ids.extend(each.ids)
            if not isinstance(each, LabelRequest):
                last.rows.extend(each.rows)
            if not isinstance(each, PredictRequest):
                last.labels.extend(each.labels)
        else:
            found.append(type(each)(**{name: list(value) if isinstance(value, list) else value
                                       for name in each.__slots__
                                       for value in [getattr(each, name)]}))
    return found


def answers_of(results):
    """Return what was said of each row: label, probabilities by class, status and event."""
    found = []
    for result in results:
        p = getattr(result, "probabilities", None)
        for i, (status, event) in enumerate(zip(result.statuses, result.events, strict=True)):
            said = None if p is None else (result.labels[i], *p[i].tolist())
            found.append((status, event, said))
    return found


def runs(requests, observes):
    """Return requests by one kind after another, so that joining neighbours makes large blocks."""
    if not observes:
        return requests
    order = {PredictRequest: 0, LabelRequest: 1, LearnRequest: 1}
    found = []
    for start in range(0, len(requests), 10):
        found += sorted(requests[start : start + 10], key=lambda each: order[type(each)])
    return found


def run(folder, model, requests, size, saves=False, **options):
    results = []
    with LiveModel(folder, model, survive="process", **options, new_labels="add") as live:
        stepped = Stepped(live)
        for start in range(0, len(requests), size):
            if size == 1:
                results.append(live._ask(requests[start]))
            else:
                results += stepped.group(requests[start : start + size])
            if saves and start % 5 == 0:
                live.checkpoint()
                live.export(folder / "exported.tw")
        return answers_of(results), live.digest()


LEARNERS = {
    "LogisticMixture": lambda: "LogisticMixture",
    "HoeffdingTree": lambda: HoeffdingTree(grace_period=20),
    "AdaptiveStacking": lambda: AdaptiveStacking(
        [NaiveBayes(), HoeffdingTree(grace_period=20), LastLabels(NaiveBayes())], max_waiting=25
    ),
    "PredictionSets": lambda: PredictionSets(NaiveBayes(), max_waiting=25),
    "Calibrated": lambda: Calibrated(NaiveBayes(), max_waiting=25),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_groups_of_any_size_give_the_same_answers_and_state(tmp_path, name):
    """Rows are dropped on the way: fewer can wait than come before their labels."""
    requests = script(record, label)
    model = new_model(LEARNERS[name](), max_waiting=25)
    requests = runs(requests, model.learner_.observes)
    expected = run(tmp_path / "1", model, requests, 1)
    assert ("dropped", None, None) in expected[0]
    # If a learner observes, predictions come first within a group: see the next test.
    for size in () if model.learner_.observes else (7, 64, 1000):
        assert run(tmp_path / str(size), model, requests, size) == expected, size
    joined = in_order(requests, 50)
    assert len(joined) < len(requests)
    assert run(tmp_path / "joined", model, joined, 1, saves=name == "LogisticMixture") == expected


@pytest.mark.parametrize("name", ["AdaptiveStacking", "HUWRS"])
def test_learners_that_observe_go_on_after_recovery_as_without(tmp_path, name):
    """The events of a group, in the order that was logged, one at a time."""
    learner = HUWRS(chunk_size=30) if name == "HUWRS" else LEARNERS[name]()
    model = numeric_model(learner, max_waiting=25 if name != "HUWRS" else 10_000)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2 * 10**4, 5))
    requests = script(lambda i: X[i].tolist(), lambda i: int(X[i, 0] > 0))
    for each in requests:
        if not isinstance(each, LabelRequest):
            each.rows = np.array(each.rows)
    with LiveModel(tmp_path / "grouped", model, survive="process", new_labels="add") as live:
        stepped = Stepped(live)
        for start in range(0, len(requests), 30):
            stepped.group(requests[start : start + 30])
        digest, n = live.digest(), live.event
        ordered = logged(live, requests)
    with LiveModel(tmp_path / "single", model, survive="process", new_labels="add") as live:
        for each in ordered:
            live._ask(each)
        assert (live.event, live.digest()) == (n, digest)


def logged(live, requests):
    """Return requests in the order in which the log has their events."""
    from thalweg.live.events import HAS_ID, LABEL, from_bytes

    by_key = {(type(each) is LabelRequest, each.ids[0]): each for each in requests}
    found = []
    for entry in live._keeper.log.entries(0, 10**6):
        group = from_bytes(entry.data)
        found += [by_key[kind == LABEL, key]
                  for kind, key in zip(group.kinds[HAS_ID[group.kinds]], group.ids, strict=True)]
    return found


def test_threads_share_a_live_model(tmp_path):
    """Whatever the order in which requests come, the answers are those of the events in their order."""
    model = new_model()
    with LiveModel(tmp_path / "live", model, new_labels="add") as live:
        answers = {}

        def work(worker):
            for i in range(worker, 160, 8):
                answers[f"r{i}"] = live.predict([record(i)], ids=[f"r{i}"])
                answers[i] = live.label([f"r{i}"], [label(i)])

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert live.event == 320
        digest = live.model.digest()
    plain = new_model().set_params(new_labels="add")
    ordered = sorted(answers, key=lambda key: answers[key].events[0])
    for key in ordered:
        if isinstance(key, str):
            i = int(key[1:])
            p = plain.predict_proba(record(i), ids=[key])
            found = dict(zip(answers[key].classes, answers[key].probabilities[0].tolist(), strict=True))
            assert found == dict(zip(plain.classes_.tolist(), p[0].tolist(), strict=True))
        else:
            plain.label([f"r{key}"], [label(key)])
    assert plain.digest() == digest


@pytest.mark.parametrize(
    ("n", "n_classes", "learner"),
    [(130, 2, "LogisticMixture"), (4, 12, "LogisticMixture"), (3, 3, None), (4, 3, "HoeffdingTree")],
)
def test_shapes(tmp_path, n, n_classes, learner):
    """Wide rows, many classes, missing values and the default learner recover bit for bit."""
    model = numeric_model(learner, n, n_classes)
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, n))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(n_classes, size=120).tolist()
    live = LiveModel(tmp_path, model, new_labels="add")
    for start in range(0, 120, 30):
        ids = list(range(start, start + 30))
        p = live.predict(X[start : start + 30], ids=ids).probabilities
        assert p.shape == (30, n_classes)
        live.label(ids[::-1], y[start : start + 30][::-1])
    digest = live.digest()
    live._worker.close()
    live._keeper.close()
    live._lock.release()
    with LiveModel(tmp_path, new_labels="add") as live:
        assert live.digest() == digest


def test_many_categories_and_text(tmp_path):
    import thalweg

    def row(i):
        return {"shop": f"s{i % 500}", "words": f"red blue {i % 17} green w{i % 29}", "n": float(i % 13)}

    rows = [row(i) | {"y": "ab"[i % 2]} for i in range(120)]
    columns = {"shop": "category", "words": "text", "n": "number"}
    model = thalweg.Model(target="y", learner="LinearLogistic", columns=columns).learn(rows)
    assert model._late._sparse
    with LiveModel(tmp_path, model) as live:
        for start in range(0, 600, 100):
            ids = list(range(start, start + 100))
            live.predict([row(i) for i in ids], ids=ids)
            live.label(ids[:70], ["ab"[i % 2] for i in ids[:70]])
        digest, waiting = live.digest(), live.n_waiting
        assert len(live.model.schema()["columns"][0]["values"]) == 500
        live._worker.close()
        live._keeper.close()
        live._lock.release()
        del live._lock
    with LiveModel(tmp_path, new_labels="add") as live:
        assert (live.digest(), live.n_waiting) == (digest, waiting)
        assert live.label([90], ["a"]).statuses == ["learned"]
