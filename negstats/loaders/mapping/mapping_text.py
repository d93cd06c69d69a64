"""A mapping file as text: the keys that were guessed with their evidence, all others explained."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.codes import ask_codes, describe_codes, find_likely, numbers_of
from negstats.loaders.mapping.guess_result import Guess
from negstats.loaders.mapping.keys import quoted, text
from negstats.loaders.mapping.log_files import Log
from negstats.loaders.mapping.model import KEYS, LEVELS
from negstats.loaders.mapping.words import FILE, MARK, ROW
from negstats.tables import TABLES

_PIES = (1, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000)
_FEW = 5  # files that are named
_SECTIONS = {
    "games": "one negotiation",
    "factors": "the design: conditions, countries, ... under any name",
    "measures": "numbers of a game, or of each seat, under any name: outcomes to compare",
    "players": "one seat in one game: the seat that the row is about, or that acts in it",
    "offers": "one offer",
    "messages": "one utterance",
    "answers": "survey questions about the game, under any name",
    "person": "survey questions about the person, under any name",
}
_MEANING = {
    "players.player": "name of the seat, unique in the game",
    "offers.offer": "a number to order the offers by; if it is not given, the order in the log",
    "offers.total": "units in all; what one side gets of them leaves the rest for the other",
    "offers.accept_from": "strategy method: the least amount that the responder would accept",
    "offers.items": "a column with a dict as text, such as {'price': 'high', 'apples': 3}",
    "offers.vote": "whether the row's player accepts, where several answer one offer",
    "offers.voted_on": "who made the offer that is voted on, where each seat makes one",
    "messages.message": "a number to order the messages by; if it is not given, the order in the log",
}
_NEEDED = "NEEDED: the column, or a list of columns, that names the game; or { file = true }"


def mapping_text(
    source: Path,
    log: Log,
    guess: Guess,
    platform: str,
    *,
    spare: bool,
    others: Sequence[tuple[Log, Guess]] = (),
    open_section: Sequence[str] = (),
) -> str:
    """Return a mapping file for a log: what was guessed, with its evidence, and all other keys in comments.

    Of `others`, further tables of the same games, only what was guessed is written, each as a part. `open_section` are
    the lines of what is open.
    """
    lines = [
        f"# {platform}",
        f"# A mapping for {text(source.name)}, written from its columns. What is filled in was guessed: check it.",
        "# What is marked with # is free to fill in. All of it is explained in negstats.loaders.mapping.",
        *_describe_columns(log, guess),
        *([] if log.rounds else _hint(log.table.names)),
        *_describe_unread_files(source, log, others),
        "",
    ]
    if spare:
        lines.append("leave_out_bad_games = true  # a few games contradict themselves; they are counted")
    part = "part." if log.rounds or others else ""
    lines += [*open_section, "", "[[part]]"] if part else []
    lines += _table_lines(log, guess)
    lines += [] if part else open_section
    for section, what in _SECTIONS.items():
        lines += ["", f"[{part}{section}]  # {what}", *_section(section, guess, log.table)]
    lines += _goods(part, guess)
    for other_log, other in others:
        where = f"sheet {text(other_log.sheet)}" if other_log.sheet else ", ".join(_names_of(source, other_log))
        what = f"of {where}: " if where else "a second kind of row: "
        lines += ["", f"[[part]]  # {what}more about the games above", *_describe_columns(other_log, other)]
        lines += [line for line in _table_lines(other_log, other) if not line.startswith("# ")]
        for section in _SECTIONS:
            filled_lines = [line for line in _section(section, other, other_log.table) if not line.startswith("# ")]
            lines += ["", f"[part.{section}]", *filled_lines] if filled_lines else []
        lines += _goods(part, other)
    levels = {name: words for _, of in others for name, words in of.levels.items()} | guess.levels
    names = ("event", "response", "ended", "kind", *(["player"] if "player" in levels else []))
    for name in names:
        whose = next((pair for pair in [(log, guess), *others] if name in pair[1].levels), (log, guess))
        lines += ["", *_levels(name, whose[1], whose[0].table)]
    return "\n".join(lines) + "\n"


def _table_lines(log: Log, guess: Guess) -> Iterator[str]:
    """Yield what a table's rows are, where they stand, and which of them count."""
    if log.rounds:
        round_numbers = ", ".join(_value(mark) for mark in log.rounds)
        yield f"each = {{ round = [{round_numbers}] }}  # columns that stand there once for each of these"
    yield f'row = "{guess.row}"  # one row is: offer, item (of one), event, message, player (a seat in a game), game'
    if log.patterns:
        yield f"files = {_value(list(log.patterns))}"
    if log.sheet is not None:
        yield f"sheet = {text(log.sheet)}"
    if "event" in guess.keys:
        yield f"event = {_value(guess.keys['event'])}  # tells offers, answers and messages apart"
    else:
        yield '# event = ""  # for row = "event": the column that tells offers, answers and messages apart'
    yield from log.lines
    if log.header_rows > 1:
        yield f"header_rows = {log.header_rows}  # names, wording and what else stands above the data"
    yield ask_codes(log.table, guess) or '# missing = ["NA", "-"]  # texts that mean missing, besides an empty cell'
    conditions = {column: f"{{ not = {_list(words)} }}" for column, words in guess.markers.items()} | guess.keep
    if conditions:
        each = ", ".join(f"{quoted(column)} = {condition}" for column, condition in conditions.items())
        what = "rows that count" if guess.keep else "rows that are no seat's"
        yield f"where = {{ {each} }}  # {what}"


