"""The Hoeffding tree in slow plain Python: objects for nodes, one class at a leaf a list of what it knows."""

import math

FAR = 745.0


class Gauss:
    """Weight, mean, sum of squares and range of a numeric input in one class."""

    def __init__(self):
        self.n, self.mean, self.squares = 0.0, 0.0, 0.0
        self.low, self.high = math.inf, -math.inf

    def add(self, value, w):
        self.low, self.high = min(self.low, value), max(self.high, value)
        if self.n == 0:
            self.n, self.mean = w, value
            return
        self.n += w
        error = value - self.mean
        self.mean += w * error / self.n
        self.squares += w * error * (value - self.mean)

    @property
    def variance(self):
        return self.squares / (self.n - 1) if self.n > 1 else 0.0

    def log_density(self, value):
        if self.variance <= 0:
            return 0.0 if self.n and value == self.mean else -FAR
        distance = (value - self.mean) ** 2 / (2 * self.variance)
        return -min(distance, FAR) - 0.5 * math.log(2 * math.pi * self.variance)

    def below(self, threshold):
        if threshold >= self.high:
            return self.n
        if threshold < self.low:
            return 0.0
        return self.n * 0.5 * math.erfc((self.mean - threshold) / math.sqrt(2 * self.variance))


class Counts(dict):
    """Weights of the categories of an input in one class."""

    def add(self, value, w):
        self[int(value)] = self.get(int(value), 0.0) + w

    def log_density(self, value):
        if not self:
            return -FAR
        return math.log((self.get(int(value), 0.0) + 1) / (sum(self.values()) + max(self) + 1))


class Leaf:
    """Class weights, and for each class seen here an estimator for each input."""

    def __init__(self, weight):
        self.weight = weight
        self.tried = sum(weight)
        self.known = {}
        self.majority_right = self.bayes_right = 0.0

    @property
    def n_seen(self):
        return max((k + 1 for k, w in enumerate(self.weight) if w > 0), default=0)


class Node:
    """A test: input, threshold (None is one branch for each category) and children."""

    def __init__(self, feature, threshold, children, weight):
        self.feature, self.threshold, self.children, self.weight = feature, threshold, children, weight
        self.usual = max(children, key=lambda child: sum(child.weight))

    def child(self, x):
        value = x[self.feature]
        if math.isnan(value):
            return self.usual
        if self.threshold is None:
            return self.children[int(value)] if value < len(self.children) else self.usual
        return self.children[0 if value <= self.threshold else 1]


class HoeffdingTree:
    """Adaptive leaves, information gain or Gini, ten thresholds."""

    def __init__(self, n_classes, n_categories, grace=200, delta=1e-7, tie=0.05, criterion="gain"):
        self.n_classes, self.n_categories = n_classes, n_categories
        self.grace, self.delta, self.tie, self.criterion = grace, delta, tie, criterion
        self.root = Leaf([0.0] * n_classes)
        self.splits = []

    def predict_then_learn(self, x, y, w=1.0):
        """Return the probabilities of a row, then learn it."""
        path, node = [], self.root
        while isinstance(node, Node):
            path.append(node)
            node = node.child(x)
        scores = self.scores(node, x)
        p = self.vote(node, path, scores)
        if node.n_seen and node.weight.index(max(node.weight)) == y:
            node.majority_right += w
        if scores.index(max(scores)) == y:
            node.bayes_right += w
        node.weight[y] += w
        inputs = node.known.setdefault(y, [Counts() if n else Gauss() for n in self.n_categories])
        for value, estimator in zip(x, inputs, strict=True):
            if not math.isnan(value):
                estimator.add(value, w)
        if sum(node.weight) - node.tried >= self.grace:
            node.tried = sum(node.weight)
            self.try_to_split(node, path[-1] if path else None)
        return p

    def scores(self, leaf, x):
        result = []
        for k, weight in enumerate(leaf.weight):
            if weight <= 0:
                result.append(-math.inf)
            elif k in leaf.known:
                pairs = zip(x, leaf.known[k], strict=True)
                densities = [e.log_density(v) for v, e in pairs if not math.isnan(v)]
                result.append(math.log(weight) + sum(densities))
            else:
                missing = sum(not math.isnan(v) for v in x) if leaf.known else 0
                result.append(math.log(weight) - FAR * missing)
        return result

    def vote(self, leaf, path, scores):
        if leaf.majority_right > leaf.bayes_right or not leaf.n_seen:
            weight = next((node.weight for node in [leaf, *reversed(path)] if sum(node.weight) > 0), None)
            if weight is None:
                return [1 / self.n_classes] * self.n_classes
            return [w / sum(weight) for w in weight]
        best = max(scores)
        odds = [math.exp(score - best) for score in scores]
        return [value / sum(odds) for value in odds]

    def impurity(self, weight):
        total = sum(weight)
        if total <= 0:
            return 0.0
        shares = [w / total for w in weight]
        if self.criterion == "gini":
            return 1 - sum(s * s for s in shares)
        return -sum(s * math.log2(s) for s in shares if s > 0)

    def merit(self, leaf, parts):
        total = sum(map(sum, parts))
        least = 0.01 if self.criterion == "gain" else 0.0
        if sum(sum(part) > least * total for part in parts) < 2:
            return -math.inf
        base = 1.0 if self.criterion == "gini" else self.impurity(leaf.weight)
        return base - sum(sum(part) * self.impurity(part) for part in parts) / total

    def candidates(self, leaf, j):
        """Yield (merit, threshold, parts) of the tests on input j."""
        known = {k: inputs[j] for k, inputs in leaf.known.items()}
        if self.n_categories[j]:
            parts = [[known[k].get(v, 0.0) if k in known else 0.0 for k in range(self.n_classes)]
                     for v in range(self.n_categories[j])]
            yield self.merit(leaf, parts), None, parts
            return
        low = min((g.low for g in known.values()), default=math.inf)
        high = max((g.high for g in known.values()), default=-math.inf)
        for point in range(10 if low < high else 0):
            threshold = (high - low) / 11.0 * (point + 1) + low
            below = [known[k].below(threshold) if k in known else 0.0 for k in range(self.n_classes)]
            above = [known[k].n - below[k] if k in known else 0.0 for k in range(self.n_classes)]
            yield self.merit(leaf, [below, above]), threshold, [below, above]

    def try_to_split(self, leaf, parent):
        if sum(w > 0 for w in leaf.weight) < 2:
            return
        stay = -math.inf if self.criterion == "gain" else 1 - self.impurity(leaf.weight)
        found = [(stay, None, None, None)]
        for j in range(len(self.n_categories)):
            tests = list(self.candidates(leaf, j))
            if tests:
                merit, threshold, parts = max(tests, key=lambda test: test[0])
                found.append((merit, j, threshold, parts))
        found.sort(key=lambda split: split[0])
        merit, j, threshold, parts = found[-1]
        reach = math.log2(max(leaf.n_seen, 2)) if self.criterion == "gain" else 1.0
        bound = math.sqrt(reach**2 * math.log(1 / self.delta) / (2 * sum(leaf.weight)))
        if j is None or math.isinf(merit) or not (merit - found[-2][0] > bound or bound < self.tie):
            return
        node = Node(j, threshold, [Leaf(list(part)) for part in parts], leaf.weight)
        self.splits.append((j, threshold))
        if parent is None:
            self.root = node
        else:
            parent.children[parent.children.index(leaf)] = node
            parent.usual = node if parent.usual is leaf else parent.usual
