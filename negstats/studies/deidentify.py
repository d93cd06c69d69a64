"""Taking out of a study's tables who took part: pseudonyms, columns that tell, free text, order and times.

Every factor and every question ends in one of four ways, and a note says which: dropped, pseudonyms, masked in part, or
kept as it is.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from negstats.errors import UsageError, meant, shown
from negstats.studies.identifiers import (
    LINKING,
    is_full_name,
    kind_of_column,
    masked,
    named_in_texts,
    without_names,
)
from negstats.studies.identifying_columns import (
    describe_remaining,
    drop_identifying,
    drop_identifying_questions,
    share_of_people,
)
from negstats.studies.pseudonyms import PIECE, Names, Pieces, pseudonym, spelled
from negstats.studies.records import Record
from negstats.tables import TABLES

Times = Literal["hour", "day", "week", "month", "year"]

SEATS = ("player", "proposer", "responder", "receiver", "sender")  # columns that name a seat
# What nobody's id is looked for in: what was said, and words of the package's own.
KEPT = {"text"} | {column.name for table in TABLES.values() for column in table.columns if column.levels}
_SUFFIXES = {
    *(".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".xlsx", ".xls", ".log", ".xml", ".html", ".htm", ".zip"),
    *(".gz", ".bz2", ".parquet", ".md", ".yaml", ".yml", ".toml", ".db", ".sqlite", ".pkl", ".kif", ".dat"),
}
_GUESSED = {
    *("password", "passwort", "secret", "qwerty", "negstats", "letmein", "changeme", "salt", "abcdefgh", "12345678"),
}


def checked_salt(salt: str | None, known: Collection[str]) -> str:
    """Return the salt, or a new one of 256 bits if none is given.

    Raises
    ------
    UsageError
        If it is short, a number, of few different characters, a word that all guess first, or stands in the study.

    Examples
    --------
    >>> len(checked_salt(None, []))
    43
    >>> checked_salt("aaaaaaaaaa", [])
    Traceback (most recent call last):
        ...
    negstats.errors.UsageError: salt has 1 different characters; give at least 5, or none: negstats then makes one
    """
    if salt is None:
        return secrets.token_urlsafe(32)
    advice = "or none: negstats then makes one"
    if len(salt) < 8:
        raise UsageError(f"salt has {len(salt)} characters; give a secret of at least 8, {advice}")
    if len(set(salt)) < 5:
        raise UsageError(f"salt has {len(set(salt))} different characters; give at least 5, {advice}")
    if salt.strip().isdecimal():
        raise UsageError(f"salt is a number, and numbers are tried out quickly; give words, {advice}")
    letters_only = re.sub(r"[\W\d_]+", "", salt).lower()
    if letters_only in _GUESSED or salt.lower() in _GUESSED or salt in known:
        raise UsageError(f"salt is easy to guess; give a secret, {advice}")
    return salt


def safe_file_names(paths: Sequence[str]) -> dict[str, str]:
    """Return what files are called that may be named after people; only endings that say a format stay.

    Examples
    --------
    >>> safe_file_names(["ann/log.csv", "notes.bob"])
    {'ann/log.csv': 'file-001.csv', 'notes.bob': 'file-002'}
    """
    endings = [suffix if (suffix := PurePath(path).suffix.lower()) in _SUFFIXES else "" for path in paths]
    return {
        path: f"file-{number:03d}{ending}" for number, (path, ending) in enumerate(zip(paths, endings, strict=True), 1)
    }


@dataclass(frozen=True, slots=True)
class Cleared:
    """Tables without who took part.

    Besides: notes on what was done, records of what may still tell who somebody is, the rules that make a sentence
    safe, and the pieces of ids that a copy must not hold.
    """

    tables: dict[str, pd.DataFrame]
    notes: list[str]
    records: tuple[Record, ...]
    unnamed: Callable[[str], str]
    pieces: Pieces


@dataclass(slots=True)
class _Masks:
    """What was masked, and where."""

    number: Counter[str] = field(default_factory=Counter)
    where: dict[str, None] = field(default_factory=dict)

    def note(self) -> list[str]:
        if not self.number:
            return []
        kinds_text = ", ".join(f"{kind}: {number}" for kind, number in sorted(self.number.items()))
        return [f"masked in {', '.join(self.where)}: {kinds_text}"]


def _name_seats(
    players: pd.DataFrame, seated: pd.DataFrame, people: Names, salt: str, notes: list[str]
) -> Names | None:
    """Return the pseudonyms of seats where their names are people's, or look like what tells a person; else None."""
    if (seated["player"].map(spelled) == seated["participant_id"].map(spelled)).all():
        return people
    look = kind_of_column("seat", _seats_of_people(players), unique_is_an_id=False)
    if look is None:
        return None
    notes.append(f"the names of seats look like {look}: pseudonyms now")
    return Names(list(players["player"].unique()), salt, "s")


