"""LAMEN: language models that negotiate with private notes and messages (data card below).

Source
    T. R. Davidson, V. Veselovsky, M. Josifoski, M. Peyrard, A. Bosselut, M. Kosinski, R. West: Evaluating Language
    Model Agency through Negotiations, ICLR 2024 (arXiv:2401.04536); github.com/epfl-dlab/LAMEN (MIT).
Known by
    ``negotiations.csv`` or ``processed_negotiation.csv`` with the columns ``issues_state`` and ``agent_id``.
Game
    A folder with one of the two; where both are, the processed one is read (the rows are the same). ``scenario`` is the
    game of ``hydra/config.yaml``, factors ``model_0``, ``model_1``, ``max_rounds``; paths are dropped.
Player
    Seats 0 and 1 (both are named "You"), agents, called after their models.
Message
    A row: its message, with the act accept in the row that accepts. Private notes are kept only with ``notes=True``, as
    messages with the act note before the row's own.
Offer
    A row's ``issues_state``, with the framing *note*: it is what the private note calls acceptable, not what the
    message says, and the two may differ. The row that accepts repeats the other's state and is not an offer.
Values
    Of the speaker, for the options in ``payoffs``; for all options from the issue's file where it lies in the folder
    that is loaded (payoffs divided by their largest, weighted), if it agrees with all that is seen.
Points
    What the agreed state is worth to each seat.
Ended
    ``agreement`` if the last state equals the one before, of the other seat; else ``timeout`` where the last round
    reaches ``max_rounds``; else ``unknown``.

Traps, and what is done about them
    ``total_payoff`` counts 0 for an option that is in no table of payoffs: such a state has no value. States and
    payoffs are Python literals: parsed, never executed. A state may name only some of the issues. Files have 20 columns
    with a ``completion_reason``, or 15 without; the reason is compared with the states. ``interrogation.csv`` holds
    questions put to the models, not the negotiation: left out. Settings are YAML, read without making objects. Times
    have no zone: taken for UTC.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from negstats.errors import LogError
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import ALL_FILES, first_files, header
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.loaders.lamen.game import Game, add_game, value
from negstats.loaders.lamen.rows import rows_in
from negstats.loaders.lamen.settings import settings_in, yaml_in
from negstats.studies.study import Study

__all__ = ["FORMAT"]

VERSION = "1"
NAMES = ("processed_negotiation.csv", "negotiations.csv")  # the first that is there is read
_OTHERS = {"interrogation.csv": "questions put to the models"}


def _matches(path: Path) -> Evidence | None:
    for file in [file_path for file_path in first_files(path, ".csv", most=2000, deep=True) if file_path.name in NAMES][
        :20
    ]:
        if {"issues_state", "agent_id"} <= set(header(file)):
            return Evidence(SIGNATURE, f"{file.name} has the columns issues_state and agent_id", (file,))
    return None


def _read(path: Path, track: Track, *, notes: bool = False) -> Study:
    intake, rows = Intake(path), Gathered()
    counts: Counter[str] = Counter()
    files, issues = _files(path, intake)
    names: dict[str, Path] = {}
    for file in track(files):
        name = file.parent.name or file.stem
        if name in names:
            name = intake.name(file.parent)
        names[name] = file
        game = Game(name, file, rows_in(file, intake), settings_in(file.parent / "hydra" / "config.yaml", intake))
        if not game.rows:
            intake.leave_out(file, 0, "a file without rows")
            continue
        value(game, issues, counts)
        add_game(game, rows, counts, notes=notes)
    intake.notes += [text.format(n=counts[what]) for what, text in _NOTES.items() if counts[what]]
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


_NOTES = {
    "equal": "total_payoff equals the sum of payoffs in {n} rows",
    "unequal": "total_payoff is not the sum of payoffs in {n} rows; payoffs are kept",
    "unvalued": "{n} states name an option without a payoff, which the file counts as 0, and have no value",
    "filed": "{n} games have the values of all options from the files of their issues",
    "unlike": "{n} games have files of issues that do not agree with the payoffs seen, which are kept",
    "changed": "{n} payoffs of an option differ from an earlier row's; the first is kept",
    "reason": "completion_reason says the same as the last two states in {n} games",
    "no reason": "completion_reason contradicts the last two states in {n} games; the states are kept",
}


def _files(path: Path, intake: Intake) -> tuple[list[Path], dict[str, Any]]:
    """Return the file of each game, and what the files of issues hold, by name."""
    paths = first_files(path, most=ALL_FILES, deep=True)
    logs = [file for file in paths if file.name in NAMES or file == path]
    files, issues = [], {}
    for file in paths:
        better = file.with_name(NAMES[0])
        if file in logs and file.name != NAMES[0] and better in logs:
            intake.leave_out(file, 0, f"the same rows as {NAMES[0]}")
        elif file in logs:
            files.append(file)
        elif file.suffix in (".yaml", ".yml") and file.parent.name != "hydra":
            content = yaml_in(file, intake)
            if isinstance(content, dict) and "payoffs" in content and "payoff_labels" in content:
                issues[file.name] = content
        elif file.name != "config.yaml":
            intake.leave_out(file, 0, _OTHERS.get(file.name, "no log of LAMEN"))
    if not files:
        raise LogError(f"holds no {NAMES[1]}", file=path)
    return files, issues


FORMAT = Format(
    "lamen",
    "LAMEN: folders with negotiations.csv, with the column issues_state (language models, notes and messages)",
    _matches,
    _read,
    {"notes": "keep the models' private notes too, as messages with the act note"},
    roles={"max_rounds": "setting"},
)
