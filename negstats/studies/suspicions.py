"""What is suspicious about the tables of a study: what no sound log has, or hardly any, each as a record.

Each such value is counted and the first is named; `negstats.studies.records` has the sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from negstats.studies.answer_codes import FEWEST, SIDES, find_reversed_codes
from negstats.studies.records import OF_TABLES, Record
from negstats.studies.study import Study

FEW = 6  # levels of a factor that are listed
FAR = 10.0  # interquartile ranges beyond the quartiles: a lone value out there is an error as a rule
SPARSE = 0.5  # share of missing cells
TOLERANCE = 1e-6  # points
CODES = (-1, -9, -99, 99, -999, 999, 9999)  # numbers that often mean missing
MANY_DAMAGED = 0.05  # of the games
FIVE = 5  # times as large, at least, is another order


def suspicions(study: Study) -> tuple[Record, ...]:
    """Return what is suspicious about a study in memory.

    Examples
    --------
    >>> import negstats
    >>> suspicions(negstats.load("datasets/sample"))
    ()
    """
    return tuple(record for find in _FINDERS for record in find(study))


def records_of(study: Study) -> tuple[Record, ...]:
    """Return the records of a study: those that its loader kept, and what is suspicious about its tables.

    The tables of a study in memory are looked at anew, so that one that an earlier version saved, or that was made by
    hand, is doubted too; of one whose rows stay with an engine it is what was stored when it was saved.
    """
    stored = study.provenance.records
    if not study.in_memory:
        return stored
    found_now = suspicions(study)
    return (*(record for record in stored if record.kind not in OF_TABLES), *found_now)


def _find_damaged(study: Study) -> Iterator[Record]:
    """Yield how many games (or files, where each game has its own) were left out as damaged, where they are many."""
    for record in study.provenance.records:
        if record.kind in ("damaged_games", "damaged_files") and record.count > MANY_DAMAGED * record.of:
            yield Record("many_damaged", record.kind.removeprefix("damaged_"), record.count, record.of)


def _find_seats(study: Study) -> Iterator[Record]:
    sizes = seats_per_game(study)
    if sizes.nunique() > 1:
        yield Record("seats_differ")
    known_seats = study.players.dropna(subset=["participant_id"])
    twice = known_seats[:0] if (sizes < 2).all() else known_seats[known_seats.duplicated(["game_id", "participant_id"])]
    if len(twice):
        yield Record("seats_of_one", "", twice["game_id"].nunique(), len(sizes), (str(twice.iloc[0]["game_id"]),))
    yield from _find_spellings("roles_spelled", "role", study.players["role"])
    yield from _find_people_twice(known_seats)


def seats_per_game(study: Study) -> pd.Series:
    """Return how many seats each game has."""
    return study.players.groupby("game_id", sort=False).size().reindex(study.games["game_id"], fill_value=0)


def _find_levels(study: Study) -> Iterator[Record]:
    for factor in study.factors:
        counts = study.games[factor].value_counts(sort=False)
        if counts.empty:
            continue
        yield from _find_spellings("levels_spelled", factor, counts.index.to_series())
        measured = len(counts) > 2 and bool(pd.to_numeric(counts.index.to_series(), errors="coerce").notna().all())
        if 1 < len(counts) <= FEW and not measured:  # numbers such as a sum of requests are not conditions
            for level, count in counts.items():
                if count == 1:
                    yield Record("lone_level", factor, 1, len(study.games), (str(level),))


def _find_spellings(kind: str, name: str, values: pd.Series) -> Iterator[Record]:
    """Yield levels that differ in case or blanks alone, which count as two."""
    for levels in _group_spellings(values):
        yield Record(kind, name, len(levels), values=tuple(levels))


def _group_spellings(values: pd.Series) -> list[list[str]]:
    """Return the texts of which several are one but for case and blanks, in the order in which they first stand."""
    if not pd.api.types.is_string_dtype(values):
        return []
    texts = pl.Series("text", pa.array(values, pa.large_string(), from_pandas=True)).drop_nulls().unique()
    plain = texts.str.to_uppercase().str.replace_all(r"\s+", " ").str.strip_chars()
    if plain.n_unique() == len(texts):  # as in nearly every study, however many people it has
        return []
    spellings = pl.DataFrame({"text": texts, "plain": plain}).filter(pl.col("plain").is_duplicated())
    places = {text: place for place, text in enumerate(dict.fromkeys(values.dropna()))}
    groups = spellings.group_by("plain").agg("text")["text"].to_list()
    return sorted((sorted(group, key=places.__getitem__) for group in groups), key=lambda group: places[group[0]])


def _find_people_twice(seats: pd.DataFrame) -> Iterator[Record]:
    """Yield how many people may count as two, because their ids differ in case or blanks alone: "P01" and "p01".

    Two ids that sit in one game are two people. So may be codes that mix capitals and small letters at random.
    """
    doubtful = []
    for ids in _group_spellings(seats["participant_id"]):
        games = seats.loc[seats["participant_id"].isin(ids), "game_id"]
        is_regular = all(name in (name.upper(), name.lower(), name.capitalize(), name.title()) for name in ids)
        if is_regular and not games.duplicated().any():
            doubtful.append(ids)
    if doubtful:
        yield Record("people_spelled", "", len(doubtful), values=tuple(doubtful[0]))


def _find_points(study: Study) -> Iterator[Record]:
    known_points = study.players["points"].dropna()
    if len(known_points):
        if known_points.nunique() == 1 and len(known_points) > 1:
            yield Record("points_single", "", len(known_points))
        low, high = (float(np.quantile(known_points, share)) for share in (0.25, 0.75))
        outliers = known_points[(known_points < low - FAR * (high - low)) | (known_points > high + FAR * (high - low))]
        if high > low and len(outliers) == 1:
            place = study.players.loc[outliers.index[0]]
            seat = (float(outliers.iloc[0]), str(place["player"]), str(place["game_id"]))
            yield Record("points_far", "players.points", 1, len(known_points), seat)
        yield from _find_codes("players.points", "points", known_points)
        infinite = int(np.isinf(known_points).sum())
        if infinite:
            yield Record("points_infinite", "players.points", infinite, len(known_points))
    for table, frame in (("games", study.games), ("offers", study.offers)):
        for name in (name for name in study.measures if name in frame):
            values = pd.to_numeric(frame[name], errors="coerce").dropna()
            yield from _find_codes(f"{table}.{name}", f"values of {name}", values.astype("float64"))


def _find_codes(place: str, what: str, values: pd.Series) -> Iterator[Record]:
    """Yield which value may be a code for missing: -99 beside 0 to 59, apart from all others and more than once."""
    for code in CODES:
        count, others = int((values == code).sum()), values[values != code]
        if not count or not len(others):
            continue
        low, high = float(others.min()), float(others.max())
        is_outlying = max(low - code, code - high) > high - low  # -99 beside 0 to 59, and not 99 beside 0 to 98
        is_negative_code = count > 1 and code < 0 <= low  # -1 twice, and no other loss
        if is_outlying if abs(code) > 9 else is_negative_code:
            yield Record("missing_code", place, count, len(values), (code, low, high, what))


def _find_offers(study: Study) -> Iterator[Record]:
    offers = study.offers
    if offers.empty:
        return
    # Simultaneous claims have no answers: there an agreement needs no accepted offer.
    answered_games = offers.loc[offers["response"] != "none", "game_id"]
    none_accepted = agreed_without_acceptance(study)
    for kind, games in (
        ("several_accepted", _several_accepted(study)),
        ("none_accepted", none_accepted[_stands_in(none_accepted, answered_games)]),
    ):
        if len(games):
            yield Record(kind, "offers.response", len(games), len(study.games), (str(games.iloc[0]),))
    yield from find_reversed_codes(study)


def _stands_in(values: pd.Series, others: pd.Series) -> np.ndarray:
    """Return which texts stand among others; pandas' own `isin` takes each of a million others by itself."""
    texts, among = (pa.array(column, pa.large_string(), from_pandas=True) for column in (values, others))
    return np.asarray(pc.is_in(texts, value_set=among, skip_nulls=True))


