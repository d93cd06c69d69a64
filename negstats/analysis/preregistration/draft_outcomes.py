"""What a study measures, and whose values are asked about: by how numbers came about, never by what came of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import pandas as pd

from negstats import metrics
from negstats.analysis.plan import fields
from negstats.analysis.plan.model import Kind
from negstats.analysis.preregistration.decisions import MOST_NUMBERS, Links, find_links, values_of_seats
from negstats.analysis.preregistration.number_evidence import describe_values
from negstats.analysis.preregistration.study_view import StudyView
from negstats.analysis.questions.frames import count, home
from negstats.analysis.questions.linked import LinkedGames
from negstats.analysis.questions.units import measured
from negstats.analysis.roles import TIMES, Role, role_of, words_of
from negstats.analysis.scales import decisions_of, scales_of
from negstats.errors import NegstatsError
from negstats.metrics.definition import Level
from negstats.metrics.labels import label_names
from negstats.metrics.lookup import issue_measures
from negstats.stats.results.numbers import ROUNDING

AMOUNTS = {"units_to_responder", "share_to_responder", "units_to_proposer"}  # what is offered or claimed, not had
_PARTNERS = {"agent", "computer", "human", "bot", "robot", "ai", "machine", "person", "people", "llm", "gpt", "mensch"}
MOST_LABELS = 12
FEWEST_ITEMS, MOST_ITEMS = 3, 12  # of a scale, and those of it whose range is looked at
_REGISTERED = {
    "points": "the points of a seat",
    "joint_value": "the joint value",
    "agreed": "how games ended",
    "walked_away": "how games ended",
    "reached_goal": "whether a goal was reached",
    "least_acceptable": "a decision of a person",
    "utterances": "the talk",
    "words_per_utterance": "the talk",
    "rounds": "the course of a game",
    "offers": "the course of a game",
    "duration_s": "the course of a game",
    "units_to_responder": "an amount",
    "share_to_responder": "an amount",
    "first_amount": "an amount",
}
# What names say of numbers, the first that holds; only ties are broken by it.
_NAMED: tuple[tuple[str, set[str]], ...] = (
    ("it is named as others' choice", {"partner", "partners", "other", "others", "opponent", "opponents", "group"}),
    ("it is named as a belief", {"belief", "beliefs", "expected", "expectation", "guess"}),
    ("it is named as measured before", {"pre", "pretest", "baseline", "before", "opening", "first"}),
    ("it is named as the course of a game", {
        *TIMES,
        *("onset", "count", "counts", "n", "marker", "length"),
    }),
    ("it is named as a setting", {"listing", "list", "target", "budget", "initial", "start", "endowment", "reserve"}),
    ("it is named as a choice", {
        *("choice", "decision"),
        *("cont", "contrib", "contribution", "contributions", "contributed", "invest", "invested", "investment"),
        *("sent", "returned", "donated", "donation", "transfer", "transferred", "given", "extracted", "extraction"),
        *("harvest", "cooperate", "cooperated", "wage", "effort", "gave"),
    }),
    ("it is named as a result", {
        *("utility", "utilities", "welfare", "surplus", "gain", "gains", "profit", "efficiency", "wealth", "bonus"),
    }),
)  # fmt: skip
_OTHERWISE = "it is named as "
_AS_OUTCOME = frozenset(f"{_OTHERWISE}{what}" for what in ("a choice", "a result", "an outcome"))
_LEAST = "least_acceptable"
_LINKED = frozenset({"points", "agreed", "units_to_responder"})  # of the registered ones, what is counted or decided
OF_MAPPING = "a number that the mapping names"
# How the values of what was set lie.
_OF_SETTINGS = frozenset({
    "its values occur equally often, as settings do",
    "its few values occur as often as if they were drawn",
    "it stands in blocks of games, as settings do",
    "units are alike in it, as in what they are shown",
})  # fmt: skip
_NO_OUTCOME = {"technical setting", "order", "repetition", "quality flag", "trait", "different games", "data split"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a study measures.

    Attributes
    ----------
    name, measure : str
        What a plan calls it, and what it is: a registered measure, or ``table.column``.
    per : {"game", "player", "offer"}
        What it has one value for.
    evidence : tuple of str
        What speaks for or against it, as `ranking.WEIGHTS` names it.
    yes_no : bool
        Whether it is 1 for yes and 0 for no.
    sources : tuple of str
        The numbers that it sums or rescales.
    kind, unit : str
        Of a number of the study's own.
    decisions : tuple of str
        The answers side by side that it is the mean of.
    replies_to : tuple of str
        Numbers of which it is given.
    """

    name: str
    measure: str
    per: Level
    evidence: tuple[str, ...]
    yes_no: bool = False
    sources: tuple[str, ...] = ()
    kind: Kind | None = None
    unit: str = ""
    decisions: tuple[str, ...] = ()
    replies_to: tuple[str, ...] = ()

    @property
    def is_own(self) -> bool:
        """Whether a plan has to say what it is."""
        return self.name != self.measure

    @property
    def is_named_otherwise(self) -> bool:
        """Whether its name says that it is none: a setting, a belief, or what was measured before."""
        return any(piece.startswith(_OTHERWISE) and piece not in _AS_OUTCOME for piece in self.evidence)


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


