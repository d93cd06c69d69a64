"""The rows that a question looks at: whose values, at which levels, with which numbers beside them, in which unit.

Factors are the columns ``f0``, ``f1``, ... and numbers ``x0``, ...: an engine's SQL may trip over a dot in a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import narwhals as nw

from negstats.analysis.plan.columns import PARTNER, in_order_of, is_derived, of_games, source_of
from negstats.analysis.questions.derived import read_levels
from negstats.analysis.questions.design import kind_of
from negstats.analysis.questions.exclusions import RemainingRows
from negstats.analysis.questions.frames import Lazy, as_text, count, distinct, has_rows, home
from negstats.analysis.questions.linked import LinkedGames, Note
from negstats.analysis.questions.outcome_values import Values, is_asked_once, values_of
from negstats.analysis.questions.units import (
    SEAT_FACTORS,
    check_linked,
    has_one_seat,
    measure_of,
    names_of_seats,
    seats,
)
from negstats.analysis.roles import TIMES, words_of
from negstats.analysis.rules import OWN, Kind
from negstats.errors import DesignError, UsageError, argument, meant
from negstats.metrics.registry import MEASURES
from negstats.sanitize import counted
from negstats.stats.summaries.aggregation import aggregate
from negstats.studies import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Factor, Measure, Plan, Question

CROSSED = "people who met are related through the partners' own effects, which are in the model"
LEAST_ITEMS = 3  # levels of which a spread can be estimated
NO_TIME = "a time of 0"
COMPETING = ("walkaway", "disagreement")  # ends that are no mere cutting off
UNITS_OF_TIME = ("s", "min", "h")


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
    factor : str
        The factor that leaves them out; empty where it is none.
    levels : tuple of str
        Its levels that the question does not compare; empty where the rows have no level.
    """

    count: int
    of: int
    row: str
    reason: str
    factor: str = ""
    levels: tuple[str, ...] = ()

    def __str__(self) -> str:
        were = "was" if self.count == 1 else "were"
        return f"{self.count:,} of {counted(self.of, self.row)} {were} excluded ({self.reason})"


def at_levels(
    name: str, total: int, lacking: int, other: int, gone: Sequence[str], row: str, excluded: list[Excluded]
) -> None:
    """Add the rows that have no level of a factor, and those at levels that the question does not compare."""
    if lacking:
        excluded.append(Excluded(lacking, total, row, f"no value of {name}", name))
    if other:
        excluded.append(Excluded(other, total - lacking, row, f"{name}: {', '.join(gone)}", name, tuple(gone)))


