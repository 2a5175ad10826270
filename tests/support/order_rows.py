"""Orders as a shop writes them: numbers with commas, dates, categories, text, ids, and a label."""

import numpy as np

WORDS = ["late", "box", "broken", "again", "order", "nice", "great", "slow", "fast", "blue", "red", "parcel"]


def orders(n, seed=1, first=0):
    """Return records of orders; the shop and the price decide whether they were paid, but for one in ten."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(first, first + n):
        price, shop = rng.gamma(2.0, 20.0), str(rng.choice(["north", "south", "east"]))
        paid = (price < 40) != (shop == "south") != (rng.random() < 0.1)
        rows.append({
            "id": f"A{i:05}",
            "price": f"{price:.2f}".replace(".", ","),
            "when": f"{i % 28 + 1:02}.{i // 28 % 12 + 1:02}.2024 {i % 24:02}:30",
            "shop": shop,
            "weight": round(float(rng.normal(5, 1)), 3) if rng.random() < 0.95 else None,
            "gift": bool(rng.random() < 0.3),
            "note": " ".join(rng.choice(WORDS, size=4)) + f" {i % 400}",
            "paid": "yes" if paid else "no",
        })  # fmt: skip
    return rows


def without(rows, *names):
    """Return records without some of their keys."""
    return [{name: value for name, value in row.items() if name not in names} for row in rows]


def as_csv(rows, path):
    """Write records as a file with semicolons; return its path."""
    lines = [";".join(rows[0])]
    lines += [";".join("" if value is None else str(value) for value in row.values()) for row in rows]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path
