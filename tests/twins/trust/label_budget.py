"""LabelBudget in slow plain Python."""

import math

import numpy as np

WORD, STEP = 2**64 - 1, 0x9E3779B97F4A7C15


def bits(key, count):
    z = (key + count * STEP) & WORD
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
    return z ^ (z >> 31)


def unit(word):
    return (word >> 11) / 2**53


class LabelBudgetTwin:
    """Decides row by row; keeps all uncertainties."""

    def __init__(self, share, random_share=0.2, window=500, advance=1000, seed=0):
        self.share, self.random_share, self.window, self.advance = share, random_share, window, advance
        self.key = bits(seed, 1)
        self.seen, self.n_asked, self.mean = [], 0, 1.0

    def ask_one(self, p):
        row = len(self.seen)
        best = sorted([0.0, 0.0, *p])[-2:]
        u = 1 - (best[1] - best[0]) + 1e-9 * unit(bits(self.key, 2 * row))
        latest = np.array(self.seen[-self.window :])
        self.seen.append(u)
        wish = 1.0
        if len(latest) >= 30:
            rank = ((latest < u).sum() + 0.5) / (len(latest) + 1)
            power = min(9, 1 / self.share - 1)
            wish = self.random_share + (1 - self.random_share) * (power + 1) * rank**power
        allowed = self.share * (row + 1 + self.advance)
        due = allowed - self.n_asked
        chance = min(self.share * wish / self.mean * self.pace(due, allowed), 1.0) if due >= 1 else 0.0
        self.mean = max(self.mean + (wish - self.mean) / (2 * self.window), 0.1)
        asked = unit(bits(self.key, 2 * row + 1)) < chance
        self.n_asked += asked
        return asked, chance

    def pace(self, due, allowed):
        slack = max(2, 200 * self.share)
        reserve = min(1 + 1.5 * math.sqrt(slack * (1 - self.share) / 2), 0.015 * allowed)
        return min(max(1 + (due - reserve) / slack, 0.3), 20)
