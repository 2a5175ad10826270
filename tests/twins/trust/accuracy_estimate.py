"""The accuracy of a model from late labels and what it said, in slow plain Python; every row is kept."""

import math

import numpy as np

PRIOR = np.array([0.3, 2, 1, 0.45, 3, 1.5, 2])
START = np.array([0.122**2] * 3 + [0.01] * 4)
LEVELS, LINES, RAW = (0, 1, 2), (3, 4, 5), 6
START_H = np.diag([2.0, 20.0, 2.0])


def logistic(z):
    return 1 / (1 + math.exp(-z))


class Expert:
    """Turns the logit of a confidence into the chance that an answer is right."""

    def __init__(self, number):
        self.number, self.forget = number, 0.1 ** (2 + number % 3)
        self.start = np.array([0.0, 0.0 if number in LEVELS else 1.0, 0.0])
        self.theta, self.H = self.start, START_H.copy()
        self.V = self.loss = 0.0

    def says(self, r, s):
        return logistic(self.theta @ [1, r, s])

    def learn(self, r, s, right, u, said, longer):
        chance = said if right else 1 - said
        self.loss = math.exp(-1 / 3000) * self.loss - u * math.log(chance)
        if self.number == RAW:
            return
        x = np.array([1.0, 0.0, 0.0] if self.number in LEVELS else [1.0, r, s])
        g = logistic(self.theta @ x)
        w = u * max(g * (1 - g), 0.001)
        self.H = (1 - self.forget) * self.H + self.forget * START_H + w * np.outer(x, x)
        alike = longer.theta[2] if self.number in LINES[:-1] else 0.0
        start = self.start + np.array([0.0, 0.0, alike])
        gradient = u * (right - g) * x - self.forget * START_H @ (self.theta - start)
        step = np.clip(np.linalg.solve(self.H, gradient), [-1, -0.5, -1], [1, 0.5, 1])
        self.theta = self.theta + step
        self.theta[1] = np.clip(self.theta[1], 0, 5)


