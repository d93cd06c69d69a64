"""LLM-Deliberation: six language models negotiate five issues (data card below).

Source
    S. Abdelnabi, A. Gomaa, S. Sivaprasad, L. Schönherr, M. Fritz: Cooperation, Competition, and Maliciousness:
    LLM-Stakeholders Interactive Negotiation, NeurIPS 2024 (arXiv:2309.17234); github.com/S-Abdelnabi/LLM-Deliberation
    (MIT).
Known by
    ``config.txt`` (lines ``name,file,role,incentive,model``) beside the folder ``scores_files`` and ``history*.json``.
Game
    One history file. ``scenario`` is the folder. Factors: ``condition``, the folders below what was loaded, for the
    authors put each condition in one of its own; ``incentives``, how many seats have which (6 cooperative; 1 greedy + 5
    cooperative); ``incentive_NAME``. With several such folders the folder's name goes before the file's.
Player
    The seats of the config, in its order; roles p1, p2, player, target; agents, called after their models. ``batna`` is
    the last line of a seat's scores, the least that it accepts; of the adversarial incentives (``targeted_adv``,
    ``untargeted_adv``) it is 150, which their instructions promise them without a deal.
Message
    A round's public answer; prompts, scratchpads and plans are private and dropped.
Offer
    A round whose answer names at least one option, to everybody. Read by one of two rules (option ``rule``):
    *authors*: line breaks removed, for each letter the first match of letter and digit 1 to 9 anywhere in the answer;
    *strict*: inside the last ``<DEAL>...</DEAL>`` only, and a letter with two different digits there is not read.
    An offer that does not name every issue keeps its items and has no value.
Values
    Points of each option to each seat, from its scores.
Points
    The value of the deal, if there is one.
Ended
    ``agreement`` if the last offer of p1 is complete, p1 and p2 reach their minimum, and at most one seat does not;
    else ``disagreement``.

Success
    As the authors' evaluation counts it (``evaluate_deals.ipynb``), 1 or 0: ``deal_in_last_round``,
    ``deal_in_any_round``, ``deal_of_all`` (in the last round all agree). There a seat agrees to more than its minimum,
    not to the minimum itself, and p1 may miss its own by the 10 points that it gets where all others agree; hence it is
    rarer than ``agreement``.

Traps, and what is done about them
    A history with fewer rounds than its slots and two (p1 begins and ends) broke off: left out, counted. By the
    authors' rule prose such as "A1 to A2" before the deal wins over it: the two rules are compared and a note counts
    the rounds in which they differ. 10 points that p1 gets where all agree are not added; a note counts those games.
    Models add up their points wrongly in what they say: nothing is read from it. Files' last lines may lack a line
    break or have blanks after them. Histories without ``config.txt`` and ``scores_files`` beside them (one published
    condition has none, the one of greedy agents) cannot be read: left out, counted, and a note says what would do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from negstats.errors import LogError, UsageError, shown
from negstats.loaders.files.damaged import readable
from negstats.loaders.files.delimited import utf8
from negstats.loaders.files.events import Event
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.objects import json_object
from negstats.loaders.files.parallel import WORKERS, each
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import ALL_FILES, first_files
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.studies.study import Study

__all__ = ["FORMAT", "RULES", "find_options"]

VERSION = "1"
LETTERS = "ABCDEFGHIJ"
_DEAL = re.compile(r"<DEAL>(.*?)</DEAL>", re.DOTALL)
_LONGEST = 1_000_000  # characters of one answer
BONUS = 10.0  # points that p1 gets where all agree
NO_DEAL = {"targeted_adv": 150.0, "untargeted_adv": 150.0}  # what no deal is worth by an incentive's instructions
ALONE = "a history without config.txt and scores_files in its folder"


def _score_by_authors(answer: str, letters: str) -> dict[str, str]:
    plain = answer.replace("\n", "")
    option_matches = {letter: re.search(f"{letter}([1-9])", plain) for letter in letters}
    return {letter: match[0] for letter, match in option_matches.items() if match}


def _strictly(answer: str, letters: str) -> dict[str, str]:
    deals = _DEAL.findall(answer)
    options_by_letter = {
        letter: set(re.findall(rf"\b{letter}[1-9]\b", deals[-1] if deals else "")) for letter in letters
    }
    return {letter: options.pop() for letter, options in options_by_letter.items() if len(options) == 1}


RULES = {"authors": _score_by_authors, "strict": _strictly}


def find_options(answer: str, letters: str, rule: str = "authors") -> dict[str, str]:
    """Return the option of each issue that an answer names.

    Parameters
    ----------
    answer
        The public answer.
    letters
        The issues.
    rule
        "authors" or "strict", see the data card.

    Raises
    ------
    UsageError
        If there is no such rule.

    Examples
    --------
    >>> answer = "From A1 I move on: <DEAL>A2, B1</DEAL>"
    >>> find_options(answer, "AB"), find_options(answer, "AB", "strict")
    ({'A': 'A1', 'B': 'B1'}, {'A': 'A2', 'B': 'B1'})
    """
    if rule not in RULES:
        raise UsageError(f"rule is {shown(rule)}; there are {', '.join(RULES)}")
    return RULES[rule](answer[:_LONGEST], letters)


@dataclass(frozen=True, slots=True)
class _Seat:
    """A line of the config, and the scores that it points to."""

    name: str
    role: str
    incentive: str | None
    model: str | None
    worths: Mapping[str, Mapping[str, float]]
    least: float

    def worth(self, deal: Mapping[str, str]) -> float | None:
        """Return the points of a deal; None if it is not complete."""
        if any(deal.get(letter) not in worth for letter, worth in self.worths.items()):
            return None
        return sum(worth[deal[letter]] for letter, worth in self.worths.items())


def _homes(path: Path, most: int) -> list[Path]:
    files = first_files(path, ".txt", most=most, deep=True)
    return [file.parent for file in files if file.name == "config.txt" and (file.parent / "scores_files").is_dir()]


def _matches(path: Path) -> Evidence | None:
    home = path.parent if path.is_file() and path.name.startswith("history") else path
    for folder in _homes(home, 2000) if home.is_dir() else []:
        histories = sorted(folder.glob("history*.json"))
        if histories:
            because = f"{folder.name} has config.txt, scores_files and history*.json"
            return Evidence(SIGNATURE, because, tuple(histories[:1]))
    return None


def _lines(file: Path, intake: Intake) -> list[tuple[int, list[str]]]:
    """Return the cells of each line that is not blank, with its number."""
    data = intake.read(file)
    text = utf8(data, file, "utf-8").decode()
    rows = [(row, [cell.strip() for cell in line.split(",")]) for row, line in enumerate(text.splitlines(), 1)]
    rows = [(row, cells) for row, cells in rows if any(cells)]
    intake.add(file, data, len(rows))
    return rows


def _seats(folder: Path, intake: Intake) -> list[_Seat]:
    file = folder / "config.txt"
    seats: list[_Seat] = []
    for row, cells in _lines(file, intake):
        if len(cells) != 5 or not cells[0] or not cells[2]:
            raise LogError(f"{shown(', '.join(cells))} is not name,file,role,incentive,model", file=file, row=row)
        if cells[0] in (seat.name for seat in seats):
            raise LogError(f"a second seat is called {shown(cells[0])}", file=file, row=row)
        if not re.fullmatch(r"[\w .-]{1,100}", cells[1]) or cells[1].startswith("."):
            raise LogError(f"{shown(cells[1])} is not a name of a file of scores", file=file, row=row)
        worths, least = _scores(folder / "scores_files" / f"{cells[1]}.txt", intake)
        seats.append(_Seat(cells[0], cells[2], cells[3] or None, cells[4] or None, worths, least))
    if len(seats) < 2 or any(_options(seat) != _options(seats[0]) for seat in seats):
        raise LogError(f"names {len(seats)} seats; two or more with scores for the same options are needed", file=file)
    return seats


def _options(seat: _Seat) -> list[list[str]]:
    return [list(worth) for worth in seat.worths.values()]


def _scores(file: Path, intake: Intake) -> tuple[dict[str, dict[str, float]], float]:
    """Return the points of each issue's options, and the least that is accepted (the last line)."""
    rows = _lines(file, intake)
    numbers = []
    for row, cells in rows:
        for cell in cells:
            if not re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", cell, re.ASCII):
                raise LogError(f"{shown(cell)} is not a number of points", file=file, row=row)
        numbers.append([float(cell) for cell in cells])
    if not 2 <= len(numbers) <= 1 + len(LETTERS) or len(numbers[-1]) != 1 or any(len(line) > 9 for line in numbers):
        raise LogError("is not a line of points for each issue and a last one with the minimum; is it cut?", file=file)
    worths = {
        letter: {f"{letter}{number}": value for number, value in enumerate(line, 1)}
        for letter, line in zip(LETTERS, numbers[:-1], strict=False)
    }
    return worths, numbers[-1][0]


