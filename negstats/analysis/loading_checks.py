"""Ten lines about a study by which a log that was read wrongly is seen at once.

A line is suspicious only for what no sound log has, or hardly any: each such value is counted and the first is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from negstats.analysis.answer_codes import FEWEST, SIDES, find_reversed_codes, format_number
from negstats.errors import shown
from negstats.sanitize import counted
from negstats.studies.study import Study

FEW = 6  # levels of a factor that are listed
FAR = 10.0  # interquartile ranges beyond the quartiles: a lone value out there is an error as a rule
SPARSE = 0.5  # share of missing cells
TOLERANCE = 1e-6  # points
CODES = (-1, -9, -99, 99, -999, 999, 9999)  # numbers that often mean missing
MANY_DAMAGED = 0.05  # of the games
OFFERS_MAPPED = "no row holds an offer, although the mapping names columns of offers"
FIVE = 5  # times as large, at least, is another order


@dataclass(frozen=True, slots=True)
class LoadingCheck:
    """One line: its subject, what is there, and what is suspicious about it.

    ``str(line)`` is the line as it is shown, with an exclamation mark before what is suspicious.
    """

    about: str
    text: str
    suspicious: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the line."""
        doubts = f" ({'; '.join(self.suspicious)})" if self.suspicious else ""
        return f"{'!' if self.suspicious else ' '} {self.about}: {self.text}{doubts}"


def check_loading(study: Study) -> list[LoadingCheck]:
    """Return the ten lines, always in this order.

    Examples
    --------
    >>> import negstats
    >>> for line in check_loading(negstats.load("datasets/sample"))[1:4]:
    ...     print(line)
      games: 36; agreement 36
      seats: 2 a game; 12 people, 3 games each
      kind: human 36, agent 36
    """
    return [make(study) for make in (_source, _games, _seats, _kinds, _factors, _points, _offers, _units, _time, _rest)]


def _source(study: Study) -> LoadingCheck:
    origin = study.provenance
    return LoadingCheck("source", f"{origin.loader}, {len(origin.sources)} files, {origin.rows_read:,} rows read")


def _games(study: Study) -> LoadingCheck:
    ends = study.games["ended"].value_counts()
    ends_text = ", ".join(f"{end} {count}" for end, count in ends.items())
    return LoadingCheck("games", f"{len(study.games):,}; {ends_text}" if ends_text else "0", tuple(_damaged(study)))


def _damaged(study: Study) -> Iterator[str]:
    """Yield how many games (or files, where each game has its own) were left out as damaged, where they are many."""
    counts = [re.fullmatch(r"(\d+) damaged (games|files) were excluded", note) for note in study.provenance.notes]
    for match in filter(None, counts):
        number, whole = int(match[1]), int(match[1]) + len(study.games)
        if number > MANY_DAMAGED * whole:
            yield f"{number} damaged {match[2]} were excluded, {number / whole:.0%}"


def _seats(study: Study) -> LoadingCheck:
    sizes = study.players.groupby("game_id", sort=False).size().reindex(study.games["game_id"], fill_value=0)
    people = study.players.drop_duplicates(["game_id", "participant_id"])["participant_id"].value_counts()
    each = _spread(people)
    people_text = (
        f"{counted(len(people), 'person')}, {each} {'game' if each == '1' else 'games'} each"
        if len(people)
        else "participants not identified"
    )
    doubts = ["not the same number in each game"] if sizes.nunique() > 1 else []
    known_seats = study.players.dropna(subset=["participant_id"])
    twice = known_seats[known_seats.duplicated(["game_id", "participant_id"])]
    if len(twice):
        games, first = twice["game_id"].nunique(), twice.iloc[0]
        doubts.append(f"one person in several seats of {counted(games, 'game')}, the first is {first['game_id']}")
    doubts += _find_spellings("role", study.players["role"])
    doubts += _find_people_twice(known_seats)
    return LoadingCheck("seats", f"{_spread(sizes) if len(sizes) else 'no'} a game; {people_text}", tuple(doubts))


def _kinds(study: Study) -> LoadingCheck:
    kinds = study.players["kind"].fillna("not known").value_counts()
    return LoadingCheck("kind", ", ".join(f"{kind} {count}" for kind, count in kinds.items()) or "nobody")


