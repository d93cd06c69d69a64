"""Ten lines about a study by which a log that was read wrongly is seen at once.

A line is suspicious only for what no sound log has, or hardly any: each such value is counted and the first is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from negstats.plain import counted
from negstats.study import Study

__all__ = ["Line", "sanity"]

FEW = 6  # levels of a factor that are listed
FAR = 10.0  # interquartile ranges beyond the quartiles: a lone value out there is an error as a rule
SPARSE = 0.5  # share of missing cells
TOLERANCE = 1e-6  # points
_SIDES = ("proposer", "responder")


@dataclass(frozen=True, slots=True)
class Line:
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


def sanity(study: Study) -> list[Line]:
    """Return the ten lines, always in this order.

    Examples
    --------
    >>> import negstats
    >>> for line in sanity(negstats.load("datasets/sample"))[1:4]:
    ...     print(line)
      games: 36; agreement 36
      seats: 2 a game; 12 people with 3 games each
      kind: human 36, agent 36
    """
    return [make(study) for make in (_source, _games, _seats, _kinds, _factors, _points, _offers, _units, _time, _rest)]


def _source(study: Study) -> Line:
    origin = study.provenance
    return Line("source", f"{origin.loader}, {len(origin.sources)} files, {origin.rows_read:,} rows read")


def _games(study: Study) -> Line:
    ends = study.games["ended"].value_counts()
    told = ", ".join(f"{end} {count}" for end, count in ends.items())
    return Line("games", f"{len(study.games):,}; {told}" if told else "0")


def _seats(study: Study) -> Line:
    sizes = study.players.groupby("game_id", sort=False).size().reindex(study.games["game_id"], fill_value=0)
    people = study.players.drop_duplicates(["game_id", "participant_id"])["participant_id"].value_counts()
    each = _spread(people)
    known = (
        f"{counted(len(people), 'person')}, {each} {'game' if each == '1' else 'games'} each"
        if len(people)
        else "participants not identified"
    )
    doubt = ("not the same number in each game",) if sizes.nunique() > 1 else ()
    return Line("seats", f"{_spread(sizes) if len(sizes) else 'no'} a game; {known}", doubt)


def _kinds(study: Study) -> Line:
    kinds = study.players["kind"].fillna("not known").value_counts()
    return Line("kind", ", ".join(f"{kind} {count}" for kind, count in kinds.items()) or "nobody")


def _factors(study: Study) -> Line:
    told, lone = [], []
    for factor in study.factors:
        counts = study.games[factor].value_counts(sort=False)
        if counts.empty:
            continue
        few = len(counts) <= FEW
        levels = ", ".join(f"{level} {count}" for level, count in counts.items()) if few else f"{len(counts)} levels"
        told.append(f"{factor} ({levels})")
        measured = len(counts) > 2 and bool(pd.to_numeric(counts.index.to_series(), errors="coerce").notna().all())
        if few and len(counts) > 1 and not measured:  # numbers such as a sum of requests are no conditions
            lone += [f"{factor} {level} has one game" for level, count in counts.items() if count == 1]
    return Line("factors", ", ".join(told) or "none", tuple(lone))


def _points(study: Study) -> Line:
    points = study.players["points"]
    known = points.dropna()
    if known.empty:
        return Line("points", "none" if len(points) else "no seats")
    text = f"n {len(known):,}, {1 - len(known) / len(points):.0%} missing, {_range(known)}"
    doubts = ["a single value"] if known.nunique() == 1 and len(known) > 1 else []
    low, high = (float(np.quantile(known, share)) for share in (0.25, 0.75))
    far = known[(known < low - FAR * (high - low)) | (known > high + FAR * (high - low))]
    if high > low and len(far) == 1:
        place = study.players.loc[far.index[0]]
        doubts.append(f"{_number(far.iloc[0])} of {place['player']} in {place['game_id']} is far from all others")
    return Line("points", text, tuple(doubts))


def _offers(study: Study) -> Line:
    offers = study.offers
    if offers.empty:
        return Line("offers", "none")
    sizes = offers.groupby("game_id", sort=False).size()
    responses = offers["response"].value_counts()
    text = f"{len(offers):,}; {_spread(sizes)} a game; " + ", ".join(f"{name} {n}" for name, n in responses.items())
    accepted = offers.loc[offers["response"] == "accepted", "game_id"].value_counts()
    several = accepted.index[accepted > 1]
    agreed = study.games.loc[study.games["ended"] == "agreement", "game_id"]
    without = agreed[agreed.isin(sizes.index) & ~agreed.isin(accepted.index)]
    # Simultaneous claims have no answers: there an agreement needs no accepted offer.
    answered = set(offers.loc[offers["response"] != "none", "game_id"])
    strange = without[without.isin(answered)]
    if len(without) > len(strange):
        text += f"; {len(without) - len(strange)} agreements on claims that nobody answers"
    doubts = [
        f"{len(games)} {what}, the first is {games.iloc[0]}"
        for games, what in (
            (pd.Series(several), "games with several accepted offers"),
            (strange, "agreed games without an accepted offer"),
        )
        if len(games)
    ]
    return Line("offers", text, tuple(doubts))


def _units(study: Study) -> Line:
    offers = study.offers
    told: list[str] = []
    doubts: list[str] = []
    for what in ("units", "value"):
        columns = [f"{what}_to_{side}" if what == "units" else f"{what}_{side}" for side in _SIDES]
        both = offers[columns]
        known = pd.concat([both[column] for column in columns]).dropna()
        if known.empty:
            continue
        sums = both.sum(axis=1, skipna=False).dropna()
        same = len(sums) > 0 and sums.max() - sums.min() <= TOLERANCE
        whole = f"both sides always {_number(sums.iloc[0])}" if same else "sums of both sides differ"
        told.append(f"{what} {_range(known)}; {whole if len(sums) else 'of one side only'}")
        if what == "units":
            doubts += _named(offers, (both < 0).any(axis=1), "offers with negative units")
            doubts += _named(offers, _above(study, both), "offers above the total")
    doubts += _unlike_points(study)
    return Line("units and values", "; ".join(told) or "none", tuple(doubts))


def _above(study: Study, both: pd.DataFrame) -> pd.Series:
    """Return which offers give a side more than both sides have together, where that is one number in a scenario."""
    scenario = study.games.set_index("game_id")["scenario"].fillna("").reindex(study.offers["game_id"]).to_numpy()
    sums = both.sum(axis=1, skipna=False).groupby(scenario)
    total = sums.transform("max").where(sums.transform("max") - sums.transform("min") <= TOLERANCE)
    return both.gt(total + TOLERANCE, axis=0).any(axis=1)


def _unlike_points(study: Study) -> Iterator[str]:
    """Yield how many deals are worth something else than the points, in games with one deal."""
    deals = study.offers[study.offers["response"] == "accepted"]
    deals = deals[~deals["game_id"].duplicated(keep=False)]
    ended = study.games.loc[study.games["ended"] == "agreement", "game_id"]
    deals = deals[deals["game_id"].isin(ended)]
    points = study.players.set_index(["game_id", "player"])["points"]
    differs = pd.Series(False, index=deals.index)
    for side in _SIDES:
        keys = pd.MultiIndex.from_frame(deals[["game_id", side]])
        due = points.reindex(keys).to_numpy()
        differs |= (deals[f"value_{side}"] - due).abs() > TOLERANCE
    yield from _named(deals, differs, "accepted offers whose values are not the points")


def _time(study: Study) -> Line:
    told: list[str] = []
    doubts: list[str] = []
    for name, frame, order in (("offers", study.offers, "offer"), ("messages", study.messages, "message")):
        known = frame.dropna(subset=["time_s"])
        if known.empty:
            continue
        told.append(f"{name} {_number(known['time_s'].min())} to {_number(known['time_s'].max())} s")
        doubts += _named(known, known["time_s"] < 0, f"{name} before the game", order)
        back = known["time_s"].groupby(known["game_id"], sort=False).diff() < 0
        doubts += _named(known, back, f"{name} earlier than the one before", order)
    share = study.offers["time_share"].dropna()
    if len(share):
        told.append(f"share {_number(share.min())} to {_number(share.max())}")
        outside = (study.offers["time_share"] < 0) | (study.offers["time_share"] > 1)
        doubts += _named(study.offers, outside, "shares of time outside 0 to 1")
    return Line("time", "; ".join(told) or "not recorded", tuple(doubts))


def _rest(study: Study) -> Line:
    reasons = study.provenance.reasons()
    left = ", ".join(f"{count} × {reason}" for reason, count in reasons.items()) or "nothing"
    cells = missing = 0
    for frame in study.tables.values():
        gone = frame.isna().sum()
        used = gone[gone < len(frame)]
        cells, missing = cells + len(used) * len(frame), missing + int(used.sum())
    share = missing / cells if cells else 0.0
    text = f"{left}; {len(study.messages):,} messages, {len(study.answers):,} answers; {share:.0%} of cells missing"
    return Line("excluded", text, ("more than half of the cells in use are missing",) if share > SPARSE else ())


def _named(frame: pd.DataFrame, wrong: pd.Series, what: str, order: str = "offer") -> Iterable[str]:
    if not wrong.any():
        return ()
    first = frame.iloc[int(wrong.to_numpy().argmax())]
    return (f"{int(wrong.sum())} {what}, the first is {order} {first[order]} of {first['game_id']}",)


def _spread(values: pd.Series) -> str:
    """Return least, median and most; one number if they are the same."""
    low, middle, high = values.min(), values.median(), values.max()
    return _number(low) if low == high else f"{_number(low)}-{_number(middle)}-{_number(high)}"


def _range(values: pd.Series) -> str:
    return f"{_number(values.min())} to {_number(values.max())}, median {_number(values.median())}"


def _number(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.3g}"
