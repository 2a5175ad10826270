"""Ask for one label in twenty, learn it when it comes, and estimate the accuracy over all rows from those."""

from thalweg import Model
from thalweg.streams import SEA
from thalweg.trust import LabelBudget

X, y = next(SEA(10_200, seed=1).blocks(10_200))
rows = [{"a": a, "b": b, "c": c} for a, b, c in X.tolist()]
truth = ["yes" if label else "no" for label in y]

model = Model(learner="LogisticMixture").learn(rows[:200], truth[:200])
budget, under_way, right, chances, n_right = LabelBudget(0.05), [], [], [], 0
for start in range(200, 10_200, 100):  # what comes in a minute, say
    p = model.predict_proba(rows[start : start + 100])
    answers = model.classes_[p.argmax(axis=1)].tolist()
    asked, chance = budget.ask(p)
    ids = [start + i for i in asked.nonzero()[0].tolist()]
    if ids:
        model.observe([rows[id] for id in ids], ids=ids)  # these rows wait for their labels
    under_way += [(id, answers[id - start], chance[id - start]) for id in ids]
    while under_way and under_way[0][0] < start - 300:  # somebody has looked at this row by now
        id, answer, its_chance = under_way.pop(0)
        model.label([id], [truth[id]])
        right.append(answer == truth[id])
        chances.append(its_chance)
    n_right += sum(answer == label for answer, label in zip(answers, truth[start:], strict=False))

mean, error = LabelBudget.estimate(right, chances)
print(f"{budget.n_asked_} labels for {budget.n_rows_:,} rows, {budget.credit_:.0f} more may be asked for now")
print(f"accuracy on the rows asked for {sum(right) / len(right):.1%}, on all {mean:.1%} ± {error:.1%}")
print(f"what nobody knows: {n_right / 10_000:.1%}")