def _factors(study: Study) -> LoadingCheck:
    factor_texts: list[str] = []
    lone: list[str] = []
    for factor in study.factors:
        counts = study.games[factor].value_counts(sort=False)
        if counts.empty:
            continue
        has_few_levels = len(counts) <= FEW
        levels = (
            ", ".join(f"{level} {count}" for level, count in counts.items())
            if has_few_levels
            else f"{len(counts)} levels"
        )
        factor_texts.append(f"{factor} ({levels})")
        lone += _find_spellings(factor, counts.index.to_series())
        measured = len(counts) > 2 and bool(pd.to_numeric(counts.index.to_series(), errors="coerce").notna().all())
        if has_few_levels and len(counts) > 1 and not measured:  # numbers such as a sum of requests are no conditions
            lone += [f"{factor} {level} has one game" for level, count in counts.items() if count == 1]
    return LoadingCheck("factors", ", ".join(factor_texts) or "none", tuple(lone))


def _find_spellings(name: str, values: pd.Series) -> Iterator[str]:
    """Yield levels that differ in case or blanks alone, which count as two."""
    for levels in _group_spellings(values):
        yield f"{name}: {' and '.join(map(shown, levels))} differ in case or blanks alone"


def _group_spellings(values: pd.Series) -> list[list[str]]:
    """Return the texts of which several are one but for case and blanks."""
    spellings: dict[str, list[str]] = {}
    for level in values.dropna().unique():
        if isinstance(level, str):
            spellings.setdefault(" ".join(level.casefold().split()), []).append(level)
    return [levels for levels in spellings.values() if len(levels) > 1]


def _find_people_twice(seats: pd.DataFrame) -> Iterator[str]:
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
        ids_text = " and ".join(map(shown, doubtful[0]))
        yield f"{counted(len(doubtful), 'person')} may count as several: {ids_text} differ in case or blanks alone"


def _points(study: Study) -> LoadingCheck:
    points = study.players["points"]
    known_points = points.dropna()
    if known_points.empty:
        return LoadingCheck("points", "none" if len(points) else "no seats", tuple(_measure_codes(study)))
    text = f"n {len(known_points):,}, {1 - len(known_points) / len(points):.0%} missing, {_range(known_points)}"
    doubts = ["a single value"] if known_points.nunique() == 1 and len(known_points) > 1 else []
    low, high = (float(np.quantile(known_points, share)) for share in (0.25, 0.75))
    outliers = known_points[(known_points < low - FAR * (high - low)) | (known_points > high + FAR * (high - low))]
    if high > low and len(outliers) == 1:
        place = study.players.loc[outliers.index[0]]
        doubts.append(
            f"{format_number(outliers.iloc[0])} of {place['player']} in {place['game_id']} is far from all others"
        )
    doubts += _codes("points", known_points)
    infinite = int(np.isinf(known_points).sum())
    if infinite:
        doubts.append(f"{infinite} are infinite")
    return LoadingCheck("points", text, (*doubts, *_measure_codes(study)))


def _codes(name: str, values: pd.Series) -> Iterator[str]:
    """Yield which value may be a code for missing: -99 beside 0 to 59, apart from all others and more than once."""
    for code in CODES:
        count, others = int((values == code).sum()), values[values != code]
        if not count or not len(others):
            continue
        low, high = float(others.min()), float(others.max())
        is_outlying = max(low - code, code - high) > high - low  # -99 beside 0 to 59, and not 99 beside 0 to 98
        is_negative_code = count > 1 and code < 0 <= low  # -1 twice, and no other loss
        if is_outlying if abs(code) > 9 else is_negative_code:
            span = f"{format_number(low)} to {format_number(high)}"
            yield f"{count} of {len(values)} {name} are {code}, the others {span}: missing?"


def _measure_codes(study: Study) -> Iterator[str]:
    """Yield codes for missing in the numbers of games and offers that a mapping named."""
    for table in (study.games, study.offers):
        for name in (name for name in study.measures if name in table):
            values = pd.to_numeric(table[name], errors="coerce").dropna()
            yield from _codes(f"values of {name}", values.astype("float64"))


