"""Words of column names and levels in English, so that one list of names serves logs in several languages.

Names in German, Spanish, French, Italian, Portuguese, Dutch and Russian are put into English word by word. Russian
words are spelled in Latin letters here, as `to_plain_letters` spells them.
"""

from __future__ import annotations

import re
import unicodedata

_WORDS = {
    "accepted": "angenommen annahme akzeptiert aceptado aceptada aceptacion accepte acceptee accettato aceito "
    "aceite prinyato prinyal soglasen",
    "age": "alter edad eta idade leeftijd vozrast",
    "agent": "agente",
    "agreement": "einigung vereinbarung acuerdo accord accordo acordo overeenkomst akkoord soglasie soglashenie",
    "amount": "betrag monto montant importo valor bedrag cantidad summa summy razmer",
    "belief": "erwartung creencia croyance credenza crenca verwachting ozhidanie",
    "bid": "gebot puja enchere stavka",
    "block": "bloque bloc blocco bloco blok",
    "buyer": "kaufer kaeufer comprador acheteur acquirente compratore koper pokupatel",
    "choice": "wahl eleccion choix scelta escolha keuze vybor",
    "condition": "bedingung condicion condizione condicao conditie uslovie",
    "contribution": "beitrag beitrage beitraege contribucion aportacion aporte contributo contribuicao bijdrage "
    "vklad vznos",
    "country": "land pais pays paese strana",
    "decision": "entscheidung decision decisione decisao beslissing reshenie resheniya",
    "demand": "forderung demanda trebovanie",
    "dictator": "diktator dictador dictateur dittatore ditador",
    "duration": "dauer duracion duree durata duracao duur dlitelnost",
    "dyad": "dyade diada diade",
    "education": "bildung ausbildung educacion istruzione educacao opleiding obrazovanie",
    "emotion": "emocion emozione emocao emotie emotsiya",
    "endowment": "ausstattung anfangsausstattung ausgangswert dotacion dotation dotazione dotacao",
    "experiment": "experimento esperimento eksperiment",
    "game": "spiel juego jeu gioco jogo spel igra igry",
    "gender": "geschlecht sexo genero sexe genre sesso geslacht pol",
    "given": "gegeben abgegeben donne gegeven otdano",
    "group": "gruppe grupo groupe gruppo groep gruppa gruppy",
    "id": "kennung identificador identifiant identificatore identifikator",
    "kept": "behalten",
    "message": "nachricht mensaje mensagem messaggio bericht soobshchenie",
    "model": "modell modelo modele modello",
    "negotiation": "verhandlung negociacion negociation negoziazione negociacao onderhandeling peregovory",
    "number": "nummer numero nomer",
    "offer": "angebot oferta offre offerta bod aanbod predlozhenie predlozheniya",
    "opponent": "gegner oponente adversaire avversario adversario tegenstander sopernik",
    "pair": "paar pareja paire coppia para",
    "part": "teil deel chast",
    "participant": "teilnehmer teilnehmerin participante partecipante deelnemer uchastnik ispytuemyy "
    "uchastnika ispytuemogo",
    "partner": "parceiro partenaire",
    "payoff": "auszahlung verdienst pago paiement guadagno vincita pagamento uitbetaling vyigrysh vyplata",
    "period": "periode periodo",
    "player": "spieler jugador joueur giocatore jogador speler igrok igroka",
    "points": "punkte puntos punti pontos punten ochki bally",
    "price": "preis precio prix prezzo preco prijs tsena tseny",
    "proposal": "vorschlag propuesta proposition proposta voorstel",
    "proposer": "proponente anbieter oferente proposant offerente predlagayushchiy",
    "question": "frage pregunta domanda pergunta vraag vopros",
    "receiver": "empfanger empfaenger receptor destinatario destinataire ricevente ontvanger poluchatel",
    "response": "antwort reaktion reaccion reaction reazione respuesta reponse risposta resposta antwoord otvet otveta",
    "result": "ergebnis resultado resultat risultato resultaat rezultat itog",
    "returned": "zuruckgegeben zurueckgegeben zuruckgeschickt devuelto restituito devolvido teruggegeven "
    "vozvrashcheno vozvrat rendu renvoye",
    "role": "rolle rol ruolo papel",
    "round": "runde ronda tour turno rodada ronde manche raund raunda runda",
    "satisfaction": "zufriedenheit satisfaccion soddisfazione satisfacao tevredenheid udovletvorennost",
    "score": "punktzahl puntaje puntuacion punteggio pontuacao",
    "seller": "verkaufer verkaeufer vendedor vendeur venditore verkoper prodavets",
    "sender": "absender emisor expediteur mittente remetente afzender otpravitel",
    "sent": "gesendet geschickt enviado envoye inviato verzonden gestuurd otpravleno",
    "session": "sitzung sesion seance sessione sessao sessiya sessii",
    "share": "anteil parte part quota aandeel dolya",
    "strategy": "strategie estrategia strategia strategiya",
    "subject": "versuchsperson vp vpn proband probandin sujeto sujet soggetto sujeito proefpersoon",
    "text": "texto texte testo tekst",
    "time": "zeit tiempo temps tempo tijd vremya",
    "total": "summe suma somme itogo vsego",
    "treatment": "behandlung tratamiento traitement trattamento tratamento obrabotka",
    "trial": "durchgang ensayo essai prova popytka",
    "trust": "vertrauen confianza confiance fiducia confianca vertrouwen doverie",
}
_ENGLISH = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}
_LATIN = "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya".replace("_", "").split(" ")
_OF_CYRILLIC = dict(zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюя", _LATIN, strict=True))
_OF_CYRILLIC |= {letter.upper(): latin.capitalize() for letter, latin in _OF_CYRILLIC.items()}
_LETTERS = str.maketrans(_OF_CYRILLIC | {"ß": "ss"})


def to_plain_letters(text: str) -> str:
    """Return a text in Latin letters without accents.

    Examples
    --------
    >>> to_plain_letters("Réponse"), to_plain_letters("Käufer"), to_plain_letters("Раунд")
    ('Reponse', 'Kaufer', 'Raund')
    """
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", text).translate(_LETTERS))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def english_word(word: str) -> str:
    """Return a word of plain lower-case letters in English; one that is not known stays as it is.

    Examples
    --------
    >>> english_word("bedingung"), english_word("predlozhenie"), english_word("offer")
    ('condition', 'offer', 'offer')
    """
    return _ENGLISH.get(word, word)


def plain_name(name: str) -> str:
    """Return a name in lower case with _ between its words.

    Examples
    --------
    >>> plain_name("AgentAUtility"), plain_name("Réponse (1)")
    ('agent_a_utility', 'reponse_1')
    """
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", to_plain_letters(name))
    return re.sub(r"[^a-z0-9]+", "_", parts.lower()).strip("_")


def english_name(plain: str) -> str:
    """Return a plain name with its words in English.

    Examples
    --------
    >>> english_name(plain_name("Angebot_Käufer")), english_name("offer_size")
    ('offer_buyer', 'offer_size')
    """
    return "_".join(map(english_word, plain.split("_")))
