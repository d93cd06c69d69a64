"""Which outcome a draft asks about, and whose: ranked by what games are made of, never by what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import narwhals as nw

from negstats import metrics
from negstats.analysis.plan.roles import Role, role_of, words_of
from negstats.analysis.preregistration.study_view import StudyView
from negstats.errors import NegstatsError
from negstats.metrics.lookup import issue_measures

# What outcomes are called in the sentence of a question, where their names are not plain.
CALLED = {
    "units_to_responder": "the amount offered",
    "units_to_proposer": "the demand",
    "share_to_responder": "the share offered",
    "agreed": "agreement",
    "least_acceptable": "the least acceptable offer",
}
AMOUNTS = {"units_to_responder", "share_to_responder"}  # what somebody offers, and not what somebody has
_PARTNERS = {"agent", "computer", "human", "bot", "robot", "ai", "machine", "person", "people", "llm", "gpt", "mensch"}
# Numbers that say how long something took, or how often something happened: after those that say what came of it.
_OF_PROCESS = {
    "duration",
    "seconds",
    "minutes",
    "ms",
    "time",
    "elapsed",
    "rt",
    "latency",
    "count",
    "counts",
    "n",
    "marker",
    "length",
}
# What somebody chose to give to all or to one other: such games ask about the choice, and points follow from it.
_OF_CHOICE = {
    *("cont", "contrib", "contribution", "contributions", "contributed", "invest", "invested", "investment", "sent"),
    *("returned", "donated", "donation", "transfer", "transferred", "given", "extracted", "extraction", "harvest"),
}
_OF_OTHERS = {"partner", "partners", "other", "others", "opponent", "opponents", "group", "belief", "beliefs"}
# Numbers that games are set up with, or that people think before: after those too.
_OF_SETTING = {"listing", "list", "target", "budget", "initial", "start", "endowment", "reserve", "belief", "beliefs"}
# Numbers that say what games were worth: they come first.
_OF_RESULT = {"utility", "utilities", "welfare", "surplus", "gain", "gains", "profit", "efficiency", "wealth", "bonus"}
# Scales on which few values are usual; other whole numbers of few values are settings: 2, 5 or 10 items.
_OF_RATING = {"rating", "satisfaction", "trust", "fairness", "liking", "rapport", "anger", "happiness", "mood", "score"}
_FEW_VALUES, _MANY_GAMES = 6, 60
_AFTER_ENDS = 2  # ranks of numbers from here on come after how games ended
_NO_OUTCOME = {"technical setting", "order", "repetition", "quality flag", "trait", "different games", "data split"}


@dataclass(frozen=True, slots=True)
class OneOffer:
    """Games of one offer that is accepted or rejected: the measure of its size, its share, and who proposes.

    `chosen` is whether offers were made by people who propose, and not by an agent or by those who ran the study: then
    only responders are known. `answered` is whether some were accepted and others rejected.
    """

    amount: str
    share: str
    proposer: str | None
    responder: str | None
    chosen: bool
    answered: bool


def one_offer(looks: StudyView) -> OneOffer | None:
    """Return what games of a single offer are about; None if a game has more, or their amounts are not known.

    Where the whole that is divided is not known, the share is none, and the amount stands for it.
    """
    tables = looks.study.frames
    offers = nw.from_native(tables["offers"]).lazy()
    units = ["units_to_proposer", "units_to_responder"]
    counts = offers.group_by("game_id").agg(nw.len().alias("n")).select(nw.len().alias("games"), nw.col("n").max())
    answers = offers.filter(nw.col("response").is_in(["accepted", "rejected"]))
    answer_kinds = len(answers.select("response").unique().collect("pyarrow"))
    if answer_kinds == 1:
        return None  # deals, or refusals, and no decision between them
    of_interest = answers if answer_kinds else offers
    amounts = of_interest.drop_nulls("units_to_responder")
    total = (nw.col(units[0]) + nw.col(units[1])).round(6).alias("total")
    summary = (
        amounts.select(*units, total)
        .select(
            nw.len().alias("rows"), nw.col("total").count().alias("whole"), nw.col("total").n_unique().alias("pies")
        )
        .collect("pyarrow")
    )
    of_games = counts.collect("pyarrow")
    rows, whole, pies = (int(summary[name][0] or 0) for name in ("rows", "whole", "pies"))
    games, most = (int(of_games[name][0] or 0) for name in ("games", "n"))
    if most != 1 or rows < 0.8 * games:
        return None
    has_share = whole >= 0.8 * games
    seats = nw.from_native(tables["players"]).lazy().select("game_id", "player", "role", "kind", "participant_id")
    by = offers.select("game_id", "proposer", "responder")
    at = [
        by.join(seats.rename({"player": side}), on=["game_id", side])
        .select("role", "kind", (~nw.col("participant_id").is_null()).alias("known"))
        .unique()
        .collect("pyarrow")
        for side in ("proposer", "responder")
    ]
    roles = [set(side["role"].to_list()) for side in at]
    proposer, responder = (next(iter(summary)) if len(summary) == 1 else None for summary in roles)
    amount = "share_to_responder" if has_share and pies > 1 else "units_to_responder"
    share = "share_to_responder" if has_share else "units_to_responder"
    of_responders = answer_kinds > 1 and not any(at[0]["known"].to_list()) and any(at[1]["known"].to_list())
    chosen = "agent" not in at[0]["kind"].to_list() and not of_responders
    return OneOffer(amount, share, proposer, responder, chosen, answer_kinds > 1)


def own_outcomes(looks: StudyView) -> list[str]:
    """Return the numbers that a mapping names, and issues such as a price, that are outcomes by their name."""
    of_seats = [own.name for own in looks.study.provenance.measures if own.name not in looks.study.measures]
    issues = [name for name in issue_measures(looks.study.frames) if "." not in name]
    names = [
        name for name in dict.fromkeys([*looks.study.measures, *of_seats, *issues]) if name not in metrics.MEASURES
    ]
    names = [name for name in names if _is_there(looks, name)]
    names = [name for name in names if role_of(name, (), of_games=True).name not in _NO_OUTCOME]
    return sorted(names, key=lambda name: _rank_number(looks, name))


def _is_set_up(view: StudyView, name: str) -> bool:
    """Whether a number of many games takes few values, three at the least, as one that games are set up with does."""
    games = nw.from_native(view.study.frames["games"]).lazy()
    if name not in games.collect_schema() or role_of(name, (), of_games=True).name == "derived from the outcome":
        return False
    values = games.select(name).drop_nulls().collect("pyarrow")[name]
    return len(values) >= _MANY_GAMES and 2 < values.n_unique() <= _FEW_VALUES  # two may be yes and no


def _is_there(view: StudyView, name: str) -> bool:
    """Whether a measure of a mapping has numbers in this study."""
    try:
        return view.measure(metrics.column_of(view.study.frames, name)).lacking(view.study.frames) is None
    except NegstatsError:
        return False


def _rank_number(looks: StudyView, name: str) -> int:
    """Return the place of a number of the study's own among outcomes: what came of games first, how they went last."""
    words = words_of(name)
    if words & _OF_PROCESS:
        return _AFTER_ENDS + 1
    if words & (_OF_RESULT | _OF_CHOICE) and not words & _OF_OTHERS:
        return 0
    if words & _OF_SETTING or (not words & _OF_RATING and _is_set_up(looks, name)):
        return _AFTER_ENDS
    is_outcome = role_of(name, (), of_games=True).name == "derived from the outcome"
    return 0 if is_outcome or looks.measure(metrics.column_of(looks.study.frames, name)).yes_no else 1


