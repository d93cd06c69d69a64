"""A guess by names held against the reading by structure: where they agree it stays, where not the structure decides.

What only names and spellings can tell (which words are offers, who sits on which side) stays the guess's; what a row
is, who repeats and what names a game is the reading's, and where that is not certain it is asked (`[[open]]`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from negstats.loaders.files.tabular import joined
from negstats.loaders.mapping.designs import names_no_quantity
from negstats.loaders.mapping.guess_result import Guess
from negstats.loaders.mapping.keys import quoted, short, text
from negstats.loaders.mapping.log_files import Log
from negstats.loaders.mapping.words import FILE, ROW, SIGNS, english, plain
from negstats.loaders.reading import Option, Question, Reading, read_columns
from negstats.loaders.reading.columns import Codes, Column, build_column, text_cells
from negstats.loaders.reading.hypotheses import Hypothesis
from negstats.loaders.reading.questions import read_answer
from negstats.loaders.reading.relations import joint_codes
from negstats.loaders.reading.words import is_named
from negstats.tables import TABLES

_SAME = 1.03  # times as many groups, at most, of two columns that part the rows alike
_LIST = ("[", "{")
_FEWEST_ROWS = 20  # below which a table has hardly any structure
_LOOKED = 20  # levels that tell whether cells are lists
_OF_ROWS = ("games.game_id", "players.participant_id")
_MOST_MEASURES = 30  # more numbers than this are a survey's, and only those with a measure's name are taken
# Keys that only a recogniser of words or shapes can have found: the reading by structure knows nothing of them.
_OF_WORDS = ("event", "item.", "items.", "seats.", "values.", "offers.vote", "offers.items", "offers.accept_at")
_CONTENT = ("messages.", "answers.", "person.")


def read_log(log: Log, guess: Guess, answers: Mapping[str, str]) -> tuple[Guess, Reading | None]:
    """Return a guess as the structure of the log's table leaves it, and the reading; None where there is none.

    A log whose rows are elements of lists, or stand side by side in one row, is not read by structure: what its rows
    are, the file itself says.
    """
    columns = _columns_of(log)
    if log.lists or log.rounds or len(columns) < 2 or not columns or next(iter(columns.values())).rows < 2:
        return guess, None
    named = _NamedReading(guess, columns)
    vote = named.agrees if named.is_certain else None
    if named.game is not None:
        others = {subject: answer for subject, answer in answers.items() if subject != "row"}
        reading = read_columns(columns.values(), others, vote)
        is_shape = named.has_words or guess.row_is_game or bool(guess.keep)
        is_name = named.is_certain and (named.rows < _FEWEST_ROWS or named.has_other_units(reading.row))
        if (is_shape or is_name) and not named.agrees(reading.row):
            chosen = _ask_whose(reading, named, answers.get("row"))
            if chosen is None:
                return guess, reading
            answers = {**others, "row": chosen}
    reading = read_columns(columns.values(), answers, vote)
    row = [FILE, ROW] if FILE in columns else [ROW]
    fitted = guess if named.agrees(reading.row) else _from_structure(guess, reading, row)
    fitted = replace(fitted, percent={name for name, column in columns.items() if _has_percent(column)})
    fitted = _with_people(fitted, reading)
    fitted = _with_offers(fitted, reading)
    fitted = _with_conditions(fitted, reading)
    return _with_rows_that_count(fitted, reading), reading


def _columns_of(log: Log) -> dict[str, Column]:
    """Return the columns of a log's tables that hold texts or numbers, and no lists; of several files the file too."""
    columns = {}
    tables = [table for table in log.tables if set(log.table.cells) <= set(table.cells)]
    for name in log.table.names:
        if name not in log.table.cells or name.endswith(".#"):
            continue
        cells = joined([table.cells[name] for table in tables]) if len(tables) > 1 else log.table.cells[name]
        column = build_column(name, cells, is_source=log.is_stacked and name == log.table.names[-1])
        if not (column.levels and all(level.lstrip()[:1] in _LIST for level in column.levels[:_LOOKED])):
            columns[name] = column
    if len(tables) > 1 and columns:
        files = [str(table.file.with_suffix("")) for table in tables for _ in range(len(table.rows))]
        columns[FILE] = build_column(FILE, text_cells(files), is_source=True)
    return columns


