"""Kill the local runner of keyed models at random moments, and check that it leaves the same bits.

python -m tests.kill_keyed --kills 100
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from kill_keyed.rounds import LEARNERS, Failed, Rounds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="kills in all")
    parser.add_argument("--events", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for i, learner in enumerate(LEARNERS):
        start, wanted = time.monotonic(), -(-options.kills // len(LEARNERS))
        with tempfile.TemporaryDirectory() as folder:
            rounds = Rounds(Path(folder) / "kill", learner, options.seed + i, options.events)
            try:
                while rounds.kills < wanted:
                    rounds.round(wanted - rounds.kills)
            except Failed as error:
                print(f"{learner}, kill {rounds.kills}, seed {options.seed}: {error}")
                return 1
        took = time.monotonic() - start
        print(f"{learner}: kills={rounds.kills} runs={rounds.complete} in {took:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
