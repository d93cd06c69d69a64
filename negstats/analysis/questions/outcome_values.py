"""The values of a measure by game, seat or person, those of an answer by its place on the scale, and their faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import narwhals as nw

from negstats.analysis.questions.frames import Lazy, as_number, count, has_rows, home, known, ones
from negstats.analysis.questions.units import (
    measure_of,
    measured,
)
from negstats.errors import UsageError, meant, shown
from negstats.metrics.outcomes import IMPASSE
from negstats.sanitize import counted
from negstats.stats.summaries.aggregation import aggregate
from negstats.studies import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Measure


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """A measure's values by key, and the words that they stand for."""

    frame: Lazy
    keys: list[str]
    words: tuple[str, ...] = ()
    note: str = ""


def no_such_item(measure: Measure, name: str, questions: Sequence[str]) -> UsageError:
    """Return the error for a question that nobody was asked."""
    question_name = shown(measure.answer)
    return UsageError(
        f"measure {shown(name)}: no question is called {question_name}; {meant(measure.answer, questions)}"
    )


def not_on_scale(name: str, answers: int, first: object) -> UsageError:
    """Return the error for answers that the scale lacks."""
    return UsageError(f"measure {shown(name)}: {answers} answers are {shown(first)}, which the scale lacks")


def no_numbers(name: str, answers: int, first: object) -> UsageError:
    """Return the error for answers that are not numbers, where there is no scale."""
    return UsageError(f"measure {shown(name)}: {answers} answers are not numbers, such as {shown(first)}; give scale")


def values_of(study: Study, measure: Measure, name: str, who: str | None) -> Values:
    """Return a measure's values in the column ``value``, by game, seat or person."""
    if measure.answer is not None:
        return answers_of(study, measure, name)
    definition = measure_of(study, measure.measure)
    values = measured(study, definition, who).with_columns(known(nw.col("value")))
    if definition.per == "game":
        return Values(values, ["game_id"])
    key = ["game_id", "player"]
    rule = measure.without_agreement
    if rule == "as recorded":
        return Values(values, key)
    games = study.frame("games").filter(nw.col("ended").is_in(list(IMPASSE)))
    values = values.join(games.select("game_id", nw.lit(1).alias("without")), on="game_id", how="left")
    scored = nw.lit(None).cast(nw.Float64) if rule == "leave out" else nw.lit(0.0)
    if rule == "batna":
        values = values.join(study.frame("players").select(*key, "batna"), on=key, how="left")
        scored = nw.col("batna").cast(nw.Float64)
    elif rule != "leave out":
        scored = nw.lit(float(rule))
    is_without_deal = ~nw.col("without").is_null()
    seats_without = int(home(values.select(ones(is_without_deal).alias("n")))["n"].fillna(0).iloc[0])
    value = nw.when(is_without_deal).then(scored).otherwise(nw.col("value"))
    note = without_deal(seats_without, rule)
    return Values(values.select(*key, value.alias("value")), key, note=note)


def without_deal(seats: int, rule: str | float) -> str:
    """Say what was done with the seats of games without agreement."""
    treatment = (
        "excluded" if rule == "leave out" else "scored by their BATNA" if rule == "batna" else f"scored {rule:g}"
    )
    return f"{counted(seats, 'seat')} of games without agreement {'was' if seats == 1 else 'were'} {treatment}"


def answers_of(study: Study, measure: Measure, name: str) -> Values:
    """Return the answers to an item as numbers: their place on the scale, or as they are."""
    answers = study.frame("answers")
    rows = answers.filter(nw.col("question") == measure.answer)
    if not count(rows.head(1)):
        raise no_such_item(measure, name, home(answers.select("question").unique())["question"].tolist())
    # Words become their places: on the scale that the plan names, or in the order of the texts.
    words = tuple(measure.scale)
    if words or measure.kind == "nominal":
        answer_counts = home(rows.group_by("answer").agg(nw.len().alias("n"))).dropna().sort_values("answer")
        words = words or tuple(answer_counts["answer"])
        unknown = answer_counts[~answer_counts["answer"].isin(words)]
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
    # What was asked once belongs to the person, else to the person in a game.
    keys = ["participant_id"] if is_asked_once(study, measure.answer) else ["game_id", "participant_id"]
    frame = aggregate(rows.select(*keys, value.alias("value")), keys, value=("value", "mean"))
    return Values(frame, keys, words)


def is_asked_once(study: Study, question: str | None) -> bool:
    """Whether people answer a question once, and not in each game."""
    return not has_rows(study.frame("answers"), (nw.col("question") == question) & ~nw.col("game_id").is_null())
