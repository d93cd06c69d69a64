"""CaSiNo's JSON as types: what departs from them is refused while it is parsed, with its path."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from negstats.errors import LogError, one_line, shown
from negstats.loaders.files.damaged import rows_left_out
from negstats.loaders.files.intake import parse_json
from negstats.loaders.files.objects import json_whole

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


_DECODER = msgspec.json.Decoder(list[Dialogue | None])
_FAULT = re.compile(r"(?P<reason>.*) - at `\$(?P<place>\[(?P<row>\d+)\]\.?(?P<path>.*))`", re.DOTALL)


def parse(data: bytes, file: Path) -> list[tuple[int, Dialogue]]:
    """Parse a file's content: each dialogue with its place in the list, from 1, but those that are left out.

    Raises
    ------
    LogError
        With the dialogue's place and the path of keys.
    """
    try:
        if not data.isascii():
            data.decode()  # the decoder passes over what it does not need, text or not
        entries = _DECODER.decode(data)
        dialogues = [(row, entry) for row, entry in enumerate(entries, 1) if entry is not None]
        null_rows = {row for row, entry in enumerate(entries, 1) if entry is None} - rows_left_out(file)
        if null_rows:
            raise LogError("null does not fit: Expected `object`, got `null`", file=file, row=min(null_rows))
        return dialogues
    except msgspec.ValidationError as error:
        raise _located(one_line(error).replace("`object | null`", "`object`"), data, file) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        parse_json(data, file)  # names the line
        raise LogError(f"is not JSON: {one_line(error)}", file=file) from None


def refuse_repeats(files: Mapping[Path, bytes]) -> None:
    """Raise LogError if a key occurs twice in an object; the decoder takes the last."""
    for file, data in files.items():
        json_whole(data, file)


def _located(message: str, data: bytes, file: Path) -> LogError:
    fault_match = _FAULT.fullmatch(message)
    if fault_match is None:
        return LogError(f"is not a list of dialogues: {message}", file=file)
    field = re.search(r"field `(.*)`", fault_match["reason"])  # it is not there, or nobody knows it
    column = ".".join(filter(None, (fault_match["path"], field and field[1])))
    reason = f"{shown(_value_at(parse_json(data, file), fault_match['place']))} does not fit: {fault_match['reason']}"
    return LogError(reason, file=file, row=int(fault_match["row"]) + 1, column=column or None)


def _value_at(value: Any, place: str) -> Any:
    for key in re.findall(r"[^.\[\]]+", place):
        if isinstance(value, list):
            value = value[int(key)]
        elif isinstance(value, dict):  # not so where a key stands twice: the parsers take another one each
            value = value.get(key)
    return value
