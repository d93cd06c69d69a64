"""What each measure is called in words, and the group under which lists show it, for drafts, reports and pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

OUTCOMES, FAIRNESS, OFFERS, COURSE = (
    "Outcomes",
    "Efficiency and fairness",
    "Offers and concessions",
    "Course and talk",
)
OWN, CODES = "Numbers and answers of this study", "Codes of the talk"
GROUPS = (OUTCOMES, OWN, FAIRNESS, OFFERS, COURSE, CODES)


@dataclass(frozen=True, slots=True)
class Name:
    """What a measure is called.

    Attributes
    ----------
    noun : str
        As it stands in a sentence; ``{whose}`` is its owner's.
    group : str
        One of `GROUPS`.
    is_plural : bool
        Whether the noun is a plural.
    """

    noun: str
    group: str
    is_plural: bool = False


NAMES: Mapping[str, Name] = {
    "points": Name("{whose} points", OUTCOMES, True),
    "joint_value": Name("joint value", OUTCOMES),
    "agreed": Name("agreement", OUTCOMES),
    "walked_away": Name("walking away", OUTCOMES),
    "reached_goal": Name("reaching the goal", OUTCOMES),
    "ended_with_commitment": Name("ending with a commitment", OUTCOMES),
    "units_to_responder": Name("the amount offered", OUTCOMES),
    "units_to_proposer": Name("the demand", OUTCOMES),
    "share_to_responder": Name("the share offered", OUTCOMES),
    "least_acceptable": Name("the least acceptable offer", OUTCOMES),
    "pareto_optimal": Name("Pareto optimality", FAIRNESS),
    "distance_to_frontier": Name("the distance to the Pareto frontier", FAIRNESS),
    "distance_to_nash": Name("the distance to the Nash point", FAIRNESS),
    "distance_to_kalai_smorodinsky": Name("the distance to the Kalai–Smorodinsky point", FAIRNESS),
    "distance_to_egalitarian": Name("the distance to the egalitarian point", FAIRNESS),
    "potential_realised": Name("the share of the potential realised", FAIRNESS),
    "logrolling": Name("logrolling", FAIRNESS),
    "conflict_opposition": Name("the conflict of priorities", FAIRNESS),
    "conflict_axelrod": Name("Axelrod's conflict of interest", FAIRNESS),
    "conflict_correlation": Name("the correlation of the two seats' values", FAIRNESS),
    "offers": Name("offers", OFFERS, True),
    "first_offer": Name("the value of {whose} first offer", OFFERS),
    "first_amount": Name("the amount of {whose} first offer", OFFERS),
    "concessions": Name("{whose} concessions", OFFERS, True),
    "competitiveness": Name("the competitiveness of {whose} offers", OFFERS),
    "generosity": Name("the generosity of {whose} offers", OFFERS),
    "benefit": Name("the benefit of {whose} offers to the proposer", OFFERS),
    "benefit_to_responder": Name("the benefit of {whose} offers to the responder", OFFERS),
    "concession_rate": Name("the share of concessions among {whose} steps", OFFERS),
    "fortunate_rate": Name("the share of fortunate steps among {whose} steps", OFFERS),
    "nice_rate": Name("the share of nice steps among {whose} steps", OFFERS),
    "selfish_rate": Name("the share of selfish steps among {whose} steps", OFFERS),
    "silent_rate": Name("the share of silent steps among {whose} steps", OFFERS),
    "unfortunate_rate": Name("the share of unfortunate steps among {whose} steps", OFFERS),
    "initiative": Name("{whose} share of proposals", OFFERS),
    "rounds": Name("rounds", COURSE, True),
    "duration_s": Name("time to the end", COURSE),
    "utterances": Name("utterances", COURSE, True),
    "words_per_utterance": Name("words per utterance", COURSE),
    "offer_share": Name("the share of messages with an offer", COURSE),
    "information_told": Name("{whose} statements", COURSE, True),
}
# Groups of registered measures that have no noun of their own.
_PREFIXES = (("fehr_schmidt", FAIRNESS), ("logrolling", FAIRNESS), ("first_amount", OFFERS), ("unliked", OFFERS))


def noun_of(measure: str) -> str | None:
    """Return what a measure is called in a sentence without its owner; None where it has no other name than its own.

    Examples
    --------
    >>> noun_of("units_to_responder"), noun_of("points"), noun_of("price")
    ('the amount offered', 'points', None)
    """
    name = NAMES.get(measure)
    return None if name is None else name.noun.replace("of {whose} first", "of the first").replace("{whose} ", "")


def label_of(measure: str) -> str:
    """Return what a measure is called in a list.

    Examples
    --------
    >>> label_of("distance_to_nash"), label_of("labels.small-talk"), label_of("games.price")
    ('Distance to the Nash point', 'Share of messages: small-talk', 'Price')
    """
    table, _, column = measure.rpartition(".")
    if table in ("labels", "replies"):
        return f"Share of {'messages' if table == 'labels' else 'replies'}: {column}"
    noun = re.sub(r"^(the|Axelrod's) ", "", noun_of(measure) or (column or measure).replace("_", " "))
    return noun[:1].upper() + noun[1:]


def group_of(measure: str) -> str:
    """Return the group under which a list shows a measure.

    Examples
    --------
    >>> group_of("points"), group_of("labels.small-talk"), group_of("price")
    ('Outcomes', 'Codes of the talk', 'Numbers and answers of this study')
    """
    from negstats.metrics import MEASURES

    if measure.startswith(("labels.", "replies.")):
        return CODES
    if measure in NAMES:
        return NAMES[measure].group
    group = next((group for prefix, group in _PREFIXES if measure.startswith(prefix)), None)
    return group or (COURSE if measure in MEASURES else OWN)
