"""DealOrNoDeal: two people divide books, hats and balls in a chat (data card below).

Source
    M. Lewis, D. Yarats, Y. Dauphin, D. Parikh, D. Batra: Deal or No Deal? End-to-End Learning for Negotiation
    Dialogues, EMNLP 2017; github.com/facebookresearch/end-to-end-negotiator. Licence CC BY-NC 4.0: research only.
Files
    ``data.txt``: one perspective of a game a line; ``train.txt``, ``val.txt`` and ``test.txt``: the same in a tagged
    form. ``selfplay.txt`` holds contexts without dialogues and is not read.
Game
    Both perspectives of one dialogue, or one if the other is not there (factor ``mirrored`` false). The source names
    no games: the id is the file's name and the number of the first line of the game, ``data-1``.
Player
    A is who speaks first, B the other, so that the seats are the same whichever perspective comes first. Both are
    human; who they are is not known. Without agreement both have 0 points (``batna``).
Offer
    Who speaks last ends the dialogue and both select a division, or "no agreement". A selection is an offer: its
    items to the proposer, the rest to the other. In an agreement the two selections are one offer, accepted, by the
    one who ended the dialogue; else each selection that claims items is an offer, rejected.
Message
    One turn, in the source's tokens; then the act ``select`` of who ended the dialogue.
Points
    The worth of the agreed share; 0 for both in all other games.
Ended
    ``agreement``: both select the same division. ``walkaway``: both select no agreement. ``disconnect``: a side is
    gone. ``disagreement``: the source's disagree, selections that contradict each other (or one row of such a game).

Traps, and what is done about them
    The perspectives of a game stand next to each other in either order: put together by what they have in common. A
    row without mirror is a game that is marked; if it agrees, the other side's share is the rest. A disagreeing row
    shows the worth of what was claimed as its reward: those points were never scored. Claims that do not add up are
    a disagreement. ``agree`` beside "no agreement" is not agreement. ``val.txt`` and ``test.txt`` repeat rows of
    ``data.txt``: in a folder with all of them the repeats are left out and noted; the tagged ``<disagree>`` does not
    tell the selections, so rows of ``data.txt`` come first. A line that contradicts itself or its mirror is left out
    with the reason; one that is not in the form is a LogError that names the file, the line and as column the part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

import pandas as pd

from negstats.errors import LogError, shown
from negstats.loaders.files.damaged import Parts
from negstats.loaders.files.intake import Intake, beginning
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import ALL_FILES, first_evidence, first_files
from negstats.loaders.format import SIGNATURE, Evidence, Format, Strength, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

SEATS = ("A", "B")  # A speaks first

Ended: TypeAlias = Literal["agreement", "walkaway", "disagreement", "disconnect"]
Selection: TypeAlias = Literal["items", "no agreement", "disconnect"]
Three: TypeAlias = tuple[int, int, int]

_SIX = r"\d{1,9}(?: \d{1,9}){5}"
_CLAIM = r"item0=\d{1,9} item1=\d{1,9} item2=\d{1,9}"
_DIALOGUE = r"(?P<dialogue>.*?)(?P<chooser>YOU|THEM): <selection> "
_NONE = r"(?P<none><no_agreement>|<disconnect>|<disagree>)(?: (?P=none)){5}"


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write a line: how it starts, and its parts in order, each with a name for errors and its pattern."""

    start: re.Pattern[bytes]
    parts: tuple[tuple[str, str], ...]

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of the whole line."""
        return re.compile("".join(pattern for _, pattern in self.parts))

    def first_fault(self, line: str) -> tuple[str, str]:
        """Return the name of the first part that is not as it should be, and the line from there."""
        end, pattern = 0, ""
        for name, part in self.parts:
            pattern += part
            match = re.match(pattern, line)
            if match is None:
                return name, line[end:]
            end = match.end()
        return "end of the line", line[end:]


PLAIN = Form(
    re.compile(rb"\d+(?: \d+){5} (?:YOU|THEM):"),
    (
        ("own counts and values", rf"(?P<own>{_SIX}) "),
        ("dialogue", _DIALOGUE),
        ("selection", rf"(?P<selection>{_CLAIM}|no agreement|disconnect) <eos> "),
        ("reward", r"reward=(?P<reward>\d{1,9}|no agreement|disconnect) "),
        ("agree or disagree", r"(?P<verdict>agree|disagree) "),
        ("the other's counts and values", rf"(?P<other>{_SIX})"),
    ),
)
TAGGED = Form(
    re.compile(rb"<input> "),
    (
        ("input", rf"<input> (?P<own>{_SIX}) </input> "),
        ("dialogue", rf"<dialogue> {_DIALOGUE}</dialogue> "),
        ("output", rf"<output> (?P<output>{_CLAIM} {_CLAIM}|{_NONE}) </output> "),
        ("partner_input", rf"<partner_input> (?P<other>{_SIX}) </partner_input>"),
    ),
)


@dataclass(frozen=True, slots=True)
class Key:
    """What both perspectives of a game have in common. Values are by seat, turns are speaker and text."""

    counts: Three
    worths: tuple[Three, Three]
    turns: tuple[tuple[str, str], ...]
    chooser: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line. A tagged line with ``<disagree>`` does not tell what was selected."""

    file: Path
    line: int
    key: Key
    seat: str  # the seat of YOU
    agrees: bool
    selection: Selection | None
    claims: dict[str, Three]  # seat: what it claims for itself
    reward: str | None  # as it is written

    @property
    def deals(self) -> bool:
        """Whether the line tells an agreement on a division."""
        return self.agrees and bool(self.claims)

    def fault(self) -> str | None:
        """Return how the line contradicts itself."""
        counts = self.key.counts
        claimed = self.claims.get(self.seat)
        own = self.key.worths[SEATS.index(self.seat)]
        earned = str(worth(claimed, own)) if claimed else self.selection
        if any(
            units > available for claim in self.claims.values() for units, available in zip(claim, counts, strict=True)
        ):
            return "a side claims more than there is"
        if len(self.claims) == 2 and not adds_up(self.claims, counts):
            return "the agreed claims do not add up"
        if self.reward not in {None, earned}:
            return "the reward is not that of the selection"
        return None


