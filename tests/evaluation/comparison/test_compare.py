"""Comparisons of learners on streams, and the search for parameters."""

import itertools
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import thalweg
from thalweg.adapters import SklearnLearner
from thalweg.errors import ParameterError, StreamError
from thalweg.evaluation import compare, loop, metrics, prequential, standard_error, tune
from thalweg.evaluation.arguments import as_learner
from thalweg.evaluation.baselines import BASELINES
from thalweg.evaluation.comparison import cache_keys
from thalweg.evaluation.comparison.parallel import Job, run_jobs
from thalweg.evaluation.comparison.result import Comparison
from thalweg.evaluation.comparison.tune import choices
from thalweg.evaluation.comparison.words import verdict
from thalweg.learners import DriftReset, HoeffdingTree, MajorityClass, NaiveBayes, NearestNeighbours, NoChange
from thalweg.streams import LED, SEA


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("THALWEG_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_figures_are_those_of_single_runs():
    found = compare(
        [NaiveBayes(), HoeffdingTree()], {"a": SEA(3000, seed=4), "b": LED(2000, seed=5)}, n_jobs=1
    )
    run = prequential(LED(2000, seed=5), HoeffdingTree(random_state=0))
    assert found.table()[1, 1] == metrics.accuracy(run)
    assert found.table("log_loss")[1, 1] == metrics.log_loss(run)
    assert found.baselines()["majority"][1] == metrics.agreement(run.codes, run.baselines["majority"])
    assert found.results["NaiveBayes", "a", 0]["rows"] == 3000


def test_jobs_do_not_change_the_results():
    one, two = (
        compare([NaiveBayes(), NoChange()], ["sea", "led"], seeds=2, rows=1000, n_jobs=jobs, fresh=True)
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.table(), two.table())
    assert one.ranked == two.ranked == ["sea", "led"]


def test_a_finished_run_is_not_run_twice(cache, monkeypatch):
    first = compare([NaiveBayes()], ["sea"], rows=500, n_jobs=1)
    assert len(list(cache.rglob("*.json"))) == 1

    def fail(*_, **__):
        raise AssertionError("it was run again")

    monkeypatch.setattr("thalweg.evaluation.comparison.cached_run.prequential", fail)
    again = compare([NaiveBayes()], ["sea"], rows=500, n_jobs=1)
    assert first.kept().tolist() == [[False]] and again.kept().tolist() == [[True]]
    assert [run | {"kept": False} for run in again.results.values()] == list(first.results.values())
    other = compare([NaiveBayes()], ["sea"], rows=501, n_jobs=1)
    assert "it was run again" in str(other.errors())


def test_another_parameter_seed_or_file_is_another_run(cache, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n" + "1,a\n2,b\n" * 50)
    for learner, stream, seeds in [
        (NearestNeighbours(n_neighbours=3), str(path), 1),
        (NearestNeighbours(n_neighbours=5), str(path), 1),
        (NearestNeighbours(n_neighbours=5), str(path), 2),
    ]:
        compare([learner], [stream], seeds=seeds, n_jobs=1)
    assert len(list(cache.rglob("*.json"))) == 3
    path.write_text("x,y\n" + "1,a\n2,b\n" * 60)
    compare([NearestNeighbours(n_neighbours=5)], [str(path)], n_jobs=1)
    assert len(list(cache.rglob("*.json"))) == 4


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all"])
def test_the_number_of_processes_is_checked(n_jobs):
    with pytest.raises(ParameterError, match="compare: n_jobs must be a whole number"):
        compare([NaiveBayes()], ["sea"], rows=100, n_jobs=n_jobs)
    with pytest.raises(ParameterError, match="tune: n_jobs must be a whole number"):
        tune(NearestNeighbours(), SEA(100), grid={"n_neighbours": [1, 3]}, n_jobs=n_jobs)


def test_a_learner_that_fails_does_not_stop_the_others():
    found = compare(
        {"broken": HoeffdingTree(grace_period=-1), "fine": NaiveBayes()}, ["sea"], rows=500, n_jobs=1
    )
    assert "grace_period" in found.errors()["broken on sea, seed 0"]
    assert found.ranked == []
    assert np.isfinite(found.table()[0, 1])
    with pytest.raises(ValueError, match="broken has no result"):
        found.paired("broken", "fine", stream="sea")


def test_a_run_over_its_limit_of_time_is_stopped_and_not_ranked():
    found = compare([NearestNeighbours()], [SEA(50_000_000, seed=1)], limit=0.2, n_jobs=1)
    result = found.results["NearestNeighbours", "SEA", 0]
    assert result["stopped"]
    assert 0 < result["rows"] < 50_000_000
    assert found.ranked == []


def test_noise_is_called_noise_and_a_difference_is_found():
    streams = {"sea": SEA(10_000, seed=1)}
    found = compare({"nb": NaiveBayes(), "majority": MajorityClass()}, streams, n_jobs=1)
    ahead = found.paired("nb", "majority", stream="sea")
    assert ahead.mean > 0.1
    assert ahead.p_value < 1e-6
    rng = np.random.default_rng(0)
    coin = {"a": _Coin(rng.random(10_000)), "b": _Coin(rng.random(10_000))}
    found = compare(coin, {"coin": SEA(10_000, noise=0.5, seed=2)}, n_jobs=1)
    assert found.paired("a", "b", stream="coin").p_value > 0.05


class _Coin(MajorityClass):
    """Answers by numbers drawn before."""

    def __init__(self, drawn=None):
        self.drawn = drawn

    def test_then_train_coded(self, X, codes, *args, p=None, **settings):
        start = self.n_rows_ if hasattr(self, "n_rows_") else 0
        share = self.drawn[start : start + len(X)]
        self.n_rows_ = start + len(X)
        p[:] = np.stack([share, 1 - share], axis=1)
        return p


def test_seeds_are_those_of_learners_and_of_named_streams():
    found = compare([NaiveBayes()], {"named": "sea", "given": SEA(500, seed=1)}, seeds=3, rows=500, n_jobs=1)
    accuracies = [
        [found.results["NaiveBayes", s, i]["accuracy"] for i in range(3)] for s in ("named", "given")
    ]
    assert len(set(accuracies[0])) > 1
    assert len(set(accuracies[1])) == 1
    assert found.spread()[0, 0] == pytest.approx(np.std(accuracies[0], ddof=1) / np.sqrt(3))
    run = prequential(SEA(500, seed=1), NaiveBayes())
    assert found.spread()[1, 0] == standard_error(run.predicted == run.codes)


def test_baselines_and_pairs_are_means_over_the_seeds_as_accuracies_are():
    found = compare([NaiveBayes(), MajorityClass()], ["sea"], seeds=3, rows=500, n_jobs=1)
    assert found.baselines()["majority"][0] == pytest.approx(found.table()[0, 1])
    difference = found.paired("NaiveBayes", "MajorityClass", stream="sea")
    assert difference.mean == pytest.approx(found.table()[0, 0] - found.table()[0, 1])
    assert f"by {100 * difference.mean:.2f} ±" in verdict(found)
    first = found.paired("NaiveBayes", "MajorityClass", stream="sea", seed=0)
    right = [found.results[name, "sea", 0]["accuracy"] for name in found.learners]
    assert first.mean == pytest.approx(right[0] - right[1])


def test_a_pair_that_was_not_run_is_named():
    found = compare([NaiveBayes(), MajorityClass()], ["sea"], rows=300, n_jobs=1)
    for (name, stream, seed), said in [
        (("NaiveBays", "sea", None), "did you mean 'NaiveBayes'"),
        (("NaiveBayes", "led", None), "stream must be one of 'sea', got 'led'"),
        (("NaiveBayes", "sea", 1), "seed must be"),
    ]:
        with pytest.raises(ParameterError, match=said):
            found.paired(name, "MajorityClass", stream=stream, seed=seed)


def test_an_error_is_not_kept(monkeypatch, cache):
    def fail(*_, **__):
        raise OSError("the disk was away")

    with monkeypatch.context() as patched:
        patched.setattr("thalweg.evaluation.comparison.cached_run.prequential", fail)
        failed = compare([NaiveBayes()], ["sea"], rows=300, n_jobs=1)
    assert "the disk was away" in str(failed.errors())
    assert not failed.kept().any()
    assert not compare([NaiveBayes()], ["sea"], rows=300, n_jobs=1).errors()


def test_names_that_come_twice_are_numbered():
    found = compare([NearestNeighbours(n_neighbours=k) for k in (1, 5)], ["sea"], rows=300, n_jobs=1)
    assert found.learners == ["NearestNeighbours", "NearestNeighbours #2"]


def test_models_of_other_libraries_are_wrapped():
    assert isinstance(as_learner(GaussianNB()), SklearnLearner)
    pytest.importorskip("river")
    from river.naive_bayes import GaussianNB as RiverNB

    found = compare({"river": RiverNB(), "sklearn": GaussianNB()}, [SEA(300, seed=1)], n_jobs=1)
    assert (found.table() > 0.5).all()
    with pytest.raises(ParameterError, match=r"compare: expected a learner, .*, got 3"):
        as_learner(3)


def test_models_of_other_libraries_get_the_seeds_and_are_kept(cache):
    pytest.importorskip("river")
    from river.forest import ARFClassifier
    from river.preprocessing import StandardScaler as RiverScaler
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    models = {
        "river": ARFClassifier(n_models=2),
        "river pipeline": RiverScaler() | ARFClassifier(n_models=2),
        "sklearn": SklearnLearner(DecisionTreeClassifier(max_features=1), window=100),
        "pipeline": SklearnLearner(
            make_pipeline(StandardScaler(), DecisionTreeClassifier(max_features=1)), window=100
        ),
    }
    found = compare(models, [SEA(300, seed=1)], seeds=2, n_jobs=1)
    assert len(list(cache.rglob("*.json"))) == 8
    again = compare(models, [SEA(300, seed=1)], seeds=2, n_jobs=1, fresh=True)
    np.testing.assert_array_equal(found.table("log_loss"), again.table("log_loss"))
    assert (found.spread("log_loss") > 0).all()
    assert compare(models, [SEA(300, seed=1)], seeds=2, n_jobs=1).kept().all()


def test_the_page_and_the_summary_have_the_same_numbers(tmp_path):
    found = compare(
        [NaiveBayes(), NoChange(), HoeffdingTree()], ["sea", "led", "hyperplane"], rows=800, n_jobs=1
    )
    page = found.write(tmp_path / "page.html").read_text()
    said = json.loads(json.dumps(found.summary()))
    for row in said["tables"]["accuracy"]:
        for value in row:
            assert f"{100 * value:.2f}" in page
    for rank in said["mean_ranks"]:
        assert f"{rank:.2f}" in page
    assert len(found.to_frame()) == 9
    assert "NaiveBayes" in page
    assert 0 <= said["friedman"]["p_value"] <= 1


def test_one_learner_and_nothing_are_answered(tmp_path):
    found = compare([NaiveBayes()], ["sea"], rows=300, n_jobs=1)
    assert "nothing to compare it with" in found.write(tmp_path / "page.html").read_text()
    assert found.tests()["friedman"] is None
    with pytest.raises(ParameterError, match="at least one"):
        compare([], ["sea"])


def test_jobs_whose_cache_is_damaged_run_again(tmp_path):
    file = tmp_path / "three.json"
    jobs = {"three": Job(pow, {"base": 3, "exp": 1}, file)}
    assert dict(run_jobs(jobs, 1)) == {"three": 3}
    file.write_text("{")
    assert dict(run_jobs(jobs, 1)) == {"three": 3}
    assert file.read_text() == "3"


def test_runs_that_cannot_be_kept_are_results_all_the_same(tmp_path):
    (tmp_path / "file").write_text("")
    jobs = {n: Job(pow, {"base": 3, "exp": n}, tmp_path / "file" / f"{n}.json") for n in range(3)}
    with pytest.warns(UserWarning, match="not kept for later.*set THALWEG_CACHE") as noted:
        assert dict(run_jobs(jobs, 1)) == {0: 1, 1: 3, 2: 9}
    assert len(noted) == 1


def test_tuning_searches_on_the_first_part_and_judges_on_the_rest():
    stream = SEA(4000, noise=0, seed=3)
    found = tune(
        NearestNeighbours(n_neighbours=1), stream, grid={"n_neighbours": [1, 9]}, share=0.25, n_jobs=1
    )
    assert found.n_rows_searched == 1000
    assert found.n_rows_judged == 3000
    scores = {each["n_neighbours"]: accuracy for each, accuracy in found.tried}
    for k, accuracy in scores.items():
        run = prequential(stream, NearestNeighbours(n_neighbours=k), rows=1000)
        assert accuracy == metrics.accuracy(run)
    best = max(scores, key=scores.get)
    assert found.parameters == {"n_neighbours": best}
    whole = prequential(stream, NearestNeighbours(n_neighbours=best))
    assert found.accuracy == metrics.accuracy(whole.part(1000))
    assert found.difference.mean == pytest.approx(found.accuracy - found.accuracy_before)


def test_a_random_search_tries_some_choices_once():
    grid = {"n_neighbours": [1, 2, 3], "window": [10, 20, 30]}
    found = choices(NearestNeighbours(), grid, 4, seed=1)
    assert len({tuple(each.items()) for each in found}) == 4
    assert found == choices(NearestNeighbours(), grid, 4, seed=1)
    assert len(choices(NearestNeighbours(), grid, None, seed=1)) == 9


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ({}, "empty"),
        ({"k": [1]}, "no parameter 'k'"),
        ({"window": []}, "values"),
        ({"window": "ab"}, "values"),
    ],
)
def test_grids_that_make_no_sense_are_refused(grid, words):
    with pytest.raises(ParameterError, match=words):
        tune(NearestNeighbours(), "sea", grid=grid, rows=100)


