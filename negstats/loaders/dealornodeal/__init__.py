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
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from negstats.errors import LogError
from negstats.loaders.dealornodeal.lines import PLAIN, SEATS, TAGGED, Form, Game, Key, Row, partner, rest, rows
from negstats.loaders.files.damaged import Parts, readable
from negstats.loaders.files.intake import Intake, beginning
from negstats.loaders.files.row_tables import Rows, conformed
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

NAMES = ("data.txt", "train.txt", "val.txt", "test.txt")
ITEMS = ("book", "hat", "ball")  # the source's item0, item1, item2

_CONTEXTS = re.compile(rb"(\d+ \d+ \d+ \d+ \d+ \d+\r?\n){2}")


def _form(file: Path) -> Form | None:
    """Return the form of a file by its first bytes; None if it is none of DealOrNoDeal's."""
    start = beginning(file, 256)
    return next((form for form in (PLAIN, TAGGED) if form.start.match(start)), None)


def _has_contexts(file: Path) -> bool:
    return _CONTEXTS.match(beginning(file, 256)) is not None


def _matches(path: Path) -> Evidence | None:
    files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
    file = next((file for file in files if _form(file) is not None or _has_contexts(file)), None)
    return Evidence(SIGNATURE, f"{file.name} begins as Deal or No Deal's dialogues", (file,)) if file else None


def _files(path: Path, intake: Intake) -> dict[Path, Form]:
    """Return the files to read with their forms, the form that tells more first."""
    forms: dict[Path, Form] = {}
    for file in sorted(readable(path.glob("*.txt"), path)) if path.is_dir() else [path]:
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
    table_rows: Rows = {name: [] for name in ("games", "players", "values", "offers", "items", "messages")}
    for game in games:
        _add_game(game, table_rows)
    tables = {name: conformed(name, of_table) for name, of_table in table_rows.items()}
    tables["games"]["mirrored"] = pd.array([game.mirrored for game in games], dtype="boolean")
    return tables


def _add_game(game: Game, table_rows: Rows) -> None:
    """Add a game's rows: each selection of items is an offer, but two that agree are one."""
    name, key, claims, is_agreement = game.name, game.key, game.claims(), game.ended == "agreement"
    head = {"study": "Deal or No Deal", "scenario": "books, hats, balls", "protocol": "chat"}
    table_rows["games"].append({"game_id": name, **head, "ended": game.ended})
    for seat, values in zip(SEATS, key.values, strict=True):
        player = {"player": seat, "kind": "human", "points": game.points(seat), "batna": 0}
        table_rows["players"].append({"game_id": name, **player})
        table_rows["values"] += [
            {"game_id": name, "player": seat, "item": item, "available": available, "value": value}
            for item, available, value in zip(ITEMS, key.counts, values, strict=True)
        ]
    choosers = [key.chooser] if is_agreement else [key.chooser, partner(key.chooser)]
    for number, seat in enumerate((seat for seat in choosers if seat in claims), 1):
        shares = {seat: claims[seat], partner(seat): rest(claims[seat], key.counts)}
        offer: dict[str, Any] = {"game_id": name, "offer": number}
        response = {"response": "accepted" if is_agreement else "rejected"}
        table_rows["offers"].append(offer | response)
        for side, (who, units) in zip(("proposer", "responder"), shares.items(), strict=True):
            of_side = {side: who, f"units_to_{side}": sum(units), f"value_{side}": game.worth(who, units)}
            table_rows["offers"][-1] |= of_side
            table_rows["items"] += [
                offer | {"item": item, "receiver": who, "quantity": quantity}
                for item, quantity in zip(ITEMS, units, strict=True)
            ]
    turns = [*((speaker, text, None) for speaker, text in key.turns), (key.chooser, None, "select")]
    table_rows["messages"] += [
        {"game_id": name, "message": number, "sender": speaker, "text": text, "act": act}
        for number, (speaker, text, act) in enumerate(turns, 1)
    ]


FORMAT = Format(
    "dealornodeal",
    "Deal or No Deal dialogues: data.txt, or val.txt and test.txt in their tagged form",
    _matches,
    _read,
    parts=Parts(lambda _, row: frozenset([row])),  # one perspective; the other remains, as where it is not there
    roles={"mirrored": "flag"},
)