def one_offer(view: StudyView) -> OneOffer | None:
    """Return what games of a single offer are about; None if a game has more, or their amounts are not known.

    Where nobody answers, each seat may make one: all give at once. Where the whole that is divided is not known, the
    share is none, and the amount stands for it.
    """
    offers = view.study.frame("offers")
    units = ["units_to_proposer", "units_to_responder"]
    answers = offers.filter(nw.col("response").is_in(["accepted", "rejected"]))
    answer_kinds = len(answers.select("response").unique().collect("pyarrow"))
    if answer_kinds == 1:
        return None  # deals, or refusals, and no decision between them
    of_interest = answers if answer_kinds else offers
    is_claim = view.lacking("units_to_responder") is not None  # what is kept is told alone
    amount = "units_to_proposer" if is_claim else "units_to_responder"
    keys = ["game_id"] if answer_kinds else ["game_id", "proposer"]
    counts = offers.group_by(*keys).agg(nw.len().alias("n")).select(nw.len().alias("games"), nw.col("n").max())
    amounts = of_interest.drop_nulls(amount)
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
    places = [_find_seats(view, side) for side in ("proposer", "responder")]
    roles = [set(side["role"].to_list()) for side in places]
    proposer, responder = (next(iter(summary)) if len(summary) == 1 else None for summary in roles)
    share = "share_to_responder" if has_share else amount
    amount = share if pies > 1 else amount
    of_responders = answer_kinds > 1 and not any(places[0]["known"].to_list()) and any(places[1]["known"].to_list())
    chosen = "agent" not in places[0]["kind"].to_list() and not of_responders
    return OneOffer(amount, share, proposer, responder, chosen, answer_kinds > 1)


def _find_seats(view: StudyView, side: str) -> Any:
    """Return the seats of one side of offers: their roles and kinds, and whether somebody is known in them."""
    seats = view.study.frame("players").select("game_id", "role", "kind", "participant_id", **{side: "player"})
    by = view.study.frame("offers").select("game_id", side).join(seats, on=["game_id", side])
    return by.select("role", "kind", known=~nw.col("participant_id").is_null()).unique().collect("pyarrow")


def find_outcomes(view: StudyView, offer: OneOffer | None, linked_games: LinkedGames) -> list[Outcome]:
    """Return what a study measures, each outcome with what speaks for and against it.

    Registered measures come first, then the numbers that a mapping names and issues such as a price, then answers, then
    codes of the talk. Of several forms of one number (an amount, its share, the demand) one is the decision.
    """
    tables = view.study.frames
    # Where each game has one seat its points are the joint value.
    registered = [name for name in view.measures if name != "joint_value" or not view.has_one_seat]
    # Of one offer that is answered a rejection is no walking away, and the first offer is the offer.
    registered = [name for name in registered if offer is None or name not in _OF_SEVERAL_OFFERS]
    outcomes = [_build_registered(view, name, offer) for name in registered]
    own_names = dict.fromkeys(
        [
            *view.study.measures,
            *(own.name for own in view.study.provenance.measures),
            *(name for name in issue_measures(tables) if "." not in name),
        ]
    )
    own = dict.fromkeys(_in_order(own_names), OF_MAPPING)
    own |= {question: evidence for question, evidence in _find_rated(view) if question not in own}
    in_scales = {item for items in scales_of(view.study).values() for item in items}
    outcomes += [
        _build_own(view, name, evidence, linked_games)
        for name, evidence in own.items()
        if name not in registered and name not in in_scales and _is_there(view, name)
    ]
    # A mean follows from what it is taken of, by no rule of the game.
    links = _find_links(view, [outcome for outcome in outcomes if not outcome.decisions])
    items = _find_items(view, outcomes)
    outcomes = [_place_among_others(outcome, links, items) for outcome in outcomes]
    if count(view.study.frame("messages").head(1)):
        labels = label_names(view.study.frames["messages"])[:MOST_LABELS]
        codes = [_build_own(view, f"labels.{label}", "a code of the talk", linked_games) for label in labels]
        outcomes += [code for code in codes if _can_name(code.name)]
    return outcomes


