"""The names that columns of logs often have, by the key of a mapping, and what their values must be."""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd

from negstats.loaders.mapping.columns import (
    are_amounts,
    are_dicts,
    are_few,
    are_named,
    are_numbers,
    are_talk,
    are_whole,
)

_END = r"(?:_?(?:u?uid|guid|id|nr|no|num|number|code|index|key|name|label))?"
_NO_OFFER = (
    r"(?!num|n_|count|(?:.*_)?(?:accepted|rejected|accept|reject|first|last|final|opening|initial|target|mean|time|rt|id|"
    r"min|max)(?:_|$))"
)
_NO_SEAT = r"(?!.*(?:joint|social))(?!(?:.*_)?(?:mean|avg|average|sum|sd|std|var|gini)_)"  # of several seats together
# The keys, the names that columns for them often have (the first that fits wins), and what their values must be.
CASES: list[tuple[str, list[str], Callable[[pd.Series], bool]]] = [
    (
        "players.participant_id",
        [
            rf"(.*_)?(participant|subject|worker|user|prolific|respondent|person|pid){_END}",
            r"(sub|subj|ppt|ppn|ss)(_?(id|nr|no|num|number|code|name|label|key))?",
            r"response_(id|code|key)",
            r"(players|people)_(id|code|key)",  # of a list of players
        ],
        are_named,
    ),
    ("players.role", [r"(.*_)?role"], are_few),
    ("players.agent", [r"(agent_)?(model|strategy|llm)(_(name|short|type))?|agent_(type|name)"], are_few),
    (
        "players.points",
        [
            r"player_payoff",
            rf"points|payoff|score|profit|{_NO_SEAT}(.*_)?utility|final_util(ity)?",
            rf"{_NO_SEAT}(?!.*(?:product|recaptcha))(.*_)?(points|payoff|score|earnings|reward|profit)",
        ],
        are_numbers,
    ),
    ("players.reached_goal", [r"(reached|achieved|attained)_(the_)?goal|goal_(reached|achieved|attained)"], are_few),
    ("players.batna", [r"(.*_)?(batna|reservation(_value|_point)?)"], are_numbers),
    (
        "games.started_at",
        [r"(.*_)?(started(_at)?|start_time|time_started(_utc)?)"],
        are_talk,
    ),
    ("games.scenario", [r"(.*_)?(scenario|domain)(_name|_id)?"], are_named),
    (
        "games.ended",
        [
            r"(game_)?(ended|outcome|end_reason|result)",
            r"(.*_)?(deal|agreement|agree|agreed|consensus)(_?(reached|made|yn|status))?|(reached|made)_(deal|agreement)"
            r"|(.*_)?(impasse|stalemate|deadlock|disagreement)",
        ],
        are_few,
    ),
    ("games.rounds", [r"((n|num|number_of|total|final|last)_)?(rounds|turns)(_(played|made|taken))?"], are_whole),
    ("offers.round", [r"(.*_)?(round|turn|step)(_?(number|nr|no|index))?"], are_whole),
    ("offers.time_s", [r"(?!.*duration)(.*_)?(seconds|elapsed(_time)?|time_s|secs?)", r"time(stamp)?"], are_numbers),
    ("offers.proposer", [rf"(.*_)?(proposer|offerer|bidder){_END}", r"from"], are_few),
    ("offers.responder", [rf"(.*_)?(responder|receiver|recipient){_END}", r"to"], are_named),
    (
        "offers.units_to_proposer",
        [
            rf"{_NO_OFFER}(.*_)?(to_proposer|keep|kept|demand(ed)?|request(ed)?|own_share|self|mine|unfairness)",
            r"amount",
        ],
        are_numbers,
    ),
    (
        "offers.units_to_responder",
        [
            rf"{_NO_OFFER}(.*_)?(to_responder|offer(ed)?|propose[ds]?|proposal|give|given|other_share|share|other|yours)",
            rf"{_NO_OFFER}(offer(ed)?|proposal)_?(size|amount|value|share|money|pct|percent|to_.*)|amount_(offered|given|sent)|(offer|proposal)_made|(made|own|my)_offer",
        ],
        are_numbers,
    ),
    (
        "offers.total",
        [r"(.*_)?(total|pie|stakes?|endowment|pie_size|sum|pot|budget|amount_to_split|total_amount)"],
        are_numbers,
    ),
    (
        "offers.accept_from",
        [
            r"(.*_)?(least_acceptable|(min(imum)?|smallest|lowest|least)_accept(able|ed|ance)?(_offer|_amount)?|min(imum)?_offer|mao|threshold|accept)"
        ],
        are_amounts,
    ),
    ("offers.value_proposer", [r"(.*_)?(value|utility)_proposer", r"proposer_(value|utility)"], are_numbers),
    ("offers.value_responder", [r"(.*_)?(value|utility)_responder", r"responder_(value|utility)"], are_numbers),
    ("offers.items", [r"(.*_)?(bid(_content)?|offer|items|allocation|content|proposal)", r".*"], are_dicts),
    (
        "offers.response",
        [
            r"(.*_)?(response|accepted|decision|choice|answer|agreed)",
            r"(.*_)?(accept(ance|ed)?|rejected|reject(ion)?|refused|declined|reply|resp|choice_made|deal|reaction)(_?(yn|dummy|bin))?",
        ],
        are_few,
    ),
    ("messages.text", [r"(.*_)?(text|messages?|utterances?|sentences?|chat|body)"], are_talk),
]
# What somebody decides alone: an amount that the other side gets, or that is a choice of some kind.
GIVEN = r"(.*_)?(give|given|gave|giving|gift|sent|send|transfer(red)?|donat(ed?|ion)|allocat(ed?|ion))"
DECIDED = [GIVEN, r"(.*_)?(choice|move|action|decision)"]
NAMES_BY_KEY = {key: patterns for key, patterns, _ in CASES}
_NOT_A_GAME = r"(?!.*(?:participant|player|subject|is_|in_group$))"  # participant.id_in_session, id_in_group
GAME = [
    rf"{_NOT_A_GAME}(.*_)?(game|negotiation|dyad|triad|committee|legislature|match|pair|dialog(ue)?|conversation|episode|bargaining){_END}",
    rf"{_NOT_A_GAME}(.*_)?group(_id_in_subsession)?{_END}",
    rf"{_NOT_A_GAME}(.*_)?session{_END}",
]
ROUND = [r"(.*_)?round(_?(number|nr|no))?"]
PERIOD = r"period(_?(number|nr|no))?"
PERSON = r"(.*_)?(age|gender|sex|education|nationality|native_language)"
TRAIT = rf"{PERSON}|(.*_)?(major|ethnicity|born|birth_?year)"  # of which a person has one
PLAYER = [
    rf"(.*_)?(id_in_group|seat|player|bidder|who|negotiator|speakers?|senders?|side|party|actor){_END}",
    rf"(.*_)?(agent|proposer|role){_END}",
]
EVENT = [r"(.*_)?(action|event|act|type|event_type|move|intent)s?"]
ROLE = r"(.*_)?role(_?(name|label))?"
# What is no issue of an offer, though it may change from one offer to the next.
NO_ISSUE = (
    r"(.*_)?(id|nr|no|number|index|time|timestamp|date|ms|seconds?|duration|emotion|mood|sentiment|intent|strategy|act|"
    r"tone|condition|treatment|kind|type|rating|confidence|trust|satisfaction|message|text|comment|round|turn|step)"
)
TRIAL = r"(.*_)?(trial|round|period|turn|question|item)(_?(number|nr|no|num|index|id))?"
BLOCK = r"(.*_)?(block|session|part|phase|run|task|game|condition|treatment|set|wave|day)(_?(number|nr|no|id))?"


def is_round(plain: str) -> bool:
    """Whether a column is called as a round is."""
    return any(re.fullmatch(pattern, plain) for pattern in ROUND)
