"""What is in a study: games, players, conditions, ends, missing values, rows left out; and its measures by factor."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from negstats import metrics
from negstats.analysis.questions.units import SEAT_FACTORS, check_factor, factors_of, seats, values_of
from negstats.errors import UsageError, shown
from negstats.studies import LazyStudy
from negstats.studies.study import Study
from negstats.tables import TABLES

__all__ = ["FIRST", "Description", "describe", "finding", "measure_table", "measure_values", "readable"]

# What is said first of a study; the other measures are asked for.
FIRST = ("agreed", "points", "joint_value", "pareto_optimal", "rounds", "offers", "utterances", "duration_s")

OF_VALUES = ("measure", "game_id", "player", "kind", "role", "value")  # columns of the table of values
OF_TABLE = ("measure", "unit", "value", "n", "missing", "mean", "sd", "min", "max")  # and of that of measures


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """What is in a study, as small frames.

    Attributes
    ----------
    rows : pandas.DataFrame
        ``table``, ``rows``.
    people : dict
        How many games, seats of people, seats of agents, and different participants (where ids are known).
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

    def conditions(self, most: int = 12) -> pd.DataFrame:
        """Return ``factor``, ``level``, ``games`` to read: one row for a factor of more than `most` levels.

        A column of games that names sessions, or measures something, has as many levels as games.

        Examples
        --------
        >>> import negstats
        >>> describe(negstats.load("datasets/sample")).conditions(2)["level"].tolist()
        ["3 levels, such as 'Demo'", "3 levels, such as '(missing)'"]
        """
        parts = []
        for factor, rows in self.factors.groupby("factor", sort=False):
            if len(rows) > most:
                told = f"{len(rows)} levels, such as {shown(rows['level'].iloc[0])}"
                rows = pd.DataFrame({"factor": [factor], "level": [told], "games": [rows["games"].sum()]})
            parts.append(rows)
        return pd.concat(parts, ignore_index=True) if parts else self.factors

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        frames = {name: getattr(self, name).to_dict("records") for name in ("rows", "ends", "factors", "missing")}
        return {**frames, "people": self.people, "left_out": self.left_out, "notes": list(self.notes)}


def describe(study: Study | LazyStudy) -> Description:
    """Describe a study.

    Examples
    --------
    >>> import negstats
    >>> describe(negstats.load("datasets/sample")).people
    {'games': 36, 'human seats': 36, 'agent seats': 36, 'participants': 12}
    """
    if isinstance(study, LazyStudy):
        from negstats.analysis.lazy.describe import describe as in_engine

        return in_engine(study)
    tables = study.tables
    rows = pd.DataFrame({"table": list(tables), "rows": [len(frame) for frame in tables.values()]})
    kinds = study.players["kind"].value_counts()
    people = {
        "games": len(study.games),
        "human seats": int(kinds.get("human", 0)),
        "agent seats": int(kinds.get("agent", 0)),
        "participants": int(study.players["participant_id"].nunique()),
    }
    ends = study.games["ended"].value_counts().rename_axis("ended").reset_index(name="games")
    ends["share"] = ends["games"] / max(len(study.games), 1)
    levels = [
        [factor, "(missing)" if level != level else str(level), int(games)]
        for factor in study.factors
        for level, games in study.games[factor].value_counts(dropna=False, sort=False).items()
    ]
    return Description(
        rows,
        people,
        ends,
        pd.DataFrame(levels, columns=["factor", "level", "games"]),
        _missing(study),
        study.provenance.reasons(),
        study.provenance.notes,
    )


def meaning_of_missing(table: str, column: str) -> str:
    """Return what a missing value in a column of a table means."""
    known = {found.name: found.missing for found in TABLES[table].columns}
    return known.get(column) or "a factor's level is not known"


def _missing(study: Study) -> pd.DataFrame:
    rows = [
        [name, column, int(gone), len(frame), meaning_of_missing(name, str(column))]
        for name, frame in study.tables.items()
        for column, gone in frame.isna().sum().items()
        if gone
    ]
    return pd.DataFrame(rows, columns=["table", "column", "missing", "of", "means"])


def measure_values(study: Study, names: Sequence[str] | None = None) -> pd.DataFrame:
    """Return every value of the measures: one row a game and seat (seat missing for measures of whole games).

    Columns: ``measure``, ``game_id``, ``player``, ``kind``, ``value``, then the study's factors.
    """
    check_columns(study)
    return _values(study, names, study.factors)


def check_columns(study: Study | LazyStudy) -> None:
    """Raise UsageError if a factor is called like a column of the table of values."""
    for factor in study.factors:
        if factor in OF_VALUES:
            raise UsageError(f"{factor!r} is a factor and also a column of this table; give the factor another name")


def available(study: Study) -> list[str]:
    """Return the measures that can be computed for a study: registered ones, then its own."""
    return [*metrics.available(study.tables), *own(study)]


def own(study: Study | LazyStudy) -> list[str]:
    """Return the names of a study's own measures; one that is called like a registered one, with its table."""
    return [f"games.{name}" if name in metrics.MEASURES else name for name in study.measures]


