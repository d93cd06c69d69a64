"""Labelled tables: families of designs, each drawn with sizes, names, words and noise of its own from a seed.

`TUNED` families were looked at while points were set, and so were `SHAPES`, in which no column says what belongs
together; `HELD_OUT` families were written before, judged once, and never looked at. A name is a column in English, in
another language, or a number, by the seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

Kind = Literal["alone", "repeated", "seats", "events"]


@dataclass(frozen=True)
class Truth:
    """What a person who knows the study would map.

    Attributes
    ----------
    kind : str
        What a row is.
    person, game : str, tuple of str
        Who repeats or sits in a seat, such as ``session × id`` where ids are used again, and what names the game.
    conditions, outcomes, no_conditions : tuple of str
        What the experimenter set, what was measured, what must not become a factor.
    amount : (str, str) or None
        What is offered, and which side the person of the row is.
    asks : str
        The subject of a question that must be asked, for no column says what the rows are; "" for none.
    people : str
        Who sits in seats, as `person`, where they must be told apart; "" where the games alone are looked at.
    """

    kind: Kind
    person: str | None = None
    game: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    no_conditions: tuple[str, ...] = ()
    amount: tuple[str, str] | None = None
    asks: str = ""
    people: str = ""


@dataclass(frozen=True)
class Labelled:
    """A table with its truth."""

    name: str
    frame: pd.DataFrame
    truth: Truth

    def renamed(self, names: dict[str, str]) -> Labelled:
        """Return the same table with other names of columns."""
        truth = self.truth

        def words(columns: Sequence[str]) -> tuple[str, ...]:
            return tuple(names.get(column, column) for column in columns)

        renamed = Truth(
            truth.kind,
            truth.person and " × ".join(words(truth.person.split(" × "))),
            words(truth.game),
            words(truth.conditions),
            words(truth.outcomes),
            words(truth.no_conditions),
            truth.amount and (names.get(truth.amount[0], truth.amount[0]), truth.amount[1]),
            truth.asks,
            " × ".join(words(truth.people.split(" × "))),
        )
        return Labelled(self.name, self.frame.rename(columns=names), renamed)


# Names of columns: in English as in textbooks, in three other languages, and without a meaning.
NAMES: dict[str, tuple[str, str, str, str]] = {
    "person": ("participant", "Versuchsperson", "uczestnik", "sujeto"),
    "trial": ("trial", "Durchgang", "proba", "ensayo"),
    "arm": ("condition", "Bedingung", "warunek", "condicion"),
    "within": ("partner", "Gegenueber", "partner_typ", "companero"),
    "score": ("score", "Wert", "wynik", "puntaje"),
    "pair": ("pair", "Paar", "para", "pareja"),
    "role": ("role", "Rolle", "rola", "papel"),
    "points": ("points", "Punkte", "punkty", "puntos"),
    "age": ("age", "Alter", "wiek", "edad"),
    "sex": ("sex", "Geschlecht", "plec", "sexo"),
    "offer": ("offer", "Angebot", "oferta", "propuesta"),
    "answer": ("accepted", "angenommen", "zgoda", "acepto"),
    "payoff": ("payoff", "Auszahlung", "wyplata", "pago"),
    "deal": ("agreement", "Einigung", "umowa", "acuerdo"),
    "price": ("price", "Preis", "cena", "precio"),
    "session": ("session", "Sitzung", "sesja", "sesion"),
    "group": ("group", "Gruppe", "grupa", "grupo"),
    "period": ("period", "Periode", "okres", "periodo"),
    "member": ("member", "Mitglied", "czlonek", "miembro"),
    "give": ("contribution", "Beitrag", "wklad", "aporte"),
    "income": ("income", "Einkommen", "dochod", "ingreso"),
    "kind": ("action", "Aktion", "akcja", "accion"),
    "text": ("message", "Nachricht", "wiadomosc", "mensaje"),
    "time": ("seconds", "Dauer", "czas", "tiempo"),
    "sent": ("sent", "gesendet", "wyslano", "enviado"),
    "returned": ("returned", "zurueck", "zwrot", "devuelto"),
    "second": ("framing", "Rahmung", "rama", "marco"),
    "class": ("class", "Klasse", "klasa", "clase"),
    "stimulus": ("picture", "Bild", "obraz", "imagen"),
    "wave": ("wave", "Welle", "fala", "ola"),
    "first": ("agent_a", "Agent_eins", "agent_pierwszy", "agente_uno"),
    "other": ("agent_b", "Agent_zwei", "agent_drugi", "agente_dos"),
    "points_1": ("points_A", "Punkte_links", "wynik_x", "puntos_uno"),
    "points_2": ("points_B", "Punkte_rechts", "wynik_y", "puntos_dos"),
    "gain_1": ("buyer_profit", "Gewinn_eins", "kupiec_zysk", "ganancia_norte"),
    "gain_2": ("seller_profit", "Gewinn_zwei", "handlarz_zysk", "ganancia_sur"),
    "choice_1": ("p1_choice", "links_wahl", "lewy_ruch", "uno_jugada"),
    "choice_2": ("p2_choice", "rechts_wahl", "prawy_ruch", "dos_jugada"),
    "money_1": ("p1_money", "links_geld", "lewy_kasa", "uno_dinero"),
    "money_2": ("p2_money", "rechts_geld", "prawy_kasa", "dos_dinero"),
    "cost_1": ("left_cost", "links_kosten", "lewy_koszt", "uno_coste"),
    "cost_2": ("right_cost", "rechts_kosten", "prawy_koszt", "dos_coste"),
    "colour_1": ("left_colour", "links_farbe", "lewy_kolor", "uno_color"),
    "colour_2": ("right_colour", "rechts_farbe", "prawy_kolor", "dos_color"),
    "taken": ("taken", "genommen", "wybor", "eleccion"),
    "village": ("village", "Dorf", "wies", "aldea"),
    "market": ("market", "Markt", "rynek", "mercado"),
    "trader": ("trader", "Haendler", "handlowiec", "comerciante"),
    "buyer": ("buyer", "Kaeufer", "kupiec", "comprador"),
    "seller": ("seller", "Verkaeufer", "handlarz", "vendedor"),
    "catch": ("catch", "Fang", "polow", "captura"),
    "quantity": ("quantity", "Menge", "ilosc", "cantidad"),
    "clearing": ("clearing", "Kurs", "kurs", "cierre"),
    "agent": ("agent", "Agentin", "program", "programa"),
    "opponent": ("opponent", "Gegner", "przeciwnik", "rival"),
    "rater": ("rater", "Urteilende", "oceniajacy", "juez"),
    "target": ("target", "Zielperson", "oceniany", "objetivo"),
    "liking": ("liking", "Sympathie", "sympatia", "agrado"),
    "domain": ("domain", "Gegenstand", "dziedzina", "dominio"),
    "utility": ("utility", "Nutzen", "uzytecznosc", "utilidad"),
    "lot": ("lot", "Los", "partia", "lote"),
    "bidder": ("bidder", "Bieter", "licytant", "postor"),
    "bid": ("bid", "Gebot", "stawka", "puja"),
    "committee": ("committee", "Gremium", "komisja", "comite"),
    "motion": ("motion", "Antrag", "wniosek", "mocion"),
    "vote": ("vote", "Stimme", "glos", "voto"),
    "gave": ("dictator_gave", "gab", "dal", "dio"),
    "taken_away": ("punishment", "Abzug", "kara", "castigo"),
    "model": ("model", "Modell", "silnik", "modelo"),
    "temperature": ("temperature", "Temperatur", "temperatura", "calor"),
    "persona": ("persona", "Figur", "osobowosc", "caracter"),
    "run": ("run", "Lauf", "przebieg", "corrida"),
    "turns": ("turns", "Zuege", "tury", "turnos"),
    "stock": ("stock", "Bestand", "zasob", "recurso"),
    "harvest": ("extraction", "Entnahme", "pobranie", "extraccion"),
    "place": ("seat", "Platz", "miejsce", "lugar"),
    "client": ("client", "Rechner", "komputer", "maquina"),
    "sequence": ("sequence", "Folge", "sekwencja", "secuencia"),
}
ARMS = (("chat", "video"), ("angry", "neutral"), ("hoch", "niedrig"), ("A", "B"), ("0", "1"), ("tekst", "glos"))
SEATS = (("buyer", "seller"), ("Kaeufer", "Verkaeufer"), ("A", "B"), ("1", "2"))


@dataclass
class Draw:
    """The randomness of one table: sizes, words and names."""

    seed: int
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        """Begin the stream of this table."""
        self.rng = np.random.default_rng([48, self.seed])

    def size(self, low: int, high: int) -> int:
        """Return a number of units."""
        return int(self.rng.integers(low, high + 1))

    def pick(self, words: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Return one of several sets of words."""
        return words[int(self.rng.integers(len(words)))]

    def ids(self, count: int) -> list[str]:
        """Return names of units: codes, numbers, or hashes."""
        style = int(self.rng.integers(3))
        if style == 0:
            return [f"P{number:03d}" for number in range(1, count + 1)]
        if style == 1:
            return [str(number) for number in range(1, count + 1)]
        return [f"{number:08x}" for number in self.rng.choice(2**31, count, replace=False)]

    def normal(self, mean: float, spread: float, digits: int = 1) -> float:
        """Return a measured number."""
        return round(float(self.rng.normal(mean, spread)), digits)


