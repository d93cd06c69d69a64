"""What the paths of files say as columns: the parts in which the paths of a log's files differ.

In ``sub-101_run-0_events.csv`` one part names the person and one the run, in ``p03/session2.csv`` the folder and the
file do. Each such part is a column like any other, called by the word that stands with it in all paths, and the reading
says what it is. A mapping takes it out of the path by `{ folder = 1 }` or a regular expression.
"""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, permutations
from pathlib import Path

from negstats.loaders.mapping.words import FILE
from negstats.loaders.reading.cell_pairs import escaped

# What parts a name in pieces, the strongest first; the first that stands equally often in all names is taken.
_DIVIDERS = ("+", "_vs_", "-vs-", " vs ", "__", "_", "-", " ", ".")
_DATE = r"(?:[ _-]*\(?(?:accessed )?\d{4}-\d\d-\d\d.*)?"  # when a file was written, at the end of its name


@dataclass(frozen=True)
class FilePart:
    """A part of the paths of files.

    Attributes
    ----------
    name : str
        What the column is called: the word that stands with the part, or else where it stands.
    source : dict
        What takes it out of the path in a mapping.
    words : dict of Path to str
        What each file has there.
    has_word : bool
        Whether a word of the paths names the part.
    parts : tuple of str
        Of the whole path the parts that name it together.
    """

    name: str
    source: dict[str, object]
    words: dict[Path, str]
    has_word: bool = False
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Piece:
    """A piece in which texts differ: what each has there, the word beside it, and patterns around it."""

    levels: tuple[str, ...]
    word: str
    before: str
    behind: str


def file_parts(files: Sequence[Path], root: Path, names: Collection[str]) -> list[FilePart]:
    r"""Return the parts in which the paths of files differ; parts that tell the same files apart stand there once.

    Parameters
    ----------
    files
        The files of a log.
    root
        Their folder.
    names
        Of the columns of their table, none of which a part is called as.

    Examples
    --------
    >>> files = [Path(f"sub-{sub}_run-{run}_events.csv") for sub in (101, 102) for run in (0, 1)]
    >>> [(part.name, part.source["file"]) for part in file_parts(files, Path(), ())]
    [('sub', '^sub-(.+?)_[^/_]+_events$'), ('run', '^[^/_]+_run-(.+?)_events$'), ('{file}', True)]
    >>> [part.words[files[-1]] for part in file_parts(files, Path(), ())]
    ['102', '1', 'sub-102_run-1_events']
    """
    paths = [file.relative_to(root) for file in files]
    if len(set(paths)) < 2:
        return []
    depth = min(len(path.parts) - 1 for path in paths)
    found: list[FilePart] = []
    for place in range(depth):
        folders = [path.parts[place] for path in paths]
        if len(set(folders)) > 1:
            word = next((piece.word for piece in _pieces(folders)), "")
            source: dict[str, object] = {"folder": place + 1}
            words = dict(zip(files, folders, strict=True))
            found.append(FilePart(word or "folder", source, words, bool(word)))
    start = "(?:^|/)" if any(len(path.parts) > 1 for path in paths) else "^"
    for piece in _pieces([path.name.removesuffix(path.suffix) for path in paths]):
        # Names that differ as a whole are the files.
        source = {"file": f"{start}{piece.before}(.+?){piece.behind}$" if piece.before or piece.behind else True}
        words = dict(zip(files, piece.levels, strict=True))
        found.append(FilePart(piece.word or "file", source, words, bool(piece.word)))
    parts = _without_doubles(found)
    is_named_once = any(len(set(part.words.values())) == len(files) for part in parts)
    parts = list(_with_own_names(parts, {*names, *(("file",) if not is_named_once else ())}))
    if not is_named_once:
        whole = {file: str(path.with_suffix("")) for file, path in zip(files, paths, strict=True)}
        parts.append(FilePart(FILE, {"file": True}, whole, parts=tuple(part.name for part in parts)))
    return parts


