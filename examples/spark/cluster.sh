#!/bin/sh
# Starts a cluster of Spark on this machine, a master and a worker with two cores, runs a script on it, and stops it.
# Usage: cluster.sh [SCRIPT]; needs `pip install thalweg[spark]` and Java 17.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
script=${1:-$here/orders.py}
home=$(python -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
work=$(mktemp -d)
export SPARK_LOCAL_IP=127.0.0.1 SPARK_NO_DAEMONIZE=1 SPARK_DAEMON_MEMORY=256m
package=org.apache.spark.deploy

stop() { kill "$master" "$worker" 2>/dev/null || true; wait; rm -rf "$work"; }
"$home/bin/spark-class" $package.master.Master --host 127.0.0.1 --port 7077 --webui-port 0 >"$work/master" 2>&1 &
master=$!
"$home/bin/spark-class" $package.worker.Worker --host 127.0.0.1 --webui-port 0 --cores 2 --memory 1g \
  --work-dir "$work" spark://127.0.0.1:7077 >"$work/worker" 2>&1 &
worker=$!
trap stop EXIT
trap 'exit 1' INT TERM
for _ in $(seq 60); do grep -q "Registered worker\|Registering worker" "$work/master" && break; sleep 1; done
python "$script" spark://127.0.0.1:7077
