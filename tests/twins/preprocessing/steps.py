"""Steps and pipelines in slow plain Python: a row is transformed, and only then learned by the steps."""

import datetime
import math

import numpy as np

UTC = datetime.UTC


class Scaler:
    def __init__(self, columns, decay=1.0):
        self.columns, self.decay = columns, decay
        self.values = {j: [] for j in columns}

    def moments(self, j):
        """Return the weighted mean and variance of all values so far, those of long ago faded."""
        values = np.array(self.values[j])
        w = self.decay ** np.arange(len(values))[::-1]
        mean = (w * values).sum() / w.sum()
        return mean, (w * (values - mean) ** 2).sum() / w.sum()

    def transform(self, x):
        out = list(x)
        for j in self.columns:
            if not self.values[j]:
                out[j] = math.nan if math.isnan(x[j]) else 0.0
                continue
            mean, variance = self.moments(j)
            z = (x[j] - mean) / math.sqrt(variance) if variance > 0 else 0.0
            out[j] = math.nan if math.isnan(x[j]) else min(max(z, -10), 10)
        return out

    def learn(self, x):
        for j in self.columns:
            if not math.isnan(x[j]):
                self.values[j].append(x[j])


class Imputer:
    def __init__(self, columns, strategy):
        self.columns, self.strategy = columns, strategy
        self.values = {j: [] for j in columns}

    def transform(self, x):
        out = []
        for j, value in enumerate(x):
            if j not in self.columns:
                out.append(value)
                continue
            seen = self.values[j] or [0.0]
            fill = seen[-1] if self.strategy == "last" else np.mean(seen)
            out.append(fill if math.isnan(value) else value)
            if self.strategy == "flag":
                out.append(float(math.isnan(value)))
        return out

    def learn(self, x):
        for j in self.columns:
            if not math.isnan(x[j]):
                self.values[j].append(x[j])


class Encoder:
    def __init__(self, room, own, one_hot=True, known=None):
        """`room` are places by column, `known` categories from the start."""
        self.room, self.own, self.one_hot = room, own, one_hot
        self.known = {j: list((known or {}).get(j, ())) for j in room}

    def transform(self, x):
        out = []
        for j, value in enumerate(x):
            if j not in self.room:
                out.append(value)
                continue
            code = self.known[j].index(value) if value in self.known[j] else -1
            if code < 0 and self.own and not math.isnan(value):
                code = self.room[j]
            if self.one_hot:
                out += [float(k == code) for k in range(self.room[j] + self.own)]
            else:
                out.append(math.nan if code < 0 else float(code))
        return out

    def learn(self, x):
        for j, known in self.known.items():
            if not math.isnan(x[j]) and x[j] not in known and len(known) < self.room[j]:
                known.append(x[j])


class Dates:
    def __init__(self, column):
        self.column, self.origin = column, None

    def transform(self, x):
        out = []
        for j, value in enumerate(x):
            if j != self.column:
                out.append(value)
            elif math.isnan(value):
                out += [math.nan] * 8
            else:
                moment = datetime.datetime(1970, 1, 1, tzinfo=UTC) + datetime.timedelta(seconds=value)
                midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
                turn = (moment - midnight) / datetime.timedelta(days=1)
                out += [0.0 if self.origin is None else (value - self.origin) / 86400, 24 * turn]
                for part in (turn, moment.weekday() / 7, (moment.month - 1) / 12):
                    out += [math.sin(2 * math.pi * part), math.cos(2 * math.pi * part)]
        return out

    def learn(self, x):
        if self.origin is None and not math.isnan(x[self.column]):
            self.origin = x[self.column]


def transformed(steps, X):
    """Return each row as the learner sees it: made with what the steps know before it."""
    found = []
    for x in X.tolist():
        for step in steps:
            given = x
            x = step.transform(given)
            step.learn(given)
        found.append(x)
    return np.array(found)