def _offers(study: Study) -> LoadingCheck:
    offers = study.offers
    if offers.empty:
        notes = " ".join(study.provenance.notes)
        return LoadingCheck(
            "offers", "none", ("the mapping names columns of offers",) if OFFERS_MAPPED in notes else ()
        )
    sizes = offers.groupby("game_id", sort=False).size()
    responses = offers["response"].value_counts()
    text = f"{len(offers):,}; {_spread(sizes)} a game; " + ", ".join(f"{name} {n}" for name, n in responses.items())
    acceptance_counts = offers.loc[offers["response"] == "accepted", "game_id"].value_counts()
    multiple_acceptances = acceptance_counts.index[acceptance_counts > 1]
    agreement_games = study.games.loc[study.games["ended"] == "agreement", "game_id"]
    games_without_acceptance = agreement_games[
        agreement_games.isin(sizes.index) & ~agreement_games.isin(acceptance_counts.index)
    ]
    # Simultaneous claims have no answers: there an agreement needs no accepted offer.
    answered_games = set(offers.loc[offers["response"] != "none", "game_id"])
    strange = games_without_acceptance[games_without_acceptance.isin(answered_games)]
    if len(games_without_acceptance) > len(strange):
        text += f"; {len(games_without_acceptance) - len(strange)} agreements on claims that nobody answers"
    doubts = [
        f"{len(games)} {what}, the first is {games.iloc[0]}"
        for games, what in (
            (pd.Series(multiple_acceptances), "games with several accepted offers"),
            (strange, "agreed games without an accepted offer"),
        )
        if len(games)
    ]
    return LoadingCheck("offers", text, (*doubts, *find_reversed_codes(study)))


def _units(study: Study) -> LoadingCheck:
    offers = study.offers
    unit_texts: list[str] = []
    doubts: list[str] = []
    for what in ("units", "value"):
        columns = [f"{what}_to_{side}" if what == "units" else f"{what}_{side}" for side in SIDES]
        both = offers[columns]
        known_values = pd.concat([both[column] for column in columns]).dropna()
        if known_values.empty:
            continue
        sums = both.sum(axis=1, skipna=False).dropna()
        is_constant = len(sums) > 0 and sums.max() - sums.min() <= TOLERANCE
        whole = f"both sides always {format_number(sums.iloc[0])}" if is_constant else "sums of both sides differ"
        unit_texts.append(f"{what} {_range(known_values)}; {whole if len(sums) else 'of one side only'}")
        if what == "units":
            doubts += _describe_rows(offers, (both < 0).any(axis=1), "offers with negative units")
            doubts += _describe_rows(offers, _is_above_total(study, both), "offers above the total")
            doubts += _unlike_totals(study, sums)
    doubts += _unlike_points(study)
    return LoadingCheck("units and values", "; ".join(unit_texts) or "none", tuple(doubts))


def _unlike_totals(study: Study, sums: pd.Series) -> Iterator[str]:
    """Yield that there was nothing to divide, or that totals of one scenario differ by powers of ten."""
    nothing = sums.abs() <= TOLERANCE
    if nothing.any() and not nothing.all():
        first = study.offers.loc[nothing.index[int(nothing.to_numpy().argmax())]]
        verb = "divides" if int(nothing.sum()) == 1 else "divide"
        offers = counted(int(nothing.sum()), "offer")
        yield f"{offers} {verb} nothing, the first is offer {first['offer']} of {first['game_id']}"
    scenario = study.offers["game_id"].map(study.games.set_index("game_id")["scenario"]).fillna("")
    for _, totals in sums[sums > TOLERANCE].groupby(scenario[sums.index]):
        counts = totals.round(6).value_counts()
        sizes = sorted(counts.index[counts >= FEWEST])
        if len(sizes) < 2 or len(sizes) > FEW:
            continue  # pies that vary from offer to offer are no slip of the scale
        powers = [larger / smaller for smaller, larger in pairwise(sizes)]
        if any(abs(power / 10 ** round(np.log10(power)) - 1) <= TOLERANCE and power > FIVE for power in powers):
            yield f"totals of {', '.join(map(format_number, sizes))} stand together: are units the same in all games?"


