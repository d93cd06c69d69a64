"""Writing files whole or not at all: beside the target first, then renamed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from negstats.errors import UsageError

__all__ = ["written_whole"]


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Yield a path to write to; when all went well, the file takes the place of `path`.

    A failure leaves what stood at `path` before, and nothing beside it.

    Raises
    ------
    UsageError
        If `path` is a folder, or its folder cannot be written to.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "table.csv") as fresh:
    ...         _ = fresh.write_text("a,b")
    ...     print((Path(folder) / "table.csv").read_text())
    a,b
    """
    target = Path(path)
    if target.is_dir():
        raise UsageError(f"{target}: is a folder; name a file")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror}") from None
    with folder as beside:
        fresh = Path(beside) / target.name
        yield fresh
        fresh.replace(target)
