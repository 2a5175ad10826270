"""Under CI a skipped test fails the session unless its reason is allowed here. Elsewhere any test may skip.

`.ci/run` sets THALWEG_CI, and installs what it can. THALWEG_CI_LACKS names what it may not install.
"""

import os
import re
from collections import Counter

import pytest

from support.places import SHARED

ALLOWED = {  # regular expressions of reasons, and whether one may be given on this machine
    r"CapyMOA, which needs Java, is not installed": lambda reason: True,
    r"needs Chromium": lambda reason: lacks("chromium"),
    r"Java, which Spark needs": lambda reason: lacks("java"),
    r"beside the checkout \(\.\./shared/(\w+)\)": lambda reason: not (SHARED / reason[1]).is_dir(),
}


def lacks(name):
    """Return whether CI says that it may not install this."""
    return name in os.environ.get("THALWEG_CI_LACKS", "").split()


def is_allowed(reason):
    """Return whether a test may be skipped under CI for this reason."""
    found = [(re.search(pattern, reason), may) for pattern, may in ALLOWED.items()]
    return any(match is not None and may(match) for match, may in found)


def skipped(config):
    """Return how many tests were skipped for each reason."""
    reports = config.pluginmanager.get_plugin("terminalreporter").stats.get("skipped", [])
    return Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)


def is_under_ci(config):
    """Return whether skips count here: under CI, and not in a worker, which knows only its own."""
    return "THALWEG_CI" in os.environ and not hasattr(config, "workerinput")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    """Fail a session in which a test was skipped that should have run."""
    if is_under_ci(session.config) and not all(map(is_allowed, skipped(session.config))):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def tell(terminalreporter, config):
    """List what was skipped, and which of it should have run."""
    if not is_under_ci(config):
        return
    terminalreporter.section("skipped under CI")
    for reason, n in sorted(skipped(config).items(), key=lambda each: is_allowed(each[0])):
        word = "allowed" if is_allowed(reason) else "SHOULD HAVE RUN"
        terminalreporter.line(f"{word}: {n} × {reason}")
