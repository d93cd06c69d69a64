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

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.lines import Line, read_lines
from negstats.loaders.files.literals import is_number, last_part
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import ALL_FILES, first_evidence, first_files, header
from negstats.loaders.files.yaml_text import yaml_in
from negstats.loaders.format import SIGNATURE, Evidence, Format, Strength, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]


def _content_of(file: Path, intake: Intake) -> Any:
    """Return what a YAML file holds, and note what was not made of it."""
    content, missing = yaml_in(file, intake)
    if missing:
        intake.notes.append(f"{intake.name(file)}: {missing} objects in it were not made")
    return content


def settings_in(file: Path, intake: Intake) -> dict[str, Any]:
    """Return game, issues, weights and the most rounds; {} without a file of settings."""
    content = _content_of(file, intake) if file.is_file() else {}
    if not isinstance(content, dict):
        raise LogError(f"holds {shown(content)}, which are not settings; is the file cut?", file=file)
    parts = content.get("experiments") if isinstance(content.get("experiments"), dict) else {}
    game, rules = ((parts or {}).get(name) for name in ("game", "negotiation_protocol"))
    game, rules = (part if isinstance(part, dict) else {} for part in (game, rules))
    name = game.get("kwargs")
    settings: dict[str, Any] = {"scenario": last_part(f"/{name}") if isinstance(name, str) and name else None}
    round_limits = [rules.get("max_rounds"), content.get("max_rounds")]
    settings["max_rounds"] = next((most for most in round_limits if type(most) is int and 0 <= most < 2**31), None)
    issues, weights = game.get("issues"), game.get("issue_weights")
    settings["issues"] = (
        [last_part(f"/{issue}") for issue in issues if isinstance(issue, str)] if isinstance(issues, list) else []
    )
    settings["weights"] = weights if isinstance(weights, list) else []
    return settings


def worths_filed(
    settings: Mapping[str, Any], issues: Mapping[str, Any]
) -> dict[str, dict[tuple[str, str], float]] | None:
    """Return the points of all options by seat, as the files of the issues have them; None if one is not there."""
    names = [f"{name}.yaml" for name in settings.get("issues", ())]
    if not names or any(name not in issues for name in names):
        return None
    worths_by_seat: dict[str, dict[tuple[str, str], float]] = {seat: {} for seat in SEATS}
    for seat in (0, 1):
        weights = settings["weights"][seat] if len(settings["weights"]) > seat else []
        if len(names) > 1 and not _all_numbers(weights, len(names)):
            return None
        for place, name in enumerate(names):
            content = issues[name]
            share = weights[place] / math.fsum(weights) if len(names) > 1 else 1.0
            try:
                payoffs, labels = content["payoffs"][seat], content["payoff_labels"][seat]
            except (KeyError, IndexError, TypeError):
                return None
            if not isinstance(labels, list) or not _all_numbers(payoffs, len(labels)) or max(payoffs) <= 0:
                return None
            for label, payoff in zip(labels, payoffs, strict=True):
                worths_by_seat[SEATS[seat]][str(content.get("name")), str(label)] = share * payoff / max(payoffs)
    return worths_by_seat


def _all_numbers(values: Any, length: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) == length > 0
        and all(is_number(value, 1e15) and value >= 0 for value in values)
        and math.fsum(values) > 0
    )


NEEDED = ("agent_id", "round", "message", "issues_state", "timestamp", "model_name")
SEATS = ("0", "1")

State = Mapping[str, str]


@dataclass(slots=True)
class Row:
    """A row: whose it is, the state in it, and what the speaker gets for the options that have payoffs."""

    line: Line
    seat: str
    state: State
    payoffs: Mapping[str, float]
    time: datetime | None


def rows_in(file: Path, intake: Intake) -> list[Row]:
    """Return the rows of a run; raises LogError naming row and column of what is none."""
    _, lines = read_lines(file, intake, NEEDED)
    return [_row(line) for line in lines]


