"""Names of columns and levels that break ties, in the languages that `negstats.english` knows.

A name is worth at most as much as one or two regularities of the data.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from negstats.english import english_name, plain_name
from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.spellings import level_of

ROUND = "{round}"  # stands in the names of columns that were unfolded into rows for what told them apart

ROLE_WORDS: dict[str, frozenset[str]] = {
    role: frozenset(words.split())
    for role, words in {
        "person": "subject participant person client clientid worker pid vp respondent user sub subj prolific "
        "responseid participantid response_id teilnehmer userid sub_name id",
        "game": "game pair dyad triad match room negotiation dialogue dialog team negotiationid committee config run "
        "conversation gameid paar",
        "order": "wave trial round period block task turn time seq order step number exchange minute t message",
        "condition": "condition treatment arm medium frame framing policy opponent partner version goal group power "
        "emotion pressure scenario model opponent_type proposer_type info instruction manipulation",
        "trait": "age sex gender female male nationality education year_of_birth yob birth region "
        "income_class religion",
        "outcome": "deal agreement accepted accept ended payoff points score profit earned earnings price impasse "
        "result outcome response choice decision utility satisfaction trust rating agreed terminated finished gain "
        "share",
        "seat": "id_in_group role seat side player who speaker sender member position agent proposer",
        "noise": "status finished exitstatus bot demo practice attention preview consent progress",
        "amount": "offer offering amount give given sent proposal bid contribution investment propose demand "
        "request claim",
        "talk": "text message utterance sentence chat",
        "time": "duration seconds rt time minutes timestamp date latency",
    }.items()
}
_LEAST_OF_ENDING = 8  # letters of a word that names a column which is written in one word: playertreatment
_SESSION = r"(.*[_. ])?(session|sitzung|sesja|sesion|sesión|group|gruppe|grupo)([_. ]?(id|nr|no|number|code))?"
_OF_CODES = r"_?(code|label|id|nr|number)$"
SEAT_WORDS = frozenset(
    "buyer seller proposer responder employer employee union firm trustor trustee customer human agent landlord tenant "  # noqa: SIM905
    "sender receiver worker manager candidate recruiter allocator owner kaufer verkaufer bidder a b self other".split()
)


@lru_cache(maxsize=20_000)
def _is_named(name: str, role: str) -> bool:
    own = name if name == ROUND else name.replace(ROUND, "")
    word = english_name(plain_name(own.rsplit(".", 1)[-1]))
    # What is written in one word, and what says that a word is a code: participantcode.
    words = {word, re.sub(_OF_CODES, "", word)} - {""}
    if any(not words.isdisjoint(of_role) for of_role in ROLE_WORDS.values()):
        return not words.isdisjoint(ROLE_WORDS[role])  # the whole name says more than its parts
    if _has_part(word, role) or any(_has_part(word, other) for other in ROLE_WORDS):
        return _has_part(word, role)
    # What stands before a point is where a value lies, or where points are spaces its first words: outcome.correct.ans.
    return any(_has_part(english_name(plain_name(part)), role) for part in own.split(".")[:-1])


def _has_part(word: str, role: str) -> bool:
    """Whether a part of a name is a word of a role, or ends in a long one."""
    long_words = tuple(each for each in ROLE_WORDS[role] if len(each) >= _LEAST_OF_ENDING)
    return any((part in ROLE_WORDS[role] and len(part) > 3) or part.endswith(long_words) for part in word.split("_"))


def is_named(column: Column, role: str) -> bool:
    """Whether a word of a column's name, in English, is one of a role's words."""
    return not column.is_source and _is_named(column.name, role)


def is_called_seat(column: Column) -> bool:
    """Whether the whole name is a word for who acts: an agent, and no type of agents."""
    return english_name(plain_name(column.name.rpartition(".")[2])) in ROLE_WORDS["seat"]


def names_game(column: Column) -> bool:
    """Whether a column is called as a game is, or as a group."""
    own = english_name(plain_name(column.name.rpartition(".")[2]))
    return is_named(column, "game") or own in ("group", "group_id")


def names_session(column: Column) -> bool:
    """Whether a column is called as a session is, or as a group."""
    return re.fullmatch(_SESSION, column.name.lower()) is not None


def are_seat_words(column: Column) -> bool:
    """Whether at least half of the levels are words for seats: buyer and seller."""
    known = [english_name(plain_name(level)) in SEAT_WORDS for level in column.levels[:200] if len(level) > 1]
    return bool(known) and bool(np.mean(known) >= 0.5)


def are_acts(column: Column) -> bool:
    """Whether levels are words for offers and for answers to them."""
    if column.has_numbers or not 2 <= column.n_levels <= 30:
        return False
    acts = {level_of("event", level) for level in column.levels}
    return "offer" in acts and not acts.isdisjoint({"accept", "reject"})