Rows = list[dict[str, object]]
Family = Callable[[Draw], tuple[Rows, Truth]]


def new_rows() -> Rows:
    """Return an empty table."""
    return []


def trials_between(draw: Draw) -> tuple[Rows, Truth]:
    """People with trials, a condition between people."""
    people, trials, arms = draw.ids(2 * draw.size(8, 20)), draw.size(6, 20), draw.pick(ARMS)
    rows: Rows = []
    for place, person in enumerate(people):
        own = draw.normal(0, 2)
        rows += [
            {"person": person, "trial": trial + 1, "arm": arms[place % 2], "score": draw.normal(10 + own, 2)}
            for trial in range(trials)
        ]
    return rows, Truth("repeated", "person", conditions=("arm",), outcomes=("score",))


def trials_within(draw: Draw) -> tuple[Rows, Truth]:
    """People with trials, a condition within people."""
    people, trials, arms = draw.ids(draw.size(12, 30)), 2 * draw.size(3, 8), draw.pick(ARMS[:4])
    rows: Rows = []
    for person in people:
        own, ages = draw.normal(0, 2), draw.size(18, 60)
        order = draw.rng.permutation([arms[trial % 2] for trial in range(trials)])
        rows += [
            {
                "person": person,
                "trial": trial + 1,
                "within": str(order[trial]),
                "score": draw.normal(10 + own, 2),
                "age": ages,
            }
            for trial in range(trials)
        ]
    return rows, Truth("repeated", "person", conditions=("within",), outcomes=("score",), no_conditions=("age",))


def dyads(draw: Draw) -> tuple[Rows, Truth]:
    """Two seats of each pair in two rows, a condition between pairs."""
    pairs, arms, seats = 2 * draw.size(12, 25), draw.pick(ARMS), draw.pick(SEATS)
    people = draw.ids(2 * pairs)
    rows: Rows = []
    for pair in range(pairs):
        share = draw.normal(0, 8)
        rows += [
            {
                "person": people[2 * pair + place], "pair": pair + 1, "role": seats[place], "arm": arms[pair % 2],
                "points": round(50 + (share if place else -share)), "score": draw.size(1, 7),
            }
            for place in (0, 1)
        ]  # fmt: skip
    return rows, Truth("seats", "person", ("pair",), ("arm",), ("points", "score"))


def lone_arms(draw: Draw) -> tuple[Rows, Truth]:
    """One row a person, one condition."""
    count, arms = 2 * draw.size(15, 40), draw.pick(ARMS)
    rows: Rows = [
        {"person": person, "arm": arms[place % 2], "points": draw.normal(50, 8), "age": draw.size(18, 70)}
        for place, person in enumerate(draw.ids(count))
    ]
    return rows, Truth("alone", "person", conditions=("arm",), outcomes=("points",), no_conditions=("age",))


def responders(draw: Draw) -> tuple[Rows, Truth]:
    """The same offers to each person, who accepts or rejects them."""
    people, arms = draw.ids(draw.size(20, 40)), draw.pick(ARMS[:4])
    stimuli = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5]
    rows: Rows = []
    for person in people:
        least = draw.normal(2.5, 0.7)
        for trial, offer in enumerate(draw.rng.permutation(stimuli)):
            yes = int(draw.rng.random() < 1 / (1 + np.exp(-2 * (offer - least))))
            rows.append(
                {"person": person, "trial": trial + 1, "within": arms[trial % 2], "offer": int(offer), "answer": yes}
            )
    return rows, Truth(
        "repeated", "person", conditions=("within",), outcomes=("answer",), amount=("offer", "responder")
    )


def proposers(draw: Draw) -> tuple[Rows, Truth]:
    """People who propose; what they earn follows from the offer and the answer."""
    people, arms, total = draw.ids(draw.size(16, 30)), draw.pick(ARMS[:4]), 10 * draw.size(2, 5)
    rows: Rows = []
    for person in people:
        for trial in range(8):
            offer = draw.size(0, total)
            yes = int(draw.rng.random() < min(0.95, 2 * offer / total))
            rows.append(
                {
                    "person": person, "trial": trial + 1, "within": arms[trial % 2], "offer": offer, "answer": yes,
                    "payoff": (total - offer) * yes,
                }
            )  # fmt: skip
    return rows, Truth(
        "repeated", "person", conditions=("within",), amount=("offer", "proposer"), no_conditions=("answer",)
    )


def deals(draw: Draw) -> tuple[Rows, Truth]:
    """One row a negotiation: a price that only deals have."""
    count, arms = 2 * draw.size(20, 40), draw.pick(ARMS)
    yes, no = draw.pick((("yes", "no"), ("1", "0"), ("ja", "nein"), ("ano", "ne")))
    rows: Rows = []
    for game in range(count):
        has_deal = draw.rng.random() < 0.8
        price = draw.size(110, 190) if has_deal else None
        rows.append({"pair": game + 1, "arm": arms[game % 2], "deal": yes if has_deal else no, "price": price})
    return rows, Truth("alone", conditions=("arm",), outcomes=("price",), no_conditions=("deal",))


def public_goods(draw: Draw) -> tuple[Rows, Truth]:
    """Sessions, groups of three, periods; a treatment of sessions."""
    rows: Rows = []
    arms, periods = draw.pick(ARMS), draw.size(6, 10)
    for session in range(6):
        for group in range(2):
            gifts = draw.rng.integers(0, 21, (periods, 3))
            for member in range(3):
                for period in range(periods):
                    own, all_of = int(gifts[period, member]), int(gifts[period].sum())
                    rows.append(
                        {
                            "session": session + 1, "group": group + 1, "member": member + 1,
                            "person": 100 * (session + 1) + 10 * group + member, "period": period + 1,
                            "arm": arms[session % 2], "give": own, "income": 20 - own + 0.5 * all_of,
                        }
                    )  # fmt: skip
    return rows, Truth("seats", "person", ("session", "group", "period"), ("arm",), ("give",))