def _name_links(games: pd.DataFrame, linking: Iterable[str], salt: str) -> dict[str, Names]:
    """Return the pseudonyms of ids that link games to other data, by the factor that holds them."""
    return {name: Names([str(value) for value in games[name].dropna().unique()], salt, "i") for name in linking}


def _hide_order(
    renamed: dict[str, pd.DataFrame], times: Times | None, notes: list[str], *, shuffle: bool
) -> dict[str, pd.DataFrame]:
    """Return tables with coarser times, and in the order of their pseudonyms, where that is asked for."""
    if times is not None:
        renamed["games"] = _coarsened(renamed["games"], times)
        notes.append(f"times of games are those at which the {times} began")
    if shuffle:
        renamed = _sort_tables(renamed)
        notes.append("games and people stand in the order of their pseudonyms")
    return renamed


def tables(
    study_tables: Mapping[str, pd.DataFrame],
    salt: str,
    *,
    keep: Collection[str] = (),
    shuffle: bool = False,
    times: Times | None = None,
    files: Mapping[str, str] | None = None,
) -> Cleared:
    """Return the tables of a study with pseudonyms and without what tells who took part; see `Study.deidentify`.

    `files` are new names of the files that were read, for texts that name them.
    """
    if times is not None and times not in get_args(Times):
        raise UsageError(f"times is {shown(times)}; give {', '.join(get_args(Times))} or None")
    _check_kept(study_tables, keep)
    ids = list(pd.concat([study_tables[name]["participant_id"] for name in ("players", "answers")]).dropna().unique())
    year = _year_of(study_tables["games"])
    aliases = _other_ids(study_tables, salt, keep, year)
    people = Names(ids, salt, aliases=aliases)
    games = Names(list(study_tables["games"]["game_id"]), salt, "g")
    rules = Rules(people, games, files)
    notes: list[str] = []
    safe_tables = {name: _drop_objects(frame) for name, frame in study_tables.items()}
    seated = study_tables["players"].dropna(subset=["participant_id"])
    of_people = _factors_that_are_people(safe_tables["games"], seated, people, keep, notes)
    safe_tables["games"], linking = drop_identifying(safe_tables["games"], [*of_people, *keep], year, notes)
    safe_tables["answers"], id_questions = drop_identifying_questions(safe_tables["answers"], people, keep, year, notes)
    pseudonyms = {"game_id": games, "participant_id": people} | dict.fromkeys(of_people, people)
    pseudonyms |= _name_links(safe_tables["games"], linking, salt)
    seats = _name_seats(study_tables["players"], seated, people, salt, notes)
    if seats is not None:
        pseudonyms |= dict.fromkeys(SEATS, seats)
    masks = _Masks()
    renamed = {
        name: _renamed(name, frame, pseudonyms, rules, masks, keep, id_questions) for name, frame in safe_tables.items()
    }
    notes += masks.note()
    renamed["games"] = _renamed_factors(renamed["games"], rules, notes)
    notes += describe_remaining(renamed["games"], renamed["answers"], [*of_people, *linking], id_questions, keep)
    renamed = _hide_order(renamed, times, notes, shuffle=shuffle)
    all_ids = list(dict.fromkeys((*ids, *aliases)))
    risks = _describe_risks(study_tables, all_ids, times, notes)
    id_pieces = Pieces(
        all_ids, [name for names in (*pseudonyms.values(), people, games) for name in names.exact.values()]
    )
    renamed["messages"] = _without_pieces(renamed["messages"], rules, id_pieces, notes)
    notes = [id_pieces.replace(note) for note in notes]  # they say of a factor what it is called, and how far it goes
    return Cleared(renamed, notes, risks, lambda text: id_pieces.replace(rules.prose(text)), id_pieces)


