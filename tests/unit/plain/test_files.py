"""Files are whole or not there; folders have one holder."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from foretell.plain.errors import BadInput, StoreProblem
from foretell.plain.files import hold, read_text, write_atomically

HOLD = """
import sys, time
from pathlib import Path
from foretell.plain.files import hold
with hold(Path(sys.argv[1]), what="run 1"):
    print("held", flush=True)
    time.sleep(60)
"""


def fail_with(number: int) -> object:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return refuse


@pytest.mark.parametrize("content", ["text Σ\n", b"\x00\xff", "", b""])
def test_what_is_written_is_what_is_read(tmp_path: Path, content: str | bytes) -> None:
    path = tmp_path / "new" / "deep" / "file"
    write_atomically(path, content)
    expected = content.encode() if isinstance(content, str) else content
    assert path.read_bytes() == expected
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "read-only"),
        (errno.EIO, os.strerror(errno.EIO)),
    ],
)
@pytest.mark.parametrize("place", ["os.fsync", "pathlib.Path.replace"])
def test_a_failed_write_leaves_the_old_content_and_no_leftovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, why: str, place: str
) -> None:
    path = tmp_path / "record.json"
    write_atomically(path, "old")
    with monkeypatch.context() as patch:
        patch.setattr(place, fail_with(number))
        with pytest.raises(StoreProblem, match="cannot write") as caught:
            write_atomically(path, "new")
    assert why in str(caught.value)
    assert str(path) in str(caught.value) and caught.value.hint
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_in_the_middle_leaves_the_old_content_and_stays_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "record.json"
    write_atomically(path, "old")
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_data_is_on_disk_before_it_takes_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    sync, rename = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (order.append("sync"), sync(handle))[1])
    monkeypatch.setattr(
        Path, "replace", lambda self, to: (order.append("rename"), rename(self, to))[1]
    )
    write_atomically(tmp_path / "file", "x")
    assert order[:2] == ["sync", "rename"]


def test_a_folder_one_may_not_write_to_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    if os.access(folder, os.W_OK):  # root writes anywhere: refuse by hand
        monkeypatch.setattr("tempfile.mkstemp", fail_with(errno.EACCES))
    with pytest.raises(StoreProblem, match="may not write there") as caught:
        write_atomically(folder / "file", "x")
    assert "--store" in str(caught.value.hint)
    folder.chmod(0o700)
    assert list(folder.iterdir()) == []


def test_a_file_where_a_folder_should_be_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreProblem):
        write_atomically(tmp_path / "file" / "below", "x")
    with pytest.raises(StoreProblem, match="not a folder"):
        write_atomically(tmp_path / "file" / "deep" / "below", "x")


def test_writing_over_a_folder_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreProblem):
        write_atomically(tmp_path / "folder", "x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_reading_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file") as caught:
        read_text(tmp_path / "missing.toml")
    assert "missing.toml" in str(caught.value)


def test_reading_a_folder(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="folder, not a file"):
        read_text(tmp_path)


def test_reading_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"abc\xe9")
    with pytest.raises(BadInput, match="not UTF-8") as caught:
        read_text(tmp_path / "latin")
    assert "byte 3" in str(caught.value.why) and caught.value.hint


def test_any_other_refusal_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", fail_with(errno.EACCES))
    with pytest.raises(BadInput, match="cannot read") as caught:
        read_text(tmp_path / "file")
    assert caught.value.why == os.strerror(errno.EACCES)


def test_below_a_file_is_one_clear_message_too(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match="cannot read"):
        read_text(tmp_path / "file" / "below")


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "lock")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_holder_is_refused_until_the_first_one_is_killed(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    with (
        pytest.raises(BadInput, match="another process is working on run 1") as caught,
        hold(tmp_path / "lock", what="run 1"),
    ):
        pytest.fail("two holders")
    assert caught.value.seen == tmp_path
    assert caught.value.why and "wait" in str(caught.value.hint)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with hold(tmp_path / "lock", what="run 1"):
        pass


def test_the_lock_is_free_after_the_block_also_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lock"
    with pytest.raises(ZeroDivisionError), hold(path, what="run"):
        raise ZeroDivisionError
    with hold(path, what="run"), pytest.raises(BadInput), hold(path, what="run"):
        pytest.fail("two holders")
    with hold(path, what="run"):
        pass


def test_an_error_inside_the_block_is_not_mistaken_for_trouble_with_the_lock(
    tmp_path: Path,
) -> None:
    with pytest.raises(OSError, match="mine"), hold(tmp_path / "lock", what="run"):
        raise OSError("mine")


def test_a_lock_that_cannot_be_made_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "open", fail_with(errno.EROFS))
    with (
        pytest.raises(StoreProblem, match="read-only"),
        hold(tmp_path / "lock", what="run"),
    ):
        pytest.fail("held")