class _NamedReading:
    """What a guess by names takes rows for, in the terms of the reading by structure."""

    def __init__(self, guess: Guess, columns: Mapping[str, Column]) -> None:
        self.guess, self.columns = guess, columns
        self.rows = next(iter(columns.values())).rows
        game, person = guess.keys.get("games.game_id"), guess.keys.get("players.participant_id")
        self.game = self._codes(game)
        of_seats = [value for key, value in guess.keys.items() if re.fullmatch(r"seats\..*\.participant_id", key)]
        self.person = self._codes(of_seats[0] if person is None and len(of_seats) == 1 else person)

    @property
    def is_certain(self) -> bool:
        """Whether names of columns, and no default, say what names a game."""
        is_default = self.guess.is_default or self.guess.keys.get("games.game_id") == {"file": True}
        return self.game is not None and not is_default

    @property
    def has_words(self) -> bool:
        """Whether words or shapes were recognised that structure cannot tell."""
        return any(key.startswith(_OF_WORDS) for key in self.guess.keys)

    def _codes(self, value: object) -> Codes | None:
        """Return the groups of rows that columns of a key make; None if it is no column."""
        names = value if isinstance(value, list) else [value]
        if ROW in names:
            return np.arange(self.rows)
        names = [FILE if name == {"file": True} else name for name in names]
        if not all(isinstance(name, str) and name in self.columns for name in names):
            return None
        return joint_codes([self.columns[str(name)] for name in names]) if names else None

    def agrees(self, hypothesis: Hypothesis) -> bool:
        """Whether the guess takes the rows for the same as a reading does."""
        if self.game is None:
            return False
        is_unique = _is_unique(self.game)
        # Of two columns that name people the one that repeats is who decides.
        repeats = self.person is not None and not _is_unique(self.person)
        match hypothesis.kind:
            case "alone":
                return is_unique and not repeats
            case "repeated":
                return (
                    hypothesis.person is not None
                    and self.person is not None
                    and is_unique
                    and (_part_alike(self.person, hypothesis.person.codes) or self._numbers_anew(hypothesis.person))
                )
            case "seats":
                is_of_seats = self.guess.row == "player" and isinstance(self.guess.keys.get("players.player"), str)
                return is_of_seats and _part_alike(self.game, joint_codes(hypothesis.game))
            case "events":
                is_of_events = self.guess.row in ("offer", "event", "message", "item")
                return is_of_events and _part_alike(self.game, joint_codes(hypothesis.game))

    def _numbers_anew(self, person: Column) -> bool:
        """Whether the guess names people by a session and the number that the reading takes for their names."""
        names = self.guess.keys.get("players.participant_id")
        return isinstance(names, list) and len(names) > 1 and person.name in names

    def has_other_units(self, hypothesis: Hypothesis) -> bool:
        """Whether names say of other games or people than a reading: not only that it knows more of them."""
        if self.game is None:
            return False
        names = self.guess.keys.get("games.game_id")
        known = {column.name for column in hypothesis.game}
        if isinstance(names, list) and known.issuperset(map(str, names)):
            return False  # the reading knows what else it takes to name a game: numbers begin anew in each session
        if hypothesis.kind in ("seats", "events"):
            return not _part_alike(self.game, joint_codes(hypothesis.game))
        is_own_row = _is_unique(self.game)
        return not is_own_row or (self.person is not None and not _is_unique(self.person))

    @property
    def label(self) -> str:
        """What the guess takes a row for."""
        game = self.guess.keys.get("games.game_id")
        names = " × ".join(map(str, game)) if isinstance(game, list) else str(game)
        named = names.replace(ROW, "the row").replace(FILE, "the file")
        what = {"player": "one seat of one game", "game": "one game", "event": "one event of a game"}
        return f"each row is {what.get(self.guess.row, f'one {self.guess.row} of a game')}, and {named} names the game"


