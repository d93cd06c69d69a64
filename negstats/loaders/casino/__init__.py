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
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import LogError
from negstats.loaders.casino.dialogues import (
    ABOUT_THE_GAME,
    AVAILABLE,
    ISSUES,
    QUESTIONS,
    SEATS,
    TALK,
    WALK_AWAY_POINTS,
    Log,
)
from negstats.loaders.casino.schema import Dialogue, parse, refuse_repeats
from negstats.loaders.files.columns import Texts, chosen, texts
from negstats.loaders.files.damaged import readable
from negstats.loaders.files.intake import Intake, beginning
from negstats.loaders.files.objects import no_collection
from negstats.loaders.files.parts import LISTED
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.studies.study import Study
from negstats.tables import conform

__all__ = ["FORMAT"]

ACTS = ("submit-deal", "accept-deal", "reject-deal", "walk-away")  # by the code of the action, from 1
RESPONSES = ("none", "superseded", "accepted", "rejected", "none")  # to an offer, by the code of the next action
ENDED = ("unknown", "unknown", "agreement", "unknown", "walkaway")  # by the code of the last action
VERSION = "1"
ADULT = 18

_START = re.compile(rb'\s*\[\s*\{\s*"(dialogue_id|chat_logs|participant_info|annotations)"')
_OWN = re.compile(rb'"(chat_logs|participant_info)"\s*:')  # others' dialogues have a dialogue_id too
_LOOKED_AT = 1 << 16  # bytes; a dialogue has some 8,000


def _is_casino(file: Path) -> bool:
    start = beginning(file, _LOOKED_AT)
    return _START.match(start) is not None and _OWN.search(start) is not None


def _matches(path: Path) -> Evidence | None:
    files = sorted(readable(path.glob("*.json"), path)) if path.is_dir() else [path]
    file = next(filter(_is_casino, files), None)
    return Evidence(SIGNATURE, f"{file.name} begins as a list of CaSiNo's dialogues", (file,)) if file else None


def _files(path: Path, intake: Intake) -> list[Path]:
    """Return the files to read: in a folder those that look like CaSiNo, or are named so and may be damaged."""
    if not path.is_dir():
        return [path]
    files = sorted(readable(path.glob("*.json"), path))
    dialogue_files = [file for file in files if file.name.startswith("casino") or _is_casino(file)]
    for file in files:
        if file not in dialogue_files:
            intake.leave_out(file, 0, "is not a list of CaSiNo dialogues")
    return dialogue_files


def _read(path: Path, track: Track) -> Study:
    intake = Intake(path)
    dialogues: list[Dialogue] = []
    places: list[tuple[Path, int]] = []
    contents: dict[Path, bytes] = {}
    with no_collection():
        for file in track(_files(path, intake)):
            contents[file] = data = intake.read(file)
            dialogues_in_file = parse(data, file)
            intake.add(file, data, len(dialogues_in_file))
            dialogues += [dialogue for _, dialogue in dialogues_in_file]
            places += [(file, row) for row, _ in dialogues_in_file]
        log = Log.of(dialogues)
    refuse_repeats(contents)
    log, places = _consistent(log, dialogues, places, intake)
    _note(log, intake)
    splits = _splits(places) if len(intake.sources) > 1 else None
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **_tables(log, splits))


def _consistent(
    log: Log, dialogues: list[Dialogue], places: list[tuple[Path, int]], intake: Intake
) -> tuple[Log, list[tuple[Path, int]]]:
    """Return the dialogues as columns, and their places, without those that contradict themselves."""
    _refuse_repeats(log.ids, places)
    faults = log.faults()
    if not faults:
        return log, places
    for game, reason in sorted(faults.items()):
        intake.leave_out(*places[game], reason)
    consistent_games = [game for game in range(len(dialogues)) if game not in faults]
    return Log.of([dialogues[game] for game in consistent_games]), [places[game] for game in consistent_games]


def _refuse_repeats(ids: Sequence[int], places: Sequence[tuple[Path, int]]) -> None:
    if len(set(ids)) == len(ids):
        return
    first: dict[int, tuple[Path, int]] = {}
    for dialogue_id, (file, row) in zip(ids, places, strict=True):
        first_file, at = first.setdefault(dialogue_id, (file, row))
        if (first_file, at) != (file, row):
            raise LogError(
                f"{dialogue_id} is {first_file.name}, row {at}, too; remove one",
                file=file,
                row=row,
                column="dialogue_id",
            )


def _splits(places: Sequence[tuple[Path, int]]) -> list[str]:
    """Return the split of each game after its file's name."""
    files = {file for file, _ in places}
    names = {file: file.stem.removeprefix("casino").lstrip("_-") or file.stem for file in files}
    return [names[file] for file, _ in places]


def _note(log: Log, intake: Intake) -> None:
    minors = [age for age in log.people.ages if age < ADULT]
    open_end = sum(ENDED[code] == "unknown" for code in log.last)
    chat = log.chat
    has_label = chat.labels.is_valid().to_numpy(zero_copy_only=False)
    annotated = np.zeros(len(log.ids), dtype=bool)
    annotated[chat.game[has_label]] = True
    bare = chat.game[(chat.act == TALK) & annotated[chat.game] & ~has_label]
    lists = pc.value_counts(chat.labels.drop_null()).to_pylist()
    empty = sum(label_count["counts"] for label_count in lists if "" in label_count["values"].split(","))
    intake.notes.append("participant_id is made of dialogue and seat: the source does not say who took part twice")
    if open_end:
        intake.notes.append(f"{open_end} dialogues end without deal or walk-away; their points cannot be checked")
    if minors:
        intake.notes.append(f"{len(minors)} ages are under {ADULT} (least {min(minors)}); kept as given")
    if len(bare):
        ids = ", ".join(str(log.ids[game]) for game in bare)
        intake.notes.append(f"{len(bare)} utterances of annotated dialogues have no annotation (dialogues {ids})")
    if empty:
        intake.notes.append(f"{empty} lists of labels hold an empty one; kept as given")


