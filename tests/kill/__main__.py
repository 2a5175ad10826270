"""Kill a process that owns a live model, again and again, and check that nothing acknowledged is lost.

python -m tests.kill --kills 1000            # in each mode
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from kill.parent import MODES, Failed, Rounds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="kills in each mode")
    parser.add_argument("--mode", choices=[*MODES, "all"], default="all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--learner", default="LogisticMixture")
    options = parser.parse_args()
    for mode in MODES if options.mode == "all" else [options.mode]:
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            rounds = Rounds(Path(folder) / "live", mode, options.seed, options.learner)
            try:
                while rounds.counts.kills < options.kills:
                    rounds.round()
                    if rounds.counts.kills % 50 == 0:
                        print(f"{mode:12} {rounds.counts}", file=sys.stderr, flush=True)
            except Failed as error:
                print(f"{mode}, kill {rounds.counts.kills}, seed {options.seed}: {error}")
                return 1
        print(f"{mode:12} {rounds.counts} in {time.monotonic() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
