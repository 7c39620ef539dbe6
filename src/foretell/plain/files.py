"""Files that are either whole or not there, and folders one process holds at a time."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from foretell.plain.errors import BadInput, Busy, StoreProblem

_UMASK = os.umask(0o022)  # it can only be read by setting it
os.umask(_UMASK)


def write_atomically(path: Path, content: bytes | str) -> None:
    """Write beside, flush to disk, rename over: a reader or a crash never sees half a file."""
    data = content.encode() if isinstance(content, str) else content
    with explain_disk_trouble(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).chmod(0o666 & ~_UMASK)  # others may read the store too
            Path(temporary).replace(path)
            _sync_folder(path.parent)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a crash of the machine, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def explain_disk_trouble(path: Path) -> Iterator[None]:
    """Turn an operating-system refusal to write into a message that says what to do."""
    try:
        yield
    except OSError as error:
        reasons = {
            errno.ENOSPC: "the disk is full",
            errno.EDQUOT: "the disk quota is used up",
            errno.EROFS: "the disk is read-only",
            errno.EACCES: "this user may not write there",
            errno.EPERM: "this user may not write there",
            errno.ENOTDIR: "a part of the path is a file, not a folder",
        }
        raise StoreProblem(
            "cannot write",
            seen=path,
            why=reasons.get(error.errno or 0, error.strerror or str(error)),
            hint="free some space, or name another place (--store, FORETELL_STORE, --html, --out); "
            "what was saved before is intact",
        ) from error


def read_text(path: Path) -> str:
    """Text of a file the user named; every way it can fail is one clear message."""
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors put a mark in front
    except FileNotFoundError:
        raise BadInput("no such file", seen=path, hint="check the path") from None
    except IsADirectoryError:
        raise BadInput("that is a folder, not a file", seen=path) from None
    except UnicodeDecodeError as error:
        raise BadInput(
            "the file is not UTF-8 text",
            seen=path,
            why=f"byte {error.start} cannot be read",
            hint="save it as UTF-8",
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL byte
        why = getattr(error, "strerror", None) or str(error)
        raise BadInput("cannot read the file", seen=repr(str(path)), why=why) from None


def read_standard_input() -> str:
    """The same for what is piped in, whatever the locale."""
    whole = sys.stdin.buffer.read()
    try:
        return whole.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            "the input is not UTF-8 text",
            seen=whole[max(0, error.start - 20) : error.end],
            why=f"byte {error.start} cannot be read",
            hint="send it as UTF-8",
        ) from None


@contextlib.contextmanager
def hold(path: Path, *, what: str) -> Iterator[None]:
    """Hold a lock file while the block runs; the system frees it even after SIGKILL."""
    with explain_disk_trouble(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN):
                raise StoreProblem(
                    "cannot lock a run",
                    seen=path,
                    why=error.strerror,
                    hint="a --store on a local disk",
                ) from None
            raise Busy(
                f"another process is working on {what}",
                seen=path.parent,
                why="two processes training the same run would do the work twice",
                hint="wait for it to end (its result will be read from the store), "
                "or use another --store",
            ) from None
        yield
    finally:
        os.close(handle)