def _is_unique(codes: Codes) -> bool:
    there = codes[codes >= 0]
    return len(np.unique(there)) >= 0.97 * max(len(there), 1)


def _part_alike(one: Codes, other: Codes) -> bool:
    """Whether two ways of grouping rows are the same in nearly all of them."""
    both = (one >= 0) & (other >= 0)
    if both.sum() < 0.9 * len(one):
        return False
    first, second = one[both], other[both]
    pairs = len(np.unique(first * (int(second.max()) + 1) + second))
    return bool(pairs <= _SAME * len(np.unique(first)) and pairs <= _SAME * len(np.unique(second)))


def _ask_whose(reading: Reading, named: _NamedReading, answer: str | None) -> str | None:
    """Ask whether the rows are what words and shapes say, or what structure says, where these differ.

    Returns the structure's reading that a person has chosen; None while the guess holds, as asked or as answered.
    """
    of_structure = [reading.row, *reading.rivals[:2]]
    options = (
        Option(named.label, "the names of columns and the words in them"),
        *(Option(each.label, f"{each.score:.1f} points: {each.reasons}") for each in of_structure),
    )
    question = Question("row", "What is one row?", options, is_stop=reading.repeats)
    reading.questions = []  # what columns are is asked when it is known what a row is
    if answer is None:
        reading.questions.append(question)
        return None
    if ":" in answer or answer == "alone":
        return answer
    places = read_answer(question, answer)
    if places in ((), (1,)):
        reading.answered["row"] = question
        return None
    return options[places[0] - 1].words


def _from_structure(guess: Guess, reading: Reading, own_row: list[str]) -> Guess:
    """Return a guess whose rows are what the structure says; what hangs on the other rows is given up."""
    row, roles = reading.row, reading.roles
    # Of rows that are somebody's own, what the words of the log say of offers and answers holds as before.
    is_own_row = row.kind in ("alone", "repeated") and guess.row in ("player", "game")
    content = ("offers.", "answers.", "person.", "measures.", "factors.", "games.", "players.")
    keys: dict[str, object] = {
        key: value
        for key, value in guess.keys.items()
        if key.startswith(content if is_own_row else "factors.folder") and key not in _OF_ROWS
    }
    evidence = {"games.game_id": f"{row.label}: {row.reasons}"}
    game = [column.name for column in row.game]
    person = row.person
    is_person = person is not None and not (is_named(person, "game") and not is_named(person, "person"))
    kind = "player"
    if row.kind == "alone":
        keys["games.game_id"] = list(own_row) if person is None else [person.name]
        kind = "player" if is_person else "game"
        if is_person:
            keys.setdefault("players.player", {"constant": "participant"})
    elif row.kind == "repeated":
        keys["games.game_id"] = [person.name, row.order.name] if person and row.order else list(own_row)
        if not isinstance(keys.get("players.player"), dict):
            keys["players.player"] = {"constant": "participant"}
    elif row.kind == "seats":
        keys["games.game_id"] = game
        teller = row.seat or person
        if teller is not None:
            keys["players.player"] = teller.name
        if row.seat is not None and not row.seat.has_numbers:
            keys["players.role"] = row.seat.name
    else:
        keys["games.game_id"] = game
        kind = "message" if roles.texts else "offer"
        if row.seat is not None:
            keys["players.player"] = row.seat.name
        if roles.texts:
            keys["messages.text"] = roles.texts[0].name
    if is_person and person is not None:
        keys["players.participant_id"] = person.name
    used = {name for value in keys.values() for name in _names_in(value)}
    keys |= {
        key: value for key, value in _measure_keys(reading, kind, keys).items() if not used & set(_names_in(value))
    }
    if is_person:
        traits = [column for column in roles.traits if column.name not in used]
        keys |= {f"person.{_key_of(column)}": column.name for column in traits}
    if is_own_row:
        return replace(guess, row=kind, keys=keys, evidence=guess.evidence | evidence)
    return replace(guess, row=kind, keys=keys, evidence=evidence, questions={}, doubts={}, levels={}, row_is_game=False)


