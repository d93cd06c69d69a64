"""The rows that a question looks at: whose values, at which levels, with which numbers beside them, in which unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats import metrics
from negstats.analysis.questions.design import kind_of
from negstats.analysis.questions.exclusions import RemainingRows
from negstats.analysis.questions.units import SEAT_FACTORS, LinkedGames, Units, places, seats, values_of
from negstats.analysis.rules import Kind
from negstats.errors import DesignError, UsageError, meant, shown
from negstats.metrics.agreement import IMPASSE
from negstats.sanitize import counted
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Factor, Measure, Plan, Question

__all__ = ["Excluded", "Selection", "select_rows"]

OWN = ("unit", "game_id", "player", "person", "value", "ended")  # columns of the rows that are ours
NO_TIME = "a time of 0"
COMPETING = ("walkaway", "disagreement")  # ends that are no mere cutting off


@dataclass(frozen=True, slots=True)
class Excluded:
    """Rows that a question does not look at: how many, of how many, seats or games, and why.

    Attributes
    ----------
    count, of : int
    row : str
        "seat" or "game".
    reason : str
        Such as "no value of svo" or "session: Session_2".
    """

    count: int
    of: int
    row: str
    reason: str

    def __str__(self) -> str:
        were = "was" if self.count == 1 else "were"
        return f"{self.count:,} of {counted(self.of, self.row)} {were} excluded ({self.reason})"


def at_levels(
    name: str, every: int, lacking: int, other: int, gone: Sequence[str], row: str, excluded: list[Excluded]
) -> None:
    """Add the rows that have no level of a factor, and those at levels that the question does not compare."""
    if lacking:
        excluded.append(Excluded(lacking, every, row, f"no value of {name}"))
    if other:
        excluded.append(Excluded(other, every - lacking, row, f"{name}: {', '.join(gone)}"))


def no_time(over: int, every: int, row: str, excluded: list[Excluded]) -> None:
    """Add the rows that ended as they began: nobody was at risk for any time."""
    if over:
        excluded.append(Excluded(over, every, row, NO_TIME))


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What a question looks at.

    Attributes
    ----------
    frame : pandas.DataFrame or narwhals.LazyFrame
        One row a seat or game that came: ``unit``, ``game_id``, ``person``, ``value`` (missing where there is none), a
        column a factor (text) and a number; of times also ``ended``.
    what : str
        What a unit is: "participant", "game" or "group".
    kind : str
        The outcome's kind.
    who : str or None
        Whose values.
    unit_of_measure : str
        What the outcome counts in.
    levels : Mapping of str to tuple of str
        The factors and their levels that have rows, in order.
    labels : Mapping of str to Mapping
        What levels are called.
    seats : tuple of str
        The factors that tell the seats of a game apart.
    words : tuple of str
        Of ordered and nominal answers, what the values 1, 2, ... stand for.
    competing : bool
        Of times, whether a game can end in another way than by agreement or the clock.
    notes : tuple of str
        What has to be known of the rows.
    row : str
        What a row is: "seat" or "game".
    excluded : tuple of Excluded
        Rows at no level of a factor, or at a level that is not compared.
    """

    frame: Any
    what: str
    kind: Kind
    who: str | None
    unit_of_measure: str
    levels: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    seats: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    competing: bool = False
    notes: tuple[str, ...] = ()
    row: str = "seat"
    excluded: tuple[Excluded, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """A measure's values by key, and the words that they stand for."""

    frame: pd.DataFrame
    keys: list[str]
    words: tuple[str, ...] = ()
    note: str = ""


def select_rows(
    kept: RemainingRows, plan: Plan, question: Question, linked: LinkedGames, *, blind: bool = False
) -> Selection:
    """Return the rows that a question looks at.

    With `blind` no value of the outcome or of a number beside it is read, nor whether it is missing, nor how a game
    ended: every row that came has the value 0, and a number differs between games, seats or people as its measure can.

    Raises
    ------
    UsageError
        If a measure, factor, seat or answer is not there.
    DesignError
        If no row is left, a factor has fewer than two levels with rows, or units may be linked through people who are
        not known.
    """
    study, measure = kept.study, plan.measure(question.measure)
    who = question.who or measure.who
    factors = {name: plan.factor(name) for name in question.by}
    telling = tuple(name for name, factor in factors.items() if factor.column.startswith("players."))
    rows, of_seats = _rows(kept, measure, who, telling, factors)
    found = _Values(rows, []) if blind else _values(study, measure, question.measure, who if of_seats else None)
    rows = rows.assign(value=0.0) if blind else _joined(rows, found, "value", study)
    notes = [found.note] if found.note else []
    row, excluded = ("seat" if of_seats else "game"), list[Excluded]()
    for name in dict.fromkeys((*question.with_, *question.covariates)):
        one = plan.measure(name)
        if blind:
            rows[name] = _unseen(rows, one, study)
            continue
        given = _values(study, one, name, one.who)
        rows = _joined(rows, given, name, study, mean=one.who is not None and one.who != who)
    rows["unit"] = linked.names.take(linked.of_game[places(rows["game_id"], study.games["game_id"])])
    kind = measure.kind or _kind(study, measure, blind=blind)
    if kind == "time" and not blind:
        rows["ended"] = study.games["ended"].to_numpy()[places(rows["game_id"], study.games["game_id"])]
        over = rows["value"] <= 0
        no_time(int(over.sum()), len(rows), row, excluded)
        rows = rows[~over].reset_index(drop=True)
    levels: dict[str, tuple[str, ...]] = {}
    for name, factor in factors.items():
        rows, levels[name] = _levelled(rows, name, factor, question.only.get(name, ()), study, row, excluded)
    for name, only in question.only.items():
        if name not in factors:
            rows, _ = _levelled(rows, name, plan.factor(name), only, study, row, excluded, few=True)
    if rows.empty:
        raise DesignError(
            "no row is left to ask about"
            + (f" ({'; '.join([*notes, *map(str, excluded)])})" if notes or excluded else "")
        )
    if measure.answer is not None and _once(study, measure.answer):  # a person says it once, in however many games
        rows = rows.drop_duplicates(["person", *levels]).reset_index(drop=True)
    for name in question.covariates:
        rows[name] = rows.groupby("unit", sort=False)[name].transform("mean")
    _check_doubt(rows, linked, levels)
    return Selection(
        frame=rows,
        what=linked.what,
        kind=kind,
        who=who,
        unit_of_measure=_unit(study, measure),
        levels=levels,
        labels={name: factor.labels for name, factor in factors.items() if factor.labels},
        seats=telling,
        words=found.words,
        competing=not blind and bool(study.games["ended"].isin(COMPETING).any()),
        notes=(*linked.notes, *notes),
        row=row,
        excluded=tuple(excluded),
    )


def _unit(study: Study, measure: Measure) -> str:
    return "answer" if measure.answer is not None else metrics.measure_in(study.tables, measure.measure).unit


def _once(study: Study, question: str | None) -> bool:
    """Whether people answer a question once, and not in each game."""
    return bool(study.answers.loc[study.answers["question"] == question, "game_id"].isna().all())


def _unseen(rows: pd.DataFrame, measure: Measure, study: Study) -> npt.NDArray[np.float64]:
    """Return numbers that differ wherever a measure's can: between games, people, or the seats of games."""
    if measure.answer is not None:
        of = "person" if _once(study, measure.answer) else None
    else:
        of = "game_id" if metrics.measure_in(study.tables, measure.measure).per == "game" else None
    return (np.arange(len(rows)) if of is None else pd.factorize(rows[of])[0]).astype(np.float64)


def _kind(study: Study, measure: Measure, *, blind: bool = False) -> Kind:
    ends = blind or bool((study.games["ended"] != "agreement").any())
    known = None if measure.answer is not None else metrics.measure_in(study.tables, measure.measure)
    return kind_of(known, scale=bool(measure.scale), ends=ends)


def _rows(
    kept: RemainingRows, measure: Measure, who: str | None, telling: Sequence[str], factors: Mapping[str, Factor]
) -> tuple[pd.DataFrame, bool]:
    """Return who came: the seats that `who` names, or the games; and whether they are seats."""
    study = kept.study
    of_seats = measure.answer is not None or metrics.measure_in(study.tables, measure.measure).per != "game"
    if not of_seats:
        games_have_no(measure, who, factors)
        games = study.games[["game_id"]].reset_index(drop=True)
        return games.assign(person=games["game_id"]), False
    picked = seats(study, who)
    picked = picked[kept.seats[study.players.index.get_indexer(picked.index)]]
    if measure.answer is not None:
        picked = picked[picked["participant_id"].notna()]
    elif who is None and not telling and picked["kind"].nunique(dropna=False) > 1:
        names = dict.fromkeys(str(name) for column in SEAT_FACTORS for name in picked[column].dropna().unique())
        raise says_whose(measure, list(names))
    rows = picked.reset_index(drop=True)
    person = rows["participant_id"].fillna(rows["game_id"] + " " + rows["player"])
    return rows[["game_id", "player", "participant_id"]].assign(person=person), True


def games_have_no(measure: Measure, who: str | None, factors: Mapping[str, Factor]) -> None:
    """Refuse a seat, or a factor that tells seats apart, for a measure of whole games."""
    if who is not None:
        raise UsageError(f"{measure.measure} is measured for a whole game; leave out who={who!r}")
    wrong = [name for name, factor in factors.items() if not factor.column.startswith("games.")]
    if wrong:
        raise UsageError(f"{measure.measure} is measured for a whole game and cannot be compared by {wrong[0]!r}")


def says_whose(measure: Measure, names: Sequence[str]) -> UsageError:
    """Return the error for a measure of seats where nobody says of which."""
    return UsageError(f"{measure.measure} is measured for each seat; say whose with who: {', '.join(names[:6])}")


def no_such_item(measure: Measure, name: str, questions: Sequence[str]) -> UsageError:
    """Return the error for a question that nobody was asked."""
    asked_for = shown(measure.answer)
    return UsageError(f"measure {shown(name)}: no question is called {asked_for}; {meant(measure.answer, questions)}")


def not_on_scale(name: str, answers: int, first: object) -> UsageError:
    """Return the error for answers that the scale lacks."""
    return UsageError(f"measure {shown(name)}: {answers} answers are {shown(first)}, which the scale lacks")


def no_numbers(name: str, answers: int, first: object) -> UsageError:
    """Return the error for answers that are no numbers, where there is no scale."""
    return UsageError(f"measure {shown(name)}: {answers} answers are no numbers, such as {shown(first)}; give scale")


def _values(study: Study, measure: Measure, name: str, who: str | None) -> _Values:
    """Return a measure's values in the column ``value``, by game, seat or person."""
    if measure.answer is not None:
        return _answers(study, measure, name)
    values = values_of(study, measure.measure).rename(columns={measure.measure: "value"})
    if "player" not in values.columns:
        return _Values(values, ["game_id"])
    if who is not None:
        values = values.merge(seats(study, who)[["game_id", "player"]], on=["game_id", "player"])
    rule = measure.without_agreement
    note = ""
    if rule != "as recorded":
        without = values["game_id"].isin(study.games["game_id"][study.games["ended"].isin(IMPASSE)])
        if rule == "batna":
            batna = values[["game_id", "player"]].merge(study.players, how="left", on=["game_id", "player"])["batna"]
            scored: pd.Series | float = batna.set_axis(values.index)
        else:
            scored = np.nan if rule == "leave out" else float(rule)
        values = values.assign(value=values["value"].where(~without, scored))
        note = without_deal(int(without.sum()), rule)
    return _Values(values, ["game_id", "player"], note=note)


def without_deal(seats: int, rule: str | float) -> str:
    """Say what was done with the seats of games without agreement."""
    done = "excluded" if rule == "leave out" else "scored by their BATNA" if rule == "batna" else f"scored {rule:g}"
    return f"{counted(seats, 'seat')} of games without agreement {'was' if seats == 1 else 'were'} {done}"


def _answers(study: Study, measure: Measure, name: str) -> _Values:
    """Return the answers to an item as numbers: their place on the scale, or as they are."""
    rows = study.answers[study.answers["question"] == measure.answer]
    if rows.empty:
        raise no_such_item(measure, name, list(study.answers["question"].unique()))
    given = rows["answer"]
    words = tuple(measure.scale)
    if words or measure.kind == "nominal":
        words = words or tuple(sorted(given.dropna().unique()))
        unknown = given.dropna()[~given.dropna().isin(words)]
        if len(unknown):
            raise not_on_scale(name, len(unknown), unknown.iloc[0])
        value = given.map({word: float(place) for place, word in enumerate(words, start=1)})
        if measure.kind == "yes/no":
            value = value - 1
    else:
        value = pd.to_numeric(given, errors="coerce")
        wrong = given[value.isna() & given.notna()]
        if len(wrong):
            raise no_numbers(name, len(wrong), wrong.iloc[0])
    keys = ["participant_id"] if _once(study, measure.answer) else ["game_id", "participant_id"]
    frame = rows[keys].assign(value=value.astype("float64"))
    return _Values(frame.groupby(keys, sort=False)["value"].mean().reset_index(), keys, words)


def _joined(rows: pd.DataFrame, found: _Values, name: str, study: Study, *, mean: bool = False) -> pd.DataFrame:
    """Return the rows with a column of values: their own seat's, or the mean over the game's seats."""
    keys = found.keys
    if mean or any(key not in rows.columns for key in keys):
        each = found.frame
        if "game_id" not in each.columns:  # answers of people, who sit in games
            each = study.players[["game_id", "participant_id"]].merge(each, on="participant_id")
        values = each.groupby("game_id", sort=False)["value"].mean().reset_index()
        keys = ["game_id"]
    else:
        values = found.frame
    joined = rows[keys].merge(values, how="left", on=keys, validate="m:1")["value"]
    return rows.assign(**{name: joined.to_numpy(dtype=np.float64)})


def _levelled(
    rows: pd.DataFrame,
    name: str,
    factor: Factor,
    only: Sequence[str],
    study: Study,
    row: str,
    excluded: list[Excluded],
    *,
    few: bool = False,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the rows that stand at a level of a factor, with its column, and the levels that have rows."""
    if name in OWN or ":" in name:
        raise UsageError(f"a factor cannot be called {name!r}; give it another name under [factors]")
    raw = _raw(rows, name, factor, study)
    merged = {old: new for new, olds in factor.merge.items() for old in olds}
    column = raw.astype("object").where(raw.notna(), None).map(lambda level: merged.get(level, level))
    there = sorted(set(column.dropna()))
    wanted = [level for level in (factor.levels or there) if level in there]
    if only:
        wanted = [level for level in wanted if level in only]
    kept = column.isin(wanted).to_numpy()
    lacking = int(column.isna().sum())
    other = len(rows) - int(kept.sum()) - lacking
    at_levels(name, len(rows), lacking, other, [level for level in there if level not in wanted], row, excluded)
    if len(wanted) < 2 and not few:
        raise one_level(name, wanted)
    return rows.assign(**{name: column.to_numpy()})[kept].reset_index(drop=True), tuple(wanted)


class OneLevelError(DesignError):
    """A factor has fewer than two levels with rows, so it compares nothing."""


def one_level(name: str, levels: Sequence[str]) -> OneLevelError:
    """Return the error for a factor that compares nothing."""
    has = f"has only one level ({levels[0]})" if levels else "has no level with a value"
    return OneLevelError(f"{name!r} {has}, so there is nothing to compare")


def _raw(rows: pd.DataFrame, name: str, factor: Factor, study: Study) -> pd.Series:
    """Return the level of each row as text, missing where it has none."""
    table, _, column = factor.column.partition(".")
    if table == "games":
        if column not in study.games.columns:
            raise UsageError(f"factor {name!r}: games has no column {column!r}; {meant(column, study.factors)}")
        values = study.games[column].iloc[places(rows["game_id"], study.games["game_id"])].reset_index(drop=True)
    elif table == "players":
        if column not in study.players.columns:
            raise UsageError(f"factor {name!r}: players has no column {column!r}; {meant(column, SEAT_FACTORS)}")
        keys = ["game_id", "player"]
        values = rows[keys].merge(study.players[[*keys, column]], how="left", on=keys)[column]
    else:
        answers = study.answers[study.answers["question"] == column]
        if answers.empty:
            asked_for = study.answers["question"].unique()
            raise UsageError(f"factor {name!r}: no question is called {column!r}; {meant(column, asked_for)}")
        keys = ["participant_id"] if answers["game_id"].isna().all() else ["game_id", "participant_id"]
        first = answers.drop_duplicates(keys)[[*keys, "answer"]]
        values = rows[keys].merge(first, how="left", on=keys)["answer"]
    return values.astype("str").where(values.notna())


def _check_doubt(rows: pd.DataFrame, linked: LinkedGames, levels: Mapping[str, object]) -> None:
    """Refuse independent groups of which two units may be linked through people who are not known."""
    if levels and linked.unsure.any():
        unsure = frozenset(map(str, linked.names[linked.unsure]))
        Units(rows, linked.what, (), 0, unsure, linked.doubt).check_linked(rows)