def _history(file: Path, intake: Intake) -> list[Event] | None:
    """Return the rounds of a game; None if it broke off."""
    data = intake.read(file)
    whole = Event(json_object(data, file), file, None)
    rounds = whole.parts("rounds")
    intake.add(file, data, len(rounds))
    slots = whole.fields.get("slot_assignment")
    if not isinstance(slots, list):
        raise whole.fault(f"{shown(slots)} is not a list of who speaks when", "slot_assignment")
    if len(rounds) < len(slots) + 2:
        intake.leave_out(file, 0, "a game that broke off")
        return None
    public_fields = [{name: one.fields.get(name) for name in ("agent", "public_answer")} for one in rounds]
    return [Event(fields, file, place) for place, fields in enumerate(public_fields, 1)]


def _read(path: Path, track: Track, *, rule: str = "authors", workers: int = 1) -> Study:
    find_options("", "", rule)
    home = path.parent if path.is_file() else path
    folders = [home] if path.is_file() else _homes(path, ALL_FILES)
    if not folders:
        raise LogError("holds no config.txt in the folder of scores_files", file=path)
    intake, rows, counts = Intake(path), Gathered(), Counter[str]()
    for folder in folders:
        seats = _seats(folder, intake)
        histories = [path] if path.is_file() else sorted(readable(folder.glob("history*.json"), path))
        prefix = f"{folder.name}-" if len(folders) > 1 else ""
        for rounds in each(intake, histories, _history, track, workers):
            if rounds is not None:
                name = f"{prefix}{rounds[0].file.stem}"
                _add_game(name, folder.name, seats, rounds, rule, rows, counts, _condition(folder, path))
    if path.is_dir():
        _name_others(path, folders, intake)
    differ, of = counts["differ"], counts["rounds"]
    intake.notes.append(f"offers are read by the rule {rule!r}; the two rules differ in {differ} of {of} rounds")
    for what, words in _NOTES.items():
        intake.count(words, counts[what])
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