class AccuracyEstimateTwin:
    """Rows are numbered 0, 1, 2, …; `predict` and `label` take one row each."""

    def __init__(self, window=1000, learns=True):
        self.window, self.step, self.learns = window, max(1, window // 10), learns
        self.experts = [Expert(i) for i in range(7)]
        self.rows, self.known, self.block, self.past = [], 0, 0, 0
        self.n = self.V_mix = self.partial = self.U = self.settled = 0.0
        self.delays = np.zeros(3)
        self.ended, self.recent = {}, np.zeros(100)

    def knowledge(self, knew):
        return ((1 + knew) / (1 + self.known)) ** 2 if self.learns else 1.0

    def mean_delay(self):
        return self.delays[1] / self.delays[0] if self.delays[0] else 0.0

    def weights(self):
        m = (np.array([each.V for each in self.experts]) / 10 + START) / (self.n / 10 + 1)
        loss = np.array([each.loss for each in self.experts])
        weights = PRIOR * (m / m.min()) ** -3.0
        weights *= np.exp(-(loss - loss.min()) / (1 + self.mean_delay()) ** (2 / 3))
        return weights / weights.sum()

    def answers(self, row):
        said = [each.says(row["r"], row["s"]) for each in self.experts]
        said[RAW] = row["sure"]
        return np.array(said)

    def predict(self, p):
        n = len(self.rows)
        if n and n % self.window == 0:
            self.end(n // self.window - 1)
        answer = int(np.argmax(p))
        sure = min(max(p[answer], 0.001), 0.999)
        self.recent = 0.96 * self.recent[: len(p)] + 0.04 * (np.arange(len(p)) == answer)
        row = {"r": math.log(sure / (1 - sure)), "s": self.recent[answer] - 0.5, "sure": sure,
               "answer": answer, "label": None, "knew": self.known}
        row["said"] = self.answers(row)
        row["mix"] = self.weights() @ row["said"]
        row["final"] = None
        self.rows.append(row)
        self.judge_blocks()
        while self.past < len(self.rows) - self.overdue() - self.window:
            if self.rows[self.past]["label"] is None:
                self.rows[self.past]["final"] = self.weights() @ self.answers(self.rows[self.past])
            self.past += 1

    def overdue(self):
        n, mean, squares = self.delays
        return mean / n + 4 * math.sqrt(max(squares / n - (mean / n) ** 2, 0)) + 1 if n else np.inf

    def judged(self, row):
        return self.answers(row) if row["final"] is None else np.full(7, row["final"])

    def label(self, number, code):
        row, delay = self.rows[number], len(self.rows) - 1 - number
        right, u = float(code == row["answer"]), self.knowledge(row["knew"])
        row["label"], row["right"] = code, right
        self.delays = 0.999 * self.delays + [1, delay, delay**2]
        longer = [*self.experts[1:], None]
        for expert, said, other in zip(self.experts, row["said"], longer, strict=True):
            expert.learn(row["r"], row["s"], right, u, said, other)
        self.known += 1
        window = number // self.window
        if window in self.ended and all(each["label"] is not None for each in self.part(window)):
            self.settle(window)
        self.judge_blocks()

    def part(self, window):
        return self.rows[window * self.window : (window + 1) * self.window]

    def judge(self, start, stop):
        rows = self.rows[start:stop]
        waiting = [row for row in rows if row["label"] is None]
        right, n = sum(row["right"] for row in rows if row["label"] is not None), len(rows)
        said, weights = np.array([self.judged(row) for row in waiting]).reshape(-1, 7), self.weights()
        mix, f = said @ weights, len(waiting) / n
        estimate = (right + mix.sum()) / n
        spread = weights @ ((said.sum(axis=0) - mix.sum()) / n) ** 2
        partial = self.partial > 0.5 * self.n
        total, settled = (self.V_mix / 10, self.n / 10) if partial else (self.U, self.settled)
        q = 1 / (1 + settled) ** 2
        tau = (total + q * 0.01) / (settled + q)
        if partial:
            tau += estimate * (1 - estimate) / min(sum(row["label"] is not None for row in self.rows), 300)
        return estimate, (mix * (1 - mix)).sum() / n**2, spread, f, tau, settled

    def end(self, window):
        found = self.judge(window * self.window, (window + 1) * self.window)
        self.ended[window] = found, self.known
        if all(each["label"] is not None for each in self.part(window)):
            self.settle(window)

    def settle(self, window):
        (estimate, variance, _, f, _, _), knew = self.ended[window]
        if f > 0:
            u = self.knowledge(knew)
            error = estimate - np.mean([row["right"] for row in self.part(window)])
            self.U = 0.95 * self.U + u * max(error**2 - variance, 0) / f**2
            self.settled = 0.95 * self.settled + u

    def judge_blocks(self):
        while (stop := self.block * self.step + self.window) <= len(self.rows):
            rows = self.rows[stop - self.window : stop]
            older = all(row["label"] is not None for row in self.rows[:stop])
            if not older and stop > len(self.rows) - self.overdue():
                return
            self.judge_block([row for row in rows if row["label"] is not None], len(rows))
            self.block += 1

    def judge_block(self, rows, n):
        if len(rows) < 10:
            return
        u = np.mean([self.knowledge(row["knew"]) for row in rows])
        errors = np.mean([row["said"] - row["right"] for row in rows], axis=0)
        keep = 0.9**0.1
        for expert, error in zip(self.experts, errors, strict=True):
            expert.V = keep * expert.V + u * error**2
        mix = np.array([row["mix"] for row in rows])
        error = np.mean(mix - [row["right"] for row in rows])
        noise = (mix * (1 - mix)).sum() / len(rows) ** 2
        self.n = keep * self.n + u
        self.V_mix = keep * self.V_mix + u * max(error**2 - noise, 0)
        self.partial = keep * self.partial + u * (len(rows) < n)
