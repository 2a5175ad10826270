"""What the Python blocks of pages take for granted: code that runs before those of the page."""

LATE = """
import thalweg
rows = [{"price": f"{i % 40},50", "shop": "north", "paid": "yes" if i % 40 < 25 else "no"}
        for i in range(200)]
"""
ARRAYS = """
import numpy as np
rng = np.random.default_rng(1)
X = rng.random((600, 3))
y = (X[:, 0] + X[:, 1] > 1).astype(int)
"""
GIVEN = {
    "adapters.md": """
from river import datasets
from itertools import islice
rows = islice(datasets.Phishing(), 50)
""",
    "chunk_ensembles.md": ARRAYS,
    "coming_from.md": """
from pathlib import Path
lines = [f"{i % 7},{i % 5},{'UP' if i % 7 > 3 else 'DOWN'}" for i in range(300)]
names = [f"@attribute {name} numeric" for name in ("period", "demand")]
top = ["@relation elec2", *names, "@attribute class {UP,DOWN}", "@data"]
Path("elec2.arff").write_text("\\n".join([*top, *lines, ""]))
""",
    "detectors.md": "losses = [0.0] * 200 + [1.0] * 200",
    "drift.md": """
import pandas as pd
from thalweg.streams import SEA, from_arrays
import numpy as np
rng = np.random.default_rng(1)
blocks = np.array_split(rng.random((4000, 2)), 4)
def dated(n):
    days = pd.date_range("2024-03-01", periods=n, freq="30min")
    frame = pd.DataFrame({"when": days, "price": rng.random(n), "paid": rng.choice(["yes", "no"], n)})
    frame.to_csv("dated.csv", index=False)
    return "dated.csv"
stream = dated(4000)
this, last = SEA(4000, seed=1), SEA(4000, seed=2)
""",
    "explanations.md": LATE + """
from thalweg.learners import HoeffdingTree
from thalweg.streams import SEA
model = thalweg.Model(target="paid", learner="HoeffdingTree(grace_period=20)").learn(rows)
stream, learner = SEA(2000), HoeffdingTree()
""",
    "kafka.md": """
import json
from confluent_kafka import Producer
cluster = Producer({"test.mock.num.brokers": 1, "log_level": 0})
broker = next(iter(cluster.list_topics(timeout=10).brokers.values()))
servers = f"{broker.host}:{broker.port}"
for i in range(300):
    order = {"price": i % 40, "paid": "yes" if i % 40 < 25 else "no"}
    cluster.produce("orders", json.dumps(order), key=f"customer {i % 5}")
cluster.flush(10)
""",
    "keyed.md": LATE + """
import numpy as np
import pandas as pd
from thalweg.keyed import Bank
from thalweg.learners import LogisticMixture, NaiveBayes
rng = np.random.default_rng(1)
keys = [f"customer {i % 20}" for i in range(400)]
X = history = rng.random((400, 10))
x, y = X[0], np.where(X[:, 0] > 0.5, "yes", "no")
labels = y
frame = pd.DataFrame({"customer": keys, "price": X[:, 0], "paid": y})
frame.to_csv("last_year.csv", index=False)
frame.to_csv("this_year.csv", index=False)
frame = frame[["customer", "price"]]
order_numbers = list(range(400))
events = pd.DataFrame({"customer": keys, "when": range(400), "price": X[:, 0], "paid": y})
""",
    "mlflow.md": LATE + """
import warnings
import pandas as pd
frame = pd.DataFrame(rows)
warnings.simplefilter("ignore")  # MLflow's own, about type hints and pandas; pytest undoes this
import mlflow.pyfunc
""",
    "saving.md": LATE + "frame = rows",
    "trust.md": LATE + """
import csv
with open("claims.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["amount", "region", "fraud"])
    out.writerows([i % 50, "ab"[i % 2], "yes" if i % 50 > 45 else "no"] for i in range(300))
new_claims = [{"amount": 48, "region": "a"}]
""",
    "trust_calibration.md": """
from thalweg.learners import NaiveBayes
from thalweg.trust import Calibrated
learner = NaiveBayes()
""",
    "trust_labels.md": LATE + """
model = thalweg.Model(target="paid", learner="NaiveBayes").learn(rows)
""",
    "trust_sets.md": ARRAYS + """
from thalweg.learners import AdaptiveRandomForest
from thalweg import trust
def PredictionSets(*given, **named):
    return trust.PredictionSets(*given, **named).fit(X, y)
x = X[0]
""",
}