def no_time(over: int, total: int, row: str, excluded: list[Excluded]) -> None:
    """Add the rows that ended as they began: nobody was at risk for any time."""
    if over:
        excluded.append(Excluded(over, total, row, NO_TIME))


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What a question looks at.

    Attributes
    ----------
    frame : narwhals.LazyFrame
        One row a seat or game that came: ``unit``, ``game_id``, ``person``, ``value`` (missing where there is none), a
        column a factor (text) and a number (see `columns_of`); of times also ``ended``.
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
    notes : tuple of Note
        What has to be known of the rows.
    row : str
        What a row is: "seat" or "game".
    excluded : tuple of Excluded
        Rows at no level of a factor, or at a level that is not compared.
    items : Mapping of str to int
        The items that are crossed with the units, and how many levels each has; they are columns of the frame.
    within : tuple of str
        The factors of which the plan says that they lie within units.
    came : narwhals.LazyFrame or None
        The rows that came, where `frame` has means of a person's; None where each row stands for itself.
    """

    frame: Lazy
    what: str
    kind: Kind
    who: str | None
    unit_of_measure: str
    levels: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    seats: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    competing: bool = False
    notes: tuple[Note, ...] = ()
    row: str = "seat"
    excluded: tuple[Excluded, ...] = ()
    items: Mapping[str, int] = field(default_factory=dict)
    within: tuple[str, ...] = ()
    came: Lazy | None = None


def columns_of(question: Question) -> dict[str, str]:
    """Return the column of each factor, number and item of a question."""
    factors = {name: f"f{place}" for place, name in enumerate(question.by)}
    numbers = dict.fromkeys((*question.with_, *question.covariates))
    items = {name: f"i{place}" for place, name in enumerate(question.items)}
    return factors | {name: f"x{place}" for place, name in enumerate(numbers)} | items


def select_rows(
    remaining: RemainingRows, plan: Plan, question: Question, linked: LinkedGames | None, *, blind: bool = False
) -> Selection:
    """Return the rows that a question looks at; without `linked` units the people are the units (`crosses_partners`).

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
    study, measure, columns = remaining.study, plan.measure(question.measure), columns_of(question)
    who = question.who or measure.who
    factors = {name: plan.factor(name) for name in question.by}
    seat_factors = tuple(name for name, factor in factors.items() if factor.column.startswith("players."))
    rows, of_seats = _rows(remaining, measure, who, seat_factors, factors)
    rows, words, remarks = _join_outcome(rows, study, question.measure, measure, who, of_seats=of_seats, blind=blind)
    rows = _join_numbers(rows, study, plan, question, who, of_seats=of_seats, blind=blind)
    rows = _join_units(rows, measure, linked, of_seats=of_seats)
    kind = measure.kind or _kind(study, measure, blind=blind)
    notes = [*map(Note, remarks), *_note_time(study, measure, question.measure, kind, blind=blind)]
    row, exclusions = ("seat" if of_seats else "game"), list[Excluded]()
    if kind == "time" and not blind:
        rows = _select_at_risk(rows, study, row, exclusions)
    rows, levels, items = _levelled(rows, plan, question, study, row, exclusions)
    _check_any(rows, [*notes, *exclusions])
    if measure.answer is not None and is_asked_once(study, measure.answer):
        rows = _one_answer_each(rows, [columns[name] for name in levels])
    rows = _average_covariates(rows, [columns[name] for name in question.covariates], blind=blind)
    within = tuple(name for name in levels if plan.factor(name).within)
    if levels and linked is not None and linked.unsure is not None:
        check_linked(_rows_at_several_levels(rows, [columns[name] for name in within]), linked)
    return Selection(
        frame=rows,
        what="participant" if linked is None else linked.what,
        kind=kind,
        who=who,
        unit_of_measure=_unit(study, measure),
        levels=levels,
        labels={name: factor.labels for name, factor in factors.items() if factor.labels},
        seats=seat_factors,
        words=words,
        competing=not blind and has_rows(study.frame("games"), nw.col("ended").is_in(COMPETING)),
        notes=(*([Note(CROSSED)] if linked is None else linked.notes), *notes),
        row=row,
        excluded=tuple(exclusions),
        items=items,
        within=within,
    )


def _check_any(rows: Lazy, reasons: Sequence[Note | Excluded]) -> None:
    """Refuse a question for which no row is left, and say what took them."""
    if not count(rows.head(1)):
        reasons_text = f" ({'; '.join(map(str, reasons))})" if reasons else ""
        raise DesignError(f"no row is left for the question{reasons_text}")


def _average_covariates(rows: Lazy, columns: Sequence[str], *, blind: bool) -> Lazy:
    """Return the rows with the mean of each covariate in its unit; blind, any value of the unit stands for it."""
    for column in columns:
        value = nw.col(column)
        rows = rows.with_columns((value.min() if blind else value.mean()).over("unit").alias(column))
    return rows


def _join_outcome(
    rows: Lazy, study: Study, name: str, measure: Measure, who: str | None, *, of_seats: bool, blind: bool
) -> tuple[Lazy, tuple[str, ...], list[str]]:
    """Return the rows with the outcome as ``value``, the words of its answers, and what must be said of it."""
    if blind:
        return rows.with_columns(nw.lit(0.0).alias("value")), (), []
    is_scored = of_seats and measure.without_agreement != "as recorded"  # then seats are counted for a note
    outcome_values = values_of(study, measure, name, who if is_scored else None)
    notes = [outcome_values.note] if outcome_values.note else []
    return _join_values(rows, outcome_values, "value", study), outcome_values.words, notes


