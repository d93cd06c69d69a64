"""What is in a study: games, players, conditions, ends, missing values, rows left out; and its measures by factor."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from negstats import metrics
from negstats.analysis.questions.frames import Lazy, count, home
from negstats.analysis.questions.units import SEAT_FACTORS, check_factor, factors_of, measure_of, measured, seats
from negstats.errors import UsageError, shown
from negstats.sanitize import counted
from negstats.stats.summaries.aggregation import aggregate, repeatable_sums
from negstats.studies.participation import has_people, participation
from negstats.studies.records import sentence
from negstats.studies.study import Study
from negstats.tables import TABLES

if TYPE_CHECKING:
    from negstats.metrics.definition import Measure

# What is said first of a study; the other measures are asked for.
FIRST = (
    *("agreed", "points", "joint_value", "competitiveness", "generosity", "reached_goal", "rounds", "offers"),
    "utterances",
)
UNKNOWN_SEATS = "seats of unknown kind"
MISSING = "(missing)"  # what stands for no level of a factor

OF_VALUES = ("measure", "game_id", "player", "kind", "role", "value")  # columns of the table of values
_NUMBERS = ("mean", "sd", "min", "max")  # what is said of the values of a measure
OF_TABLE = ("measure", "unit", "value", "n", "missing", *_NUMBERS)  # and of that of measures


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """The contents of a study, as small frames.

    Attributes
    ----------
    rows : pandas.DataFrame
        ``table``, ``rows``.
    people : dict
        How many games, seats of people, seats of agents, and different participants (where ids are known). Players that
        a program made up are simulated seats, and no agent is a participant. Seats of unknown kind are counted where
        there are any.
    participation : str
        Who played: "simulated", "agents", "people and agents", "people" or "unknown".
    ends : pandas.DataFrame
        ``ended``, ``games``, ``share``.
    factors : pandas.DataFrame
        ``factor``, ``level``, ``games``; a missing level is named so.
    missing : pandas.DataFrame
        ``table``, ``column``, ``missing``, ``of``, ``means``: columns with missing values and what these mean.
    left_out : dict
        Reason and how many rows.
    notes : tuple of str
        What the loader says.
    """

    rows: pd.DataFrame
    people: dict[str, int]
    ends: pd.DataFrame
    factors: pd.DataFrame
    missing: pd.DataFrame
    left_out: dict[str, int]
    notes: tuple[str, ...]
    participation: str = "unknown"

    def conditions(self, most: int = 12) -> pd.DataFrame:
        """Return ``factor``, ``level``, ``games`` to read: one row for a factor of more than `most` levels.

        A column of games that names sessions, or measures something, has as many levels as games.

        Parameters
        ----------
        most
            The largest number of levels that are listed one by one.

        Returns
        -------
        DataFrame
            ``games`` is how many games have the level.

        Examples
        --------
        >>> import negstats
        >>> describe(negstats.load("datasets/sample")).conditions(2)["level"].tolist()
        ["3 levels, such as 'Demo'", "3 levels, such as 'CL'"]
        """
        parts = []
        for factor, rows in self.factors.groupby("factor", sort=False):
            if len(rows) > most:
                levels_text = f"{len(rows)} levels, such as {shown(rows['level'].iloc[0])}"
                rows = pd.DataFrame({"factor": [factor], "level": [levels_text], "games": [rows["games"].sum()]})
            parts.append(rows)
        return pd.concat(parts, ignore_index=True) if parts else self.factors

    def known_counts(self) -> dict[str, int]:
        """Return what is known of `people`: no zero where the kind of some seats is unknown, which might be of it.

        Returns
        -------
        dict of str to int
            As `people`.
        """
        is_known = UNKNOWN_SEATS not in self.people
        return {what: count for what, count in self.people.items() if count or is_known}

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON.

        Returns
        -------
        dict[str, object]
            Numbers are not rounded.
        """
        frames = {name: getattr(self, name).to_dict("records") for name in ("rows", "ends", "factors", "missing")}
        counts = {"people": self.people, "participation": self.participation}
        return {**frames, **counts, "left_out": self.left_out, "notes": list(self.notes)}


