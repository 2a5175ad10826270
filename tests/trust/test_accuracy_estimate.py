"""The estimate of accuracy from late labels: its twin, its contract, and what it says of simple streams."""

import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.twins.trust.accuracy_estimate import AccuracyEstimateTwin
from thalweg.errors import ParameterError, StateError, WaitingError
from thalweg.evaluation.estimate_words import Found, headline, notes
from thalweg.evaluation.pages import estimate_page
from thalweg.trust import AccuracyEstimate
from thalweg.trust.followed_labels import NEVER, FollowedLabels
from thalweg.trust.worse_since import worse_since


def drifting_rows(n, n_classes=3, seed=1):
    """Return probabilities that become too sure half way, and the codes of labels."""
    rng = np.random.default_rng(seed)
    true = rng.dirichlet(np.ones(n_classes), size=n)
    codes = (true.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    sharp = true ** np.where(np.arange(n) < n // 2, 1.0, 3.0)[:, None]
    return sharp / sharp.sum(axis=1, keepdims=True), codes


def arrivals(n, seed=1, delay=40, share=1.0):
    """Return after which row the label of each row comes."""
    rng = np.random.default_rng(seed)
    comes = np.arange(n) + rng.integers(0, delay + 1, n)
    return np.where(rng.random(n) < share, comes, NEVER)


def fed(p, codes, comes, **parameters):
    estimate = AccuracyEstimate(**parameters)
    FollowedLabels(estimate).add(p, codes, comes)
    return estimate


def alike(a, b):
    assert all(np.array_equal(x, y, equal_nan=True) for x, y in
               zip(a.estimates().columns.values(), b.estimates().columns.values(), strict=True))
    assert np.array_equal(a.now(), b.now(), equal_nan=True)
    assert np.array_equal(a.weights_, b.weights_)


@pytest.mark.parametrize(("delay", "share", "learns"), [(0, 1.0, True), (40, 1.0, True), (70, 0.4, False),
                                                        (30, 0.9, True)])
def test_the_kernel_computes_what_its_twin_does(delay, share, learns):
    p, codes = drifting_rows(700)
    comes = arrivals(len(p), delay=delay, share=share)
    twin, estimate = AccuracyEstimateTwin(50, learns), fed(p, codes, comes, window=50, learns=learns)
    for t in range(len(p)):
        twin.predict(p[t])
        for j in np.flatnonzero(comes == t):
            twin.label(int(j), int(codes[j]))
    assert estimate.weights_ == pytest.approx(twin.weights(), rel=1e-9)
    windows = estimate.estimates()
    for window, (said, _) in twin.ended.items():
        assert windows.said[window] == pytest.approx(said[0], abs=1e-12)
    kernel = estimate._kernel
    for start in (0, 300, 650):
        assert kernel.judge(start, start + 50) == pytest.approx(twin.judge(start, start + 50), rel=1e-9)


def test_labels_that_are_all_there_are_counted_and_nothing_is_guessed():
    p, codes = drifting_rows(1000)
    windows = fed(p, codes, np.arange(1000), window=100).estimates()
    right = (p.argmax(axis=1) == codes).reshape(10, 100).mean(axis=1)
    for found in (windows.estimate, windows.low, windows.high, windows.accuracy, windows.settled):
        assert found == pytest.approx(right)
    assert windows.said[:9] == pytest.approx(right[:9])
    assert np.isnan(windows.said[9])  # not ended before the next row


def test_answers_that_repeat_are_judged_apart_from_answers_that_change():
    rng, rows = np.random.default_rng(1), np.arange(12_000)
    steady = rows // 500 % 2 == 0  # the same answer 500 times, then answers in turn, equally sure
    answers = np.where(steady, rows // 1000 % 2, rows % 2)
    right = rng.random(12_000) < np.where(steady, 0.95, 0.6)
    p, codes = np.where(answers == 1, 0.8, 0.2), np.where(right, answers, 1 - answers)
    windows = fed(p, codes, rows + 500, window=500).estimates()
    error = np.abs(windows.said - windows.accuracy)[10:-1]
    assert error.mean() < 0.06  # what was known last is 0.35 off


def test_a_model_that_is_too_sure_is_seen_through():
    rng = np.random.default_rng(3)
    p = rng.uniform(0.5, 1.0, size=30_000)
    right = rng.random(30_000) < 0.5 + 0.4 * (p - 0.5)  # 60 %, and it says 75 %
    comes = np.arange(30_000) + 2_000
    windows = fed(p, right.astype(int), comes, learns=False).estimates()
    truth = right.reshape(-1, 1000).mean(axis=1)
    late = slice(5, -1)
    assert np.abs(windows.said - truth)[late].mean() < 0.02
    covered = (windows.said_low <= truth) & (truth <= windows.said_high)
    assert covered[late].mean() >= 0.9
    assert np.median((windows.said_high - windows.said_low)[-10:-1]) < 0.17


def test_without_any_label_the_interval_says_that_nothing_is_known():
    estimate = AccuracyEstimate()
    estimate.predict(np.full(2000, 0.9))
    now = estimate.now()
    assert (now.low, now.high, now.known) == (0.0, 1.0, 0)
    assert np.isnan(now.accuracy)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 300), max_size=12), st.integers(0, 200), st.sampled_from([1.0, 0.3]))
