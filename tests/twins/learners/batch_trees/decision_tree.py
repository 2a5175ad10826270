"""Batch trees by trying all splits, in slow plain NumPy."""

from itertools import pairwise

import numpy as np

TIE = 1e-12


def score(weights, criterion):
    n, there = weights.sum(), weights[weights > 0]
    if criterion == "gini":
        return (there**2).sum() / n
    if criterion == "error":
        return there.max(initial=0)
    return (there * np.log(there)).sum() - n * np.log(n)


def class_weights(y, w, n_classes):
    return np.bincount(y, weights=w, minlength=n_classes)


def splits(X, n_categories=None):
    """Yield every way to part the rows in two: input, threshold, whether missing values go left, the left."""
    for j in range(X.shape[1]):
        column = X[:, j]
        missing = np.isnan(column)
        values = np.unique(column[~missing])
        if n_categories is not None and n_categories[j]:
            for value in values:
                yield j, value, False, column == value
            continue
        for missing_left in (False, True):
            if missing_left and not missing.any():
                continue
            for low, high in pairwise(values):
                middle = low / 2 + high / 2
                threshold = middle if middle < high else low
                yield j, threshold, missing_left, (column <= threshold) | (missing & missing_left)
            if missing.any() and not missing_left:
                yield j, np.inf, False, ~missing


def gain(y, w, left, n_classes, criterion):
    parts = [class_weights(y[rows], w[rows], n_classes) for rows in (left, ~left)]
    return sum(score(part, criterion) for part in parts) - score(class_weights(y, w, n_classes), criterion)


def best_gain(X, y, w, n_classes, criterion, n_categories=None):
    proper = [rows for *_, rows in splits(X, n_categories) if 0 < rows.sum() < len(rows)]
    return max((gain(y, w, rows, n_classes, criterion) for rows in proper), default=None)


def branches(column):
    """Return the categories of a column and the branch of each row; missing values have the last one."""
    values = np.unique(column[~np.isnan(column)])
    return values, np.where(np.isnan(column), len(values), np.searchsorted(values, column))


