"""Predict now, learn when the labels come: by the id of each row."""

from thalweg.learners import NaiveBayes
from thalweg.waiting import WaitingRows

learner = NaiveBayes().begin(n_features=2, classes=["calm", "storm"])
waiting = WaitingRows(n_features=2, n_classes=2, capacity=10_000)

X = [[3.0, 1020.0], [22.0, 988.0], [5.0, 1015.0], [25.0, 990.0], [7.0, 1011.0], [19.0, 996.0]]
days = ["mon", "tue", "wed", "thu", "fri", "sat"]
waiting.add(X, p=learner.predict_proba_block(X), ids=days, now=[0, 24, 48, 72, 96, 120])

came = waiting.resolve(["tue", "mon", "thu", "wed"])  # removes the rows and returns them in this order
learner.test_then_train(came.X, ["storm", "calm", "storm", "calm"])

expired = waiting.expire(age=48, now=150)  # labels that are no longer expected
saturday = learner.predict_one(waiting.rows().X[0])
print(f"expired: {expired.ids}; waits: {waiting.rows().ids}, now taken for {saturday}")