def _tables(log: Log, splits: Sequence[str] | None) -> dict[str, pd.DataFrame]:
    ids = texts([f"casino-{dialogue_id}" for dialogue_id in log.ids])
    return {
        "games": _games(log, ids, splits),
        **_seats(log, ids),
        **_offers(log, ids),
        "messages": _messages(log, ids),
    }


def _games(log: Log, ids: Texts, splits: Sequence[str] | None) -> pd.DataFrame:
    first_code = np.zeros(len(ids), dtype=np.int64)
    columns = {
        "game_id": ids,
        "study": chosen(["CaSiNo"], first_code),
        "scenario": chosen(["campsite"], first_code),
        "protocol": chosen(["chat"], first_code),
        "ended": chosen(ENDED, log.last),
    }
    return conform("games", columns if splits is None else columns | {"split": splits})


def _seats(log: Log, ids: Texts) -> dict[str, pd.DataFrame]:
    games, seats = len(ids), len(ids) * len(SEATS)
    game, seat = np.arange(games).repeat(len(SEATS)), np.tile(np.arange(len(SEATS)), games)
    game_id, player = chosen(ids, game), chosen(SEATS, seat)
    people = pc.binary_join_element_wise(game_id, player, pa.scalar("-", pa.large_string()))
    of_seat, issue = np.arange(seats).repeat(len(ISSUES)), np.tile(np.arange(len(ISSUES)), seats)
    return {
        "players": conform(
            "players",
            {
                "game_id": game_id,
                "player": player,
                "kind": chosen(["human"], np.zeros(seats)),
                "participant_id": people,
                "points": log.people.points,
                "batna": np.full(seats, float(WALK_AWAY_POINTS)),
            },
        ),
        "values": conform(
            "values",
            {
                "game_id": chosen(game_id, of_seat),
                "player": chosen(player, of_seat),
                "item": chosen(ISSUES, issue),
                "available": np.full(len(issue), float(AVAILABLE)),
                "value": log.people.worth.ravel(),
            },
        ),
        "answers": _answers(log, ids, game, people),
    }


def _answers(log: Log, ids: Texts, game: npt.NDArray[np.int64], people: Texts) -> pd.DataFrame:
    """Return the answers of all seats, seat by seat; questions about the person belong to no game."""
    n_questions, seats = len(QUESTIONS), len(game)
    by_seat = np.arange(n_questions * seats).reshape(n_questions, seats).T.ravel()
    about = np.where(np.arange(n_questions) < ABOUT_THE_GAME, game[:, None], -1).ravel()
    return conform(
        "answers",
        {
            "participant_id": chosen(people, np.arange(seats).repeat(n_questions)),
            "game_id": chosen(ids, about),
            "question": chosen(list(QUESTIONS), np.tile(np.arange(n_questions), seats)),
            "answer": chosen(pa.concat_arrays(log.people.answers), by_seat),
        },
    )


def _offers(log: Log, ids: Texts) -> dict[str, pd.DataFrame]:
    deals, offers = log.deals, log.offers
    game, seat = deals.game[offers], deals.seat[offers]
    game_id, both = chosen(ids, game), np.stack([seat, 1 - seat], axis=1)
    number = np.arange(len(offers)) - np.searchsorted(game, game) + 1
    units, worths = deals.gets.sum(axis=2), log.worths()
    of_offer = np.arange(len(offers)).repeat(deals.gets[0].size if len(offers) else 0)
    return {
        "offers": conform(
            "offers",
            {
                "game_id": game_id,
                "offer": number,
                "proposer": chosen(SEATS, both[:, 0]),
                "responder": chosen(SEATS, both[:, 1]),
                "units_to_proposer": units[:, 0],
                "units_to_responder": units[:, 1],
                "value_proposer": worths[:, 0],
                "value_responder": worths[:, 1],
                "response": chosen(RESPONSES, deals.after[offers]),
            },
        ),
        "items": conform(
            "items",
            {
                "game_id": chosen(game_id, of_offer),
                "offer": number[of_offer],
                "item": chosen(ISSUES, np.tile(np.arange(len(ISSUES)), 2 * len(offers))),
                "receiver": chosen(SEATS, both.repeat(len(ISSUES), axis=1).ravel()),
                "quantity": deals.gets.ravel(),
            },
        ),
    }


def _messages(log: Log, ids: Texts) -> pd.DataFrame:
    chat = log.chat
    talk = chat.act == TALK
    return conform(
        "messages",
        {
            "game_id": chosen(ids, chat.game),
            "message": np.arange(len(talk)) - chat.starts[chat.game] + 1,
            "sender": chosen(SEATS, chat.seat),
            "text": pc.if_else(pa.array(talk), chat.text, None),
            "act": chosen(ACTS, chat.act - 1),
            "labels": chat.labels,
        },
    )


FORMAT = Format(
    "casino",
    "CaSiNo dialogues: casino_train.json, casino_valid.json, casino_test.json",
    _matches,
    _read,
    parts=LISTED,
    roles={"split": "split"},
)