def _place_among_others(outcome: Outcome, links: Links, items: Collection[str]) -> Outcome:
    """Return an outcome with what it is among the others."""
    evidence = (*outcome.evidence, *_say_among_others(outcome, links, items))
    replies_to = tuple(sorted(whole for part, whole in links.replies if part == outcome.name))
    return replace(outcome, evidence=evidence, replies_to=replies_to)


def _say_among_others(outcome: Outcome, links: Links, items: Collection[str]) -> Iterator[str]:
    """Yield what an outcome is among the others: an item, a mean, or what follows from them or they from it."""
    if outcome.name in items:
        yield "it is one of many items"
    if outcome.decisions:
        yield "it is the mean of decisions side by side"
    if outcome.is_own and outcome.name in links.results:
        yield "it follows from what is chosen"
    if outcome.is_own and outcome.name in links.choices and _OF_SETTINGS.isdisjoint(outcome.evidence):
        yield "other numbers follow from it"


def series_name(name: str) -> str:
    """Return what the items of a scale, or decisions one after the other, share: the name without its numbers."""
    return re.sub(r"\d+", "#", name)


def _find_items(view: StudyView, outcomes: Sequence[Outcome]) -> set[str]:
    """Return the outcomes of which several have one stem and one range: each tells less than a lone outcome."""
    families: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.is_own and series_name(outcome.name) != outcome.name:
            families.setdefault((series_name(outcome.name), outcome.evidence[0]), []).append(outcome)
    return {
        item.name
        for family in families.values()
        if len(family) >= FEWEST_ITEMS and _have_one_range(view, family[:MOST_ITEMS])
        for item in family
    }


def _have_one_range(view: StudyView, items: Sequence[Outcome]) -> bool:
    """Whether each of some numbers reaches over more than half of the range of all."""
    value = nw.col("value")
    ranges = []
    for item in items:
        values = measured(view.study, view.measure(item.measure), None).filter(~value.is_null())
        summary = home(values.select(value.min().alias("least"), value.max().alias("most")))
        ranges.append((float(summary["least"].iloc[0]), float(summary["most"].iloc[0])))
    whole = max(most for _, most in ranges) - min(least for least, _ in ranges)
    return all(most - least > whole / 2 for least, most in ranges)


def range_of(values: nw.LazyFrame[Any]) -> float | None:
    """Return the largest minus the smallest value, 0 if they differ by their rounding alone; None if there is none."""
    ends = home(values.select(nw.col("value").min().alias("low"), nw.col("value").max().alias("high")))
    low, high = ends["low"].iloc[0], ends["high"].iloc[0]
    return None if pd.isna(low) or pd.isna(high) else _subtract(float(high), float(low), max(abs(low), abs(high)))


def _subtract(high: float, low: float, size: float) -> float:
    """Return a difference; 0 where it is the rounding of numbers of some size."""
    spread = high - low
    return spread if spread > ROUNDING * size else 0.0


def range_of_deals(view: StudyView) -> float | None:
    """Return the range of the joint value of games that agreed; None where it is not known of any."""
    agreement_games = view.study.frame("games").filter(nw.col("ended") == "agreement").select("game_id")
    return range_of(measured(view.study, view.measure("joint_value"), None).join(agreement_games, on="game_id"))


def separate_seats(view: StudyView, outcome: Outcome) -> list[str]:
    """Return two roles, or people and agents, whose values differ in their own ways; none where a sum is constant."""
    roles, kinds = view.seats("role"), view.seats("kind")
    if not is_result_of_seats(outcome):
        return []
    if len(kinds) > 1:
        sides = kinds if len(kinds) == 2 and view.has_both("kind") else []
    else:
        sides = roles if len(roles) == 2 else []
    return sides if sides and range_of_sums(view, outcome) else []


def range_of_sums(view: StudyView, outcome: Outcome) -> float | None:
    """Return the range of what the seats of a game have together; None where it is not known of any game.

    Of points it is that of games that agreed, if any did. Sums that differ by their rounding alone have the range 0.
    """
    if "players.points" in outcome.sources:
        if view.lacking("joint_value") is not None:
            return None
        of_deals = range_of_deals(view)
        return range_of(measured(view.study, view.measure("joint_value"))) if of_deals is None else of_deals
    value = nw.col("value")
    values = measured(view.study, view.measure(outcome.measure)).filter(~value.is_null())
    sums = values.group_by("game_id").agg(value.sum(), size=value.abs().sum(), n=nw.len()).filter(nw.col("n") == 2)
    ends = home(sums.select(low=value.min(), high=value.max(), size=nw.col("size").max())).iloc[0]
    if pd.isna(ends["low"]):
        return None
    return _subtract(float(ends["high"]), float(ends["low"]), float(ends["size"]))