def test_cutting_rows_into_blocks_changes_nothing(sizes, delay, share):
    p, codes = drifting_rows(900, seed=2)
    comes = arrivals(900, delay=delay, share=share)
    whole, parts = fed(p, codes, comes, window=60), AccuracyEstimate(window=60)
    followed, start = FollowedLabels(parts), 0
    for size in [*sizes, 900]:
        part = slice(start, min(start + size, 900))
        followed.add(p[part], codes[part], comes[part])
        start = part.stop
    alike(whole, parts)


def test_single_rows_with_ids_give_what_blocks_give():
    p, codes = drifting_rows(400)
    comes = arrivals(400)
    whole, single = fed(p, codes, comes, window=50), AccuracyEstimate(window=50)
    for t in range(400):
        assert single.predict(p[t : t + 1], ids=[f"row {t}"]) == [f"row {t}"]
        for j in np.flatnonzero(comes == t):
            assert single.label([f"row {j}"], [codes[j]]) == 1
    alike(whole, single)


@pytest.mark.parametrize("how", ["state", "pickle", "copy"])
def test_saved_and_loaded_it_goes_on_as_before(how):
    p, codes = drifting_rows(800)
    comes = arrivals(800, delay=200, share=0.8)
    whole, first = fed(p, codes, comes, window=80), AccuracyEstimate(window=80)
    followed = FollowedLabels(first)
    followed.add(p[:500], codes[:500], comes[:500])
    again = {"state": lambda: AccuracyEstimate().restore(first.state()),
             "pickle": lambda: pickle.loads(pickle.dumps(first)), "copy": first.copy}[how]()
    followed.estimate = again
    followed.add(p[500:], codes[500:], comes[500:])
    alike(whole, again)


def test_a_damaged_state_is_refused_and_changes_nothing():
    p, codes = drifting_rows(300)
    estimate = fed(p, codes, arrivals(300), window=50)
    before = estimate.state()
    for name, damage in (("counts", lambda a: a * 7), ("expert", lambda a: a * 0), ("row", lambda a: a[:-1]),
                         ("label", lambda a: a + 99), ("sums", lambda a: a - 1e9)):
        state = estimate.state()
        state["kernel"][name] = damage(state["kernel"][name])
        with pytest.raises(StateError):
            estimate.restore(state)
    after = estimate.state()["kernel"]
    assert all(np.array_equal(array, after[name]) for name, array in before["kernel"].items())


def test_memory_is_bounded_and_forgotten_rows_still_count():
    p, codes = drifting_rows(20_000)
    estimate = fed(p, codes, np.full(20_000, NEVER), window=100, max_waiting=1000)
    assert estimate.n_waiting_ <= 1000
    assert len(estimate.state()["kernel"]["row"]) <= 1000
    windows = estimate.estimates()
    assert len(windows) == 200
    assert not windows.known.any()
    assert windows.estimate[0] == pytest.approx(windows.said[0], abs=0.1)
    with pytest.raises(WaitingError, match="no row is waiting with the id 3"):
        estimate.label([3], [0])
    assert estimate.label([3, 19_999, 19_999], [0, 1, 1], ignore_unknown=True) == 1


def test_forgotten_ids_are_dropped():
    estimate = AccuracyEstimate(window=10, max_waiting=20)
    for start in range(0, 200, 10):
        estimate.predict(np.full(10, 0.7), ids=[f"{i}" for i in range(start, start + 10)])
    assert len(estimate._rows.of) <= 20
    assert estimate.predict([0.4], ids=["0"]) == ["0"]  # free again


def test_a_class_that_comes_later_is_counted():
    estimate = AccuracyEstimate(window=10)
    estimate.predict(np.full((5, 2), 0.5))
    estimate.predict(np.full((5, 3), 1 / 3))
    estimate.label(range(10), [0, 1, 0, 1, 0, 2, 2, 2, 0, 3])
    assert estimate.now().estimate == pytest.approx(0.4)
    assert estimate.now("recall", 2).estimate == 0


