"""What is in a study whose rows stay with an engine, and its measures by factor: counted there, in small frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals as nw
import pandas as pd

from negstats import metrics
from negstats.analysis.describe import OF_TABLE, OF_VALUES, Description, check_columns, meaning_of_missing, own
from negstats.analysis.lazy.units import factors_of, measured, seats
from negstats.analysis.questions.frames import Lazy, count, home
from negstats.analysis.questions.units import SEAT_FACTORS, check_factor
from negstats.errors import UsageError
from negstats.studies import LazyStudy

__all__ = ["available", "describe", "measure_table", "measure_values"]


def describe(study: LazyStudy) -> Description:
    """Describe a study; see `negstats.analysis.describe`."""
    missing: list[list[Any]] = []
    sizes: list[list[Any]] = []
    for name in study.tables:
        frame = study.frame(name)
        columns = frame.collect_schema().names()
        known = {f"c{place}": nw.col(column).count() for place, column in enumerate(columns)}
        counted = frame.select(nw.len().alias("rows"), **known).collect("pyarrow")
        rows = int(counted["rows"][0])
        sizes.append([name, rows])
        gone = {column: rows - int(counted[key][0]) for key, column in zip(known, columns, strict=True)}
        missing += [[name, column, n, rows, meaning_of_missing(name, column)] for column, n in gone.items() if n]
    kinds = _levels(study.frame("players"), "kind").set_index("level")["rows"]
    people = study.frame("players").select("participant_id").drop_nulls().unique()
    ends = _levels(study.frame("games"), "ended").rename(columns={"level": "ended", "rows": "games"})
    ends["share"] = ends["games"] / max(sizes[0][1], 1)
    levels = [
        [factor, "(missing)" if level is None else str(level), int(games)]
        for factor in study.factors
        for level, games in _levels(study.frame("games"), factor).itertuples(index=False)
    ]
    return Description(
        pd.DataFrame(sizes, columns=["table", "rows"]),
        {
            "games": sizes[0][1],
            "human seats": int(kinds.get("human", 0)),
            "agent seats": int(kinds.get("agent", 0)),
            "participants": count(people),
        },
        ends,
        pd.DataFrame(levels, columns=["factor", "level", "games"]),
        pd.DataFrame(missing, columns=["table", "column", "missing", "of", "means"]),
        study.provenance.reasons(),
        study.provenance.notes,
    )


def _levels(frame: Lazy, column: str) -> pd.DataFrame:
    """Return how often each value of a column occurs, the most frequent first; a missing one is None."""
    found = home(frame.group_by(nw.col(column).alias("level")).agg(nw.len().alias("rows")))
    found = found.sort_values(["rows", "level"], ascending=[False, True], ignore_index=True)
    found["level"] = found["level"].astype(object).where(found["level"].notna(), None)
    return found.astype({"rows": "int64"})


def available(study: LazyStudy) -> list[str]:
    """Return the names of the measures that can be computed for a study, with its engine."""
    memory = study.engine.name == "memory"
    found = [known for known in metrics.MEASURES.values() if memory or not known.arrays]
    return [*(known.name for known in found if known.lacking(study.tables) is None), *own(study)]


def measure_values(study: LazyStudy, names: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
    """Yield every value of the measures, some rows at a time; see `negstats.analysis.describe.measure_values`."""
    check_columns(study)
    games = study.frame("games").select("game_id", *study.factors)
    players = study.frame("players").select("game_id", "player", "kind", "role")
    columns = [*OF_VALUES, *study.factors]
    for name in names or available(study):
        known = metrics.measure_in(study.tables, name)
        values = measured(study, known).join(games, on="game_id")
        key = ["game_id"] if known.per == "game" else ["game_id", "player"]
        if known.per != "game":
            values = values.join(players, on=key)
        for rows in study.batches(values.sort(*key)):
            yield rows.assign(measure=name).reindex(columns=columns)


def measure_table(
    study: LazyStudy, by: Sequence[str] = (), *, names: Sequence[str] | None = None, who: str | None = None
) -> pd.DataFrame:
    """Return n, mean, SD, least and largest of each measure by factors; see `negstats.analysis.measure_table`."""
    known = factors_of(study)
    for factor in by:
        check_factor(factor, study, known, OF_TABLE)
    chosen = list(names or available(study))
    if not chosen:
        raise UsageError("no measure can be computed for this study; see negstats.metrics.MEASURES for what each needs")
    parts = [_table_of(study, name, list(by), who) for name in chosen]
    keys = list(dict.fromkeys(["measure", "kind", *by]))
    return pd.concat(parts, ignore_index=True).sort_values(keys, na_position="last", kind="stable", ignore_index=True)


def _table_of(study: LazyStudy, name: str, by: list[str], who: str | None) -> pd.DataFrame:
    known = metrics.measure_in(study.tables, name)
    values = measured(study, known)
    of_games = [factor for factor in by if factor not in SEAT_FACTORS]
    called = {factor: f"f{place}" for place, factor in enumerate(of_games)}  # some engines trip over a dot in a name
    if known.per != "game":
        told = list(dict.fromkeys(["kind", *(factor for factor in by if factor in SEAT_FACTORS)]))
        columns = list(dict.fromkeys(["game_id", "player", *told]))
        values = values.join(seats(study, who).select(*columns), on=["game_id", "player"])
    else:
        nothing = dict.fromkeys(["kind", *(factor for factor in by if factor in SEAT_FACTORS)])
        values = values.with_columns(*(nw.lit(None).cast(nw.String).alias(column) for column in nothing))
    if of_games:
        levels = [nw.col(factor).alias(called[factor]) for factor in of_games]
        values = values.join(study.frame("games").select("game_id", *levels), on="game_id", how="left")
    keys = list(dict.fromkeys(["kind", *by]))
    value = nw.col("value")
    found = home(
        values.group_by(*(called.get(key, key) for key in keys)).agg(
            value.count().alias("n"),
            nw.len().alias("rows"),
            value.mean().alias("mean"),
            value.std(ddof=1).alias("sd"),
            value.min().alias("min"),
            value.max().alias("max"),
        )
    )
    found["missing"] = found["rows"] - found["n"]
    found = found.drop(columns="rows").rename(columns={key: factor for factor, key in called.items()})
    found.insert(0, "measure", name)
    found.insert(1, "unit", known.unit)
    found["sd"] = found["sd"].where(found["n"] > 1)
    return found[["measure", "unit", *keys, "n", "missing", "mean", "sd", "min", "max"]]
