"""Hunt for defects: let the drivers use the library at random, and print the cases in which it errs.

    make hunt MINUTES=30
    PYTHONPATH=tests python -m random_use --minutes 30 --seed 5
    PYTHONPATH=tests python -m random_use --driver compositions --case 12345
"""

import argparse
import random
import sys
from concurrent.futures import ThreadPoolExecutor

from support.isolated import answer_cases

from random_use.hunt import DRIVERS, TIME_LIMIT, answer, hunt, load


def main():
    """Do what the command line asks for; exit with status 1 if something was found."""
    parser = argparse.ArgumentParser(prog="random_use", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30, help="how long each process goes on")
    parser.add_argument("--seed", type=int, help="the first case; random unless given")
    parser.add_argument("--driver", choices=DRIVERS, action="append", help="only this; may be repeated")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    parser.add_argument("--case", type=int, help="only this case, in this process, with its traceback")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        answer_cases(answer, TIME_LIMIT)
        return
    drivers = options.driver or DRIVERS
    if options.case is not None:
        print(load(drivers[0]).run(options.case))
        return
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    print(f"--seed {seed}", flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        parts = [
            pool.submit(hunt, drivers, seed + job, options.jobs, 60 * options.minutes, print)
            for job in range(options.jobs)
        ]
        counts = [part.result() for part in parts]
    total = sum(counts, counts[0].__class__())
    print(", ".join(f"{driver} {what}: {n}" for (driver, what), n in sorted(total.items())))
    sys.exit(any(what == "FOUND" for _, what in total))


if __name__ == "__main__":
    main()
