"""A model for each customer on Spark: a stream of orders from a folder, answers to another folder.

python orders.py [MASTER]        # local[2] unless a cluster is given; cluster.sh starts one
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import thalweg
from thalweg.keyed import Bank, Operator
from thalweg.keyed import spark as keyed_spark

rng = np.random.default_rng(1)
n, n_customers, n_files = 20_000, 200, 4
customers, prices = rng.integers(n_customers, size=n), rng.normal(50, 20, size=n)
limits = rng.normal(50, 15, size=n_customers)  # up to which a customer pays
orders = pa.table({
    "number": np.arange(n), "customer": [f"c{each}" for each in customers], "price": prices,
    "day": rng.choice(["monday", "friday"], size=n),
    "paid": np.where(prices < limits[customers], "yes", "no"),
})  # fmt: skip
folder = Path(tempfile.mkdtemp())
(folder / "orders").mkdir()
for i in range(n_files):
    pq.write_table(orders.slice(i * n // n_files, n // n_files), folder / "orders" / f"{i}.parquet")

# Columns, categories and labels come from history, and are frozen.
model = thalweg.Model(target="paid", learner="LogisticMixture")
operator = Operator(Bank(model, key="customer"), order="number").begin(orders.slice(0, 2000))

spark = keyed_spark.session("orders", master=sys.argv[1] if len(sys.argv) > 1 else "local[2]")
schema = spark.read.parquet(str(folder / "orders")).schema
events = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "orders"))
query = (
    keyed_spark.over_stream(operator, events, n_buckets=4)
    .writeStream.format("parquet")
    .option("path", str(folder / "answers"))
    .option("checkpointLocation", str(folder / "checkpoint"))
    .trigger(availableNow=True)  # what is there now; without it the query goes on for ever
    .start()
)
query.awaitTermination()
answers = spark.read.parquet(str(folder / "answers")).toPandas().sort_values("number")
spark.stop()

right = (answers["prediction"] == answers["label"]).to_numpy()
print(f"{len(answers):,} orders of {answers['customer'].nunique()} customers in {folder / 'answers'}")
print(f"right: {right[:2000].mean():.3f} of the first 2,000, {right[-2000:].mean():.3f} of the last")
