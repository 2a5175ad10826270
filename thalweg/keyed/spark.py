"""A model for every key on Spark 4: the operator over buckets of keys, on streams and on history.

Needs `pip install thalweg[spark]` and Java 17. Spark is imported on first use.
"""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from thalweg._parameters import whole_number
from thalweg.errors import StateError, StreamError
from thalweg.keyed.operator import Operator

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["over_history", "over_stream", "session"]

BUCKET = "thalweg_bucket"
STATE = "n_buckets INT, state BINARY"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def session(
    name: str = "thalweg", *, master: str = "local[2]", n_partitions: int = 2, **settings: Any
) -> "SparkSession":
    """Return a session of Spark with the settings that this module needs.

    Workers run the Python that calls this, unless `PYSPARK_PYTHON` is set. State is in RocksDB, times are in
    UTC, and a shuffle has `n_partitions` partitions. A session that there is already is returned as it is.

    Parameters
    ----------
    name : str, default="thalweg"
        What Spark shows.
    master : str, default="local[2]"
        Where to run: "local[2]" is this machine with two threads.
    n_partitions : int, default=2
        Partitions of a shuffle. The checkpoint of a stream fixes it when it is made.
    **settings
        More settings, with an underscore for each dot: `spark_driver_memory="1g"`.
    """
    _pyspark()
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Spark would take whichever python3 it finds
    ours = {
        "spark.sql.shuffle.partitions": n_partitions, "spark.sql.session.timeZone": "UTC", PROVIDER: ROCKSDB,
        "spark.ui.enabled": False, "spark.ui.showConsoleProgress": False,
    }  # fmt: skip
    if master.startswith("local"):
        ours |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    given = {key.replace("_", "."): value for key, value in settings.items()}
    builder = SparkSession.builder.appName(name).master(master)
    for key, value in (ours | given).items():
        builder = builder.config(key, value)
    with _quiet():
        return builder.getOrCreate()


def over_stream(operator: Operator, events: "DataFrame", *, n_buckets: int = 8) -> "DataFrame":
    """Return the outputs of a stream of events, as a stream.

    Keys are shared out over buckets, and each bucket has one state: `transformWithStateInPandas`. Outputs,
    states and the position in the source are as exactly-once as the checkpoint and the sink of the query:
    after a crash nothing is lost and nothing counts twice.

    Parameters
    ----------
    operator : Operator
        Has begun. Its `order` column gives the order: Spark delivers the rows of a batch in none.
    events : DataFrame
        A stream with the columns of the operator.
    n_buckets : int, default=8
        How many buckets: at least as many as Spark has cores, at most some thousands of keys each. A query
        that has a checkpoint must keep its number.
    """
    grouped, schema, process = _prepared(operator, events, n_buckets)
    if events.sparkSession.conf.get(PROVIDER) != ROCKSDB:
        raise StreamError(f"over_stream: transformWithState needs RocksDB: set {PROVIDER} to {ROCKSDB}")
    with _quiet():
        return grouped.transformWithStateInPandas(
            statefulProcessor=_processor(process, n_buckets), outputStructType=schema, outputMode="Append",
            timeMode="None",
        )  # fmt: skip


def over_history(operator: Operator, events: "DataFrame", *, n_buckets: int = 8) -> "DataFrame":
    """Return the outputs of events that are all there: each key predicted and learned from its first event.

    Parameters
    ----------
    operator : Operator
        Has begun.
    events : DataFrame
        The events, in any order. Those of a bucket must fit into the memory of a worker.
    n_buckets : int, default=8
        How many buckets.
    """
    grouped, schema, process = _prepared(operator, events, n_buckets)

    def outputs(frame: Any) -> Any:
        return process(frame, None)[0]

    with _quiet():
        return grouped.applyInPandas(outputs, schema)