def tells_partners(levels: Sequence[str]) -> bool:
    """Whether levels say whom people meet.

    Examples
    --------
    >>> tells_partners(["agent", "control"]), tells_partners(["CL", "FC"])
    (True, False)
    """
    return any(
        {word.removesuffix("s") for word in words_of(level)} & _PARTNERS and len(words_of(level)) <= 2
        for level in levels
    )


def outcomes(
    looks: StudyView, known: Sequence[str], offer: OneOffer | None, factor: str | None, levels: Sequence[str]
) -> list[str]:
    """Return the measures to ask about, the best first.

    What was offered comes first where each game is one offer by somebody who chose it, then what was contributed or
    invested, points, the study's own numbers, whether games agree, and last the numbers of how games were set up and
    how they went. An offer that nobody answers is the decision itself, whoever the partner is.
    """
    decides = offer is not None and offer.chosen and not (offer.answered and tells_partners(levels))
    amount = [offer.amount] if offer is not None and decides and factor is not None else []
    own = own_outcomes(looks)
    results = [name for name in own if _rank_number(looks, name) < _AFTER_ENDS]
    chosen = [name for name in results if words_of(name) & _OF_CHOICE and not words_of(name) & _OF_OTHERS]
    first = [
        *amount,
        *chosen,
        "points",
        *(name for name in results if name not in chosen),
        "agreed",
        *(name for name in own if name not in results),
    ]
    alike = _OF_ENDS if _end_alike(looks) else frozenset()
    varied = [name for name in known if name not in alike]
    first_names = [name for name in first if name in varied]
    return [*first_names, *(name for name in varied if name not in first_names)]


