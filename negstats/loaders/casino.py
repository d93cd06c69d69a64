"""CaSiNo: two people plan a camping trip and divide food, water and firewood in a chat (data card below).

Source
    K. Chawla, J. Ramirez, R. Clever, G. Lucas, J. May, J. Gratch: CaSiNo: A Corpus of Campsite Negotiation Dialogues
    for Automatic Negotiation Systems, NAACL 2021; github.com/kushalchawla/CaSiNo. Licence CC BY 4.0.
Files
    ``casino_train.json``, ``casino_valid.json``, ``casino_test.json``: each a list of dialogues. A folder that holds
    several gives the games a factor ``split`` after the files' names.
Game
    One dialogue; ``casino-`` and its ``dialogue_id``. It ends with an accepted deal (agreement) or with somebody
    walking away (walkaway); a dialogue with neither is unknown. Rounds are not counted by the source.
Player
    ``mturk_agent_1`` and ``mturk_agent_2``, both human. The source does not say who took part twice, so each seat of
    each dialogue has a ``participant_id`` of its own. A unit of the issue of high, medium and low priority is worth
    5, 4 and 3 points, there are three units of each, and who walks away has 5 points (``batna``).
Offer
    One Submit-Deal: what the proposer and the other would get. Its response is the next deal action: accepted,
    rejected, superseded by another Submit-Deal, or none, if somebody walks away instead of answering.
Message
    Every utterance and every deal action. An action has an ``act`` and no ``text``. Labels are the annotated
    strategies.
Answer
    Satisfaction and liking of the opponent are about the game. Age, gender, ethnicity, education, social value
    orientation (``svo``), the big five and the reasons for the priorities are about the person.

Traps, and what is done about them
    Quantities are text, and issues and seats stand in any order: both are read by name. After a rejection the
    proposer often writes again, so turns need not alternate: kept in order. Some annotated dialogues lack an
    annotation: the others are put to their utterances by their text, the one without has no labels; noted. A list of
    labels may hold an empty one: kept as it is; noted. Ages under 18: kept as given; noted. A dialogue that
    contradicts itself is left out with the reason: points that do not follow from the deal, quantities that do not
    add up to what there is, an answer to no offer of the other, a deal action after the end, an issue with two
    priorities, an annotation of no utterance. Anything that is not there, or of another type, is a LogError that
    names the file, the row (the dialogue's place in the list, from 1) and as column the path of keys (places in
    lists count from 0); so is a dialogue that is there twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from negstats.errors import LogError, one_line, shown
from negstats.loaders.files.intake import Intake, beginning
from negstats.loaders.files.objects import json_places
from negstats.loaders.files.parts import LISTED
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import ALL_FILES, first_evidence, own_files
from negstats.loaders.format import SIGNATURE, Evidence, Format, Strength, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

Seat = Literal["mturk_agent_1", "mturk_agent_2"]
Issue = Literal["Firewood", "Food", "Water"]
Quantity = Literal["0", "1", "2", "3"]  # the source writes numbers as text here


class Division(msgspec.Struct, gc=False, frozen=True, forbid_unknown_fields=True):
    """How many units of each issue one side gets."""

    Firewood: Quantity
    Food: Quantity
    Water: Quantity


_NOTHING = Division("0", "0", "0")


class TaskData(msgspec.Struct, gc=False):
    """What a Submit-Deal divides; the other actions and plain talk have nothing here."""

    issue2youget: Division = _NOTHING
    issue2theyget: Division = _NOTHING


class Message(msgspec.Struct, gc=False):
    """An utterance, or an action if the text is one of `ACTIONS`."""

    text: str
    task_data: TaskData
    id: Seat


class Priorities(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """The issue of each priority."""

    High: Issue
    Medium: Issue
    Low: Issue


class Reasons(msgspec.Struct, gc=False):
    """Why each issue has its priority, in the person's words."""

    High: str
    Medium: str
    Low: str


class Outcomes(msgspec.Struct, gc=False):
    """The points, and what the person thinks of the result and of the opponent."""

    points_scored: float
    satisfaction: str
    opponent_likeness: str


