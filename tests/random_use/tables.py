"""Random tables in every form, through models and commands: the form changes no kind, class or bit."""

import contextlib
import csv
import datetime
import gzip
import io
import json
import os
import pickle
import sys
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thalweg
from thalweg.commands import app

LEARNERS = (
    "NaiveBayes",
    "LinearLogistic",
    "LogisticMixture",
    "HoeffdingTree(grace_period=20)",
    "OnlineBagging(n_members=3)",
    "AdaptiveStacking([NaiveBayes(), LinearLogistic()])",
    "NearestNeighbours(window=50)",
)
NAMES = ("price", "kg", "shop", "Größe", "a b", "x,y", "it's", "when", "n", "p.q", "Zip", "id")
CATEGORIES = (
    ("north", "south", "east"),
    ("a", "b", "c", "d", "e", "f", "g"),
    ("it's", 'say "so"', "x, y", "Straße", "a;b", "two words"),
    ("red", "Red", "RED", "blue"),
    ("yes", "no"),
    ("Y", "N"),
    ("NA", "DE", "FR", "US"),
    ("01067", "01069", "10115"),
    ("none", "some", "all"),
    ("1a", "2x", "x"),
)
LABELS = (
    ("no", "yes"),
    (0, 1),
    (3, 1, 2),
    ("007", "7", "12"),
    ("01067", "1067", "10115"),
    (True, False),
    ("NA", "DE", "FR"),
    ("late", "in time", "it's, well"),
    (-1, 1),
    ("1.0", "2"),
    (2.5, 1.0),
    ("T", "F"),
)
WORDS = ("late", "box", "broken", "again", "order", "nice", "great", "slow", "fast", "blue", "red", "parcel")
FILES = {"csv": ".csv", "gz": ".csv.gz", "semicolons": ".csv", "jsonl": ".jsonl", "parquet": ".parquet"}
FRAMES = ("records", "generator", "pandas", "polars", "Arrow")


def run(seed):
    """Try the case of this seed; return "agreed" or "refused"; raise AssertionError if a form differs."""
    rng = np.random.default_rng(seed)
    table = Table(rng)
    learner = str(rng.choice(LEARNERS))
    with tempfile.TemporaryDirectory() as folder:
        forms = Forms(table, Path(folder))
        return compared(table, forms, learner, rng)


def compared(table, forms, learner, rng):
    """Learn the first rows in all forms, and the rest by the same steps in forms drawn at random."""
    begun = {}
    for form in forms.known():
        begun[form] = outcome(lambda form=form: table.model(learner).learn(forms.of(table.first, form)))
    if isinstance(begun["records"], Exception):
        others = [form for form, found in begun.items() if not is_refusal(found)]
        assert not others, f"{table}: not refused as {', '.join(others)}: {begun['records']}"
        return "refused"
    models = {form: found for form, found in begun.items() if not isinstance(found, Exception)}
    errors = [f"{form}: {found}" for form, found in begun.items() if is_refusal(found)]
    assert not errors, f"{table}, {learner}: learned as records, refused as {'; '.join(errors)}"
    expected = models["records"]
    for form, model in models.items():
        assert_same_models(model, expected, f"{table}, {learner}: first rows as {form}")
    by_record, drawn = expected.copy(), models[str(rng.choice(list(models)))]
    for step in Steps(table, rng).drawn():
        what = f"{table}, {learner}: {step.what} of rows {step.places[:1]} to {step.places[-1:]}"
        form = forms.draw(step.what, rng)
        answers = outcome(lambda step=step: step.done(by_record, forms, "records"))
        others = outcome(lambda step=step, form=form, drawn=drawn: step.done(drawn, forms, form))
        assert_same_answers(others, answers, f"{what} as {form}")
        drawn = step.passed_on(drawn)
        assert_same_models(drawn, by_record, f"{what} as {form}")
    if table.can_be_read_back:
        assert_command(table, forms, learner, rng)
    return "agreed"


