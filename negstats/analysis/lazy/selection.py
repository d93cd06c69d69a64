"""The rows that a question looks at, of a study whose rows stay with an engine; see `questions.selection`.

Factors are the columns ``f0``, ``f1``, ... and numbers ``x0``, ...: an engine's SQL may trip over a dot in a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import narwhals as nw

from negstats import metrics
from negstats.analysis.lazy.exclusions import LazyRemainingRows
from negstats.analysis.lazy.frames import Lazy, as_number, as_text, count, home, known, ones
from negstats.analysis.lazy.linked import LazyLinkedGames
from negstats.analysis.lazy.units import LazyUnits, measured, names_of_seats, seats
from negstats.analysis.questions.design import kind_of
from negstats.analysis.questions.selection import (
    COMPETING,
    OWN,
    Excluded,
    Selection,
    at_levels,
    games_have_no,
    no_numbers,
    no_such_item,
    no_time,
    not_on_scale,
    one_level,
    says_whose,
    without_deal,
)
from negstats.analysis.questions.units import SEAT_FACTORS
from negstats.analysis.rules import Kind
from negstats.errors import DesignError, UsageError, meant
from negstats.metrics.agreement import IMPASSE
from negstats.studies import LazyStudy

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Factor, Measure, Plan, Question

__all__ = ["columns_of", "select_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """A measure's values by key, and the words that they stand for."""

    frame: Lazy
    keys: list[str]
    words: tuple[str, ...] = ()
    note: str = ""


def columns_of(question: Question) -> dict[str, str]:
    """Return the column of each factor and number of a question."""
    factors = {name: f"f{place}" for place, name in enumerate(question.by)}
    numbers = dict.fromkeys((*question.with_, *question.covariates))
    return factors | {name: f"x{place}" for place, name in enumerate(numbers)}


def select_rows(
    kept: LazyRemainingRows, plan: Plan, question: Question, linked: LazyLinkedGames, *, blind: bool = False
) -> Selection:
    """Return the rows that a question looks at; see `questions.selection.select_rows`. Its frame is lazy, and kept."""
    study, measure, columns = kept.study, plan.measure(question.measure), columns_of(question)
    who = question.who or measure.who
    factors = {name: plan.factor(name) for name in question.by}
    telling = tuple(name for name, factor in factors.items() if factor.column.startswith("players."))
    rows, of_seats = _rows(kept, measure, who, telling, factors)
    notes: list[str] = []
    words: tuple[str, ...] = ()
    if blind:
        rows = rows.with_columns(nw.lit(0.0).alias("value"))
    else:
        found = _values(study, measure, question.measure, who if of_seats else None)
        rows, words = _joined(rows, found, "value", study), found.words
        notes += [found.note] if found.note else []
    for name in dict.fromkeys((*question.with_, *question.covariates)):
        one = plan.measure(name)
        if blind:
            rows = rows.with_columns(_unseen(one, study, of_seats=of_seats).alias(columns[name]))
            continue
        given = _values(study, one, name, one.who)
        rows = _joined(rows, given, columns[name], study, mean=one.who is not None and one.who != who)
    rows = rows.join(linked.games, on="game_id", how="left")
    kind = measure.kind or _kind(study, measure, blind=blind)
    row, excluded = ("seat" if of_seats else "game"), list[Excluded]()
    if kind == "time" and not blind:
        rows = rows.join(study.frame("games").select("game_id", "ended"), on="game_id", how="left")
        over = (nw.col("value") <= 0).fill_null(False)
        no_time(count(rows.filter(over)), count(rows), row, excluded)
        rows = rows.filter(~over)
    rows, levels = _levelled(rows, plan, question, study, row, excluded)
    if not count(rows.head(1)):
        raise DesignError(
            "no row is left to ask about"
            + (f" ({'; '.join([*notes, *map(str, excluded)])})" if notes or excluded else "")
        )
    if measure.answer is not None and _once(study, measure.answer):  # a person says it once, in however many games
        person = ["person", *(columns[name] for name in levels)]
        first = rows.with_columns(nw.col("game_id").min().over(*person).alias("first"))
        rows = first.filter(nw.col("game_id") == nw.col("first")).unique(subset=person).drop("first")
    for name in question.covariates:
        rows = rows.with_columns(nw.col(columns[name]).mean().over("unit"))
    rows = study.keep(rows)
    if levels and linked.unsure is not None:
        LazyUnits(rows, linked.what, (), 0, linked, study).check_linked(rows)
    return Selection(
        frame=rows,
        what=linked.what,
        kind=kind,
        who=who,
        unit_of_measure=_unit(study, measure),
        levels=levels,
        labels={name: factor.labels for name, factor in factors.items() if factor.labels},
        seats=telling,
        words=words,
        competing=not blind and _some(study.frame("games"), nw.col("ended").is_in(COMPETING)),
        notes=(*linked.notes, *notes),
        row=row,
        excluded=tuple(excluded),
    )


