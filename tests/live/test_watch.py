"""LiveWatch: what it knows, whatever the blocks, in bounded memory, and after a restart."""

import copy
import json
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.damaged_states import DamagedStates
from support.live_events import feed, feed_blocks, give, late_events, script

from thalweg.errors import ParameterError, StateError
from thalweg.evaluation.baselines import BASELINES
from thalweg.learners import MajorityClass
from thalweg.live.watch import words
from thalweg.live.watch.live_watch import LiveWatch
from thalweg.live.watch.sums import Sums
from thalweg.live.watch.traffic import DAYS, Traffic
from thalweg.saving.plain import from_json, to_json

NOW = 1e9 + 10_000


def snapshot(watch):
    return json.loads(json.dumps(watch.snapshot(now=NOW), allow_nan=False))


def watched(events, **settings):
    watch = LiveWatch(events.X.shape[1], **settings)
    feed(watch, events, (), looks=range(0, 20_000, 777))
    return watch


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [("known", "part_size", 0), ("known", "part_size", -20), ("known", "part_size", 21),
     ("known", "n_rows", -1), ("delays", "n", 10**30), ("delays", "n", -1), ("surprises", "n", 2**60)],
)  # fmt: skip
def test_numbers_that_count_nothing_are_refused(events, part, name, value):
    state = quickly(events).state()
    LiveWatch.from_state(copy.deepcopy(state))
    state["sums"][part][name] = value
    with pytest.raises(StateError):
        LiveWatch.from_state(state)


def test_counts_of_other_shapes_and_of_other_labels_are_refused(events):
    for damage, message in (
        (lambda sums: sums["traffic"]["counts"].update(hour=np.zeros((9, 2), dtype=int)), "other shapes"),
        (lambda sums: sums["surprises"].update(now=np.zeros((1, 280))), "has the shape"),
        (lambda sums: sums["baselines"].update(n_labels=2**62), "learned other labels"),
    ):
        state = quickly(events).state()
        damage(state["sums"])
        with pytest.raises(StateError, match=message):
            LiveWatch.from_state(state)


def test_baselines_that_can_learn_no_new_label_are_refused(events):
    state = quickly(events).state()
    state["sums"]["baselines"]["learners"][0]["open"] = False
    with pytest.raises(StateError, match="no new labels"):
        LiveWatch.from_state(state)


def test_times_of_a_damaged_log_are_bounded():
    events = late_events(50)._replace(times=np.where(np.arange(50) < 30, 1e9, 1e300))
    found = watched(events).snapshot(now=NOW)["traffic"]
    assert sum(found["over_time"]["hour"]["rows"]) == 20


def quickly(events, **settings):
    watch = LiveWatch(events.X.shape[1], **settings)
    feed_blocks(watch, events)
    return watch


@pytest.fixture(scope="module")
def events():
    return late_events(6000, delay=100, share=0.7, seed=3)


def test_known_accuracy_is_that_of_the_labels_that_came(events):
    found = snapshot(watched(events))
    right = events.p.argmax(axis=1) == events.codes
    order = [line[1] for line in script(events) if line[0] == "label"]
    assert found["rows"] == 6000
    assert found["labels"] == found["labels_of_rows"] == len(order)
    assert found["waiting"] == 6000 - len(order)
    assert found["accuracy"]["all"]["learner"] == pytest.approx(right[order].mean())
    assert found["accuracy"]["now"]["learner"] == pytest.approx(right[order[-1000:]].mean())
    over_time = found["accuracy"]["over_time"]
    assert over_time["rows"][-1] == 6000
    assert sum(over_time["labels"]) == len(order)
    stop = over_time["rows"][0]
    known = [i for i in order if i < stop]
    assert over_time["learner"][0] == pytest.approx(right[known].mean())
    assert over_time["times"][0] == events.times[0]


def test_baselines_know_only_labels_that_came_before_a_row(events):
    found = snapshot(watched(events))["accuracy"]["all"]
    last, counts, said, right = 0, np.zeros(3), {}, {"no_change": [], "majority": []}
    for kind, i, _ in script(events):
        if kind == "row":
            said[i] = {"no_change": last, "majority": int(counts.argmax())}
            continue
        code = events.codes[i]
        for name in right:
            right[name].append(said[i][name] == code)
        last, counts[code] = code, counts[code] + 1
    for name, values in right.items():
        assert found[name] == pytest.approx(np.mean(values)), name
    assert 0 < found["label_chain"] < 1
    assert set(BASELINES) <= set(found)


def test_the_estimate_is_near_what_is_known_later():
    events = late_events(8000, delay=1500, seed=5)
    found = snapshot(watched(events))["estimate"]
    truth = np.mean((events.p.argmax(axis=1) == events.codes)[-1000:])
    assert found["now"]["low"] <= truth <= found["now"]["high"]
    assert found["now"]["known"] < 700
    assert found["over_time"]["rows"][-1] == 8000


