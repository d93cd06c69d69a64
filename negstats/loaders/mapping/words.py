"""Words of logs: names of columns as plain English words, and the ways in which levels are often spelled.

Names in German, Spanish, French, Italian, Portuguese and Dutch are put into English word by word, so that one list of
names serves all of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from negstats.loaders.mapping.model import known_as

MARK = "{round}"  # in the names of columns that stand there once for each round
ROW, FILE = "{row}", "{file}"  # stand among the columns for { row = true } and { file = true }
SIGNS = (MARK, ROW, FILE)

_WORDS = {
    "accepted": "angenommen annahme akzeptiert aceptado aceptada aceptacion accepte acceptee accettato aceito aceite",
    "age": "alter edad eta idade leeftijd",
    "agreement": "einigung abschluss acuerdo accord accordo acordo akkoord overeenkomst",
    "amount": "betrag monto montant importo valor bedrag cantidad",
    "buyer": "kaufer kaeufer comprador acheteur acquirente compratore koper",
    "condition": "bedingung condicion condizione condicao conditie",
    "country": "land pais pays paese",
    "decision": "entscheidung decision decisione decisao beslissing",
    "demand": "forderung demanda",
    "duration": "dauer duracion duree durata duracao duur",
    "dyad": "dyade diada diade",
    "endowment": "ausstattung anfangsausstattung ausgangswert dotacion dotation dotazione dotacao",
    "gender": "geschlecht sexo genero sexe genre sesso geslacht",
    "given": "gegeben gesendet dado dada donne dato gegeven",
    "group": "gruppe grupo groupe gruppo groep",
    "message": "nachricht mensaje mensagem messaggio bericht",
    "negotiation": "verhandlung negociacion negociation negoziazione negociacao onderhandeling",
    "offer": "angebot oferta offre offerta bod aanbod",
    "outcome": "ergebnis resultado resultat risultato resultaat",
    "pair": "paar pareja paire coppia",
    "participant": "teilnehmer teilnehmerin participante partecipante deelnemer",
    "player": "spieler jugador joueur giocatore jogador speler",
    "points": "punkte puntos punti pontos punten",
    "price": "preis precio prix prezzo preco prijs",
    "proposal": "vorschlag propuesta proposition proposta voorstel",
    "response": "antwort reaktion reaccion reaction reazione respuesta reponse risposta resposta antwoord",
    "role": "rolle rol ruolo papel",
    "round": "runde ronda tour turno rodada ronde manche",
    "satisfaction": "zufriedenheit satisfaccion soddisfazione satisfacao tevredenheid",
    "seller": "verkaufer verkaeufer vendedor vendeur venditore verkoper",
    "session": "sitzung sesion seance sessione sessao",
    "share": "anteil parte part quota aandeel",
    "subject": "versuchsperson vp vpn proband probandin sujeto sujet soggetto sujeito proefpersoon",
    "time": "zeit tiempo temps tempo tijd",
    "total": "summe suma somme",
    "treatment": "behandlung tratamiento traitement trattamento tratamento",
    "trial": "durchgang ensayo essai prova",
    "trust": "vertrauen confianza confiance fiducia confianca vertrouwen",
}
_ENGLISH = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}

SPELLINGS: dict[str, dict[str, str]] = {
    "response": {
        "accepted": "accepted accept accepts agreed agree agreement acceptance yes true 1 deal y t "
        "angenommen annehmen annahme akzeptiert akzeptieren ja aceptado aceptada aceptar acepta acepto si "
        "accepte acceptee accepter oui accettato accetta aceito aceitou aceitar sim geaccepteerd aanvaard",
        "rejected": "rejected reject rejects declined decline refused refuse no false 0 rejection n f "
        "abgelehnt ablehnen ablehnung nein rechazado rechazada rechazar rechaza rechazo "
        "refusee refuser rejete rejetee rejeter non rifiutato rifiuta rejeitado rejeitou recusado recusou nao "
        "geweigerd afgewezen nee",
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
    "kind": {"human": "human person participant people", "agent": "agent bot robot ai computer machine virtual"},
    "ended": {
        "agreement": "agreement agreed deal accepted acceptance yes true 1 y einigung ja acuerdo si accord oui",
        "walkaway": "walkaway walk-away walked_away",
        "disagreement": "disagreement impasse rejected no_agreement no_deal nodeal failed stalemate no false 0 n nein "
        "non keine_einigung sin_acuerdo",
        "timeout": "timeout timedout time-out timed_out",
        "disconnect": "disconnect disconnected error",
    },
}
_LISTS = {name: {level: set(words.split()) for level, words in of.items()} for name, of in SPELLINGS.items()}


def _to_plain_letters(text: str) -> str:
    """Return a text without accents: réponse is reponse, Käufer is Kaufer."""
    letters = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def plain(name: str) -> str:
    """Return a column's name in lower case with _ between its words.

    Examples
    --------
    >>> plain("AgentAUtility"), plain("Réponse (1)")
    ('agent_a_utility', 'reponse_1')
    """
    stem = _to_plain_letters(name if name in SIGNS else name.replace(MARK, "_"))
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", stem)
    return re.sub(r"[^a-z0-9]+", "_", parts.lower()).strip("_")


def english(name: str) -> str:
    """Return a plain name with its words in English.

    Examples
    --------
    >>> english(plain("Angebot_Käufer")), english("offer_size")
    ('offer_buyer', 'offer_size')
    """
    return "_".join(_ENGLISH.get(word, word) for word in name.split("_"))


def level_of(name: str, word: str) -> str | None:
    """Return the level of a column that a word stands for, None if it is known for none.

    Examples
    --------
    >>> level_of("response", "Abgelehnt"), level_of("response", "perhaps")
    ('rejected', None)
    """
    plain_word = _to_plain_letters(known_as(word))
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
