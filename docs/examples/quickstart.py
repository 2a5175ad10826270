"""Rows in, labels out: a frame is tested and learned, then records are predicted."""

import numpy as np
import pandas as pd

import thalweg

rng = np.random.default_rng(1)
price, shop = rng.lognormal(3, 1, 3000).round(2), rng.choice(["north", "south"], 3000)
paid = np.where(price < np.where(shop == "north", 40, 10), "yes", "no")
orders = pd.DataFrame({"price": price, "shop": shop, "paid": paid})

model = thalweg.Model(target="paid", learner="LogisticMixture")
print(model.prequential(orders))  # each row is predicted, then learned; learn(orders) only learns

print(model.predict_one({"price": "22,50", "shop": "north"}))
print(model.predict_table(orders.head(2)))  # a frame again: label and probabilities
print(model.columns.kinds, model.explanation())