def _condition(folder: Path, path: Path) -> str:
    """Return the folders of a game below what is loaded: authors put each condition in one of its own."""
    relative_path = folder.relative_to(path).as_posix() if folder.is_relative_to(path) else "."
    return folder.name if relative_path == "." else relative_path


def _name_others(path: Path, folders: Sequence[Path], intake: Intake) -> None:
    homes = set(folders)
    for file in first_files(path, most=ALL_FILES, deep=True):
        history = file.name.startswith("history") and file.suffix == ".json"
        is_known = file.parent in homes and (history or file.name == "config.txt")
        if history and not is_known:
            intake.leave_out(file, 0, ALONE)
        elif not is_known and not (file.parent.name == "scores_files" and file.parent.parent in homes):
            intake.leave_out(file, 0, "no log of LLM-Deliberation")
    n_alone = intake.reasons().get(ALONE, 0)
    intake.count(
        "{0} histories are not read: put the config.txt and scores_files of their game into the same folder", n_alone
    )


_NOTES = {
    "all agree": "all seats reach their minimum in {0} games: p1's 10 points for it are not added",
    "unknown": "{0} offers name an option that has no scores, and have no value",
}


def _add_game(
    game: str,
    scenario: str,
    seats: Sequence[_Seat],
    rounds: Sequence[Event],
    rule: str,
    rows: Gathered,
    counts: Counter[str],
    condition: str,
) -> None:
    letters = "".join(seats[0].worths)
    offers = _add_messages(game, seats, rounds, rule, rows, counts)
    last = max((place for place, (_, seat, _) in enumerate(offers) if seat.role == "p1"), default=None)
    points = [None if last is None else seat.worth(offers[last][2]) for seat in seats]
    is_agreement = _passes(seats, points)
    counts["all agree"] += is_agreement and all(
        (worth or 0) >= seat.least for seat, worth in zip(seats, points, strict=True)
    )

    rows.add(
        "games",
        game_id=game,
        study="llm_deliberation",
        scenario=scenario,
        protocol="rounds of public answers",
        ended="agreement" if is_agreement else "disagreement",
        rounds=len(rounds),
        **_describe_incentives(seats, condition),
        **_success(seats, [(seat, deal) for _, seat, deal in offers]),
    )
    for seat, own in zip(seats, points, strict=True):
        _add_player(game, seat, own if is_agreement else None, rows)
    for place, (number, seat, deal) in enumerate(offers):
        is_accepted = is_agreement and place == last
        response = "accepted" if is_accepted else "superseded" if place < len(offers) - 1 else "none"
        value: float | None = seat.worth(deal)
        counts["unknown"] += value is None and set(deal) == set(letters)
        values = {seat.name: value}
        rows.add_offer(game, (seat.name, None), values=values, options=deal, round=number, response=response)


