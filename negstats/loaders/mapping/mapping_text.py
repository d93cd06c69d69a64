"""A draft of a mapping file, and its text: the keys that are filled, with their evidence, and what is open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from negstats.loaders.mapping.log_files import Log
from negstats.loaders.mapping.model import KEYS
from negstats.loaders.mapping.open_questions import open_lines
from negstats.loaders.mapping.proposal import Proposal, names_in
from negstats.loaders.mapping.words import FILE, MARK, ROW
from negstats.loaders.reading.questions import Question
from negstats.loaders.reading.reading import Reading
from negstats.sanitize import first_few, line
from negstats.toml_text import key as quoted
from negstats.toml_text import value_text

_FEW = 5  # files that are named
_MOST_LEFT_OUT, _WIDEST = 8, 1_000  # columns that some files lack, and characters that name them
_LONGEST = 160  # characters of the evidence for a key
_SECTIONS = ("games", "factors", "measures", "players", "offers", "messages", "answers", "person")
_LEVELLED = ("event", "response", "ended", "kind", "player")
_NEEDED = '# game_id = ""  # NEEDED: the column, or a list of columns, that names the game; or { file = true }'
_NO_ROW = "# No row is there, only a header: the columns are read by their names alone."


@dataclass(frozen=True, slots=True)
class Draft:
    """A mapping as it was read off a log.

    Attributes
    ----------
    source : pathlib.Path
        A file or a folder.
    log : Log
        What stands there.
    proposal : Proposal
        What the mapping holds.
    reading : Reading
        What the structure of the log says, and what it leaves open.
    platform : str
        Which program wrote the log, and why it is taken for that one's.
    spare : bool
        Whether games that contradict themselves are left out.
    others : tuple of (Log, Proposal)
        Further tables that tell of the same games, each a part of the mapping.
    is_accepted : bool
        Whether the likely answers to what is open are taken.
    lost : tuple of (str, str)
        Keys that the rows of the log contradict, each with the first contradiction: they are not read.
    """

    source: Path
    log: Log
    proposal: Proposal
    reading: Reading
    platform: str
    spare: bool = False
    others: tuple[tuple[Log, Proposal], ...] = ()
    is_accepted: bool = False
    lost: tuple[tuple[str, str], ...] = ()

    @property
    def questions(self) -> list[Question]:
        """What the reading of the log leaves open, the costliest error first."""
        return self.reading.questions

    @property
    def text(self) -> str:
        """The mapping file."""
        log, proposal = self.log, self.proposal
        answered = list(self.reading.answered.values())
        open_section = list(open_lines(self.questions, answered, self.source.name, accept=self.is_accepted))
        lines = [
            f"# {self.platform}",
            f"# A mapping for {value_text(self.source.name)}, read from its columns: check it (negstats docs mapping).",
            *(() if log.table.rows else [_NO_ROW]),
            *_describe_unread(self),
            *(
                f"# Not read as {key}, for the log contradicts it: {line(reason, _LONGEST)}"
                for key, reason in self.lost
            ),
            "",
        ]
        if self.spare:
            lines.append("leave_out_bad_games = true  # games that contradict themselves are counted; see [[open]]")
        part = "part." if log.rounds or self.others else ""
        lines += [*open_section, "", "[[part]]"] if part else []
        lines += _table_lines(log, proposal)
        lines += [] if part else open_section
        lines += _key_lines(part, proposal)
        for other_log, other in self.others:
            where = f"sheet {value_text(other_log.sheet)}" if other_log.sheet else ", ".join(self._names_of(other_log))
            lines += [
                "",
                f"[[part]]  # {f'of {where}' if where else 'a second kind of row'}: more about the games above",
            ]
            lines += [*_table_lines(other_log, other), *_key_lines(part, other)]
        levels = {name: words for _, of in self.others for name, words in of.levels.items()} | proposal.levels
        for name in sorted(levels, key=lambda name: _LEVELLED.index(name) if name in _LEVELLED else len(_LEVELLED)):
            lines += ["", f"[levels.{name}]  # how each level is spelled in the log"]
            lines += [f"{quoted(level)} = {value_text(words)}" for level, words in levels[name].items()]
        return "\n".join(lines) + "\n"

    def _names_of(self, log: Log) -> list[str]:
        files = log.files[:_FEW] if log.patterns else ()
        return [value_text(file.relative_to(self.source).as_posix()) for file in files]


def _table_lines(log: Log, proposal: Proposal) -> Iterator[str]:
    """Yield what a table's rows are, where they stand, and which of them count."""
    if log.rounds:
        yield f"each = {{ round = {value_text(log.rounds)} }}  # columns that are repeated for each of these"
    yield f"row = {value_text(proposal.row)}"
    if log.patterns:
        yield f"files = {_value(list(log.patterns))}"
    read = (*proposal.columns, *proposal.where)
    if in_some := [name for name in log.in_some_files if name in read]:
        yield f"in_some_files = {_value(in_some)}  # columns that not every file has: they are empty in the others"
    if log.sheet is not None:
        yield f"sheet = {value_text(log.sheet)}"
    if "event" in proposal.keys:
        yield f"event = {_value(proposal.keys['event'])}"
    yield from log.lines
    if log.header_rows > 1:
        yield f"header_rows = {log.header_rows}  # names, wording and other rows above the data"
    if proposal.where:
        yield f"where = {value_text(proposal.where)}  # rows that count"


