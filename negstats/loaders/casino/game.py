"""One dialogue of CaSiNo as a game: how it contradicts itself, and its rows in a study's tables.

What the rows mean stands in `negstats.loaders.casino`, how the JSON looks in `negstats.loaders.casino.schema`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple

from negstats.loaders.casino.schema import Dialogue, Division, Message, Person
from negstats.loaders.files.row_tables import Rows

SEATS = ("mturk_agent_1", "mturk_agent_2")
ISSUES = ("Firewood", "Food", "Water")
POINTS = {"High": 5.0, "Medium": 4.0, "Low": 3.0}
AVAILABLE = 3.0
WALK_AWAY_POINTS = 5.0
SUBMIT, ACCEPT, REJECT, WALK = "Submit-Deal", "Accept-Deal", "Reject-Deal", "Walk-Away"
ACTIONS = (SUBMIT, ACCEPT, REJECT, WALK)
RESPONSES = {SUBMIT: "superseded", ACCEPT: "accepted", REJECT: "rejected"}  # to an offer, by the next action
ENDED = {ACCEPT: "agreement", WALK: "walkaway"}  # by the last action

# Each question with the place of its answer: first those about the game, then those about the person.
ABOUT_THE_GAME = {"satisfaction": "outcomes.satisfaction", "opponent_likeness": "outcomes.opponent_likeness"}
ABOUT_THE_PERSON = {
    "age": "demographics.age",
    "gender": "demographics.gender",
    "ethnicity": "demographics.ethnicity",
    "education": "demographics.education",
    "svo": "personality.svo",
    "extraversion": "personality.big_five.extraversion",
    "agreeableness": "personality.big_five.agreeableness",
    "conscientiousness": "personality.big_five.conscientiousness",
    "emotional-stability": "personality.big_five.emotional_stability",
    "openness-to-experiences": "personality.big_five.openness_to_experiences",
    "reason_high": "value2reason.High",
    "reason_medium": "value2reason.Medium",
    "reason_low": "value2reason.Low",
}


class Offer(NamedTuple):
    """A Submit-Deal: the units and the points that each seat would get, the proposer first; the next deal action."""

    units: dict[str, dict[str, float]]
    points: dict[str, float]
    following: str | None


class Game:
    """A dialogue.

    Attributes
    ----------
    people : dict
        The persons, by seat.
    worths : dict
        What a unit of each issue is worth, by seat; an issue is missing where another one has two priorities.
    actions : list of Message
        The deal actions in order.
    offers : list of Offer
        The divisions that were submitted, in order.
    labels : list of (str or None)
        What each message is annotated with.
    astray : bool
        Whether an annotation is of none of the utterances.
    """

    def __init__(self, dialogue: Dialogue) -> None:
        self.dialogue, self.name = dialogue, f"casino-{dialogue.dialogue_id}"
        self.people: dict[str, Person] = {seat: getattr(dialogue.participant_info, seat) for seat in SEATS}
        self.worths = {
            seat: {getattr(person.value2issue, level): points for level, points in POINTS.items()}
            for seat, person in self.people.items()
        }
        self.actions = [message for message in dialogue.chat_logs if message.text in ACTIONS]
        self.offers = list(self._offers())
        self.labels, self.astray = _put_labels(dialogue.annotations, dialogue.chat_logs)

    def _offers(self) -> Iterator[Offer]:
        for action, following in pairwise([*self.actions, None]):
            if action is not None and action.text == SUBMIT:
                divisions = (action.task_data.issue2youget, action.task_data.issue2theyget)
                seats = (action.id, _partner(action.id))
                units = {seat: _units(division) for seat, division in zip(seats, divisions, strict=True)}
                points = {
                    seat: sum(quantity * self.worths[seat].get(issue, 0.0) for issue, quantity in of_seat.items())
                    for seat, of_seat in units.items()
                }
                yield Offer(units, points, None if following is None else following.text)

    @property
    def ended(self) -> str:
        """How it ended, by the last deal action."""
        return ENDED.get(self.actions[-1].text, "unknown") if self.actions else "unknown"

    def fault(self) -> str | None:
        """Return how the dialogue contradicts itself."""
        if any(len(worth) < len(ISSUES) for worth in self.worths.values()):
            return "an issue has two priorities"
        for offer in self.offers:
            if any(sum(units[issue] for units in offer.units.values()) != AVAILABLE for issue in ISSUES):
                return f"an offer does not divide {AVAILABLE:g} of each issue"
        answers = [place for place, action in enumerate(self.actions) if action.text in (ACCEPT, REJECT)]
        if not all(place and self._answers(*self.actions[place - 1 : place + 1]) for place in answers):
            return "an answer to no offer of the other"
        if any(action.text in ENDED for action in self.actions[:-1]):
            return "a deal action follows the end"
        if self.astray:
            return "an annotation belongs to none of the utterances"
        scores = {seat: person.outcomes.points_scored for seat, person in self.people.items()}
        if any(abs(scores[seat] - points) > 1e-9 for seat, points in self._due().items()):
            return "the points do not follow from the deal"
        return None

    @staticmethod
    def _answers(before: Message, action: Message) -> bool:
        return before.text == SUBMIT and before.id != action.id

    def _due(self) -> dict[str, float]:
        """Return the points that each seat should have by the rules; none if nobody accepted or walked away."""
        if self.ended == "walkaway":
            return dict.fromkeys(SEATS, WALK_AWAY_POINTS)
        return self.offers[-1].points if self.ended == "agreement" else {}

    def rows(self, split: str | None) -> Rows:
        """Return the rows of the tables; `split` is the factor of that name, if there is one."""
        game: dict[str, Any] = {"game_id": self.name, "study": "CaSiNo", "scenario": "campsite", "protocol": "chat"}
        split_factor = {} if split is None else {"split": split}
        rows: Rows = {
            "games": [game | {"ended": self.ended} | split_factor],
            "players": [],
            "values": [],
            "answers": [],
        }
        for seat, person in self.people.items():
            who, points = f"{self.name}-{seat}", person.outcomes.points_scored
            player = {"player": seat, "kind": "human", "participant_id": who, "points": points}
            rows["players"].append({"game_id": self.name, **player, "batna": WALK_AWAY_POINTS})
            rows["values"] += [
                {"game_id": self.name, "player": seat, "item": issue, "available": AVAILABLE, "value": worth}
                for issue, worth in sorted(self.worths[seat].items())
            ]
            for about, questions in ((self.name, ABOUT_THE_GAME), (None, ABOUT_THE_PERSON)):
                rows["answers"] += [
                    {"participant_id": who, "game_id": about, "question": question, "answer": str(answer)}
                    for question, place in questions.items()
                    for answer in [attrgetter(place)(person)]
                ]
        return rows | self._offer_rows() | {"messages": self._messages()}

    def _offer_rows(self) -> Rows:
        rows: Rows = {"offers": [], "items": []}
        for number, offer in enumerate(self.offers, 1):
            key: dict[str, Any] = {"game_id": self.name, "offer": number}
            row = key | {"response": RESPONSES.get(offer.following or "", "none")}
            for side, (seat, units) in zip(("proposer", "responder"), offer.units.items(), strict=True):
                row |= {side: seat, f"units_to_{side}": sum(units.values()), f"value_{side}": offer.points[seat]}
                items = [key | {"item": issue, "receiver": seat, "quantity": units[issue]} for issue in ISSUES]
                rows["items"] += items
            rows["offers"].append(row)
        return rows

    def _messages(self) -> list[dict[str, Any]]:
        return [
            {
                "game_id": self.name,
                "message": number,
                "sender": message.id,
                "text": None if message.text in ACTIONS else message.text,
                "act": message.text.lower() if message.text in ACTIONS else None,
                "labels": label,
            }
            for number, (message, label) in enumerate(zip(self.dialogue.chat_logs, self.labels, strict=True), 1)
        ]


def _partner(seat: str) -> str:
    return SEATS[1 - SEATS.index(seat)]


def _units(division: Division) -> dict[str, float]:
    return {issue: float(getattr(division, issue)) for issue in ISSUES}


def _put_labels(annotations: Sequence[tuple[str, str]], messages: Sequence[Message]) -> tuple[list[str | None], bool]:
    """Put each annotation to the next utterance with its text; return the labels, and whether one has no utterance."""
    labels: list[str | None] = [None] * len(messages)
    place = 0
    for text, label in annotations:
        while place < len(messages) and messages[place].text != text:
            place += 1
        if place == len(messages):
            return labels, True
        labels[place] = label
        place += 1
    return labels, False