def _describe_columns(log: Log, guess: Guess) -> Iterator[str]:
    """Yield which columns were seen, and which of them are not read."""
    yield f"# Columns seen: {', '.join(text(name) for name in log.table.names)}"
    if unread := unread_columns(log, guess):
        yield f"# Columns not read, for no key was found for them: {', '.join(map(text, unread))}"
    if guess.agreed_issues:
        names = ", ".join(map(text, guess.agreed_issues))
        yield f"# What was agreed, empty where there was no agreement, and so no condition: {names}"


def _describe_unread_files(source: Path, log: Log, others: Sequence[tuple[Log, Guess]]) -> Iterator[str]:
    """Yield which tables of a folder no part reads."""
    read = {file for other, _ in others for file in other.files}
    unread = [file for file in log.unread if file not in read]
    if unread:
        first_files = ", ".join(text(file.relative_to(source).as_posix()) for file in unread[:_FEW])
        more = ", ..." if len(unread) > _FEW else ""
        what = "1 other table is" if len(unread) == 1 else f"{len(unread)} other tables are"
        whose = "its" if len(unread) == 1 else "their"
        yield f"# {what} not read, for {whose} columns differ: {first_files}{more}"


def _names_of(source: Path, log: Log) -> list[str]:
    return [text(file.relative_to(source).as_posix()) for file in log.files[:_FEW]] if log.patterns else []


def unread_columns(log: Log, guess: Guess) -> list[str]:
    """Return the columns that stand behind no key: what they hold is not read."""
    used = {*_names_in(guess.keys), *guess.keep, *guess.agreed_issues, *guess.markers, *guess.questions.values()}
    read = " ".join(log.lines)
    unused = [name for name in log.table.names if name not in used and text(name) not in read]
    is_read_in_parts = {name for name in unused if any(one.startswith(f"{name}.") for one in used)}
    return [name for name in unused if not name.endswith(".#") and name not in is_read_in_parts]


def _names_in(value: object) -> Iterator[str]:
    """Yield the texts in a value of keys, which may be names of columns."""
    match value:
        case str():
            yield value
        case dict():
            for key, item in value.items():
                if key != "constant":
                    yield from _names_in(item)
        case list():
            for item in value:
                yield from _names_in(item)


