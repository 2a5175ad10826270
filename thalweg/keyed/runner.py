"""The local runner: events from a source to buckets of keys in several processes, and outputs to a sink."""

import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from thalweg._atomic_file import make_private_folder
from thalweg._parameters import one_of, whole_number
from thalweg.errors import ColumnWarning, ParameterError
from thalweg.keyed.bank import Bank
from thalweg.keyed.ctrl_c import CtrlC
from thalweg.keyed.journal import MOST_BUCKETS, Border, Journal
from thalweg.keyed.key_texts import bucket_of_hash, key_hashes, key_texts
from thalweg.keyed.keyed_rows import ROWS_TO_JUDGE
from thalweg.keyed.new_labels import ADD, REFUSE
from thalweg.keyed.operator import ROW, Operator
from thalweg.keyed.run_folder import KeyedRun, merged
from thalweg.keyed.sinks import FileSink, as_sink
from thalweg.keyed.sources import FileSource, FolderSource, Wanted, as_source
from thalweg.keyed.workers import LocalWorker, WorkerProcess
from thalweg.model.model import Model
from thalweg.streams.files.text_files import growing_files

PAUSE = 0.5  # seconds between two looks for new events


def run(
    source: Any,
    sink: Any = None,
    *,
    folder: str | PathLike[str],
    operator: Operator | None = None,
    key: str | Iterable[str] | None = None,
    target: str | None = None,
    learner: Any = "LogisticMixture",
    order: str | None = None,
    id: str | None = None,
    weight: str | None = None,
    start: str | None = None,
    shared: Any = None,
    new_labels: str | None = None,
    n_jobs: int = 1,
    n_buckets: int | None = None,
    commit_rows: int = 500_000,
    keep_outputs: bool = True,
    follow: float | None = None,
    progress: Callable[[int, Any], object] | None = None,
    **options: Any,
) -> KeyedRun:
    """Predict and learn the events of a source, each by the model of its key; return what came out.

    States, outputs and the place in the source are kept in a folder, so that a run that was stopped, also by
    `kill -9`, continues where it stopped: the results are the same, nothing is lost and nothing done twice.
    A run that is complete continues when there are new events.

    Parameters
    ----------
    source : path, folder, "-", table, iterable of tables, or source
        Where events come from; see `thalweg.keyed.sources`.
    sink : path, folder, function or None, default=None
        Where outputs go: a file (.csv, .jsonl, .parquet) written at the end, a folder with a file for each
        batch, or a function that gets tables of Arrow; see `thalweg.keyed.sinks`.
    folder : path
        The folder of the run.
    operator : Operator or None, default=None
        What is done with events. If None, one is made from the parameters that follow and the first rows.
    key : str or sequence of str
        The column of the key, or the columns.
    target : str or None, default=None
        The column of labels.
    learner : learner, str or Model, default="LogisticMixture"
        What each key has.
    order : str or None, default=None
        The column of the order among the events of a key; None for the order of the source.
    id, weight : str or None, default=None
        The columns of ids for late labels, and of weights; see `Operator`.
    start : {"cold", "copy", "mix"} or None, default=None
        How new keys begin, "cold" if None; "copy" and "mix" need `shared`.
    shared : Model or None, default=None
        What new keys begin from: a model that has learned other rows, so that every figure is of rows that
        were not learned before.
    new_labels : {"add", "refuse"} or None, default=None
        What becomes of a label that is new after the first 10,000 rows of the first source: if it comes in
        that source it is a class, with a warning ("add", also if None), or its events are refused. A label
        that comes later is refused.
    n_jobs : int, default=1
        Processes that work; -1 for one for each core.
    n_buckets : int or None, default=None
        Buckets of keys, which processes share out: 8 if None.
    commit_rows : int, default=500000
        Events after which states are written. Fewer are done again after a crash, more cost less.
    keep_outputs : bool, default=True
        Whether outputs stay in the folder. If not, `figures` and `outputs` have none.
    follow : float or None, default=None
        Wait for new events until none has come for so many seconds; None to end at the end of the source.
        While waiting, a line of a file is read when its end is there.
    progress : function or None, default=None
        Called with the number of events done, and the share of the source that is read or None.
    **options
        How files are read, and parameters of `Model` such as `classes` and `columns`.

    Raises
    ------
    ParameterError
        If what a run is made of is another in the folder: the operator, what it is made from, or `n_buckets`.

    Examples
    --------
    >>> import tempfile
    >>> from thalweg.keyed import run
    >>> rows = [{"shop": "ab"[i % 2], "price": i % 7, "sold": i % 7 > 3} for i in range(400)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = run(rows, folder=folder, key="shop", target="sold", learner="NaiveBayes")
    ...     done.n_rows, done.counts
    (400, {'learned': 400})
    """
    opened, target_sink = _with_options(source, options), as_sink(sink)
    if isinstance(opened, FileSource | FolderSource):
        opened.is_growing = follow is not None
    path = Path(folder)
    make_private_folder(path)
    with closing(Journal(path)) as journal:
        if journal.about("operator") is None:
            if operator is None:
                bank = _bank(key, target, learner, start or "cold", shared, new_labels or ADD, options)
                operator = Operator(
                    bank, order=order or ROW, id=id, weight=weight, keep=() if order is None else (ROW,)
                )
                _begin(operator, opened, options)
            n_buckets = 8 if n_buckets is None else n_buckets
            journal.begin(operator.to_bytes(), whole_number("run", "n_buckets", n_buckets, 1, MOST_BUCKETS))
        else:
            model = _model(target, learner, options)
            _check_same(journal, folder, operator, model, shared, key=key, target=model.target, order=order,
                        id=id, weight=weight, start=start, n_buckets=n_buckets, new_labels=new_labels)
        jobs = _n_processes(n_jobs)
        with CtrlC() as ctrl_c, closing(Runner(
            path, journal, opened, target_sink, jobs, commit_rows, keep_outputs, progress, ctrl_c
        )) as runner:  # fmt: skip
            runner.run(follow)
    done = KeyedRun(path)
    if isinstance(target_sink, FileSink):
        done.export(target_sink.path, csv_safe=target_sink.csv_safe)
    return done


