"""What the values of a number say against an outcome: it numbers rows, was set, is measured, or is a trait of units."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import scipy

from negstats.analysis.preregistration.study_view import StudyView, is_too_even
from negstats.analysis.questions.frames import as_text, count, home
from negstats.analysis.questions.linked import LinkedGames
from negstats.analysis.questions.units import measured

FEWEST_VALUES = 8  # of a number, below which nothing is said of how they lie
MOST_SETTINGS = 12  # different values that a game may be set up with
FEWEST_STEPS, RISING = 4, 0.9  # of a unit, and the share of them that rise, where a number runs on
SET_P = 0.001  # lower tail of chi-squared below which values were set, and did not come about
FEWEST_LEVELS = 5  # of a factor, which give one number each by no chance
FEWEST_KNOWN = 20  # values, below which nothing is said of how often they occur
FEWEST_OF_BLOCK = 10  # games in a block, on average
NEARLY_ALL = 0.95  # of the values are one: hardly anybody differs
HIGHEST_RATINGS = frozenset({5, 6, 7, 9})  # of scales that begin at 1
FEWEST_EACH = 10  # times that each value of a setting occurs
AS_DRAWN = 0.05  # upper tail of chi-squared above which values may have been drawn
SELDOM = 100  # to one that all values occur a multiple of times by chance
REPEATED = 0.5  # of the values, of which so many at most are different where people choose
Counts = npt.NDArray[np.int64]


def _is_shown(of_units: nw.LazyFrame[Any]) -> bool:
    """Whether means of units differ less than values that are dealt to rows by chance: all had the same ones."""
    value = nw.col("value")
    units = home(of_units.group_by("unit").agg(n=nw.len(), mean=value.mean(), ss=value.var() * (nw.len() - 1)))
    units = units[units["n"] >= FEWEST_STEPS].astype({"n": "float64", "mean": "float64", "ss": "float64"})
    within, k = units["n"].sum() - len(units), len(units) - 1
    if k < FEWEST_VALUES or not units["ss"].sum() > 0:
        return False
    grand = np.average(units["mean"], weights=units["n"])
    between = float((units["n"] * (units["mean"] - grand) ** 2).sum()) / k
    return bool(scipy.special.fdtr(k, within, between / (units["ss"].sum() / within)) < SET_P)


def describe_values(view: StudyView, measure: str, linked_games: LinkedGames) -> Iterator[str]:
    """Yield what the values of a number say against an outcome: it numbers rows, or was set, or is a trait of units."""
    values = measured(view.study, view.measure(measure), None).filter(~nw.col("value").is_null())
    value = nw.col("value")
    summary = home(values.select(nw.len().alias("n"), value.n_unique().alias("different"), value.min().alias("least"),
                                 value.max().alias("most")))  # fmt: skip
    n, different, least, most = (float(summary[name].iloc[0]) for name in ("n", "different", "least", "most"))
    if n < FEWEST_VALUES:
        return
    # A cluster holds several people, and what is one thing of each of them is no decision.
    people = view.study.frame("players").select("game_id", unit="participant_id").drop_nulls("unit")
    units = people if view.has_one_seat and count(people.head(1)) else linked_games.games
    of_units = values.join(units, on="game_id")
    sizes = np.sort(home(values.group_by("value").agg(nw.len().alias("n")))["n"].to_numpy())[::-1]
    if n >= FEWEST_KNOWN and sizes[0] >= NEARLY_ALL * n:
        yield "it is nearly always the same"
        return
    if different == n == most - least + 1 and least in (0, 1):
        yield "it numbers the rows"
    elif view.has_one_seat and view.study.in_memory and _runs_on(view, of_units):
        yield "it runs on from row to row"
    elif 2 < different <= MOST_SETTINGS and _is_even_in_all(of_units):
        yield "its values occur equally often, as settings do"
    elif 2 < different <= MOST_SETTINGS and view.study.in_memory and _stands_in_blocks(view, values):
        yield "it stands in blocks of games, as settings do"
    elif not _may_compete(view, values, linked_games) and _is_shown(of_units):
        yield "units are alike in it, as in what they are shown"
    if _is_of_levels(view, values):
        yield "each level of a factor has one number"
    yield from _describe_steps(values, sizes, least, most)
    if _is_once(of_units) or _is_once_of_people(view, values):
        yield "it is the same in all games of a unit"


def _is_of_levels(view: StudyView, values: nw.LazyFrame[Any]) -> bool:
    """Whether a factor of many levels gives a number, though it is not told apart by it alone: who plays is so able."""
    games = view.study.frame("games")
    for factor in view.study.factors:
        level = as_text(factor, games.collect_schema()[factor]).alias("level")
        pairs = values.join(games.select("game_id", level).drop_nulls(), on="game_id").select("level", "value")
        n_pairs, n_levels, n_values, n_rows = (
            count(each)
            for each in (pairs.unique(), pairs.select("level").unique(), pairs.select("value").unique(), pairs)
        )
        if n_pairs == n_levels >= FEWEST_LEVELS and n_values > 2 and n_rows >= 2 * n_levels:
            return True
    return False


def _may_compete(view: StudyView, values: nw.LazyFrame[Any], linked_games: LinkedGames) -> bool:
    """Whether each unit is one game of several seats: there is one winner in each, so that games are alike anyway."""
    return linked_games.what == "game" and not view.has_one_seat and "player" in values.collect_schema().names()


def _is_even_in_all(of_units: nw.LazyFrame[Any]) -> bool:
    """Whether values occur equally often, and units have them in the same shares."""
    counts = home(of_units.group_by("unit", "value").agg(nw.len().alias("n"))).pivot_table("n", "unit", "value")
    table = counts.fillna(0).to_numpy()
    return is_too_even(table.sum(axis=0), SET_P) and not _differ(table)


def _stands_in_blocks(view: StudyView, values: nw.LazyFrame[Any]) -> bool:
    """Whether few values stand in long blocks of the games, up and down: what people did changes from game to game.

    Of a table that was sorted by a number, its values only rise, or only fall.
    """
    of_games = home(values.group_by("game_id").agg(nw.col("value").min()))
    steps = np.diff(home(view.study.frame("games").select("game_id")).merge(of_games, on="game_id")["value"])
    changes = steps[steps != 0]
    is_sorted = (changes > 0).all() or (changes < 0).all()
    return len(steps) >= FEWEST_KNOWN and len(changes) * FEWEST_OF_BLOCK <= len(steps) and not is_sorted


def _is_once(of_units: nw.LazyFrame[Any]) -> bool:
    """Whether each unit that has several values has one all the time."""
    spread = home(of_units.group_by("unit").agg(nw.len().alias("n"), nw.col("value").n_unique().alias("different")))
    repeated = spread[spread["n"] > 1]
    return len(repeated) > 1 and bool((repeated["different"] == 1).all())


def _is_once_of_people(view: StudyView, values: nw.LazyFrame[Any]) -> bool:
    """Whether each person has one value in several games: people are so, or were asked once, and decided nothing."""
    if view.has_one_seat or "player" not in values.collect_schema().names():
        return False
    people = view.study.frame("players").select("game_id", "player", unit="participant_id").drop_nulls("unit")
    return _is_once(values.join(people, on=["game_id", "player"]))


def _describe_steps(values: nw.LazyFrame[Any], sizes: Counts, least: float, most: float) -> Iterator[str]:
    """Yield what the steps of a number say: those of ratings, of settings that were drawn, or of what is measured."""
    n, value = int(sizes.sum()), nw.col("value")
    if n < FEWEST_KNOWN:
        return
    is_whole = not count(values.filter(value != value.round()).head(1))
    if is_whole and least in (1, 2) and most in HIGHEST_RATINGS and len(sizes) == most - least + 1:
        yield "its values are those of a rating"
    elif 2 < len(sizes) <= MOST_SETTINGS and n >= FEWEST_EACH * len(sizes):
        statistic = float(((sizes - n / len(sizes)) ** 2).sum() * len(sizes) / n)
        # A design has each value as often as the rarest one, or twice or three times as often.
        are_multiples = bool((sizes % sizes[-1] == 0).all()) and float(sizes[-1]) ** (len(sizes) - 1) >= SELDOM
        if are_multiples or scipy.special.chdtrc(len(sizes) - 1, statistic) > AS_DRAWN:
            yield "its few values occur as often as if they were drawn"
    elif len(sizes) > REPEATED * n:
        yield "its values hardly repeat, as those that are measured"


def _runs_on(view: StudyView, of_units: nw.LazyFrame[Any]) -> bool:
    """Whether a number rises from each row of a unit to the next, as a clock, a counter or a balance does."""
    games = home(view.study.frame("games").select("game_id"))
    rows = games.merge(home(of_units), on="game_id").groupby("unit")["value"]
    steps = rows.diff().dropna()
    is_long = len(steps) >= FEWEST_STEPS * max(rows.ngroups, 1)
    return is_long and float((steps > 0).mean()) > RISING and float((steps >= 0).mean()) == 1


def _differ(table: np.ndarray[Any, Any]) -> bool:
    """Whether units have values in shares that differ beyond chance: these came about, though all are as frequent."""
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / table.sum()
    statistic = float(((table - expected) ** 2 / expected).sum())
    return bool(scipy.special.chdtrc((table.shape[0] - 1) * (table.shape[1] - 1), statistic) < SET_P)
