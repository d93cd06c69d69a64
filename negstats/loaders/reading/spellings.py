"""The ways in which the levels of a log are often spelled: answers, events, ends, kinds of seats."""

from __future__ import annotations

import re
from collections.abc import Iterable

from negstats.english import english_name, plain_name, to_plain_letters

SPELLINGS: dict[str, dict[str, str]] = {
    "response": {
        "accepted": "accepted accept accepts agreed agree agreement acceptance yes true 1 deal y t "
        "angenommen annehmen annahme akzeptiert akzeptieren ja aceptado aceptada aceptar acepta acepto si "
        "accepte acceptee accepter oui accettato accetta aceito aceitou aceitar sim geaccepteerd aanvaard "
        "prinyato prinyat prinyal prinyala prinyatie soglasen soglasie da",
        "rejected": "rejected reject rejects declined decline refused refuse no false 0 rejection n f "
        "abgelehnt ablehnen ablehnung nein rechazado rechazada rechazar rechaza rechazo "
        "refusee refuser rejete rejetee rejeter non rifiutato rifiuta rejeitado rejeitou recusado recusou nao "
        "geweigerd afgewezen nee otkloneno otklonil otklonila otklonenie otvergnuto otkaz otkazal otkazano net",
        "superseded": "superseded countered counter counteroffer counter-offer gegenangebot contraoferta contre-offre",
        "none": "none pending open waiting - error fehler missed miss noresponse no_response too_slow late toolate",
    },
    "event": {
        "offer": "offer bid propose proposal proposed counteroffer counter-offer counter_offer submit-deal make_offer "
        "send_offer init-price counter-price angebot gegenangebot oferta contraoferta offre",
        "accept": "accept accepted accept-deal agree acceptance accept_offer angenommen annehmen aceptar acepta "
        "accepter",
        "reject": "reject rejected reject-deal decline declined refuse reject_offer abgelehnt ablehnen rechazar "
        "rechaza refuser",
        "message": "message chat utterance text say msg inform inquire inquiry intro greet vague-price unknown insist "
        "agree-vague disagree nachricht mensaje",
        "walkaway": "walkaway walk-away walk_away quit leave end endnegotiation exit walk abbruch",
        "timeout": "timeout time-out timed_out timedout deadline",
        "disconnect": "disconnect disconnected",
    },
    "kind": {
        "human": "human person participant people mensch humano persona humain umano mens chelovek",
        "agent": "agent bot robot ai computer machine virtual maschine agente maquina ordinateur kompyuter",
    },
    "ended": {
        "agreement": "agreement agreed deal accepted acceptance yes true 1 y einigung ja acuerdo si accord oui da "
        "soglashenie soglasie sdelka",
        "walkaway": "walkaway walk-away walked_away",
        "disagreement": "disagreement impasse rejected no_agreement no_deal nodeal failed stalemate no false 0 n nein "
        "non keine_einigung sin_acuerdo net",
        "timeout": "timeout timedout time-out timed_out",
        "disconnect": "disconnect disconnected error",
    },
}
_ACTS = {kind[0]: kind for kind in ("offer", "accept", "reject", "message", "timeout", "walkaway")}  # O, A and R
_LISTS = {name: {level: set(words.split()) for level, words in of.items()} for name, of in SPELLINGS.items()}


def known_as(text: str) -> str:
    """Return a spelling as levels are compared: without case and outer space, a whole number without a fraction.

    Examples
    --------
    >>> known_as(" Accept "), known_as("1.0")
    ('accept', '1')
    """
    return re.sub(r"^(-?\d+)\.0+$", r"\1", text.strip().lower())


def level_of(name: str, word: str) -> str | None:
    """Return the level of a column that a word stands for, None if it is known for none.

    Examples
    --------
    >>> level_of("response", "Abgelehnt"), level_of("response", "perhaps")
    ('rejected', None)
    """
    plain_word = to_plain_letters(known_as(word))
    forms = {plain_word, plain_word.replace(" ", "_"), plain_word.replace(" ", "-")}
    return next((level for level, words in _LISTS[name].items() if forms & words), None)


def levels_of(name: str, words: Iterable[str], other: str | None = None) -> dict[str, list[str]] | None:
    """Return the words of each level; what stands for none is `other`, and if there is no other, None is returned."""
    word_list = list(words)
    letters = {known_as(word) for word in word_list}
    short = {"a": "accepted", "r": "rejected"} if name == "response" and letters == {"a", "r"} else {}
    if name == "event" and letters <= _ACTS.keys() and "o" in letters and letters & {"a", "r"}:
        short = _ACTS
    spelled: dict[str, list[str]] = {}
    for word in word_list:
        level = short.get(known_as(word)) or level_of(name, word) or other
        if level is None:
            return None
        spelled.setdefault(level, []).append(word)
    return spelled


YES = frozenset({"1", "true", "t", "yes", "y", "ja", "j", "oui", "sí", "si", "sì", "sim"})
NO = frozenset({"0", "false", "f", "no", "n", "nein", "non", "não", "nao", "nee"})
# What a column of 0 and 1, or of yes and no, may be called that says by its name what 1 means, or what it does not.
_NO = r"(?:.*_)?(?:no|not|non|un|without)_?"
_NAMES_THE_LEVEL = {
    "response": rf"(?!{_NO}(?:accept|agree))(.*_)?(accept(ed|ance)?|agreed)",
    "ended": rf"(?!{_NO}(?:agree|deal))(.*_)?(agree|agreed|agreement|deal)(_?(reached|made))?"
    r"|(reached|made)_(deal|agreement)",
}
_NAMES_THE_OTHER = (
    rf"{_NO}(accept|accepted|agree|agreed|agreement|deal)(_reached)?"
    r"|(.*_)?(reject(ed|ion)?|refus(ed|al)|declined?|impasse|stalemate|deadlock|disagreement)"
)
PAIRS = {"response": ("accepted", "rejected"), "ended": ("agreement", "disagreement")}
_TRUTHS = {"0", "1", "yes", "no", "true", "false", "y", "n", "t", "f"}


def levels_by_name(column_name: str, level_name: str, words: Iterable[str]) -> dict[str, list[str]] | None:
    """Return the words of each level of an answer or end, where they or the column's name say them; else None.

    Examples
    --------
    >>> levels_by_name("rejected", "response", ["0", "1"]), levels_by_name("choice", "response", ["0", "1"])
    ({'accepted': ['0'], 'rejected': ['1']}, None)
    """
    word_list = list(words)
    own = english_name(plain_name(column_name))
    spelled = levels_of(level_name, word_list)
    plain_words = {known_as(word) for word in word_list}
    if spelled and plain_words <= _TRUTHS and re.fullmatch(_NAMES_THE_OTHER, own):
        first, other = PAIRS[level_name]
        names = {first: other, other: first}
        return dict(sorted((names.get(level, level), of) for level, of in spelled.items()))
    is_named = plain_words <= _TRUTHS and re.fullmatch(_NAMES_THE_LEVEL[level_name], own) is not None
    are_codes = all(re.fullmatch(r"-?\d+", word) for word in plain_words)
    return spelled if is_named or not are_codes else None


def answer_of(word: str) -> str | None:
    """Return what a word of an answer says, where it is known: accepted, rejected, or none."""
    plain_word = known_as(word)
    return "accepted" if plain_word in YES else "rejected" if plain_word in NO else level_of("response", word)