def _describe_unread(draft: Draft) -> Iterator[str]:
    """Yield which columns and which tables of a folder or a file are not read."""
    log = draft.log
    if unread := _unread_columns(log, draft.proposal):
        yield f"# Columns not read: {', '.join(map(value_text, unread))}"
    if log.left_out:
        left_out = [f"{value_text(name)} (in {file})" for name, file in sorted(log.left_out.items())]
        named = line(first_few(left_out, _MOST_LEFT_OUT), _WIDEST)
        yield f"# Columns that some files lack, and that are not read: {named}"
    read = {file for other, _ in draft.others for file in other.files}
    unread_tables = [file.relative_to(draft.source).as_posix() for file in log.unread if file not in read]
    unread_tables += [sheet for sheet in log.unread_sheets if sheet not in {other.sheet for other, _ in draft.others}]
    if unread_tables:
        named = first_few([*map(value_text, unread_tables)], _FEW)
        what = "1 other table is" if len(unread_tables) == 1 else f"{len(unread_tables)} other tables are"
        whose = "its" if len(unread_tables) == 1 else "their"
        yield f"# {what} not read, for {whose} columns differ: {named}"


def _unread_columns(log: Log, proposal: Proposal) -> list[str]:
    """Return the columns that stand behind no key: what they hold is not read."""
    used = proposal.columns | set(proposal.where)
    prefixes = tuple(
        str(value["prefix"]) for value in proposal.keys.values() if isinstance(value, dict) and "prefix" in value
    )
    read = " ".join(log.lines)
    unused = [name for name in log.table.names if name not in used and value_text(name) not in read]
    is_read_in_parts = {name for name in unused if any(one.startswith(f"{name}.") for one in used)}
    return [
        name
        for name in unused
        if not name.endswith(".#") and name not in is_read_in_parts and not (prefixes and name.startswith(prefixes))
    ]


def _key_lines(part: str, proposal: Proposal) -> Iterator[str]:
    """Yield the sections with the keys that are filled."""
    sections: dict[str, list[str]] = {section: [] for section in _SECTIONS}
    for key, value in proposal.keys.items():
        section, name = _parts(key)
        if not section:
            continue  # the column of events stands at the top
        why = proposal.evidence.get(key, "")
        short_why = f"  # {why if len(why) <= _LONGEST else f'{why[: _LONGEST - 3]}...'}" if why else ""
        sections.setdefault(section, []).append(f"{name} = {_source_text(value, proposal)}{short_why}")
    if proposal.pie is not None and "offers.total" not in proposal.keys:
        sections["offers"].append(f"# total = {proposal.pie}  # NEEDED if the pie is fixed: both sides get it together")
    if "games.game_id" not in proposal.keys:
        sections["games"].insert(0, _NEEDED)
    for section, lines in sections.items():
        if lines:
            yield from ("", f"[{part}{section}]", *sorted(lines, key=lambda line: _rank(section, line)))


def _rank(section: str, line: str) -> int:
    """Return the place of a key among those of its section."""
    keys = list(KEYS.get(section, ()))
    name = line.partition(" = ")[0]
    return keys.index(name) if name in keys else len(keys)


def _parts(key: str) -> tuple[str, str]:
    """Return a key's section and its name, which may be quoted and have points in it."""
    key_match = re.fullmatch(r'(.*)\.("(?:[^"\\]|\\.)*"|[^."]*)', key)
    return (key_match[1], key_match[2]) if key_match else ("", key)


def _source_text(value: object, proposal: Proposal) -> str:
    """Return a value as TOML; a column says which words in it mean missing, and what is taken out of its cells."""
    source = value if isinstance(value, dict) else {"column": value}
    column = source.get("column")
    words = list(dict.fromkeys(word for each in names_in(source) for word in proposal.missing.get(each, ())))
    settings: dict[str, object] = {"missing": words} if words else {}
    if isinstance(column, str) and column in proposal.clean:
        settings["clean"] = proposal.clean[column]
    first = {"column": column} if "column" in source else {}
    return _value({**first, **settings, **source} if settings else value)


_SIGNS: dict[object, object] = {ROW: {"row": True}, FILE: {"file": True}, MARK: {"constant": MARK}}


def _value(value: object) -> str:
    """Return a value as TOML, with what stands in a mapping for columns that are none of the table's."""
    values = [
        _SIGNS.get(one, one) if isinstance(one, str) else one for one in (value if isinstance(value, list) else [value])
    ]
    return value_text(values if len(values) > 1 else values[0])