def describe(study: Study) -> Description:
    """Describe a study.

    Parameters
    ----------
    study
        The study, as `load` returns it.

    Returns
    -------
    Description
        Counts and measures of the study, to print or to take as tables.

    Examples
    --------
    >>> import negstats
    >>> describe(negstats.load("datasets/sample")).people
    {'games': 36, 'human seats': 36, 'agent seats': 36, 'participants': 12}
    """
    study = study.with_frames()
    sizes, missing = _count_rows(study)
    games = sizes[0][1]
    who = participation(study)
    ends = [[end, count, count / games] for end, count in _levels(study.frame("games"), "ended")]
    levels = [
        [factor, MISSING if level is None else str(level), count]
        for factor in study.factors
        for level, count in _levels(study.frame("games"), factor)
    ]
    return Description(
        pd.DataFrame(sizes, columns=["table", "rows"]),
        {"games": games, **_count_seats(study, who)},
        pd.DataFrame(ends, columns=["ended", "games", "share"]),
        pd.DataFrame(levels, columns=["factor", "level", "games"]),
        pd.DataFrame(missing, columns=["table", "column", "missing", "of", "means"]),
        study.provenance.reasons(),
        (
            *study.provenance.notes,
            *(sentence(record) for record in study.provenance.records if record.weight == "note"),
            *_note_missing_levels(levels, games),
        ),
        who,
    )


def _count_rows(study: Study) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return the rows of each table, and of each column that lacks values how many it lacks and what that means."""
    sizes: list[list[Any]] = []
    missing: list[list[Any]] = []
    for name in study.frames:
        rows = study.rows(name)
        sizes.append([name, rows])
        known_values = study.frame(name).select(nw.all().count()).collect("pyarrow").to_native().to_pylist()[0]
        for column, n_known in known_values.items():
            if n := rows - n_known:
                missing.append([name, column, n, rows, meaning_of_missing(name, column)])
    return sizes, missing


def _count_seats(study: Study, who: str) -> dict[str, int]:
    """Return how many seats there are by what sits there, and how many people these are."""
    kinds = dict(_levels(study.frame("players"), "kind"))
    seats_of_people = study.frame("players").filter(~(nw.col("kind") == "agent").fill_null(False))
    people = seats_of_people.select("participant_id").drop_nulls().unique()
    return {
        "simulated seats" if who == "simulated" else "human seats": kinds.get("human", 0),
        "agent seats": kinds.get("agent", 0),
        **({UNKNOWN_SEATS: kinds[None]} if None in kinds else {}),
        "participants": count(people) if has_people(who) else 0,
    }


def _note_missing_levels(levels: Sequence[Sequence[Any]], n_games: int) -> Iterator[str]:
    """Yield for each factor that some games lack how many these are: no comparison by it holds them."""
    for factor, level, games in levels:
        if level == MISSING and games < n_games:
            has = f"{counted(games, 'game')} of {n_games:,} {'has' if games == 1 else 'have'}"
            yield f"{has} no level of {factor} and {'is' if games == 1 else 'are'} in no comparison by it"


def _levels(frame: Lazy, column: str) -> list[tuple[Any, int]]:
    """Return how often each value of a column occurs, the most frequent first; a missing one is None, and the last."""
    counts = frame.group_by(nw.col(column).alias("level")).agg(nw.len().alias("rows")).collect().rows()
    levels = [(None if level != level else level, int(rows)) for level, rows in counts]  # NaN of a file is missing, too
    return sorted(levels, key=lambda pair: (-pair[1], pair[0] is None, 0 if pair[0] is None else pair[0]))


def meaning_of_missing(table: str, column: str) -> str:
    """Return what a missing value in a column of a table means."""
    missing_meanings = {field.name: field.missing for field in TABLES[table].columns}
    return missing_meanings.get(column) or "a factor's level is not known"


def measure_values(study: Study) -> Iterator[pd.DataFrame]:
    """Yield every value of the measures, some rows at a time: one row a game and seat (missing for whole games).

    Columns: ``measure``, ``game_id``, ``player``, ``kind``, ``role``, ``value``, then the study's factors.
    """
    study = study.with_frames()
    check_columns(study)
    games = study.frame("games").select("game_id", *study.factors)
    players = study.frame("players").select("game_id", "player", "kind", "role")
    columns = [*OF_VALUES, *study.factors]
    own_names = set(own(study))
    for name in available(study):
        definition = measure_of(study, name)
        if definition.name in own_names and _is_empty(study, definition):
            continue
        values = measured(study, definition).join(games, on="game_id")
        key = ["game_id"] if definition.per == "game" else ["game_id", "player"]
        if definition.per != "game":
            values = values.join(players, on=key)
        for rows in study.batches(values.sort(*key)):
            yield rows.assign(measure=name).reindex(columns=columns)


def check_columns(study: Study) -> None:
    """Raise UsageError if a factor is called like a column of the table of values."""
    for factor in study.factors:
        if factor in OF_VALUES:
            raise UsageError(f"{factor!r} is a factor and also a column of this table; give the factor another name")


def available(study: Study) -> list[str]:
    """Return the names of the measures that can be computed for a study, with its engine; codes are among them."""
    from negstats.metrics.definition import AskedTables  # here, for a description needs no measure

    study = study.with_frames()
    memory = study.in_memory
    coded = [metrics.measure(f"labels.{code}") for coding in study.provenance.coding for code in coding.codes]
    definitions = [definition for definition in metrics.MEASURES.values() if memory or not definition.arrays] + coded
    tables = AskedTables(study.frames)
    return [*(definition.name for definition in definitions if definition.lacking(tables) is None), *own(study)]


def shown_first(study: Study, names: Sequence[str]) -> list[str]:
    """Return those of the measures that are shown first: agreement, outcomes, goals and process, and the study's own.

    Examples
    --------
    >>> import negstats
    >>> study = negstats.load("datasets/sample")
    >>> shown_first(study, available(study))[:3]
    ['agreed', 'points', 'joint_value']
    """
    return [name for name in (*FIRST, *own(study)) if name in names]


def own(study: Study) -> list[str]:
    """Return the names of a study's own measures and issues; one called like a registered one, with its table."""
    from negstats.metrics import lookup  # here, for a description needs no measure

    names = [lookup.column_of(study.frames, name) if name in metrics.MEASURES else name for name in study.measures]
    return [*names, *lookup.issue_measures(study.frames)]


