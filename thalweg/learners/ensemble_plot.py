"""Draws what became of an ensemble's members."""

import numpy as np


def plot_history(history, noted, axes=None):
    """Draw the members' weights or errors above their sizes, with a tick where a member was replaced."""
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(2, 1, sharex=True)[1]
    for ax, name in zip(axes, (noted, "size"), strict=True):
        ax.plot(history["row"], history[name], linewidth=1)
        ax.set_ylabel(f"{name} of each member")
        bottom = np.full(len(history["event_row"]), ax.get_ylim()[0])
        ax.plot(history["event_row"], bottom, "k|", markersize=6, label="member replaced")
    axes[-1].set_xlabel("rows learned")
    if len(history["event_row"]):
        axes[0].legend(loc="best", frameon=False)
    return axes