def _goods(part: str, guess: Guess) -> Iterator[str]:
    """Yield the sections of items, and of seats that have columns of their own."""
    sections: dict[str, list[str]] = defaultdict(list)
    for key, value in guess.keys.items():
        section, _, name = _parts(key)
        if key.startswith(("item.", "items.", "seats.", "values.")):
            sections[section].append(f"{name} = {_value(value)}{_GOODS.get(name, '')}")
    for section, lines in sections.items():
        yield from ("", f"[{part}{section}]", *lines)


_GOODS = {
    "value": "  # the offer's worth to this seat",
    "to_proposer": "  # what the one who offers gets; to_responder: the other side",
}


def _parts(key: str) -> tuple[str, str, str]:
    """Return a key's section and its name, which may be quoted and have points in it."""
    key_match = re.fullmatch(r'(.*)(\.)("(?:[^"\\]|\\.)*"|[^."]*)', key)
    return (key_match[1], key_match[2], key_match[3]) if key_match else ("", "", key)


def _hint(names: list[str]) -> Iterator[str]:
    """Yield what to do with columns that stand there once for each round: they differ in one number only."""
    alike = Counter(re.sub(r"\d+", "{round}", name, count=1) for name in names if re.search(r"\d", name))
    stems = [name for name, count in alike.items() if count > 1]
    if len(stems) > len(names) / 4:
        yield f"# Columns repeat, as {text(stems[0])}: see [[part]] and each = {{ round = [1, 2] }} there."


def _describe_range(key: str, value: object, guess: Guess, table: Table) -> str:
    """Return n, range and share missing of a column of numbers, to stand behind its key."""
    kind = next(
        (column.kind for column in TABLES[key.partition(".")[0]].columns if key.endswith(f".{column.name}")), ""
    )
    if not isinstance(value, str) or value not in table.names or kind not in ("number", "integer"):
        return ""
    values = numbers_of(table, guess, value)
    numbers = values.dropna()
    if numbers.empty:
        return ""
    return f"; n {len(numbers)}, {numbers.min():g} to {numbers.max():g}, {1 - len(numbers) / len(values):.0%} missing"


def find_pie(guess: Guess, table: Table) -> int | None:
    """Return the least plausible pie where the units of one side only are known."""
    sides = [guess.keys.get(f"offers.units_to_{side}") for side in ("proposer", "responder")]
    unit_columns = [name for name in sides if isinstance(name, str) and name in table.names]
    if len(unit_columns) != 1:
        return None
    most = numbers_of(table, guess, unit_columns[0]).max()
    return next((pie for pie in _PIES if most <= pie), None)


def _section(section: str, guess: Guess, table: Table) -> Iterator[str]:
    """Yield the section's lines: keys that were guessed, the others marked with #."""
    prefix = f"{section}."
    values_by_key = {key.removeprefix(prefix): value for key, value in guess.keys.items() if key.startswith(prefix)}
    if not KEYS[section]:
        for key, value in values_by_key.items():
            why = guess.evidence.get(prefix + key)
            yield f"{key} = {_source_text(value, guess)}{f'  # {why}' if why else ''}"
        return
    for key in KEYS[section]:
        meaning = _MEANING.get(prefix + key) or TABLES[section][key].meaning
        if key in values_by_key:
            limits = _describe_range(prefix + key, values_by_key[key], guess, table)
            why = guess.evidence.get(prefix + key)
            yield f"{key} = {_source_text(values_by_key[key], guess)}  # {meaning}{limits}{f'; {why}' if why else ''}"
        elif prefix + key in guess.questions:
            yield f"# {key} = {_value(guess.questions[prefix + key])}  # {_ask(key, prefix + key, guess, table)}"
        elif prefix + key == "offers.total" and (pie := find_pie(guess, table)):
            yield f"# total = {pie}  # NEEDED if the pie is fixed: {meaning}"
        else:
            yield f'# {key} = ""  # {_NEEDED if key == "game_id" else meaning}'
    if "accept_at" in values_by_key:
        yield f"accept_at = {_value(values_by_key['accept_at'])}  # a column of yes or no for each amount"
    if "accepts_needed" in values_by_key:
        why = guess.evidence.get(f"{prefix}accepts_needed", "how many seats must accept")
        yield f"accepts_needed = {_value(values_by_key['accepts_needed'])}  # {why}"
    if "points_from_deal" in values_by_key:
        yield "points_from_deal = true  # what the accepted offer gives each seat"
        yield "# points_without_deal = 0  # what seats get without a deal"
    if "last_is_deal" in values_by_key:
        yield "last_is_deal = true  # what each row says is the deal"