def worth(units: Three, values: Three) -> int:
    """Return what `units` are worth at `values` points each."""
    return units[0] * values[0] + units[1] * values[1] + units[2] * values[2]


def adds_up(claims: dict[str, Three], counts: Three) -> bool:
    """Whether the claims of both sides divide the counts."""
    return tuple(map(sum, zip(*claims.values(), strict=True))) == counts


def rows(text: str, form: Form, file: Path) -> Iterator[tuple[int, Row | str]]:
    """Read the lines of a file, counted from 1: each a row, or the reason why it is none.

    Raises
    ------
    LogError
        If a line is not in the form, naming its number and the first part of it that is not.
    """
    pattern = form.pattern
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        whole = line.removesuffix("\r")
        match = pattern.fullmatch(whole)
        if match is not None:
            yield number, _row(match, file, number)
        elif whole.strip():
            column, rest = form.first_fault(whole)
            raise LogError(f"{shown(rest)} is not in the form; is the file cut?", file=file, row=number, column=column)
        else:
            yield number, "the line is empty"


def _row(line_match: re.Match[str], file: Path, number: int) -> Row | str:
    (counts, own), (other_counts, other) = _six(line_match["own"]), _six(line_match["other"])
    if counts != other_counts:
        return "the two sides count different items"
    turn_texts = line_match["dialogue"].split(" <eos> ")
    turns = [tuple(turn.split(": ", 1)) for turn in turn_texts[:-1]]
    strange = [turn for turn, parts in zip(turn_texts, turns, strict=False) if parts[0] not in _SIDES or len(parts) < 2]
    if strange or turn_texts[-1]:
        wrong = (strange or turn_texts[-1:])[0]
        raise LogError(f"{shown(wrong)} is not a turn of YOU or THEM", file=file, row=number, column="dialogue")
    first = turns[0][0] if turns else line_match["chooser"]
    seat = {first: "A", _SIDES[first]: "B"}
    key = Key(
        counts,
        (own, other) if first == "YOU" else (other, own),
        tuple((seat[side], text) for side, text in turns),
        seat[line_match["chooser"]],
    )
    fields = line_match.groupdict()
    agrees, selection, claims = _tagged(fields, seat) if "output" in fields else _plain(fields, seat)
    return Row(file, number, key, seat["YOU"], agrees, selection, claims, fields.get("reward"))


_SIDES = {"YOU": "THEM", "THEM": "YOU"}
_WITHOUT_ITEMS: dict[str, tuple[bool, Selection | None]] = {
    "<no_agreement>": (True, "no agreement"),
    "<disconnect>": (True, "disconnect"),
    "<disagree>": (False, None),
}


def _plain(fields: dict[str, str], seat: dict[str, str]) -> tuple[bool, Selection | None, dict[str, Three]]:
    agrees = fields["verdict"] == "agree"
    match fields["selection"]:
        case ("no agreement" | "disconnect") as selection:
            return agrees, selection, {}
        case claim:
            return agrees, "items", {seat["YOU"]: _three(claim)}


def _tagged(fields: dict[str, str], seat: dict[str, str]) -> tuple[bool, Selection | None, dict[str, Three]]:
    if fields["none"]:
        return (*_WITHOUT_ITEMS[fields["none"]], {})
    words = fields["output"].split()
    return True, "items", {seat["YOU"]: _three(" ".join(words[:3])), seat["THEM"]: _three(" ".join(words[3:]))}


