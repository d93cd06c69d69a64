"""Looking at files without reading them: which there are, and how the first ones begin. Raises nothing."""

from __future__ import annotations

import csv
import html
import io
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path

from negstats.loaders.files.damaged import readable
from negstats.loaders.files.delimited import layout, long_cells
from negstats.loaders.files.intake import Intake, beginning, opened
from negstats.loaders.format import Evidence, Strength

HEAD = 1 << 16  # bytes of a file that are looked at
_SHARED = "xl/sharedStrings.xml"  # texts of cells in a workbook
_FIRST_ROW = 1 << 20  # bytes of a sheet and of its texts in which the first row stands
MOST_FILES = 20  # of a folder that are looked at
ALL_FILES = 1_000_000  # more than a study's folder has


def first_files(
    path: Path, *endings: str, most: int = MOST_FILES, deep: bool = False, names: Collection[str] = ()
) -> list[Path]:
    """Return the file itself, or the first files of a folder, sorted by path.

    Parameters
    ----------
    path
        A file or a folder.
    endings
        Which files, by their ending in lower case; none of them: all.
    most
        How many at the most.
    deep
        Whether folders inside the folder are looked into.
    names
        What the files of a folder are called; none of them: anything.
    """
    paths = [path] if not path.is_dir() else sorted(_list_files(path, deep=deep))
    named_paths = (file for file in readable(paths, path) if not names or file.name in names or file == path)
    return list(islice((file for file in named_paths if not endings or file.suffix.lower() in endings), most))


def first_evidence(
    path: Path,
    describe: Callable[[Path], tuple[Strength, str] | None],
    *endings: str,
    most: int = MOST_FILES,
    deep: bool = False,
    names: Collection[str] = (),
) -> Evidence | None:
    """Return the evidence of the first file that `describe` knows: how strongly, and by what (such as "has the key a").

    The other parameters are those of `first_files`.
    """
    for file in first_files(path, *endings, most=most, deep=deep, names=names):
        description = describe(file)
        if description is not None:
            strength, because = description
            return Evidence(strength, f"{file.name} {because}", (file,))
    return None


def own_files(
    path: Path,
    intake: Intake,
    is_own: Callable[[Path], object],
    others: str | Callable[[Path], str],
    *endings: str,
    deep: bool = False,
) -> list[Path]:
    """Return the file itself, or those of a folder that are a format's own; the others are left out as `others`."""
    files = []
    for file in first_files(path, *endings, most=ALL_FILES, deep=deep):
        if file == path or is_own(file):
            files.append(file)
        else:
            intake.leave_out(file, 0, others if isinstance(others, str) else others(file))
    return files


def _list_files(folder: Path, *, deep: bool) -> Iterator[Path]:
    try:
        for place, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            yield from (Path(place) / name for name in files)
            if not deep:
                folders.clear()
    except OSError:
        return


def head(file: Path) -> bytes:
    """Return the first 64 KiB of a file without a byte order mark; nothing if it cannot be read."""
    return beginning(file, HEAD).removeprefix(b"\xef\xbb\xbf")


def records(file: Path, most: int) -> list[list[str]]:
    """Return the first records of a delimited file, as cells; fewer if it is no such file.

    The delimiter is the comma, semicolon or tab that the first line has most of. The last record is dropped where the
    64 KiB end in it.
    """
    data = head(file)
    if b"\0" in data:
        return []
    text = data.decode("utf-8", errors="ignore")
    delimiter, _ = layout(text)
    record_list: list[list[str]] = []
    try:
        with long_cells():
            record_list = list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), most + 1))
    except csv.Error:
        return []
    is_cut = len(data) >= HEAD - 3 and len(record_list) <= most
    return record_list[:-1] if is_cut else record_list[:most]


def header(file: Path) -> list[str]:
    """Return the cells of a delimited file's first record, outer space gone; none if it is no such file."""
    first = records(file, 1)
    return [cell.strip() for cell in first[0]] if first else []


def sheets_of(file: Path) -> list[str]:
    """Return the names of a workbook's sheets without reading them; none if it is not a workbook."""
    text = _part_of_workbook(file, "xl/workbook.xml", HEAD)
    return [html.unescape(name) for name in re.findall(r'<(?:\w+:)?sheet\s[^>]*?\bname="([^"]*)"', text)]


def header_of_workbook(file: Path) -> list[str]:
    """Return the texts of the first row of a workbook's first sheet; none if it is not a workbook, or is cut there.

    Only the beginning of the sheet, and of the texts that its cells share, is looked at: the first row's come first.
    """
    sheet, words = (_part_of_workbook(file, name, _FIRST_ROW) for name in ("xl/worksheets/sheet1.xml", _SHARED))
    row = re.search(r"<row\b[^>]*>(.*?)</row>", sheet, re.DOTALL)
    if row is None:
        return []
    shared = re.findall(r"<si\b[^>]*>(.*?)</si>", words, re.DOTALL)
    texts = []
    for kind, content in re.findall(r"<c\b([^>]*?)(?:/>|>(.*?)</c>)", row[1], re.DOTALL):
        place = re.search(r"<v>(\d+)</v>", content) if 't="s"' in kind else None
        cell = content if place is None else "".join(shared[int(place[1]) :][:1])
        texts.append(html.unescape("".join(re.findall(r"<t\b[^>]*>(.*?)</t>", cell, re.DOTALL))).strip())
    return texts


def _part_of_workbook(file: Path, name: str, size: int) -> str:
    """Return the beginning of a file inside of a workbook; "" if it is no workbook, or has no such file."""
    try:
        with opened(file) as stream, zipfile.ZipFile(stream) as archive, archive.open(name) as part:
            return part.read(size).decode("utf-8", errors="ignore")
    except (OSError, ValueError, KeyError, NotImplementedError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error):
        return ""
