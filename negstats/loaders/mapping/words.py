"""Words of logs: names of columns as plain English words, and the ways in which levels are often spelled."""

from __future__ import annotations

from collections.abc import Iterable

from negstats.english import english_name, plain_name, to_plain_letters
from negstats.loaders.mapping.model import known_as

MARK = "{round}"  # in the names of columns that stand there once for each round
ROW, FILE = "{row}", "{file}"  # stand among the columns for { row = true } and { file = true }
SIGNS = (MARK, ROW, FILE)

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
_LISTS = {name: {level: set(words.split()) for level, words in of.items()} for name, of in SPELLINGS.items()}


def plain(name: str) -> str:
    """Return a column's name in lower case with _ between its words.

    Examples
    --------
    >>> plain("AgentAUtility"), plain("Réponse (1)")
    ('agent_a_utility', 'reponse_1')
    """
    return plain_name(name if name in SIGNS else name.replace(MARK, "_"))


def english(name: str) -> str:
    """Return a plain name with its words in English; see `negstats.english.english_name`."""
    return english_name(name)


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
    spelled: dict[str, list[str]] = {}
    for word in word_list:
        level = short.get(known_as(word)) or level_of(name, word) or other
        if level is None:
            return None
        spelled.setdefault(level, []).append(word)
    return spelled
