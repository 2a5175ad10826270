"""The operator: the same bits as a plain loop over separate learners, however events come."""

import datetime
import itertools
import time

import numpy as np
import pyarrow as pa
import pytest

import thalweg
from thalweg.errors import ParameterError, StateError, StreamError
from thalweg.keyed import Bank, Operator
from thalweg.keyed.key_texts import bucket_of, key_of, key_texts
from thalweg.learners import HoeffdingTree, LogisticMixture, NaiveBayes
from thalweg.saving.container import pack, unpack
from thalweg.saving.plain import from_json, to_json

LEARNERS = {"slab": LogisticMixture(), "bayes": NaiveBayes(), "object": HoeffdingTree(grace_period=20)}
N, D = 3000, 4
START = datetime.datetime(2026, 1, 1)


def make_events(seed=0, n=N, late=True):
    """Return events of 40 keys: some labels missing, some late, some weights 0, some values missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, D))
    X[rng.random((n, D)) < 0.05] = np.nan
    keys = rng.integers(40, size=n)
    labels = np.where(np.nan_to_num(X[:, 0]) > rng.normal(size=40)[keys] * 0.3, "yes", "no").astype(object)
    is_late = (rng.random(n) < 0.3) & late
    rows = []
    for i in range(n):
        label = None if is_late[i] or rng.random() < 0.05 else labels[i]
        values = {f"x{j}": None if np.isnan(X[i, j]) else X[i, j] for j in range(D)}
        rows.append({"who": f"k{keys[i]}", "n": 10 * i, **values, "y": label, "id": i,
                     "w": 0.0 if rng.random() < 0.1 else 1.5})
        if is_late[i] and rng.random() < 0.8:
            when = 10 * (i + int(rng.integers(1, 200))) + 1 + i % 9
            rows.append({"who": f"k{keys[i]}", "n": when, "y": labels[i], "id": i, "w": 1.0,
                         **{f"x{j}": None for j in range(D)}})
    rows.sort(key=lambda row: row["n"])
    seen, kept = set(), []
    for row in rows:  # an order is there once
        if (row["who"], row["n"]) not in seen:
            seen.add((row["who"], row["n"]))
            kept.append(row)
    return pa.Table.from_pylist(kept)


def make_operator(learner="slab", **options):
    bank = Bank(LEARNERS[learner])
    found = Operator(bank, key="who", order="n", target="y", id="id", weight="w", **options)
    return found.begin(inputs=[f"x{j}" for j in range(D)], classes=["no", "yes"])


def plain_loop(learner, events):
    """Return the probabilities of separate learners, row by row, those of late labels when they were said."""
    learners, waiting, found = {}, {}, []
    for row in events.to_pylist():
        key = row["who"]
        if key not in learners:
            learners[key] = LEARNERS[learner].copy().begin(D, ["no", "yes"])
        x = np.array([[np.nan if row[f"x{j}"] is None else row[f"x{j}"] for j in range(D)]])
        w = [row["w"]]
        if row["y"] is None:
            p = learners[key].predict_proba_block(x)[0]
            waiting[key, row["id"]] = x, p
        elif (key, row["id"]) in waiting:
            x, p = waiting.pop((key, row["id"]))
            learners[key].test_then_train(x, [row["y"]], sample_weight=w)
        elif np.isnan(x).all():
            p = [np.nan, np.nan]
        else:
            p = learners[key].test_then_train(x, [row["y"]], sample_weight=w)[0]
        found.append(p)
    return np.array(found)


def probabilities(outputs):
    return np.column_stack([outputs.column(name).to_pandas() for name in ("p_no", "p_yes")])


def in_batches(operator, events, cuts):
    """Return the outputs of events cut at some places, the state going through bytes each time."""
    state, found = None, []
    borders = [0, *sorted(cuts), events.num_rows]
    for start, stop in itertools.pairwise(borders):
        outputs, state = operator(events.slice(start, stop - start), state)
        found.append(outputs)
    return pa.concat_tables(found), state


@pytest.mark.parametrize("learner", LEARNERS)
def test_it_answers_as_a_plain_loop_over_separate_learners(learner):
    events = make_events(n=1000 if learner == "object" else N)
    outputs, _ = make_operator(learner)(events)
    assert np.array_equal(probabilities(outputs), plain_loop(learner, events), equal_nan=True)
    assert set(outputs.column("status").to_pylist()) == {"learned", "predicted", "late"}


@pytest.mark.parametrize("learner", LEARNERS)
def test_cuts_change_neither_outputs_nor_bytes(learner):
    operator = make_operator(learner)
    events = make_events(1, n=600)
    whole, state = operator(events)
    rng = np.random.default_rng(0)
    for n_cuts in (1, 9):
        cut, after = in_batches(operator, events, rng.integers(events.num_rows, size=n_cuts).tolist())
        assert cut.equals(whole) and after == state


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_state_goes_on_after_events_of_which_none_has_an_order(learner):
    operator, events = make_operator(learner), make_events(n=20).to_pylist()
    outputs, state = operator([{**events[0], "n": None}])
    assert outputs.column("status").to_pylist() == ["refused"]
    assert operator(events, state)[0].equals(operator(events)[0])


def test_buckets_change_no_bit():
    operator = make_operator()
    events = make_events(2)
    whole, _ = operator(events)
    texts = key_texts([events.column("who")])
    for n_buckets in (2, 7):
        buckets = bucket_of(texts, n_buckets)
        found = np.full((events.num_rows, 2), np.nan)
        for bucket in range(n_buckets):
            mine = np.flatnonzero(buckets == bucket)
            found[mine] = probabilities(in_batches(operator, events.take(mine), [len(mine) // 2])[0])
        assert np.array_equal(found, probabilities(whole), equal_nan=True)


def test_buckets_are_the_same_on_every_machine():
    texts = key_texts([pa.array(["ann", "bob", "", None, "x" * 10_000, "ü" * 9])])
    assert bucket_of(texts, 1000).tolist() == [347, 877, 41, 626, 522, 932]


def test_the_order_of_arrival_within_a_batch_does_not_matter():
    operator = make_operator()
    events = make_events(3)
    whole, state = operator(events)
    shuffled = np.random.default_rng(0).permutation(events.num_rows)
    outputs, after = operator(events.take(shuffled))
    assert np.array_equal(probabilities(outputs), probabilities(whole)[shuffled], equal_nan=True)
    assert after == state


def test_a_batch_that_is_delivered_again_is_dropped_and_changes_nothing():
    operator = make_operator()
    events = make_events(4, n=500)
    _, state = operator(events)
    outputs, after = operator(events, state)
    assert set(outputs.column("status").to_pylist()) == {"dropped"}
    assert after == state
    outputs, twice = operator(pa.concat_tables([events, events]))
    assert outputs.column("status").to_pylist()[events.num_rows :] == ["dropped"] * events.num_rows
    assert twice == state


def test_a_poisoned_row_is_refused_and_all_others_go_on():
    operator = make_operator()
    events = make_events(5, n=500, late=False).to_pylist()
    good, _ = operator(pa.Table.from_pylist(events))
    bad = [dict(row) for row in events]
    bad[100]["y"], bad[200]["x1"], bad[300]["w"] = "maybe", float("inf"), -1.0
    bad[400]["n"] = None
    outputs, _ = operator(pa.Table.from_pylist(bad))
    refused = [i for i, status in enumerate(outputs.column("status").to_pylist()) if status == "refused"]
    assert refused == [100, 200, 300, 400]
    problems = outputs.column("problem").to_pylist()
    assert "'maybe'" in problems[100] and "inf" in problems[200]
    poisoned = {bad[i]["who"] for i in refused}
    others = [i for i, row in enumerate(events) if row["who"] not in poisoned]
    assert np.array_equal(probabilities(outputs)[others], probabilities(good)[others])
    assert np.isnan(probabilities(outputs)[refused]).all()


def test_rows_that_wait_cost_a_bucket_nothing_per_event():
    def seconds(n_waiting):
        operator = make_operator("bayes", max_waiting=n_waiting)
        bucket = operator.bucket()
        events = make_events(n=500, late=False).to_pylist()
        x = {f"x{j}": 0.5 for j in range(D)}
        row = x | {"who": "k0", "w": 1.0, "y": None}
        waiting = [row | {"n": -(10**6) + i, "id": i} for i in range(n_waiting + 9)]
        bucket.process(operator.table(waiting))
        assert (bucket.n_waiting_, bucket.n_dropped_) == (n_waiting, 9)
        tables = [operator.table([event]) for event in events]
        start = time.process_time()
        for table in tables:
            bucket.process(table)
        return time.process_time() - start

    assert seconds(20_000) < 2 * seconds(100)


@pytest.mark.parametrize("column", ["shop", "n", "price", "day", "sold", "id", "w"])
@pytest.mark.parametrize("cell", [[1], [[]], "\ud83d"], ids=["list", "lists", "surrogate"])
def test_a_cell_that_is_not_one_value_costs_its_own_event_only(column, cell):
    rows = [
        {"shop": "ab"[i % 2], "n": i, "price": i % 7, "day": "xyz"[i % 3], "sold": ["no", "yes"][i % 7 > 3],
         "id": f"i{i}", "w": 1.0} for i in range(100)
    ]  # fmt: skip
    bank = Bank(thalweg.Model("sold", "NaiveBayes"), key="shop")
    operator = Operator(bank, order="n", id="id", weight="w").begin(rows)
    before, bad, after = (rows[i] | {"n": 100 + i, "id": f"j{i}"} for i in range(3))
    bad |= {column: cell}
    together, state = operator([before, bad, after, bad | {"other": [2]}])
    assert together.column("status").to_pylist()[:3] == ["learned", "refused", "learned"]
    assert column in together.column("problem")[1].as_py()
    alone, _ = operator([bad])
    assert alone.column("problem").to_pylist() == together.column("problem").to_pylist()[1:2]
    part = None
    for event in (before, bad, after, bad):
        part = operator([event], part)[1]
    assert part == state
    assert operator([before | {"other": cell}])[0].column("status").to_pylist() == ["learned"]


def test_a_label_of_a_row_that_does_not_wait_is_unknown():
    operator = make_operator()
    rows = [{"who": "a", "n": 1, "x0": 1.0, "x1": 1.0, "x2": 1.0, "x3": 1.0, "id": "r", "y": None},
            {"who": "b", "n": 2, "id": "r", "y": "yes"}, {"who": "a", "n": 3, "id": "r", "y": "yes"},
            {"who": "a", "n": 4, "id": "r", "y": "yes"}]
    outputs, state = operator(rows)
    assert outputs.column("status").to_pylist() == ["predicted", "unknown", "late", "unknown"]
    assert outputs.column("probability")[0] == outputs.column("probability")[2]
    assert operator.bucket(state).n_waiting_ == 0


def test_as_many_rows_of_a_key_wait_as_allowed():
    operator = make_operator(max_waiting=2)
    rows = [{"who": "a", "n": i, "x0": float(i), "x1": 0.0, "x2": 0.0, "x3": 0.0, "id": i} for i in range(4)]
    _, state = operator(rows)
    outputs, _ = operator([{"who": "a", "n": 9 + i, "id": i, "y": "no"} for i in range(4)], state)
    assert outputs.column("status").to_pylist() == ["unknown", "unknown", "late", "late"]


@pytest.mark.parametrize("keys", [
    ["a", None, "", "\\N", "x" * 10_000], [1, 2, None, 3, 4], [1.5, float("nan"), 2.0, None, 0.1],
])
def test_keys_of_any_kind_stay_apart(keys):
    operator = Operator(Bank(NaiveBayes()), key="who", order="n", target="y")
    operator.begin(inputs=["x"], classes=[0, 1])
    rows = [{"who": key, "n": n, "x": float(i), "y": i % 2} for n in range(2) for i, key in enumerate(keys)]
    _, state = operator(pa.Table.from_pylist(rows))
    bucket = operator.bucket(state)
    distinct = {None if key is None or key != key else key for key in keys}
    assert len(bucket) == len(distinct)
    assert all(key in bucket and bucket[key].n_features_in_ == 1 for key in distinct)


def test_keys_of_several_columns_are_tuples():
    operator = Operator(Bank(NaiveBayes()), key=["shop", "till"], order="n", target="y")
    operator.begin(inputs=["x"], classes=[0, 1])
    rows = [{"shop": shop, "till": till, "n": i, "x": 0.0, "y": 1}
            for i, (shop, till) in enumerate([("a", 1), ("a", 2), (None, 1), ("a\x1f1", None)])]
    _, state = operator(pa.Table.from_pylist(rows))
    assert set(operator.bucket(state).keys()) == {("a", "1"), ("a", "2"), (None, "1"), ("a\x1f1", None)}
    odd = key_texts([pa.array(["\\u"]), pa.array([None], pa.string())])
    assert key_of(odd[0].as_py(), 2) == ("\\u", None)


def records(n, seed=0, colours=("red", "green", "blue")):
    rng = np.random.default_rng(seed)
    return [
        {"customer": f"c{rng.integers(9)}", "when": str(START + datetime.timedelta(minutes=i)),
         "price": f"{rng.integers(90)},5", "colour": str(rng.choice(colours)),
         "paid": "yes" if rng.random() < 0.6 else "no"}
        for i in range(n)
    ]


def test_records_of_a_model_and_new_categories_do_not_depend_on_sharding():
    bank = Bank(thalweg.Model(target="paid", learner="LogisticMixture"), key="customer")
    operator = Operator(bank, order="when").begin(records(1500))
    assert operator.columns_.roles.order_kind == "time"
    later = records(1500, 1, ("red", "green", "mauve", "ochre"))
    for row in later:
        row["when"] = row["when"].replace("2026", "2027")
    table = operator.table(later)
    whole, state = operator(table)
    cut, after = in_batches(operator, table, [10, 500, 501])
    assert cut.equals(whole) and after == state
    buckets = bucket_of(key_texts([table.column("customer")]), 3)
    for bucket in range(3):
        mine = np.flatnonzero(buckets == bucket)
        assert np.array_equal(probabilities(operator(table.take(mine))[0]), probabilities(whole)[mine])
    other = {"mauve": "ochre", "ochre": "mauve"}
    swapped = [row | {"colour": other.get(row["colour"], row["colour"])} for row in later]
    assert np.array_equal(probabilities(operator(swapped)[0]), probabilities(whole))


def test_a_shared_start_is_learned_from_the_history():
    model = thalweg.Model(target="paid", learner="LogisticMixture")
    operator = Operator(Bank(model, key="customer", start="copy"), order="when").begin(records(1500))
    cold = Operator(Bank(model, key="customer"), order="when").begin(records(1500))
    later = records(20, 1)
    assert not np.array_equal(probabilities(operator(later)[0]), probabilities(cold(later)[0]))
    again = Operator.from_bytes(operator.to_bytes())
    assert again.digest_ == operator.digest_ and again(later)[1] == operator(later)[1]


@pytest.mark.parametrize("learner", ["NaiveBayes", "LogisticMixture", "LinearLogistic"])
def test_a_shared_start_learns_missing_values_as_missing(learner):
    rows = [{"key": "ab"[i % 2], "n": None if i % 10 == 3 else i % 7, "when": i,
             "c": None if i % 9 == 1 else "uvw"[i % 3], "y": ("no", "yes")[i % 7 > 3]}
            for i in range(200)]  # fmt: skip
    model = thalweg.Model("y", learner, columns={"key": "ignore", "when": "ignore"})
    operator = Operator(Bank(model, key="key", start="mix"), order="when").begin(rows)
    later = [row | {"when": 1000 + row["when"]} for row in rows[:20]]
    shared = Bank(model, key="key", start="mix", shared=model.copy().learn(rows))
    given = Operator(shared, order="when").begin(rows)
    assert np.array_equal(probabilities(operator(later)[0]), probabilities(given(later)[0]))


@pytest.mark.parametrize(
    "given, complaint",
    [
        ({"key": "paid"}, "target is 'paid', which is the key already"),
        ({"key": ["a", "a"]}, "key is 'a', which is the key already"),
        ({"weight": "when"}, "weight is 'when', which is the order already"),
    ],
)
def test_a_column_has_one_role(given, complaint):
    bank = Bank(thalweg.Model("paid", "NaiveBayes"), key="customer")
    with pytest.raises(ParameterError, match=complaint):
        Operator(bank, order="when", **given)
    ignored = thalweg.Model("paid", "NaiveBayes", columns={"paid": "ignore"})
    with pytest.raises(ParameterError, match="target is 'paid', a column to ignore"):
        Operator(Bank(ignored, key="customer"), order="when")


def test_a_state_does_not_depend_on_processes_and_memory():
    events = make_events(n=60)
    _, state = make_operator()(events.slice(0, 30))
    expected = make_operator()(events.slice(30), state)
    for given in ({"n_jobs": 2}, {"max_bytes": 10**7}):
        bank = Bank(LEARNERS["slab"], **given)
        operator = Operator(bank, key="who", order="n", target="y", id="id", weight="w")
        operator.begin(inputs=[f"x{j}" for j in range(D)], classes=["no", "yes"])
        found = operator(events.slice(30), state)
        assert found[0].equals(expected[0]) and found[1] == expected[1]
        assert make_operator()(events.slice(30), operator(events.slice(0, 30))[1])[1] == expected[1]


def test_a_state_of_another_operator_or_a_damaged_one_is_refused():
    operator, other = make_operator(), make_operator("bayes")
    _, state = operator(make_events(n=50))
    with pytest.raises(StateError, match="of another operator"):
        other(make_events(n=50), state)
    with pytest.raises(StateError, match="damaged"):
        operator(make_events(n=50), state[:-40] + bytes(40))
    with pytest.raises(StreamError, match="no column 'who'"):
        operator([{"n": 1, "x0": 1.0}])


@pytest.mark.parametrize("learner", ["slab", "object"])
@pytest.mark.parametrize("part", ["operator", "bucket", "records", "late", "last", "text", "lengths"])
def test_any_other_value_in_a_state_or_in_an_operator_is_a_state_error(learner, part):
    operator = make_operator(learner)
    _, state = operator(make_events(n=50))
    for value in (None, 3, "x", [], {}, [[]], np.zeros(3), np.full(3, -1), {"place": 1}, 10**30):
        content, bank = content_of(state), content_of(operator.to_bytes())
        holder = content if part in content else content["bucket"]
        holder[part] = value
        with pytest.raises(StateError):
            operator.bucket(packed(content))
        with pytest.raises(StateError):
            Operator.from_bytes(packed(bank | {"bank": value}))


@pytest.mark.parametrize(
    ("name", "value"), [("id", 0), ("order", True), ("target", 5), ("key", []), ("key", [0]), ("keep", [5])]
)
def test_columns_of_an_operator_that_are_no_text_are_a_state_error(name, value):
    data = content_of(make_operator().to_bytes())
    with pytest.raises(StateError, match="names of columns must be text"):
        Operator.from_bytes(packed(data | {name: value}))


def test_an_operator_whose_labels_fit_no_column_is_a_state_error():
    data = content_of(make_operator().to_bytes())
    data["schema"]["classes"] = ["no", True]
    with pytest.raises(StateError):
        Operator.from_bytes(packed(data))


def test_an_operator_that_begins_in_an_unknown_way_is_a_state_error():
    data = content_of(make_operator().to_bytes())
    data["bank"]["parameters"]["start"] = "soon"
    with pytest.raises(StateError):
        Operator.from_bytes(packed(data))


def content_of(data):
    description, arrays = unpack(data)
    return from_json(description["content"], arrays)


def packed(content):
    arrays = []
    return pack({"content": to_json(content, arrays)}, arrays)


def test_an_event_with_a_category_of_more_than_512_characters_is_refused():
    bank = Bank(thalweg.Model(target="paid", learner="LogisticMixture"), key="customer")
    operator = Operator(bank, order="when").begin(records(300))
    later = [row | {"when": row["when"].replace("2026", "2027")} for row in records(10, 1)]
    later[3]["colour"], later[5]["paid"], later[7]["colour"] = "w" * 513, "w" * 513, "w" * 512
    outputs, _ = operator(later)
    statuses, problems = outputs.column("status").to_pylist(), outputs.column("problem").to_pylist()
    assert [i for i, status in enumerate(statuses) if status == "refused"] == [3, 5]
    assert "'colour'" in problems[3] and "513 characters" in problems[3] and "513 characters" in problems[5]
