"""What offers are made of: quantities and options of items, from columns or from a dict as text, and who gets them.

Goods are rows of ``at`` (the offer's place in the log), ``item``, ``side`` (proposer or responder) or ``seat`` of who
would get it, and ``quantity`` or ``option``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import polars as pl

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import literal
from negstats.loaders.mapping.model import Source, Sources
from negstats.loaders.mapping.rows import Lines, Places, Schema

SIDES = ("proposer", "responder")


def goods_of(lines: Lines) -> pl.DataFrame:
    """Return the goods in the rows of offers."""
    text = lines.places.text
    types: Schema = {"at": pl.Int64, "item": text, "side": text, "seat": text, "quantity": pl.Float64, "option": text}
    frames = [pl.DataFrame(schema=types)]

    def add(item: str | pl.Series, **given: pl.Series | str) -> None:
        of_words = {
            name: pl.lit(value, dtype=text) if isinstance(value, str) else value
            for name, value in (given | {"item": item}).items()
        }
        frames.append(lines.rows.select("at", **of_words))

    every: list[tuple[str | pl.Series, Sources]] = list(lines.part.items.items())
    if lines.part.item:
        every.append((lines.text(lines.part.item["name"]), lines.part.item))
    for item, sources in every:
        for side in SIDES:
            if f"to_{side}" in sources:
                add(item, side=side, quantity=lines.number(sources[f"to_{side}"]))
        if "option" in sources:
            add(item, option=lines.text(sources["option"]))
    for seat, of_seat in lines.part.seats.items():
        for item, source in of_seat["items"].items():
            add(item, seat=seat, quantity=lines.number(source))
    if "items" in lines.part.sections["offers"]:
        frames.append(_dicts(lines, lines.part.sections["offers"]["items"]))
    goods = pl.concat(frames, how="diagonal")
    return goods.filter(pl.col("quantity").is_not_null() | pl.col("option").is_not_null())


def _dicts(lines: Lines, source: Source) -> pl.DataFrame:
    """Return the goods in a column of dicts as text: a number is a quantity, a word an option."""
    to, text = lines.part.items_to, lines.places.text
    cells = lines.rows.select("at", cell=lines.words(source)).drop_nulls()
    contents = [
        (cell, *good)
        for at, cell in cells.unique("cell", keep="first", maintain_order=True).iter_rows()
        for good in _read_dict(cell, at, source, lines.places)
    ]
    types: Schema = {"cell": pl.String, "item": text, "quantity": pl.Float64, "option": text}
    goods = cells.join(pl.DataFrame(contents, types, orient="row"), on="cell", maintain_order="left_right").drop("cell")
    if to is None:
        return goods
    return goods.with_columns(pl.lit(to, dtype=text).alias("side" if to in SIDES else "seat"))


def _read_dict(text: str, at: int, source: Source, places: Places) -> Iterator[tuple[str, float, str | None]]:
    file, row = places.at(at)
    try:
        content = literal(text, file=file, row=row, column=source.column or source.key)
    except LogError as error:
        raise places.fault(at, error.reason, source) from None
    for item, value in content.items():
        quantity = _quantity(value)
        if quantity is not None and not math.isfinite(quantity):
            raise places.fault(at, f"{shown(text)}: the quantity of {shown(item)} is not a number", source)
        try:
            f"{item}{value}".encode()
        except UnicodeEncodeError:
            raise places.fault(at, f"{shown(text)} holds half a character", source) from None
        yield (item, math.nan, str(value)) if quantity is None else (item, quantity, None)


def _quantity(value: object) -> float | None:
    """Return a number, also one that was logged as text; None for a word."""
    if isinstance(value, bool):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf
    except ValueError:
        return None


def totals_of(lines: Lines) -> pl.DataFrame:
    """Return ``at``, ``item``, ``total``: what both sides' quantities add up to, where the mapping says it."""
    text = lines.places.text
    frames = [pl.DataFrame(schema={"at": pl.Int64, "item": text, "total": pl.Float64})]
    for item, sources in lines.part.items.items():
        if "total" in sources:
            frames.append(lines.rows.select("at", item=pl.lit(item, dtype=text), total=lines.number(sources["total"])))
    if "total" in lines.part.item:
        names, totals = lines.text(lines.part.item["name"]), lines.number(lines.part.item["total"])
        frames.append(lines.rows.select("at", item=names, total=totals))
    return pl.concat(frames)


