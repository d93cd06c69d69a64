"""CaSiNo's dialogues as columns, and how a dialogue contradicts itself.

What the columns mean stands in `negstats.loaders.casino`, how the JSON looks in `negstats.loaders.casino.schema`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, compress
from operator import attrgetter

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from negstats.loaders.casino.schema import Dialogue, Priorities, Quantity, TaskData
from negstats.loaders.files.columns import Texts, chosen, texts

SEATS = ("mturk_agent_1", "mturk_agent_2")
ISSUES = ("Firewood", "Food", "Water")
POINTS = {"High": 5, "Medium": 4, "Low": 3}
AVAILABLE = 3
WALK_AWAY_POINTS = 5

TALK, SUBMIT, ACCEPT, REJECT, WALK = range(5)
ACTIONS = ("Submit-Deal", "Accept-Deal", "Reject-Deal", "Walk-Away")  # codes 1 to 4

# Each question with the place of its answer: first those about the game, then those about the person.
QUESTIONS = {
    "satisfaction": "outcomes.satisfaction",
    "opponent_likeness": "outcomes.opponent_likeness",
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
ABOUT_THE_GAME = 2

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Chat:
    """All messages in order: their game, seat, code of action, text and labels; what was submitted."""

    starts: Ints  # place of each game's first message, and one past the last
    game: Ints
    seat: Ints
    act: Ints
    text: Texts
    labels: Texts
    astray: list[int]  # games with an annotation that is of none of their utterances
    submitted: list[TaskData]

    @classmethod
    def of(cls, dialogues: Sequence[Dialogue]) -> Chat:
        """Take the messages out of the dialogues."""
        logs = [dialogue.chat_logs for dialogue in dialogues]
        starts = [0, *accumulate(map(len, logs))]
        messages = list(chain.from_iterable(logs))
        utterances = [message.text for message in messages]
        code = {seat: place for place, seat in enumerate(SEATS)}
        seat = np.array([code[message.id] for message in messages], dtype=np.int64)
        game = np.repeat(np.arange(len(logs)), np.diff(starts))
        text = texts(utterances)
        act = pc.index_in(text, texts(ACTIONS)).fill_null(-1).to_numpy().astype(np.int64) + 1
        labels, astray = _put([dialogue.annotations for dialogue in dialogues], utterances, starts)
        submitted = [message.task_data for message in compress(messages, act == SUBMIT)]
        return cls(np.array(starts), game, seat, act, text, labels, astray, submitted)


def _put(
    annotations: Sequence[list[tuple[str, str]]], utterances: Sequence[str], starts: Sequence[int]
) -> tuple[Texts, list[int]]:
    """Put each annotation to the next utterance of its game with its text; return the labels, and the games astray."""
    places: list[int] = []
    labels: list[str] = []
    astray = []
    for game, annotated in enumerate(annotations):
        place, end = starts[game], starts[game + 1]
        for text, label in annotated:
            while place < end and utterances[place] != text:
                place += 1
            if place == end:
                astray.append(game)
                break
            places.append(place)
            labels.append(label)
            place += 1
    row = np.full(len(utterances), -1)
    row[places] = np.arange(len(places))
    return chosen(texts(labels), row), astray


@dataclass(frozen=True, slots=True)
class People:
    """All seats, two a game: what a unit of each issue is worth to them, their points, ages and answers."""

    worth: Floats  # (seats, issues); 0 where the priorities name an issue twice and so leave one out
    points: Floats
    ages: list[int]
    answers: list[Texts]  # one column a question

    @classmethod
    def of(cls, dialogues: Sequence[Dialogue]) -> People:
        """Take the seats out of the dialogues."""
        infos = [dialogue.participant_info for dialogue in dialogues]
        people = [person for info in infos for person in (info.mturk_agent_1, info.mturk_agent_2)]
        # Person by person: column by column, each would be fetched from memory as often as there are questions.
        columns = list(zip(*map(attrgetter(*QUESTIONS.values()), people), strict=True)) or [()] * len(QUESTIONS)
        answers = dict(zip(QUESTIONS, columns, strict=True))
        return cls(
            _worth([person.value2issue for person in people]),
            np.array([person.outcomes.points_scored for person in people], dtype=np.float64),
            list(answers["age"]),
            [_spelled(answer_texts) for answer_texts in answers.values()],
        )


def _worth(priorities: Sequence[Priorities]) -> Floats:
    code = {issue: place for place, issue in enumerate(ISSUES)}
    worth = np.zeros((len(priorities), len(ISSUES)))
    for level, points in POINTS.items():
        issue = [code[issue] for issue in map(attrgetter(level), priorities)]
        worth[np.arange(len(priorities)), issue] = points
    return worth


def _spelled(values: Sequence[str] | Sequence[float]) -> Texts:
    """Return answers as text; each distinct number is spelled once."""
    if not values or isinstance(values[0], str):
        return texts(values)  # type: ignore[arg-type]
    if isinstance(values[0], int):
        return texts(list(map(str, values)))
    numbers = pa.array(values, pa.float64()).dictionary_encode()
    return chosen(list(map(str, numbers.dictionary.to_pylist())), numbers.indices)


@dataclass(frozen=True, slots=True)
class Deals:
    """All deal actions in order, each with the code of the action before and after it in its game (or TALK)."""

    game: Ints
    seat: Ints
    act: Ints
    before: Ints
    after: Ints
    alone: Mask  # whether the action before is of the same seat
    gets: Floats  # (offers, proposer and responder, issues): units

    @classmethod
    def of(cls, chat: Chat) -> Deals:
        """Take the deal actions out of the messages."""
        rows = np.flatnonzero(chat.act)
        game, seat, act = chat.game[rows], chat.seat[rows], chat.act[rows]
        same_game = game[1:] == game[:-1]
        previous_act, next_act, same_seat = np.zeros_like(act), np.zeros_like(act), np.zeros(len(act), dtype=bool)
        previous_act[1:], next_act[:-1], same_seat[1:] = (
            act[:-1] * same_game,
            act[1:] * same_game,
            seat[:-1] == seat[1:],
        )
        return cls(game, seat, act, previous_act, next_act, same_seat, _divisions(chat.submitted))


def _divisions(submitted: Sequence[TaskData]) -> Floats:
    number = {text: float(text) for text in Quantity.__args__}  # type: ignore[attr-defined]
    gets = np.empty((len(submitted), 2, len(ISSUES)))
    for side, name in enumerate(("issue2youget", "issue2theyget")):
        for place, issue in enumerate(ISSUES):
            gets[:, side, place] = [number[text] for text in map(attrgetter(f"{name}.{issue}"), submitted)]
    return gets


@dataclass(frozen=True, slots=True)
class Log:
    """Dialogues as columns; the games are counted from 0 in their order."""

    ids: list[int]
    chat: Chat
    people: People
    deals: Deals

    @classmethod
    def of(cls, dialogues: Sequence[Dialogue]) -> Log:
        """Turn dialogues into columns."""
        chat = Chat.of(dialogues)
        ids = [dialogue.dialogue_id for dialogue in dialogues]
        return cls(ids, chat, People.of(dialogues), Deals.of(chat))

    @property
    def offers(self) -> Ints:
        """The places of the offers among the deal actions."""
        return np.flatnonzero(self.deals.act == SUBMIT)

    @property
    def last(self) -> Ints:
        """The code of each game's last deal action."""
        last = np.zeros(len(self.ids), dtype=np.int64)
        last[self.deals.game] = self.deals.act
        return last

    def worths(self) -> Floats:
        """Return what each offer is worth, (offers, proposer and responder), in points."""
        game, seat = self.deals.game[self.offers], self.deals.seat[self.offers]
        seats = 2 * game[:, None] + np.stack([seat, 1 - seat], axis=1)
        worths: Floats = (self.deals.gets * self.people.worth[seats]).sum(axis=2)
        return worths

    def deserved(self) -> Floats:
        """Return the points that each seat should have by the rules; missing if nobody accepted or walked away."""
        points = np.full((len(self.ids), len(SEATS)), np.nan)
        is_accepted = self.deals.after[self.offers] == ACCEPT
        game, seat = self.deals.game[self.offers][is_accepted], self.deals.seat[self.offers][is_accepted]
        points[game[:, None], np.stack([seat, 1 - seat], axis=1)] = self.worths()[is_accepted]
        points[self.last == WALK] = WALK_AWAY_POINTS
        return points.ravel()

    def faults(self) -> dict[int, str]:
        """Return the games that contradict themselves, and how."""
        deals, people = self.deals, self.people
        answer = (deals.act == ACCEPT) | (deals.act == REJECT)
        wrong_sum = (deals.gets.sum(axis=1) != AVAILABLE).any(axis=1)
        wrong_points = np.abs(self.deserved() - people.points) > 1e-9
        games_by_fault = {  # where there are several, the last is given
            "the points do not follow from the deal": np.flatnonzero(wrong_points) // 2,
            "an annotation belongs to none of the utterances": self.chat.astray,
            "a deal action follows the end": deals.game[(deals.before == ACCEPT) | (deals.before == WALK)],
            "an answer to no offer of the other": deals.game[answer & ((deals.before != SUBMIT) | deals.alone)],
            f"an offer does not divide {AVAILABLE} of each issue": deals.game[self.offers][wrong_sum],
            "an issue has two priorities": np.flatnonzero((people.worth == 0).any(axis=1)) // 2,
        }
        return {int(game): reason for reason, games in games_by_fault.items() for game in games}
