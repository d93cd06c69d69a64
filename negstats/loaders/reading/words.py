"""Names of columns and levels that break ties, in the languages that `negstats.english` knows.

A name is worth at most as much as one or two regularities of the data.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

import numpy as np

from negstats.english import english_name, plain_name
from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.spellings import levels_of

ROUND = "{round}"  # stands in the names of columns that were unfolded into rows for what told them apart
LINE = "{row}"  # names the row in which they stood
WHOLE = "{file}"  # names the file

ROLE_WORDS: dict[str, frozenset[str]] = {
    role: frozenset(words.split())
    for role, words in {
        "person": "subject participant person client clientid worker pid vp respondent user sub subj prolific "
        "responseid participantid response_id teilnehmer userid sub_name id",
        "game": "game pair dyad triad match room negotiation dialogue dialog team negotiationid committee config run "
        "conversation gameid paar",
        "order": "wave trial round period block task turn time seq order step number exchange minute t message",
        "condition": "condition treatment treat treated trt cond arm medium frame framing policy opponent partner "
        "version goal group power emotion pressure scenario model opponent_type proposer_type info instruction "
        "manipulation",
        "trait": "age sex gender female fem male nationality education year_of_birth yob birth region "
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
_OF_UNITS = frozenset({"person", "game", "seat", "order"})
_OF_SETTINGS = frozenset({"condition", "amount"})
KEPT = frozenset({"outcome", "condition", "amount"})  # what a value is, wherever it lies
_LEAST_OF_ENDING = 7  # letters of a word that names a column which is written in one word: playertreatment
_SESSION = (
    r"(.*[_. ])?(session|sess|sitzung|sesja|sesion|sesión|group|grp|gruppe|grupo|clusters?)"
    r"([_. ]?(id|nr|no|number|code))?"
)
_OF_CODES = r"_?(code|label|id|nr|number)$"
_LONG_WORDS = tuple(word for words in ROLE_WORDS.values() for word in words if len(word) >= _LEAST_OF_ENDING)
SEAT_WORDS = frozenset(
    "buyer seller proposer responder employer employee union firm trustor trustee customer human agent landlord tenant "  # noqa: SIM905
    "sender receiver worker manager candidate recruiter allocator owner kaufer verkaufer bidder a b self other".split()
)


_RECEIVERS = frozenset("receiver recipient responder to partner opponent".split())  # noqa: SIM905
_SEXES = ({"f", "m"}, {"m", "w"}, {"female", "male"}, {"man", "woman"}, {"frau", "mann"})
# The mark of a round, and the word before it that says that it is one, if there is any.
OF_ROUND = re.compile(
    r"((round|trial|period|runde|ronda|game)[ _.]?|(?<![^ _.])(r|t|rd|rnd))?" + re.escape(ROUND), re.IGNORECASE
)


def without_round(name: str) -> str:
    """Return what columns that stand there once for each round are called, whichever round it is.

    Examples
    --------
    >>> without_round("offer_r{round}"), without_round("Round {round} Offer"), without_round("ug.{round}.offer")
    ('offer', 'Offer', 'ug.offer')
    """
    if ROUND not in name or name == ROUND:
        return name
    return re.sub(r"([ _.])[ _.]+", r"\1", OF_ROUND.sub("", name)).strip("_. ") or name


@lru_cache(maxsize=20_000)
def roles_of(name: str) -> frozenset[str]:
    """Return the roles of which a word of a name, in English, is one: of the whole name first, or else of its parts."""
    *before, last = without_round(name).rstrip(".").split(".")
    word = english_name(plain_name(last))
    # What is written in one word, and what says that a word is a code: participantcode.
    whole = _roles_of_words({word}) or _roles_of_words({re.sub(_OF_CODES, "", word)} - {""})
    # Where points are spaces, its first words stand before them: outcome.correct.ans. Whose a value is does not say
    # what it is: agent_A.allocation.hat is no seat.
    # group.pot is a value of a group, as oTree says it, and set no more than others.
    holders = [holder for holder in map(english_name, before) if holder != "group"]
    return whole or _roles_of_parts(word) or KEPT & frozenset().union(*map(_roles_of_parts, holders))


def _roles_of_words(words: Collection[str]) -> frozenset[str]:
    return frozenset(role for role, known in ROLE_WORDS.items() if not known.isdisjoint(words))


def _roles_of_parts(name: str) -> frozenset[str]:
    """Return the roles of the parts of a name, each of which is a word or ends in a long one."""
    parts = {part for part in name.split("_") if len(part) > 3}
    ends = {word for part in parts for word in _LONG_WORDS if part.endswith(word)}
    return _roles_of_words(parts | ends)


def is_named(column: Column, *roles: str) -> bool:
    """Whether a word of a column's name, in English, is one of the words of some role."""
    return not roles_of(column.name).isdisjoint(roles)


