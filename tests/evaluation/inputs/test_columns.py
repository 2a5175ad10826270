"""Results in terms of the columns and values of a file: importances, coefficients, trees, `inspect`."""

import datetime
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from thalweg.commands.app import app
from thalweg.evaluation import Explanations, InputColumns, PermutationImportance, explanation, prequential
from thalweg.learners import AdaptiveLogistic, AdaptiveRandomForest, HoeffdingTree, LinearLogistic
from thalweg.streams import SEA, from_file

WORDS = ("late", "damaged", "fine", "great", "broken", "refund")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file whose label is yes for sensor s17, and at weekends unless a refund was asked for."""
    rng = np.random.default_rng(0)
    lines = ["sensor,price,ordered,comment,shop,ok"]
    for i in range(3000):
        when = datetime.datetime(2024, 1, 1) + datetime.timedelta(minutes=20 * i)
        sensor, shop, comment = rng.integers(4) + 14, "ab"[rng.integers(2)], " ".join(rng.choice(WORDS, 5))
        good = sensor == 17 or (when.weekday() >= 5 and "refund" not in comment)
        cells = [f"s{sensor}", f"{rng.normal():.3f}", f"{when:%Y-%m-%d %H:%M}", comment, shop]
        lines.append(",".join([*cells, "yes" if good else "no"]))
    found = tmp_path_factory.mktemp("orders") / "orders.csv"
    found.write_text("\n".join(lines) + "\n")
    return found


@pytest.fixture(scope="module")
def stream(path):
    return from_file(path, "ok", n_words=16)


def test_inputs_are_grouped_by_column_and_part(stream):
    columns = InputColumns(stream)
    assert tuple(columns.names) == stream.names
    assert [column.name for column in columns.columns] == ["sensor", "price", "ordered", "comment", "shop"]
    sizes = {column.name: len(column.inputs) for column in columns.columns}
    assert sizes == {"sensor": 1, "price": 1, "ordered": 8, "comment": 16, "shop": 1}
    parts = [part.name for part in columns.parts["ordered"]]
    assert parts == [f"ordered: {part}" for part in ("elapsed days", "time of day", "weekday", "month")]
    assert sum((part.inputs for part in columns.parts["ordered"]), ()) == columns.columns[2].inputs


@pytest.mark.parametrize(
    ("name", "sign", "value", "words"),
    [
        ("sensor", "=", 0, "sensor = {first}"),
        ("sensor", "≠", 0, "sensor ≠ {first}"),
        ("sensor", "=", 99, "sensor = 99"),
        ("price", "≤", 1.25, "price ≤ 1.25"),
        ("ordered.elapsed", ">", 1.5, "ordered > 2024-01-02 12:00"),
        ("ordered.hour", "≤", 6.5, "ordered: time of day ≤ 06:30"),
        ("ordered.time_cos", ">", 0.001, "ordered: time of day is 00:00 to 06:00 or 18:01 to 24:00"),
        ("ordered.weekday_sin", "≤", -0.4, "ordered: weekday is Fri, Sat or Sun"),
        ("ordered.month_cos", ">", 0.99, "ordered: month is Jan"),
        ("ordered.month_cos", ">", 1.5, "ordered: month is none"),
        ("comment.word3", ">", 0.5, "comment: words in place 3 > 0.5"),
        ("other", "≤", 2.0, "other ≤ 2"),
    ],
)
def test_conditions_speak_of_the_file(stream, name, sign, value, words):
    first = stream.schema()["columns"][0]["values"][0]
    assert InputColumns(stream).condition(name, sign, value) == words.format(first=first)


def test_weekdays_of_a_condition_are_those_that_hold(stream):
    columns, position = InputColumns(stream), stream.names.index("ordered.weekday_cos")
    X, _ = next(stream.coded_blocks(3000))
    days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    said = columns.condition("ordered.weekday_cos", "≤", 0.1)
    for row in range(0, 3000, 37):
        day = days[(datetime.datetime(2024, 1, 1) + datetime.timedelta(minutes=20 * row)).weekday()]
        assert (day in said) == (X[row, position] <= 0.1)


def test_an_importance_is_one_share_for_each_column(stream):
    learner = AdaptiveRandomForest(n_members=3)
    run = prequential(stream, learner, observers=Explanations())
    found = explanation(learner, InputColumns(stream))
    wholes = ["sensor", "price", "ordered", "comment", "shop"]
    assert sum(found[name] for name in wholes) == pytest.approx(1)
    assert found["ordered"] == pytest.approx(sum(v for k, v in found.items() if k.startswith("ordered:")))
    raw = explanation(learner)
    assert found["ordered: weekday"] == raw["ordered.weekday_sin"] + raw["ordered.weekday_cos"]
    history = run.explanations[0]
    assert history.wholes().names == wholes
    assert "ordered: weekday" in history.parts["ordered"]


def test_coefficients_name_categories_and_join_cycles(stream):
    learner = AdaptiveLogistic()
    prequential(stream, learner)
    found, raw = explanation(learner, InputColumns(stream)), explanation(learner)
    values = stream.schema()["columns"][0]["values"]
    assert found["sensor = s17"] == raw[f"sensor={values.index('s17')}"]
    assert found["sensor = s17"] > 0 and "sensor = others" in found
    shop = stream.schema()["columns"][-1]["values"][0]
    assert found[f"shop ≠ {shop}"] == raw["shop"]
    both = raw["ordered.weekday_sin"], raw["ordered.weekday_cos"]
    assert found["ordered: weekday"] == pytest.approx(np.hypot(*both))
    assert found["comment"] == pytest.approx(np.linalg.norm([raw[f"comment.word{j}"] for j in range(16)]))
    assert not any("_sin" in name or "word" in name for name in found)


def test_the_inputs_of_a_column_are_shuffled_together(stream):
    importance = PermutationImportance(window=1000)
    prequential(stream, AdaptiveLogistic(), observers=importance)
    latest = dict(zip(importance.names, importance.importance_, strict=True))
    assert list(latest)[:2] == ["sensor", "price"] and len(latest) == 5 + 4
    assert latest["ordered"] > 0.05 and latest["ordered: weekday"] > 0.05
    assert abs(latest["ordered: month"]) < 0.02


def test_streams_of_numbers_are_as_before():
    importance = PermutationImportance()
    run = prequential(SEA(3000, seed=1), HoeffdingTree(), observers=[importance, Explanations()])
    assert all(history.names == ["x0", "x1", "x2"] and not history.parts for history in run.explanations)


def test_a_tree_names_categories(stream):
    learner = HoeffdingTree(delta=0.05)
    prequential(stream, learner)
    assert "sensor = s17: yes (100%" in learner.describe(InputColumns(stream))
    assert "sensor = s17" not in learner.describe()


@pytest.mark.parametrize("learner", ["HoeffdingTree(delta=0.05)", "LinearLogistic", "AdaptiveRandomForest"])
def test_inspect_speaks_of_columns_and_values(path, tmp_path, learner):
    model = str(tmp_path / "model.tw")
    told = ["run", str(path), "--target", "ok", "--learner", learner, "--save", model, "--n-words", "16"]
    assert CliRunner().invoke(app, told).exit_code == 0
    shown = CliRunner().invoke(app, ["inspect", model]).output
    found = json.loads(CliRunner().invoke(app, ["inspect", model, "--json"]).output)
    assert "weekday_sin" not in shown and "word1" not in shown
    if learner == "LinearLogistic":
        assert "sensor = s17" in shown and "sensor = s17" in found["values"]
    else:
        assert found["values"].keys() >= {"sensor", "ordered", "ordered: weekday", "comment"}
    assert (found["rules"] is not None) == learner.startswith("HoeffdingTree")
    assert found["rules"] is None or "sensor = s17" in found["rules"]


def test_the_command_gives_one_figure_for_a_date(path):
    told = ["run", str(path), "--target", "ok", "--learner", "LinearLogistic", "--importance"]
    shown = " ".join(CliRunner().invoke(app, told).output.split())
    assert "ordered " in shown and "(weekday " in shown and "weekday_sin" not in shown


def test_the_words_of_a_text_are_named(path, stream):
    columns = InputColumns(stream)
    names = [group.name for group in columns.words["comment"]]
    words = [word for name in names for word in name.removeprefix("comment: ").split("/")]
    assert sorted(words) == sorted(WORDS)
    again = from_file(path, like=stream.schema())
    assert InputColumns(again).words == columns.words
    known = dict(zip([group.inputs[0] for group in columns.words["comment"]], names, strict=True))
    place, name = next(iter(known.items()))
    assert columns.condition(columns.names[place], ">", 0.5) == f"{name} > 0.5"
    unnamed = next(j for j in columns.columns[3].inputs if j not in known)
    assert columns.condition(columns.names[unnamed], ">", 0.5).startswith("comment: words in place ")


def test_a_schema_without_words_still_describes_a_text(stream):
    schema = stream.schema()
    for column in schema["columns"]:
        column.pop("words", None)
    assert InputColumns(schema).words == {"comment": []}
    assert from_file(stream.source.name, like=schema).n_features == stream.n_features


@pytest.mark.parametrize("learner", [LinearLogistic(), AdaptiveRandomForest()], ids=["coef", "importance"])
def test_the_word_that_decides_is_first_below_its_text(tmp_path, learner):
    rng = np.random.default_rng(1)
    lines = ["id,note,x,ok"]
    for i in range(3000):
        note = " ".join(rng.choice(WORDS, 5))
        lines.append(f"a{i},{note},{rng.normal():.3f},{'no' if 'refund' in note else 'yes'}")
    file = tmp_path / "notes.csv"
    file.write_text("\n".join(lines) + "\n")
    stream = from_file(file, "ok", n_words=64)
    run = prequential(stream, learner, observers=Explanations())
    values = explanation(learner, InputColumns(stream))
    words = [name for name in values if name.startswith("note: ")]
    assert "refund" in max(words, key=lambda name: abs(values[name]))
    assert len(words) <= 10
    (history,) = run.explanations
    assert set(words) <= set(history.parts["note"])
    assert not any(name.startswith("note: ") for name in history.wholes().names)