def test_threads_may_share_it():
    p, codes = drifting_rows(4000)
    estimate = AccuracyEstimate(window=100)

    def work(part):
        ids = [f"{part} {i}" for i in range(1000)]
        for start in range(0, 1000, 50):
            rows = slice(1000 * part + start, 1000 * part + start + 50)
            estimate.predict(p[rows], ids=ids[start : start + 50])
            estimate.label(ids[start : start + 50], codes[rows])
            estimate.now()

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (estimate.n_rows_, estimate.n_labels_, estimate.n_waiting_) == (4000, 4000, 0)


@pytest.mark.parametrize(("p", "said"), [
    ([0.2, 1.2], "row 1"), ([0.2, np.nan], "row 1"), ([[0.2, 0.3]], "sum to 0.5"), ([["a", "b"]], "numbers"),
    ([[[0.5]]], "shape"), ([[1.0]], "shape"),
])  # fmt: skip
def test_probabilities_that_are_none_are_refused_with_their_row(p, said):
    estimate = AccuracyEstimate()
    with pytest.raises((ValueError, TypeError), match=said):
        estimate.predict(p)
    assert estimate.n_rows_ == 0


def test_ids_and_labels_that_do_not_fit_are_refused_and_change_nothing():
    estimate = AccuracyEstimate(classes=["no", "yes"])
    estimate.predict([0.2, 0.9], ids=["a", "b"])
    for ids, labels, said in ((["a"], ["maybe"], "maybe"), (["a", "c"], ["no", "no"], "'c'"),
                              (["a"], ["no", "no"], "1 ids"), (["a", "a"], ["no", "no"], "'a'")):
        with pytest.raises(ValueError, match=said):
            estimate.label(ids, labels)
    with pytest.raises(WaitingError, match="waiting already"):
        estimate.predict([0.5], ids=["a"])
    with pytest.raises(ValueError, match="ids for all rows"):
        estimate.predict([0.5])
    assert (estimate.n_rows_, estimate.n_labels_) == (2, 0)
    assert estimate.label(["b", "a"], ["yes", "yes"]) == 2
    assert estimate.now().accuracy == 0.5


@pytest.mark.parametrize("wrong", [{"window": 0}, {"level": 1}, {"learns": 1}, {"classes": "ab"},
                                   {"classes": [1, 1]}, {"costs": [1, 2]}, {"max_waiting": 0}])
def test_parameters_are_checked(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        AccuracyEstimate(**wrong).predict([0.5])


def test_precision_recall_f1_and_cost_count_known_labels():
    p, codes = drifting_rows(500)
    costs = np.array([[0, 1, 5], [2, 0, 1], [3, 1, 0.0]])
    estimate = fed(p, codes, np.arange(500), window=500, costs=costs)
    answers = p.argmax(axis=1)
    right = ((answers == 1) & (codes == 1)).sum()
    assert estimate.now("precision", 1).estimate == pytest.approx(right / (answers == 1).sum())
    assert estimate.now("recall", 1).estimate == pytest.approx(right / (codes == 1).sum())
    both = (answers == 1).sum() + (codes == 1).sum()
    assert estimate.estimates("f1", 1).estimate[0] == pytest.approx(2 * right / both)
    assert estimate.estimates("cost").settled[0] == pytest.approx(costs[codes, answers].mean())


@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "cost"])
def test_metrics_of_classes_are_estimated_without_labels(metric):
    rng = np.random.default_rng(5)
    p = rng.beta(0.6, 2.0, size=30_000)
    codes = (rng.random(30_000) < p).astype(int)
    costs = np.array([[0.0, 1.0], [8.0, 0.0]])
    estimate = fed(np.column_stack([1 - p, p]), codes, np.arange(30_000) + 3000, learns=False, costs=costs)
    whole = fed(np.column_stack([1 - p, p]), codes, np.arange(30_000), costs=costs)
    label = None if metric == "cost" else 1
    found, truth = estimate.estimates(metric, label), whole.estimates(metric, label).settled
    late = slice(-3, None)  # no label has come
    assert not found.known[late].any()
    assert found.estimate[late] == pytest.approx(truth[late], rel=0.15)
    assert ((found.low <= truth) & (truth <= found.high))[late].all()
    settled = slice(0, 20)
    assert found.settled[settled] == pytest.approx(truth[settled])


def test_answers_that_are_not_the_most_probable_class_can_be_given():
    estimate = AccuracyEstimate(classes=["no", "yes"])
    estimate.predict([0.3, 0.4, 0.1], answers=["yes", "yes", "no"])
    estimate.label(range(3), ["yes", "yes", "yes"])
    assert estimate.now().accuracy == pytest.approx(2 / 3)