def measure_table(
    study: Study, by: Sequence[str] = (), *, names: Sequence[str] | None = None, who: str | None = None
) -> pd.DataFrame:
    """Return n, mean, SD, least and largest of each measure, for people and agents apart, by factors.

    Means include games without agreement, scored as the study scores them; a value that is missing is counted in
    ``missing`` and in no mean. These are descriptions of seats and games, not of independent units: `compare` tests.

    Parameters
    ----------
    study
        The study.
    by
        Factors of the games, or columns that tell seats apart.
    names
        Which measures; all that can be computed if None.
    who
        Only these seats, in measures of seats.

    Returns
    -------
    DataFrame
        One row a measure and group, numbers unrounded.

    Examples
    --------
    >>> import negstats
    >>> table = measure_table(negstats.load("datasets/sample"), ["condition"], names=["joint_value"])
    >>> table["n"].tolist()
    [12, 12, 12]
    """
    study = study.with_frames()
    factor_names = factors_of(study)
    for factor in by:
        check_factor(factor, study, factor_names, OF_TABLE)
    measure_names = list(names or available(study))
    if not measure_names:
        raise UsageError("no measure can be computed for this study; negstats docs glossary says what each needs")
    own_names = set(own(study))
    with repeatable_sums(in_memory=study.in_memory):
        parts = [
            _table_without_values(study, definition, by)
            if (definition := measure_of(study, name)).name in own_names and _is_empty(study, definition)
            else _table_of(study, name, list(by), who)
            for name in measure_names
        ]
    keys = list(dict.fromkeys(["measure", "kind", *by]))
    return pd.concat(parts, ignore_index=True).sort_values(keys, na_position="last", kind="stable", ignore_index=True)


def _is_empty(study: Study, definition: Measure) -> bool:
    """Return whether a measure of the study's own is missing in every row."""
    return definition.lacking(study.frames) is not None


