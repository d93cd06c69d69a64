"""Writing a mapping file to start from: guesses filled in and proved by reading the log, everything else explained.

`written` guesses (`guess` beside this file), tries the mapping on the log, and takes back what does not hold there,
until it loads. If it cannot guess what names a game, the mapping says so and fails with that.
"""

from __future__ import annotations

import glob
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from os.path import commonpath
from pathlib import Path

import pandas as pd

from negstats.errors import LogError, NegstatsError
from negstats.loaders.files.any_table import READERS, read_table
from negstats.loaders.files.damaged import readable
from negstats.loaders.files.intake import Intake, sheet_names
from negstats.loaders.files.lists import lists_in, parallel_lists, unlisted
from negstats.loaders.files.objects import lists_of_one
from negstats.loaders.files.tabular import Table, refusal
from negstats.loaders.mapping.columns import MOST_LEVELS
from negstats.loaders.mapping.forms import Asked, Look, look, plain_numbers
from negstats.loaders.mapping.guess import CODES, Guess, guess
from negstats.loaders.mapping.keys import quoted, text
from negstats.loaders.mapping.model import KEYS, LEVELS
from negstats.loaders.mapping.repeated import unfolded
from negstats.loaders.mapping.rows import RowError, SourceError
from negstats.loaders.mapping.words import FILE, MARK, ROW
from negstats.tables import TABLES

MOST_FILES = 200  # of a folder that are opened for a look
_PIES = (1, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000)
_ALIKE = 0.5  # of the columns that two files of one log share
_QUESTION = ": a code for missing?"
_SPARED = 0.2  # of the games may contradict themselves, as where the mapping is read
_FEW = 5  # files that are named
_WORKBOOKS = (".xlsx", ".xlsm")
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
    "messages.message": "a number to order the messages by; if it is not given, the order in the log",
}
_NEEDED = "NEEDED: the column, or a list of columns, that names the game; or { file = true }"
# What is taken back, in this order, while the mapping does not load and the fault names no key.
_DOUBTS = (
    "offers.total",
    "items",
    "item",
    "answers",
    "person",
    "messages",
    "measures",
    "factors",
    "offers",
    "seats",
    "games.ended",
    "players",
)


