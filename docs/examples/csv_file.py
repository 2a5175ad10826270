"""A file as people have it: tested and learned, saved, loaded, predicted, learned further."""

from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import thalweg

HEADER = "id;price;when;shop;paid\n"
DAY = """A{0}1;12,50;{0:02}.03.2024 09:30;north;yes
A{0}2;8,00;{0:02}.03.2024 10:05;south;no
A{0}3;1.040,00;{0:02}.03.2024 18:20;north;no
"""

with TemporaryDirectory() as folder, chdir(folder):
    Path("orders.csv").write_text(HEADER + "".join(map(DAY.format, range(1, 31))))
    Path("tomorrow.csv").write_text(HEADER + DAY.format(31))

    model = thalweg.Model(target="paid", learner="LogisticMixture")
    print(model.prequential("orders.csv"))  # each row is predicted, then learned
    print(model.columns.kinds)
    model.save("model.tw")

    model = thalweg.load("model.tw")
    print(model.predict_table("tomorrow.csv").to_pandas())
    model.learn("tomorrow.csv").save("model.tw")