class _Process:
    """What a worker does with the events of a bucket; it is sent to the workers."""

    def __init__(self, operator: bytes, schema: Any) -> None:
        self._operator, self._schema = operator, schema

    def __call__(self, frame: Any, state: bytes | None) -> tuple[Any, bytes]:
        table = pa.Table.from_pandas(frame[self._schema.names], schema=self._schema, preserve_index=False)
        outputs, state = _made(self._operator)(table, state)
        return outputs.to_pandas(integer_object_nulls=True), state  # floats would round large numbers


@lru_cache(maxsize=4)
def _made(operator: bytes) -> Operator:
    """Return the operator; a worker makes it once."""
    return Operator.from_bytes(operator)


def _prepared(operator: Operator, events: "DataFrame", n_buckets: int) -> tuple[Any, Any, _Process]:
    """Return events grouped by bucket, the schema of outputs, and what a worker does."""
    _pyspark()
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    whole_number("keyed.spark", "n_buckets", n_buckets, 1)
    operator._check_begun()
    _check_times(operator, events)
    schema = to_arrow_schema(events.schema)
    schema = pa.schema([pa.field(each.name, _without_zone(each.type)) for each in schema])
    outputs = operator.bucket().process(schema.empty_table())
    grouped = events.withColumn(BUCKET, _bucket(operator, events, n_buckets)).groupBy(BUCKET)
    return grouped, from_arrow_schema(outputs.schema), _Process(operator.to_bytes(), schema)


def _without_zone(kind: Any) -> Any:
    return pa.timestamp(kind.unit) if pa.types.is_timestamp(kind) else kind


def _check_times(operator: Operator, events: "DataFrame") -> None:
    missing = [name for name in (*operator.key_columns, operator.order) if name not in events.columns]
    if missing:
        raise StreamError(f"keyed.spark: the events have no column {missing[0]!r}, but {events.columns}")
    zone = events.sparkSession.conf.get("spark.sql.session.timeZone")
    if events.schema[operator.order].dataType.typeName() == "timestamp" and zone not in ("UTC", "Etc/UTC"):
        raise StreamError(
            f"keyed.spark: the order {operator.order!r} is a time and Spark's time zone is {zone}, in which "
            "two moments may have one time: set spark.sql.session.timeZone to UTC"
        )


def _bucket(operator: Operator, events: "DataFrame", n_buckets: int) -> "Column":
    """Return the bucket of each event: keys that are equal for the operator are in one."""
    from pyspark.sql import functions as F

    columns = []
    for name in operator.key_columns:
        column = F.col(f"`{name}`")
        if events.schema[name].dataType.typeName() in ("float", "double"):
            column = F.when(F.isnan(column), F.lit(None)).otherwise(column) + F.lit(0.0)
        columns.append(column)
    return F.pmod(F.xxhash64(*columns), F.lit(n_buckets)).cast("int")


def _processor(process: _Process, n_buckets: int) -> Any:
    """Return the processor of a bucket, whose class can only be made where Spark is."""
    from pyspark.sql.streaming import StatefulProcessor

    class BucketProcessor(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: Any) -> None:
            self._state = handle.getValueState("bucket", STATE)

        def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:
            import pandas as pd

            found = self._state.get()
            if found is not None and found[0] != n_buckets:
                raise StateError(
                    f"over_stream: the checkpoint has {found[0]} buckets, and n_buckets is {n_buckets}: a "
                    "query keeps the number that it began with"
                )
            frames = list(rows)
            frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
            outputs, state = process(frame, None if found is None else bytes(found[1]))
            self._state.update((n_buckets, state))
            yield outputs

        def close(self) -> None:
            pass

    return BucketProcessor()


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out Spark's warning of pandas 3, which the docs of this module answer."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def _pyspark() -> Any:
    """Return the module of Spark; raise ImportError if it is not installed, or is too old."""
    try:
        import pyspark
    except ImportError as error:
        raise ImportError(
            "thalweg.keyed.spark needs Spark 4: pip install thalweg[spark], and Java 17"
        ) from error
    if int(pyspark.__version__.split(".")[0]) < 4:
        raise ImportError(f"thalweg.keyed.spark needs Spark 4, not {pyspark.__version__}")
    return pyspark