@dataclass(frozen=True, slots=True)
class Log:
    """Files that look alike: patterns that find them, the sheet, the table in one of them, and the folder's others."""

    patterns: tuple[str, ...]
    files: tuple[Path, ...]
    sheet: str | None
    table: Table
    unread: tuple[Path, ...]
    header_rows: int = 1
    rounds: tuple[int, ...] = ()
    marker: str | None = None
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A mapping as it was guessed of a log, of which a person may change what is wrong.

    Attributes
    ----------
    source : pathlib.Path
        A file or a folder.
    log : Log
        What was seen there.
    guess : Guess
        What the columns seem to be.
    platform : str
        Which program wrote the log, and why it is taken for that one's.
    spare : bool
        Whether games that contradict themselves are left out.
    coded : bool
        Whether the log cannot be read while codes for missing are numbers.
    missing : bool
        Whether numbers that may be codes for missing count as missing.
    """

    source: Path
    log: Log
    guess: Guess
    platform: str
    spare: bool = False
    coded: bool = False
    missing: bool = False

    @property
    def text(self) -> str:
        """The mapping file."""
        mapping_text = _text(self.source, self.log, self.guess, self.platform, spare=self.spare)
        if self.coded:
            mapping_text = mapping_text.replace(_QUESTION, f"{_QUESTION} The log cannot be read while they are numbers")
        return mapping_text.replace("# missing = [", "missing = [") if self.missing else mapping_text

    @property
    def codes(self) -> str | None:
        """What is asked about numbers that may be codes for missing; None if there are none."""
        return _codes(self.log.table, self.guess)

    def likely(self, column: str) -> dict[str, str]:
        """Return which of two codes is acceptance, if more for the responder is accepted more often; {} if none is."""
        return _likely(column, self.guess, self.log.table)

    def evidence(self, column: str) -> str:
        """Return what each code of a column goes with."""
        return _evidence(column, self.guess, self.log.table)


def written(
    source: Path,
    check: Callable[[str], object],
    platform: str = "no platform that negstats knows",
    asked: Asked | None = None,
) -> str:
    """Return the text of a mapping file for the log at `source`; the arguments are those of `drafted`."""
    return drafted(source, check, platform, asked).text


def drafted(
    source: Path,
    check: Callable[[str], object],
    platform: str = "no platform that negstats knows",
    asked: Asked | None = None,
) -> Draft:
    """Return a mapping for the log at `source`.

    Parameters
    ----------
    source
        A file or a folder.
    check
        Called with the text; raises NegstatsError where the log cannot be read with it.
    platform
        Which program wrote the log, and why it is taken for that one's.
    asked
        How the files are written, where a person says so.

    Raises
    ------
    LogError
        If there is no table at `source`, or none that can be read.
    """
    logs = list(_logs(source, asked or Asked()))
    guesses_and_logs = [(guess(log.table, len(log.files) > 1), log) for log in logs]
    best, log = max(
        guesses_and_logs,
        key=lambda pair: (
            _has_acts(*pair),
            "games.game_id" in pair[0].keys,
            len(pair[0].keys),
            len(pair[1].files),
        ),
    )
    _set_folders(best, log, source)
    if log.marker and MARK not in str(best.keys.get("players.player")):
        best.keep[log.marker] = "{ empty = false }"  # a round that was not played
    doubts, spare = iter(_DOUBTS), False
    while "games.game_id" in best.keys:
        mapping_text = _text(source, log, best, platform, spare=spare)
        try:
            check(mapping_text)
            break
        except LogError as error:
            if _reads_with_codes(mapping_text, check):
                return Draft(source, log, best, platform, spare, coded=True)
            if not spare and isinstance(error, RowError) and error.games and len(error.games) <= _SPARED * error.of:
                spare = True  # a few games that contradict themselves, not the guess, are wrong
                continue
            spare = False
            if not isinstance(error, SourceError):
                best = _drop_section(best, next(doubts, "games"))
                continue
            key = error.key.rpartition(", ")[2]  # of a part
            best = best.without(key) if key in best.keys else _drop_section(best, next(doubts, "games"))
        except NegstatsError:
            best = _drop_section(best, next(doubts, "games"))
    return Draft(source, log, best, platform, spare)


def _reads_with_codes(mapping_text: str, check: Callable[[str], object]) -> bool:
    """Whether the log can be read once the numbers that may be codes for missing are taken for that."""
    lines = mapping_text.splitlines()
    code_lines = [
        place for place, line in enumerate(lines) if line.startswith("# missing = ") and line.endswith(_QUESTION)
    ]
    if not code_lines:
        return False
    lines[code_lines[0]] = lines[code_lines[0]].removeprefix("# ")
    try:
        check("\n".join(lines) + "\n")
    except NegstatsError:
        return False
    return True


def _drop_section(guess: Guess, section: str) -> Guess:
    for key in list(guess.keys):
        if key == section or key.startswith(f"{section}."):
            guess = guess.without(key)
    return guess


def _logs(source: Path, options: Asked) -> Iterator[Log]:
    """Yield the logs at `source`: files with the same columns are one."""
    intake = Intake(source)
    folder = source.is_dir()
    all_files = sorted(file for file in source.glob("**/*") if file.is_file()) if folder else [source]
    files = [file for file in readable(all_files, source) if file.suffix.lower() in READERS]
    if not files:
        raise LogError(refusal(all_files), file=source)
    alike: dict[tuple[str, str | None, tuple[str, ...]], list[list[Table]]] = defaultdict(list)
    fault: LogError | None = None
    for file in files[:MOST_FILES]:
        try:
            for sheet, table, lines in _read(file, intake, options):
                key = next((one for one in alike if one[:2] == (file.suffix, sheet) and _is_same(one[2], lines)), None)
                _put(table, alike[key or (file.suffix, sheet, lines)])
        except LogError as error:
            fault = fault or error
    if not alike and fault:
        raise fault
    for (suffix, sheet, lines), kinds in alike.items():
        for tables in kinds:
            of_log = tuple(table.file for table in tables)
            longest = max(tables, key=lambda table: len(table.rows))
            names = [name for name in longest.names if all(name in table.names for table in tables)]
            common = replace(longest, names=names, cells={name: longest.cells[name] for name in names})
            patterns = _patterns(source, of_log, suffix, files) if folder else ()
            files_of_patterns = {file for pattern in patterns for file in source.glob(pattern)}
            other_files = tuple(file for file in files if file not in files_of_patterns) if folder else ()
            unfolded_table, rounds, marker = unfolded(common)
            yield Log(
                patterns, of_log, sheet, unfolded_table, other_files, _header_rows(common), tuple(rounds), marker, lines
            )


def _header_rows(table: Table) -> int:
    """Return how many rows stand above the data: those that came with the table, and the one of the names."""
    return int(table.rows[0]) - 1 if len(table.rows) and table.wording is not None else 1


def _put(table: Table, kinds: list[list[Table]]) -> None:
    """Put a table to those that share most of its columns: some programs name columns anew in every file."""
    for tables in kinds:
        common = set(tables[0].names).intersection(*(other.names for other in tables))
        if len(common & set(table.names)) >= _ALIKE * max(len(tables[0].names), len(table.names)):
            tables.append(table)
            return
    kinds.append([table])


def _is_same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two files are written alike; what was seen in them may differ."""
    return [line.partition("  #")[0] for line in one] == [line.partition("  #")[0] for line in other]


