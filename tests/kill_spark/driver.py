"""A process with a session of Spark: what is killed, and what the tests of Spark run.

python driver.py FOLDER stream      # the stream of FOLDER/in into FOLDER/out, from its checkpoint on
python driver.py FOLDER collect     # what is in FOLDER/out, as a reader sees it, into FOLDER/outputs.arrow
python driver.py FOLDER check       # history, stream, restart and errors, in one session
"""

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.spark_events import SCHEMA, operator

from thalweg.keyed import spark as keyed_spark

N_BUCKETS = 4


def start():
    spark = keyed_spark.session(
        spark_driver_memory="700m", spark_driver_extraJavaOptions="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        spark_sql_streaming_numRecentProgressUpdates=3,
    )  # fmt: skip
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def schema_of(spark, folder):
    return spark.read.parquet(str(next((folder / "in").glob("*.parquet")))).schema


def run_stream(spark, folder, n_buckets=N_BUCKETS):
    """Do what is there of the stream, a file a batch, and wait for its end."""
    source = spark.readStream.schema(schema_of(spark, folder)).option("maxFilesPerTrigger", 1)
    events = source.parquet(str(folder / "in"))
    writer = keyed_spark.over_stream(operator(), events, n_buckets=n_buckets).writeStream.format("parquet")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    writer.option("path", str(folder / "out")).trigger(availableNow=True).start().awaitTermination()


def keep(frame, path):
    """Write a frame to a file of Arrow."""
    table = frame.toArrow()
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def collect(spark, folder):
    keep(spark.read.parquet(str(folder / "out")), folder / "outputs.arrow")


def check(spark, folder):
    table = pq.read_table(folder / "all.parquet")
    parts = [table.slice(i, 400) for i in range(0, table.num_rows, 400)]
    assert table.schema.equals(SCHEMA)
    (folder / "in").mkdir()
    for i, part in enumerate(parts):
        if i == len(parts) - 1:
            run_stream(spark, folder)  # the last file comes after a stop
        pq.write_table(part, folder / "in" / f"{i}.parquet")
    run_stream(spark, folder)
    collect(spark, folder)
    pq.write_table(parts[0], folder / "in" / "again.parquet")
    events = spark.read.parquet(str(folder / "all.parquet"))
    keep(keyed_spark.over_history(operator(), events, n_buckets=3), folder / "history.arrow")
    problems = {"other buckets": problem_of(lambda: run_stream(spark, folder, n_buckets=N_BUCKETS + 1))}
    problems["no order"] = problem_of(lambda: keyed_spark.over_history(operator(), events.drop("n")))
    as_time = events.withColumn("n", events["n"].cast("timestamp"))
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    problems["zone"] = problem_of(lambda: keyed_spark.over_history(operator(), as_time))
    spark.conf.unset(keyed_spark.PROVIDER)
    problems["no RocksDB"] = problem_of(lambda: keyed_spark.over_stream(operator(), events))
    (folder / "problems.json").write_text(json.dumps(problems))


def problem_of(call):
    try:
        call()
    except Exception as error:
        return str(error)
    return "none"


def main():
    folder, action = Path(sys.argv[1]), sys.argv[2]
    spark = start()
    {"stream": run_stream, "collect": collect, "check": check}[action](spark, folder)
    spark.stop()
    print("done", flush=True)


if __name__ == "__main__":
    main()
