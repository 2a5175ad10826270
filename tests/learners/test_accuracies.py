"""Every learner scores on every stream what the table says: no learner changes unnoticed."""

import pytest
from expected_accuracies import TOLERANCE, difference, measured, platform_tag, read
from golden.streams import STREAMS, folder, is_there

from thalweg.learners import registry

TABLE = read()


@pytest.mark.parametrize("learner", [*registry])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_learner_scores_what_the_table_says(stream, learner):
    assert (stream, learner) in TABLE, (
        f"tests/golden/accuracies.csv does not have {learner} on {stream}; if one of them is new, run: "
        "python tests/expected_accuracies.py --add"
    )
    if not is_there(stream):
        pytest.skip(f"{stream} is not in {folder()}")
    news = difference(measured(stream, learner), TABLE[stream, learner])
    renew = f"python tests/expected_accuracies.py --renew {learner}"
    assert news is None, f"{news}; if that is meant, run: {renew}"


def test_the_table_names_nothing_else():
    assert set(TABLE) == {(stream, learner) for stream in STREAMS for learner in registry}


def test_the_table_was_measured_on_this_platform():
    n_others = sum(line["platform"] != platform_tag() for line in TABLE.values())
    if n_others:
        pytest.skip(f"{n_others} of {len(TABLE)} figures come from another platform: compared to {TOLERANCE}")
