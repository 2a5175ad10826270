"""A few hundred damaged states, banks and folders of runs; `tests/fuzz/keyed_states.py` tries more."""

import fuzz.keyed_states
from support.numbered_inputs import check_sample


def test_states_with_damaged_values_are_restored_or_refused(tmp_path):
    check_sample(fuzz.keyed_states.run, tmp_path, 200)