def _several_accepted(study: Study) -> pd.Series:
    # Where a game goes on after an exchange, to a goal or the end of its rounds, several are as it should be.
    agreed = study.games.loc[study.games["ended"] == "agreement", "game_id"]
    accepted = study.offers.loc[study.offers["response"] == "accepted", "game_id"]
    repeated = accepted[accepted.duplicated(keep=False)]
    return repeated[_stands_in(repeated, agreed)].value_counts().index.to_series()


def agreed_without_acceptance(study: Study) -> pd.Series:
    """Return the games with offers that ended in agreement and have no accepted offer."""
    offers = study.offers
    agreed = study.games.loc[study.games["ended"] == "agreement", "game_id"]
    accepted = offers.loc[offers["response"] == "accepted", "game_id"]
    without: pd.Series = agreed[_stands_in(agreed, offers["game_id"]) & ~_stands_in(agreed, accepted)]
    return without


def _find_units(study: Study) -> Iterator[Record]:
    offers = study.offers
    sides = offers[[f"units_to_{side}" for side in SIDES]]
    if sides.notna().to_numpy().any():
        sums = sides.sum(axis=1, skipna=False).dropna()
        yield from _first_row("units_negative", offers, (sides < 0).any(axis=1))
        yield from _first_row("units_above_total", offers, _is_above_total(study, sides))
        yield from _unlike_totals(study, sums)
    yield from _unlike_points(study)


