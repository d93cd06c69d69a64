"""Ten lines about a study that show at once whether a log was read wrongly.

What is suspicious in them are records (`negstats.studies.suspicions`); here they become sentences.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from negstats.sanitize import counted
from negstats.studies.answer_codes import SIDES
from negstats.studies.participation import participation
from negstats.studies.records import Record, format_number, open_records, sentence
from negstats.studies.study import Study
from negstats.studies.suspicions import (
    FEW,
    TOLERANCE,
    agreed_without_acceptance,
    records_of,
    seats_per_game,
    share_missing,
)


@dataclass(frozen=True, slots=True)
class LoadingCheck:
    """One line: its subject, what is there, and what is suspicious about it.

    ``str(line)`` is the line as it is shown, with an exclamation mark before what is suspicious.
    """

    about: str
    text: str
    records: tuple[Record, ...] = ()

    @property
    def suspicious(self) -> tuple[str, ...]:
        """What is suspicious, in words."""
        return tuple(map(sentence, self.records))

    def __str__(self) -> str:
        """Return the line."""
        doubts = f" ({'; '.join(self.suspicious)})" if self.records else ""
        return f"{'!' if self.records else ' '} {self.about}: {self.text}{doubts}"


def check_loading(study: Study) -> list[LoadingCheck]:
    """Return the ten lines, always in this order, with the suspicions that nobody has answered.

    Examples
    --------
    >>> import negstats
    >>> for line in check_loading(negstats.load("datasets/sample"))[1:4]:
    ...     print(line)
      games: 36; agreement 36
      seats: 2 a game; 12 people, 3 games each
      kind: human 36, agent 36
    """
    unanswered = open_records(records_of(study), study.provenance.accepted)
    return [
        LoadingCheck(about, describe(study), tuple(record for record in unanswered if record.about == about))
        for about, describe in _LINES.items()
    ]


def _source(study: Study) -> str:
    origin = study.provenance
    return f"{origin.loader}, {len(origin.sources)} files, {origin.rows_read:,} rows read"


def _games(study: Study) -> str:
    ends = study.games["ended"].value_counts()
    ends_text = ", ".join(f"{end} {count}" for end, count in ends.items())
    return f"{len(study.games):,}; {ends_text}" if ends_text else "0"


def _seats(study: Study) -> str:
    sizes = seats_per_game(study)
    people = study.players.drop_duplicates(["game_id", "participant_id"])["participant_id"].value_counts()
    games_each = _spread(people)
    noun = {"simulated": "simulated player", "agents": "agent"}.get(participation(study), "person")
    people_text = (
        f"{counted(len(people), noun)}, {games_each} {'game' if games_each == '1' else 'games'} each"
        if len(people)
        else "participants not identified"
    )
    return f"{_spread(sizes) if len(sizes) else 'no'} a game; {people_text}"


def _kinds(study: Study) -> str:
    kinds = study.players["kind"].fillna("not known").value_counts()
    played = " (simulated)" if participation(study) == "simulated" else ""
    return ", ".join(f"{kind} {count}{played if kind == 'human' else ''}" for kind, count in kinds.items()) or "nobody"


def _factors(study: Study) -> str:
    factor_texts: list[str] = []
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
    return ", ".join(factor_texts) or "none"


def _points(study: Study) -> str:
    points = study.players["points"]
    known_points = points.dropna()
    if known_points.empty:
        return "none" if len(points) else "no seats"
    return f"n {len(known_points):,}, {1 - len(known_points) / len(points):.0%} missing, {_range(known_points)}"


def _offers(study: Study) -> str:
    offers = study.offers
    if offers.empty:
        return "none"
    sizes = offers.groupby("game_id", sort=False).size()
    responses = offers["response"].value_counts()
    text = f"{len(offers):,}; {_spread(sizes)} a game; " + ", ".join(f"{name} {n}" for name, n in responses.items())
    answered_games = set(offers.loc[offers["response"] != "none", "game_id"])
    claims = sum(game not in answered_games for game in agreed_without_acceptance(study))
    return text + (f"; {claims} agreements on claims that nobody answers" if claims else "")


def _units(study: Study) -> str:
    unit_texts: list[str] = []
    for what in ("units", "value"):
        columns = [f"{what}_to_{side}" if what == "units" else f"{what}_{side}" for side in SIDES]
        numbers = study.offers[columns]
        known_values = pd.concat([numbers[column] for column in columns]).dropna()
        if known_values.empty:
            continue
        sums = numbers.sum(axis=1, skipna=False).dropna()
        is_constant = len(sums) > 0 and sums.max() - sums.min() <= TOLERANCE
        whole = f"both sides always {format_number(sums.iloc[0])}" if is_constant else "sums of both sides differ"
        unit_texts.append(f"{what} {_range(known_values)}; {whole if len(sums) else 'of one side only'}")
    return "; ".join(unit_texts) or "none"


def _time(study: Study) -> str:
    time_texts: list[str] = []
    for name, frame in (("offers", study.offers), ("messages", study.messages)):
        times = frame["time_s"].dropna()
        if len(times):
            time_texts.append(f"{name} {format_number(times.min())} to {format_number(times.max())} s")
    share = study.offers["time_share"].dropna()
    if len(share):
        time_texts.append(f"share {format_number(share.min())} to {format_number(share.max())}")
    return "; ".join(time_texts) or "not recorded"


def _rest(study: Study) -> str:
    reasons = study.provenance.reasons()
    exclusions = ", ".join(f"{count} × {reason}" for reason, count in reasons.items()) or "nothing"
    counts = f"{len(study.messages):,} messages, {len(study.answers):,} answers"
    return f"{exclusions}; {counts}; {share_missing(study):.0%} of cells missing"


_LINES = {
    "source": _source,
    "games": _games,
    "seats": _seats,
    "kind": _kinds,
    "factors": _factors,
    "points": _points,
    "offers": _offers,
    "units and values": _units,
    "time": _time,
    "excluded": _rest,
}


def _spread(values: pd.Series) -> str:
    """Return least, median and most; one number if they are the same."""
    low, middle, high = values.min(), values.median(), values.max()
    return format_number(low) if low == high else f"{format_number(low)}-{format_number(middle)}-{format_number(high)}"


def _range(values: pd.Series) -> str:
    return f"{format_number(values.min())} to {format_number(values.max())}, median {format_number(values.median())}"
