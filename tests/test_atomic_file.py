"""Files that are complete, or as they were before."""

import os
import stat

import pytest

from thalweg._atomic_file import replacing


def write(path, data):
    with replacing(path) as file:
        file.write(data)


def test_a_file_takes_its_name_when_it_is_complete(tmp_path):
    path = tmp_path / "a.bin"
    with replacing(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.bin"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_the_file_is_as_it_was(tmp_path, error):
    path = tmp_path / "a.bin"
    write(path, b"old")
    with pytest.raises(error), replacing(path) as file:
        file.write(b"ne")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_permissions_stay_and_links_go_on_pointing(tmp_path):
    path, link = tmp_path / "a.bin", tmp_path / "link"
    write(path, b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write(link, b"new")
    assert link.is_symlink() and path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
