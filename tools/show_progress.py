"""Run a command that compiles, and show how far it is: `show_progress.py COMMAND ARGUMENT…`.

Of its output only ninja's counters are shown: on a terminal as one line that changes, elsewhere as ten lines.
If the command fails, the end of its output is printed, and its exit code is returned.
"""

import os
import re
import subprocess
import sys
import time
from collections import deque

STEP = re.compile(r"\[(\d+)/(\d+)\]")
LAST_LINES = 60


def main(command: list[str]) -> int:
    """Run the command; return its exit code."""
    start, last, tenth = time.monotonic(), deque[str](maxlen=LAST_LINES), -1
    on_terminal = sys.stdout.isatty()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    run = subprocess.Popen(command, text=True, errors="replace", **pipes)
    assert run.stdout is not None
    for line in run.stdout:
        last.append(line)
        step = STEP.search(line)
        if not step:
            continue
        done, steps = int(step[1]), int(step[2])
        said = f"  compiling: {done} of {steps} steps, {time.monotonic() - start:.0f} s"
        if on_terminal:
            print(f"\r{said}\x1b[K", end="", flush=True)
        elif 10 * done // steps > tenth:
            print(said, flush=True)
        tenth = 10 * done // steps
    code = run.wait()
    if on_terminal and tenth >= 0:
        print()
    if code:
        sys.stdout.writelines(last)
    ended, seconds = "failed" if code else "done", time.monotonic() - start
    print(f"  {ended} after {seconds:.0f} s on {os.cpu_count()} cores")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