def _find_links(view: StudyView, outcomes: Sequence[Outcome]) -> Links:
    """Return which of the study's numbers follow from others, and from which."""
    if not view.study.in_memory:
        return Links()
    looked_at = [outcome for outcome in outcomes if outcome.is_own or outcome.name in _LINKED][:MOST_NUMBERS]
    columns = {outcome.name: home(measured(view.study, view.measure(outcome.measure), None)) for outcome in looked_at}
    seats = home(view.study.frame("players").select("game_id", "player"))
    if seats["game_id"].nunique() < view.games:  # where nobody sits anywhere each game is one row
        seats = home(view.study.frame("games").select("game_id")).assign(player="")
    return find_links(values_of_seats(columns, seats), [outcome.name for outcome in looked_at if _is_result(outcome)])


def _is_result(outcome: Outcome) -> bool:
    """Whether an outcome beside choices is called as their result, such as a payoff."""
    of_results = {"it is named as a result", "it is named as an outcome", "it is named as others' choice"}
    return outcome.name == "points" or not of_results.isdisjoint(outcome.evidence)


def _build_registered(view: StudyView, name: str, offer: OneOffer | None) -> Outcome:
    definition = view.measure(name)
    pieces: tuple[str, ...]
    evidence = _REGISTERED.get(name, "derived from other numbers")
    if name == "units_to_proposer" and view.lacking("units_to_responder") is not None:
        evidence = "an amount"
    if offer is not None and name == (offer.amount if offer.chosen else "agreed" if offer.answered else None):
        evidence = "a decision of a person"
    elif offer is not None and not offer.chosen and name in AMOUNTS:
        evidence = "an amount that those who answer did not choose"
    if name in _OF_ENDS and _end_alike(view):
        evidence = "all games ended alike"
    if name in _NEGOTIATED and offer is None and not view.has_one_seat and not _end_alike(view):
        pieces = (evidence, "seats have agreed on it, or have not")
    else:
        pieces = (evidence,)
    return Outcome(name, name, definition.per, pieces, definition.yes_no, definition.sources)


def _build_own(view: StudyView, name: str, evidence: str, linked_games: LinkedGames) -> Outcome:
    """Return an outcome of the study's own: what it is, what its name says, and how its values lie."""
    measure = name if name.startswith("labels.") else metrics.column_of(view.study.frames, name)
    definition = view.measure(measure)
    kinds: dict[str | None, Kind] = {"ordered": "ordered", "count": "count"}
    kind = "yes/no" if definition.yes_no else kinds.get(definition.kind)
    words = words_of(name)
    named = [text for text, of_name in _NAMED if words & of_name][:1]
    role = role_of(name, (), of_games=True).name
    if not named and role == "derived from the outcome":
        named = ["it is named as an outcome"]
    elif not named and role in _NO_OUTCOME:
        named = [f"it is named as a {role}"]
    decisions = decisions_of(view.study).get(name, ())
    # Ratings and codes are not settings, and a mean lies as no number does that was set.
    is_number = evidence == OF_MAPPING and not decisions
    lie = describe_values(view, measure, linked_games) if is_number else ()
    # A column that is called as a measure which the study has not the tables for is another number.
    plan_name = f"{name}_in_log" if name in metrics.MEASURES else name
    own = Outcome(plan_name, measure, definition.per, (evidence, *named, *lie), definition.yes_no, (measure,))
    return replace(own, kind=kind, unit=definition.unit, decisions=decisions)


def _find_rated(view: StudyView) -> Iterator[tuple[str, str]]:
    """Yield the questions that are answered by numbers, and whether they are about a game or about a person."""
    if not count(view.study.frame("answers").head(1)):
        return
    answers = view.study.frame("answers").filter(~nw.col("answer").is_null())
    of_games = nw.when(~nw.col("game_id").is_null()).then(1).otherwise(0).sum().alias("of_games")
    counts = home(answers.group_by("question").agg(of_games)).sort_values("question")
    games_by_question = dict(zip(counts["question"].map(str), counts["of_games"], strict=True))
    to_amounts = _find_answers_to_amounts(view) if _LEAST in games_by_question else set()
    for question in _in_order(games_by_question):
        games = games_by_question[question]
        is_trait = role_of(question, (), of_games=False).name == "trait"
        if _can_name(question) and question not in to_amounts:
            about = "an answer about the game" if games and not is_trait else "an answer about the person"
            yield question, about