def _read(file: Path, intake: Intake, options: Asked) -> Iterator[tuple[str | None, Table, tuple[str, ...]]]:
    data = intake.read(file)
    names = sheet_names(data, file) if file.suffix.lower() in _WORKBOOKS else [None]
    faults = []
    for name in names:
        try:
            layout = look(data, file, name, options)
            for rows in _lists(data, file):
                yield from _read_list(read_table(data, file, replace(layout.form, rows=(rows,))), layout, options, rows)
            table = read_table(data, file, layout.form)
            n_header_rows = _count_above(table)
            if n_header_rows > 1:
                table = read_table(data, file, replace(layout.form, header_rows=n_header_rows))
            for lists in (*((one,) for one in lists_in(table)), *parallel_lists(table)):
                yield from _read_list(unlisted(table, lists, None), layout, options, *lists)
            table, layout = plain_numbers(table, layout, options)
            yield (name if len(names) > 1 else None), table, layout.lines
        except LogError as error:
            faults.append(error)
    if len(faults) == len(names):
        raise faults[0]


def _lists(data: bytes, file: Path) -> list[str]:
    """Return the lists in a JSON file that is one talk, or has talks by their names."""
    try:
        return lists_of_one(data, file) if file.suffix.lower() == ".json" else []
    except LogError:
        return []


def _read_list(
    table: Table, layout: Look, options: Asked, *lists: str
) -> Iterator[tuple[str | None, Table, tuple[str, ...]]]:
    """Yield a table with a row for each element of its lists."""
    what = "a list: each of its elements is a row" if len(lists) == 1 else "lists of one length: each place is a row"
    names = text(lists[0]) if len(lists) == 1 else f"[{', '.join(map(text, lists))}]"
    line = f"{_ROWS}{names}  # {what}"
    table, layout = plain_numbers(table, layout, options)
    yield None, table, (*layout.lines, line)


_ROWS = "rows = "