def _values(study: Study, names: Sequence[str] | None, factors: Sequence[str]) -> pd.DataFrame:
    parts = []
    for name in names or available(study):
        values = values_of(study, name).rename(columns={name: "value"})
        if "player" in values.columns:
            values = values.merge(study.players[["game_id", "player", "kind", "role"]], on=["game_id", "player"])
        parts.append(values.assign(measure=name, value=values["value"].astype("float64")))
    if not parts:
        raise UsageError("no measure can be computed for this study; see negstats.metrics.MEASURES for what each needs")
    rows = pd.concat(parts, ignore_index=True).merge(study.games[["game_id", *factors]], on="game_id")
    return rows.reindex(columns=[*OF_VALUES, *factors])


def measure_table(
    study: Study | LazyStudy, by: Sequence[str] = (), *, names: Sequence[str] | None = None, who: str | None = None
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

    Examples
    --------
    >>> import negstats
    >>> table = measure_table(negstats.load("datasets/sample"), ["condition"], names=["joint_value"])
    >>> table["n"].tolist()
    [12, 12, 12]
    """
    if isinstance(study, LazyStudy):
        from negstats.analysis.lazy.describe import measure_table as in_engine

        return in_engine(study, by, names=names, who=who)
    for factor in by:
        check_factor(factor, study, factors_of(study), OF_TABLE)
    values = _values(study, names, [factor for factor in by if factor in study.factors])
    if who is not None:
        picked = seats(study, who)[["game_id", "player"]]
        values = values[values["player"].isna() | _among(values, picked)]
    extra = [factor for factor in by if factor in SEAT_FACTORS and factor not in values.columns]
    if extra:
        values = values.merge(study.players[["game_id", "player", *extra]], on=["game_id", "player"], how="left")
    keys = list(dict.fromkeys(["measure", "kind", *by]))
    grouped = values.groupby(keys, dropna=False, sort=False)["value"]
    table = pd.DataFrame(
        {
            "n": grouped.count(),
            "missing": grouped.size() - grouped.count(),
            "mean": grouped.mean(),
            "sd": grouped.std(),
            "min": grouped.min(),
            "max": grouped.max(),
        }
    ).reset_index()
    units = {name: metrics.measure_in(study.tables, name).unit for name in values["measure"].unique()}
    table.insert(1, "unit", table["measure"].map(units))
    return table.sort_values(keys, na_position="last", kind="stable", ignore_index=True)


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
    keys = [name for name in table.columns if name not in {"unit", "n", "missing", "mean", "sd", "min", "max"}]
    rows = [_readable(row) for row in table.to_dict("records")]
    shown = table[keys].assign(measure=table["measure"].str.replace("_", " "))
    for place, name in enumerate(("mean", "SD", "from", "to", "unit")):
        shown[name] = [row[place] for row in rows]
    shown["n"] = (
        table["n"]
        .astype("str")
        .where(table["missing"] == 0, table["n"].astype("str") + " (" + table["missing"].astype("str") + " missing)")
    )
    return shown.dropna(axis="columns", how="all")


_OF = {"game": "of games", "player": "of seats", "offer": "of offers"}


def _readable(row: dict[Hashable, Any]) -> tuple[str, str, str, str, str]:
    unit, known = str(row["unit"]), metrics.MEASURES.get(str(row["measure"]))
    numbers = [row[name] for name in ("mean", "sd", "min", "max")]
    if unit == metrics.YES_NO:
        return (_percent(numbers[0]), "", "", "", _OF[known.per if known else "game"])
    if unit.startswith("share"):
        mean, sd, low, high = map(_percent, numbers)
        return mean, sd, low, high, unit.removeprefix("share").strip()
    mean, sd, low, high = (f"{value:.4g}" if value == value else "" for value in numbers)
    return mean, sd, low, high, unit


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%" if value == value else ""


def finding(study: Study | LazyStudy) -> str:
    """Return the first sentence on a study: how many games agreed, and what people and agents earned in them.

    Examples
    --------
    >>> import negstats
    >>> finding(negstats.load("datasets/sample"))
    '36 games: 100.0% ended in agreement; points: human 0.719 (SD 0.0589), agent 0.661 (SD 0.0509).'
    """
    there = [name for name in ("agreed", "points") if metrics.measure(name).lacking(study.tables) is None]
    said = []
    table = measure_table(study, names=there) if there else pd.DataFrame()
    for name, rows in table.groupby("measure", sort=False) if there else ():
        if name == "agreed" and rows["n"].sum():
            said.append(f"{_percent(rows['mean'].iloc[0])} ended in agreement")
        if name == "points":
            kinds = rows[rows["n"] > 0].sort_values("kind", ascending=False).to_dict("records")
            each = [
                f"{row['kind'] if row['kind'] == row['kind'] else 'a seat'} {row['mean']:.3g} (SD {row['sd']:.3g})"
                for row in kinds
            ]
            said += [f"points: {', '.join(each)}"] if each else []
    games = study.rows("games") if isinstance(study, LazyStudy) else len(study.games)
    return f"{games:,} games" + (f": {'; '.join(said)}." if said else ".")


def _among(values: pd.DataFrame, picked: pd.DataFrame) -> pd.Series:
    keys = pd.MultiIndex.from_frame(picked)
    return pd.Series(pd.MultiIndex.from_frame(values[["game_id", "player"]]).isin(keys), index=values.index)
