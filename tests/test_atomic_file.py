"""Files that are complete, or as they were before."""

import os
import stat
import threading

import pytest

from thalweg._atomic_file import replacing, replacing_text


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


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o400])
def test_the_new_file_has_the_permissions_of_the_old_one_from_its_first_byte(tmp_path, mode, monkeypatch):
    path = tmp_path / "a.bin"
    write(path, b"old")
    path.chmod(mode)
    opened = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda *args: opened.append(args) or real(*args))
    with replacing(path) as file:
        assert opened[0][2] == mode
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == mode
        file.write(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path):
    path, read = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    reader.start()
    write(path, b"new")
    reader.join(10)
    assert read == [b"new"] and stat.S_ISFIFO(path.stat().st_mode)


def test_a_device_is_written_into_after_the_check(tmp_path):
    link, checked = tmp_path / "null", []
    link.symlink_to(os.devnull)
    with replacing(link, lambda part: checked.append(part.read_bytes())) as file:
        file.write(b"new")
    assert checked == [b"new"] and stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert os.listdir(tmp_path) == ["null"]


def test_text_is_written_in_utf_8_and_is_complete_or_as_before(tmp_path):
    path = tmp_path / "a.txt"
    with replacing_text(path) as file:
        file.write("ä\r\n")
    with pytest.raises(ValueError), replacing_text(path) as file:
        file.write("b")
        raise ValueError
    assert path.read_bytes() == "ä\r\n".encode() and os.listdir(tmp_path) == ["a.txt"]
