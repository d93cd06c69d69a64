"""The strategy method: what a responder would accept, said as the least amount or as a yes or no to each amount.

`expanded` turns columns of yes and no (``accept_0`` ... ``accept_10``) into one of least amounts. `least_of` gives each
seat's, `decided` what becomes of the offers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import polars as pl
import pyarrow as pa

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.tabular import Table, joined
from negstats.loaders.mapping.model import Atom, Part, Source
from negstats.loaders.mapping.rows import Lines
from negstats.loaders.mapping.seats import filled, player_of

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
        of_table = _amounts_of_columns(part.accept_at, table)
        rows = _least_amounts(table, of_table)
        n_mixed += len(rows.filter("is_mixed"))
        n_never += len(rows.filter("is_never"))
        table.cells[least_column] = rows["least"].to_arrow().cast(pa.large_string())
        if least_column not in table.names:
            table.names.append(least_column)
        amounts |= of_table
    for count, what in ((n_mixed, "answers that rise and fall"), (n_never, "people who accept no amount")):
        if count:
            intake.notes.append(f"{count} {what}: no least acceptable amount")
    answers = dict(part.sections["answers"])
    for name, amount in sorted(amounts.items(), key=lambda column: float(column[1])):
        question = f"accept_at_{amount}"
        answers[question] = Source(question, "offers.accept_at", (Atom("column", name),))
    source = Source("accept_from", "offers.accept_at", (Atom("column", least_column),))
    sections = part.sections | {"offers": part.sections["offers"] | {"accept_from": source}, "answers": answers}
    return replace(part, sections=sections, accept_at=None)


def _amounts_of_columns(start: str, table: Table) -> dict[str, str]:
    """Return the columns that begin so, each with the amount at its end, in the order of amounts."""
    ends = {name: re.fullmatch(re.escape(start) + r"(\d+(?:\.\d+)?)", name) for name in table.names}
    amounts = {name: end[1] for name, end in ends.items() if end}
    if len(amounts) < 2:
        reason = f"no columns {start}0, {start}1, ... (the mapping's offers.accept_at)"
        raise LogError(f"has {reason}", file=table.file)
    return dict(sorted(amounts.items(), key=lambda column: float(column[1])))


def _least_amounts(table: Table, amounts: dict[str, str]) -> pl.DataFrame:
    """Return the ``least`` amount that each row accepts, and whether its answers rise and fall, or none is a yes."""
    cells = pl.DataFrame({name: pl.Series(joined([table.cells[name]]), dtype=pl.String) for name in amounts})
    words = cells.select(pl.all().str.strip_chars().str.to_lowercase().fill_null(""))
    # The first cell, row by row, that is neither yes nor no.
    is_wrong = words.select(~pl.all().is_in(_YES | _NO | {""}))
    wrong_rows = is_wrong.select(pl.any_horizontal(pl.all()).arg_true()).to_series()
    if len(wrong_rows):
        row = wrong_rows[0]
        name = next(name for name in amounts if is_wrong[name][row])
        reason = f"{shown(cells[name][row])} is not yes or no (0, 1)"
        raise LogError(reason, file=table.file, row=int(table.rows[row]), column=name)
    # The answers of each row in the order of the amounts; the first yes is the least if no no follows it.
    said = pl.concat_list(
        pl.when(pl.col(name) != "").then(pl.col(name).is_in(_YES)) for name in amounts
    ).list.drop_nulls()
    first_yes = pl.coalesce(pl.when(pl.col(name).is_in(_YES)).then(pl.lit(amount)) for name, amount in amounts.items())
    is_mixed, is_never = said != said.list.sort(), (said.list.len() > 0) & ~said.list.any()
    return words.select(least=pl.when(~is_mixed).then(first_yes), is_mixed=is_mixed, is_never=is_never)


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


def least_of(lines: Lines, proposer: pl.Series) -> pl.DataFrame:
    """Return the least acceptable amounts, by game and seat; of rows that are players' those of who does not offer."""
    source = lines.part.sections["offers"].get("accept_from")
    if source is None:
        none = lines.rows.select("at", "game_id").clear()
        return none.with_columns(player=pl.lit(None, lines.places.text), amount=pl.lit(None, pl.Float64))
    rows = lines.rows.select("at", "game_id", amount=lines.number(source))
    if lines.part.row != "player":
        return rows.with_columns(player=pl.lit(responder_of(lines.part), lines.places.text))
    rows, offering = rows.with_columns(player=player_of(lines)), lines.part.sections["offers"].get("proposer")
    if offering is None or offering.columns:  # everybody offers and answers
        return rows
    is_other = pl.col("player").ne_missing(pl.lit(proposer))
    return rows.with_columns(player=pl.when(is_other).then("player"))


def decided(base: pl.DataFrame, least: pl.DataFrame) -> pl.DataFrame:
    """Give offers without a response theirs, by the responder's least acceptable amount."""
    if not len(least):
        return base
    amounts = least.drop_nulls().unique(["game_id", "player"], keep="first", maintain_order=True)
    amounts = amounts.select("game_id", "amount", responder="player")
    offers = filled(base, units_to_responder=pl.lit(None, pl.Float64))
    offers = offers.join(amounts, on=["game_id", "responder"], how="left", maintain_order="left")
    units, amount = pl.col("units_to_responder"), pl.col("amount")
    answer = pl.when(units >= amount).then(pl.lit("accepted")).when(units < amount).then(pl.lit("rejected"))
    response = answer.otherwise(pl.lit("none")).cast(base.schema["response"])
    return filled(offers, response=response).drop("amount")