def _is_above_total(study: Study, both: pd.DataFrame) -> pd.Series:
    """Return which offers give a side more than both sides have together, where that is one number in a scenario."""
    scenario = study.games.set_index("game_id")["scenario"].fillna("").reindex(study.offers["game_id"]).to_numpy()
    sums = both.sum(axis=1, skipna=False).groupby(scenario)
    total = sums.transform("max").where(sums.transform("max") - sums.transform("min") <= TOLERANCE)
    return both.gt(total + TOLERANCE, axis=0).any(axis=1)


def _unlike_points(study: Study) -> Iterator[str]:
    """Yield how many deals are worth something else than the points, in games with one deal."""
    deals = study.offers[study.offers["response"] == "accepted"]
    deals = deals[~deals["game_id"].duplicated(keep=False)]
    agreement_games = study.games.loc[study.games["ended"] == "agreement", "game_id"]
    deals = deals[deals["game_id"].isin(agreement_games)]
    points = study.players.set_index(["game_id", "player"])["points"]
    differs = pd.Series(False, index=deals.index)
    for side in SIDES:
        keys = pd.MultiIndex.from_frame(deals[["game_id", side]])
        due = points.reindex(keys).to_numpy()
        differs |= (deals[f"value_{side}"] - due).abs() > TOLERANCE
    yield from _describe_rows(deals, differs, "accepted offers whose values are not the points")


def _time(study: Study) -> LoadingCheck:
    time_texts: list[str] = []
    doubts: list[str] = []
    for name, frame, order in (("offers", study.offers, "offer"), ("messages", study.messages, "message")):
        timed_rows = frame.dropna(subset=["time_s"])
        if timed_rows.empty:
            continue
        time_texts.append(
            f"{name} {format_number(timed_rows['time_s'].min())} to {format_number(timed_rows['time_s'].max())} s"
        )
        doubts += _describe_rows(timed_rows, timed_rows["time_s"] < 0, f"{name} before the game", order)
        back = timed_rows["time_s"].groupby(timed_rows["game_id"], sort=False).diff() < 0
        doubts += _describe_rows(timed_rows, back, f"{name} earlier than the one before", order)
    share = study.offers["time_share"].dropna()
    if len(share):
        time_texts.append(f"share {format_number(share.min())} to {format_number(share.max())}")
        is_outside = (study.offers["time_share"] < 0) | (study.offers["time_share"] > 1)
        doubts += _describe_rows(study.offers, is_outside, "shares of time outside 0 to 1")
    return LoadingCheck("time", "; ".join(time_texts) or "not recorded", tuple(doubts))


def _rest(study: Study) -> LoadingCheck:
    reasons = study.provenance.reasons()
    exclusions = ", ".join(f"{count} × {reason}" for reason, count in reasons.items()) or "nothing"
    cells = missing = 0
    for frame in study.tables.values():
        missing_counts = frame.isna().sum()
        partial_counts = missing_counts[missing_counts < len(frame)]
        cells, missing = cells + len(partial_counts) * len(frame), missing + int(partial_counts.sum())
    share = missing / cells if cells else 0.0
    text = (
        f"{exclusions}; {len(study.messages):,} messages, {len(study.answers):,} answers; {share:.0%} of cells missing"
    )
    return LoadingCheck("excluded", text, ("more than half of the cells in use are missing",) if share > SPARSE else ())


def _describe_rows(frame: pd.DataFrame, wrong: pd.Series, what: str, order: str = "offer") -> Iterable[str]:
    if not wrong.any():
        return ()
    first = frame.iloc[int(wrong.to_numpy().argmax())]
    return (f"{int(wrong.sum())} {what}, the first is {order} {first[order]} of {first['game_id']}",)


def _spread(values: pd.Series) -> str:
    """Return least, median and most; one number if they are the same."""
    low, middle, high = values.min(), values.median(), values.max()
    return format_number(low) if low == high else f"{format_number(low)}-{format_number(middle)}-{format_number(high)}"


def _range(values: pd.Series) -> str:
    return f"{format_number(values.min())} to {format_number(values.max())}, median {format_number(values.median())}"