def _unlike_totals(study: Study, sums: pd.Series) -> Iterator[Record]:
    """Yield that there was nothing to divide, or that totals of one scenario differ by powers of ten."""
    nothing = sums.abs() <= TOLERANCE
    if nothing.any() and not nothing.all():
        yield from _first_row("nothing_divided", study.offers.loc[nothing.index], nothing)
    scenario = study.offers["game_id"].map(study.games.set_index("game_id")["scenario"]).fillna("")
    for _, totals in sums[sums > TOLERANCE].groupby(scenario[sums.index]):
        counts = totals.round(6).value_counts()
        sizes = sorted(counts.index[counts >= FEWEST])
        if len(sizes) > FEW:
            continue  # pies that vary from offer to offer are not a slip of the scale
        powers = [larger / smaller for smaller, larger in pairwise(sizes)]
        if any(abs(power / 10 ** round(np.log10(power)) - 1) <= TOLERANCE and power > FIVE for power in powers):
            yield Record("totals_differ", "offers.units", int(counts.sum()), len(sums), tuple(map(float, sizes)))


def _is_above_total(study: Study, sides: pd.DataFrame) -> pd.Series:
    """Return which offers give a side more than both sides have together, where that is one number in a scenario."""
    scenario = study.games.set_index("game_id")["scenario"].fillna("").reindex(study.offers["game_id"]).to_numpy()
    sums = sides.sum(axis=1, skipna=False).groupby(scenario)
    total = sums.transform("max").where(sums.transform("max") - sums.transform("min") <= TOLERANCE)
    return sides.gt(total + TOLERANCE, axis=0).any(axis=1)


def _unlike_points(study: Study) -> Iterator[Record]:
    """Yield how many deals are worth something else than the points, in games with one deal."""
    deals = study.offers[study.offers["response"] == "accepted"]
    deals = deals[~deals["game_id"].duplicated(keep=False)]
    if deals.empty:
        return
    agreement_games = study.games.loc[study.games["ended"] == "agreement", "game_id"]
    deals = deals[_stands_in(deals["game_id"], agreement_games)]
    points = study.players.set_index(["game_id", "player"])["points"]
    differs = pd.Series(False, index=deals.index)
    for side in SIDES:
        keys = pd.MultiIndex.from_frame(deals[["game_id", side]])
        due = points.reindex(keys).to_numpy()
        differs |= (deals[f"value_{side}"] - due).abs() > TOLERANCE
    yield from _first_row("values_not_points", deals, differs)


def _find_times(study: Study) -> Iterator[Record]:
    for name, frame, order in (("offers", study.offers, "offer"), ("messages", study.messages, "message")):
        timed_rows = frame.dropna(subset=["time_s"])
        if timed_rows.empty:
            continue
        yield from _first_row("time_before_game", timed_rows, timed_rows["time_s"] < 0, name, order)
        back = timed_rows["time_s"].groupby(timed_rows["game_id"], sort=False).diff() < 0
        yield from _first_row("time_runs_back", timed_rows, back, name, order)
    is_outside = (study.offers["time_share"] < 0) | (study.offers["time_share"] > 1)
    yield from _first_row("time_share_outside", study.offers, is_outside)


def share_missing(study: Study) -> float:
    """Return the share of missing cells, in columns that hold something."""
    cells = missing = 0
    for frame in study.tables.values():
        missing_counts = frame.isna().sum()
        partial_counts = missing_counts[missing_counts < len(frame)]
        cells, missing = cells + len(partial_counts) * len(frame), missing + int(partial_counts.sum())
    return missing / cells if cells else 0.0


def _find_sparse(study: Study) -> Iterator[Record]:
    if share_missing(study) > SPARSE:
        yield Record("mostly_missing")


def _first_row(
    kind: str, frame: pd.DataFrame, wrong: pd.Series, place: str = "", order: str = "offer"
) -> Iterator[Record]:
    """Yield how many rows are wrong, and the game and number of the first."""
    if wrong.any():
        first = frame.iloc[int(wrong.to_numpy().argmax())]
        yield Record(kind, place, int(wrong.sum()), len(frame), (str(first["game_id"]), int(first[order]), order))


_FINDERS: Sequence[Callable[[Study], Iterator[Record]]] = (
    *(_find_damaged, _find_seats, _find_levels, _find_points, _find_offers, _find_units, _find_times, _find_sparse),
)