def test_delays_in_rows_and_seconds(events):
    found = snapshot(watched(events))["delay"]
    order = [(i, n) for kind, i, n in script(events) if kind == "label"][-1000:]
    delays = [n - 1 - i for i, n in order]
    assert found["labels"] == 1000
    assert found["rows"]["median"] == np.median(delays)
    assert found["seconds"]["p90"] == pytest.approx(0.5 * np.quantile(delays, 0.9))


def test_surprising_labels_are_those_least_likely(events):
    found = snapshot(watched(events))["surprises"]
    listed = found["labels"]
    assert len(listed) == 20
    for each in listed:
        i = each["row"]
        assert each["label"] == events.codes[i] and each["answer"] == events.p[i].argmax()
        assert each["p_label"] == events.p[i, events.codes[i]] < 0.1
    order = [i for kind, i, _ in script(events) if kind == "label"]
    p = events.p[order, events.codes[order]]
    ratio = np.log(np.maximum(events.p[order].max(axis=1), 0.001)) - np.log(np.maximum(p, 0.001))
    assert listed[0]["surprise"] == pytest.approx(ratio.max())


def test_a_fall_of_accuracy_is_found_once_and_ends():
    right = np.where((np.arange(20_000) > 8000) & (np.arange(20_000) < 12_000), 0.5, 0.9)
    events = late_events(20_000, n_features=1, n_classes=2, delay=20, right=right, seed=1)
    found = snapshot(quickly(events))["alarm"]
    assert found["n_episodes"] == 1 and not found["is_open"]
    [episode] = found["episodes"]
    row = (episode["began"] - 1e9) / 0.5
    assert 7000 < row < 8600
    assert episode["accuracy"] < 0.65 < 0.85 < episode["reference"]
    assert 12_000 < (episode["ended"] - 1e9) / 0.5 < 14_000


def test_a_change_of_an_input_is_found_and_the_others_are_not():
    events = late_events(16_000, n_features=5, seed=2)
    events.X[7000:, 3] += 1.0
    found = snapshot(quickly(events, names=["a", "b", "c", "d", "e"]))["drift"]
    assert found["n_episodes"] == 1 and not found["is_open"]
    [episode] = found["episodes"]
    assert episode["row"] == 7000 and episode["inputs"] == 1
    assert [each["input"] for each in episode["changes"]] == ["d"]
    assert "d" in found["windows"]["names"]


def test_no_alarm_without_a_change():
    found = snapshot(quickly(late_events(30_000, n_features=20, seed=4)))
    assert found["drift"]["n_episodes"] == found["alarm"]["n_episodes"] == 0


def test_throughput_and_silence(events):
    watch = watched(events)
    at = events.times[-1]
    found = watch.snapshot(now=at)["traffic"]
    assert found["per_second"]["rows"] == pytest.approx(2.0)
    assert sum(found["over_time"]["hour"]["rows"]) == 6000
    later = watch.snapshot(now=at + 500)["traffic"]
    assert later["silence"] == pytest.approx(found["silence"] + 500)
    assert later["per_second"]["rows"] == 0


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(1, 2700), max_size=12), st.booleans())
def test_the_blocks_do_not_matter(cuts, one_by_one):
    events = late_events(1500, delay=40, share=0.8, n_classes=4, seed=11)
    events.X[900:, 1] += 2
    events.codes[:300] = events.codes[:300] % 2  # classes 2 and 3 come later
    at_once = np.random.default_rng(0).random(1500) < 0.2
    whole, cut = LiveWatch(3, max_waiting=60), LiveWatch(3, max_waiting=60)
    feed(whole, events, (), at_once)
    feed(cut, events, range(0, 2700) if one_by_one else cuts, at_once, looks=[*cuts, 900, 1800])
    assert snapshot(whole) == snapshot(cut)


def test_labels_of_new_classes_are_added_together(monkeypatch):
    calls = []
    add = Sums.add
    monkeypatch.setattr(Sums, "add", lambda self, events: (calls.append(1), add(self, events)))
    rng, sure = np.random.default_rng(0), np.eye(2)
    whole, cut = (LiveWatch(1, max_waiting=50, names=["x"]) for _ in range(2))
    for watch in (whole, cut):
        for now in range(0, 3000, 300):  # rows without labels, of probability 1, are forgotten
            X, answers = rng.normal(size=(300, 1)) * 0 + now, np.arange(300) % 2
            watch.predicted(float(now), X, sure[answers], answers)
            codes = 2 + now // 30 + np.arange(10)
            parts = [codes] if watch is whole else codes.reshape(-1, 1)
            for part in parts:
                n = len(part)
                watch.learned(now + 1.0, np.full(n, -1), part, np.zeros(n, int), np.zeros(n), X[:n])
        assert len(calls) <= 21
        calls.clear()
    assert snapshot(whole) == snapshot(cut)


