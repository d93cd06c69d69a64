"""The strategy method: what a responder would accept, said as the least amount or as a yes or no to each amount.

`expanded` turns columns of yes and no (``accept_0`` ... ``accept_10``) into one of least amounts. `least_of` gives each
seat's, `decided` what becomes of the offers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.tabular import Table, joined
from negstats.loaders.mapping.frames import Array, Codes, Frame, nothing
from negstats.loaders.mapping.model import Atom, Part, Source
from negstats.loaders.mapping.rows import Lines, Places

QUESTION = "least_acceptable"
_YES, _NO = {"1", "1.0", "true", "yes"}, {"0", "0.0", "false", "no"}


def expanded(part: Part, tables: Sequence[Table], intake: Intake) -> Part:
    """Return a part in which columns of yes and no have become a column of least amounts and an answer each.

    The tables get the new column. Answers that rise from no to yes once give the least amount that is accepted; others
    give none and are counted.
    """
    if part.accept_at is None:
        return part
    least_column = f"least by {part.accept_at}"
    amounts: dict[str, str] = {}
    n_mixed = n_never = 0
    for table in tables:
        amounts_by_column = {
            name: number[1]
            for name in table.names
            if (number := re.fullmatch(re.escape(part.accept_at) + r"(\d+(?:\.\d+)?)", name))
        }
        if len(amounts_by_column) < 2:
            reason = f"no columns {part.accept_at}0, {part.accept_at}1, ... (the mapping's offers.accept_at)"
            raise LogError(f"has {reason}", file=table.file)
        order = sorted(amounts_by_column, key=lambda name: float(amounts_by_column[name]))
        words = [joined([table.cells[name]]).to_pylist() for name in order]
        least: list[str | None] = []
        for row, row_texts in zip(table.rows, zip(*words, strict=True), strict=True):
            cells = [_truth(table, int(row), name, text) for name, text in zip(order, row_texts, strict=True)]
            row_answers = [(name, answer) for name, answer in zip(order, cells, strict=True) if answer is not None]
            rises = [answer for _, answer in row_answers] == sorted(answer for _, answer in row_answers)
            yes = next((amounts_by_column[name] for name, answer in row_answers if answer), None)
            n_mixed, n_never = n_mixed + (not rises), n_never + (bool(row_answers) and rises and yes is None)
            least.append(yes if rises else None)
        table.cells[least_column] = pa.array(least, pa.large_string())
        if least_column not in table.names:
            table.names.append(least_column)
        amounts |= amounts_by_column
    for count, what in ((n_mixed, "answers that rise and fall"), (n_never, "people who accept no amount")):
        if count:
            intake.notes.append(f"{count} {what}: no least acceptable amount")
    answers = dict(part.sections["answers"])
    for name in sorted(amounts, key=lambda name: float(amounts[name])):
        question = f"accept_at_{amounts[name]}"
        answers[question] = Source(question, "offers.accept_at", (Atom("column", name),))
    source = Source("accept_from", "offers.accept_at", (Atom("column", least_column),))
    sections = part.sections | {"offers": part.sections["offers"] | {"accept_from": source}, "answers": answers}
    return replace(part, sections=sections, accept_at=None)


def _truth(table: Table, row: int, name: str, text: str | None) -> bool | None:
    word = (text or "").strip().lower()
    if not word:
        return None
    if word not in _YES | _NO:
        raise LogError(f"{shown(text)} is not yes or no (0, 1)", file=table.file, row=row, column=name)
    return word in _YES


def responder_of(part: Part) -> str | None:
    """Return the seat that answers where a row is not a player's: the named one, or the other one of two."""
    offers = part.sections["offers"]
    for key, others in (("responder", False), ("proposer", True)):
        source = offers.get(key)
        if source is not None and not source.columns and len(source.atoms) == 1:
            constant_seat = source.atoms[0].text
            rest = [seat for seat in part.seats if seat != constant_seat]
            return (rest[0] if len(rest) == 1 else None) if others else constant_seat
    return None


def least_of(lines: Lines, game: Codes, proposer: Codes) -> Frame:
    """Return the least acceptable amounts, by game and seat; of rows that are players' those of who does not offer."""
    source = lines.part.sections["offers"].get("accept_from")
    if source is None:
        return {"at": nothing("int64", 0), "game_id": nothing("int32", 0), "player": nothing("int32", 0)} | {
            "amount": nothing("float64", 0)
        }
    amount = lines.number(source)
    return {"at": lines.index, "game_id": game, "player": _answering(lines, proposer), "amount": amount}


def _answering(lines: Lines, proposer: Codes) -> Codes:
    """Return the seat whose amount stands in each row; missing where it is the proposer's own row."""
    if lines.part.row != "player":
        code = lines.places.vocabulary("player").code(responder_of(lines.part) or "")
        return np.full(len(lines), code, dtype=np.int32)
    player = lines.text(lines.part.sections["players"]["player"])
    source = lines.part.sections["offers"].get("proposer")
    if source is None or source.columns:  # everybody offers and answers
        return player
    return np.where(player == proposer, np.int32(-1), player)


def decided(base: Frame, least: Frame, places: Places) -> None:
    """Give offers without a response theirs, by the responder's least acceptable amount."""
    has_amount = (least["player"] >= 0) & ~np.isnan(least["amount"])
    if not len(has_amount):
        return
    width = len(places.vocabulary("player")) + 1
    keys: Array = least["game_id"][has_amount].astype(np.int64) * width + least["player"][has_amount]
    order = np.argsort(keys, kind="stable")
    offer_keys = base["game_id"].astype(np.int64) * width + base["responder"]
    amounts = np.append(least["amount"][has_amount][order], np.nan)
    place = np.searchsorted(keys[order], offer_keys)
    hit = np.append(keys[order], -1)[place] == offer_keys
    amount = np.where(hit & (base["responder"] >= 0), amounts[place], np.nan)
    units = base.get("units_to_responder", nothing("float64", len(offer_keys)))
    code = places.vocabulary("response").code
    answer = np.where(units >= amount, code("accepted"), code("rejected"))
    answer = np.where(np.isnan(units) | np.isnan(amount), code("none"), answer)
    base["response"] = np.where(base["response"] < 0, answer, base["response"]).astype(np.int32)