def _some(frame: Lazy, mark: nw.Expr) -> bool:
    return count(frame.filter(mark).head(1)) > 0


def _unit(study: LazyStudy, measure: Measure) -> str:
    return "answer" if measure.answer is not None else metrics.measure_in(study.tables, measure.measure).unit


def _once(study: LazyStudy, question: str | None) -> bool:
    """Whether people answer a question once, and not in each game."""
    return not _some(study.frame("answers"), (nw.col("question") == question) & ~nw.col("game_id").is_null())


def _unseen(measure: Measure, study: LazyStudy, *, of_seats: bool) -> nw.Expr:
    """Return what differs wherever a measure's values can: between games, people, or the seats of games."""
    if measure.answer is not None:
        once = _once(study, measure.answer)
        return nw.col("person") if once else nw.concat_str(nw.col("game_id"), nw.lit(" "), nw.col("person"))
    if metrics.measure_in(study.tables, measure.measure).per == "game" or not of_seats:
        return nw.col("game_id")
    return nw.concat_str(nw.col("game_id"), nw.lit(" "), nw.col("player"))


def _kind(study: LazyStudy, measure: Measure, *, blind: bool) -> Kind:
    ends = blind or _some(study.frame("games"), nw.col("ended") != "agreement")
    of = None if measure.answer is not None else metrics.measure_in(study.tables, measure.measure)
    return kind_of(of, scale=bool(measure.scale), ends=ends)


def _rows(
    kept: LazyRemainingRows, measure: Measure, who: str | None, telling: Sequence[str], factors: Mapping[str, Factor]
) -> tuple[Lazy, bool]:
    """Return who came: the seats that `who` names, or the games; and whether they are seats."""
    study = kept.study
    of_seats = measure.answer is not None or metrics.measure_in(study.tables, measure.measure).per != "game"
    if not of_seats:
        games_have_no(measure, who, factors)
        return study.frame("games").select("game_id", nw.col("game_id").alias("person")), False
    picked = seats(study, who)
    if kept.seats is not None:
        picked = picked.join(kept.seats, on=["game_id", "player"], how="semi")
    if measure.answer is not None:
        picked = picked.filter(~nw.col("participant_id").is_null())
    elif who is None and not telling and count(picked.select("kind").unique()) > 1:
        raise says_whose(measure, names_of_seats(study))
    alone = nw.concat_str(nw.col("game_id"), nw.lit(" "), nw.col("player"))
    person = nw.when(nw.col("participant_id").is_null()).then(alone).otherwise(nw.col("participant_id"))
    return picked.select("game_id", "player", "participant_id", person.alias("person")), True


def _values(study: LazyStudy, measure: Measure, name: str, who: str | None) -> _Values:
    """Return a measure's values in the column ``value``, by game, seat or person."""
    if measure.answer is not None:
        return _answers(study, measure, name)
    of = metrics.measure_in(study.tables, measure.measure)
    values = measured(study, of).with_columns(known(nw.col("value")))
    if of.per == "game":
        return _Values(values, ["game_id"])
    key = ["game_id", "player"]
    if who is not None:
        values = values.join(seats(study, who).select(*key), on=key)
    rule = measure.without_agreement
    if rule == "as recorded":
        return _Values(values, key)
    games = study.frame("games").filter(nw.col("ended").is_in(list(IMPASSE)))
    values = values.join(games.select("game_id", nw.lit(1).alias("without")), on="game_id", how="left")
    scored = nw.lit(None).cast(nw.Float64) if rule == "leave out" else nw.lit(0.0)
    if rule == "batna":
        values = values.join(study.frame("players").select(*key, "batna"), on=key, how="left")
        scored = nw.col("batna").cast(nw.Float64)
    elif rule != "leave out":
        scored = nw.lit(float(rule))
    without = ~nw.col("without").is_null()
    seats_without = int(home(values.select(ones(without).alias("n")))["n"].fillna(0).iloc[0])
    value = nw.when(without).then(scored).otherwise(nw.col("value"))
    note = without_deal(seats_without, rule)
    return _Values(values.select(*key, value.alias("value")), key, note=note)


def _answers(study: LazyStudy, measure: Measure, name: str) -> _Values:
    """Return the answers to an item as numbers: their place on the scale, or as they are."""
    answers = study.frame("answers")
    rows = answers.filter(nw.col("question") == measure.answer)
    if not count(rows.head(1)):
        raise no_such_item(measure, name, home(answers.select("question").unique())["question"].tolist())
    words = tuple(measure.scale)
    if words or measure.kind == "nominal":
        given = home(rows.group_by("answer").agg(nw.len().alias("n"))).dropna().sort_values("answer")
        words = words or tuple(given["answer"])
        unknown = given[~given["answer"].isin(words)]
        if len(unknown):
            raise not_on_scale(name, int(unknown["n"].sum()), unknown["answer"].iloc[0])
        value: nw.Expr = nw.lit(None).cast(nw.Float64)
        first = 0.0 if measure.kind == "yes/no" else 1.0
        for place, word in enumerate(words):
            value = nw.when(nw.col("answer") == word).then(nw.lit(first + place)).otherwise(value)
    else:
        value = as_number("answer", nw.String())
        wrong = rows.filter(value.is_null() & ~nw.col("answer").is_null())
        if count(wrong.head(1)):
            raise no_numbers(name, count(wrong), home(wrong.select(nw.col("answer").min()))["answer"].iloc[0])
    keys = ["participant_id"] if _once(study, measure.answer) else ["game_id", "participant_id"]
    frame = rows.select(*keys, value.alias("value")).group_by(*keys).agg(nw.col("value").mean())
    return _Values(frame, keys, words)


