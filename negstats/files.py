"""Writing on the user's disk: a file or a folder is there whole or not at all, and what is not ours stays.

What is written stands beside its place first, is flushed to the disk, and takes its place in one step. While it is
written, it lies in a hidden folder ``.negstats-...`` that the writer holds a lock on; the kernel lets go of the lock
when the writer dies, so the next writer to the same place can tell what was left behind and clears it away.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import secrets
import shutil
import signal
import stat
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from negstats.errors import UsageError

NO_EXCHANGE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


class Leftover(UserWarning):
    """An interrupted writer left something behind, and it was cleared away."""


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Yield a path to write to; when all went well, the file takes the place of `path`.

    A failure leaves what stood at `path` before, and nothing beside it. Links are followed: the link stays, and the
    file that it points to is replaced, keeping its mode. A new file has the mode that the umask gives. A device, a pipe
    or an open descriptor (``/dev/stdout``) is not a file that can be replaced: it gets the bytes when all are there.

    Raises
    ------
    UsageError
        If `path` is a folder, or it cannot be written: no permission, no room. The message names it.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "table.csv") as fresh:
    ...         _ = fresh.write_text("a,b")
    ...     print((Path(folder) / "table.csv").read_text())
    a,b
    """
    destination = Path(path)
    with refused(destination):
        if (descriptor := _descriptor(destination)) is not None:
            kind = stat.S_IFCHR  # never replaced, whatever it leads to
        else:
            target = real(destination)
            kind = stat.S_IFMT(target.stat().st_mode) if target.exists() else 0
        if kind == stat.S_IFDIR:
            raise UsageError(f"{destination}: is a folder; name a file")
        if kind not in (0, stat.S_IFREG):
            with tempfile.TemporaryDirectory(prefix="negstats-") as folder:
                fresh = Path(folder) / destination.name
                yield fresh
                _poured(fresh, destination if descriptor is None else descriptor)
            return
        if kind and not os.access(target, os.W_OK):
            raise UsageError(f"{destination}: cannot be written: it is write-protected")
        target.parent.mkdir(parents=True, exist_ok=True)
        with beside(target, lambda entry: entry.name == target.name) as folder_beside:
            fresh = folder_beside / target.name
            yield fresh
            if kind:
                as_was(target, fresh)
            flushed(fresh)
            fresh.replace(target)
        flushed(target.parent)


def write_whole(path: str | Path, text: str) -> None:
    """Write a text to a file, in UTF-8, whole or not at all.

    Parameters
    ----------
    path
        The file.
    text
        What it holds.
    """
    with written_whole(path) as fresh:
        fresh.write_text(text, encoding="utf-8")


@contextmanager
def refused(path: Path) -> Iterator[None]:
    """Turn what the system says of writing to `path` into one line that names it.

    Raises
    ------
    UsageError
        For any OSError, and for a path that no system takes (a zero byte in it).
    """
    if "\0" in str(path):
        raise UsageError(f"{path}: this is not a valid file name")
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None


def as_was(old: Path, new: Path) -> None:
    """Give `new` the mode of `old`, and its owner where the system lets us."""
    old_status = old.stat()
    new.chmod(stat.S_IMODE(old_status.st_mode))
    new_status = new.stat()
    if (old_status.st_uid, old_status.st_gid) != (new_status.st_uid, new_status.st_gid):
        with suppress(OSError):
            os.chown(new, old_status.st_uid, old_status.st_gid)