class Rules:
    """The one path by which a text becomes safe: file names, ids, shapes, names, and the ids of games last.

    A pseudonym that stands in the text by then is not read again: its digits are not an id of a game.

    Parameters
    ----------
    people, games
        Pseudonyms of people and of games.
    files
        New names of the files that were read.
    """

    def __init__(self, people: Names, games: Names, files: Mapping[str, str] | None = None) -> None:
        self.people, self.games = people, games
        # A plain number in a cell is a measure as a rule; in the prose of a note "game 1012" is a game.
        self.games_in_cells = games.with_letters()
        names = dict(files or {})
        for path, name in (files or {}).items():
            names.setdefault(PurePath(path.replace("\\", "/")).name, name)
        self.files = names
        longest_first = sorted((name for name in names if len(name) > 3), key=len, reverse=True)
        self.pattern = re.compile(
            "|".join(rf"(?<![\w.-]){re.escape(name)}(?![\w-])" for name in longest_first) or r"(?!)"
        )

    def prose(self, text: str) -> str:
        """Return the sentence of a note or a reason without ids, files, addresses, computers and names."""
        return self._apply(text, prose=True)[0]

    def cell(self, text: str, *, is_named: bool = False) -> tuple[str, Counter[str]]:
        """Return a cell, and what was masked in it; `is_named` of agents, items and options, which the study named."""
        return self._apply(text, prose=False, is_named=is_named)

    def _apply(self, text: str, *, prose: bool, is_named: bool = False) -> tuple[str, Counter[str]]:
        if prose:
            text = self.pattern.sub(lambda match: self.files[match[0]], text)
        text, masks = masked(self.people.in_text(text), prose=prose)
        if not is_named:
            number = int(is_full_name(text))
            text, number = ("[name]", 1) if number else without_names(text, prose=prose)
            masks.update({"name of a person": number} if number else {})
        games = self.games if prose else self.games_in_cells
        fragments = _WRITTEN.split(text)
        fragments[::2] = [games.in_text(fragment) for fragment in fragments[::2]]
        return "".join(fragments), masks


_WRITTEN = re.compile(r"([pgsi][0-9a-f]{16}|\[[a-zA-Z -]+\])")  # what the rules have put into a text


def _year_of(games: pd.DataFrame) -> int | None:
    starts = games["started_at"].dropna()
    return int(starts.dt.year.min()) if len(starts) else None


def _other_ids(
    study_tables: Mapping[str, pd.DataFrame], salt: str, keep: Collection[str], year: int | None
) -> dict[str, str]:
    """Return the ids that stand in columns of their own, such as those of a platform, each with its pseudonym.

    What one person alone answered is that person; an id of a factor has a pseudonym of its own. They are looked for in
    texts as the ids of people are, so that they have a digit or an @, and as many characters as a piece of an id has.
    """
    kinds = (LINKING, "e-mail addresses")
    aliases: dict[str, str] = {}
    games = study_tables["games"]
    for name in games.columns:
        if (
            name not in TABLES["games"].names
            and name not in keep
            and kind_of_column(name, games[name], year=year) in kinds
        ):
            values = map(str, games[name].dropna().unique())
            aliases |= {value: pseudonym(value, salt, "i") for value in values if _is_long_code(value)}
    # An answer that one person alone gave, and that looks like an id, is another name of that person.
    answers = study_tables["answers"].dropna(subset=["participant_id", "answer"])
    for question, rows in answers.groupby("question", sort=True):
        kind = kind_of_column(str(question), rows["answer"], unique_is_an_id=False, year=year)
        if question not in keep and kind in kinds:
            owners = rows.groupby(rows["answer"].astype("str").str.strip())["participant_id"].unique()
            for value, owners_of_value in owners.items():
                if len(owners_of_value) == 1 and _is_long_code(str(value)):
                    aliases[str(value)] = pseudonym(str(owners_of_value[0]), salt)
    return aliases


def _is_long_code(value: str) -> bool:
    return re.search(r"[\d@]", value) is not None and len(re.findall(r"[^\W_]", value)) >= PIECE


def _seats_of_people(players: pd.DataFrame) -> pd.Series:
    """Return the names of the seats if they are as many as if each person had one; else none."""
    seats = players["player"]
    return seats if seats.nunique() > max(2, len(seats) / 4) else seats.iloc[:0]