def _table_without_values(study: Study, definition: Measure, by: Sequence[str]) -> pd.DataFrame:
    """Return the row of a measure that is missing in every row."""
    rows = count(study.frame("games" if definition.per == "game" else "players"))
    row = {"measure": definition.name, "unit": definition.unit, "n": 0, "missing": rows}
    return pd.DataFrame([{**row, **dict.fromkeys(("kind", *by)), **dict.fromkeys(_NUMBERS, float("nan"))}])


def _table_of(study: Study, name: str, by: list[str], who: str | None) -> pd.DataFrame:
    definition = measure_of(study, name)
    values = measured(study, definition)
    of_games = [factor for factor in by if factor not in SEAT_FACTORS]
    aliases = {factor: f"f{place}" for place, factor in enumerate(of_games)}  # some engines trip over a dot in a name
    if definition.per != "game":
        seat_columns = list(dict.fromkeys(["kind", *(factor for factor in by if factor in SEAT_FACTORS)]))
        columns = list(dict.fromkeys(["game_id", "player", *seat_columns]))
        values = values.join(seats(study, who).select(*columns), on=["game_id", "player"])
    else:
        nothing = dict.fromkeys(["kind", *(factor for factor in by if factor in SEAT_FACTORS)])
        values = values.with_columns(*(nw.lit(None).cast(nw.String).alias(column) for column in nothing))
    if of_games:
        levels = [nw.col(factor).alias(aliases[factor]) for factor in of_games]
        values = values.join(study.frame("games").select("game_id", *levels), on="game_id", how="left")
    keys = list(dict.fromkeys(["kind", *by]))
    summary = home(
        aggregate(
            values,
            [aliases.get(key, key) for key in keys],
            n=("value", "count"),
            rows=("value", "len"),
            mean=("value", "mean"),
            sd=("value", "std"),
            min=("value", "min"),
            max=("value", "max"),
        )
    )
    summary["missing"] = summary["rows"] - summary["n"]
    summary = summary.drop(columns="rows").rename(columns={key: factor for factor, key in aliases.items()})
    summary.insert(0, "measure", name)
    summary.insert(1, "unit", definition.unit)
    summary["sd"] = summary["sd"].where(summary["n"] > 1)
    return summary[["measure", "unit", *keys, "n", "missing", "mean", "sd", "min", "max"]]


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of measures as people read it: mean and SD with their unit, yes or no and shares in percent.

    Parameters
    ----------
    table
        What `measure_table` returns.

    Examples
    --------
    >>> import negstats
    >>> shown = readable(measure_table(negstats.load("datasets/sample"), names=["agreed", "joint_value"]))
    >>> shown[["measure", "mean", "SD", "unit"]].to_numpy().tolist()
    [['agreed', '100.0%', '', 'of games'], ['joint value', '1.381', '0.0511', 'points']]
    """
    keys = [name for name in table.columns if name not in {"unit", "n", "missing", *_NUMBERS}]
    rows = [_readable(row) for row in table.to_dict("records")]
    readable_table = table[keys].assign(measure=table["measure"].str.replace("_", " "))
    for place, name in enumerate(("mean", "SD", "from", "to", "unit")):
        readable_table[name] = [row[place] for row in rows]
    readable_table["n"] = (
        table["n"]
        .astype("str")
        .where(table["missing"] == 0, table["n"].astype("str") + " (" + table["missing"].astype("str") + " missing)")
    )
    return readable_table.dropna(axis="columns", how="all")


_OF = {"game": "of games", "player": "of seats", "offer": "of offers"}


def _readable(row: dict[Hashable, Any]) -> tuple[str, str, str, str, str]:
    unit, definition = str(row["unit"]), metrics.MEASURES.get(str(row["measure"]))
    numbers = [row[name] for name in _NUMBERS]
    if unit == metrics.YES_NO:
        return (_percent(numbers[0]), "", "", "", _OF[definition.per if definition else "game"])
    if unit.startswith("share"):
        mean, sd, low, high = map(_percent, numbers)
        return mean, sd, low, high, unit.removeprefix("share").strip()
    mean, sd, low, high = (f"{value:.4g}" if value == value else "" for value in numbers)
    return mean, sd, low, high, unit


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%" if value == value else ""