def events(draw: Draw) -> tuple[Rows, Truth]:
    """Offers, messages and an ending of each game."""
    arms, seats = draw.pick(ARMS[:4]), draw.pick(SEATS[:3])
    rows: Rows = []
    for game in range(2 * draw.size(10, 16)):
        steps = draw.size(2, 5)
        for step in range(steps):
            seat = seats[step % 2]
            base = {"pair": f"g{game}", "role": seat, "arm": arms[game % 2]}
            rows.append({**base, "kind": "offer", "offer": draw.size(20, 80), "text": None})
            rows.append(
                {**base, "kind": "message", "offer": None, "text": f"what about this one, {draw.size(1, 99)} is fair"}
            )
        rows.append(
            {
                "pair": f"g{game}",
                "role": seats[steps % 2],
                "arm": arms[game % 2],
                "kind": "accept",
                "offer": None,
                "text": None,
            }
        )
    for place, row in enumerate(rows):
        row["time"] = place
    return rows, Truth("events", game=("pair",), conditions=("arm",))


def vignettes(draw: Draw) -> tuple[Rows, Truth]:
    """A survey, one row a person, one of three versions."""
    rows: Rows = []
    for place in range(3 * draw.size(18, 30)):
        row: dict[str, object] = {"person": f"R_{draw.rng.integers(10**9)}", "arm": "ABC"[place % 3]}
        row |= {f"item{item}": draw.size(1, 7) for item in range(1, 6)}
        row |= {"age": draw.size(18, 70), "sex": "mw"[int(draw.rng.random() < 0.6)]}
        rows.append(row)
    return rows, Truth("alone", "person", conditions=("arm",), outcomes=("item1", "item5"), no_conditions=("sex",))


def trust(draw: Draw) -> tuple[Rows, Truth]:
    """A trust game, one row a pair."""
    arms, rows = draw.pick(ARMS), new_rows()
    for pair in range(2 * draw.size(18, 30)):
        sent = int(np.clip(round(draw.normal(5, 2)), 0, 10))
        rows.append(
            {"pair": pair + 1, "arm": arms[pair % 2], "sent": sent, "returned": round(3 * sent * draw.rng.random())}
        )
    return rows, Truth("alone", conditions=("arm",), outcomes=("sent", "returned"))


