"""Which rows are independent of each other, what a study can be compared by, and whose values are looked at.

A test needs independent units. Rounds of one game are not, nor are two seats of one game, nor two games of one person,
nor two people who played with the same third. So a unit is all people who are linked through games: the person, where
everybody plays with agents; the pair, where the same two meet again and again; the session, where strangers are matched
anew in each round. Where nobody's id is known, it is the game.

A seat whose person is not known (no `participant_id`) is taken for somebody who plays in no other game, while the known
people still link theirs. Where known people play several games that is a guess: the units that hang on it are named in
`LinkedGames.unsure`, and whoever tests independent groups refuses if two of them are among these.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import narwhals as nw

from negstats import metrics
from negstats.analysis.questions.frames import Lazy, count, distinct
from negstats.analysis.questions.linked import LinkedGames
from negstats.errors import DesignError, UsageError, argument, meant, shown
from negstats.metrics.definition import Measure
from negstats.stats.summaries.aggregation import aggregate
from negstats.studies.study import Study

NOUNS = {"participant": "person"}  # what a unit of analysis is called in sentences
VARIES = {"between": "varies between units", "within": "varies within units", "partly": "varies within some units"}

SEAT_FACTORS = ("kind", "role", "agent", "player")


def check_linked(rows: Lazy, linked: LinkedGames) -> None:
    """Refuse units of which two may be linked through people who are not known.

    Raises
    ------
    DesignError
        Saying which seats these people had and what would do.
    """
    if linked.unsure is None:
        return
    unsure = count(distinct(rows, "unit").join(linked.unsure, on="unit"))
    if unsure > 1:
        raise DesignError(
            f"{linked.doubt}, while people who are known play in several games: {unsure} units may be linked through "
            f"them. Fill in the ids, or leave those games out; {argument('unit', 'game')} takes all games for "
            "independent"
        )


def factors_of(study: Study) -> list[str]:
    """Return what a study can be compared by: its games' factors and the columns that tell seats apart."""
    distinct = [nw.col(name).n_unique().alias(name) for name in SEAT_FACTORS]
    known_counts = [nw.col(name).count().alias(f"{name}_known") for name in SEAT_FACTORS]
    counts = study.frame("players").select(nw.len().alias("rows"), *distinct, *known_counts).collect("pyarrow")
    rows = int(counts["rows"][0])
    seat_factors = []
    for name in SEAT_FACTORS:  # a missing value counts as one in n_unique
        values = int(counts[name][0] or 0) - (int(counts[f"{name}_known"][0] or 0) < rows)
        seat_factors += [name] if values > 1 else []
    return [*study.factors, *seat_factors]


def check_factor(by: str, study: Study, known: Sequence[str], columns: Collection[str] = ()) -> None:
    """Check that a study can be compared by a factor, in a table with `columns` of its own.

    Raises
    ------
    UsageError
        If nothing is called so, or more than one thing is.
    """
    if by not in known:
        raise UsageError(f"no factor is called {shown(by)}; {meant(by, known)}")
    if by in SEAT_FACTORS and by in study.factors:
        raise UsageError(f"{by!r} is a factor of the games and also a property of seats; give the factor another name")
    if by in columns:
        raise UsageError(f"{by!r} is a column of this table too; give the factor another name")


def seats(study: Study, who: str | None) -> Lazy:
    """Return the rows of ``players`` that `who` names: a kind, role, agent or seat; all of them for None.

    Raises
    ------
    UsageError
        If nothing is called so.
    """
    players = study.frame("players")
    if who is None:
        return players
    seat_rows = players.filter(nw.any_horizontal(*(nw.col(name) == who for name in SEAT_FACTORS), ignore_nulls=True))
    if not count(seat_rows.select("player").head(1)):  # memory may hold all of a row's columns for the first
        raise UsageError(f"no seat is called {who!r}; there are {', '.join(names_of_seats(study))}")
    return seat_rows


def has_one_seat(study: Study) -> bool:
    """Return whether each game has one seat, so that a number of the game is that seat's."""
    counts = study.frame("players").select(nw.len().alias("rows"), nw.col("game_id").n_unique().alias("games"))
    rows, games = counts.collect("pyarrow").rows()[0]
    return bool(rows == games == study.rows("games"))


def names_of_seats(study: Study) -> list[str]:
    """Return what seats can be called: the first kinds, roles, agents and seats."""
    names: list[str] = []
    for column in SEAT_FACTORS:
        names_table = (
            study.frame("players").select(column).drop_nulls().unique().sort(column).head(12).collect("pyarrow")
        )
        names += [str(name) for name in names_table[column].to_list()]
    return list(dict.fromkeys(names))[:12]


def measured(study: Study, known: Measure, who: str | None = None) -> Lazy:
    """Return a measure's values (``value``), one a game or seat; a measure of offers is averaged over a seat's.

    Of a measure of seats, `who` names those that are looked at.
    """
    if who is not None and known.per != "game":
        key = ["game_id", "player"]
        return measured(study, known).join(seats(study, who).select(*key), on=key)
    memory = study.in_memory
    if known.name in study.measure_frames:
        return study.measure_frames[known.name]
    if known.arrays and memory:
        values = study.from_pandas(known.compute(study.tables))
    else:
        values = known.in_engine(study.frames)
    values = values.rename({known.name: "value"})
    if known.per == "offer":
        in_order = study.in_order(values, ["game_id", "proposer"])
        values = aggregate(in_order, ["game_id", "proposer"], value=("value", "mean")).rename({"proposer": "player"})
    if memory:
        values = study.measure_frames[known.name] = study.keep(values)
    return values


def measure_of(study: Study, name: str) -> Measure:
    """Return the measure called `name`, with what the study says of its own: their units and kinds."""
    return metrics.measure_in(study.frames, name, study.provenance.measures)
