"""The operator on Spark: the bits of a plain loop over separate learners, on streams and history."""

import json
import os
import re
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.places import ROOT
from support.spark_events import differences, events, operator, plain

from thalweg.keyed import spark as keyed_spark

HAS_JAVA = os.name == "posix" and shutil.which("java") is not None


@pytest.mark.skipif(not HAS_JAVA, reason="Java, which Spark needs, is not installed")
def test_streams_and_history_on_spark_are_bit_equal_to_separate_learners(tmp_path):
    pytest.importorskip("pyspark", reason="Spark is not installed")
    table = events(1200, 20)
    pq.write_table(table, tmp_path / "all.parquet")
    wrong = tmp_path / "wrong" / "python3"  # what Spark would run if it were not told
    wrong.parent.mkdir()
    wrong.write_text("#!/bin/sh\nexit 3\n")
    wrong.chmod(0o755)
    path = f"{wrong.parent}{os.pathsep}{os.environ['PATH']}"
    env = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"} | {"PATH": path}
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "kill_spark" / "driver.py", tmp_path, "check"],
        capture_output=True, text=True, timeout=600, env=env,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    expected = plain(table)
    assert differences(read(tmp_path / "outputs.arrow"), expected) == []
    assert differences(read(tmp_path / "history.arrow"), expected) == []
    problems = json.loads((tmp_path / "problems.json").read_text())
    assert "the checkpoint has 4 buckets, and n_buckets is 5" in problems["other buckets"]
    assert "the events have no column 'n'" in problems["no order"]
    assert "set spark.sql.session.timeZone to UTC" in problems["zone"]
    assert "transformWithState needs RocksDB" in problems["no RocksDB"]


def read(path):
    with pa.OSFile(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def test_events_and_states_in_a_worker_are_those_of_the_operator():
    pd = pytest.importorskip("pandas")
    table = events(600, 10)
    process = keyed_spark._Process(operator().to_bytes(), table.schema)
    frame = table.to_pandas(integer_object_nulls=True).assign(thalweg_bucket=0)
    state, parts = None, []
    for i in range(0, 600, 250):  # rows of a bucket come in no order
        outputs, state = process(frame[i : i + 250].sample(frac=1, random_state=i), state)
        parts.append(outputs)
    found = pa.Table.from_pandas(pd.concat(parts), preserve_index=False)
    assert differences(found, plain(table)) == []
    assert state == operator()(table)[1]


def test_the_error_without_spark_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(ImportError, match=re.escape("pip install thalweg[spark]")):
        keyed_spark.session()