def two_by_two(draw: Draw) -> tuple[Rows, Truth]:
    """Two conditions between lone people."""
    first, second = ARMS[0], ARMS[1]
    rows: Rows = [
        {"person": person, "arm": first[place % 2], "second": second[place // 2 % 2], "score": draw.normal(20, 4)}
        for place, person in enumerate(draw.ids(4 * draw.size(10, 18)))
    ]
    return rows, Truth("alone", "person", conditions=("arm", "second"), outcomes=("score",))


def new_numbers(draw: Draw) -> tuple[Rows, Truth]:
    """Pairs that are numbered anew in each session."""
    arms, seats, rows = draw.pick(ARMS[:4]), draw.pick(SEATS), new_rows()
    for session in range(4):
        for pair in range(draw.size(8, 12)):
            share = draw.normal(0, 8)
            rows += [
                {
                    "session": f"S{session + 1}", "pair": pair + 1, "role": seats[place], "arm": arms[session % 2],
                    "points": round(40 + (share if place else -share)), "person": f"S{session + 1}-{2 * pair + place}",
                }
                for place in (0, 1)
            ]  # fmt: skip
    return rows, Truth("seats", "person", ("session", "pair"), ("arm",), ("points",))


def talks(draw: Draw) -> tuple[Rows, Truth]:
    """Utterances of two speakers in each talk."""
    arms, seats, rows = draw.pick(ARMS[:4]), draw.pick(SEATS[:2]), new_rows()
    for game in range(2 * draw.size(10, 15)):
        for turn in range(draw.size(4, 9)):
            text = f"I would take {draw.size(1, 99)} of these and leave you the rest"
            rows.append(
                {"pair": f"d{game}", "role": seats[turn % 2], "text": text, "arm": arms[game % 2], "time": turn + 1}
            )
    return rows, Truth("events", game=("pair",), conditions=("arm",))


def blocks(draw: Draw) -> tuple[Rows, Truth]:
    """Each person in both conditions, several tasks in each."""
    arms, tasks = draw.pick(ARMS[:4]), draw.size(4, 8)
    rows: Rows = []
    for person in draw.ids(draw.size(12, 24)):
        own = draw.normal(0, 60)
        rows += [
            {
                "person": person,
                "arm": arm,
                "trial": task + 1,
                "score": draw.size(0, 12),
                "time": draw.normal(600 + own, 80, 0),
            }
            for arm in arms
            for task in range(tasks)
        ]
    return rows, Truth("repeated", "person", conditions=("arm",), outcomes=("score", "time"))


# Families that are held out: written before any points were changed, and judged once.


def classes(draw: Draw) -> tuple[Rows, Truth]:
    """Pupils of classes, one row each, a condition of whole classes."""
    arms, rows, number = draw.pick(ARMS[:4]), [], 0
    for group in range(8):
        for _ in range(draw.size(15, 24)):
            number += 1
            rows.append(
                {
                    "person": f"K{number:03d}",
                    "class": f"class {group + 1}",
                    "arm": arms[group % 2],
                    "score": draw.normal(20, 5),
                }
            )
    return rows, Truth("alone", "person", outcomes=("score",), no_conditions=("class",))


def two_waves(draw: Draw) -> tuple[Rows, Truth]:
    """Each person before and after."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for place, person in enumerate(draw.ids(2 * draw.size(20, 30))):
        own = draw.normal(0, 3)
        rows += [
            {"person": person, "wave": wave, "arm": arms[place % 2], "score": draw.normal(20 + own, 2)}
            for wave in ("before", "after")
        ]
    return rows, Truth("repeated", "person", conditions=("wave", "arm"), outcomes=("score",))


def dictators(draw: Draw) -> tuple[Rows, Truth]:
    """Each person gives to four kinds of recipients, twice each."""
    rows: Rows = []
    for person in draw.ids(draw.size(20, 35)):
        kinds = draw.rng.permutation(["friend", "stranger", "robot", "charity"] * 2)
        rows += [
            {"person": person, "trial": trial + 1, "within": str(kind), "give": draw.size(0, 10)}
            for trial, kind in enumerate(kinds)
        ]
    return rows, Truth("repeated", "person", conditions=("within",), outcomes=("give",))


def triads(draw: Draw) -> tuple[Rows, Truth]:
    """Three seats in each group."""
    arms, rows, groups = draw.pick(ARMS), [], 2 * draw.size(10, 16)
    people = draw.ids(3 * groups)
    for group in range(groups):
        shares = draw.rng.dirichlet([3, 3, 3]) * 90
        rows += [
            {
                "person": people[3 * group + place],
                "group": group + 1,
                "role": "ABC"[place],
                "arm": arms[group % 2],
                "points": round(float(shares[place])),
            }
            for place in range(3)
        ]
    return rows, Truth("seats", "person", ("group",), ("arm",), ("points",))


def judges(draw: Draw) -> tuple[Rows, Truth]:
    """Every person judges every picture; pictures are of two kinds."""
    pictures, arms, rows = draw.size(10, 16), draw.pick(ARMS[:4]), []
    for number in range(draw.size(20, 40)):
        rows += [
            {"person": f"J{number:02d}", "stimulus": picture + 1, "within": arms[picture % 2], "score": draw.size(1, 9)}
            for picture in range(pictures)
        ]
    return rows, Truth("repeated", "person", conditions=("within",), outcomes=("score",))


def quota(draw: Draw) -> tuple[Rows, Truth]:
    """Lone people with a quota of sex."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for place, person in enumerate(draw.ids(4 * draw.size(12, 20))):
        rows.append(
            {"person": person, "sex": "mf"[place % 2], "arm": arms[place // 2 % 2], "score": draw.normal(50, 9)}
        )
    return rows, Truth("alone", "person", conditions=("arm",), outcomes=("score",), no_conditions=("sex",))


def bargaining(draw: Draw) -> tuple[Rows, Truth]:
    """Alternating offers, one row each."""
    arms, seats, rows = draw.pick(ARMS[:4]), draw.pick(SEATS[:2]), new_rows()
    for pair in range(2 * draw.size(10, 15)):
        steps = draw.size(2, 7)
        rows += [
            {
                "pair": pair + 1, "trial": step + 1, "role": seats[step % 2], "offer": draw.size(10, 90),
                "answer": "accepted" if step == steps - 1 else "rejected", "arm": arms[pair % 2],
            }
            for step in range(steps)
        ]  # fmt: skip
    return rows, Truth("events", game=("pair",), conditions=("arm",), no_conditions=("answer",))


def fixed_pairs(draw: Draw) -> tuple[Rows, Truth]:
    """Pairs that stay together for several rounds, each a game."""
    arms, rounds, rows, pairs = draw.pick(ARMS), draw.size(5, 9), [], 2 * draw.size(8, 12)
    people = draw.ids(2 * pairs)
    for pair in range(pairs):
        for number in range(rounds):
            share = draw.size(0, 20)
            rows += [
                {
                    "pair": pair + 1,
                    "person": people[2 * pair + place],
                    "trial": number + 1,
                    "arm": arms[pair % 2],
                    "points": share if place else 20 - share,
                }
                for place in (0, 1)
            ]
    return rows, Truth("seats", "person", ("pair", "trial"), ("arm",), ("points",))


def three_arms(draw: Draw) -> tuple[Rows, Truth]:
    """One row a game, three conditions of unequal size."""
    arms = [word for word, count in zip(("text", "voice", "face"), (60, 45, 50), strict=True) for _ in range(count)]
    rows: Rows = [
        {"pair": f"G{place:03d}", "arm": arm, "price": draw.size(50, 150)}
        for place, arm in enumerate(draw.rng.permutation(arms))
    ]
    return rows, Truth("alone", conditions=("arm",), outcomes=("price",))


def reaction_times(draw: Draw) -> tuple[Rows, Truth]:
    """Reaction times and choices of people with trials."""
    rows: Rows = []
    for place, person in enumerate(draw.ids(2 * draw.size(10, 15))):
        own, age = draw.normal(0, 50), draw.size(18, 40)
        rows += [
            {
                "person": person,
                "trial": trial + 1,
                "arm": ARMS[2][place % 2],
                "time": draw.normal(600 + own, 90, 2),
                "score": draw.size(0, 1),
                "age": age,
            }
            for trial in range(20)
        ]
    return rows, Truth("repeated", "person", conditions=("arm",), outcomes=("time",), no_conditions=("age", "score"))


def tournament(draw: Draw) -> tuple[Rows, Truth]:
    """One row a negotiation of two programs."""
    agents, rows = ["Boulware", "Conceder", "TitForTat", "Random", "Hybrid"], []
    for first in agents:
        for other in agents:
            if first != other:
                rows += [
                    {
                        "first": first,
                        "other": other,
                        "score": draw.normal(0.6, 0.1, 3),
                        "points": draw.normal(0.5, 0.1, 3),
                    }
                    for _ in range(draw.size(5, 5))
                ]
    return rows, Truth("alone", outcomes=("score", "points"))


def dropouts(draw: Draw) -> tuple[Rows, Truth]:
    """Pairs of which some have one row only."""
    rows, truth = dyads(draw)
    gone = set(draw.rng.choice(len(rows), len(rows) // 20, replace=False).tolist())
    return [row for place, row in enumerate(rows) if place not in gone], truth


def nameless(draw: Draw) -> tuple[Rows, Truth]:
    """Lone rows without any name of a person."""
    arms = draw.pick(ARMS[:4])
    rows: Rows = [
        {"arm": arms[place % 2], "score": draw.normal(50, 9), "age": draw.size(18, 70)}
        for place in range(2 * draw.size(20, 40))
    ]
    return rows, Truth("alone", conditions=("arm",), outcomes=("score",), no_conditions=("age",))


def unnumbered(draw: Draw) -> tuple[Rows, Truth]:
    """People with several rows in a random order, which nothing numbers."""
    rows, truth = trials_between(draw)
    for row in rows:
        del row["trial"]
    return [rows[place] for place in draw.rng.permutation(len(rows))], truth


def diaries(draw: Draw) -> tuple[Rows, Truth]:
    """People with different numbers of rows."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for place, person in enumerate(draw.ids(2 * draw.size(15, 25))):
        own = draw.normal(0, 2)
        rows += [
            {"person": person, "arm": arms[place % 2], "score": draw.normal(10 + own, 2)}
            for _ in range(draw.size(5, 15))
        ]
    return rows, Truth("repeated", "person", conditions=("arm",), outcomes=("score",))


# Shapes in which no column says what belongs together: seats and alternatives side by side, groups without a name.


def zero_sum_sides(draw: Draw) -> tuple[Rows, Truth]:
    """Points of both seats in one row, which have one sum."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for pair in range(2 * draw.size(20, 30)):
        share = draw.size(20, 80)
        rows.append({"pair": pair + 1, "arm": arms[pair % 2], "points_1": share, "points_2": 100 - share})
    return rows, Truth("alone", conditions=("arm",), outcomes=("points_1", "points_2"))


def sides_of_deals(draw: Draw) -> tuple[Rows, Truth]:
    """Gains of both seats, which are empty together where there is no deal."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for pair in range(2 * draw.size(20, 30)):
        has_deal, price = draw.rng.random() < 0.8, draw.size(110, 190)
        gains = {"gain_1": 200 - price, "gain_2": price - 100} if has_deal else {"gain_1": None, "gain_2": None}
        rows.append({"pair": pair + 1, "arm": arms[pair % 2], "deal": int(has_deal), **gains})
    return rows, Truth("alone", conditions=("arm",), outcomes=("gain_1", "gain_2"), no_conditions=("deal",))


def sides_of_choices(draw: Draw) -> tuple[Rows, Truth]:
    """What both seats of a dilemma have done and earned."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for pair in range(2 * draw.size(25, 35)):
        first, other = draw.size(0, 1), draw.size(0, 1)
        rows.append(
            {
                "pair": pair + 1, "arm": arms[pair % 2], "choice_1": first, "choice_2": other,
                "money_1": 5 + 5 * other - 2 * first, "money_2": 5 + 5 * first - 2 * other,
            }
        )  # fmt: skip
    no_conditions = ("choice_1", "choice_2", "money_1", "money_2")
    return rows, Truth("alone", conditions=("arm",), no_conditions=no_conditions)


def unnamed_goods(draw: Draw) -> tuple[Rows, Truth]:
    """Groups of three that share a public good, and that nothing but the order of the people tells."""
    arms, rows, groups = draw.pick(ARMS), new_rows(), 2 * draw.size(9, 14)
    people = sorted(draw.ids(3 * groups), key=lambda name: (len(name), name))
    for group in range(groups):
        gifts = draw.rng.integers(0, 21, 3)
        rows += [
            {"person": people[3 * group + place], "arm": arms[group % 2], "give": int(gifts[place]),
             "income": 20 - int(gifts[place]) + 0.5 * int(gifts.sum())}
            for place in range(3)
        ]  # fmt: skip
    return rows, Truth("alone", "person", conditions=("arm",), outcomes=("give", "income"), asks="game")


def unnamed_pairs(draw: Draw) -> tuple[Rows, Truth]:
    """Pairs that divide a pie, and that nothing but the order of the rows tells."""
    arms, rows = draw.pick(ARMS), new_rows()
    for pair in range(2 * draw.size(15, 25)):
        share = draw.size(20, 80)
        rows += [{"arm": arms[pair % 2], "points": points, "age": draw.size(18, 40)} for points in (share, 100 - share)]
    return rows, Truth("alone", conditions=("arm",), outcomes=("points",), no_conditions=("age",), asks="game")


def numbered_members(draw: Draw) -> tuple[Rows, Truth]:
    """People who are numbered in groups and decide several times: who met whom only the numbers say."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for group in range(12):
        level = draw.normal(0, 2)
        for member in range(4):
            rows += [
                {
                    "person": f"U{4 * group + member:03d}", "class": 10 * group + 7, "member": member + 1,
                    "trial": trial + 1, "within": arms[trial % 2], "score": draw.normal(10 + level, 2),
                }
                for trial in range(6)
            ]  # fmt: skip
    return rows, Truth("seats", "person", ("class", "trial"), ("within",), ("score",), ("member",))


def profiles(draw: Draw) -> tuple[Rows, Truth]:
    """Two alternatives side by side, of which each person takes one several times."""
    words = draw.pick((("left", "right"), ("links", "rechts"), ("lewy", "prawy"), ("uno", "dos")))
    rows: Rows = [
        {
            "person": person, "trial": trial + 1,
            **{f"cost_{side}": 100 * draw.size(1, 3) for side in (1, 2)},
            **{f"colour_{side}": ("white", "black")[draw.size(0, 1)] for side in (1, 2)},
            "taken": words[draw.size(0, 1)],
        }
        for person in draw.ids(draw.size(40, 60)) for trial in range(6)
    ]  # fmt: skip
    return rows, Truth("repeated", "person", outcomes=("taken",))


def lone_profiles(draw: Draw) -> tuple[Rows, Truth]:
    """Two alternatives side by side, of which each person takes one once."""
    rows, _ = profiles(draw)
    firsts = [row for row in rows if row.pop("trial") == 1]
    return firsts, Truth("alone", "person")


def profiles_of_arms(draw: Draw) -> tuple[Rows, Truth]:
    """Two alternatives side by side, and a condition of people."""
    rows, truth = profiles(draw)
    arms, people = draw.pick(ARMS[:4]), list(dict.fromkeys(row["person"] for row in rows))
    rows = [{**row, "arm": arms[people.index(row["person"]) % 2]} for row in rows]
    return rows, Truth("repeated", truth.person, conditions=("arm",), outcomes=("taken",))


# Shapes of laboratories, villages and tournaments: who is meant by a number, what a session was, who sat beside whom.


def supergames(draw: Draw) -> tuple[Rows, Truth]:
    """Repeated games of random length: people are numbered anew in each session, whose rows differ in number."""
    rows: Rows = []
    arms = draw.pick(ARMS[:4])
    for session in range(6):
        for match in range(1, draw.size(4, 6)):
            periods = draw.size(2, 4)
            for first, other in draw.rng.permutation(8).reshape(4, 2):
                for number in range(1, periods + 1):
                    moves = [draw.size(0, 1), draw.size(0, 1)]
                    rows += [
                        {
                            "session": session + 1, "arm": arms[session % 2], "id": int(one) + 1,
                            "partner": int(two) + 1, "match": match, "period": number, "coop": moves[place],
                            "pay": 3 * moves[1 - place] + 1,
                        }
                        for place, (one, two) in enumerate(((first, other), (other, first)))
                    ]  # fmt: skip
    return rows, Truth("repeated", "session × id", conditions=("arm",))


def stacked_studies(draw: Draw) -> tuple[Rows, Truth]:
    """Two experiments below each other, whose people are both numbered from 1."""
    arms = draw.pick(ARMS[:4])
    rows: Rows = [
        {"study": study, "person": number + 1, "arm": arms[number % 2], "score": draw.normal(50, 9)}
        for study, count in (("first", draw.size(30, 40)), ("second", draw.size(50, 60)))
        for number in range(count)
    ]
    return rows, Truth("alone", conditions=("arm",), outcomes=("score",))


def unmarked_seats(draw: Draw) -> tuple[Rows, Truth]:
    """Pairs that divide a pie, in which only the two people tell the seats apart."""
    arms, rows, pairs = draw.pick(ARMS), new_rows(), 2 * draw.size(15, 20)
    for pair in range(pairs):
        share = draw.size(20, 80)
        rows += [
            {"person": f"os{2 * pair + place}", "pair": pair + 1, "arm": arms[pair % 2], "points": points}
            for place, points in enumerate((share, 100 - share))
        ]
    return rows, Truth("seats", "person", ("pair",), ("arm",), ("points",))


def groups_of_programs(draw: Draw) -> tuple[Rows, Truth]:
    """Three named programs share a public good in several rounds of each run, with their reasons."""
    arms, rows, models = draw.pick(ARMS[:4]), new_rows(), ("alpha-4", "beta-2")
    reasons = ["we should share more of it now", "I keep what I have this time", "all of us gain if all give"]
    for run in range(4 * draw.size(4, 6)):
        rows += [
            {
                "run": f"run{run:02}", "model": models[run % 2], "arm": arms[run // 2 % 2], "round": number,
                "player": name, "give": draw.size(0, 10), "reason": reasons[draw.size(0, 2)],
            }
            for number in range(1, 7)
            for name in ("Ada", "Ben", "Cleo")
        ]  # fmt: skip
    return rows, Truth("seats", game=("run", "round"), conditions=("model", "arm"), outcomes=("give",))


def pairs_of_periods(draw: Draw) -> tuple[Rows, Truth]:
    """Pairs that are numbered anew in each period of each session, of people who are numbered so too."""
    rows, arms = new_rows(), draw.pick(ARMS[:4])
    for session in range(6):
        for number in range(1, 13):
            for place, person in enumerate(draw.rng.permutation(8)):
                rows.append(
                    {
                        "lab": f"HD{session}", "arm": arms[session % 2], "period": number, "pairno": place // 2 + 1,
                        "subj": int(person) + 1, "move": "HD"[draw.size(0, 1)], "pay": 4 * draw.size(0, 3),
                    }
                )  # fmt: skip
    return rows, Truth("seats", game=("lab", "period", "pairno"), conditions=("arm",), outcomes=("pay",))


def treatments_of_sessions(draw: Draw) -> tuple[Rows, Truth]:
    """Groups of rounds of sessions, each of which had one treatment."""
    rows, words = new_rows(), ("seq", "sim", "rev")
    for session in range(3):
        for number, group in ((number, group) for number in range(1, 4) for group in range(1, 9)):
            share = draw.size(0, 100)
            rows += [
                {
                    "session": f"ab{session}x9k", "person": f"p{session}{group}{seat}q{group}", "period": number,
                    "group": group + 8 * number, "member": seat + 1, "arm": words[session], "points": points,
                }
                for seat, points in enumerate((share, 100 - share))
            ]  # fmt: skip
    return rows, Truth("seats", "person", ("session", "period", "group"), ("arm",), ("points",))


def crossed_stimuli(draw: Draw) -> tuple[Rows, Truth]:
    """Each person answers each of some amounts for each of two groups, in an order that nothing numbers."""
    cells = [(amount, group) for amount in (0, 10, 20, 30, 40, 50) for group in ("own", "foreign")]
    rows: Rows = [
        {"who": f"TP{person:02}", "transfer": cells[at][0], "group": cells[at][1], "cut": max(0, draw.size(-9, 25))}
        for person in range(draw.size(30, 50))
        for at in draw.rng.permutation(len(cells))
    ]
    return rows, Truth("repeated", "who", conditions=("transfer", "group"), outcomes=("cut",))


def two_items_and_codes(draw: Draw) -> tuple[Rows, Truth]:
    """Codes 1 and 2 of a condition and of sex, beside two amounts and three items: nobody chooses between the two."""
    rows: Rows = []
    for place in range(2 * draw.size(30, 40)):
        row: dict[str, object] = {"VPNR": 101 + place, "cond": place % 2 + 1, "sex": draw.size(1, 2)}
        row |= {f"amount{item}": draw.size(10, 90) for item in (1, 2)}
        rows.append(row | {f"trust_{item}": draw.size(1, 7) for item in (1, 2, 3)})
    return rows, Truth("alone", "VPNR", conditions=("cond",), outcomes=("amount1", "amount2"), no_conditions=("sex",))


def models_of_seats(draw: Draw) -> tuple[Rows, Truth]:
    """Each of four models sells to each: what was set is who sat where."""
    models, rows = ("alpha-4", "beta-3", "gamma-70b", "delta"), new_rows()
    for seller, buyer, _ in itertools.product(models, models, range(draw.size(8, 12))):
        price = draw.size(45, 75)
        rows.append(
            {
                "run": f"run_{len(rows):04}", "seller_model": seller, "buyer_model": buyer, "final_price": price,
                "seller_utility": price - 40, "buyer_utility": 80 - price,
            }
        )  # fmt: skip
    return rows, Truth("alone", conditions=("seller_model", "buyer_model"), outcomes=("final_price",))


def offers_with_dates(draw: Draw) -> tuple[Rows, Truth]:
    """Offers with the shares of both, by turns whose order only dates tell; some end at once."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for game in range(2 * draw.size(15, 20)):
        steps = draw.size(1, 6)
        for step in range(steps):
            share = draw.size(20, 80)
            rows.append(
                {
                    "match": f"m{game}", "stamp": f"2022-03-0{1 + game % 9}T10:{step:02}:{draw.size(10, 59)}Z",
                    "role": ("P1", "P2")[step % 2], "share_p1": share, "share_p2": 100 - share,
                    "accepted": step == steps - 1, "arm": arms[game % 2],
                }
            )  # fmt: skip
    return rows, Truth("events", game=("match",), conditions=("arm",))


def members_of_groups(draw: Draw) -> tuple[Rows, Truth]:
    """Sessions of groups of members: only all three numbers together name a person."""
    rows: Rows = []
    for session, group, member in itertools.product(range(1, 5), range(1, 5), range(1, 5)):
        own = draw.size(4, 14)
        rows += [
            {
                "session": session, "group": group, "subject": member, "period": period + 1, "rule": session % 2,
                "give": own + draw.size(-3, 3),
            }
            for period in range(10)
        ]  # fmt: skip
    game = ("session", "group", "period")
    return rows, Truth(
        "seats", "session × group × subject", game, conditions=("rule",), outcomes=("give",), no_conditions=("group",)
    )


def workers_behind_firms(draw: Draw) -> tuple[Rows, Truth]:
    """Workers whose numbers begin in each session behind those of the firms that they meet in turn."""
    rows: Rows = []
    for session, period in itertools.product(range(4), range(1, 9)):
        places = draw.rng.permutation(6)
        rows += [
            {
                "session": f"1104{session}1", "period": period, "Firm": firm + 1, "Worker": int(place) + 7,
                "Wage": 10 * draw.size(1, 10), "effort": draw.normal(0.5, 0.1),
                "contract": ("bonus", "trust")[session % 2],
            }
            for firm, place in enumerate(places)
        ]  # fmt: skip
    return rows, Truth("repeated", "session × Worker", conditions=("contract",), outcomes=("effort",))


# Shapes of villages, markets and tournaments: numbers that begin anew, who met whom, and programs that meet each other.


def pairs_of_villages(draw: Draw) -> tuple[Rows, Truth]:
    """Pairs that are numbered anew in each village, whose people nobody names."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for village in range(1, 13):
        for pair in range(1, draw.size(4, 6)):
            sent = draw.size(0, 10)
            back = round(3 * sent * draw.rng.random())
            rows += [
                {
                    "village": village, "arm": arms[village % 2], "pair": pair, "role": role,
                    "age": draw.size(18, 70), "points": points,
                }
                for role, points in (("sender", 10 - sent + back), ("receiver", 3 * sent - back))
            ]  # fmt: skip
    truth = Truth("seats", game=("village", "pair"), conditions=("arm",), outcomes=("points",), no_conditions=("age",))
    return rows, truth


def people_of_villages(draw: Draw) -> tuple[Rows, Truth]:
    """People who are numbered anew in each village, one row each."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for village in range(10):
        level = draw.normal(0, 2)
        rows += [
            {
                "village": f"V{village:02}", "person": person, "arm": arms[village % 2], "age": draw.size(18, 70),
                "give": max(0, round(draw.normal(8 + level, 3))),
            }
            for person in range(1, draw.size(14, 20))
        ]  # fmt: skip
    truth = Truth("alone", conditions=("arm",), outcomes=("give",), no_conditions=("age", "village"))
    return rows, truth


def catches_of_villages(draw: Draw) -> tuple[Rows, Truth]:
    """Five of each village, who are numbered anew, share a lake for several rounds."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for village, person in itertools.product(range(1, 9), range(1, 6)):
        own = draw.size(4, 14)
        rows += [
            {
                "village": village,
                "arm": arms[village % 2],
                "id": person,
                "round": number,
                "catch": own + draw.size(-3, 3),
            }
            for number in range(1, 9)
        ]
    truth = Truth("seats", game=("village", "round"), conditions=("arm",), outcomes=("catch",))
    return rows, truth


def trades(draw: Draw) -> tuple[Rows, Truth]:
    """Trades in the periods of sessions, each between two of several buyers and sellers who are numbered anew."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for session, period in itertools.product(range(1, 9), range(1, 9)):
        places, count = (draw.rng.permutation(4), draw.rng.permutation(4)), draw.size(2, 4)
        rows += [
            {
                "session": session, "arm": arms[session % 2], "period": period, "buyer": int(buyer) + 1,
                "seller": int(seller) + 5, "price": draw.size(40, 80),
            }
            for buyer, seller in list(zip(*places, strict=True))[:count]
        ]  # fmt: skip
    return rows, Truth("alone", conditions=("arm",), outcomes=("price",))


def markets(draw: Draw) -> tuple[Rows, Truth]:
    """Six traders of each market, and the price that all of them had in each period."""
    arms, rows = draw.pick(ARMS[:4]), new_rows()
    for market, period in itertools.product(range(1, 11), range(1, 7)):
        price = draw.size(40, 80)
        rows += [
            {
                "market": market, "arm": arms[market % 2], "period": period, "trader": trader,
                "role": ("buyer", "seller")[trader > 3], "quantity": draw.size(0, 3), "clearing": price,
            }
            for trader in range(1, 7)
        ]  # fmt: skip
    truth = Truth("seats", game=("market", "period"), conditions=("arm",), outcomes=("quantity",))
    return rows, truth


def profiles_of_programs(draw: Draw) -> tuple[Rows, Truth]:
    """Each of six programs meets each other one in both profiles of three domains."""
    programs = ("Boulware", "Conceder", "TitForTat", "Hybrid", "Random", "Nice")
    meetings = itertools.product(itertools.permutations(programs, 2), ("laptop", "energy", "grocery"), (1, 2))
    rows: Rows = [
        {
            "agent1": one, "agent2": other, "domain": domain, "profile1": f"{domain}_{profile}",
            "profile2": f"{domain}_{3 - profile}", "utility1": draw.normal(0.6, 0.1, 3),
            "utility2": draw.normal(0.5, 0.1, 3),
        }
        for (one, other), domain, profile in meetings
    ]  # fmt: skip
    return rows, Truth("alone", conditions=("agent1", "agent2"), outcomes=("utility1", "utility2"))


def programs_that_change_places(draw: Draw) -> tuple[Rows, Truth]:
    """Two rows for each match of two programs: of each with the other as its opponent."""
    rows, number = new_rows(), 0
    for one, other in itertools.permutations(("Boulware", "Conceder", "TitForTat", "Hybrid", "Random"), 2):
        for place in range(4):
            number, own = number + 1, draw.normal(0.6, 0.1, 3)
            rows += [
                {
                    "match": number,
                    "agent": me,
                    "opponent": you,
                    "domain": ("laptop", "energy")[place % 2],
                    "utility": of,
                }
                for me, you, of in ((one, other, own), (other, one, round(1.1 - own + draw.normal(0, 0.05, 3), 3)))
            ]
    return rows, Truth("seats", game=("match",), outcomes=("utility",))


def round_robins(draw: Draw) -> tuple[Rows, Truth]:
    """Each of six of a group says how much each other one of it is liked."""
    arms = draw.pick(ARMS[:4])
    rows: Rows = [
        {"group": group, "arm": arms[group % 2], "rater": one, "target": other, "liking": draw.size(1, 7)}
        for group in range(1, 7)
        for one, other in itertools.permutations(range(1, 7), 2)
    ]
    return rows, Truth("repeated", "group × rater", conditions=("arm",), outcomes=("liking",))


# Shapes with rows that are no cases: what somebody has computed below the data, or among them.
_SUMMARIES = (
    ("mean", "SD", "n"),
    ("Mittelwert", "Standardabw.", "Anzahl"),
    ("Średnia", "odch. std.", "liczba"),
    ("x", "s", "k"),
)


def summary_of(draw: Draw, rows: Rows, label: str, names: dict[str, str], what: int = 0) -> dict[str, object]:
    """Return a row with the mean, the standard deviation or the number of other rows in columns of numbers."""
    numbers = {name: np.array([float(str(row[name])) for row in rows]) for name in names["numbers"].split()}
    digits = draw.size(1, 3)
    row: dict[str, object] = {names["label"]: label}
    for name, of in numbers.items():
        row[name] = round(float((of.mean(), of.std(ddof=1), len(of))[what]), digits)
    return row


def means_below(draw: Draw) -> tuple[Rows, Truth]:
    """Lone people, and below them the mean, the standard deviation and the number of each column."""
    rows, truth = lone_arms(draw)
    labels, names = draw.pick(_SUMMARIES), {"label": "person", "numbers": "points age"}
    return [*rows, *(summary_of(draw, rows, label, names, what) for what, label in enumerate(labels))], truth


def means_of_arms(draw: Draw) -> tuple[Rows, Truth]:
    """Lone people, arm by arm, with the mean of each arm below it and that of all at the end."""
    rows, truth = lone_arms(draw)
    label, names = draw.pick(_SUMMARIES)[0], {"label": "person", "numbers": "points age"}
    whole = new_rows()
    for arm in dict.fromkeys(row["arm"] for row in rows):
        own = [row for row in rows if row["arm"] == arm]
        whole += [*own, summary_of(draw, own, label, names)]
    return [*whole, summary_of(draw, rows, label, names)], truth


def means_below_trials(draw: Draw) -> tuple[Rows, Truth]:
    """People with trials, and a row of means that nothing names below them."""
    rows, truth = trials_within(draw)
    means = summary_of(draw, rows, "", {"label": "person", "numbers": "score age"})
    return [*rows, {**means, "person": None}], truth


# Shapes with cells that hold two things: both who met, and what each of them got.
_BETWEEN = ((" vs ",), ("+",), (" gegen ",), ("/",), ("_vs_",))


def matches(draw: Draw) -> tuple[Rows, Truth]:
    """Programs that meet each other several times, both in one cell, and what both got in another."""
    programs, (between,) = ("Boulware", "Conceder", "Hybrid", "Random", "Nice"), draw.pick(_BETWEEN)
    rows: Rows = [
        {"pair": f"{one}{between}{other}", "points": f"{draw.size(0, 6)}-{draw.size(0, 6)}", "time": draw.size(9, 90)}
        for one, other in itertools.permutations(programs, 2)
        for _ in range(4)
    ]
    return rows, Truth("alone", outcomes=("points", "time"))


def pairs_of_codes(draw: Draw) -> tuple[Rows, Truth]:
    """Pairs of people, both in one cell that names the pair, and how they divided a hundred."""
    arms, (between,) = draw.pick(ARMS[:4]), draw.pick(_BETWEEN)
    rows: Rows = [
        {
            "pair": f"P{2 * pair:02}{between}P{2 * pair + 1:02}", "arm": arms[pair % 2],
            "points": f"{share}:{100 - share}",
        }
        for pair, share in enumerate(draw.rng.integers(20, 80, 2 * draw.size(18, 30)).tolist())
    ]  # fmt: skip
    return rows, Truth("alone", conditions=("arm",), outcomes=("points",))


def judged_matches(draw: Draw) -> tuple[Rows, Truth]:
    """People who each judge all matches of four teams: they are none of those who stand in a cell."""
    teams, (between,), arms = ("Ajax", "Twente", "Utrecht", "Breda"), draw.pick(_BETWEEN), draw.pick(ARMS[:4])
    rows: Rows = [
        {
            "person": f"J{person:02}", "arm": arms[person % 2], "trial": trial, "stimulus": f"{one}{between}{other}",
            "score": draw.size(1, 9),
        }
        for person in range(2 * draw.size(10, 20))
        for trial, (one, other) in enumerate(draw.rng.permutation([*itertools.permutations(teams, 2)]).tolist(), 1)
    ]  # fmt: skip
    return rows, Truth("repeated", "person", conditions=("arm",), outcomes=("score",))


def paired_ids(draw: Draw) -> tuple[Rows, Truth]:
    """People whose ids are the number of a session and theirs: such a cell is one name."""
    arms = draw.pick(ARMS[:4])
    rows: Rows = [
        {"person": f"{session}-{person}", "arm": arms[session % 2], "trial": trial, "score": draw.normal(10, 2)}
        for session, person in itertools.product(range(1, 7), range(1, 7))
        for trial in range(1, 6)
    ]
    return rows, Truth("repeated", "person", conditions=("arm",), outcomes=("score",))


def bidders_of_lots(draw: Draw) -> tuple[Rows, Truth]:
    """A few of many bidders in each lot, none twice; lots are sold in one of two ways."""
    lots, people = 2 * draw.size(12, 24), draw.ids(draw.size(12, 20))
    ways = draw.pick((("first", "second"), ("open", "sealed"), ("E", "D")))
    rows: Rows = []
    for lot in range(lots):
        for place in draw.rng.choice(len(people), 4, replace=False):
            bid = draw.normal(40, 9, 0)
            rows.append({"lot": f"L{lot + 1}", "bidder": people[place], "arm": ways[lot % 2], "bid": bid})
    return rows, Truth("seats", "bidder", ("lot",), ("arm",), ("bid",))


def votes_of_committees(draw: Draw) -> tuple[Rows, Truth]:
    """Members of committees who vote on the same motions; they are numbered anew in each committee."""
    rules = draw.pick((("majority", "unanimity"), ("offen", "geheim")))
    rows: Rows = [
        {
            "committee": committee + 1, "motion": motion + 1, "member": member + 1, "arm": rules[committee % 2],
            "vote": draw.pick((("yes",), ("no",)))[0], "points": draw.size(0, 10),
        }
        for committee in range(2 * draw.size(4, 8))
        for motion in range(8)
        for member in range(5)
    ]  # fmt: skip
    return rows, Truth("seats", "committee × member", ("committee", "motion"), ("arm",), ("points", "vote"))


def third_parties(draw: Draw) -> tuple[Rows, Truth]:
    """People who punish what a dictator gave, the same amounts for each; a condition between people."""
    arms = draw.pick(ARMS[:4])
    rows: Rows = []
    for place, person in enumerate(draw.ids(2 * draw.size(10, 20))):
        own = draw.normal(0, 0.8)
        for trial, gave in enumerate(draw.rng.permutation([0, 10, 20, 30, 40, 50])):
            taken = max(0, round(4 - int(gave) / 12 + own + draw.normal(0, 1)))
            rows.append(
                {"person": person, "trial": trial + 1, "arm": arms[place % 2], "gave": int(gave), "taken_away": taken}
            )
    return rows, Truth("repeated", "person", conditions=("arm",), outcomes=("taken_away",))


def runs_of_models(draw: Draw) -> tuple[Rows, Truth]:
    """Runs of each of three models at each temperature with each persona, numbered anew in each of these."""
    rows: Rows = [
        {
            "model": model, "temperature": temperature, "persona": persona, "run": run + 1,
            "price": draw.normal(120, 15), "turns": draw.size(3, 14),
        }
        for model in ("gpt-4o", "claude-3", "llama-70b")
        for temperature in (0, 0.7, 1.0)
        for persona in ("polite", "tough")
        for run in range(8)
    ]  # fmt: skip
    return rows, Truth("alone", conditions=("model", "temperature", "persona"), outcomes=("price", "turns"))


def commons(draw: Draw) -> tuple[Rows, Truth]:
    """What groups took out of a resource in each period; nothing is known of their members."""
    arms = draw.pick(ARMS[:4])
    rows: Rows = []
    for group in range(2 * draw.size(6, 12)):
        stock, own = 100.0, draw.normal(0, 2)
        for period in range(12):
            harvest = max(0.0, draw.normal(9 + own, 2))
            stock = round(max(0.0, stock - harvest) * 1.08, 1)
            rows.append(
                {
                    "group": f"G{group + 1}", "period": period + 1, "arm": arms[group % 2], "harvest": harvest,
                    "stock": stock,
                }
            )  # fmt: skip
    return rows, Truth("repeated", "group", conditions=("arm",), outcomes=("harvest", "stock"))


def crossovers(draw: Draw) -> tuple[Rows, Truth]:
    """People in two periods, with one treatment in each, in one of two orders."""
    arms = draw.pick(ARMS[:4])
    rows: Rows = []
    for place, person in enumerate(draw.ids(2 * draw.size(10, 25))):
        own = draw.normal(0, 3)
        rows += [
            {
                "person": person, "sequence": "BA" if place % 2 else "AB", "period": period,
                "within": arms[(place + period) % 2], "score": draw.normal(20 + own, 3),
            }
            for period in (1, 2)
        ]  # fmt: skip
    return rows, Truth("repeated", "person", conditions=("within",), outcomes=("score",))


def pairs_of_clients(draw: Draw) -> tuple[Rows, Truth]:
    """Pairs drawn anew in the third to the fifth match of sessions of eight to twelve people, who are numbered anew."""
    rows, seats = new_rows(), draw.pick(SEATS[:3])
    for session in range(draw.size(9, 14)):
        n_pairs, n_matches = draw.size(4, 6), 2 + session % 2
        ages, sexes = draw.rng.integers(7, 17, 2 * n_pairs), draw.rng.choice(["f", "m"], 2 * n_pairs)
        for match in range(3, 3 + n_matches):
            for place, person in enumerate(draw.rng.permutation(2 * n_pairs).tolist()):
                share = draw.size(0, 10) if place % 2 == 0 else 10 - int(str(rows[-1]["points"]))
                rows.append(
                    {
                        "session": f"k{session * 37 % 41}x{session}", "client": person + 1, "match": match,
                        "group": place // 2, "role": seats[place % 2], "points": share, "age": int(ages[person]),
                        "sex": str(sexes[person]),
                    }
                )  # fmt: skip
    person = "session × client"
    return rows, Truth("seats", person, ("session", "match", "group"), (), ("points",), ("age", "sex"))


def laboratories(draw: Draw) -> tuple[Rows, Truth]:
    """Groups of three, 1.2 and 2.1, that are drawn anew in each period from half of a session, at computers.

    People are numbered anew in each session; the computers are those of one laboratory, and somebody else's each time.
    """
    arms = draw.pick(ARMS[:4])
    rows: Rows = []
    for session in range(2 * draw.size(3, 5)):
        computers = draw.rng.permutation(16)[:12]
        ages = draw.rng.integers(18, 40, 12)
        for period in range(draw.size(5, 8)):
            people = [*draw.rng.permutation(6), *(6 + draw.rng.permutation(6))]
            rows += [
                {
                    "session": f"s-{session * 37 % 41}x{session}", "period": period + 1,
                    "group": f"{place // 6 + 1}.{place // 3 % 2 + 1}", "place": place % 3 + 1,
                    "id": int(person) + 1, "client": f"cl-{computers[person] + 1}", "age": int(ages[person]),
                    "arm": arms[session % 2], "give": draw.size(0, 20),
                }
                for place, person in enumerate(people)
            ]  # fmt: skip
    return rows, Truth(
        "seats", "session × id", ("session", "period", "group"), ("arm",), ("give",), ("client", "place")
    )


def dealings(draw: Draw) -> tuple[Rows, Truth]:
    """People who may give to each of the same five others in each round, who are of their own group or of another."""
    arms, kinds = draw.pick(ARMS[:4]), draw.pick((("own", "other"), ("innen", "aussen"), ("X", "Y")))
    rows: Rows = []
    for session in range(2 * draw.size(4, 6)):
        own_group = 2 + session // 2 % 2
        ids, tendency = draw.ids(6), draw.rng.uniform(0.2, 0.8, 6)
        for person, period, other in itertools.product(range(6), range(6), range(6)):
            if other != person:
                is_own = (person < own_group) == (other < own_group)
                rows.append(
                    {
                        "session": f"s{session}", "person": f"{session}{ids[person]}", "period": period + 1,
                        "opponent": other + 1, "arm": arms[session % 2], "within": kinds[1 - is_own],
                        "gave": int(draw.rng.random() < tendency[person] + 0.2 * is_own),
                    }
                )  # fmt: skip
    return rows, Truth("repeated", "person", conditions=("arm", "within"), outcomes=("gave",))


TUNED: tuple[Family, ...] = (
    trials_between, trials_within, dyads, lone_arms, responders, proposers, deals, public_goods, events, vignettes,
    trust, two_by_two, new_numbers, talks, blocks,
)  # fmt: skip
HELD_OUT: tuple[Family, ...] = (
    classes, two_waves, dictators, triads, judges, quota, bargaining, fixed_pairs, three_arms, reaction_times,
    tournament, dropouts, nameless, unnumbered, diaries,
)  # fmt: skip
SHAPES: tuple[Family, ...] = (
    zero_sum_sides, sides_of_deals, sides_of_choices, unnamed_goods, unnamed_pairs, numbered_members, profiles,
    lone_profiles, profiles_of_arms, supergames, stacked_studies, unmarked_seats, groups_of_programs, pairs_of_periods,
    treatments_of_sessions, crossed_stimuli, two_items_and_codes, models_of_seats, offers_with_dates,
    members_of_groups, workers_behind_firms, pairs_of_villages, people_of_villages, catches_of_villages, trades,
    markets, profiles_of_programs, programs_that_change_places, round_robins, means_below, means_of_arms,
    means_below_trials, matches, pairs_of_codes, judged_matches, paired_ids, pairs_of_clients,
    bidders_of_lots, votes_of_committees, third_parties, runs_of_models, commons, crossovers,
    laboratories, dealings,
)  # fmt: skip
SEEDS = range(8)


def labelled(family: Family, seed: int) -> Labelled:
    """Return the table of a family with a seed; names are English, of one of three languages, or numbers."""
    place = 1_000 * [*TUNED, *HELD_OUT, *SHAPES].index(family) + seed
    draw = Draw(place)
    rows, truth = family(draw)
    frame = pd.DataFrame(rows)
    names = {}
    for number, column in enumerate(frame.columns, 1):
        of_languages = NAMES.get(column, (column, column, column, column))
        language = 1 + (seed // 2) % 3
        names[column] = f"c{number}" if seed % 4 == 3 else of_languages[language if seed % 2 else 0]
    if seed % 3 == 2:  # a row that stands twice, and a cell that was empty
        frame = pd.concat([frame, frame.iloc[[int(draw.rng.integers(len(frame)))]]], ignore_index=True)
    return Labelled(f"{family.__name__}-{seed}", frame, truth).renamed(names)