def _join_numbers(
    rows: Lazy, study: Study, plan: Plan, question: Question, who: str | None, *, of_seats: bool, blind: bool
) -> Lazy:
    """Return the rows with the numbers that are asked for beside the outcome."""
    columns = columns_of(question)
    for name in dict.fromkeys((*question.with_, *question.covariates)):
        measure = plan.measure(name)
        if blind:
            rows = rows.with_columns(_stand_in(measure, study, of_seats=of_seats).alias(columns[name]))
            continue
        number_values = values_of(study, measure, name, measure.who)
        of_partner = measure.who is not None and measure.who != who
        rows = _join_values(rows, number_values, columns[name], study, mean=of_partner)
    return rows


def _join_units(rows: Lazy, measure: Measure, linked: LinkedGames | None, *, of_seats: bool) -> Lazy:
    """Return the rows with their unit: that of their game, or the person where no games are linked."""
    if linked is not None:
        return rows.join(linked.games, on="game_id", how="left")
    games = rows.group_by("game_id").agg(nw.len().alias("n")).filter(nw.col("n") > 1)
    check_one_seat(measure, of_seats=of_seats, several=of_seats and count(games.head(1)) > 0)
    return rows.with_columns(nw.col("person").alias("unit"))


def _rows_at_several_levels(rows: Lazy, within: Sequence[str]) -> Lazy:
    """Return the rows of the units that stand at several levels of the first factor within units; all without one."""
    if not within:
        return rows
    levels = rows.select("unit", within[0]).unique().group_by("unit").agg(nw.len().alias("n"))
    return rows.join(levels.filter(nw.col("n") > 1).select("unit"), on="unit", how="semi")


def keep_rows(selection: Selection, study: Study) -> Selection:
    """Return a selection whose rows are computed once, and kept where they are."""
    return replace(selection, frame=study.keep(study.in_order(selection.frame, ["game_id", "person"])))


def average_people(selection: Selection, question: Question, study: Study) -> Selection:
    """Return a selection with one row a person at each combination of levels.

    Rows of one person are more alike than those of two people of the unit, and a model with an intercept for each unit
    alone would take them for independent. The selection is returned as it is where no person has two such rows, and
    where a number beside the outcome differs between them, for their relation would be lost.
    """
    columns = columns_of(question)
    keys = ["unit", "person", *(columns[name] for name in selection.levels)]
    numbers = [columns[name] for name in dict.fromkeys((*question.with_, *question.covariates))]
    means: Lazy = aggregate(selection.frame, [*keys, *numbers], value=("value", "mean"))
    averaged = count(means)
    if averaged == count(selection.frame) or averaged > count(distinct(selection.frame, *keys)):
        return selection
    return replace(selection, frame=study.keep(study.in_order(means, [*keys, *numbers])), came=selection.frame)


def _select_at_risk(rows: Lazy, study: Study, row: str, exclusions: list[Excluded]) -> Lazy:
    """Return the rows of times with how their games ended, without those that ended as they began."""
    rows = rows.join(study.frame("games").select("game_id", "ended"), on="game_id", how="left")
    is_not_positive = (nw.col("value") <= 0).fill_null(False)
    no_time(count(rows.filter(is_not_positive)), count(rows), row, exclusions)
    return rows.filter(~is_not_positive)


def _one_answer_each(rows: Lazy, columns: Sequence[str]) -> Lazy:
    """Return each person's first row at a level: an answer is given once, in however many games the person sits."""
    person = ["person", *columns]
    first = rows.with_columns(nw.col("game_id").min().over(*person).alias("first"))
    return first.filter(nw.col("game_id") == nw.col("first")).unique(subset=person).drop("first")


def _unit(study: Study, measure: Measure) -> str:
    return "answer" if measure.answer is not None else measure_of(study, measure.measure).unit


