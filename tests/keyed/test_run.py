"""The local runner: the same outputs and states on any number of workers and buckets, over any restart."""

import itertools
import os
import pickle
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import thalweg
from thalweg.errors import ColumnWarning, ParameterError, StateError, StreamError
from thalweg.evaluation.baselines import BASELINES
from thalweg.keyed import Bank, KeyedRun, Operator, run
from thalweg.keyed.bucket_file import connect, from_ipc, to_ipc
from thalweg.keyed.learner_store import LearnerStore
from thalweg.keyed.sources import FileSource, FolderSource


def make_lines(n=3000, seed=0, header=True):
    """Return a messy CSV: text keys, some missing, numbers with commas, bad cells, labels that come late."""
    rng = np.random.default_rng(seed)
    lines = ["customer;price;colour;order_id;paid"] if header else []
    late = {}
    for i in range(n):
        key = ["", "Ann", "Bo 'X'", "Ünal", "x" * 300][int(rng.integers(5))] + ("" if i % 3 else str(i % 11))
        label = ["yes", "no", "Yes"][int(rng.integers(3))]
        price = "n/a" if rng.random() < 0.05 else f"{rng.integers(100)},{rng.integers(10)}"
        price = "oops" if i == 1500 else price
        if rng.random() < 0.3:
            late.setdefault(i + int(rng.integers(1, 50)), []).append((key, i, label))
            label = ""
        lines.append(f"{key};{price};{rng.choice(['red', 'blue', 'ok', f'c{i // 500}'])};{i};{label}")
        lines += [f"{each};;;{number};{said}" for each, number, said in late.pop(i, [])]
    return lines


@pytest.fixture
def messy(tmp_path):
    path = tmp_path / "messy.csv"
    path.write_text("\n".join(make_lines()) + "\n")
    return path


OPTIONS = {"key": "customer", "target": "paid", "id": "order_id", "learner": "LogisticMixture"}


def everything(done):
    return pa.concat_tables(done.outputs()).combine_chunks()


def states(done):
    """Return the state of each key as it is on disk, with the order of its last event."""
    import sqlite3

    found = {}
    for name in done._paths:
        with sqlite3.connect(done.folder / name) as file:
            for key, last, state, late in file.execute("SELECT key, last, state, late FROM states"):
                found[key] = last, state, late
    return found


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    path = folder / "messy.csv"
    path.write_text("\n".join(make_lines()) + "\n")
    done = run(path, folder=folder / "run", **OPTIONS)
    return everything(done), states(done), done


def test_it_does_what_one_call_of_the_operator_does(reference, messy):
    outputs, _, done = reference
    table = pa.csv.read_csv(messy, parse_options=pa.csv.ParseOptions(delimiter=";"), convert_options=(
        pa.csv.ConvertOptions(column_types=dict.fromkeys(make_lines(0)[0].split(";"), pa.string()),
                              strings_can_be_null=True, null_values=[""])))
    table = table.append_column("_row", pa.array(np.arange(table.num_rows)))
    expected, _ = done.operator(table)
    for name in ("status", "prediction", "p_no", "p_yes", "problem"):
        assert outputs.column(name).equals(expected.column(name)), name
    assert done.counts["refused"] == 1 and done.counts["late"] > 500
    assert sum(done.counts.values()) == done.n_rows == table.num_rows


@pytest.mark.parametrize("given", [
    {"n_buckets": 1}, {"n_buckets": 13, "commit_rows": 100}, {"n_buckets": 5, "n_jobs": 2},
])
def test_buckets_workers_and_commits_change_no_bit(reference, messy, tmp_path, monkeypatch, given):
    done = run(messy, folder=tmp_path / "run", **OPTIONS, **given)
    assert everything(done).equals(reference[0]) and states(done) == reference[1]


def test_a_run_goes_on_with_the_rows_that_are_new(reference, tmp_path):
    lines, path = make_lines(), tmp_path / "messy.csv"
    for n in (2500, 2500, 3000, len(lines)):
        path.write_text("\n".join(lines[:n]) + "\n")
        done = run(path, folder=tmp_path / "run", operator=reference[2].operator)
        assert done.n_rows == n - 1
    assert everything(done).equals(reference[0]) and states(done) == reference[1]


