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

from negstats.errors import LogError
from negstats.loaders.casino.game import ACTIONS, Game
from negstats.loaders.casino.schema import parse, refuse_repeats
from negstats.loaders.files.damaged import readable
from negstats.loaders.files.intake import Intake, beginning
from negstats.loaders.files.parts import LISTED
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

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
    games: list[tuple[Path, int, Game]] = []
    contents: dict[Path, bytes] = {}
    for file in track(_files(path, intake)):
        contents[file] = data = intake.read(file)
        dialogues = parse(data, file)
        intake.add(file, data, len(dialogues))
        games += [(file, row, Game(dialogue)) for row, dialogue in dialogues]
    refuse_repeats(contents)
    _refuse_repeats(games)
    for file, row, game in games:
        if fault := game.fault():
            intake.leave_out(file, row, fault)
    games = [one for one in games if not one[2].fault()]
    _note([game for _, _, game in games], intake)
    table_rows = Gathered()
    for file, _, game in games:
        table_rows.add_all(game.rows(_split(file) if len(intake.sources) > 1 else None))
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
    if open_end:
        intake.notes.append(f"{open_end} dialogues end without deal or walk-away; their points cannot be checked")
    if minors:
        intake.notes.append(f"{len(minors)} ages are under {ADULT} (least {min(minors)}); kept as given")
    if bare:
        reason = "utterances of annotated dialogues have no annotation"
        intake.notes.append(f"{len(bare)} {reason} (dialogues {', '.join(bare)})")
    if empty:
        intake.notes.append(f"{empty} lists of labels hold an empty one; kept as given")


FORMAT = Format(
    "casino",
    "CaSiNo dialogues: casino_train.json, casino_valid.json, casino_test.json",
    _matches,
    _read,
    parts=LISTED,
    roles={"split": "split"},
)