def source_parts(column: str, titles: Sequence[str], names: Collection[str]) -> list[FilePart]:
    """Return the parts in which the titles of tables below each other differ, which stand in the cells of a column.

    Examples
    --------
    >>> titles = ["day1_chat", "day2_chat", "day1_talk", "day2_talk"]
    >>> [(part.name, part.source["clean"]) for part in source_parts("source", titles, ())]
    [('day', '^day|_[^/_]+$'), ('source', '^[^/_]+_')]
    >>> [part.source["clean"] for part in source_parts("source", ["a/s1", "b/s2", "a/s3", "b/s4"], ())]
    ['/[^/]+$', '^[^/]+/']
    """
    files, found = [Path(title) for title in titles], list[FilePart]()
    for piece in _pieces(titles, ("/", *_DIVIDERS)):  # in an archive a title is a path
        ends = [f"^{piece.before}" if piece.before else "", f"{piece.behind}$" if piece.behind else ""]
        source: dict[str, object] = {"column": column, "clean": "|".join(filter(None, ends))}
        words = dict(zip(files, piece.levels, strict=True))
        found += [FilePart(piece.word or column, source, words, bool(piece.word))] if any(ends) else []
    return list(_with_own_names(_without_doubles(found), names))


def name_pattern(names: Sequence[str]) -> str:
    """Return a pattern of names of files, with a star for what differs between them.

    Examples
    --------
    >>> name_pattern(["sub-101_run-0_events", "sub-102_run-1_events"]), name_pattern(["TG_1", "TG_12"])
    ('sub-*_run-*_events', 'TG_*')
    """
    divider, columns = _columns_of(names)
    pieces = []
    for levels in columns:
        start = _common_start(levels).rstrip("0123456789")
        end = _common_start([level[len(start) :][::-1] for level in levels])[::-1].lstrip("0123456789")
        is_same = len(set(levels)) == 1
        pieces.append(glob.escape(levels[0]) if is_same else f"{glob.escape(start)}*{glob.escape(end)}")
    return divider.join(pieces)