def _stand_in(measure: Measure, study: Study, *, of_seats: bool) -> nw.Expr:
    """Return what differs wherever a measure's values can: between games, people, or the seats of games."""
    if measure.answer is not None:
        is_once = is_asked_once(study, measure.answer)
        return nw.col("person") if is_once else nw.concat_str(nw.col("game_id"), nw.lit(" "), nw.col("person"))
    if measure_of(study, measure.measure).per == "game" or not of_seats:
        return nw.col("game_id")
    return nw.concat_str(nw.col("game_id"), nw.lit(" "), nw.col("player"))


def _kind(study: Study, measure: Measure, *, blind: bool) -> Kind:
    ends = _has_other_ends(study, blind=blind)
    definition = None if measure.answer is not None else measure_of(study, measure.measure)
    return kind_of(definition, scale=bool(measure.scale), ends=ends)


def _note_time(study: Study, measure: Measure, name: str, kind: Kind, *, blind: bool) -> list[Note]:
    """Return a note where a number of games may be a time that other ends cut off, and nobody said what it is."""
    if measure.kind is not None or kind != "interval" or measure.answer is not None or measure.measure in MEASURES:
        return []
    known = measure_of(study, measure.measure)
    is_called_so = known.unit in UNITS_OF_TIME or (words_of(name) | words_of(known.unit)) & TIMES
    if not is_called_so or known.per != "game" or not _has_other_ends(study, blind=blind):
        return []
    text = f"{name.replace('_', ' ')} is taken for a number; if it is the time to agreement, which other ends cut off, "
    return [Note(f'{text}a plan says so by kind = "time"', "plan")]


def _has_other_ends(study: Study, *, blind: bool) -> bool:
    """Whether games end in other ways than by agreement; without a look at how they ended it is possible."""
    return blind or has_rows(study.frame("games"), nw.col("ended") != "agreement")


def _rows(
    remaining_rows: RemainingRows,
    measure: Measure,
    who: str | None,
    seat_factors: Sequence[str],
    factors: Mapping[str, Factor],
) -> tuple[Lazy, bool]:
    """Return who came: the seats that `who` names, or the games; and whether they are seats."""
    study = remaining_rows.study
    of_seats = measure.answer is not None or measure_of(study, measure.measure).per != "game"
    compares_seats = any(not of_games(factor.column) for factor in factors.values())
    if not of_seats and (who is not None or not compares_seats or not has_one_seat(study)):
        games_have_no(measure, who, factors)
        return study.frame("games").select("game_id", nw.col("game_id").alias("person")), False
    seat_rows = seats(study, who)
    if remaining_rows.seats is not None:
        seat_rows = seat_rows.join(remaining_rows.seats, on=["game_id", "player"], how="semi")
    if measure.answer is not None:
        seat_rows = seat_rows.filter(~nw.col("participant_id").is_null())
    elif of_seats and who is None and not seat_factors and count(seat_rows.select("kind").unique()) > 1:
        raise says_whose(measure, names_of_seats(study))
    elif who is None and "players.role" not in {factor.column for factor in factors.values()}:
        seat_rows = _select_proposers(study, measure, seat_rows)
    for factor in factors.values():
        seat_rows = _select_kinds(study, factor, seat_rows)
    seat_id = nw.concat_str(nw.col("game_id"), nw.lit(" "), nw.col("player"))
    person = nw.when(nw.col("participant_id").is_null()).then(seat_id).otherwise(nw.col("participant_id"))
    return seat_rows.select("game_id", "player", "participant_id", person.alias("person")), True


def _select_proposers(study: Study, measure: Measure, seat_rows: Lazy) -> Lazy:
    """Return, for a measure of offers, the seats whose role makes offers: another role has no value to miss."""
    if measure_of(study, measure.measure).per != "offer":
        return seat_rows
    proposers = study.frame("offers").select("game_id", nw.col("proposer").alias("player")).unique()
    role_counts = seat_rows.join(proposers, on=["game_id", "player"], how="inner").group_by("role").agg(nw.len())
    roles = home(role_counts.drop_nulls("role"))["role"].tolist()
    return seat_rows.filter(nw.col("role").is_null() | nw.col("role").is_in(roles)) if roles else seat_rows