def test_a_search_in_which_everything_fails_says_why():
    with pytest.raises(ParameterError, match="grace_period"):
        tune(HoeffdingTree(), "sea", grid={"grace_period": [-1, -2]}, rows=300, n_jobs=1)


def test_the_limit_of_time_must_leave_rows_to_judge_on():
    with pytest.raises(ParameterError, match="too few"):
        tune(NearestNeighbours(), SEA(2, seed=1), grid={"window": [10]}, share=0.3)


def test_the_page_says_how_it_was_made_and_draws_the_baselines(tmp_path):
    learners = {"nb": NaiveBayes(), "tree": HoeffdingTree(delta=0.01)}
    found = compare(learners, ["sea"], rows=700, n_jobs=1, fresh=True)
    found.command = "thalweg compare …"
    page = found.write(tmp_path / "page.html").read_text()
    assert "delta 0.01" in page and "<dd>700 rows</dd>" in page
    assert "<dt>command</dt><dd>thalweg compare …</dd>" in page and found.date in page
    assert page.count('data-name="repeat the last label"') == 2  # wide and narrow
    curve = found.results["nb", "sea", 0]["curve"]
    assert curve["x"][-1] == 699 and curve["y"][-1] is not None
    assert "1 stream<" in page and "1 streams" not in page


