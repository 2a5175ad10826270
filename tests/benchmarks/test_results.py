"""The results of benchmarks are kept by method and stream, and the page marks what misses its bar."""

import pytest
from support.places import needs_checkout

kept = pytest.importorskip("benchmarks.kept")
growth = pytest.importorskip("benchmarks.growth")
operations = pytest.importorskip("benchmarks.operations")
overview = pytest.importorskip("benchmarks.overview")
page = pytest.importorskip("benchmarks.page")
peers = pytest.importorskip("benchmarks.peers")


def result(learner, stream, ours, moa, moa_rows=3000):
    counts = [900, 1700, 2400]
    return {
        "learner": learner,
        "stream": stream,
        "ours": {"rates": ours, "rows": 3000, "accuracy": 0.8, "correct_after": counts},
        "moa": {"rates": moa, "rows": moa_rows, "accuracy": 0.7},
    }


def test_a_later_result_replaces_that_of_the_same_method_and_stream(tmp_path):
    path = tmp_path / "1.json"
    kept.keep(path, [result("Tree", "sea", [10.0], [1.0]), result("Tree", "elec", [10.0], [1.0])])
    kept.keep(path, [result("Tree", "sea", [20.0], [1.0])], growth={"Tree": {"rows": 1.0}})
    found = kept.read(path)
    rates = [(line["stream"], line["ours"]["rates"]) for line in found["results"]]
    assert rates == [("sea", [20.0]), ("elec", [10.0])]
    assert found["growth"] == {"Tree": {"rows": 1.0}}


def test_a_peer_that_was_cut_has_ours_on_the_same_rows():
    lean = kept.lean(result("Tree", "sea", [10.0], [1.0], moa_rows=2000))
    assert lean["moa"]["ours_then"] == 0.85
    assert "correct_after" not in lean["ours"]
    assert page.percentage(lean["moa"], 3000) == "70.00 @2k, ours 85.00"
    assert page.place(lean, "moa") == pytest.approx(0.65)


@pytest.mark.parametrize(("ours", "text"), [([4.0, 6.0, 4.5], "4.50 [4.00, 6.00] ✗"), ([5.0], "5.00")])
def test_a_missed_bar_is_marked(ours, text):
    assert page.marked({"rates": ours}, {"rates": [1.0] * len(ours)}, bar=5) == text


def test_the_exponent_is_that_of_the_power():
    sizes = [1, 2, 4, 8]
    assert growth.exponent(sizes, [3 * size**1.5 for size in sizes]) == pytest.approx(1.5)


def test_a_peer_that_is_missing_is_skipped_with_a_reason(monkeypatch, capsys):
    def missing():
        raise FileNotFoundError("no javac")

    monkeypatch.setattr(peers.loops, "moa_classes", missing)
    assert peers.there(["ours", "moa"]) == ["ours"]
    assert capsys.readouterr().out == "moa is skipped: no javac\n"


def test_what_was_measured_with_the_same_code_is_not_measured_again(monkeypatch):
    found = [{**result("Tree", "sea", [10.0, 11.0], [1.0, 1.0]), "code": "abc"}]
    monkeypatch.setattr(kept, "code", lambda: "abc")
    assert kept.has(found, "Tree", "sea", ["ours", "moa"], repeat=2)
    assert not kept.has(found, "Tree", "sea", ["ours", "moa"], repeat=3)
    assert not kept.has(found, "Tree", "sea", ["ours", "river"], repeat=2)
    assert not kept.has(found, "Tree", "elec", ["ours"], repeat=1)
    for other in ("def", ""):
        monkeypatch.setattr(kept, "code", lambda other=other: other)
        assert not kept.has([*found, {**found[0], "code": ""}], "Tree", "sea", ["ours"], repeat=1)


def test_the_table_has_the_sizes_of_all_models():
    line = result("Tree", "sea", [10.0], [1.0])
    line["ours"]["bytes"], line["moa"]["bytes"] = 1200, 45_000
    assert list(page.speed([line]))[-1].endswith("| 1.2k | 45k | – |")


def test_the_first_table_has_the_fastest_and_the_most_accurate_peer_of_each_stream():
    sea, elec = result("NaiveBayes", "sea", [10.0], [1.0]), result("NaiveBayes", "elec", [10.0], [5.0])
    elec["river"] = {"rates": [0.1], "rows": 3000, "accuracy": 0.82}
    assert list(overview.table([sea, elec]))[2:] == [
        "| NaiveBayes | 10 | 6.0 [2.0, 10] MOA | 80.0 | +4.0 [−2.0, +10.0] MOA, River |"
    ]


def test_a_peer_that_was_cut_early_does_not_count_in_accuracy_but_in_speed():
    ours = {"rates": [10.0], "rows": 9000, "accuracy": 0.8}
    cut = {**result("NaiveBayes", "sea", [10.0], [1.0]), "ours": ours}
    cut["moa"].update(rows=4000, ours_then=0.9)
    assert overview.ahead(cut, "moa") is None
    assert list(overview.table([cut]))[2].endswith("| 10 [10, 10] MOA | 80.0 | – |")
    cut["moa"]["rows"] = 5000
    assert overview.ahead(cut, "moa") == pytest.approx(20)


def test_every_method_is_of_one_kind():
    kinds = [name for names in overview.KINDS.values() for name in names]
    assert sorted(kinds) == sorted(overview.METHODS)


@needs_checkout
def test_the_page_has_what_is_kept():
    """Where this fails, `python -m benchmarks.page` writes the page again."""
    found = kept.read(sorted(kept.FOLDER.glob("[0-9]*.json"))[-1])
    text = (page.DOCS / "benchmarks.md").read_text("utf-8")
    assert page.filled(text, page.sections(found)) == text


def test_an_operation_that_grows_faster_than_stated_is_marked():
    made = operations.Operation("an operation", "rows", (10, 100, 1000), 1, lambda n: lambda: None)
    for power, mark in ((0.5, False), (1.2, False), (1.5, True)):
        times = [1e-3 * size**power for size in made.sizes]
        assert ("ABOVE" in growth.line(made, times)) == mark
    assert "exponent 1.50, last 1.50, stated 1" in growth.line(made, times)
    late = [1e-3, 1e-3, 1e-1]  # the last step alone: a fixed part ended
    assert "ABOVE" not in growth.line(made, late)


@pytest.mark.parametrize("name", ["predict a list of one record", "save and load a Bank", "LabelBudget"])
def test_operations_can_be_measured_at_any_size(name):
    (found,) = [each for each in operations.OPERATIONS if each.name == name]
    assert all(seconds > 0 for seconds in growth.measured(found._replace(sizes=(10, 20))))