def _select_kinds(study: Study, factor: Factor, seat_rows: Lazy) -> Lazy:
    """Return the seats of people or of agents, where a factor has levels of one of them: the other misses nothing."""
    table, _, name = factor.column.partition(".")
    players = study.frame("players")
    if table == "players":
        bearers = players.filter(~nw.col(name).is_null())
    elif table == "answers":
        answers = study.frame("answers").filter(nw.col("question") == name)
        answering = answers.select("participant_id").drop_nulls().unique()
        bearers = players.join(answering, on="participant_id", how="semi")
    else:
        return seat_rows
    kinds = home(bearers.select("kind").drop_nulls().unique())["kind"].tolist()
    return seat_rows.filter(nw.col("kind").is_null() | (nw.col("kind") == kinds[0])) if len(kinds) == 1 else seat_rows


def games_have_no(measure: Measure, who: str | None, factors: Mapping[str, Factor]) -> None:
    """Refuse a seat, or a factor that tells seats apart, for a measure of whole games."""
    if who is not None:
        raise UsageError(f"{measure.measure} is measured for a whole game; leave out {argument('who', who)}")
    wrong = [name for name, factor in factors.items() if not of_games(factor.column)]
    if wrong:
        raise UsageError(f"{measure.measure} is measured for a whole game and cannot be compared by {wrong[0]!r}")


def says_whose(measure: Measure, names: Sequence[str]) -> UsageError:
    """Return the error for a measure of seats where nobody says of which."""
    ways = " or ".join(argument("who", name) for name in names[:3])
    return UsageError(f"{measure.measure} is measured for each seat; add {ways}{', ...' if len(names) > 3 else ''}")


def _join_values(rows: Lazy, new_values: Values, name: str, study: Study, *, mean: bool = False) -> Lazy:
    """Return the rows with a column of values: their own seat's, or the mean over the game's seats."""
    keys, values = new_values.keys, new_values.frame
    row_columns = rows.collect_schema().names()
    if mean or any(key not in row_columns for key in keys):
        if "game_id" not in keys:  # answers of people, who sit in games
            values = study.frame("players").select("game_id", "participant_id").join(values, on="participant_id")
        values, keys = aggregate(values, ["game_id"], value=("value", "mean")), ["game_id"]
    return rows.join(values.select(*keys, nw.col("value").alias(name)), on=keys, how="left")


def _levelled(
    rows: Lazy, plan: Plan, question: Question, study: Study, row: str, exclusions: list[Excluded]
) -> tuple[Lazy, dict[str, tuple[str, ...]], dict[str, int]]:
    """Return the rows at a level of each factor and item, with its column; the factors' levels, and n of the items'."""
    columns, levels, items = columns_of(question), dict[str, tuple[str, ...]](), dict[str, int]()
    others = [name for name in question.only if name not in question.by]
    own = (*question.by, *question.items)
    asked_of = {**{name: columns[name] for name in own}, **{name: f"o{place}" for place, name in enumerate(others)}}
    for name, column in asked_of.items():
        if name in OWN or ":" in name:
            raise UsageError(f"a factor cannot be called {name!r}; give it another name under [factors]")
        rows = _add_level(rows, name, plan.factor(name), study, column)
    seat_ids = {"participant_id"} & set(rows.collect_schema().names())  # `person` and `unit` say who it is from here on
    rows = study.keep(rows.drop(*seat_ids))
    for name, column in asked_of.items():
        rows, selected_levels = _select_levels(
            rows, name, column, plan.factor(name), question.only.get(name, ()), row, exclusions
        )
        if name in question.by:
            levels[name] = selected_levels
            if len(selected_levels) < 2:
                raise one_level(name, selected_levels)
        elif name in question.items:
            items[name] = enough_items(name, selected_levels)
    return (rows.drop([asked_of[name] for name in others]) if others else rows), levels, items