def fallen(n=12000, change=8000, share=0.4, seed=1):
    """Return probabilities, labels that did not all come, and which answers are right; fewer since a row."""
    rng = np.random.default_rng(seed)
    p = 1 / (1 + np.exp(-2 * rng.normal(size=n)))
    y = rng.random(n) < p
    y ^= (np.arange(n) >= change) & (rng.random(n) < 0.3)
    come = rng.random(n) < share
    labels = [("yes" if each else "no") if there else None for each, there in zip(y, come, strict=True)]
    return p, labels, (p > 0.5) == y


def test_windows_before_a_fall_stay_what_they_were():
    p, labels, right = fallen()
    made = AccuracyEstimate.from_table(
        {"p_yes": p, "paid": labels}, probability="p_yes", target="paid", classes=["no", "yes"], delay=500
    )
    found = made.estimates()
    truth = np.array([right[start:stop].mean() for start, stop in zip(found.start, found.stop, strict=True)])
    assert np.abs(found.estimate - truth)[:8].max() < 0.03
    assert np.abs(found.estimate - truth)[-2:].max() < 0.06


@pytest.mark.parametrize("share", [1.0, 0.4, 0.1])
def test_a_fall_is_found_by_the_labels_that_have_come(share):
    p, labels, _ = fallen(share=share)
    table = {"p_yes": p, "paid": labels}
    made = AccuracyEstimate.from_table(
        table, probability="p_yes", target="paid", classes=["no", "yes"], delay=500
    )
    worse = worse_since(made.estimates())
    assert worse is not None and worse.row == 8000
    assert worse.before == pytest.approx(0.78, abs=0.05) and worse.since == pytest.approx(0.63, abs=0.06)
    still = {name: column[:8000] for name, column in table.items()}
    made = AccuracyEstimate.from_table(
        still, probability="p_yes", target="paid", classes=["no", "yes"], delay=500
    )
    assert worse_since(made.estimates()) is None


def test_an_interval_says_nothing_that_the_labels_exclude():
    rng = np.random.default_rng(1)
    p = rng.random(3000)
    right = np.where(np.arange(3000) < 1500, rng.random(3000) < p, rng.random(3000) > p)
    labels = np.where(right, "yes", "no").astype(object)
    labels[1000:][rng.random(2000) < 0.5] = None
    table = {"p_yes": p, "paid": labels}
    made = AccuracyEstimate.from_table(table, probability="p_yes", target="paid", window=1000)
    found = made.estimates()
    for start, stop, low, high in zip(found.start, found.stop, found.low, found.high, strict=True):
        said = (p[start:stop] >= 0.5) == (labels[start:stop] == "yes")
        known = np.array([each is not None for each in labels[start:stop]])
        least = (said & known).mean()
        assert least - 1e-9 <= low <= high <= least + (~known).mean() + 1e-9
    now = made.now()
    assert now.low >= found.low[-1] - 1e-9 and now.high <= found.high[-1] + 1e-9


@pytest.mark.parametrize(("window", "block"), [(100, 2**52), (100, 2**40), (20_480, 2**52 + 1)])
def test_a_block_beyond_the_rows_is_refused(window, block):
    """Times the rows of a step the number of the block may be beyond 64 bits, and negative as a place."""
    p, codes = drifting_rows(300)
    estimate = fed(p, codes, arrivals(300), window=window)
    state = estimate.state()
    assert alike(AccuracyEstimate().restore(state), estimate) is None
    state["kernel"]["counts"][3] = block
    with pytest.raises(StateError, match="cannot be"):
        AccuracyEstimate().restore(state)


def test_a_cost_is_a_number_and_worse_if_it_is_higher(tmp_path):
    p, codes = drifting_rows(3000, n_classes=2)
    estimate = AccuracyEstimate(costs=[[0, 2], [9, 0]])
    estimate.label(estimate.predict(p, range(3000)), codes)
    found = Found.of(estimate, "x", "cost", None, 0.05)
    assert found.now.low > 0.05 and found.is_worse
    assert found.below_since == 0
    assert headline(found).startswith(f"Cost now: {found.now.estimate:.4g} (")
    assert "Above 0.05 since row 1 or so." in notes(found)
    better = Found.of(estimate, "x", "cost", None, 50.0)
    assert not better.is_worse and better.below_since is None and "Not above 50." in notes(better)
    page = estimate_page.write(found, tmp_path / "page.html", "").read_text()
    assert f"<td>{found.windows.estimate[0]:.4g}</td>" in page