def _add_messages(
    game: str, seats: Sequence[_Seat], rounds: Sequence[Event], rule: str, rows: Gathered, counts: Counter[str]
) -> list[tuple[int, _Seat, dict[str, str]]]:
    """Add what was said in each round; returns the offers in it with their rounds and seats."""
    by_name = {seat.name: seat for seat in seats}
    letters = "".join(seats[0].worths)
    offers: list[tuple[int, _Seat, dict[str, str]]] = []
    for number, turn in enumerate(rounds, 1):
        speaker, answer = turn.choice("agent", list(by_name)), turn.fields.get("public_answer")
        text = answer if isinstance(answer, str) else ""
        rows.add_next("messages", game, sender=speaker, text=text or None)
        deal = find_options(text, letters, rule)
        counts["rounds"] += 1
        counts["differ"] += len({tuple(find_options(text, letters, other).items()) for other in RULES}) > 1
        if deal:
            offers.append((number, by_name[speaker], deal))
    return offers


def _describe_incentives(seats: Sequence[_Seat], condition: str) -> dict[str, str | None]:
    """Return the factors of a game that say what each seat wants, and how many seats want what."""
    kinds = Counter(seat.incentive or "not named" for seat in seats)
    incentives = " + ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    of_seats = {f"incentive_{seat.name}": seat.incentive for seat in seats}
    return {**of_seats, "condition": condition, "incentives": incentives}


def _add_player(game: str, seat: _Seat, points: float | None, rows: Gathered) -> None:
    """Add a seat's row, and what each option of each issue is worth to it."""
    batna = NO_DEAL.get(seat.incentive or "", seat.least)
    player_fields = {"player": seat.name, "role": seat.role, "kind": "agent", "agent": seat.model, "batna": batna}
    rows.add("players", game_id=game, **player_fields, points=points)
    for letter, worths in seat.worths.items():
        rows.add_values(game, seat.name, {(letter, option): value for option, value in worths.items()})


def _success(seats: Sequence[_Seat], deals: Sequence[tuple[_Seat, Mapping[str, str]]]) -> dict[str, float | None]:
    """Return success by the authors' evaluation: whether p1's last whole deal passes, any does, and all agree to it."""
    last = anywhere = of_all = 0.0
    if not {"p1", "p2"} <= {seat.role for seat in seats}:
        return dict.fromkeys(("deal_in_last_round", "deal_in_any_round", "deal_of_all"))
    for speaker, deal in deals:
        points = [worth for seat in seats if (worth := seat.worth(deal)) is not None]
        if speaker.role != "p1" or len(points) < len(seats):
            continue
        gains = {seat.name: worth - seat.least for seat, worth in zip(seats, points, strict=True)}
        gaining_seats = [seat for seat in seats if gains[seat.name] > 0]
        # With less than its minimum p1 agrees if the bonus makes up for it; with just the minimum it does not.
        own = gains[speaker.name] > 0 or -BONUS <= gains[speaker.name] < 0
        vetoes = own and any(seat.role == "p2" for seat in gaining_seats)
        most = len(gaining_seats) == len(seats) - 1
        everybody = len(gaining_seats) == len(seats) or (most and not own and gains[speaker.name] >= -BONUS)
        of_all, last = float(everybody), float(everybody or (most and vetoes))
        anywhere = max(anywhere, last)
    return {"deal_in_last_round": last, "deal_in_any_round": anywhere, "deal_of_all": of_all}


def _passes(seats: Sequence[_Seat], points: Sequence[float | None]) -> bool:
    """Whether a deal is one: p1 and p2 reach their minimum, and at most one of all seats does not."""
    if None in points:
        return False
    reaches_minimum = [(worth or 0) >= seat.least for seat, worth in zip(seats, points, strict=True)]
    parties_agree = all(ok for seat, ok in zip(seats, reaches_minimum, strict=True) if seat.role in ("p1", "p2"))
    return parties_agree and sum(reaches_minimum) >= len(seats) - 1


FORMAT = Format(
    "llm_deliberation",
    "LLM-Deliberation: config.txt, scores_files/ and history*.json (language models, six seats)",
    _matches,
    _read,
    {"rule": "how offers are read from what is said: authors (the default) or strict", "workers": WORKERS},
)