def _select_levels(
    rows: Lazy,
    name: str,
    column: str,
    factor: Factor,
    only_levels: Sequence[str],
    row: str,
    exclusions: list[Excluded],
) -> tuple[Lazy, tuple[str, ...]]:
    """Return the rows at the levels of a factor that are asked for, and which of these have rows."""
    level_counts = home(rows.group_by(column).agg(nw.len().alias("n")))
    known_counts = level_counts.dropna().set_index(column)["n"]
    present_levels = in_order_of(factor.column, list(map(str, known_counts.index)))
    selected_levels = [
        level
        for level in (factor.levels or present_levels)
        if level in present_levels and (not only_levels or level in only_levels)
    ]
    total = int(level_counts["n"].sum())
    lacking = total - int(known_counts.sum())
    other = int(known_counts.sum()) - int(known_counts[selected_levels].sum())
    at_levels(
        name,
        total,
        lacking,
        other,
        [level for level in present_levels if level not in selected_levels],
        row,
        exclusions,
    )
    return (rows.filter(nw.col(column).is_in(selected_levels)) if lacking or other else rows), tuple(selected_levels)


class OneLevelError(DesignError):
    """A factor has fewer than two levels with rows, so it compares nothing."""


def one_level(name: str, levels: Sequence[str]) -> OneLevelError:
    """Return the error for a factor that compares nothing."""
    has = f"has only one level ({levels[0]})" if levels else "has no level with a value"
    return OneLevelError(f"{name!r} {has}, so nothing can be compared")


def _add_level(rows: Lazy, name: str, factor: Factor, study: Study, column: str) -> Lazy:
    """Return the rows with their level of a factor as text, missing where they have none."""
    table, column_name = source_of(factor.column)
    if table == "answers":
        answers = study.frame("answers").filter(nw.col("question") == column_name)
        if not count(answers.head(1)):
            question_names = home(study.frame("answers").select("question").unique())["question"].tolist()
            hint = meant(column_name, sorted(question_names))
            raise UsageError(f"factor {name!r}: no question is called {column_name!r}; {hint}")
        keys = ["participant_id"] if is_asked_once(study, column_name) else ["game_id", "participant_id"]
        level_frame = answers.group_by(*keys).agg(nw.col("answer").min().alias("__level"))
    else:
        frame = study.frame(table)
        schema = frame.collect_schema()
        if column_name not in schema:
            column_names = study.factors if table == "games" else SEAT_FACTORS
            hint = meant(column_name, column_names)
            raise UsageError(f"factor {name!r}: {table} has no column {column_name!r}; {hint}")
        keys = ["game_id"] if table == "games" else ["game_id", "player"]
        level_frame = frame.select(*keys, as_text(column_name, schema[column_name]).alias("__level"))
    if is_derived(factor.column):
        seats_ = "player" in rows.collect_schema().names()
        keys = ["game_id", "player"] if seats_ else ["game_id"]
        level_frame = study.keep(
            read_levels(study, factor, games=not seats_).select(*keys, nw.col("level").alias("__level"))
        )
    level: nw.Expr = nw.col("__level")
    for new, olds in factor.merge.items():
        level = nw.when(nw.col("__level").is_in(list(olds))).then(nw.lit(new)).otherwise(level)
    return rows.join(level_frame.select(*keys, level.alias(column)), on=keys, how="left")


def crosses_partners(plan: Plan, question: Question) -> bool:
    """Return whether the partners are items of a question, so that its units are people and not all who met."""
    return any(plan.factor(name).column == PARTNER for name in question.items)


def check_one_seat(measure: Measure, *, of_seats: bool, several: bool) -> None:
    """Refuse two rows of a game where partners are crossed: what these two have in common is in no effect."""
    if not of_seats:
        raise UsageError(f"{measure.measure} is measured for a whole game, which has no partner; leave out items")
    if several:
        values_text = f"{measure.measure} has a value for both seats of a game"
        raise UsageError(f"{values_text}; say whose with {argument('who')}, or leave out items")


def enough_items(name: str, levels: Sequence[str]) -> int:
    """Return how many levels items have; too few are refused."""
    if len(levels) < LEAST_ITEMS:
        has_levels = f"has {counted(len(levels), 'level')}"
        raise DesignError(f"items: {name!r} {has_levels}; a random effect needs {LEAST_ITEMS}, so name it in by")
    return len(levels)
