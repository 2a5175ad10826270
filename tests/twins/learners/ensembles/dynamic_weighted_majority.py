"""Dynamic weighted majority in plain Python, over any learners as members."""

import numpy as np


def run(X, y, build, period=50, beta=0.5, theta=0.01):
    """Return the probabilities before each row, and the weights at the end."""
    members, weights, answers = [build()], [1.0], []
    for i in range(len(X)):
        votes, due = np.zeros(2), (i + 1) % period == 0
        chosen = [int(member.predict_proba_one(X[i]).argmax()) for member in members]
        for k, weight in zip(chosen, weights, strict=True):
            votes[k] += weight
        answers.append(votes / votes.sum())
        if due:
            weights = [w * (beta if k != y[i] else 1) for w, k in zip(weights, chosen, strict=True)]
            weights = [w / max(weights) for w in weights]
            kept = [m for m, w in enumerate(weights) if w >= theta]
            members, weights = [members[m] for m in kept], [weights[m] for m in kept]
            if votes.argmax() != y[i]:
                members.append(build())
                weights.append(1.0)
        for member in members:
            member.learn_one(X[i], y[i])
    return np.array(answers), weights