def _in_order(names: Collection[str]) -> list[str]:
    """Return names as they come, but those of one series by their numbers."""
    firsts: dict[str, int] = {}
    for place, name in enumerate(names):
        firsts.setdefault(series_name(name), place)
    numbers = {name: [int(number) for number in re.findall(r"\d+", name)] for name in names}
    return sorted(names, key=lambda name: (firsts[series_name(name)], numbers[name]))


def _find_answers_to_amounts(view: StudyView) -> set[str]:
    """Return the questions of yes and no that the least acceptable amount answers: who says no needs more of all."""
    answers = home(view.study.frame("answers").select("participant_id", "game_id", "question", "answer"))
    answers["answer"] = pd.to_numeric(answers["answer"], errors="coerce")
    is_least = answers["question"] == _LEAST
    least = answers[is_least].drop(columns="question").rename(columns={"answer": "least"})
    both = answers[~is_least].merge(least, on=["participant_id", "game_id"])
    return {
        str(question)
        for question, rows in both.groupby("question")
        if rows["answer"].isin([0, 1]).all()
        and not rows.loc[rows["answer"] == 1, "least"].max() >= rows.loc[rows["answer"] == 0, "least"].min()
    }


def _can_name(text: str) -> bool:
    """Whether a plan can hold a name."""
    try:
        fields.name(text)
    except fields.PlanFault:
        return False
    return True


def _is_there(view: StudyView, name: str) -> bool:
    """Whether a number of the study's own has values."""
    try:
        return view.measure(metrics.column_of(view.study.frames, name)).lacking(view.study.frames) is None
    except NegstatsError:
        return False


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


_OF_ENDS = frozenset({"agreed", "walked_away"})  # they follow from how a game ended
_OF_SEVERAL_OFFERS = frozenset({"walked_away", "first_amount"})
_NEGOTIATED = frozenset({"points", "joint_value"})


def _end_alike(view: StudyView) -> bool:
    """Whether all games ended in the same way, so that no question about that can be answered."""
    games = nw.from_native(view.study.frames["games"]).lazy()
    return len(games.select("ended").unique().collect("pyarrow")) < 2


def is_result_of_seats(outcome: Outcome) -> bool:
    """Whether each seat of a game has its own value: its points, or a number of seats that the mapping names."""
    return "players.points" in outcome.sources or (outcome.per == "player" and OF_MAPPING in outcome.evidence)


def whose(
    view: StudyView, outcome: Outcome, offer: OneOffer | None, factor: str | None, levels: Sequence[str], role: Role
) -> str | None:
    """Return whose values are asked about; None for all that there are.

    Of points, and of numbers of seats that the mapping names as measures, those of one seat, for the mean of all may be
    a constant: the seat that a factor's name begins or ends with (`behaviour_blue`), or whose agents it names; where
    people meet agents the people; where levels say whom somebody meets, the one who answers; else the role that opens.
    Of other numbers the people, where they meet agents.
    """
    if outcome.per == "game":
        return None
    roles, kinds = view.seats("role"), view.seats("kind")
    if outcome.per == "offer" and offer is not None and offer.proposer is not None:
        return offer.proposer
    if factor is not None and (seat_name := _find_seat(view, factor)) is not None:
        return seat_name
    if factor is not None and is_result_of_seats(outcome) and (seat_name := view.seat_of(factor)) is not None:
        return seat_name
    is_result = is_result_of_seats(outcome)
    if is_result and factor is not None and tells_partners(levels) and len(roles) > 1:
        return offer.responder if offer is not None and offer.responder else _answering(view, roles)
    if len(kinds) > 1:
        return next(kind for kind in ("human", *kinds) if kind in kinds)
    has_side = role.name in ("condition", "factor of the games", "trait") or (
        role.name == "agent or strategy" and factor in view.study.factors
    )
    if not (is_result and has_side):
        return None
    seats = [] if roles else view.seats("player")
    if len(seats) == 2 and range_of_sums(view, outcome) == 0:
        return seats[0]  # the mean of both is a constant
    return _opening(view, roles) if len(roles) > 1 else None


def _find_seat(view: StudyView, factor: str) -> str | None:
    """Return the seat that the first or the last word of a factor's name tells, if it tells one alone."""
    words = [word.lower() for word in factor.replace("-", "_").split("_")]
    seats = view.seats("player") if len(words) > 1 else []
    matches = [seat for seat in seats if {words[0], words[-1]} & words_of(seat)]
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