READING = ("header", "delimiter", "encoding")


def _with_options(source: Any, options: dict[str, Any]) -> Any:
    return as_source(source, **{name: options[name] for name in READING if name in options})


def _n_processes(n_jobs: int) -> int:
    if n_jobs < 0:
        return max((os.cpu_count() or 1) + 1 + n_jobs, 1)
    return whole_number("run", "n_jobs", n_jobs, 1)


def _bank(
    key: Any, target: Any, learner: Any, start: str, shared: Any, new_labels: str, options: dict[str, Any]
) -> Bank:
    if key is None:
        raise ParameterError.of("run", "key", problem="must be given: the column of the key, or several")
    if start != "cold" and shared is None:
        problem = f"must be given for start {start!r}: a model that has learned earlier rows"
        raise ParameterError.of("run", "shared", problem=problem)
    model = _model(target, learner, options)
    return Bank(model, key=key if isinstance(key, str) else list(key), start=start, shared=shared,
                new_labels=one_of("run", "new_labels", new_labels, (ADD, REFUSE)))  # fmt: skip


def _model(target: Any, learner: Any, options: dict[str, Any]) -> Model:
    given = {name: value for name, value in options.items() if name not in READING}
    return learner if isinstance(learner, Model) else Model(target, learner, **given)


def _check_same(
    journal: Journal, folder: Any, given: Operator | None, model: Model, shared: Any, **names: Any
) -> None:
    """Raise ParameterError if a run was begun with another operator, or other parameters, than are given now.

    None, and the default of a parameter of `Model`, stand for what the folder has.
    """
    content, n_buckets = journal.made_of()
    known = Operator.from_bytes(content)
    there = {"key": known.key_columns, "target": known.columns_.target, "id": known.id,
             "weight": known.weight, "order": None if known.order == ROW else known.order,
             "start": known.bank.start, "n_buckets": n_buckets, "new_labels": known.bank.new_labels}
    if given is not None:
        if given.digest_ != known.digest_:
            raise ParameterError.of("run", "operator", problem=f"is not the one that began {folder}")
        names = {"n_buckets": names["n_buckets"]}
    if names.get("key") is not None:
        names["key"] = (names["key"],) if isinstance(names["key"], str) else tuple(names["key"])
    begun_with = known.bank.learner
    if given is None and isinstance(begun_with, Model):
        usual, begun = Model().get_params(deep=False), begun_with.get_params(deep=False)
        for name, value in model.get_params(deep=False).items():
            if name not in ("target", "learner") and _listed(value) != _listed(usual[name]):
                names[name], there[name] = _listed(value), _listed(begun[name])
    for name, value in names.items():
        if value is not None and value != there[name]:
            problem = f"is {value!r}, but {folder} was begun with {there[name]!r}: use another folder"
            raise ParameterError.of("run", name, problem=problem)
    if given is None and shared is not None and not known._is_shared(shared):
        problem = f"is not the one that began {folder}: use another folder"
        raise ParameterError.of("run", "shared", problem=problem)
    if given is None and isinstance(begun_with, Model) and names["key"] is not None:
        made, known_as = repr(model._begun_learner()), repr(begun_with._begun_learner())
        if made != known_as:
            problem = f"is {made}, but {folder} was begun with {known_as}: use another folder"
            raise ParameterError.of("run", "learner", problem=problem)