@pytest.mark.parametrize("stop", [700, 2500, 7000])
def test_goes_on_after_a_restart(stop):
    events = late_events(4000, delay=60, seed=8, n_features=4)
    events.X[:, 2] = np.arange(4000) % 7
    lines = script(events)
    watch, whole = (LiveWatch(4, categorical=[2], max_waiting=500) for _ in range(2))
    for line in lines[:stop]:
        give(watch, events, line[0], [line])
    watch.counted(1e9, dropped=3, unknown=1)
    whole.counted(1e9, dropped=3, unknown=1)
    arrays = []
    plain = json.loads(json.dumps(to_json(watch.state(), arrays)))
    watch = LiveWatch.from_state(from_json(plain, arrays))
    for line in lines[stop:]:
        give(watch, events, line[0], [line])
    feed(whole, events, ())
    assert snapshot(watch) == snapshot(whole)


def test_a_state_that_does_not_fit_is_refused(events):
    state = watched(late_events(3000, seed=1)).state()
    for damage in (
        lambda s: s.pop("sums"),
        lambda s: s.update(format=9),
        lambda s: s["sums"]["drift"]["monitor"].update(n_features_=9),
        lambda s: s["sums"]["drift"]["monitor"]["_cells"].update(table=np.full(3, 99)),
        lambda s: s["sums"]["drift"]["monitor"].update(_n_others=-1),
        lambda s: s["sums"]["drift"]["monitor"].update(_n_others=1),
        lambda s: s["sums"]["drift"]["monitor"]["_cells"]["padded"].__setitem__(0, -np.inf),
        lambda s: s["sums"]["drift"]["monitor"]["_cells"]["padded"].__setitem__((1, 2), np.nan),
        lambda s: s["sums"]["drift"]["monitor"]["_cells"]["padded"].__setitem__((1, 0), np.inf),
        lambda s: s["sums"]["known"].update(latest=np.zeros((3, 4), dtype=bool)),
        lambda s: s["sums"].update(said=np.zeros((5, 3), dtype=np.int32)),
        lambda s: s["sums"]["alarm"].pop("alarm"),
        lambda s: s["watched"].update(positions="ab"),
    ):
        broken = LiveWatch.from_state(state).state()
        damage(broken)
        with pytest.raises(StateError):
            LiveWatch.from_state(broken)
    with pytest.raises(StateError):
        LiveWatch.from_state(None)


@pytest.mark.parametrize("group", [1, -1, 10**6])
def test_rows_that_wait_for_a_reference_are_of_the_one_group_there_is(group):
    state = watched(late_events(500, seed=1)).state()
    LiveWatch.from_state(state)
    state["sums"]["drift"]["monitor"]["_kept"][0][1][3] = group
    with pytest.raises(StateError, match="monitor is damaged"):
        LiveWatch.from_state(state)


def test_memory_is_bounded():
    def size(n):
        watch = quickly(late_events(n, delay=30, share=0.5, n_features=2), max_waiting=300)
        arrays = []
        rest = to_json(watch.state(), arrays)
        return sum(array.nbytes for array in arrays) + len(json.dumps(rest)) + sys.getsizeof(watch)

    assert size(40_000) < 1.3 * size(20_000)


def test_wrong_numbers_get_clear_errors():
    watch = LiveWatch(2)
    watch.predicted(0.0, np.zeros((2, 2)), np.full((2, 2), 0.5), np.zeros(2, int))
    with pytest.raises(ValueError, match="the code 1 and the delay -1"):
        watch.learned(0.0, [0], [1], [-1], [0.0])
    with pytest.raises(ParameterError, match="never predicted"):
        watch.learned(0.0, [-1], [1], [0], [0.0])
    with pytest.raises(ParameterError, match="already"):
        watch.counted(0.0, nonsense=1)
    with pytest.raises(ValueError, match="numbers of rows differ"):
        watch.predicted(0.0, np.zeros((2, 2)), np.full((1, 2), 0.5), np.zeros(2, int))


def test_labels_of_rows_before_the_watch_are_not_scored():
    watch = LiveWatch(2)
    watch.predicted(0.0, np.zeros((2, 2)), np.full((2, 2), 0.5), np.zeros(2, int))
    watch.learned(0.0, [0, 0, 1], [0, 0, 1], [1, 5, 2], [0.0, 0.0, 0.0])
    found = snapshot(watch)
    assert (found["labels"], found["labels_of_rows"], found["waiting"]) == (3, 1, 1)