@pytest.fixture
def cut_at(monkeypatch):
    """Return a function after which Ctrl-C comes in the n-th step of all runs from now on."""

    def cut(n):
        real, calls = loop._run_and_record, itertools.count(1)

        def step(*arguments):
            if next(calls) == n:
                raise KeyboardInterrupt
            real(*arguments)

        monkeypatch.setattr(loop, "_run_and_record", step)

    return cut


def test_ctrl_c_ends_a_comparison_and_keeps_only_the_runs_that_were_finished(cache, cut_at):
    def compared(**more):
        return compare([NaiveBayes(), HoeffdingTree()], ["sea"], rows=3000, n_jobs=1, **more)

    cut_at(5)  # the second block of the second run
    with pytest.raises(KeyboardInterrupt):
        compared()
    assert len(list(cache.rglob("*.json"))) == 1
    after = compared()
    assert after.kept().tolist() == [[True, False]]
    np.testing.assert_array_equal(after.table(), compared(fresh=True).table())
    assert after.ranked == ["sea"]


@pytest.mark.parametrize("step", [2, 5, 8])  # in the search, where the first and where the second is judged
def test_ctrl_c_ends_a_search_for_parameters(cut_at, step):
    cut_at(step)
    with pytest.raises(KeyboardInterrupt):
        tune(NearestNeighbours(), SEA(4000, seed=1), grid={"n_neighbours": [1, 3]}, n_jobs=1)