def _row(line: Line) -> Row:
    seat = line.text("agent_id")
    if seat not in SEATS:
        raise line.fault(f"{shown(seat)} is neither 0 nor 1", "agent_id")
    state = line.pairs("issues_state")
    if not all(isinstance(option, (str, int, float)) and str(option) for option in state.values()):
        raise line.fault(f"{shown(state)} is not an option for each issue", "issues_state")
    payoffs: dict[str, float] = {}
    for part in line.several("payoffs"):
        payoffs.update(_payoff(part, seat, line))
    stamp, time = line.told("timestamp"), None
    if stamp is not None:
        try:
            time = datetime.strptime(stamp, "%Y%m%d_%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            raise line.fault(f"{shown(stamp)} is not a time such as 20230915_224324", "timestamp") from None
    return Row(line, seat, {issue: str(option) for issue, option in state.items()}, payoffs, time)


def _payoff(part: Any, seat: str, line: Line) -> list[tuple[str, float]]:
    """Return issue and payoff from ``{'0': {'rent': [0.6, 0.0, 1.0]}}``: payoff, least and largest of the speaker."""
    inner = part.get(seat) if isinstance(part, dict) and len(part) == 1 else None
    payoffs = []
    for issue, numbers in inner.items() if isinstance(inner, dict) else ():
        first = numbers[0] if isinstance(numbers, list) and numbers else None
        if not is_number(first):
            raise line.fault(f"{shown(numbers)} is not a payoff", "payoffs")
        payoffs.append((str(issue), float(first)))
    if not payoffs:
        raise line.fault(f"{shown(part)} is not a payoff of seat {seat}", "payoffs")
    return payoffs


AGREED = "issues agreed upon"
PRINTED = 0.0005 + 1e-9  # payoffs have three decimals


@dataclass(slots=True)
class Game:
    """A folder: its rows and settings, and the points of options by seat."""

    name: str
    file: Path
    rows: list[Row]
    settings: Mapping[str, Any]
    worths: dict[str, dict[tuple[str, str], float]] = field(default_factory=lambda: {seat: {} for seat in SEATS})

    @property
    def accepts(self) -> bool:
        """Whether the last row accepts the offer before it."""
        if len(self.rows) < 2:
            return False
        next_to_last, last = self.rows[-2:]
        return bool(last.state) and next_to_last.state == last.state and next_to_last.seat != last.seat

    @property
    def ended(self) -> str:
        """How it ended, by the last two states or by the rounds that were allowed."""
        if self.accepts:
            return "agreement"
        most, last_round = self.settings.get("max_rounds"), self.rows[-1].line.whole("round")
        return "timeout" if most is not None and last_round is not None and last_round >= most else "unknown"

    def worth(self, seat: str, state: State) -> float | None:
        """Return what a state is worth to a seat; None if one of its options has no payoff."""
        worths = [self.worths[seat].get(pair) for pair in state.items()]
        known_worths = [worth for worth in worths if worth is not None]
        return math.fsum(known_worths) if known_worths and len(known_worths) == len(worths) else None


def value(game: Game, issues: Mapping[str, Any], counts: Counter[str]) -> None:
    """Find what options are worth: from the rows, and from the files of the issues where these agree with the rows."""
    for row in game.rows:
        worths = game.worths[row.seat]
        for issue, payoff in row.payoffs.items():
            if issue in row.state and worths.setdefault((issue, row.state[issue]), payoff) != payoff:
                counts["changed"] += 1
        total = row.line.finite("total_payoff")
        if total is not None:
            counts["equal" if abs(total - math.fsum(row.payoffs.values())) <= PRINTED else "unequal"] += 1
    filed = worths_filed(game.settings, issues)
    if filed is None:
        return
    pairs = [
        (observed_worth, filed[seat].get(pair))
        for seat, worths in game.worths.items()
        for pair, observed_worth in worths.items()
    ]
    if all(
        filed_worth is not None and abs(observed_worth - filed_worth) <= PRINTED
        for observed_worth, filed_worth in pairs
    ):
        game.worths = filed
        counts["filed"] += 1
    else:
        counts["unlike"] += 1


def add_game(game: Game, rows: Gathered, counts: Counter[str], *, notes: bool) -> None:
    """Add a run's rows; `notes` keeps the private notes too."""
    end, first = game.ended, game.rows[0].time
    reason = game.rows[-1].line.told("completion_reason")
    if reason is not None:
        counts["reason" if (reason == AGREED) == game.accepts else "no reason"] += 1
    models = {
        seat: next((row.line.told("model_name") for row in game.rows if row.seat == seat), None) for seat in SEATS
    }
    last = game.rows[-1].line.whole("round")
    rows.add(
        "games",
        game_id=game.name,
        study="lamen",
        scenario=game.settings.get("scenario"),
        protocol="notes and messages",
        ended=end,
        rounds=None if last is None else last + 1,
        started_at=first,
        max_rounds=game.settings.get("max_rounds"),
        **{f"model_{seat}": model for seat, model in models.items()},
    )
    for seat in SEATS:
        points = game.worth(seat, game.rows[-1].state) if game.accepts else None
        rows.add("players", game_id=game.name, player=seat, kind="agent", agent=models[seat], points=points)
        rows.add_values(game.name, seat, game.worths[seat])
    _add_rows(game, rows, counts, notes=notes)


def _add_rows(game: Game, rows: Gathered, counts: Counter[str], *, notes: bool) -> None:
    first = game.rows[0].time
    accepted_place = len(game.rows) - 2 if game.accepts else None
    with_state = [place for place, row in enumerate(game.rows) if row.state]
    for place, row in enumerate(game.rows):
        accepts = game.accepts and place == len(game.rows) - 1
        when = None if row.time is None or first is None else (row.time - first).total_seconds()
        note_text = {"note": row.line.cells.get("note")} if notes and row.line.cells.get("note") else {}
        for act, text in (note_text | {"accept" if accepts else "": row.line.cells.get("message")}).items():
            rows.add_next("messages", game.name, time_s=when, sender=row.seat, text=text, act=act or None)
        counts["unvalued"] += bool(row.state) and game.worth(row.seat, row.state) is None
        if accepts or not row.state:
            continue
        round_number = row.line.whole("round")
        rows.add_offer(
            game.name,
            (row.seat, SEATS[1 - SEATS.index(row.seat)]),
            values={seat: game.worth(seat, row.state) for seat in SEATS},
            options=row.state,
            round=None if round_number is None else round_number + 1,
            time_s=when,
            framing="note",
            response="accepted" if place == accepted_place else "superseded" if place != with_state[-1] else "none",
        )


VERSION = "1"
NAMES = ("processed_negotiation.csv", "negotiations.csv")  # the first that is there is read
_OTHERS = {"interrogation.csv": "questions put to the models"}


def _describe(file: Path) -> tuple[Strength, str] | None:
    is_own = file.name in NAMES and {"issues_state", "agent_id"} <= set(header(file))
    return (SIGNATURE, "has the columns issues_state and agent_id") if is_own else None


def _matches(path: Path) -> Evidence | None:
    return first_evidence(path, _describe, ".csv", deep=True, names=NAMES)


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
    for what, words in _NOTES.items():
        intake.count(words, counts[what])
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


_NOTES = {
    "equal": "total_payoff equals the sum of payoffs in {0} rows",
    "unequal": "total_payoff is not the sum of payoffs in {0} rows; payoffs are kept",
    "unvalued": "{0} states name an option without a payoff, which the file counts as 0, and have no value",
    "filed": "{0} games have the values of all options from the files of their issues",
    "unlike": "{0} games have files of issues that do not agree with the payoffs seen, which are kept",
    "changed": "{0} payoffs of an option differ from an earlier row's; the first is kept",
    "reason": "completion_reason says the same as the last two states in {0} games",
    "no reason": "completion_reason contradicts the last two states in {0} games; the states are kept",
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
            content = _content_of(file, intake)
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
