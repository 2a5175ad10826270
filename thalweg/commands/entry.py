"""The command `thalweg` as a process: Ctrl-C prints no trace, also while modules are imported."""

import signal
import sys
from typing import NoReturn

INTERRUPTED = 130  # exit status, as shells have it


def entry() -> NoReturn:
    """Run the command, which takes a moment to import."""
    try:
        from thalweg.commands.app import main

        main()
    except (Exception, KeyboardInterrupt) as error:
        if not is_interruption(error):
            raise
        sys.stderr.write("thalweg: interrupted\n")
        sys.exit(INTERRUPTED)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def is_interruption(error: BaseException | None) -> bool:
    """Return whether Ctrl-C caused the error: an import of a compiled module then raises ImportError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