def test_a_source_that_fails_is_read_on_from_where_all_was_kept(reference, messy, tmp_path, monkeypatch):
    monkeypatch.setattr("thalweg.streams.files.text_files.PIECE", 1 << 14)

    class Failing(FileSource):
        n = 0

        def read(self, position, until=None):
            Failing.n += 1
            if Failing.n % 3 == 0:
                raise OSError("the disk is away")
            return super().read(position, until)

    for _ in range(100):
        try:
            done = run(Failing(messy), folder=tmp_path / "run", commit_rows=700, n_buckets=3, **OPTIONS)
            break
        except OSError:
            continue
    assert Failing.n > 12
    assert everything(done).equals(reference[0]) and states(done) == reference[1]


def test_a_folder_of_files_is_read_in_the_order_of_names(reference, tmp_path):
    lines, folder = make_lines(), tmp_path / "in"
    folder.mkdir()

    def put(name, start, stop):
        (folder / name).write_text("\n".join([lines[0], *lines[start:stop]]) + "\n")

    put("2026-01.csv", 1, 2800)
    done = run(folder, folder=tmp_path / "run", operator=reference[2].operator)
    put("2026-02.csv", 2800, 3100)
    put("2026-03.csv", 3100, len(lines))
    (folder / ".2026-04.csv").write_text("half a fi")
    done = run(folder, folder=tmp_path / "run")
    assert everything(done).equals(reference[0]) and states(done) == reference[1]
    put("2026-01b.csv", 1, 20)
    source = FolderSource(folder)
    source._known = {"2026-01.csv"}
    with pytest.warns(UserWarning, match="came after later names"):
        run(source, folder=tmp_path / "run")


