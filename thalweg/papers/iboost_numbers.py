"""The numbers in the tables of the paper on incremental boosting."""

from collections.abc import Sequence
from typing import TypeAlias

BySize: TypeAlias = dict[str, tuple[Sequence[float], Sequence[float]]]
ByMethod: TypeAlias = dict[str, dict[str, Sequence[float]]]

MEMBERS, ROWS = (20, 50, 100, 200, 500), (100, 200, 500, 1000, 2000)
SIZES = [*((n_members, 200) for n_members in MEMBERS), *((200, n) for n in ROWS)]
PAPER_ACCURACY: BySize = {
    "stochastic": ((94.5, 96.4, 96.7, 97.1, 97.5), (96.9, 97.1, 97.3, 97.5, 98.0)),
    "batch": ((95.9, 97.4, 97.8, 97.9, 98.0), (97.2, 97.9, 98.1, 98.3, 98.5)),
    "AdaBoost": ((94.5, 95.0, 95.0, 94.9, 94.9), (92.8, 94.9, 96.7, 97.0, 97.5)),
    "OCB": ((92.7, 93.9, 94.3, 94.4, 94.1), (91.3, 94.4, 95.4, 95.8, 96.8)),
    "FLB": ((82.6, 89.4, 92.9, 94.4, 94.9), (94.7, 94.4, 90.5, 87.5, 83.4)),
}
PAPER_RECOVERY: BySize = {
    "stochastic": ((92.5, 93.1, 93.3, 93.5, 93.4), (93.4, 93.5, 92.4, 90.1, 89.6)),
    "batch": ((91.5, 92.1, 92.9, 92.5, 93.4), (92.8, 92.5, 91.2, 88.8, 88.4)),
    "AdaBoost": ((92.0, 92.1, 92.2, 91.9, 91.9), (91.7, 91.9, 89.9, 88.1, 86.3)),
    "OCB": ((84.3, 86.4, 89.8, 91.2, 91.2), (88.7, 91.2, 90.1, 84.4, 93.5)),
    "FLB": ((82.3, 85.3, 86.1, 84.7, 84.9), (85.2, 84.7, 83.8, 83.5, 81.9)),
}
PAPER_SECONDS: BySize = {
    "stochastic": ((39, 90, 183, 372, 751), (221, 372, 396, 447, 552)),
    "batch": ((77, 188, 401, 898, 2100), (801, 885, 1000, 1700, 2300)),
    "AdaBoost": ((91, 192, 432, 913, 2100), (847, 913, 1000, 1300, 1800)),
    "OCB": ((47, 120, 259, 590, 2000), (584, 590, 567, 560, 546)),
    "FLB": ((73, 104, 156, 207, 435), (183, 207, 262, 390, 456)),
}
PAPER_STEPS: ByMethod = {
    "accuracy": {"stochastic": (96.7, 97.1, 97.4), "batch": (97.6, 97.9, 98.2)},
    "recovery": {"stochastic": (93.1, 93.5, 93.7), "batch": (92.3, 92.5, 92.9)},
    "seconds": {"stochastic": (201, 372, 635), "batch": (545, 898, 1600)},
}
PAPER_PERIODS: ByMethod = {
    "accuracy": {"stochastic": (96.5, 94.7, 93.1), "batch": (97.1, 95.6, 93.7)},
    "recovery": {"stochastic": (92.8, 92.7, 92.1), "batch": (92.6, 91.6, 91.4)},
    "seconds": {"stochastic": (104, 45, 22), "batch": (221, 133, 96)},
}
PAPER_BAYES = {
    "IBoost": (98.0, 94.1), "OnlineBoost": (95.6, 81.8), "NSOnlineBoost": (96.9, 85.1), "FLC": (97.4, 83.4),
    "AdWin Bagging": (94.5, 80.0), "OCB": (95.2, 80.6), "DWM": (96.9, 88.8), "FLB": (94.9, 87.6),
}
TABLE_2 = {"accuracy": PAPER_ACCURACY, "recovery": PAPER_RECOVERY, "seconds": PAPER_SECONDS}


def in_table_2(method: str, n_members: int, window: int, what: str = "accuracy") -> float:
    """Return a number of table 2, in its right half where both halves have it."""
    by_members, by_rows = TABLE_2[what][method]
    return by_rows[ROWS.index(window)] if n_members == 200 else by_members[MEMBERS.index(n_members)]