def _listed(value: Any) -> Any:
    """Return a parameter in one form: sequences as lists."""
    if isinstance(value, Mapping):
        return {key: _listed(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    is_many = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    return [_listed(each) for each in value] if is_many else value


def _begin(operator: Operator, opened: Any, options: dict[str, Any]) -> Operator:
    """Let an operator find the columns of the first rows of a source."""
    reading = {name: options[name] for name in READING if name in options}
    if isinstance(opened, FileSource) and not opened.replays:
        return operator.begin(opened.head())
    if isinstance(opened, FileSource):
        with growing_files(opened.is_growing):
            return operator.begin(opened.path, **reading)
    if isinstance(opened, FolderSource):
        names = opened.files()
        if not names:
            problem = f"{str(opened.path)!r} has no file yet to find the columns from; put one there first"
            raise ParameterError.of("run", "source", problem=problem)
        with growing_files(opened.is_growing and len(names) == 1):
            return operator.begin(str(opened.path / names[0]), **reading)
    if hasattr(opened, "head"):
        return operator.begin(opened.head())
    raise ParameterError.of("run", "operator", problem="must be given for a source without first rows")


class Runner:
    """Reads batches, shares them out over workers, and lets them last."""

    def __init__(
        self, folder: Path, journal: Journal, source: Any, sink: Any, jobs: int, commit_rows: int,
        keep_outputs: bool, progress: Callable[[int, Any], object] | None, ctrl_c: CtrlC,
    ) -> None:
        self._journal, self._source, self._sink, self._keep = journal, source, sink, keep_outputs
        self._commit_rows = whole_number("run", "commit_rows", commit_rows, 1)
        self._progress = progress
        data, self._n_buckets = journal.made_of()
        self.operator = Operator.from_bytes(data)
        jobs = min(jobs, self._n_buckets)
        shares = [list(range(i, self._n_buckets, jobs)) for i in range(jobs)]
        make: Any = LocalWorker if jobs == 1 else WorkerProcess
        self._workers: list[Any] = []
        try:
            for share in shares:
                self._workers.append(make(folder, data, share))
            self._worker_of = {bucket: self._workers[i] for i, share in enumerate(shares) for bucket in share}
            self._ready = {bucket: batch for each in self._workers for bucket, batch in each.ready().items()}
        except BaseException:
            self.close()
            raise
        if hasattr(source, "want"):
            source.want(self._wanted())
        self._since, self._ctrl_c = 0, ctrl_c
        self._first: Any = np.empty(0, dtype=np.uint64)
        self._delivered = journal.delivered()

    def _wanted(self) -> Wanted:
        columns, roles = self.operator.columns_, self.operator.columns_.roles
        own = [*roles.key, roles.order, *(each for each in (roles.id, roles.weight) if each), *roles.keep]
        names = [*columns.inputs, *(() if columns.target is None else (columns.target,))]
        kept = [name for name in dict.fromkeys(own) if name != ROW and name not in names]
        return Wanted(names, columns.numeric, kept, columns.coding.schema())

    def close(self) -> None:
        """Close the workers; what was not committed is forgotten."""
        for worker in self._workers:
            worker.close()

    def run(self, follow: float | None) -> None:
        """Do all batches that buckets lack, then those that come."""
        last, name = self._journal.last(), getattr(self._source, "name", type(self._source).__name__)
        batch, row = (-1, 0) if last is None else (last.batch, last.first_row + last.n_rows)
        position = self._journal.position(name)
        if hasattr(self._source, "remember"):
            self._source.remember(self._journal.files(name))
        for border, events in self._journal.after(min(self._ready.values())):
            self._again(border, events)
        self._commit(batch)
        quiet = time.monotonic()
        while not self._ctrl_c.has_come:
            table, after = self._source.read(position)
            if table is None or table.num_rows == 0:
                if table is None and (follow is None or time.monotonic() - quiet > follow):
                    break
                self._commit(batch)
                time.sleep(PAUSE if table is None else 0)
                position = after
                continue
            batch += 1
            border = Border(batch, position, after, row, table.num_rows, name)
            files = self._source.seen() if hasattr(self._source, "seen") else None
            self._journal.add(border, None if self._source.replays else table, files)
            self._dispatch(batch, table, row)
            position, row, quiet = after, row + table.num_rows, time.monotonic()
            if self._since >= self._commit_rows:
                self._commit(batch)
            if self._progress is not None:
                self._progress(row, getattr(self._source, "share_read", None))
        self._commit(batch)
        for message in getattr(self._source, "messages", ()):
            warnings.warn(f"left out: {message}", stacklevel=3)
        if getattr(self._source, "has_rest", False):
            warnings.warn(f"{name}: its last row has no end yet: it is read when it has one", stacklevel=3)
        if self._ctrl_c.has_come:
            raise KeyboardInterrupt

    def _again(self, border: Border, events: Any) -> None:
        """Do a batch again for the buckets that lack it."""
        if events is not None:
            self._dispatch(border.batch, events, border.first_row)
            return
        position, row, source = border.start, border.first_row, self._source
        if border.source != getattr(source, "name", type(source).__name__):
            source = self._other(border.source)
        while position != border.stop:
            table, position = source.read(position, border.stop)
            if table is None:
                raise ParameterError.of("run", "source", problem="ends before events that were read from it")
            self._dispatch(border.batch, table, row)
            row += table.num_rows

    def _other(self, name: str) -> Any:
        """Return a source of an earlier run in this folder, whose last events must be done again."""
        if not Path(name).exists():
            problem = f"must first be {name}: its last events must be read again"
            raise ParameterError.of("run", "source", problem=problem)
        source = as_source(name)
        source.want(self._wanted())
        return source

    def _dispatch(self, batch: int, table: Any, row: int) -> None:
        """Share out the events of a batch over the buckets of their keys."""
        roles = self.operator.columns_.roles
        for name in dict.fromkeys([*roles.key, roles.order, *roles.keep]):
            place = table.schema.get_field_index(name)
            if place >= 0 and pa.types.is_dictionary(table.schema.field(place).type):
                plain = table.column(place).combine_chunks().dictionary_decode()
                table = table.set_column(place, name, plain)
        if ROW in (roles.order, *roles.keep):
            table = table.append_column(ROW, pa.array(np.arange(row, row + table.num_rows)))
        hashes = key_hashes(key_texts([table.column(name) for name in roles.key]))
        buckets = bucket_of_hash(hashes, self._n_buckets)
        self._look_at_keys(hashes)
        order = np.argsort(buckets, kind="stable")
        borders = np.searchsorted(buckets[order], np.arange(self._n_buckets + 1))
        table = table.take(order)
        for bucket in np.flatnonzero(np.diff(borders)).tolist():
            events = table.slice(borders[bucket], borders[bucket + 1] - borders[bucket])
            self._worker_of[bucket].process(bucket, batch, events)
        self._since += table.num_rows

    def _look_at_keys(self, hashes: Any) -> None:
        """Warn, once, if each of the first events has a key of its own."""
        if self._first is None:
            return
        self._first = np.concatenate([self._first, hashes])
        n = len(self._first)
        if n < ROWS_TO_JUDGE:
            return
        if len(np.unique(self._first)) > 0.999 * n:
            warnings.warn(
                f"run: nearly each of the first {n:,} events has a key of its own. A model for each row "
                "learns nothing: is the key an id of rows? Choose a column whose values come again",
                ColumnWarning, stacklevel=5,
            )
        self._first = None

    def _commit(self, batch: int) -> None:
        """Let all that was done last, and hand over what came out."""
        if self._since:
            for worker in self._workers:
                worker.commit(batch)
            for worker in self._workers:
                worker.wait()
            self._journal.all_have(batch)
            self._since = 0
        if self._sink is not None and not isinstance(self._sink, FileSink):
            for each in range(self._delivered + 1, batch + 1):
                self._sink.write(self._outputs(each), each)
                self._journal.note(delivered=each)
        if not self._keep and batch > self._delivered:
            for worker in self._workers:
                worker.forget_outputs(batch)
        self._delivered = batch

    def _outputs(self, batch: int) -> Any:
        return merged([table for bucket, worker in self._worker_of.items()
                       for table in worker.outputs(bucket, batch)])