def _ask(name: str, key: str, guess: Guess, table: Table) -> str:
    """Return the question that a column of codes asks, with the evidence that there is."""
    cells = table.column(guess.questions[key])
    counts = ", ".join(f"{code} (n {count})" for code, count in cells.value_counts().sort_index().items())
    return (
        f"QUESTION: what do {counts} mean? Numbers do not say, and a wrong guess turns a study round."
        f"{describe_codes(guess.questions[key], guess, table)} Remove the # here, "
        f"and see at [levels.{name}] which is which"
    )


def _levels(name: str, guess: Guess, table: Table) -> Iterator[str]:
    """Yield how the levels of one column are spelled."""
    spelled = guess.levels.get(name)
    code_column = guess.questions.get(f"offers.{name}")
    if not spelled and code_column and (codes := find_likely(code_column, guess, table)):
        yield f"[levels.{name}]  # QUESTION: is it so, or the other way round? More is accepted more often, as a rule"
        yield from (f"{level} = [{text(code)}]" for level, code in codes.items())
        return
    mark = "" if spelled else "# "
    doubt = guess.doubts.get(name)
    one = next((level for level, words in (spelled or {}).items() if {"1", "1.0"} & set(words)), "")
    codes_text = describe_codes(doubt, guess, table) if doubt and name == "response" else ""
    ask = f"QUESTION: is 1 {one}? The column's name says so.{codes_text}" if name == "response" else ""
    why = f"; {ask or f'1 is {one}, as the name of the column says'}" if doubt and one else ""
    yield f"{mark}[levels.{name}]  # how each level is spelled in the log{why}"
    for level in LEVELS.get(name, tuple(spelled or ())):
        words = (spelled or {}).get(level)
        if words:
            yield f"{quoted(level)} = [{', '.join(text(word) for word in words)}]"
        elif not spelled:
            yield f"# {level} = []"


def _source_text(value: object, guess: Guess) -> str:
    """Return a value as TOML; a column of numbers says which words in it mean missing, and its percent signs."""
    source = value if isinstance(value, dict) else {"column": value}
    column = source.get("column")
    words = guess.words.get(column) if isinstance(column, str) else None
    settings = f", missing = {_list(words)}" if words else ""
    settings += ", clean = '%'" if isinstance(column, str) and column in guess.percent else ""
    if not settings:
        return _value(value)
    settings += "".join(f", {key} = {_value(item)}" for key, item in source.items() if key != "column")
    return f"{{ column = {text(str(column))}{settings} }}"


def _list(words: list[str]) -> str:
    return f"[{', '.join(map(text, words))}]"


def _value(value: object) -> str:
    match value:
        case list():
            return f"[{', '.join(_value(item) for item in value)}]" if len(value) > 1 else _value(value[0])
        case str() if value == ROW:
            return "{ row = true }"
        case str() if value == FILE:
            return "{ file = true }"
        case str() if value == MARK:
            return f"{{ constant = {text(MARK)} }}"
        case dict():
            return f"{{ {', '.join(f'{key} = {_value(item)}' for key, item in value.items())} }}"
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
    return text(str(value))
