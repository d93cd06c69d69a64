"""Several sources of one study: games of one or more platforms, and surveys of the people who played them.

Each source is loaded alone, then joined. People are matched by equal ids, never by order, time or name.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pandas as pd

from negstats.errors import LogError, UsageError, shown
from negstats.loaders.files.delimited import decoded
from negstats.loaders.files.intake import Intake
from negstats.studies import LeftOut, Provenance, Source, Study
from negstats.tables import TABLES, conform

__all__ = ["join", "read_same_people"]

Keep = Literal["first", "last"]

FEW = 0.5  # of a survey's people that are matched: fewer, and the ids are likely not the same
RANGES = 10.0  # times the range of another source's points
GAME_QUESTIONS = ("game_id", "game")  # questions by which a survey names the game that it is about
_KINDS = {"i": "numbers", "u": "numbers", "f": "numbers", "b": "truth values"}
_WITH_GAMES = [name for name, table in TABLES.items() if "game_id" in table.names]


def join(
    studies: Mapping[str, Study],
    *,
    prefix: bool = False,
    same_people: Mapping[str, str] | None = None,
    keep: Keep | None = None,
) -> Study:
    """Join studies into one: games are put below each other, and people are matched by their ids.

    Parameters
    ----------
    studies
        The studies by the names that they shall have in the column ``study``.
    prefix
        Put ``name/`` before every game's id, where two studies call different games alike.
    same_people
        Ids that mean the same person under another one: from the other to the one that is kept.
    keep
        Where two studies have different answers of one person to one question: the "first" study's or the "last" one's.
        None refuses such a clash.

    Returns
    -------
    Study
        Factors united, missing where a study has them not; answers of a study without games are about the person's game
        if they name it (a question "game_id" or "game") or the person has exactly one, else about the person.

    Raises
    ------
    UsageError
        If a game's id, an answer or the kind of a factor's values clashes; names what would do.

    Examples
    --------
    >>> from negstats.studies import Provenance, Study
    >>> from negstats.tables import conform
    >>> games = conform("games", {"game_id": ["g"], "ended": ["agreement"]})
    >>> seats = conform("players", {"game_id": ["g"] * 2, "player": ["A", "B"], "participant_id": ["ann", "bob"]})
    >>> lab = Study(games=games, players=seats, provenance=Provenance("by hand", "1"))
    >>> answers = conform("answers", {"participant_id": ["ann "], "question": ["age"], "answer": ["30"]})
    >>> survey = Study(games=games.iloc[:0], answers=answers, provenance=Provenance("by hand", "1"))
    >>> join({"lab": lab, "survey": survey}).answers[["participant_id", "game_id"]].values.tolist()
    [['ann', 'g']]
    """
    if keep not in (None, "first", "last"):
        raise UsageError(f"keep is {shown(keep)}; give first or last")
    if len(studies) < 2:
        raise UsageError(f"{len(studies)} studies were given; two or more can be joined")
    parts = [_Part.of(name, study, same_people or {}, prefix=prefix) for name, study in studies.items()]
    left_out = _drop_twins(parts)
    _refuse_kinds(parts)
    notes = [*_points_note(parts), *_people_notes(parts)]
    tables = {name: pd.concat([part.tables[name] for part in parts], ignore_index=True) for name in TABLES}
    tables = {name: conform(name, frame) for name, frame in tables.items()}
    tables["answers"], n_dropped = _answers(parts, tables["players"], keep)
    if n_dropped:
        notes.append(f"{n_dropped} answers differ from another study's of the same person, whose {keep} one is kept")
    return Study(provenance=_provenance(parts, left_out, notes), **tables)


@dataclass(slots=True, eq=False)
class _Part:
    """One study on its way into the joined one."""

    name: str
    provenance: Provenance
    tables: dict[str, pd.DataFrame]

    @classmethod
    def of(cls, name: str, study: Study, ids_by_alias: Mapping[str, str], *, prefix: bool) -> _Part:
        tables = {table: frame.copy() for table, frame in study.tables.items()}
        tables["games"]["study"] = pd.Series([name] * len(tables["games"]), dtype="str")
        for table in ("players", "answers"):
            ids = tables[table]["participant_id"].str.strip()
            tables[table]["participant_id"] = ids.where(
                ~ids.isin(list(ids_by_alias)), ids.map(dict(ids_by_alias))
            ).astype("str")
        if prefix:
            for table in _WITH_GAMES:
                tables[table]["game_id"] = (name + "/" + tables[table]["game_id"]).astype("str")
        return cls(name, study.provenance, tables)

    @property
    def games(self) -> set[str]:
        return set(self.tables["games"]["game_id"])

    @property
    def people(self) -> set[str]:
        return {*self.tables["players"]["participant_id"].dropna(), *self.tables["answers"]["participant_id"]}

    def game(self, game: str) -> list[pd.DataFrame]:
        """Return a game's rows in every table, without the name of the study."""
        frames = [frame[frame["game_id"] == game] for frame in (self.tables[name] for name in _WITH_GAMES)]
        return [frame.drop(columns="study", errors="ignore").reset_index(drop=True) for frame in frames]

    def drop(self, games: set[str]) -> None:
        """Take games out."""
        for name in _WITH_GAMES:
            frame = self.tables[name]
            self.tables[name] = frame[~frame["game_id"].isin(games)].reset_index(drop=True)