def holds_sexes(column: Column) -> bool:
    """Whether the words of a column are those for women and men."""
    return {level.strip().casefold() for level in column.levels} in _SEXES


def is_called_seat(column: Column) -> bool:
    """Whether the whole name is a word for who acts: an agent, and no type of agents."""
    return english_name(plain_name(column.name.rpartition(".")[2])) in ROLE_WORDS["seat"]


def names_game(column: Column) -> bool:
    """Whether a column is called as a game is, or as a group."""
    own = english_name(plain_name(column.name.rpartition(".")[2]))
    return is_named(column, "game") or own in ("group", "group_id", "grp")


def names_session(column: Column) -> bool:
    """Whether a column is called as a session is, or as a group."""
    return _is_of_session(column.name)


def _is_of_session(name: str) -> bool:
    return re.fullmatch(_SESSION, name.lower()) is not None


def names_receiver(column: Column) -> bool:
    """Whether a column is called as whom somebody addressed or met, or a list as all of these are."""
    words = english_name(plain_name(column.name)).split("_")
    return not _RECEIVERS.isdisjoint([*words, *(word.removesuffix("s") for word in words)])


def says_who_acts(column: Column) -> tuple[bool, bool]:
    """Return whether a column is called as nobody who is addressed, and whether it is called as those who act.

    Examples
    --------
    >>> from negstats.loaders.reading.columns import build_column, text_cells
    >>> [says_who_acts(build_column(name, text_cells(["Ann", "Ben"]))) for name in ("speaker", "Empfaenger")]
    [(True, True), (False, False)]
    """
    return not names_receiver(column), is_named(column, "seat", "person")


def set_name(column: Column) -> str | None:
    """Return the name of a column that says no more than what was set, where its first says that it numbers units.

    Of a session or a block and of what was set for each there is one column, for they part the rows in the same way.
    """
    names = (alias for alias in column.aliases if roles_of(alias) <= _OF_SETTINGS and not _is_of_session(alias))
    is_of_unit = _is_of_session(column.name) or roles_of(column.name) & _OF_UNITS
    return next(names, None) if is_of_unit and "condition" not in roles_of(column.name) else None


def are_seat_words(column: Column) -> bool:
    """Whether at least half of the levels are words for seats: buyer and seller."""
    known = [english_name(plain_name(level)) in SEAT_WORDS for level in column.levels[:200] if len(level) > 1]
    return bool(known) and bool(np.mean(known) >= 0.5)


_PROGRAMS = frozenset("agent model strategy bot llm role".split())  # noqa: SIM905
# How programs are called that play as people do.
_PROGRAM = re.compile(
    r"(?<![a-z])(gpt|chatgpt|claude|gemini|gemma|llama|mistral|mixtral|qwen|deepseek|grok|sonnet|haiku|opus|"
    r"bot|agent|model|llm|ai)(?![a-z])"
)


def names_program(column: Column) -> bool:
    """Whether a column is called as programs are, or as what they play by: an agent, a strategy."""
    return not _PROGRAMS.isdisjoint(english_name(plain_name(column.name.rpartition(".")[2])).split("_"))


def are_programs_names(column: Column) -> bool:
    """Whether at least half of the levels are names of language models, or of bots: gpt-4o and claude."""
    known = [_PROGRAM.search(level.lower()) is not None for level in column.levels[:200]]
    return bool(known) and bool(np.mean(known) >= 0.5)


def are_acts(column: Column) -> bool:
    """Whether levels are words for offers and for answers to them."""
    if column.has_numbers or not 2 <= column.n_levels <= 30:
        return False
    acts = levels_of("event", column.levels, "other") or {}
    return "offer" in acts and not acts.keys().isdisjoint({"accept", "reject"})