class Table:
    """Records with random columns, and what is told of them."""

    def __init__(self, rng):
        self.n = int(rng.choice([12, 40, 150]))
        self.first = list(range(max(6, self.n // int(rng.choice([1, 2, 3])))))
        names = [str(name) for name in rng.permutation(NAMES)[: rng.integers(1, 7)]]
        self.kinds = {name: str(rng.choice(list(CELLS))) for name in names}
        self.labels = LABELS[rng.integers(len(LABELS))]
        columns = {name: CELLS[kind](rng, self.n) for name, kind in self.kinds.items()}
        for name in names:
            if rng.random() < 0.3:
                gaps = rng.random(self.n) < rng.choice([0.05, 0.5])
                columns[name] = [None if gap else cell for cell, gap in zip(columns[name], gaps, strict=True)]
        codes = np.minimum(rng.poisson(0.8, self.n), len(self.labels) - 1)
        codes[: len(self.labels)] = rng.permutation(len(self.labels))
        self.answers = [self.labels[code] for code in codes]
        if rng.random() < 0.2:
            self.answers = [y if rng.random() < 0.8 or i < 6 else None for i, y in enumerate(self.answers)]
        self.target = str(rng.choice(["paid", "class", "the label", "Ümlaut"]))
        self.names = [*names, self.target] if rng.random() < 0.8 else [self.target, *names]
        columns[self.target] = self.answers
        self.rows = [{name: columns[name][i] for name in self.names} for i in range(self.n)]
        self.settings = {"random_state": int(rng.integers(3))}
        if rng.random() < 0.2:
            self.settings["classes"] = list(self.labels)
        if rng.random() < 0.1:
            self.settings["max_waiting"] = 7
        self.can_be_read_back = not {bool} & {*map(type, self.labels)}  # labels "True" of a file are text
        self.has_texts_of_numbers = "texts_of_numbers" in self.kinds.values() or "1.0" in self.labels

    def __repr__(self):
        return f"{self.n} rows of {self.kinds}, labels {self.labels}, {self.settings}"

    def model(self, learner):
        """Return a model that has learned nothing."""
        return thalweg.Model(self.target, learner, **self.settings)


def numbers(rng, n):
    # Not three decimals: in a text file, beside decimal commas, these are thousands.
    n_decimals = int(rng.choice([0, 1, 2, 4]))
    return rng.normal(0, 10.0 ** rng.integers(-2, 5), n).round(n_decimals).tolist()


def whole_numbers(rng, n):
    return rng.integers(-3, int(rng.choice([5, 1000, 10**9])), n).tolist()


def commas(rng, n):
    return [f"{x:.2f}".replace(".", ",") for x in rng.gamma(2, 20, n)]


def texts_of_numbers(rng, n):
    return [f"{x:.1f}" for x in rng.normal(size=n)]


def bits(rng, n):
    return rng.integers(0, 2, n).tolist()


def booleans(rng, n):
    return (rng.random(n) < 0.4).tolist()


def categories(rng, n):
    values = CATEGORIES[rng.integers(len(CATEGORIES))]
    return [values[i] for i in np.minimum(rng.poisson(1.2, n), len(values) - 1)]


def many_categories(rng, n):
    return [f"k{i}" for i in np.minimum(rng.zipf(1.5, n), 300)]


def days(rng, n):
    return [datetime.date(2024, 1, 1) + datetime.timedelta(int(i)) for i in np.cumsum(rng.integers(0, 3, n))]


def moments(rng, n):
    seconds = np.cumsum(rng.integers(0, 90_000, n)).tolist()
    return [datetime.datetime(2023, 5, 1, 12, 30) + datetime.timedelta(seconds=s) for s in seconds]


def written_days(rng, n):
    layout = str(rng.choice(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y %H:%M", "%d %b %Y"]))
    return [f"{moment:{layout}}" for moment in moments(rng, n)]


def texts(rng, n):
    return [" ".join(rng.choice(WORDS, int(rng.integers(3, 8)))) + f" {i}" for i in range(n)]


def one_value(rng, n):
    return [[0, "same", 2.5][rng.integers(3)]] * n


def odd_numbers(rng, n):
    return rng.choice([0.0, -0.0, 1e300, -1e-300, 12345678.9, 0.1, 1e16, 3.0], n).tolist()


CELLS = {each.__name__: each for each in (
    numbers, whole_numbers, commas, texts_of_numbers, bits, booleans, categories, many_categories, days,
    moments, written_days, texts, one_value, odd_numbers,
)}  # fmt: skip


NUMERIC = ("numbers", "whole_numbers", "odd_numbers")  # as attributes of ARFF
NOMINAL = ("bits", "booleans", "categories", "many_categories")


class Forms:
    """Rows of a table as records, frames and files."""

    def __init__(self, table, folder):
        self.table, self.folder, self._written = table, folder, 0
        listed = all(kind in NUMERIC or kind in NOMINAL for kind in table.kinds.values())
        self.later = [*FRAMES, *FILES, *(["ARFF"] if listed else [])]

    def known(self):
        """Return the names of all forms that say of first rows what the records say."""
        found = [*FRAMES, *FILES] if self.table.can_be_read_back else FRAMES
        # Text in a typed column is text, though it be that of numbers.
        typed = ("pandas", "polars", "Arrow", "parquet") if self.table.has_texts_of_numbers else ()
        return [form for form in found if form not in typed]

    def draw(self, what, rng):
        """Return the name of a form for later rows: those with ids are in memory."""
        return str(rng.choice(FRAMES if what == "wait" else self.later))

    def of(self, places, form, names=None):
        """Return rows in a form; `names` are those of the columns, in order."""
        names = names or self.table.names
        rows = [{name: self.table.rows[i][name] for name in names} for i in places]
        match form:
            case "records":
                return rows
            case "generator":
                return (row for row in rows)
            case "pandas":
                return pd.DataFrame(rows, columns=names)
            case "polars":
                return pl.DataFrame(rows, infer_schema_length=None)
            case "Arrow":
                return pa.Table.from_pylist(rows)
        self._written += 1
        path = self.folder / f"rows {self._written}{FILES.get(form, '.arff')}"
        if form == "jsonl":
            lines = [json.dumps(row, default=str, ensure_ascii=self._written % 2 > 0) for row in rows]
            path.write_text("\n".join(lines) + "\n", "utf-8")
        elif form == "ARFF":
            path.write_text(as_arff(rows, names, self.table.kinds), "utf-8")
        elif form == "parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        else:
            text = as_csv(rows, names, ";" if form == "semicolons" else ",")
            path.write_bytes(gzip.compress(text.encode()) if form == "gz" else text.encode())
        return path


def as_csv(rows, names, delimiter):
    """Return rows as the text of a CSV file."""
    found = io.StringIO()
    quoting = csv.QUOTE_ALL if len(names) == 1 else csv.QUOTE_MINIMAL
    writer = csv.writer(found, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    writer.writerow(names)
    writer.writerows([["" if row[name] is None else row[name] for name in names] for row in rows])
    return found.getvalue()


def as_arff(rows, names, kinds):
    """Return rows as the text of an ARFF file whose attributes are numeric or list what is there."""
    lines = ["@relation rows"]
    for name in names:
        values = dict.fromkeys(quoted(row[name]) for row in rows if row[name] is not None)
        kind = "numeric" if kinds.get(name) in NUMERIC else f"{{{','.join(values)}}}"
        lines.append(f"@attribute {quoted(name)} {kind}")
    cells = [["?" if row[name] is None else quoted(row[name]) for name in names] for row in rows]
    return "\n".join([*lines, "@data", *(",".join(line) for line in cells)]) + "\n"


def quoted(value):
    """Return a cell of an ARFF file."""
    text = str(value)
    return text if text.replace(".", "").replace("-", "").isalnum() else "'" + text.replace("'", "\\'") + "'"


class Step:
    """One call of a model with some rows, or with the labels of rows that wait."""

    def __init__(self, what, places, names, passing):
        self.what, self.places, self.names, self._passing = what, places, names, passing

    def done(self, model, forms, form):
        """Do it; return what was answered."""
        rows = forms.table.rows
        inputs = [name for name in self.names if name != forms.table.target]
        match self.what:
            case "learn":
                return model.learn(forms.of(self.places, form, self.names)).classes_.tolist()
            case "learn one by one":
                if form == "records":
                    return model.learn(forms.of(self.places, form, self.names)).classes_.tolist()
                for each in (model.copy(), model):  # a list with a bad record is refused as a whole
                    for i in self.places:
                        each.learn({name: rows[i][name] for name in self.names})
                return model.classes_.tolist()
            case "prequential":
                found = model.prequential(forms.of(self.places, form, self.names))
                return found.probabilities.tolist(), [str(label) for label in found.classes]
            case "predict":
                if form == "generator":
                    records = ({name: rows[i][name] for name in inputs} for i in self.places)
                    return [[*model.predict_proba_one(record).values()] for record in records]
                return model.predict_proba(forms.of(self.places, form, inputs)).tolist()
            case "wait":
                return model.predict(forms.of(self.places, form, inputs), ids=self.places).tolist()
            case "label":
                labels = [rows[i][forms.table.target] for i in self.places]
                if form == "records":
                    return model.label(self.places, labels, ignore_unknown=True)
                pairs = zip(self.places, labels, strict=True)
                return sum(model.label([i], [label], ignore_unknown=True) for i, label in pairs)

    def passed_on(self, model):
        """Return the model after something that changes nothing."""
        match self._passing:
            case 0:
                return model.copy()
            case 1:
                return pickle.loads(pickle.dumps(model))
            case 2:
                with tempfile.TemporaryDirectory() as folder:
                    model.save(Path(folder) / "model.tw")
                    return thalweg.load(Path(folder) / "model.tw")
        return model


class Steps:
    """What is done with the rows after the first ones."""

    def __init__(self, table, rng):
        self.table, self._rng = table, rng

    def drawn(self):
        """Give the steps; each row is learned or waits once."""
        rng, table, waiting = self._rng, self.table, []
        place = len(table.first)
        while place < table.n:
            end = min(table.n, place + int(rng.choice([1, 3, 20, 100])))
            places = list(range(place, end))
            what = str(rng.choice(["learn", "learn one by one", "prequential", "predict", "wait"]))
            yield self._step(what, places)
            if what == "wait":
                waiting += [i for i in places if table.rows[i][table.target] not in (None, "NA")]
            if waiting and rng.random() < 0.5:
                some = [int(i) for i in rng.permutation(waiting)[: rng.integers(1, len(waiting) + 1)]]
                waiting = [i for i in waiting if i not in some]
                yield self._step("label", some)
            if what != "predict":
                place = end
            elif rng.random() < 0.5:
                yield self._step("learn", places)
                place = end
        yield self._step("predict", list(range(min(table.n, 10))))

    def _step(self, what, places):
        names = list(self.table.names)
        if self._rng.random() < 0.3:
            names = [str(name) for name in self._rng.permutation(names)]
        return Step(what, places, names, int(self._rng.integers(0, 12)))


def assert_command(table, forms, learner, rng):
    """Compare models and predictions of the command with those of a model in Python."""
    form = str(rng.choice([form for form in forms.known() if form in FILES]))
    first, rest = table.first, list(range(len(table.first), table.n))
    settings = ["--target", table.target, "--learner", learner, "--seed", table.settings["random_state"]]
    if "classes" in table.settings or "max_waiting" in table.settings:
        return
    saved, out = forms.folder / "model.tw", forms.folder / "out.jsonl"
    model = table.model(learner)
    model.prequential(forms.of(first, "records"))
    run_here("run", forms.of(first, form), *settings, "--save", saved)
    assert_same_models(thalweg.load(saved), model, f"{table}, {learner}: run of {form}")
    if rest:
        form = str(rng.choice(list(FILES)))
        refused = is_refusal(outcome(lambda: model.prequential(forms.of(rest, "records"))))
        run_here("continue", saved, forms.of(rest, form), code=2 if refused else 0)
        assert_same_models(thalweg.load(saved), model, f"{table}, {learner}: continue with {form}")
    if rng.random() < 0.1:
        assert_fixed(table, forms, rng)
    form = str(rng.choice(list(FILES)))
    run_here("predict", saved, forms.of(first, form), "--out", out, "--probabilities")
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    p = model.predict_proba(forms.of(first, "records"))
    of_classes = [name for name in lines[0] if name.startswith("p_")][-p.shape[1] :]
    found = [[line[name] for name in of_classes] for line in lines]
    assert found == p.tolist(), f"{table}, {learner}: predict of {form}: other probabilities"
    said = [line["prediction"] for line in lines]
    expected = model.predict(forms.of(first, "records")).tolist()
    assert [*map(str, said)] == [*map(str, expected)], f"{table}, {learner}: predict of {form}: other answers"


def assert_fixed(table, forms, rng):
    """Raise AssertionError if a search for parameters tries other values of one that is fixed."""
    name, value = (("decay", 0.97), ("l2", 0.003))[rng.integers(2)]
    said = run_here(
        "tune", forms.of(range(table.n), "csv"), "--target", table.target, "--learner", "LinearLogistic",
        "--set", f"{name}={value}", "--n", 3, "--jobs", 1, "--json",
    )  # fmt: skip
    tried = [parameters for parameters, _ in json.loads(said.splitlines()[-1])["tried"]]
    assert not any(name in parameters for parameters in tried), f"{table}: --set {name}, tried {tried}"


def run_here(*arguments, code=0):
    """Run the command in this process and return what it prints; raise AssertionError for another code."""
    printed = io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["thalweg", *map(str, arguments)]),
        contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed),
        mock.patch.dict(os.environ, {"THALWEG_TRACEBACK": "1"}), pytest.raises(SystemExit) as ended,
    ):  # fmt: skip
        app.main()
    assert (ended.value.code or 0) == code, f"thalweg {' '.join(map(str, arguments))}: {printed.getvalue()}"
    return printed.getvalue()


def outcome(function):
    """Return what a function returns, or the error of a user that it raises."""
    try:
        return function()
    except ValueError as error:
        return error


def is_refusal(found):
    """Return whether this is an error."""
    return isinstance(found, Exception)


def assert_same_answers(found, expected, what):
    """Raise AssertionError unless both are the same answers, or both are refusals."""
    assert is_refusal(found) == is_refusal(expected), f"{what}: {found!r}; as records {expected!r}"
    assert is_refusal(found) or found == expected, f"{what}: {found}; as records {expected}"


def assert_same_models(found, expected, what):
    """Raise AssertionError unless both have the same kinds and classes, and learned the same."""
    for name, value in found.columns.kinds.items():
        assert value == expected.columns.kinds[name], f"{what}: {name!r} is {value}"
    classes, others = found.classes_.tolist(), expected.classes_.tolist()
    assert [*map(repr, classes)] == [*map(repr, others)], f"{what}: the classes are {classes}, not {others}"
    if found.digest() != expected.digest():
        raise AssertionError(f"{what}: {difference(found, expected)}")


def difference(found, expected):
    """Return where two models differ."""
    from thalweg.checks.running import assert_same

    for name in ("learner_", "_coding"):
        states = [vars(each)[name] for each in (found, expected)]
        plain = [each.state() if name == "learner_" else each.plain() for each in states]
        try:
            assert_same(*plain)
        except AssertionError as error:
            return f"{name}: {error}"
    return "the digests differ"
