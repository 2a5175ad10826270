"""How a live model does: what its watch knows, and an alert when accuracy falls."""

import tempfile
from pathlib import Path

import numpy as np

import thalweg
from thalweg.live import Alerts, LiveModel
from thalweg.live.pages.page import model_page
from thalweg.live.watch.sources import snapshot_of

rng = np.random.default_rng(1)
price = rng.normal(10, 3, 8000)
paid = np.where((price > 10) == (np.arange(8000) < 5000), "yes", "no")  # the rule is reversed at row 5,000
rows = [{"price": each} for each in price.tolist()]

first = [{"price": each, "paid": label} for each, label in zip(price[:500].tolist(), paid, strict=False)]
model = thalweg.Model(target="paid", learner="NaiveBayes").learn(first)
folder = Path(tempfile.mkdtemp())

with LiveModel(folder / "orders.live", model) as live:
    alerts = Alerts(lambda: {"orders": snapshot_of(live)}, log=False)
    for start in range(500, 8000, 250):
        part = range(start, start + 250)
        live.predict([rows[i] for i in part], ids=list(part))
        late = [i - 250 for i in part if i >= 750]
        if late:
            live.label(late, paid[late].tolist())
        for alert in alerts.look():
            print(f"row {start}: {alert.kind}, accuracy {alert.seen['accuracy']:.2f}")
    found = snapshot_of(live)
    now = found["accuracy"]["now"]
    print({name: round(now[name], 2) for name in ("learner", "majority", "no_change")})
    (folder / "orders.html").write_text(model_page("orders", found), encoding="utf-8")