def real(path: Path) -> Path:
    """Return where `path` leads when all links are followed.

    Raises
    ------
    UsageError
        If the links run in a circle.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise UsageError(f"{path}: is a link that leads to itself")
    return target


@contextmanager
def beside(target: Path, ours: Callable[[Path], bool]) -> Iterator[Path]:
    """Yield a new folder in the folder of `target`, locked as long as it is used and removed at the end.

    Folders for the same target that dead writers left behind are removed first, with a `Leftover` warning for each.

    Parameters
    ----------
    target
        What will be replaced.
    ours
        Whether a file or folder is such as may stand in one; a folder that holds anything else is not ours and stays.
    """
    mark = f".negstats-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]}-"
    for old in sorted(target.parent.glob(f"{mark}*")):
        _clear(old, target, ours)
    while True:
        folder = target.parent / f"{mark}{secrets.token_hex(6)}"
        folder.mkdir()
        lock = locked(folder)
        if lock is not None or folder.exists():
            break  # else another writer took it for a leftover, between the two calls above
    try:
        with _ending_in_order():
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the program as an error does, so that what was begun is cleared away.

    Only where nobody else handles them, and in the main thread, where Python allows it.
    """
    names = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    ours = threading.current_thread() is threading.main_thread()
    handled = [number for number in names if ours and signal.getsignal(number) is signal.SIG_DFL]
    for number in handled:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _clear(old: Path, target: Path, ours: Callable[[Path], bool]) -> None:
    lock = locked(old, wait=False)
    if lock is None:  # its writer is at work, or nobody can tell
        return
    try:
        with suppress(OSError):
            if all(map(ours, old.iterdir())):
                shutil.rmtree(old)
                message = f"{old}: was left behind by an interrupted writing of {target.name}; removed"
                warnings.warn(message, Leftover, stacklevel=5)
    finally:
        os.close(lock)


def locked(folder: Path, *, wait: bool = True) -> int | None:
    """Return a descriptor that holds the lock of `folder`; None if it is gone, held (without `wait`), or has none."""
    try:
        import fcntl
    except ImportError:  # no POSIX system
        return None
    while True:
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            os.close(lock)
            return None
        with suppress(OSError):
            if os.path.samestat(os.fstat(lock), folder.lstat()):
                return lock
        os.close(lock)  # it was removed, or another took its place, before we had the lock
        if not wait:
            return None


def listed(folder: Path) -> list[Path]:
    """Return what stands in a folder, and nothing if it has gone."""
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []


def flushed(path: Path) -> None:
    """Wait until a file's content, or a folder's list of names, is on the disk."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:  # a folder that may be written to and not be read, or one of Windows
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in NO_EXCHANGE:
            raise
    finally:
        os.close(descriptor)


def exchange(path: Path, other: Path) -> bool:
    """Exchange two folders in one step, so that no moment has neither; False where the system cannot.

    Linux has renameat2(2) with RENAME_EXCHANGE, macOS renamex_np(2) with RENAME_SWAP.

    Raises
    ------
    OSError
        If the system can and does not: no permission, a folder that is not there.
    """
    call = _exchanging()
    if call is None:
        return False
    if call(os.fsencode(path), os.fsencode(other)) == 0:
        return True
    number = ctypes.get_errno()
    if number in NO_EXCHANGE:
        return False
    raise OSError(number, os.strerror(number), str(other))


def _exchanging() -> Callable[[bytes, bytes], int] | None:
    if os.name != "posix":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    if hasattr(library, "renameat2"):
        working_folder, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
        return lambda one, other: int(library.renameat2(working_folder, one, working_folder, other, swap))
    if hasattr(library, "renamex_np"):
        return lambda one, other: int(library.renamex_np(one, other, 2))  # RENAME_SWAP
    return None


def _descriptor(path: Path) -> int | None:
    """Return the number of this process's descriptor that `path` names: /dev/stdout, /dev/fd/3, or a link to one."""
    folders = ("/dev/fd", "/proc/self/fd", f"/proc/{os.getpid()}/fd")
    for _ in range(40):  # as many links as Linux follows
        folder = os.path.realpath(path.parent)
        if folder in folders and path.name.isdecimal():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = Path(folder) / path.readlink()
    return None


def _poured(fresh: Path, into: Path | int) -> None:
    """Write a finished file's bytes into a device, a pipe, or an open descriptor at the place where it stands."""
    sys.stdout.flush()
    sys.stderr.flush()
    # os.dup, not a new opening: that would begin at the start of a file which the shell opened
    descriptor = os.dup(into) if isinstance(into, int) else os.open(into, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
    with fresh.open("rb") as source, os.fdopen(descriptor, "wb") as sink:
        shutil.copyfileobj(source, sink)
