"""A live model: what it knows survives a crash, and sending a request again is harmless."""

import tempfile

import thalweg
from thalweg.live import LiveModel

orders = [{"price": f"{i % 40},50", "paid": "yes" if i % 40 < 25 else "no"} for i in range(200)]
model = thalweg.Model(target="paid", learner="LogisticMixture").learn(orders)

folder = tempfile.mkdtemp()
with LiveModel(folder, model) as live:
    answer = live.predict([{"price": "12,50"}], ids=["o7"])
    print(answer.labels, answer.events, answer.statuses)

with LiveModel(folder) as live:  # hours later, perhaps after a crash
    print(live.label(["o7"], ["yes"]).statuses)
    print(live.label(["o7"], ["yes"]).statuses)  # sent again
    print(live.learn([{"price": "38,00"}], ["no"], ids=["k1"]).events)