class Demographics(msgspec.Struct, gc=False):
    """Who the person is."""

    age: int
    gender: str
    ethnicity: str
    education: str


class BigFive(msgspec.Struct, gc=False, rename="kebab"):
    """The big five, each from 1 to 7."""

    extraversion: float
    agreeableness: float
    conscientiousness: float
    emotional_stability: float
    openness_to_experiences: float


class Personality(msgspec.Struct, gc=False, rename="kebab"):
    """Social value orientation and the big five."""

    svo: str
    big_five: BigFive


class Person(msgspec.Struct, gc=False):
    """One seat."""

    value2issue: Priorities
    value2reason: Reasons
    outcomes: Outcomes
    demographics: Demographics
    personality: Personality


class Seats(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """Both seats."""

    mturk_agent_1: Person
    mturk_agent_2: Person


class Dialogue(msgspec.Struct, gc=False):
    """One game; an annotation is an utterance and its labels, comma separated."""

    dialogue_id: int
    chat_logs: list[Message]
    participant_info: Seats
    annotations: list[tuple[str, str]]


_FAULT = re.compile(r"(?P<reason>.*?)(?: - at `\$\.?(?P<path>.*)`)?", re.DOTALL)


def parse(data: bytes, file: Path) -> list[tuple[int, Dialogue]]:
    """Parse a file's content: each dialogue with its place in the list, from 1, but those that are left out.

    Raises
    ------
    LogError
        With the dialogue's place and the path of keys.
    """
    return [(row, _dialogue(content, file, row)) for row, content in json_places(data, file)]


def _dialogue(content: dict[str, Any], file: Path, row: int) -> Dialogue:
    try:
        return msgspec.convert(content, Dialogue)
    except msgspec.ValidationError as error:
        fault_match = _FAULT.fullmatch(one_line(error))
        assert fault_match is not None  # noqa: S101 - the pattern takes any text
        reason, path = fault_match["reason"], fault_match["path"] or ""
        field = re.search(r"field `(.*)`", reason)  # it is not there, or nobody knows it
        column = ".".join(filter(None, (path, field and field[1])))
        text = f"{shown(_value_at(content, path))} does not fit: {reason}"
        raise LogError(text, file=file, row=row, column=column or None) from None


def _value_at(value: Any, place: str) -> Any:
    for key in re.findall(r"[^.\[\]]+", place):
        if isinstance(value, list):
            value = value[int(key)]
        elif isinstance(value, dict):
            value = value.get(key)
    return value


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
    """A Submit-Deal: who proposes to whom, the units and the points that each seat would get; the next deal action."""

    seats: tuple[str, str]
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
                yield Offer(seats, units, points, None if following is None else following.text)

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

    def add_to(self, rows: Gathered, split: str | None) -> None:
        """Add its rows; `split` is the factor of that name, if there is one."""
        game: dict[str, Any] = {"game_id": self.name, "study": "CaSiNo", "scenario": "campsite", "protocol": "chat"}
        rows.add("games", **game, ended=self.ended, **({} if split is None else {"split": split}))
        for seat, person in self.people.items():
            who, points = f"{self.name}-{seat}", person.outcomes.points_scored
            player = {"player": seat, "kind": "human", "participant_id": who, "points": points}
            rows.add("players", game_id=self.name, **player, batna=WALK_AWAY_POINTS)
            worths = dict(sorted(self.worths[seat].items()))
            rows.add_unit_values(self.name, seat, worths, dict.fromkeys(ISSUES, AVAILABLE))
            for about, questions in ((self.name, ABOUT_THE_GAME), (None, ABOUT_THE_PERSON)):
                for question, place in questions.items():
                    answer = str(attrgetter(place)(person))
                    rows.add("answers", participant_id=who, game_id=about, question=question, answer=answer)
        for offer in self.offers:
            rows.add_offer(
                self.name,
                offer.seats,
                values=offer.points,
                units={seat: sum(units.values()) for seat, units in offer.units.items()},
                shares=offer.units,
                response=RESPONSES.get(offer.following or "", "none"),
            )
        for message, label in zip(self.dialogue.chat_logs, self.labels, strict=True):
            is_action = message.text in ACTIONS
            text, act = (None, message.text.lower()) if is_action else (message.text, None)
            rows.add_next("messages", self.name, sender=message.id, text=text, act=act, labels=label)


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


VERSION = "1"
ADULT = 18

_START = re.compile(rb'\s*\[\s*\{\s*"(dialogue_id|chat_logs|participant_info|annotations)"')
_OWN = re.compile(rb'"(chat_logs|participant_info)"\s*:')  # others' dialogues have a dialogue_id too
_LOOKED_AT = 1 << 16  # bytes; a dialogue has some 8,000


def _is_casino(file: Path) -> bool:
    start = beginning(file, _LOOKED_AT)
    return _START.match(start) is not None and _OWN.search(start) is not None


def _describe(file: Path) -> tuple[Strength, str] | None:
    return (SIGNATURE, "begins as a list of CaSiNo's dialogues") if _is_casino(file) else None


def _matches(path: Path) -> Evidence | None:
    return first_evidence(path, _describe, ".json", most=ALL_FILES)


def _may_be_casino(file: Path) -> bool:
    """Whether a file looks like CaSiNo, or is named so and may be damaged."""
    return file.name.startswith("casino") or _is_casino(file)


def _read(path: Path, track: Track) -> Study:
    intake = Intake(path)
    games: list[tuple[Path, int, Game]] = []
    for file in track(own_files(path, intake, _may_be_casino, "is not a list of CaSiNo dialogues", ".json")):
        data = intake.read(file)
        dialogues = parse(data, file)
        intake.add(file, data, len(dialogues))
        games += [(file, row, Game(dialogue)) for row, dialogue in dialogues]
    _refuse_repeats(games)
    for file, row, game in games:
        if fault := game.fault():
            intake.leave_out(file, row, fault)
    games = [one for one in games if not one[2].fault()]
    _note([game for _, _, game in games], intake)
    table_rows = Gathered()
    for file, _, game in games:
        game.add_to(table_rows, _split(file) if len(intake.sources) > 1 else None)
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **table_rows.tables())


