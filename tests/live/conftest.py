"""A folder after a crash."""

import pytest
from live.live_rows import crash, new_model, work

from thalweg.live import LiveModel


@pytest.fixture
def crashed(tmp_path):
    """A folder with checkpoints at events 30 and 60 and 30 events after them, and the digest."""
    folder = tmp_path / "live"
    live = LiveModel(folder, new_model())
    for start in (0, 100, 200):
        work(live, start, start + 16)
        if start < 200:
            live.checkpoint()
    digest, event = live.digest(), live.event
    crash(live)
    return folder, digest, event