def test_nothing_is_known_at_the_start():
    found = snapshot(LiveWatch(2))
    assert found["rows"] == 0 and found["accuracy"]["now"]["learner"] is None
    assert found["estimate"]["now"] is None and found["delay"]["rows"] is None
    watch = LiveWatch(2)
    watch.learned([], [], [], [], [])
    assert watch.snapshot()["labels"] == 0


def test_few_labels_are_not_compared_with_the_baselines():
    now = {"labels": 99, "learner": 0.9, "majority": 0.5, "no_change": 0.6, "label_chain": 0.4}
    assert words.beside_baselines({"accuracy": {"now": now}}).endswith("after 100 labels.")
    said = words.beside_baselines({"accuracy": {"now": now | {"labels": 100}}})
    assert said.startswith("That is 30.0 points better than")


@pytest.mark.parametrize("name", ["time", "last_row", "last_label", "silences"])
@pytest.mark.parametrize("value", [np.inf, np.nan, -2.0])
def test_a_time_that_is_none_of_a_clock_is_refused(name, value):
    traffic = Traffic()
    traffic.add(np.array([1.8e9, 1.8e9 + 5]), np.array([False, True]))
    state = traffic.state()
    state[name] = np.full(DAYS, value) if name == "silences" else value
    before = traffic.state()
    with pytest.raises(StateError, match="Traffic"):
        traffic.restore(state)
    assert repr(traffic.state()) == repr(before)


@pytest.mark.parametrize("places", [[""], [3], [-1], [0.0], [None]])
def test_categories_of_a_monitor_that_are_no_inputs_are_refused(places):
    state = LiveWatch(3, categorical=[1]).state()
    state["sums"]["drift"]["monitor"]["_categorical"] = places
    with pytest.raises(StateError):
        LiveWatch.from_state(state)


def test_baselines_of_more_inputs_are_refused():
    state = LiveWatch(3).state()
    state["sums"]["baselines"]["learners"][0] = MajorityClass().begin(2, [0, 1], more_classes=True).state()
    with pytest.raises(StateError, match="Baselines"):
        LiveWatch.from_state(state)


@pytest.mark.parametrize("n_classes", [10**6, 10**9, 10**15])
def test_an_estimate_of_very_many_classes_is_refused_before_memory_is_taken(n_classes):
    state = LiveWatch(3).state()
    state["sums"]["estimate"]["n_classes"] = n_classes
    tracemalloc.start()
    with pytest.raises(StateError):
        LiveWatch.from_state(state)
    assert tracemalloc.get_traced_memory()[1] < 300e6
    tracemalloc.stop()


@pytest.mark.parametrize("place", [10**6, 10**12])
def test_inputs_beyond_all_others_take_no_memory_when_a_watch_is_read(place):
    state = LiveWatch(3).state()
    state["watched"]["positions"] = [0, 1, place]
    tracemalloc.start()
    LiveWatch.from_state(state)
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()


@pytest.mark.parametrize("n_classes", [10**9, -1, 3, 2.0])
def test_baselines_of_other_classes_than_the_estimate_are_refused(n_classes):
    state = LiveWatch(3).state()
    state["sums"]["baselines"]["n_classes"] = n_classes
    with pytest.raises(StateError, match="other classes than its estimate"):
        LiveWatch.from_state(state)


def damaged_watches(count):
    """Yield what was changed in the state of a watch that has met 9,000 rows, and the changed state."""
    watch, rng = LiveWatch(3, categorical=[1], max_waiting=500), np.random.default_rng(0)
    for i in range(9):
        use(watch, 1000.0 * i, rng)
    states = DamagedStates(watch.state(), often=["drift", "alarm"])
    for _ in range(count):
        yield states.draw(rng)


def use(watch, time, rng, n=1000):
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 3, n), rng.normal(size=n)])
    p = rng.dirichlet(np.ones(2), n)
    watch.predicted(time + np.arange(n), X, p, p.argmax(axis=1))
    said, numbers = p.argmax(axis=1)[n // 2 :], np.arange(n // 2)[::-1]
    watch.learned(time + np.arange(n // 2) + n, said, rng.integers(0, 2, n // 2), numbers, 5.0)
    watch.snapshot()


@pytest.mark.filterwarnings("ignore")
def test_a_damaged_watch_is_refused_or_works():
    n_refused = 0
    for said, state in damaged_watches(400):
        try:
            watch = LiveWatch.from_state(state)
        except StateError:
            n_refused += 1
            continue
        try:
            use(watch, 2e9, np.random.default_rng(1))
        except Exception as error:
            pytest.fail(f"{type(error).__name__}: {error} after {said}")
    assert 100 < n_refused < 390