def _refuse_repeats(games: Sequence[tuple[Path, int, Game]]) -> None:
    first: dict[int, tuple[Path, int]] = {}
    for file, row, game in games:
        number = game.dialogue.dialogue_id
        first_file, at = first.setdefault(number, (file, row))
        if (first_file, at) != (file, row):
            reason = f"{number} is {first_file.name}, row {at}, too; remove one"
            raise LogError(reason, file=file, row=row, column="dialogue_id")


def _split(file: Path) -> str:
    """Return the split of a file's games after its name."""
    return file.stem.removeprefix("casino").lstrip("_-") or file.stem


def _note(games: Sequence[Game], intake: Intake) -> None:
    ages = [person.demographics.age for game in games for person in game.people.values()]
    minors = [age for age in ages if age < ADULT]
    open_end = sum(game.ended == "unknown" for game in games)
    bare = [
        str(game.dialogue.dialogue_id)
        for game in games
        for message, label in zip(game.dialogue.chat_logs, game.labels, strict=True)
        if label is None and message.text not in ACTIONS and game.dialogue.annotations
    ]
    empty = sum("" in label.split(",") for game in games for label in game.labels if label is not None)
    intake.notes.append("participant_id is made of dialogue and seat: the source does not say who took part twice")
    intake.count("{0} dialogues end without deal or walk-away; their points cannot be checked", open_end)
    intake.count(f"{{0}} ages are under {ADULT} (least {min(minors, default=0)}); kept as given", len(minors))
    where = f"(dialogues {', '.join(bare)})"
    intake.count(f"{{0}} utterances of annotated dialogues have no annotation {where}", len(bare))
    intake.count("{0} lists of labels hold an empty one; kept as given", empty)


FORMAT = Format(
    "casino",
    "CaSiNo dialogues: casino_train.json, casino_valid.json, casino_test.json",
    _matches,
    _read,
    parts=LISTED,
    roles={"split": "split"},
)
