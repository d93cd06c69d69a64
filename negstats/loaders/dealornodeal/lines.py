"""DealOrNoDeal's lines: the contents of a line, and the games of which lines are the two perspectives.

A line tells a game as one side saw it (YOU and THEM). Here it is told by seats, so that both perspectives of a game
have one key, whatever their order and form. What the tables hold stands in `negstats.loaders.dealornodeal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

from negstats.errors import LogError, shown

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
    values: tuple[Three, Three]
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
        own = self.key.values[SEATS.index(self.seat)]
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
        return worth(units, self.key.values[SEATS.index(seat)])

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