def _drop_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose categories are those that occur, and whose lists, mappings and bytes are text."""
    columns: dict[str, Any] = {}
    for name in frame.columns:
        values = frame[name]
        if isinstance(values.dtype, pd.CategoricalDtype):
            values = values.cat.remove_unused_categories()
        elif values.dtype == object:
            values = values.map(lambda value: value if _is_plain(value) else str(value), na_action="ignore")
        columns[name] = values
    return pd.DataFrame(columns) if columns else frame


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool | np.generic | pd.Timestamp | pd.Timedelta)


def _check_kept(study_tables: Mapping[str, pd.DataFrame], keep: Collection[str]) -> None:
    names = [name for name in study_tables["games"].columns if name not in TABLES["games"].names]
    names += list(study_tables["answers"]["question"].unique())
    for name in keep:
        if name not in names:
            raise UsageError(f"keep names {shown(name)}, which is not a factor and no question; {meant(name, names)}")


def _renamed_factors(games: pd.DataFrame, rules: Rules, notes: list[str]) -> pd.DataFrame:
    """Return the games with factors whose names hold ids or addresses called otherwise."""
    factors = [name for name in games.columns if name not in TABLES["games"].names]
    new_names = {name: rules.prose(name) for name in factors}
    changed = {name: new_name for name, new_name in new_names.items() if new_name != name}
    if not changed:
        return games
    names_in_use = set(games.columns) - set(changed)
    for name, new_name in changed.items():
        suffix = 1
        while (unique := new_name if suffix == 1 else f"{new_name}_{suffix}") in names_in_use:
            suffix += 1
        changed[name] = unique
        names_in_use.add(unique)
    notes.append(f"the names of {len(changed)} factors held ids or addresses; now: {', '.join(changed.values())}")
    return games.rename(columns=changed)


def _describe_risks(
    study_tables: Mapping[str, pd.DataFrame], ids: list[str], times: Times | None, notes: list[str]
) -> tuple[Record, ...]:
    """Return how many messages may tell who somebody is, and note what else might."""
    if times is None and study_tables["games"]["started_at"].notna().any():
        notes.append("times of games are kept to the second; times='day' would coarsen them")
    texts = study_tables["messages"]["text"].dropna()
    if not len(texts):
        return ()
    suspects, kinds = named_in_texts(texts, ids)
    kind_counts = tuple(f"{number} {kind}" for kind, number in kinds.items())
    return (Record(TELLING, "messages.text", suspects, len(texts), kind_counts),)


TELLING = "messages_telling"
# How the same was said in the notes of a study that an earlier version saved; it counts the messages of then.
TELLING_BEFORE = "what people said is kept as it was typed, and no rule finds every name:"


def _factors_that_are_people(
    games: pd.DataFrame, seated: pd.DataFrame, people: Names, keep: Collection[str], notes: list[str]
) -> list[str]:
    """Return the factors that name people: in every game somebody who plays in it, or people of other games."""
    present = set(zip(seated["game_id"], seated["participant_id"].map(spelled), strict=True))
    factors = [name for name in games.columns if name not in TABLES["games"].names and name not in keep]
    person_factors = []
    for name in factors:
        pairs = games[["game_id", name]].dropna()
        if not len(pairs):
            continue
        # In every game the factor names somebody who plays in it.
        players = set(zip(pairs["game_id"], pairs[name].map(spelled), strict=True)) <= present
        share = share_of_people(name, games[name], people)
        if players or share == 1:
            person_factors.append(name)
            notes.append(f"the factor {shown(name)} names people: pseudonyms now")
        elif share > 0:
            notes.append(
                f"{share:.0%} of the values of the factor {shown(name)} are also ids of people; kept as numbers"
            )
    return person_factors


def _renamed(
    table: str,
    frame: pd.DataFrame,
    names_of_column: Mapping[str, Names],
    rules: Rules,
    masks: _Masks,
    keep: Collection[str],
    id_questions: Collection[str],
) -> pd.DataFrame:
    people = rules.people
    columns: dict[str, Any] = {}
    for name in frame.columns:
        values = frame[name]
        own_names = (
            names_of_column.get(name) if table == "games" or name in ("game_id", "participant_id", *SEATS) else None
        )
        if own_names is not None:
            text = _text_of(table, name, rules, masks, keep)
            columns[name] = _replaced(values, _either(own_names, text))
        elif name not in KEPT and not pd.api.types.is_numeric_dtype(values) and values.dtype.kind not in "Mm":
            columns[name] = _replaced(values, _text_of(table, name, rules, masks, keep))
        else:
            columns[name] = values
    if table == "answers":
        answers = frame["answer"]
        numbers = pd.to_numeric(answers, errors="coerce").notna()
        ids = frame["question"].isin(list(id_questions))
        columns["answer"] = columns["answer"].where(~numbers, answers)  # a number is an id where its question says so
        columns["answer"] = columns["answer"].where(~(numbers & ids), _replaced(answers, people.of_number))
        within_text = _replaced(columns["answer"], lambda value: people.in_numbers(str(value)))
        columns["answer"] = columns["answer"].where(numbers | ~ids, within_text)
        is_kept = frame["question"].isin(list(keep))
        columns["answer"] = columns["answer"].where(~is_kept, answers)
    return pd.DataFrame(columns)


NAMED_BY_THE_STUDY = ("agent", "item", "option")  # columns whose values are names, and not people's


def _text_of(
    table: str, column: str, rules: Rules, masks: _Masks, keep: Collection[str]
) -> Callable[[object], str | None]:
    """Return what makes a safe text out of one of a column."""
    place_text = f"the factor {shown(column)}" if table == "games" and column not in TABLES["games"].names else column

    def clean_text(value: object) -> str | None:
        if not isinstance(value, str):
            return None
        if column in keep:
            return rules.people.in_text(value)
        safe_text, number = rules.cell(value, is_named=column in NAMED_BY_THE_STUDY)
        if number:
            masks.number.update(number)
            masks.where[place_text] = None
        return safe_text

    return clean_text


def _without_pieces(messages: pd.DataFrame, rules: Rules, pieces: Pieces, notes: list[str]) -> pd.DataFrame:
    """Return messages without ids of six characters or more, and without parts of them; all else is as it was typed."""
    texts = messages["text"]

    def clean_text(value: str) -> str | None:
        if pieces.find(value) is None:
            return None
        return pieces.replace(rules.people.in_text(value))

    safe_text = _replaced(texts, clean_text)
    changed = int((safe_text.fillna("") != texts.fillna("")).sum())
    if changed:
        notes.append(f"ids of people in {changed} messages are pseudonyms now")
    return messages.assign(text=safe_text)


def _either(own_names: Names, clean_text: Callable[[object], str | None]) -> Callable[[object], str | None]:
    def clean_value(value: object) -> str | None:
        return own_names.of_number(value) or clean_text(
            own_names.in_numbers(value) if isinstance(value, str) else value
        )

    return clean_value


def _replaced(values: pd.Series, new: Callable[[Any], str | None]) -> pd.Series:
    """Return the values with those that have a new name replaced; what has none stays."""
    changed = {value: name for value in values.dropna().unique() if (name := new(value)) is not None and name != value}
    if not changed:
        return values
    texts = values.astype("str")
    return texts.where(~values.isin(list(changed)), values.map(changed).astype("str")).astype(texts.dtype)


def _coarsened(games: pd.DataFrame, times: Times) -> pd.DataFrame:
    """Return the games with each time at the beginning of its hour, day, week (Monday), month or year."""
    coarse = games.copy(deep=False)
    periods = {"week": "W-SUN", "month": "M", "year": "Y"}
    for name in games.columns:
        values = games[name]
        if values.dtype.kind != "M":
            continue
        zone = values.dt.tz
        if times in ("hour", "day"):
            coarse[name] = values.dt.floor({"hour": "h", "day": "D"}[times])
        else:
            starts = values.dt.tz_localize(None).dt.to_period(periods[times]).dt.start_time
            coarse[name] = starts.dt.tz_localize(zone).astype(values.dtype)
    return coarse


def _sort_tables(study_tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the tables in the order of pseudonyms, which tells nothing to who does not know the salt.

    Within a game, rows that are numbered keep their order.
    """
    sorted_tables = {}
    for name, frame in study_tables.items():
        by = [key for key in ("participant_id", "game_id") if name == "answers" or key == "game_id"]
        sorted_tables[name] = frame.sort_values(by, kind="stable").reset_index(drop=True)
    return sorted_tables