def test_a_limit_of_time_is_no_ctrl_c(cut_at):
    run = prequential(SEA(50_000_000, seed=1), NaiveBayes(), limit=0.05)
    assert run.interrupted and run.timed_out
    cut_at(2)
    run = prequential(SEA(50_000_000, seed=1), NaiveBayes(), limit=10, keep="totals")
    assert run.interrupted and not run.timed_out


OWN = """
from thalweg.learners import NaiveBayes
from thalweg.streams import SEA

class Mine(NaiveBayes):
    pass

class Rows(SEA):
    pass
"""


def test_runs_with_classes_of_ones_own_are_not_kept(cache, tmp_path, monkeypatch):
    (tmp_path / "own_classes.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    import own_classes

    pairs = [(own_classes.Mine(), SEA(300)), (DriftReset(own_classes.Mine()), SEA(300))]
    pairs += [(NaiveBayes(), own_classes.Rows(300)), (SklearnLearner(make_pipeline(_Own())), SEA(300))]
    for learner, stream in pairs:
        assert not compare([learner], [stream], n_jobs=1).errors()
    assert not list(cache.rglob("*.json"))


class _Own(GaussianNB):
    """A classifier as a user writes it."""


def test_another_file_of_the_library_makes_another_result(tmp_path, monkeypatch):
    package = tmp_path / "package"
    shutil.copytree(Path(thalweg.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(thalweg, "__file__", str(package / "__init__.py"))

    def file():
        cache_keys._this_library.cache_clear()
        return cache_keys.cache_file("runs", [NaiveBayes()])

    try:
        files = [file()]
        os.utime(package / "__init__.py", (0, 0))
        assert file() == files[0]  # as by another installation of the same code
        for part in ("streams/generators/sea.py", "evaluation/tally.py", "_native/maths.pxd", "new.json"):
            with open(package / part, "a") as written:
                written.write("\n")
            files.append(file())
        assert len({*files}) == 5
    finally:
        cache_keys._this_library.cache_clear()


def test_kernels_in_another_folder_are_part_of_the_library():
    places = cache_keys._files_of_this_library()
    files = [path for _, paths in places for path in paths]
    assert any(path.name.startswith("argmax.") and path.suffix in (".so", ".pyd") for path in files)


def test_delays_with_other_values_are_other_runs(cache):
    never, always = (stats.rv_discrete(values=([k], [1]))() for k in (0, 290))
    drawn, own = stats.rv_histogram(np.histogram([1.0, 2.0, 3.0])), _Late(name="norm", a=5, b=6)
    for delay in (never, always, drawn.freeze(), own()):
        compare([NoChange()], ["sea"], rows=300, delay=delay, n_jobs=1)
    assert not list(cache.rglob("*.json"))
    for delay in (stats.poisson(3), stats.poisson(4), stats.poisson(3, 1), stats.norm(3)):
        compare([NoChange()], ["sea"], rows=300, delay=delay, n_jobs=1)
    assert len(list(cache.rglob("*.json"))) == 4


class _Late(stats.rv_continuous):
    """A distribution as a user writes it; it has the name of another one."""

    def _pdf(self, x):
        return np.ones_like(x)


def test_costs_of_the_label_1_are_not_those_of_the_label_in_text(cache):
    for costs in ({1: 20}, {0: 20}, {"1": 20}, [1, 20]):
        compare([NaiveBayes()], ["sea"], rows=300, costs=costs, n_jobs=1)
    assert len(list(cache.rglob("*.json"))) == 4


def test_another_file_of_a_dataset_is_another_run(cache, tmp_path):
    for n in (100, 120):
        lines = ["@relation e", "@attribute price numeric", "@attribute class {UP,DOWN}", "@data"]
        (tmp_path / "elec2.arff").write_text("\n".join([*lines, *n * ["1,UP", "2,DOWN"]]))
        found = compare([NaiveBayes()], ["elec2"], data=tmp_path, n_jobs=1)
        assert not found.errors() and next(iter(found.results.values()))["rows"] == 2 * n
    assert len(list(cache.rglob("*.json"))) == 2


def made_up(scores):
    """Return a Comparison with these accuracies, [stream, learner]."""
    results = {
        (f"L{m}", f"s{s}", 0): {"accuracy": value, "stopped": False, "rows": 9, "unlabelled": 0,
                                "baselines": {name: {} for name in BASELINES}, "right": "", "n_scored": 0}
        for s, line in enumerate(np.asarray(scores).tolist())
        for m, value in enumerate(line)
    }
    n_streams, n_learners = np.shape(scores)
    names = [f"L{m}" for m in range(n_learners)], [f"s{s}" for s in range(n_streams)]
    return Comparison(*names, n_seeds=1, settings={}, results=results)


def test_a_verdict_claims_nothing_that_few_streams_cannot_show():
    assert "significantly" not in verdict(made_up([[0.9, 0.8]] * 5))
    assert "significantly ahead of all others (the sign test at 5 %)" in verdict(made_up([[0.9, 0.8]] * 6))
    two = made_up([[0.9, 0.8, 0.7]] * 2)
    assert "no more than chance allows (Friedman's test, p = 0.17)" in verdict(two)
    assert json.loads(json.dumps(two.summary()["friedman"], allow_nan=False))["f"] is None
    assert verdict(made_up([[0.9, 0.8], [0.8, 0.9]])).startswith("All learners have the same mean rank, 1.50")


def test_one_row_is_too_few_for_a_test():
    found = compare([NaiveBayes(), MajorityClass()], ["sea"], rows=1, n_jobs=1)
    assert "nan" not in verdict(found) and "too few rows for a test" in verdict(found)


def test_a_search_that_cannot_be_judged_is_not_begun(monkeypatch):
    def fail(*_, **__):
        raise AssertionError("it searched")

    monkeypatch.setattr("thalweg.evaluation.comparison.tune.search", fail)
    X, y = next(SEA(300, seed=1).blocks(300))
    labels = [int(label) if i < 90 else None for i, label in enumerate(y)]
    with pytest.raises(StreamError, match=r"tune: no row after the first 90, .* has a label to judge by"):
        tune(NearestNeighbours(), (X, labels), grid={"n_neighbours": [1, 3]}, n_jobs=1)