def are_of_one_kind(names: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two lots of files are called alike, so that one may hold more of what the other does.

    A word that tells the two apart, where a person or a run has files of both, says what the files are about.

    Examples
    --------
    >>> are_of_one_kind(["TG_1", "TG_2"], ["TG_3"]), are_of_one_kind(["s1_trust", "s2_trust"], ["s1_share"])
    (True, False)
    """
    if re.search(r"[^\W\d_]{2}", name_pattern([*names, *others])) is None:
        return False
    pieces = [piece.levels for piece in _pieces([*names, *others])]
    first = len(names)
    for levels in pieces:
        rest = list(zip(*(other for other in pieces if other is not levels), strict=True))
        is_apart = set(levels[:first]).isdisjoint(levels[first:])
        are_words = not any(re.search(r"\d", level) for level in levels)
        if is_apart and are_words and not set(rest[:first]).isdisjoint(rest[first:]):
            return False
    return True


def _columns_of(names: Sequence[str]) -> tuple[str, list[tuple[str, ...]]]:
    """Return the strongest divider that stands equally often in all names, and what they have at each place."""
    divider = next((sign for sign in _DIVIDERS if _is_alike(names, sign)), "")
    return divider, list(zip(*(name.split(divider) if divider else [name] for name in names), strict=True))


def _pieces(texts: Sequence[str], dividers: Sequence[str] = _DIVIDERS) -> list[_Piece]:
    """Return the pieces in which texts differ."""
    dateless = [re.sub(f"{_DATE}$", "", text) for text in texts]
    has_dates = len(set(dateless)) == len(set(texts)) and dateless != list(texts) and all(dateless)
    texts, end = (dateless, _DATE) if has_dates else (texts, "")
    divider = next((sign for sign in dividers if _is_alike(texts, sign)), "")
    columns = list(zip(*(text.split(divider) if divider else [text] for text in texts), strict=True))
    patterns = [_pattern_of(levels, divider) for levels in columns]
    pieces = []
    for place, levels in enumerate(columns):
        if len(set(levels)) == 1:
            continue
        sign = escaped(divider)
        start = "".join(f"{pattern}{sign}" for pattern in patterns[:place])
        rest = "".join(f"{sign}{pattern}" for pattern in patterns[place + 1 :]) + end
        # What stands between weaker dividers is parted only where both parts are crossed: gpt-4o is one name.
        inner = _pieces(levels, dividers[dividers.index(divider) + 1 :]) if divider else []
        pieces_of_place = inner if len(inner) > 1 and _are_crossed(inner) else [_piece_of(levels, columns[:place])]
        pieces += [replace(each, before=start + each.before, behind=each.behind + rest) for each in pieces_of_place]
    return pieces


def _piece_of(levels: Sequence[str], columns_before: Sequence[Sequence[str]]) -> _Piece:
    """Return what stands at one place between dividers as a piece, called by a word in it or right before it."""
    before, behind = _around(levels)
    inner = tuple(level[len(before) : len(level) - len(behind)] for level in levels)
    are_numbers = all(level.isdigit() for level in inner)
    neighbour = set(columns_before[-1]) if columns_before and are_numbers else set[str]()
    of_neighbour = neighbour.pop() if len(neighbour) == 1 else ""
    word = next((found for text in (before, behind, of_neighbour) if (found := _word(text))), "")
    return _Piece(inner, word, escaped(before), escaped(behind))


def _are_crossed(pieces: Sequence[_Piece]) -> bool:
    """Whether no piece follows from another one."""
    pairs = permutations([piece.levels for piece in pieces], 2)
    return all(len(set(zip(one, other, strict=True))) > len(set(one)) for one, other in pairs)


def _is_alike(texts: Sequence[str], sign: str) -> bool:
    """Whether a sign stands equally often in all texts."""
    return len({text.count(sign) for text in texts}) == 1 and sign in texts[0]


def _pattern_of(levels: Sequence[str], divider: str) -> str:
    """Return a regular expression of what stands at one place between dividers."""
    if len(set(levels)) == 1:
        return escaped(levels[0])
    others = {"-": "^/-", "/": "^/"}.get(divider, f"^/{divider}")
    return f"[{others}]+" if len(divider) == 1 else "[^/]+?"


def _around(levels: Sequence[str]) -> tuple[str, str]:
    """Return what all levels begin and end with, up to the edge of a word or a number."""
    before = _common_start(levels)
    rest = [level[len(before) :] for level in levels]
    # A number is never cut, and a word is only where each level goes on with a number: sub101, but not P17.
    shorter = before.rstrip("0123456789")
    are_numbers = all(text[:1].isdigit() for text in rest) or len(shorter) < len(before)
    before = shorter
    if not (are_numbers and re.search(r"[^\W\d_]{2}$", before)):
        before = re.sub(r"[^\W_]+$", "", before)
    behind = _common_start([level[len(before) :][::-1] for level in levels])[::-1]
    return (before if _word(before) else ""), re.sub(r"^[^\W_]+", "", behind)


def _common_start(texts: Sequence[str]) -> str:
    """Return the letters with which all texts begin."""
    first, last = min(texts), max(texts)
    return next((first[:at] for at, letter in enumerate(first) if last[at : at + 1] != letter), first)


def _word(text: str) -> str:
    """Return the last word in a text, if it has two letters at least."""
    return next(reversed(re.findall(r"[^\W\d_]{2,}", text)), "")


def _without_doubles(parts: Sequence[FilePart]) -> list[FilePart]:
    """Return the parts without those that tell the same files apart as an earlier one, which takes over the word."""
    kept: dict[tuple[int, ...], FilePart] = {}
    for part in parts:
        words = list(part.words.values())
        order = {word: place for place, word in enumerate(dict.fromkeys(words))}
        partition = tuple(order[word] for word in words)
        first = kept.setdefault(partition, part)
        if part.has_word and not first.has_word:
            kept[partition] = replace(first, name=part.name, has_word=True)
    return list(kept.values())


def _with_own_names(parts: Sequence[FilePart], names: Collection[str]) -> Iterator[FilePart]:
    """Yield the parts with names that no other part has, and no column."""
    used, times = set(names), Counter(part.name for part in parts)
    for part in parts:
        numbered = (f"{part.name}_{number}" for number in count(1))
        plain = [part.name] if times[part.name] == 1 else []
        name = next(name for name in chain(plain, numbered) if name not in used)
        used.add(name)
        yield replace(part, name=name)
