"""A few folders with damaged logs and checkpoints; `tests/fuzz/live_folders.py` tries more."""

import fuzz.live_folders
from support.numbered_inputs import check_sample


def test_folders_with_damaged_values_are_opened_or_refused(tmp_path):
    check_sample(fuzz.live_folders.run, tmp_path, 100)