def _set_folders(guess: Guess, log: Log, source: Path) -> None:
    """Take folders for factors where each of a few has several files."""
    if not log.patterns:
        return
    folders = [file.relative_to(source).parts[:-1] for file in log.files]
    for place in range(min(map(len, folders), default=0)):
        counts = Counter(parts[place] for parts in folders)
        if 1 < len(counts) <= MOST_LEVELS and min(counts.values()) > 1:
            key = "factors.folder" if place == 0 else f"factors.folder_{place + 1}"
            guess.keys[key] = {"folder": place + 1}
            folder_counts = ", ".join(f"{name} {count}" for name, count in counts.items())
            guess.evidence[key] = f"files in each folder: {folder_counts}"


def _has_acts(guess: Guess, log: Log) -> bool:
    """Whether the elements of lists are offers or utterances."""
    has_list = any(line.startswith(_ROWS) for line in log.lines)
    acts = {"event", "messages.text", "offers.items", "offers.units_to_responder", "offers.units_to_proposer"}
    return has_list and "games.game_id" in guess.keys and bool(acts & guess.keys.keys())


def _count_above(table: Table) -> int:
    """Return how many rows of a header a table has: a survey's row of ImportIds is the third, or the second."""
    for row in range(min(2, len(table.rows) - 1)):
        cells = [cell for name in table.names if (cell := table.column(name).iloc[row]) == cell]
        if cells and all('"ImportId"' in cell for cell in cells):
            return row + 2
    return 1


def _patterns(source: Path, files: tuple[Path, ...], suffix: str, all_files: list[Path]) -> tuple[str, ...]:
    """Return the fewest patterns that find these files and no others: for the tree, a folder, a beginning, each one.

    Files beyond those that were looked at count as none of the others: they are meant to be like these.
    """
    others = set(all_files[:MOST_FILES]) - set(files)

    def fits(pattern: str, log_files: Iterable[Path]) -> bool:
        pattern_files = set(source.glob(pattern))
        return pattern_files.issuperset(log_files) and pattern_files.isdisjoint(others)

    whole = "**/" if any(file.parent != source for file in files) else ""
    if fits(f"{whole}*{suffix}", files):
        return (f"{whole}*{suffix}",)
    patterns: list[str] = []
    folders: dict[Path, list[Path]] = defaultdict(list)
    for file in files:
        folders[file.parent].append(file)
    for folder, files_in_folder in folders.items():
        place = f"{glob.escape(folder.relative_to(source).as_posix())}/".removeprefix("./")
        start = (
            commonpath([file.name for file in files_in_folder]) if len(files_in_folder) > 1 else files_in_folder[0].stem
        )
        start = start.rstrip("0123456789") if len(files_in_folder) > 1 else start
        candidates = (f"{place}*{suffix}", f"{place}{glob.escape(start)}*{suffix}")
        one = next((pattern for pattern in candidates if fits(pattern, files_in_folder)), None)
        patterns += [one] if one else [place + glob.escape(file.name) for file in files_in_folder]
    return tuple(patterns)