def fill_sides(amounts: pl.DataFrame, places: Places) -> pl.DataFrame:
    """Return what both sides get, the one that is missing being what the other leaves of the ``total``.

    Raises
    ------
    LogError
        If a side gets less than nothing.
    """
    first, second = (pl.col(side) for side in SIDES)
    both = amounts.with_columns(
        pl.coalesce(first, pl.col("total") - second), pl.coalesce(second, pl.col("total") - first)
    )
    wrong = both.filter((first < 0) | (second < 0))
    if len(wrong) and both["total"].count():
        row = wrong.select(*SIDES, "total").fill_null(math.nan).row(0, named=True)
        parts = " and ".join(f"{row[side]:g}" for side in SIDES)
        reason = f"the offer gives {parts} of a total of {row['total']:g}"
        raise places.fault(wrong["at"][0], reason, rows=wrong["at"])
    return both


def both_sides(offers: pl.DataFrame, one_side: pl.DataFrame, totals: pl.DataFrame, places: Places) -> pl.DataFrame:
    """Return the goods with their receivers, for both sides where a total tells the other one's, in order of offers."""
    # Each good with the sides of its offer; a seat that is one of them stands for the side.
    of_offers = one_side.join(offers.select("at", "game_id", "offer", *SIDES), on="at", maintain_order="left")
    is_side = [pl.when(pl.col("seat") == pl.col(side)).then(pl.lit(side, dtype=places.text)) for side in SIDES[::-1]]
    goods = of_offers.with_columns(side=pl.coalesce(*is_side, "side"))
    # What both sides get of an item, of which the log may say one amount and the total.
    is_amount = pl.col("side").is_not_null() & pl.col("quantity").is_not_null()
    quantities = [pl.col("quantity").filter(pl.col("side") == side) for side in SIDES]
    amounts = (
        goods.filter(is_amount)
        .group_by("at", "item", maintain_order=True)
        .agg(
            pl.when(of_side.len() > 0).then(of_side.sum()).alias(side)
            for side, of_side in zip(SIDES, quantities, strict=True)
        )
    )
    wholes = totals.unique(["at", "item"], keep="first")
    amounts = fill_sides(amounts.join(wholes, on=["at", "item"], how="left", maintain_order="left"), places)
    # One row again for each side that gets something, beside the goods of no side and the options.
    offer = offers.select("at", "game_id", "offer", *SIDES)
    divided = [
        amounts.select("at", "item", quantity=side)
        .drop_nulls("quantity")
        .join(offer, on="at", maintain_order="left")
        .with_columns(side=pl.lit(side, dtype=places.text), receiver=side)
        for side in SIDES
    ]
    rest = goods.filter(~is_amount).with_columns(receiver="seat").drop("seat")
    order = goods.unique("item", keep="first", maintain_order=True).select("item").with_row_index("rank")
    items = pl.concat([*divided, rest], how="diagonal").join(order, on="item", maintain_order="left")
    return items.sort("game_id", "offer", "rank", pl.col("side").cast(pl.String), nulls_last=True, maintain_order=True)


def units_of(items: pl.DataFrame) -> pl.DataFrame:
    """Return what each side of an offer gets of all items together; missing where that of one item is not known."""
    amounts = items.filter(pl.col("side").is_not_null() & pl.col("quantity").is_not_null())
    quantities = [pl.col("quantity").filter(pl.col("side") == side) for side in SIDES]
    return amounts.group_by("at").agg(
        pl.when(of_side.len() == pl.col("item").n_unique()).then(of_side.sum()).alias(f"units_to_{side}")
        for side, of_side in zip(SIDES, quantities, strict=True)
    )
