"""What the people of a study say about themselves: age, gender, orientation, as numbers or as counts of answers."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pandas as pd

from negstats.analysis.questions.frames import Lazy, as_number, distinct, home
from negstats.analysis.roles import role_of, words_of
from negstats.stats.summaries.aggregation import aggregate
from negstats.studies.study import Study

TRAITS = ("age", "gender", "sex", "nationality", "country", "culture", "ethnicity", "language", "education", "income",
          "svo", "personality")  # fmt: skip
MOST = 6  # traits of a study that are described
MOST_LEVELS = 6  # that are counted one by one
ADULT = 18  # years


def traits_of(study: Study, seats: Lazy | None) -> list[dict[str, Any]]:
    """Return the answers of people about themselves, each question once.

    Parameters
    ----------
    study
        The study without what a plan leaves out.
    seats
        The seats that are kept; None: all.

    Returns
    -------
    list of dict
        Of numbers n, mean, SD and range, of ages also how many are below 18; of answers in a few words how often each
        was given. A question that somebody answered in two ways is not described, nor one of many different words.

    Examples
    --------
    >>> from negstats import datasets
    >>> [trait["question"] for trait in traits_of(datasets.casino(), None)]
    ['age', 'gender', 'svo']
    """
    study = study.with_frames()
    answers = study.frame("answers").drop_nulls(["participant_id", "question", "answer"])
    names = [str(name) for name in home(distinct(answers, "question"))["question"] if _is_trait(str(name))]
    if not names:
        return []
    people = study.frame("players").filter(~(nw.col("kind") == "agent").fill_null(False))
    if seats is not None:
        people = people.join(seats, on=["game_id", "player"], how="semi")
    ids = people.select("participant_id").drop_nulls().unique()
    trait_answers = answers.filter(nw.col("question").is_in(names)).join(ids, on="participant_id", how="semi")
    once = distinct(trait_answers, "participant_id", "question", "answer").with_columns(
        as_number("answer", nw.String()).alias("number")
    )
    answer_counts = once.group_by("participant_id", "question").agg(nw.len().alias("n"))
    repeated = set(home(distinct(answer_counts.filter(nw.col("n") > 1), "question"))["question"])
    counts = once.group_by("question", "answer").agg(nw.len().alias("n"))
    sizes = home(counts.group_by("question").agg(nw.len().alias("levels"))).set_index("question")["levels"]
    numbers = _describe_numbers(once).reindex(sizes.index)
    chosen = sorted((name for name in sizes.index if name not in repeated), key=_place)
    is_number = {
        name: bool(numbers.loc[name, "known"] == numbers.loc[name, "n"])
        and ("age" in words_of(name) or sizes[name] > MOST_LEVELS)
        for name in chosen
    }
    short = [name for name in chosen if not is_number[name] and sizes[name] <= MOST_LEVELS]
    table = home(counts.filter(nw.col("question").is_in(short))) if short else pd.DataFrame()
    entries = [
        {"question": name, **_entry_of(numbers.loc[name], is_age="age" in words_of(name))}
        if is_number[name]
        else {"question": name, **_describe_levels(table[table["question"] == name])}
        for name in chosen
        if is_number[name] or name in short
    ]
    return entries[:MOST]


def _is_trait(name: str) -> bool:
    """Return whether a question asks for a trait; one with a number is an item of a scale."""
    return not any(letter.isdigit() for letter in name) and role_of(name, (), of_games=False).name == "trait"


def _place(name: str) -> tuple[int, str]:
    words = words_of(name)
    return next((place for place, word in enumerate(TRAITS) if word in words), len(TRAITS)), name


def _describe_numbers(once: Lazy) -> pd.DataFrame:
    """Return a row a question: how many answers there are, how many are numbers, and these."""
    marked = once.with_columns(nw.when(nw.col("number") < ADULT).then(1).otherwise(0).alias("is_minor"))
    return home(
        aggregate(
            marked.sort("question", "number", "participant_id"),  # the same bits each time
            ["question"],
            n=("number", "len"),
            known=("number", "count"),
            mean=("number", "mean"),
            sd=("number", "std"),
            low=("number", "min"),
            high=("number", "max"),
            below_18=("is_minor", "sum"),
        )
    ).set_index("question")


def _entry_of(row: Any, *, is_age: bool) -> dict[str, Any]:
    n = int(row["n"])
    below = {"below_18": int(row["below_18"])} if is_age else {}
    ends = {name: float(row[name]) for name in ("mean", "sd", "low", "high")}
    return {"n": n, **ends, "sd": ends["sd"] if n > 1 else None, **below}


def _describe_levels(table: pd.DataFrame) -> dict[str, Any]:
    """Return how often each answer was given, the most frequent first."""
    levels = sorted(
        zip(table["answer"].astype(str), map(int, table["n"]), strict=True), key=lambda answer: (-answer[1], answer[0])
    )
    return {
        "n": sum(n for _, n in levels),
        "levels": [{"level": text, "n": n} for text, n in levels],
    }
