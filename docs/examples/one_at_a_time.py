"""Rows of a live stream, one at a time, by name."""

from thalweg.learners import NaiveBayes

learner = NaiveBayes().begin(n_features=2, classes=["calm", "storm"])

learner.learn_one({"wind": 3.0, "pressure": 1020.0}, "calm")
learner.learn_one({"wind": 5.0, "pressure": 1015.0}, "calm")
learner.learn_one({"wind": 22.0, "pressure": 988.0}, "storm")
learner.learn_one({"wind": 25.0, "pressure": None}, "storm")
learner.learn_one({"wind": 19.0, "pressure": 996.0}, "storm")

print(learner.predict_one({"wind": 21.0, "pressure": 991.0}))
print(learner.predict_one({"wind": 4.0}))
