"""Run cases of the drivers in another process, in turns, and tell what is found."""

import importlib
import os
import time
import warnings
from collections import Counter

from support.isolated import Worker

DRIVERS = ["compositions", "tables", "services", "figures", "interruptions"]
TIME_LIMIT = 120  # seconds for one case

# What is found and stays, with the reason: (driver, part of the message, reason).
KNOWN = []


def load(driver):
    """Return the module of a driver; its `run(seed)` tries one case."""
    return importlib.import_module(f"random_use.{driver}")


def answer(case):
    """Return seconds of work and what came of a case, "DRIVER SEED": a word, or FOUND and the error."""
    driver, seed = case.split()
    module, begun = load(driver), sum(os.times()[:4])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            what = module.run(int(seed))
    except BaseException as error:
        what = f"FOUND {type(error).__name__}: {error}"
    return f"{sum(os.times()[:4]) - begun:.3f} {what}"


def hunt(drivers, seed, step, seconds, tell):
    """Return how many cases of each driver ended in what; `tell` each that was found.

    The cases are `seed`, `seed + step`, …, for so many seconds of work, a third of which may be waiting; each
    driver gets the same time.
    """
    counts, spent, case = Counter(), dict.fromkeys(drivers, 0.0), seed
    with Worker(["-m", "random_use", "--worker"]) as worker:
        while sum(spent.values()) < seconds:
            driver = min(drivers, key=spent.get)
            begun = time.monotonic()
            answered, ending = worker.answer(f"{driver} {case}")
            taken = time.monotonic() - begun
            worked, _, what = (answered or f"{taken} FOUND {ending}").partition(" ")
            spent[driver] += max(float(worked), taken / 3)
            if what.startswith("FOUND"):
                what, known = "FOUND", reason(driver, found := what.removeprefix("FOUND "))
                if known:
                    what = f"known ({known})"
                else:
                    tell(f"--driver {driver} --case {case}: {found}")
            counts[driver, what] += 1
            case += step
    return counts


def reason(driver, found):
    """Return why this may stay, or None."""
    return next((why for where, part, why in KNOWN if where == driver and part in found), None)