def _text(source: Path, log: Log, guess: Guess, platform: str, *, spare: bool) -> str:
    column_names = ", ".join(text(name) for name in log.table.names)
    lines = [
        f"# {platform}",
        f"# A mapping for {text(source.name)}, written from its columns. What is filled in was guessed: check it.",
        "# What is marked with # is free to fill in. All of it is explained in negstats.loaders.mapping.",
        f"# Columns seen: {column_names}",
        *([] if log.rounds else _hint(log.table.names)),
        "",
        f'row = "{guess.row}"  # one row is: offer, item (of one), event, message, player (a seat in a game), game',
    ]
    part = "part." if log.rounds else ""
    if spare:
        lines.insert(-1, "leave_out_bad_games = true  # a few games contradict themselves; they are counted")
    if log.rounds:
        round_numbers = ", ".join(map(str, log.rounds))
        lines[-1:-1] = [
            "[[part]]",
            f"each = {{ round = [{round_numbers}] }}  # columns that stand there once for each round",
        ]
    if log.patterns:
        lines.append(f"files = {_value(list(log.patterns))}")
    if log.unread:
        first_files = ", ".join(text(file.relative_to(source).as_posix()) for file in log.unread[:_FEW])
        more = ", ..." if len(log.unread) > _FEW else ""
        lines.append(f"# {len(log.unread)} other tables are not read, for their columns differ: {first_files}{more}")
    if log.sheet is not None:
        lines.append(f"sheet = {text(log.sheet)}")
    if "event" in guess.keys:
        lines.append(f"event = {_value(guess.keys['event'])}  # tells offers, answers and messages apart")
    else:
        lines.append('# event = ""  # for row = "event": the column that tells offers, answers and messages apart')
    lines += log.lines
    if log.header_rows > 1:
        lines.append(f"header_rows = {log.header_rows}  # names, wording and what else stands above the data")
    lines.append(
        _codes(log.table, guess) or '# missing = ["NA", "-"]  # texts that mean missing, besides an empty cell'
    )
    conditions = {column: f"{{ not = {_list(words)} }}" for column, words in guess.markers.items()} | guess.keep
    if conditions:
        each = ", ".join(f"{quoted(column)} = {condition}" for column, condition in conditions.items())
        what = "rows that count" if guess.keep else "rows that are no seat's"
        lines.append(f"where = {{ {each} }}  # {what}")
    for section, what in _SECTIONS.items():
        lines += ["", f"[{part}{section}]  # {what}", *_section(section, guess, log.table)]
    lines += _goods(part, guess)
    for name in ("event", "response", "ended", "kind"):
        lines += ["", *_levels(name, guess, log.table)]
    return "\n".join(lines) + "\n"


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


def _codes(table: Table, guess: Guess) -> str | None:
    """Return a line that asks about numbers which may be codes for missing; it is not active."""
    codes, questions = [], []
    for name in _numeric(table, guess):
        values = _values(table, guess, name)
        for code in CODES:
            others = values[values != code].dropna()
            count = int((values == code).sum())
            if count and len(others) and not others.min() <= code <= others.max():
                codes += [code] if code not in codes else []
                low, high = f"{others.min():g}", f"{others.max():g}"
                questions.append(
                    f"{count} of {len(table.rows)} values of {text(name)} are {code}, the others {low} to {high}"
                )
    if not codes:
        return None
    return f"# missing = {codes}  # {'; '.join(questions)}{_QUESTION}"


def _numeric(table: Table, guess: Guess) -> Iterator[str]:
    """Yield the columns of numbers that the mapping uses."""
    columns_of_keys = [
        name for value in guess.keys.values() for name in (value if isinstance(value, list) else [value])
    ]
    for name in table.names:
        if name in columns_of_keys and _values(table, guess, name).notna().any():
            yield name


def _values(table: Table, guess: Guess, name: str) -> pd.Series:
    cells = table.column(name)
    cells = cells.mask(cells.isin(guess.words.get(name, ())))
    values = pd.to_numeric(cells, errors="coerce")
    return values if values.notna().sum() == cells.notna().sum() else values * float("nan")


def _describe_range(key: str, value: object, guess: Guess, table: Table) -> str:
    """Return n, range and share missing of a column of numbers, to stand behind its key."""
    kind = next(
        (column.kind for column in TABLES[key.partition(".")[0]].columns if key.endswith(f".{column.name}")), ""
    )
    if not isinstance(value, str) or value not in table.names or kind not in ("number", "integer"):
        return ""
    values = _values(table, guess, value)
    numbers = values.dropna()
    if numbers.empty:
        return ""
    return f"; n {len(numbers)}, {numbers.min():g} to {numbers.max():g}, {1 - len(numbers) / len(values):.0%} missing"


