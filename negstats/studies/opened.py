"""The files that an open study reads: links to them in a folder of ours, each with what tells whether it has changed.

What is checked (a SHA-256, the rows) is checked by way of the link, and an engine reads the link: so both see one file,
whatever the path of the study is called. Where the file system lets us, the link is a second name of the file itself: a
study that is replaced or removed meanwhile is still read as it was opened.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from negstats import files
from negstats.errors import LogError, UsageError

MEANS_MORE = re.compile(r"[*?\[\]{}\\=:^$]")  # to an engine, in a path: a pattern, a column and its value, an address


def temporary_folder() -> Path:
    """Return a new folder for temporary files, whose path every engine takes for nothing but a path.

    Raises
    ------
    UsageError
        If the folder for temporary files (TMPDIR) has a character that an engine would read as a pattern.
    """
    root = Path(tempfile.gettempdir()).absolute()
    if any(MEANS_MORE.search(name) for name in root.parts[1:]):
        raise UsageError(
            f"{root}: temporary files cannot be put there, since engines read characters of this path as a pattern; "
            "set TMPDIR to another folder"
        )
    with files.refused(root):
        return Path(tempfile.mkdtemp(prefix="negstats-", dir=root))


class OpenedFiles:
    """Links to the files of an open study, in `folder`.

    They stay until the process ends, for frames outlive the study that they came from; `close` removes them before.
    """

    def __init__(self) -> None:
        self.folder = temporary_folder()
        self._files: dict[Path, tuple[Path, tuple[int, ...]]] = {}
        atexit.register(self.close)

    def add(self, file: Path, name: str) -> Path:
        """Link a file under a name, and return the link.

        Raises
        ------
        LogError
            If the file is not there, or is a device or a pipe.
        """
        real, link = Path(os.path.realpath(file)), self.folder / name
        link.parent.mkdir(parents=True, exist_ok=True)
        try:
            if not stat.S_ISREG(real.stat().st_mode):
                raise LogError("is not a regular file; load the logs again", file=file)
            try:
                os.link(real, link)
            except OSError:  # another file system, or one of another owner
                link.symlink_to(real)
            self._files[link] = file, _identity(link)
        except FileNotFoundError:
            raise LogError("is not there; load the logs again", file=file) from None
        except OSError as error:
            raise LogError(f"cannot be read: {error.strerror}", file=file) from None
        return link

    def write(self, table: pa.Table, name: str) -> Path:
        """Write a small table of ours beside the links, and return where it is."""
        file = self.folder / f"{name}.parquet"
        pq.write_table(table, file)
        return file

    def check(self) -> None:
        """Check that each file is the one that was opened.

        Raises
        ------
        LogError
            If one was written to, replaced or removed.
        """
        for link, (file, identity) in self._files.items():
            try:
                is_same = _identity(link) == identity
            except OSError:
                raise LogError("is no longer there; it was removed while the study was open", file=file) from None
            if not is_same:
                raise LogError("has changed since the study was opened; open the study again", file=file)

    def forget(self) -> None:
        """Remove the links, to begin again."""
        for link in self._files:
            link.unlink(missing_ok=True)
        self._files.clear()

    def close(self) -> None:
        """Remove the links."""
        shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self.close)


def _identity(file: Path) -> tuple[int, ...]:
    # Not the time of its last change of any kind, which a further link to it moves.
    status = file.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