@lru_cache(maxsize=2**16)
def _six(text: str) -> tuple[Three, Three]:
    numbers = [int(number) for number in text.split()]
    return (numbers[0], numbers[2], numbers[4]), (numbers[1], numbers[3], numbers[5])


@lru_cache(maxsize=2**16)
def _three(text: str) -> Three:
    book, hat, ball = (int(claim.partition("=")[2]) for claim in text.split())
    return book, hat, ball


@dataclass(frozen=True, slots=True)
class Game:
    """The rows of one game: two perspectives, or one that has no mirror."""

    key: Key
    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        """The name of the first row's file, and its line."""
        return f"{self.rows[0].file.stem}-{self.rows[0].line}"

    @property
    def mirrored(self) -> bool:
        """Whether both perspectives are there."""
        return len(self.rows) == len(SEATS)

    @property
    def ended(self) -> Ended:
        """How the game ended: in disagreement where the selections contradict each other."""
        selections = {row.selection for row in self.rows}
        if "disconnect" in selections:
            return "disconnect"
        if not self.rows[0].agrees:
            return "disagreement"
        return "walkaway" if "no agreement" in selections else "agreement"

    def claims(self) -> dict[str, Three]:
        """Return what each seat claims, seats that claim nothing left out; the agreed division of both, if agreed."""
        claims = {seat: claim for row in self.rows for seat, claim in row.claims.items()}
        if self.ended == "agreement" and len(claims) == 1:
            ((seat, claim),) = claims.items()
            claims[partner(seat)] = rest(claim, self.key.counts)
        return claims

    def worth(self, seat: str, units: Three) -> int:
        """Return what `units` are worth to `seat`, in points."""
        return worth(units, self.key.worths[SEATS.index(seat)])

    def points(self, seat: str) -> int:
        """Return the score of `seat`: the worth of its agreed share, else 0."""
        return self.worth(seat, self.claims()[seat]) if self.ended == "agreement" else 0

    def fault(self) -> str | None:
        """Return how the perspectives contradict each other."""
        if len({row.agrees for row in self.rows}) > 1:
            return "one perspective agrees, the other does not"
        if not self.mirrored or None in {row.selection for row in self.rows}:
            return None
        same_selection = len({row.selection for row in self.rows}) == 1
        fits = same_selection and (self.rows[0].selection != "items" or adds_up(self.claims(), self.key.counts))
        return None if fits == self.rows[0].agrees else "the selections are not as agree or disagree says"


def rest(units: Three, counts: Three) -> Three:
    """Return what is left of `counts`."""
    return counts[0] - units[0], counts[1] - units[1], counts[2] - units[2]


def partner(seat: str) -> str:
    """Return the other seat."""
    return SEATS[1 - SEATS.index(seat)]


NAMES = ("data.txt", "train.txt", "val.txt", "test.txt")
ITEMS = ("book", "hat", "ball")  # the source's item0, item1, item2

_CONTEXTS = re.compile(rb"(\d+ \d+ \d+ \d+ \d+ \d+\r?\n){2}")


def _form(file: Path) -> Form | None:
    """Return the form of a file by its first bytes; None if it is none of DealOrNoDeal's."""
    start = beginning(file, 256)
    return next((form for form in (PLAIN, TAGGED) if form.start.match(start)), None)


def _has_contexts(file: Path) -> bool:
    return _CONTEXTS.match(beginning(file, 256)) is not None


def _describe(file: Path) -> tuple[Strength, str] | None:
    is_own = _form(file) is not None or _has_contexts(file)
    return (SIGNATURE, "begins as Deal or No Deal's dialogues") if is_own else None


def _matches(path: Path) -> Evidence | None:
    return first_evidence(path, _describe, *([".txt"] if path.is_dir() else []), most=ALL_FILES)


def _files(path: Path, intake: Intake) -> dict[Path, Form]:
    """Return the files to read with their forms, the form that tells more first."""
    forms: dict[Path, Form] = {}
    for file in first_files(path, ".txt", most=ALL_FILES) if path.is_dir() else [path]:
        form = _form(file)
        if form is not None:
            forms[file] = form
        elif _has_contexts(file):
            intake.leave_out(file, 0, "holds contexts, no negotiations")
            intake.notes.append(f"{intake.name(file)} holds contexts (counts and values), no negotiations; not read")
        elif file.name in NAMES or file == path:
            raise LogError("does not start like a line of DealOrNoDeal; is the file cut?", file=file, row=1)
        else:
            intake.leave_out(file, 0, "is not a file of DealOrNoDeal")
    if not forms:
        what = "contexts (counts and values), no negotiations" if intake.notes else "no file of DealOrNoDeal"
        raise LogError(f"holds {what}; give a folder or file with dialogues, such as data.txt", file=path)
    return dict(sorted(forms.items(), key=lambda file_form: file_form[1] is TAGGED))


