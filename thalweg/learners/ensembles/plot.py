"""Plots the history of an ensemble's members."""

from typing import Any

import numpy as np

MARKS = ("k|", "rx", "b+")


def plot_history(history: dict[str, Any], noted: str, axes: Any | None = None) -> Any:
    """Draw the members' weights or errors above their sizes, with a mark for each event."""
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(2, 1, sharex=True)[1]
    kinds = sorted(set(history["event"]))
    for ax, name in zip(axes, (noted, "size"), strict=True):
        ax.plot(history["row"], history[name], linewidth=1)
        ax.set_ylabel(f"{name} of each member")
        bottom = ax.get_ylim()[0]
        for kind, mark in zip(kinds, MARKS, strict=False):
            rows = history["event_row"][history["event"] == kind]
            ax.plot(rows, np.full(len(rows), bottom), mark, markersize=6, label=f"member {kind}")
    axes[-1].set_xlabel("rows learned")
    if kinds:
        axes[0].legend(loc="best", frameon=False)
    return axes