def _drop_twins(parts: Sequence[_Part]) -> list[LeftOut]:
    """Take out games that an earlier study has from the same file; refuse other games of one id."""
    left_out: list[LeftOut] = []
    for place, part in enumerate(parts):
        for earlier in parts[:place]:
            clash = sorted(part.games & earlier.games)
            if not clash:
                continue
            hashes = {source.sha256 for source in earlier.provenance.sources if source.sha256}
            shared_sources = [source for source in part.provenance.sources if source.sha256 in hashes]
            for game in clash:
                pairs = zip(part.game(game), earlier.game(game), strict=True)
                if not shared_sources or not all(_is_same(one, other) for one, other in pairs):
                    both = f"game {shown(game)} is in {shown(earlier.name)} and in {shown(part.name)}"
                    raise UsageError(f"{both}, and they differ; prefix (--prefix) puts the study's name before each id")
            part.drop(set(clash))
            left_out += [LeftOut(f"{part.name}/{source.path}", 0, "the same file twice") for source in shared_sources]
    return left_out


def _is_same(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    return set(one.columns) == set(other.columns) and one.equals(other[list(one.columns)])


def _refuse_kinds(parts: Sequence[_Part]) -> None:
    """Raise UsageError if a factor's values are numbers in one study and something else in another."""
    kinds: dict[str, tuple[str, str]] = {}
    for part in parts:
        games = part.tables["games"]
        for name in [column for column in games.columns if column not in TABLES["games"].names]:
            if games[name].isna().all():
                continue
            kind = _KINDS.get(games[name].dtype.kind, "text")
            first = kinds.setdefault(name, (kind, part.name))
            if first[0] != kind:
                both = f"{first[0]} in {shown(first[1])} and {kind} in {shown(part.name)}"
                raise UsageError(f"the factor {shown(name)} has {both}; rename it in one of them")


def _points_note(parts: Sequence[_Part]) -> list[str]:
    ranges = {}
    for part in parts:
        points = part.tables["players"]["points"].dropna()
        if len(points) and points.max() > points.min():
            ranges[part.name] = float(points.max() - points.min())
    if len(ranges) < 2 or max(ranges.values()) <= RANGES * min(ranges.values()):
        return []
    range_texts = ", ".join(f"{size:g} in {shown(name)}" for name, size in ranges.items())
    return [f"points have different ranges, and are not rescaled: {range_texts}"]


def _people_notes(parts: Sequence[_Part]) -> list[str]:
    """Say how many people are in games, in surveys, and in both."""
    surveys = [part for part in parts if part.tables["games"].empty and len(part.tables["answers"])]
    playing = {person for part in parts for person in part.tables["players"]["participant_id"].dropna()}
    notes = []
    for part in surveys:
        both, rest = len(part.people & playing), len(part.people - playing)
        players = len(playing - part.people)
        note = f"{both} people are in {shown(part.name)} and in games, {players} in games only, {rest} in it only"
        check = f"check the key: fewer than half of the people in {shown(part.name)} are in games; "
        notes.append((check if both < FEW * len(part.people) else "") + note)
    with_games = [part for part in parts if part not in surveys]
    if len(with_games) > 1:
        times = Counter(person for part in with_games for person in part.people)
        notes.append(f"{sum(count > 1 for count in times.values())} people are in games of more than one study")
    return notes


def _answers(parts: Sequence[_Part], players: pd.DataFrame, keep: Keep | None) -> tuple[pd.DataFrame, int]:
    """Return the answers of all studies, one for each person, game and question, and how many others there were."""
    playing = players.dropna(subset="participant_id")
    seats = playing.groupby("participant_id")["game_id"].unique()
    games = {str(person): set(of) for person, of in seats.items()}
    frames = []
    for place, part in enumerate(parts):
        frame = part.tables["answers"].assign(place=place)
        if part.tables["games"].empty and len(frame):
            frame["game_id"] = frame["game_id"].where(frame["game_id"].notna(), _about(frame, games))
        frames.append(frame)
    whole = pd.concat(frames, ignore_index=True)
    key = ["participant_id", "game_id", "question"]
    answers = whole.drop_duplicates([*key, "answer"])
    clash = answers[answers.duplicated(key, keep=False)]
    if len(clash) and keep is None:
        row = clash.iloc[0]
        names = " and ".join(shown(parts[at].name) for at in clash[clash["question"] == row["question"]]["place"][:2])
        what = f"{shown(row['participant_id'])} answers {shown(row['question'])} differently in {names}"
        raise UsageError(f"{what}; keep (--keep) the first or the last")
    unique_answers = answers.drop_duplicates(key, keep=keep or "first")
    return conform("answers", unique_answers.drop(columns="place").reset_index(drop=True)), len(answers) - len(
        unique_answers
    )


def _about(frame: pd.DataFrame, games: Mapping[str, set[str]]) -> pd.Series:
    """Return for each answer the game that it is about; missing where it is about the person."""
    game_answers = frame[frame["question"].isin(GAME_QUESTIONS)]
    games_by_person = dict(zip(game_answers["participant_id"], game_answers["answer"], strict=True))

    def find_game(person: str) -> str | None:
        of = games.get(person, set())
        game_answer = games_by_person.get(person)
        if isinstance(game_answer, str):
            fits = {each for each in of if each == game_answer.strip() or each.endswith(f"/{game_answer.strip()}")}
            return fits.pop() if len(fits) == 1 else None
        return next(iter(of)) if len(of) == 1 else None

    return (
        frame["participant_id"]
        .map({person: find_game(person) for person in set(frame["participant_id"])})
        .astype("str")
    )


def _provenance(parts: Sequence[_Part], left_out: Sequence[LeftOut], notes: Sequence[str]) -> Provenance:
    provenances = [(part.name, part.provenance) for part in parts]
    return Provenance(
        loader="+".join(dict.fromkeys(of.loader for _, of in provenances)),
        version="+".join(dict.fromkeys(of.version for _, of in provenances)),
        sources=tuple(
            Source(f"{name}/{each.path}", each.sha256, each.rows) for name, of in provenances for each in of.sources
        ),
        left_out=(
            *(replace(row, path=f"{name}/{row.path}") for name, of in provenances for row in of.left_out),
            *left_out,
        ),
        notes=(*notes, *(f"{name}: {note}" for name, of in provenances for note in of.notes)),
        coding=tuple(one for _, of in provenances for one in of.coding),
        records=tuple(record for _, of in provenances for record in of.records),
        accepted=tuple(dict.fromkeys(name for _, of in provenances for name in of.accepted)),
        cite=tuple(dict.fromkeys(text for _, of in provenances for text in of.cite)),
    )


def read_same_people(path: str | Path) -> dict[str, str]:
    """Read a table of two columns, each row of which holds two ids of one person; the first column's id is kept.

    Parameters
    ----------
    path
        A CSV file of two columns of ids.

    Returns
    -------
    dict[str, str]
        The id that is kept by each id that it stands for.

    Raises
    ------
    LogError
        If a row has not two ids, or an id stands for two people.
    """
    file = Path(path)
    text = decoded(Intake(file).read(file), file, "utf-8")
    ids_by_alias: dict[str, str] = {}
    main_ids: set[str] = set()
    try:
        rows = list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise LogError(f"is not a table in text: {error}", file=file) from None
    for row, cells in enumerate(rows[1:], 2):
        if not any(map(str.strip, cells)):
            continue
        if len(cells) != 2 or not all(map(str.strip, cells)):
            raise LogError(f"{shown(cells)} are not two ids of one person", file=file, row=row)
        one, other = (cell.strip() for cell in cells)
        if one == other:
            continue
        if other in ids_by_alias or other in main_ids or one in ids_by_alias:
            raise LogError(
                f"{shown(other if one not in ids_by_alias else one)} is the id of two people", file=file, row=row
            )
        ids_by_alias[other] = one
        main_ids.add(one)
    return ids_by_alias