def _read(path: Path, track: Track) -> Study:
    intake = Intake(path)
    forms = _files(path, intake)
    perspectives_by_key: dict[Key, dict[str, Row]] = {}
    for file in track(list(forms)):
        data = intake.read(file)
        file_rows = list(rows(_text(data, file), forms[file], file))
        intake.add(file, data, len(file_rows))
        _gather(file_rows, file, perspectives_by_key, intake)
    games = [Game(key, tuple(perspectives.values())) for key, perspectives in perspectives_by_key.items()]
    games = [game for game in games if _is_kept(game, intake)]
    tables = _tables(games)
    intake.notes.append("players have no participant_id: the source does not say who took part")
    if lone := sum(not game.mirrored for game in games):
        intake.notes.append(f"{lone} games have one perspective only (mirrored is false)")
    return Study(provenance=intake.provenance(FORMAT.name, "1"), **tables)


def _text(data: bytes, file: Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise LogError("is not UTF-8 text; is the file damaged?", file=file, row=row) from None


def _gather(
    file_rows: Iterable[tuple[int, Row | str]],
    file: Path,
    perspectives_by_key: dict[Key, dict[str, Row]],
    intake: Intake,
) -> None:
    """Put the rows of a file to their games; what repeats a row, or is none, is left out."""
    repeats: dict[str, int] = {}
    for line, row in file_rows:
        fault = row if isinstance(row, str) else row.fault()
        if fault is None and isinstance(row, Row):
            first_row = perspectives_by_key.setdefault(row.key, {}).setdefault(row.seat, row)
            if first_row is row:
                continue
            fault = _repetition(row, first_row)
            repeats[first_row.file.name] = repeats.get(first_row.file.name, 0) + 1
        intake.leave_out(file, line, str(fault))
    for name, number in repeats.items():
        intake.notes.append(f"{number} rows of {file.name} repeat rows of {name}; their games are counted once")


def _repetition(row: Row, first_row: Row) -> str:
    claimed_seats = row.claims.keys() & first_row.claims.keys()
    is_equal = row.deals == first_row.deals and all(
        row.claims[seat] == first_row.claims[seat] for seat in claimed_seats
    )
    return "repeats an earlier row" if is_equal else "contradicts an earlier row of the same perspective"


def _is_kept(game: Game, intake: Intake) -> bool:
    fault = game.fault()
    for row in game.rows if fault else ():
        intake.leave_out(row.file, row.line, str(fault))
    return fault is None


def _tables(games: Sequence[Game]) -> dict[str, pd.DataFrame]:
    table_rows = Gathered()
    for game in games:
        _add_game(game, table_rows)
    tables = table_rows.tables()
    tables["games"]["mirrored"] = pd.array([game.mirrored for game in games], dtype="boolean")
    return tables


def _add_game(game: Game, table_rows: Gathered) -> None:
    """Add a game's rows: each selection of items is an offer, but two that agree are one."""
    name, key, claims, is_agreement = game.name, game.key, game.claims(), game.ended == "agreement"
    head = {"study": "Deal or No Deal", "scenario": "books, hats, balls", "protocol": "chat"}
    table_rows.add("games", game_id=name, **head, ended=game.ended)
    for seat, values in zip(SEATS, key.worths, strict=True):
        player = {"player": seat, "kind": "human", "points": game.points(seat), "batna": 0}
        table_rows.add("players", game_id=name, **player)
        table_rows.add_unit_values(name, seat, _by_item(values), _by_item(key.counts))
    choosers = [key.chooser] if is_agreement else [key.chooser, partner(key.chooser)]
    for seat in (seat for seat in choosers if seat in claims):
        shares = {seat: claims[seat], partner(seat): rest(claims[seat], key.counts)}
        table_rows.add_offer(
            name,
            (seat, partner(seat)),
            values={who: game.worth(who, units) for who, units in shares.items()},
            units={who: sum(units) for who, units in shares.items()},
            shares={who: _by_item(units) for who, units in shares.items()},
            response="accepted" if is_agreement else "rejected",
        )
    for speaker, text in key.turns:
        table_rows.add_next("messages", name, sender=speaker, text=text)
    table_rows.add_next("messages", name, sender=key.chooser, act="select")


def _by_item(numbers: Three) -> dict[str, int]:
    return dict(zip(ITEMS, numbers, strict=True))


FORMAT = Format(
    "dealornodeal",
    "Deal or No Deal dialogues: data.txt, or val.txt and test.txt in their tagged form",
    _matches,
    _read,
    parts=Parts(lambda _, row: frozenset([row])),  # one perspective; the other remains, as where it is not there
    roles={"mirrored": "flag"},
)