def _measure_keys(reading: Reading, kind: str, keys: Mapping[str, object]) -> dict[str, object]:
    """Return the outcomes that are numbers as measures, and of seats the first that is called so as their points."""
    measures: dict[str, object] = {}
    numbers = [
        column
        for column in reading.roles.outcomes
        if column.has_numbers and not names_no_quantity(english(plain(short(column.name))))
    ]
    is_of_seats = reading.row.kind == "seats"
    may_be_points = is_of_seats and "players.points" not in keys
    points = next((column for column in numbers if may_be_points and is_named(column, "outcome")), None)
    if points is None and may_be_points and "players.participant_id" not in keys:
        points = next(iter(numbers), None)  # a number of each seat whose people nobody names
    for column in numbers:
        name = f"measures.{_key_of(column)}"
        if column is points:
            measures["players.points"] = column.name
        elif {level.lower() for level in column.levels} == {"true", "false"}:
            measures[name] = {"column": column.name, "kind": "yes/no"}
        elif kind == "player" and is_of_seats and "players.participant_id" in keys:
            measures[name] = {"column": column.name, "per": "player"}
        else:
            measures[name] = column.name
    return measures


def _key_of(column: Column) -> str:
    """Return a key for a column, which is none of the games' own columns."""
    name = short(column.name)
    return quoted(f"{name}_in_log" if name in TABLES["games"].names else name)


def _has_percent(column: Column) -> bool:
    return column.has_numbers and any(level.endswith("%") for level in column.levels)


def _with_people(guess: Guess, reading: Reading) -> Guess:
    """Return a guess in which the person of a seat, or who decides, is named where the structure names one."""
    person = reading.row.person
    is_known = any(key.endswith(("participant_id", "players.agent")) for key in guess.keys)
    if person is None or is_known or guess.row != "player" or reading.row.kind not in ("seats", "repeated"):
        return guess
    if person.name in {name for value in guess.keys.values() for name in _names_in(value)}:
        return guess
    return replace(guess, keys=guess.keys | {"players.participant_id": person.name})


def _with_offers(guess: Guess, reading: Reading) -> Guess:
    """Return a guess with the sides that an identity of payoffs proves, or a person has named."""
    offer = reading.offer
    if offer is None or not offer.is_certain or offer.person is None or reading.row.kind not in ("repeated", "alone"):
        return guess
    if any(key.startswith(("offers.accept", "seats.", "items.", "item.")) for key in guess.keys):
        return guess
    taken = {offer.amount.name, offer.answer.name}
    keys = {
        key: value
        for key, value in guess.keys.items()
        if not (key.startswith("offers.") or (value in taken if isinstance(value, str) else _column_in(value) in taken))
    }
    keys["players.player"] = {"constant": offer.person}
    keys["offers.proposer"] = {"constant": "proposer"}
    keys[f"offers.units_to_{offer.to}"] = offer.amount.name
    if offer.total is not None:
        keys["offers.total"] = int(offer.total) if float(offer.total).is_integer() else offer.total
    keys["offers.response"] = offer.answer.name
    rejected = [level for level in offer.answer.levels if level != offer.accepted]
    levels = guess.levels | {"response": {"accepted": [offer.accepted], "rejected": rejected}}
    evidence = guess.evidence | {"offers.proposer": offer.evidence}
    questions = {key: value for key, value in guess.questions.items() if key != "offers.response"}
    doubts = {key: value for key, value in guess.doubts.items() if key != "response"}
    return replace(guess, row="player", keys=keys, levels=levels, evidence=evidence, questions=questions, doubts=doubts)


def _column_in(value: object) -> str:
    return str(value.get("column", "")) if isinstance(value, dict) else ""


