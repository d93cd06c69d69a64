"""The measures by name: what each is, what it needs, and its value for every game, seat or offer of a study.

``negstats describe --all`` lists them and ``negstats compare`` takes one by name. The functions behind them take frames
of any kind and more options; these take the study's tables and keep to the defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import narwhals as nw
import pandas as pd

from negstats.metrics import _amounts, acts, dialogue, efficiency, fairness, gains, issues, openings, steps
from negstats.metrics.definition import (
    ACTS,
    COURSE,
    DIVISION,
    FAIRNESS,
    OF_DEALS,
    OFFERS,
    OFFERS_MADE,
    OUTCOMES,
    POINTS,
    YES_NO,
    Measure,
    Need,
    Noun,
    Tables,
    either,
    has_no,
    having,
    known,
    rename_column,
)
from negstats.metrics.generosity import benefit, competitiveness, generosity
from negstats.metrics.outcomes import (
    CUSTOMER,
    IMPASSE,
    agreed,
    ended_with_commitment,
    joint_value,
    points,
    reached_goal,
    walked_away,
)
from negstats.metrics.own_numbers import answers_to, question_of, read_answers
from negstats.tables import TABLES


def _least_asked(tables: Tables) -> str | None:
    return answers_to(question_of(tables, "least_acceptable"))(tables)


def _some_step(tables: Tables) -> str | None:
    if isinstance(tables["offers"], pd.DataFrame):
        values = tables["offers"].dropna(subset=["value_proposer", "value_responder"])
        repeats = bool(values.duplicated(["game_id", "proposer"]).any())
    else:
        seats: Any = nw.from_native(tables["offers"]).lazy().drop_nulls(["value_proposer", "value_responder"])
        repeats = not has_no(
            seats.group_by("game_id", "proposer").agg(nw.len().alias("rows")).filter(nw.col("rows") > 1)
        )
    if repeats:
        return None
    return "no seat made two offers whose values are known, so there are no steps"


def _step_rates(tables: Tables) -> pd.DataFrame:
    return steps.step_rates(tables["offers"], tables["players"])


def _act_shares(tables: Tables) -> pd.DataFrame:
    return acts.act_shares(tables["messages"], tables["players"])


def _fehr_schmidt(parameters: str) -> Callable[[Tables], pd.DataFrame]:
    def compute(tables: Tables) -> pd.DataFrame:
        utilities = fairness.fehr_schmidt(tables["players"], parameters)
        return rename_column(utilities, "fehr_schmidt", f"fehr_schmidt_{parameters}")

    return compute


def _conflict(method: gains.Conflict) -> Callable[[Tables], pd.DataFrame]:
    return lambda tables: gains.conflict(tables["values"], tables["players"], method=method)


def _benefit_to_responder(tables: Tables) -> pd.DataFrame:
    benefits = benefit(tables["offers"], tables["players"], to="responder")
    return rename_column(benefits, "benefit", "benefit_to_responder")


_POINTS = known("players", "points")
_UNITS = (known("offers", "units_to_proposer"), known("offers", "units_to_responder"))
_VALUES = (known("offers", "value_proposer"), known("offers", "value_responder"))
_BATNA = known("players", "batna")
_DEALS = (known("values", "value"), having("offers", "response", "accepted"), known("items", "item"))
_BESIDE_DEALS = {"players": _BATNA, "games": known("games", "ended")}  # what a measure of deals needs of other tables


def _of_deals(
    name: str,
    unit: str,
    meaning: str,
    function: Callable[..., pd.DataFrame],
    *beside: str,
    noun: str = "",
    no_value: str = OF_DEALS,
) -> Measure:
    """Return a measure of the deal in its space of outcomes, from values, offers, items and the tables `beside`."""
    return Measure(
        name,
        "game",
        unit,
        meaning,
        (*_DEALS, *(_BESIDE_DEALS[table] for table in beside)),
        lambda tables: function(*(tables[table] for table in ("values", "offers", "items", *beside))),
        arrays=True,
        sources=(POINTS,),
        noun=Noun(noun, FAIRNESS),
        no_value=no_value,
    )


_CONFLICTS: tuple[tuple[gains.Conflict, str, str, tuple[Need, ...], str], ...] = (
    ("opposition", "distance", "how far the best outcome is from both seats' best, each seat's largest value as 1", (),
     "the conflict of priorities"),
    ("axelrod", "share of the square", "part of the square of gains that no individually rational outcome reaches",
     (_BATNA,), "Axelrod's conflict of interest"),
    ("correlation", "correlation", "correlation of the two seats' values over all outcomes", (),
     "the correlation of the two seats' values"),
)  # fmt: skip
STEP_NOUNS = {"concession": "the share of concessions among {whose} steps"}
_ENDS = [level for level in TABLES["games"]["ended"].levels if level != "unknown"]

_ALL = (
    Measure(
        "points",
        "player",
        "points",
        "the score at the end of the game",
        (_POINTS,),
        lambda t: points(t["players"]),
        row_by_row=True,
        sources=(POINTS,),
        noun=Noun("{whose} points", OUTCOMES, is_plural=True),
    ),
    Measure(
        "joint_value",
        "game",
        "points",
        "sum of the points of all seats",
        (_POINTS,),
        lambda t: joint_value(t["players"]),
        sources=(POINTS,),
        noun=Noun("joint value", OUTCOMES),
        no_value="where those of a seat are missing",
    ),
    Measure(
        "agreed",
        "game",
        YES_NO,
        "whether the game ended in agreement",
        (having("games", "ended", "agreement", *IMPASSE),),
        lambda t: agreed(t["games"]),
        row_by_row=True,
        sources=("games.ended",),
        noun=Noun("agreement", OUTCOMES),
    ),
    Measure(
        "walked_away",
        "game",
        YES_NO,
        "whether the game ended because somebody walked away",
        (having("games", "ended", *_ENDS),),
        lambda t: walked_away(t["games"]),
        row_by_row=True,
        sources=("games.ended",),
        noun=Noun("walking away", OUTCOMES),
    ),
    Measure(
        "rounds",
        "game",
        "rounds",
        "number of rounds played, as the study counts them",
        (known("games", "rounds"),),
        lambda t: t["games"],
        row_by_row=True,
        noun=Noun("the number of rounds", COURSE),
    ),
    Measure(
        "offers",
        "game",
        "offers",
        "number of offers made",
        (known("offers", "offer"),),
        lambda t: dialogue.offers_made(t["offers"], t["games"]),
        sources=(OFFERS_MADE,),
        noun=Noun("the number of offers", OFFERS),
    ),
    Measure(
        "duration_s",
        "game",
        "seconds",
        "time of the latest offer or message",
        (either(known("offers", "time_s"), known("messages", "time_s")),),
        lambda t: dialogue.duration(t["games"], messages=t.get("messages"), offers=t.get("offers")),
        noun=Noun("time to the end", COURSE),
    ),
    Measure(
        "competitiveness",
        "offer",
        "units",
        "units that the proposer would get minus those that the responder would get",
        _UNITS,
        lambda t: competitiveness(t["offers"]),
        row_by_row=True,
        sources=DIVISION,
        noun=Noun("the competitiveness of {whose} offers", OFFERS),
    ),
    Measure(
        "generosity",
        "offer",
        "units",
        "units that the responder would get minus those that the proposer would get",
        _UNITS,
        lambda t: generosity(t["offers"]),
        row_by_row=True,
        sources=DIVISION,
        noun=Noun("the generosity of {whose} offers", OFFERS),
    ),
    Measure(
        "units_to_responder",
        "offer",
        "units",
        "units that the offer gives the responder",
        (_UNITS[1],),
        lambda t: t["offers"],
        row_by_row=True,
        sources=DIVISION,
        noun=Noun("the amount offered", OUTCOMES),
    ),
    Measure(
        "units_to_proposer",
        "offer",
        "units",
        "units that the offer leaves the proposer: the demand",
        (_UNITS[0],),
        lambda t: t["offers"],
        row_by_row=True,
        sources=DIVISION,
        noun=Noun("the demand", OUTCOMES),
    ),
    Measure(
        "share_to_responder",
        "offer",
        "share of the total",
        "units to the responder as a share of both sides' units",
        _UNITS,
        _amounts.share_to_responder,
        row_by_row=True,
        sources=DIVISION,
        noun=Noun("the share offered", OUTCOMES),
        no_value="where nothing is divided",
    ),
    Measure(
        "first_amount",
        "player",
        "units",
        "units that the first offer gives the responder",
        (_UNITS[1],),
        lambda t: _amounts.select_one_offer(t, "units_to_responder", "first", "first_amount"),
        sources=DIVISION,
        noun=Noun("the amount of {whose} first offer", OFFERS),
    ),
    Measure(
        "least_acceptable",
        "player",
        "units",
        "the least amount that the seat would accept (strategy method)",
        (_least_asked,),
        lambda t: read_answers(t, question_of(t, "least_acceptable"), "least_acceptable"),
        noun=Noun("the least acceptable offer", OUTCOMES),
    ),
    Measure(
        "benefit",
        "offer",
        "points",
        "what the offer is worth to the proposer minus the proposer's BATNA",
        (_VALUES[0], _BATNA),
        lambda t: benefit(t["offers"], t["players"]),
        sources=("offers.value_proposer",),
        noun=Noun("the benefit of {whose} offers to the proposer", OFFERS),
    ),
    Measure(
        "benefit_to_responder",
        "offer",
        "points",
        "what the offer is worth to the responder minus the responder's BATNA",
        (_VALUES[1], _BATNA),
        _benefit_to_responder,
        sources=("offers.value_responder",),
        noun=Noun("the benefit of {whose} offers to the responder", OFFERS),
    ),
    _of_deals(
        "pareto_optimal",
        YES_NO,
        "whether no outcome gives every seat at least as much as the deal and one seat more",
        efficiency.pareto_optimal,
        noun="the Pareto optimality of deals",
    ),
    _of_deals(
        "distance_to_frontier",
        "points",
        "Euclidean distance from the deal to the nearest Pareto optimal outcome",
        efficiency.distance_to_frontier,
        noun="the distance of deals to the Pareto frontier",
    ),
    _of_deals(
        "distance_to_nash",
        "points",
        "Euclidean distance from the deal to the Nash point over the BATNAs",
        efficiency.distance_to_nash,
        "players",
        noun="the distance of deals to the Nash point",
    ),
    *(
        _of_deals(
            f"distance_to_{solution}",
            "points",
            f"Euclidean distance from the deal to the {named} point over the BATNAs",
            partial(efficiency.distance_to_solution, solution=solution),
            "players",
            noun=f"the distance of deals to the {named.replace('-', '–')} point",
        )
        for solution, named in (("kalai_smorodinsky", "Kalai-Smorodinsky"), ("egalitarian", "egalitarian"))
    ),
    _of_deals(
        "potential_realised",
        "share of the potential",
        "joint value above the BATNAs as a share of the largest possible; 0 without agreement",
        gains.potential_realised,
        "players",
        "games",
        noun="the share of the potential realised",
        no_value="",
    ),
    _of_deals(
        "logrolling",
        "share of the room",
        "joint value above the mean of all outcomes as a share of the largest possible",
        gains.logrolling,
        noun="logrolling in deals",
    ),
    _of_deals(
        "logrolling_by_issue",
        "share of the room",
        "logrolling over pairs of issues in which the seats value different issues more",
        issues.logrolling_by_issue,
        no_value="without such a pair",
    ),
    *(
        Measure(
            f"conflict_{kind}",
            "game",
            unit,
            meaning,
            (known("values", "value"), *needs),
            _conflict(kind),
            arrays=True,
            sources=("values.value",),
            noun=Noun(noun, FAIRNESS),
        )
        for kind, unit, meaning, needs, noun in _CONFLICTS
    ),
    Measure(
        "first_offer",
        "player",
        "points",
        "what the seat's first offer is worth to itself",
        (known("offers", "value_proposer"),),
        lambda t: openings.first_offers(t["offers"], t["players"]),
        sources=("offers.value_proposer",),
        noun=Noun("the value of {whose} first offer", OFFERS),
    ),
    *(
        Measure(
            f"{step}_rate",
            "player",
            "share of steps",
            f"share of {step} steps (Hindriks et al., 2007) among the seat's steps, tolerance {steps.TOLERANCE:g}",
            (*_VALUES, _some_step),
            _step_rates,
            sources=("steps between offers",),
            noun=Noun(STEP_NOUNS.get(step, f"the share of {step} steps among {{whose}} steps"), OFFERS),
        )
        for step in sorted(steps.STEPS)
    ),
    Measure(
        "reached_goal",
        "player",
        YES_NO,
        "whether the seat reached its goal",
        (known("players", "reached_goal"),),
        lambda t: reached_goal(t["players"]),
        row_by_row=True,
        sources=("players.reached_goal",),
        noun=Noun("reaching the goal", OUTCOMES),
    ),
    Measure(
        "ended_with_commitment",
        "game",
        YES_NO,
        "whether the last accepted offer was a commitment and the customer then reached the goal",
        (known("offers", "commitment"), having("players", "role", CUSTOMER), known("players", "reached_goal")),
        lambda t: ended_with_commitment(t["offers"], t["players"]),
        sources=("players.reached_goal",),
        noun=Noun("ending with a commitment", OUTCOMES),
    ),
    *(
        Measure(
            f"fehr_schmidt_{name}",
            "player",
            "points",
            f"Fehr-Schmidt utility of the points with alpha {alpha:g} and beta {beta:g}",
            (_POINTS,),
            _fehr_schmidt(name),
            sources=(POINTS,),
            noun=Noun("", FAIRNESS),
        )
        for name, (alpha, beta) in fairness.FEHR_SCHMIDT.items()
        if name != "selfish"  # these are the points
    ),
    Measure(
        "utterances",
        "game",
        "utterances",
        "number of messages with words; actions of a deal, such as submitting it, are not counted",
        (known("messages", "message"),),
        lambda t: dialogue.utterances(t["messages"], t["games"]),
        noun=Noun("the number of utterances", COURSE),
    ),
    Measure(
        "words_per_utterance",
        "game",
        "words",
        "mean number of words of an utterance, split on white space",
        (known("messages", "text"),),
        lambda t: dialogue.words_per_utterance(t["messages"], t["games"]),
        noun=Noun("words per utterance", COURSE),
    ),
    Measure(
        "offer_share",
        "game",
        "share of messages",
        "share of the messages that put an offer on the table",
        (having("messages", "act", *dialogue.OFFER_ACTS),),
        lambda t: dialogue.offer_share(t["messages"], t["games"]),
        sources=(OFFERS_MADE, ACTS),
        noun=Noun("the share of messages with an offer", COURSE),
    ),
    *(
        Measure(
            f"{act}_share",
            "player",
            "share of messages",
            f"share of the seat's messages with the act {act}",
            (having("messages", "act", act),),
            _act_shares,
            sources=(ACTS,),
        )
        for act in acts.DIALOGUE_ACTS
    ),
    Measure(
        "initiative",
        "player",
        "share",
        "the seat's share of the game's openings and counter-proposals",
        (having("messages", "act", "propose"),),
        lambda t: acts.initiative(t["messages"], t["players"]),
        sources=(ACTS,),
        noun=Noun("{whose} share of proposals", OFFERS),
    ),
    Measure(
        "information_told",
        "player",
        "statements",
        "number of different statements that the seat makes",
        (having("messages", "act", "state"),),
        lambda t: acts.information_told(t["messages"], t["players"]),
        sources=(ACTS,),
        noun=Noun("{whose} statements", COURSE, is_plural=True),
    ),
    *(
        Measure(
            name,
            "player",
            "offers",
            f"how often the seat {does} a single option of an issue that is worth no more than 0 to it",
            (having("messages", "act", "propose"), known("values", "option"), known("items", "option")),
            lambda t: acts.concessions(t["values"], t["offers"], t["items"]),
            noun=Noun(noun, OFFERS, is_plural=True),
        )
        for name, does, noun in (
            ("concessions", "accepts", "{whose} concessions"),
            ("unliked_proposals", "proposes", ""),
        )
    ),
)

MEASURES: dict[str, Measure] = {known_measure.name: known_measure for known_measure in _ALL}