def _pie(guess: Guess, table: Table) -> int | None:
    """Return the least plausible pie where the units of one side only are known."""
    sides = [guess.keys.get(f"offers.units_to_{side}") for side in ("proposer", "responder")]
    unit_columns = [name for name in sides if isinstance(name, str) and name in table.names]
    if len(unit_columns) != 1:
        return None
    most = _values(table, guess, unit_columns[0]).max()
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
        elif prefix + key == "offers.total" and (pie := _pie(guess, table)):
            yield f"# total = {pie}  # NEEDED if the pie is fixed: {meaning}"
        else:
            yield f'# {key} = ""  # {_NEEDED if key == "game_id" else meaning}'
    if "last_is_deal" in values_by_key:
        yield "last_is_deal = true  # what each row says is the deal"


def _ask(name: str, key: str, guess: Guess, table: Table) -> str:
    """Return the question that a column of codes asks, with the evidence that there is."""
    cells = table.column(guess.questions[key])
    counts = ", ".join(f"{code} (n {count})" for code, count in cells.value_counts().sort_index().items())
    return (
        f"QUESTION: what do {counts} mean? Numbers do not say, and a wrong guess turns a study round."
        f"{_evidence(guess.questions[key], guess, table)} Remove the # here, and see at [levels.{name}] which is which"
    )


_BENEFITS = ("units_to_responder", "value_responder", "units_to_proposer", "value_proposer")


def _means(column: str, guess: Guess, table: Table) -> tuple[str, str, dict[str, float]]:
    """Return what each offer gives, by the name of its key and column, and its mean for each code of a column."""
    key = next((what for what in _BENEFITS if f"offers.{what}" in guess.keys), "")
    benefit_column = guess.keys.get(f"offers.{key}")
    if not isinstance(benefit_column, str) or benefit_column not in table.names:
        return key, "", {}
    means = _values(table, guess, benefit_column).groupby(table.column(column)).mean().dropna()
    return key, benefit_column, {str(code): float(mean) for code, mean in means.items()} if len(means) > 1 else {}


def _evidence(column: str, guess: Guess, table: Table) -> str:
    _, benefit_column, means = _means(column, guess, table)
    mean_texts = ", ".join(f"{mean:.3g} where it is {code}" for code, mean in means.items())
    return f" Mean of {text(benefit_column)}: {mean_texts}." if means else ""


def _levels(name: str, guess: Guess, table: Table) -> Iterator[str]:
    """Yield how the levels of one column are spelled."""
    spelled = guess.levels.get(name)
    code_column = guess.questions.get(f"offers.{name}")
    if not spelled and code_column and (codes := _likely(code_column, guess, table)):
        yield f"[levels.{name}]  # QUESTION: is it so, or the other way round? More is accepted more often, as a rule"
        yield from (f"{level} = [{text(code)}]" for level, code in codes.items())
        return
    mark = "" if spelled else "# "
    doubt = guess.doubts.get(name)
    why = f"; QUESTION: is 1 accepted? The column's name says so.{_evidence(doubt, guess, table)}" if doubt else ""
    yield f"{mark}[levels.{name}]  # how each level is spelled in the log{why if name == 'response' else ''}"
    for level in LEVELS[name]:
        words = (spelled or {}).get(level)
        if words:
            yield f"{level} = [{', '.join(text(word) for word in words)}]"
        elif not spelled:
            yield f"# {level} = []"


def _likely(column: str, guess: Guess, table: Table) -> dict[str, str]:
    """Return which of two codes is acceptance if more for the responder is accepted more often; {} if none is."""
    key, _, means = _means(column, guess, table)
    if len(means) != 2 or table.column(column).nunique() != 2:
        return {}
    low, high = sorted(means, key=lambda code: means[code])
    if means[low] == means[high]:
        return {}
    accepted_code, rejected_code = (high, low) if key.endswith("responder") else (low, high)
    return {"accepted": accepted_code, "rejected": rejected_code}


def _source_text(value: object, guess: Guess) -> str:
    """Return a value as TOML; a column of numbers with words for missing says which these are."""
    words = guess.words.get(value) if isinstance(value, str) else None
    return _value(value) if not words else f"{{ column = {text(str(value))}, missing = {_list(words)} }}"


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