@pytest.fixture
def three_files(tmp_path):
    """A folder with b.csv, c.csv and d.csv, of which d has no rows, and a run that has read them."""
    folder = tmp_path / "in"
    folder.mkdir()
    rows = [f"k{i % 3},{i % 9},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(100)]
    text = "".join(["who,price,paid\n", *rows])
    for name in ("b.csv", "c.csv"):
        (folder / name).write_text(text)
    (folder / "bb.csv").write_text("who,price,paid\n")
    given = {"key": "who", "target": "paid", "learner": "NaiveBayes"}

    def read_on():
        return run(folder, folder=tmp_path / "run", **given)

    assert read_on().n_rows == 200
    return folder, text, read_on


def test_files_that_come_or_change_too_late_are_warned_of_after_a_restart(three_files):
    folder, text, read_on = three_files
    assert read_on().n_rows == 200  # nothing is warned of
    (folder / "a.csv").write_text(text)
    with pytest.warns(ColumnWarning, match=r"'a\.csv' came after later names were read: left out"):
        assert read_on().n_rows == 200
    (folder / "a.csv").unlink()
    with (folder / "b.csv").open("a") as file:
        file.write(text.split("\n", 1)[1])
    with pytest.warns(ColumnWarning, match=r"b\.csv has changed since it was read"):
        assert read_on().n_rows == 200
    (folder / "b.csv").write_text(text)
    (folder / "d.csv").write_text(text)
    with (folder / "c.csv").open("a") as file:  # the last one may grow
        file.write(text.split("\n", 1)[1])
    assert read_on().n_rows == 400


def test_a_file_that_was_replaced_under_its_name_is_refused(three_files, tmp_path):
    folder, text, read_on = three_files
    other = text.replace("k1", "k7") + text.split("\n", 1)[1]
    (folder / "c.csv").write_text(other)
    with pytest.raises(StreamError, match=r"c\.csv is another file than the one of which 100 rows were read"):
        read_on()
    one = tmp_path / "one.csv"
    given = {"folder": tmp_path / "one", "key": "who", "target": "paid", "learner": "NaiveBayes"}
    one.write_text(text)
    run(one, **given)
    one.write_text(other)
    with pytest.raises(StreamError, match="is another file"):
        run(one, **given)
    one.write_text(text + text.split("\n", 1)[1])
    assert run(one, **given).n_rows == 200


def test_standard_input_and_tables_in_memory(reference, messy, tmp_path, monkeypatch):
    folder = str(tmp_path / "run")
    script = f"from thalweg.keyed import run; print(run('-', folder={folder!r}, **{OPTIONS}).counts)"
    with open(messy, "rb") as file:
        said = subprocess.run([sys.executable, "-c", script], stdin=file, capture_output=True, check=True)
    done = KeyedRun(tmp_path / "run")
    assert str(done.counts) in said.stdout.decode()
    assert everything(done).equals(reference[0]) and states(done) == reference[1]
    cells = "price", "colour", "order_id", "paid"
    rows = [dict(zip(("customer", *cells), line.split(";"), strict=True)) for line in make_lines()[1:]]
    rows = [{name: value or None for name, value in row.items()} for row in rows]
    done = run(rows, folder=tmp_path / "rows", **OPTIONS)
    assert done.counts == reference[2].counts
    parts = (rows[i : i + 700] for i in range(0, len(rows), 700))
    done = run(parts, folder=tmp_path / "parts", operator=done.operator)
    assert done.counts == reference[2].counts


def test_outputs_go_to_files_folders_and_functions(messy, tmp_path, reference):
    for ending in (".csv", ".jsonl", ".parquet"):
        path = tmp_path / f"out{ending}"
        done = run(messy, path, folder=tmp_path / "run", **OPTIONS)
        assert thalweg.streams.from_file(path, "status").columns.n_rows > 1000 or ending == ".x"
    assert pa.parquet.read_table(tmp_path / "out.parquet").num_rows == done.n_rows
    found = []
    run(messy, found.append, folder=tmp_path / "function", **OPTIONS)
    run(messy, found.append, folder=tmp_path / "function", **OPTIONS)
    assert pa.concat_tables(found).combine_chunks().equals(reference[0])
    run(messy, str(tmp_path / "parts") + os.sep, folder=tmp_path / "again", keep_outputs=False, **OPTIONS)
    parts = sorted((tmp_path / "parts").iterdir())
    assert sum(pa.parquet.read_table(part).num_rows for part in parts) == done.n_rows
    assert not list(KeyedRun(tmp_path / "again").outputs())
    with pytest.raises(ParameterError, match="sink"):
        run(messy, tmp_path / "out.doc", folder=tmp_path / "run")
    with pytest.raises(ParameterError, match=r"sink is '.*none/out.csv', but there is no such folder"):
        run(messy, tmp_path / "none" / "out.csv", folder=tmp_path / "nothing is read")
    assert not (tmp_path / "nothing is read").exists()


def test_an_order_column_makes_delivery_in_any_order_within_a_batch_the_same(tmp_path):
    rng = np.random.default_rng(0)
    rows = [{"who": f"k{rng.integers(9)}", "t": i, "x": float(rng.normal()), "y": int(rng.integers(2))}
            for i in range(2000)]
    given = {"key": "who", "target": "y", "order": "t", "learner": "NaiveBayes"}
    done = run(rows, folder=tmp_path / "sorted", **given)
    operator = done.operator
    mixed = run([rows[i] for i in rng.permutation(2000)], folder=tmp_path / "mixed", operator=operator)
    assert states(mixed) == states(done)
    again = run(rows + rows, folder=tmp_path / "again", operator=operator)
    assert again.counts == {"learned": 2000, "dropped": 2000} and states(again) == states(done)


def test_figures_by_key_and_their_baselines(reference, tmp_path):
    outputs, _, done = reference
    figures = done.figures()
    labels, said = outputs.column("label").to_pylist(), outputs.column("prediction").to_pylist()
    keys = outputs.column("customer").to_pylist()
    scored = [i for i in range(len(keys)) if labels[i] is not None and said[i] is not None]
    assert figures.overall()["accuracy"] == np.mean([labels[i] == said[i] for i in scored])
    key = "Ann"
    own = [i for i in scored if keys[i] == key]
    row = next(row for row in figures.best(1000) if row["key"] == key)
    assert row["labels"] == len(own) and row["accuracy"] == np.mean([labels[i] == said[i] for i in own])
    for name, baseline in BASELINES.items():
        learner = baseline.learner().begin(1, ["no", "yes"])
        p = learner.test_then_train(np.zeros((len(own), 1)), [labels[i] for i in own])
        assert row[name] == np.mean(np.array(["no", "yes"])[p.argmax(axis=1)] == [labels[i] for i in own])
    assert figures.table().num_rows == done.n_keys == len(set(keys))
    assert None in {row["key"] for row in figures.worst(1000)} and not figures.is_id


def test_new_and_silent_keys_and_keys_that_are_ids(tmp_path):
    rows = [{"who": "early" if i % 2 else "always", "x": i % 7, "y": i % 2} for i in range(1000)]
    rows += [{"who": "always", "x": i % 7, "y": i % 2} for i in range(1000)]
    rows += [{"who": "late" if i % 2 else "always", "x": i % 7, "y": i % 2} for i in range(100)]
    figures = run(rows, folder=tmp_path / "run", key="who", target="y", learner="NaiveBayes").figures()
    assert [row["key"] for row in figures.new()[1]] == ["late"]
    assert [row["key"] for row in figures.silent()[1]] == ["early"]
    rows = [{"who": i, "x": i % 7, "y": i % 2} for i in range(1200)]
    assert run(rows, folder=tmp_path / "ids", key="who", target="y", learner="NaiveBayes").figures().is_id


def test_the_model_of_a_key_can_be_looked_at(reference):
    learner = reference[2]["Ann"]
    assert type(learner).__name__ == "LogisticMixture" and learner.coef_.shape[0] == 1
    with pytest.raises(KeyError):
        reference[2]["nobody"]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_lets_the_batch_last_and_the_run_goes_on(reference, messy, tmp_path):
    script = (
        "import sys; from thalweg.keyed import run; import thalweg.streams.files.text_files as t\n"
        "t.PIECE = 1 << 12\nimport time\n"
        "def slow(n, share): print(n, flush=True); time.sleep(0.05)\n"
        f"run({str(messy)!r}, folder={str(tmp_path / 'run')!r}, progress=slow, **{OPTIONS})"
    )
    command = [sys.executable, "-c", script]
    # The child hears Ctrl-C even where these tests run in the background, which turns it off.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    process.stdout.readline(), process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate()
    before = KeyedRun(tmp_path / "run")
    assert 0 < sum(before.counts.values()) == before.n_rows < reference[2].n_rows
    done = run(messy, folder=tmp_path / "run", **OPTIONS)
    assert everything(done).equals(reference[0]) and states(done) == reference[1]


def test_a_folder_has_one_owner(messy, tmp_path, monkeypatch):
    monkeypatch.setattr("thalweg.keyed.journal.WAIT", 0.1)
    said = []

    def nested(outputs):
        with pytest.raises(StateError, match="in use by another process"):
            run(messy, folder=tmp_path / "run", **OPTIONS)
        said.append(outputs.num_rows)

    run(messy, nested, folder=tmp_path / "run", **OPTIONS)
    assert said


def test_a_file_that_grows_is_followed(messy, tmp_path):
    lines = messy.read_text().splitlines()
    messy.write_text("\n".join(lines[:2000]) + "\n")
    seen = []

    def grow(n, share):
        seen.append(n)
        if len(seen) == 1:
            with messy.open("a") as file:
                file.write("\n".join(lines[2000:]) + "\n")

    done = run(messy, folder=tmp_path / "run", progress=grow, follow=0.0, **OPTIONS)
    assert done.n_rows == len(lines) - 1


def grown(path, tmp_path, parts, source=None, **given):
    """Return a run that follows a file to which these parts are written one by one."""
    path.write_bytes(parts[0])
    rest = list(parts[1:])

    class Growing(FolderSource if path.parent == source else FileSource):
        def read(self, position, until=None):
            table, after = super().read(position, until)
            if table is None and rest:
                with path.open("ab") as file:
                    file.write(rest.pop(0))
                return super().read(position, until)
            return table, after

    opened = Growing(source or path)
    return run(opened, folder=tmp_path / f"run {len(parts)}", follow=0.0, **given)


@pytest.mark.parametrize("where", ["file", "folder"])
@pytest.mark.filterwarnings("error:left out")
def test_a_line_is_read_when_its_end_is_there(tmp_path, where):
    lines = [f"k{i % 3};{i + 0.25};\"a\nb ü\";{'yes' if i % 7 > 3 else 'no'}" for i in range(200)]
    lines = ["who;price;note;paid", *lines]
    data = ("\n".join(lines) + "\n").encode()
    given = {"key": "who", "target": "paid", "learner": "NaiveBayes", "columns": {"note": "ignore"}}
    source = None
    if where == "folder":
        source = tmp_path / "in"
        source.mkdir()
    path = (source or tmp_path) / "rows.csv"
    whole = grown(path, tmp_path, [data], source, **given)
    cuts = [0, *range(2000, len(data), 61), len(data)]
    parts = [data[a:b] for a, b in itertools.pairwise(cuts)]
    done = grown(path, tmp_path, parts, source, **given)
    assert done.n_rows == 200 and everything(done).equals(everything(whole))


def test_a_last_line_without_an_end_is_left_for_later(tmp_path):
    lines = ["who;price;paid", *(f"k{i % 3};{i % 9};{'yes' if i % 7 > 3 else 'no'}" for i in range(60))]
    given = {"key": "who", "target": "paid", "learner": "NaiveBayes"}
    source = tmp_path / "in"
    source.mkdir()
    text = "\n".join(lines)
    (source / "a.csv").write_text(text)
    with pytest.warns(UserWarning, match="its last row has no end yet"):
        assert run(source, folder=tmp_path / "run", follow=0.0, **given).n_rows == 59
    (source / "b.csv").write_text(text + "\n")  # the first one is complete now
    assert run(source, folder=tmp_path / "run", follow=0.0, **given).n_rows == 120
    (tmp_path / "one.csv").write_text(text)
    with pytest.warns(UserWarning, match="its last row has no end yet"):
        assert run(tmp_path / "one.csv", folder=tmp_path / "one", follow=0.0, **given).n_rows == 59
    assert run(tmp_path / "one.csv", folder=tmp_path / "one", **given).n_rows == 60


def test_a_key_that_differs_in_every_row_is_warned_of(tmp_path):
    rows = [{"who": i, "x": i % 7, "y": i % 2} for i in range(10_500)]
    with pytest.warns(ColumnWarning, match="a key of its own"):
        run(rows, folder=tmp_path / "run", key="who", target="y", learner="NaiveBayes", n_buckets=2)


@pytest.mark.parametrize("given", [
    {"classes": ["no", "yes", "maybe"]}, {"columns": {"price": "category"}}, {"start": "copy"},
    {"n_buckets": 3}, {"decimal": ","}, {"missing": ["red"]}, {"shared": "other"},
])
def test_what_cannot_change_in_a_folder_is_refused(tmp_path, given):
    rng = np.random.default_rng(0)
    rows = [{"who": f"k{i % 5}", "price": float(x), "y": "yes" if x > 0 else "no"}
            for i, x in enumerate(rng.normal(size=300))]
    usual = {"key": "who", "target": "y", "learner": "NaiveBayes"}
    done = run(rows, folder=tmp_path / "plain", **usual)
    shared = thalweg.Model("y", "NaiveBayes", columns={"who": "ignore"}).learn(rows)
    other = {"shared": shared} if "shared" in given else given
    name = next(iter(given))
    with pytest.raises(ParameterError, match=f"{name} .*begun with|{name} is not the one"):
        run(rows, folder=tmp_path / "plain", **usual, **other)
    assert run(rows, folder=tmp_path / "plain", **usual, start="cold", n_buckets=8).n_rows == 300
    assert run(rows, folder=tmp_path / "plain", operator=done.operator).n_rows == 300
    first = {"start": "copy", "shared": shared} if {"shared", "start"} & {*given} else other
    run(rows, folder=tmp_path / "other", **usual, **first)
    assert run(rows, folder=tmp_path / "other", **usual, **first).n_rows == 300  # the same call goes on
    assert run(rows, folder=tmp_path / "other", **usual).n_rows == 300


def test_another_operator_or_other_columns_are_refused(messy, tmp_path, reference):
    run(messy, folder=tmp_path / "run", **OPTIONS)
    with pytest.raises(ParameterError, match="target is 'colour', but"):
        run(messy, folder=tmp_path / "run", **(OPTIONS | {"target": "colour"}))
    with pytest.raises(ParameterError, match=r"learner is LogisticMixture\(decays=\[0.9\].*was begun with"):
        run(messy, folder=tmp_path / "run", **(OPTIONS | {"learner": "LogisticMixture(decays=[0.9])"}))
    assert run(messy, folder=tmp_path / "run", **OPTIONS).n_rows > 3000  # the same is not
    rows = [{"customer": "a", "x": i % 7, "paid": i % 2} for i in range(100)]
    other = Operator(Bank(thalweg.Model("paid", "NaiveBayes"), key="customer"), order="_row").begin(rows)
    with pytest.raises(ParameterError, match="operator is not the one"):
        run(rows, folder=tmp_path / "run", operator=other)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_only_the_owner_may_read_a_new_folder(tmp_path):
    found, folder = {}, tmp_path / "new.keyed"

    def look(table):
        found.update((path.name, stat.S_IMODE(path.stat().st_mode)) for path in [folder, *folder.iterdir()])

    rows = [{"customer": "ab"[i % 2], "price": i % 7, "paid": i % 7 > 3} for i in range(60)]
    old = os.umask(0o022)
    try:
        run(rows, look, folder=folder, key="customer", target="paid", learner="NaiveBayes", n_buckets=1)
    finally:
        os.umask(old)
    assert found.pop("new.keyed") == 0o700
    assert {"run.sqlite", "run.sqlite-wal", "bucket-000.sqlite"} <= found.keys()
    assert set(found.values()) == {0o600}


@pytest.mark.parametrize("name", ["label", "status", "prediction"])
def test_a_key_may_have_the_name_of_a_column_of_outputs(tmp_path, name):
    def figures(key):
        rows = [{key: f"{i % 3}", "price": i % 7, "paid": i % 7 > 3} for i in range(120)]
        done = run(rows, folder=tmp_path / key, key=key, target="paid", learner="NaiveBayes", n_buckets=1)
        return done.figures().table().to_pydict()

    assert figures(name) == figures("customer")


DAMAGE = [
    ("bucket-000.sqlite", "UPDATE states SET state = 5"),
    ("bucket-000.sqlite", "UPDATE states SET state = x'00'"),
    ("bucket-000.sqlite", "UPDATE states SET last = 1e999"),
    ("bucket-000.sqlite", "UPDATE states SET late = x'ff00'"),
    ("bucket-000.sqlite", "UPDATE done SET counts = '[1]'"),
    ("bucket-000.sqlite", "UPDATE done SET batch = x'ff'"),
    ("run.sqlite", "UPDATE about SET value = 1099511627776 WHERE name = 'operator'"),
    ("run.sqlite", "UPDATE about SET value = 'many' WHERE name = 'buckets'"),
    ("run.sqlite", "UPDATE batches SET stop = '{'"),
]


@pytest.mark.parametrize(("name", "statement"), DAMAGE)
@pytest.mark.parametrize("learner", ["NaiveBayes", "HoeffdingTree"])
def test_a_damaged_folder_is_a_state_error_that_names_the_file(tmp_path, learner, name, statement):
    rows = [{"id": i, "shop": "ab"[i % 2], "price": i % 7, "sold": "ny"[i % 7 > 3] if i % 5 else None}
            for i in range(100)]  # fmt: skip
    options = {"key": "shop", "target": "sold", "id": "id", "learner": learner, "n_buckets": 1}
    run(rows, folder=tmp_path, **options)
    with closing(sqlite3.connect(tmp_path / name)) as file:
        file.execute(statement)
        file.commit()
    with pytest.raises(StateError, match=f"{name} is damaged|{name}: "):
        run(rows, folder=tmp_path, **options)


def far_texts(data):
    """Return the bytes of a table whose first text of 251 letters ends far beyond all others."""
    before, after = (np.array([0, n], dtype="<i4").tobytes() for n in (251, 2**30))
    head, found, tail = data.rpartition(before)  # the description of the table is before its numbers
    assert found
    return head + after + tail


def test_texts_of_a_stored_table_end_within_it():
    data = to_ipc(pa.table({"id": ["x" * 251]}), None)
    assert from_ipc(data).column("id").to_pylist() == ["x" * 251]
    for damaged in (far_texts(data), data[:-40], b"", b"no table"):
        with pytest.raises(StateError, match="a table in the folder of a run is damaged"):
            from_ipc(damaged)


DAMAGED = {
    "texts that end nowhere": lambda late, last: (far_texts(late), last),
    "no table": lambda late, last: (b"nothing", last),
    "no rows": lambda late, last: (to_ipc(from_ipc(late).drop_columns(["row"]), None), last),
    "short rows": lambda late, last: (
        to_ipc(from_ipc(late).set_column(2, "row", pa.array([b"x" * 8], pa.binary())), None), last,
    ),
    "an order that is text": lambda late, last: (late, "text"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_of_a_bucket_is_refused(tmp_path, damage):
    import sqlite3

    rows = [{"customer": "ab"[i % 2], "price": i % 7, "paid": i % 7 > 3, "order": str(i)} for i in range(60)]
    rows.append({"customer": "a", "price": 3, "paid": None, "order": "x" * 251})
    settings = {"folder": tmp_path / "a.keyed", "key": "customer", "target": "paid", "id": "order",
                "learner": "NaiveBayes", "n_buckets": 1}  # fmt: skip
    done = run(rows, **settings)
    (name,) = done._paths
    with sqlite3.connect(done.folder / name) as file:
        found = file.execute("SELECT late, last, number FROM states WHERE late NOT NULL").fetchone()
        file.execute("UPDATE states SET late = ?, last = ? WHERE number = ?", (*damage(*found[:2]), found[2]))
    file.close()
    with pytest.raises(StateError, match="damaged"):
        done["a"]


@pytest.mark.parametrize("start", ["copy", "mix"])
def test_a_shared_start_needs_a_model_of_other_rows(start, tmp_path):
    rows = [{"k": "ab"[i % 2], "x": i % 7, "y": i % 7 > 3} for i in range(100)]
    with pytest.raises(ParameterError, match=f"shared must be given for start '{start}'"):
        run(rows, folder=tmp_path / "r", key="k", target="y", learner="NaiveBayes", start=start)
    shared = thalweg.Model("y", "NaiveBayes", columns={"k": "ignore"}).learn(rows)
    given = {"key": "k", "target": "y", "learner": "NaiveBayes"}
    done = run(rows, folder=tmp_path / "r", start=start, shared=shared, **given)
    assert done.counts == {"learned": 100}
    other = "mix" if start == "copy" else "copy"
    with pytest.raises(ParameterError, match=f"start is '{other}', but .* was begun with '{start}'"):
        run(rows, folder=tmp_path / "r", start=other, shared=shared, **given)


@pytest.mark.parametrize("start", ["copy", "mix"])
@pytest.mark.parametrize("order", ["uv", "vu"])
def test_a_bank_reads_categories_as_the_shared_model_does(start, order, tmp_path):
    label = {"u": "yes", "v": "no"}
    earlier = [{"k": "z", "c": c, "y": label[c]} for c in "uv" * 50] + [{"k": "z", "c": "u", "y": "no"}]
    later = [{"k": "a", "c": c, "y": label[c]} for c in order * 30] + [{"k": "a", "c": "u", "y": "no"}]
    shared = thalweg.Model("y", "NaiveBayes", columns={"k": "ignore"}).learn(earlier)
    bank = Bank(thalweg.Model("y", "NaiveBayes"), key="k", start=start, shared=shared)
    made = bank.prequential(later)
    expected = [label[row["c"]] for row in later]
    assert made.classes[made.probabilities.argmax(axis=1)].tolist() == expected
    given = {"key": "k", "target": "y", "learner": "NaiveBayes", "start": start}
    done = run(later, folder=tmp_path / "r", shared=shared, **given)
    outputs = [line["p_no"] for table in done.outputs() for line in table.to_pylist()]
    assert outputs == made.probabilities[:, made.classes.tolist().index("no")].tolist()
    assert pickle.loads(pickle.dumps(bank)).predict(later).tolist() == expected


def test_ctrl_c_in_a_run_of_objects_is_heard_after_its_batch(tmp_path, monkeypatch):
    rows = [{"k": "ab"[i % 2], "x": i % 7, "y": i % 7 > 3} for i in range(200)]
    learn, calls = LearnerStore.learn, itertools.count()

    def once(*arguments):
        if next(calls) == 0:
            signal.raise_signal(signal.SIGINT)
        return learn(*arguments)

    monkeypatch.setattr(LearnerStore, "learn", once)
    given = {"folder": tmp_path / "r", "key": "k", "target": "y", "learner": "HoeffdingTree", "n_jobs": 1}
    with pytest.raises(KeyboardInterrupt):
        run(rows, **given)
    assert KeyedRun(tmp_path / "r").counts == {"learned": 200}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_while_a_file_is_made_leaves_it_free(tmp_path):
    # As by a signal: the traceback, and with it all that the call had, is still there.
    with pytest.raises(StateError) as error:
        connect(tmp_path / "journal.sqlite", "CREATE TABLE a (b INTEGER); no SQL")
    connect(tmp_path / "journal.sqlite", "CREATE TABLE c (d INTEGER)", wait=0.1).close()
    assert error.value.__traceback__ is not None