_OF_ENDS = frozenset({"agreed", "walked_away"})  # they follow from how a game ended


def _end_alike(view: StudyView) -> bool:
    """Whether all games ended in the same way, so that no question about that can be answered."""
    games = nw.from_native(view.study.frames["games"]).lazy()
    return len(games.select("ended").unique().collect("pyarrow")) < 2


def whose(
    looks: StudyView, measure: str, offer: OneOffer | None, factor: str | None, levels: Sequence[str], role: Role
) -> str | None:
    """Return whose values are asked about: of one seat, for the mean of all may be a constant.

    The seat that a factor names at its end (`behaviour_blue`); where people meet agents the people; where levels say
    whom somebody meets, the one who answers; else the role that opens.
    """
    definition = looks.measure(measure)
    if definition.per == "game":
        return None
    roles, kinds = looks.seats("role"), looks.seats("kind")
    if definition.per == "offer" and offer is not None and offer.proposer is not None:
        return offer.proposer
    if factor is not None and (seat_name := _find_seat(looks, factor)) is not None:
        return seat_name
    partners = factor is not None and tells_partners(levels)
    if partners and len(roles) > 1:
        return offer.responder if offer is not None and offer.responder else _answering(looks, roles)
    if len(kinds) > 1:
        return next(kind for kind in ("human", *kinds) if kind in kinds)
    is_of_games = factor in looks.study.factors
    has_side = role.name in ("condition", "trait") or (role.name == "agent or strategy" and is_of_games)
    return _opening(looks, roles) if has_side and len(roles) > 1 else None


def _find_seat(view: StudyView, factor: str) -> str | None:
    """Return the seat that the last word of a factor's name tells, if it tells one alone."""
    *first_words, last = [word.lower() for word in factor.replace("-", "_").split("_")]
    seats = view.seats("player") if first_words else []
    matches = [seat for seat in seats if last in words_of(seat)]
    return matches[0] if len(matches) == 1 and 2 <= len(seats) <= 8 else None


def _opening(view: StudyView, roles: Sequence[str]) -> str:
    """Return the role that makes the most of the first offers; the first of the roles if none is made."""
    first = _count_first_offers(view)
    return max(roles, key=lambda role: first.get(role, 0))


def _answering(view: StudyView, roles: Sequence[str]) -> str:
    """Return the role that makes the fewest of the first offers; the last of the roles if none is made."""
    first = _count_first_offers(view)
    return min(reversed(roles), key=lambda role: first.get(role, 0))


def _count_first_offers(view: StudyView) -> dict[str, int]:
    """Return how many of the first offers each role makes."""
    tables = view.study.frames
    offers = nw.from_native(tables["offers"]).lazy().filter(nw.col("offer") == 1).select("game_id", "proposer")
    seats = nw.from_native(tables["players"]).lazy().select("game_id", "player", "role").drop_nulls("role")
    first_offers = offers.join(seats, left_on=["game_id", "proposer"], right_on=["game_id", "player"])
    counts = first_offers.group_by("role").agg(nw.len().alias("n")).collect("pyarrow")
    return dict(zip(counts["role"].to_list(), counts["n"].to_list(), strict=True))
