"""A live stream: a row is predicted when it comes, and learned when its label does."""

import thalweg

winds = [i % 25 for i in range(200)]
past = [{"wind": wind, "sky": "clear", "trip": "sail" if wind < 12 else "stay"} for wind in winds]
model = thalweg.Model(target="trip", learner="LogisticMixture").learn(past)

model.learn({"wind": 19.5, "sky": "grey", "trip": "stay"})  # one record and its label
print(model.predict_one({"wind": 4}))  # what is not known is missing

days = [{"wind": 5, "sky": "clear"}, {"wind": 25, "sky": "grey"}, {"wind": 7, "sky": "hazy"}]
print(model.predict(days, ids=["mon", "tue", "wed"]))  # these rows now wait for their labels
print(model.label(["tue", "mon"], ["stay", "sail"]), "learned,", model.n_waiting_, "waits")