class Tree:
    """A tree grown on all rows it is given, best first; `nodes` are dicts."""

    def __init__(
        self, n_classes, criterion="gini", n_categories=None, max_leaves=np.inf, multiway=False,
        min_weight=0.0,
    ):
        self.n_classes, self.criterion, self.n_categories = n_classes, criterion, n_categories
        self.max_leaves, self.multiway, self.min_weight = max_leaves, multiway, min_weight

    def fit(self, X, y, w):
        self.nodes = [self.node(X, y, w)]
        n_leaves = 1
        while True:
            open_ = [
                node for node in self.nodes
                if "children" not in node and node["best"] is not None
                and n_leaves + node["best"]["n_children"] - 1 <= self.max_leaves
            ]
            if not open_:
                return self
            node = max(open_, key=lambda node: node["best"]["gain"])
            n_leaves += node["best"]["n_children"] - 1
            parts = [node["best"]["child"] == i for i in range(node["best"]["n_children"])]
            node["children"] = [self.node(*(each[rows] for each in node["rows"])) for rows in parts]
            self.nodes += node["children"]

    def node(self, X, y, w):
        weights = class_weights(y, w, self.n_classes)
        best = None if (weights > 0).sum() < 2 else self.best(X, y, w)
        return {"rows": (X, y, w), "weights": weights, "best": best}

    def best(self, X, y, w):
        """Return the split to be made, or None."""
        if self.criterion == "gain_ratio":
            return chosen_by_ratio(self.candidates(X, y, w))
        own, best = score(class_weights(y, w, self.n_classes), self.criterion), None
        for split in self.all_splits(X, y, w, lambda j: self.min_weight):
            if best is None or split["score"] > best["score"] + split["tie"]:
                best = split
        return best if best is None else best | {"gain": max(best["score"] - own, 0.0)}

    def all_splits(self, X, y, w, least):
        """Yield all splits whose two heaviest children weigh `least` of their input at least, scored."""
        for j in range(X.shape[1]):
            is_category = self.n_categories is not None and self.n_categories[j]
            if is_category and self.multiway:
                values, child = branches(X[:, j])
                ways = [(values, bool(np.isnan(X[:, j]).any()), child)]
            else:
                kinds = [1] if is_category else None
                ways = [
                    (threshold, missing_left, 1 - left.astype(int))
                    for _, threshold, missing_left, left in splits(X[:, [j]], kinds)
                ]
            for threshold, missing_left, child in ways:
                sizes = np.bincount(child, w)
                heavy = (sizes >= (1 - 1e-9) * least(j)) & (sizes > 0)
                if len(sizes) < 2 or heavy.sum() < 2:
                    continue
                rows = [child == i for i in range(len(sizes))]
                parts = [class_weights(y[each], w[each], self.n_classes) for each in rows]
                yield {
                    "feature": j, "threshold": threshold, "missing_left": missing_left, "child": child,
                    "n_children": len(sizes), "score": sum(score(part, self.criterion) for part in parts),
                    "information": w.sum() * np.log(w.sum()) - (sizes * np.log(sizes)).sum(),
                    "tie": TIE * (w.sum() + bool(is_category)),
                }

    def candidates(self, X, y, w):
        """Return the best split by each input, those that gain something by C4.5's reckoning."""

        def least(j):
            if self.n_categories is not None and self.n_categories[j]:
                return self.min_weight
            known = w[~np.isnan(X[:, j])].sum()
            return max(self.min_weight, min(0.1 * known / self.n_classes, 25))

        own, found = score(class_weights(y, w, self.n_classes), "entropy"), {}
        for split in self.all_splits(X, y, w, least):
            found.setdefault(split["feature"], []).append(split)
        for j, tried in found.items():
            is_category = self.n_categories is not None and self.n_categories[j]
            cost, best = 0.0 if is_category else np.log(len(tried)), None
            for split in tried:
                if split["score"] > (own + cost if best is None else best["score"]) + split["tie"]:
                    best = split
            if best is not None and best["information"] > TIE * w.sum():
                gained = best["score"] - own - cost
                yield best | {"gain": gained, "ratio": gained / best["information"]}

    def predict(self, X, laplace=1.0):
        """Return the probabilities of rows."""
        weights = np.array([self.end(x)["weights"] for x in X]) + laplace
        return weights / weights.sum(axis=1, keepdims=True)

    def end(self, x):
        """Return the node in which a row ends."""
        node = self.nodes[0]
        while "children" in node:
            best, children = node["best"], node["children"]
            value, column = x[best["feature"]], node["rows"][0][:, best["feature"]]
            if np.isnan(value):
                sizes = [child["weights"].sum() for child in children]
                is_last = isinstance(best["threshold"], np.ndarray) or not best["missing_left"]
                met = len(children) - 1 if is_last else 0
                node = children[met if np.isnan(column).any() else int(np.argmax(sizes))]
            elif isinstance(best["threshold"], np.ndarray):
                if value not in best["threshold"]:
                    return node
                node = children[int(np.searchsorted(best["threshold"], value))]
            else:
                is_category = self.n_categories is not None and self.n_categories[best["feature"]]
                left = value == best["threshold"] if is_category else value <= best["threshold"]
                node = children[0 if left else 1]
        return node


def chosen_by_ratio(candidates):
    """Return the first with the largest ratio of the candidates that gain at least the mean."""
    candidates = list(candidates)
    mean = np.mean([each["gain"] for each in candidates]) if candidates else 0.0
    best, most = None, 0.0
    for each in candidates:
        if each["gain"] >= (1 - 1e-9) * mean and each["ratio"] > most + TIE:
            best, most = each, each["ratio"]
    return best


def distance_probabilities(nodes, X, w, rows, laplace):
    """Return what a stump grown on X answers for rows by the distance from its split; no categories."""
    smooth = nodes["weights"] + laplace
    leaves = smooth / smooth.sum(axis=1, keepdims=True)
    j, threshold = nodes["feature"][0], nodes["threshold"][0]
    if j < 0:
        return np.repeat(leaves[:1], len(rows), axis=0)
    sides = [nodes["left"][0], nodes["right"][0]]
    away = X[w > 0, j] - threshold
    reach = [np.abs(away[away <= 0]).max(initial=0.0), np.abs(away[away > 0]).max(initial=0.0)]
    answers = []
    for value in rows[:, j]:
        if np.isnan(value):
            answers.append(leaves[nodes["missing"][0]])
            continue
        side = int(value > threshold)
        far = abs(value - threshold)
        share = 1.0 if far >= reach[side] else 0.5 + 0.5 * far / reach[side]
        answers.append(share * leaves[sides[side]] + (1 - share) * leaves[sides[1 - side]])
    return np.array(answers)
