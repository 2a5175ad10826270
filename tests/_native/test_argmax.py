"""The most probable class of each row is that of np.argmax."""

import numpy as np
import pytest

from thalweg._native.argmax import likeliest


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7, 40])
def test_likeliest_is_argmax(n_classes):
    p = np.random.default_rng(1).random((500, n_classes)).round(1)  # with ties
    np.testing.assert_array_equal(likeliest(p), p.argmax(axis=1))
    np.testing.assert_array_equal(likeliest(p[::2, ::-1]), p[::2, ::-1].argmax(axis=1))


def test_likeliest_of_no_rows_and_of_no_classes():
    assert len(likeliest(np.empty((0, 3)))) == 0
    with pytest.raises(ValueError, match="no classes"):
        likeliest(np.empty((3, 0)))