def _with_conditions(guess: Guess, reading: Reading) -> Guess:
    """Return a guess whose factors are the conditions that structure shows; what is asked about stays as it was."""
    roles = reading.roles
    conditions = _names(roles.conditions)
    open_columns = _names(column for _, column in roles.asked)
    constants = _names(reading.facts.constants)
    keys, agreed = dict(guess.keys), list(guess.agreed_issues)
    _shorten_key(keys, reading)
    used = {name for value in keys.values() for name in _names_in(value)}
    for key, value in guess.keys.items():
        column = value if isinstance(value, str) else _column_in(value)
        if not key.startswith("factors.") or not column or column in SIGNS:
            continue
        known = next((each for each in reading.facts.columns if column in (each.name, *each.aliases)), None)
        if known is None or column in conditions | open_columns | constants:
            continue
        if _is_other(reading, known):
            del keys[key]
            if known.has_numbers and known in roles.outcomes:
                keys.setdefault(f"measures.{_key_of(known)}", column)
    of_files = any(key.startswith("factors.") and isinstance(value, dict) for key, value in keys.items())
    for condition in roles.conditions:
        if condition.name == FILE:
            if not of_files:  # its name in parts may be a factor already
                keys["factors.file"] = {"file": True}
        elif condition.is_source or (not {condition.name, *condition.aliases} & used and condition.name not in agreed):
            keys[f"factors.{_key_of(condition)}"] = condition.name
    for name in {_key_of(column) for column in roles.conditions}:
        keys.pop(f"measures.{name}", None)
    # What was measured and stands behind no key yet: nothing that may be an outcome is left unread.
    used |= {name for value in keys.values() for name in _names_in(value)} | set(guess.questions.values()) | set(agreed)
    if reading.row.kind != "events" and len(roles.outcomes) <= _MOST_MEASURES:
        used |= open_columns
        unread = [column for column in roles.outcomes if not {column.name, *column.aliases} & used]
        prefix = _prefix_of(guess)
        unread = [column for column in unread if not column.is_unique and not column.name.startswith(prefix)]
        measures = _measure_keys(replace(reading, roles=replace(roles, outcomes=unread)), guess.row, keys)
        keys = measures | keys
    evidence = dict(guess.evidence)
    for condition in (each for each in roles.conditions if each.name != FILE):
        evidence[f"factors.{_key_of(condition)}"] = "; ".join(roles.evidence.get(condition.name, []))
    return replace(guess, keys=keys, evidence=evidence)


def _with_rows_that_count(guess: Guess, reading: Reading) -> Guess:
    """Return a guess without codes for missing, and without the rows that a person leaves out."""
    codes = {name: [f"{code:g}" for code in of] for name, of in reading.missing.items()}
    words = guess.words | {name: [*guess.words.get(name, []), *of] for name, of in codes.items()}
    left_out = {name: f"{{ not = [{text(level)}] }}" for name, level in reading.excluded.items()}
    if reading.empty_rows is not None:
        left_out[reading.empty_rows.name] = "{ empty = false }"
    return replace(guess, words=words, keep=guess.keep | left_out)


def _prefix_of(guess: Guess) -> str:
    """Return how the columns of the strategy method begin, one of yes and no for each amount."""
    prefix = guess.keys.get("offers.accept_at")
    return str(prefix.get("prefix")) if isinstance(prefix, dict) else "\0"


def _shorten_key(keys: dict[str, object], reading: Reading) -> None:
    """Take conditions out of what names a game where they name nothing that the rest does not."""
    game = keys.get("games.game_id")
    if not isinstance(game, list) or len(game) < 2:
        return
    conditions = _names(reading.roles.conditions)
    rest = [name for name in game if name not in conditions]
    columns = {column.name: column for column in reading.facts.columns}
    if rest and len(rest) < len(game) and all(name in columns for name in game):
        whole, short_key = (joint_codes([columns[str(name)] for name in names]) for names in (game, rest))
        if len(np.unique(whole)) == len(np.unique(short_key)):
            keys["games.game_id"] = rest


def _is_other(reading: Reading, column: Column) -> bool:
    """Whether structure shows that a column is no condition: an outcome, a trait, a place in an order."""
    roles = reading.roles
    return column in [*roles.outcomes, *roles.orders, *roles.refused]


def _names(columns: Iterable[Column]) -> set[str]:
    return {name for column in columns for name in (column.name, *column.aliases)}


def _names_in(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from (str(each) for key, each in value.items() if key == "column")
        case list():
            for each in value:
                yield from _names_in(each)