def _joined(rows: Lazy, found: _Values, name: str, study: LazyStudy, *, mean: bool = False) -> Lazy:
    """Return the rows with a column of values: their own seat's, or the mean over the game's seats."""
    keys, values = found.keys, found.frame
    there = rows.collect_schema().names()
    if mean or any(key not in there for key in keys):
        if "game_id" not in keys:  # answers of people, who sit in games
            values = study.frame("players").select("game_id", "participant_id").join(values, on="participant_id")
        values, keys = values.group_by("game_id").agg(nw.col("value").mean()), ["game_id"]
    return rows.join(values.select(*keys, nw.col("value").alias(name)), on=keys, how="left")


def _levelled(
    rows: Lazy, plan: Plan, question: Question, study: LazyStudy, row: str, excluded: list[Excluded]
) -> tuple[Lazy, dict[str, tuple[str, ...]]]:
    """Return the rows that stand at a level of each factor, with its column, and the levels that have rows."""
    columns, levels = columns_of(question), dict[str, tuple[str, ...]]()
    others = [name for name in question.only if name not in question.by]
    asked_of = {**{name: columns[name] for name in question.by}, **{name: f"o{at}" for at, name in enumerate(others)}}
    for name, column in asked_of.items():
        if name in OWN or ":" in name:
            raise UsageError(f"a factor cannot be called {name!r}; give it another name under [factors]")
        rows = _with_level(rows, name, plan.factor(name), study, column)
    rows = study.keep(rows)
    for name, column in asked_of.items():
        rows, wanted = _at_levels(rows, name, column, plan.factor(name), question.only.get(name, ()), row, excluded)
        if name in question.by:
            levels[name] = wanted
            if len(wanted) < 2:
                raise one_level(name, wanted)
    return (rows.drop([asked_of[name] for name in others]) if others else rows), levels


def _at_levels(
    rows: Lazy,
    name: str,
    column: str,
    factor: Factor,
    only: Sequence[str],
    row: str,
    excluded: list[Excluded],
) -> tuple[Lazy, tuple[str, ...]]:
    """Return the rows at the levels of a factor that are asked for, and which of these have rows."""
    found = home(rows.group_by(column).agg(nw.len().alias("n")))
    held = found.dropna().set_index(column)["n"]
    there = sorted(map(str, held.index))
    wanted = [level for level in (factor.levels or there) if level in there and (not only or level in only)]
    every = int(found["n"].sum())
    lacking = every - int(held.sum())
    other = int(held.sum()) - int(held[wanted].sum())
    at_levels(name, every, lacking, other, [level for level in there if level not in wanted], row, excluded)
    return (rows.filter(nw.col(column).is_in(wanted)) if lacking or other else rows), tuple(wanted)


def _with_level(rows: Lazy, name: str, factor: Factor, study: LazyStudy, column: str) -> Lazy:
    """Return the rows with their level of a factor as text, missing where they have none."""
    table, _, of = factor.column.partition(".")
    if table == "answers":
        answers = study.frame("answers").filter(nw.col("question") == of)
        if not count(answers.head(1)):
            there = home(study.frame("answers").select("question").unique())["question"].tolist()
            raise UsageError(f"factor {name!r}: no question is called {of!r}; {meant(of, sorted(there))}")
        keys = ["participant_id"] if _once(study, of) else ["game_id", "participant_id"]
        found = answers.group_by(*keys).agg(nw.col("answer").min().alias("__level"))
    else:
        frame = study.frame(table)
        schema = frame.collect_schema()
        if of not in schema:
            known_ = study.factors if table == "games" else SEAT_FACTORS
            raise UsageError(f"factor {name!r}: {table} has no column {of!r}; {meant(of, known_)}")
        keys = ["game_id"] if table == "games" else ["game_id", "player"]
        found = frame.select(*keys, as_text(of, schema[of]).alias("__level"))
    level: nw.Expr = nw.col("__level")
    for new, olds in factor.merge.items():
        level = nw.when(nw.col("__level").is_in(list(olds))).then(nw.lit(new)).otherwise(level)
    return rows.join(found.select(*keys, level.alias(column)), on=keys, how="left")
