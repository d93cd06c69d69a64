"""What offers are made of: quantities and options of items, from columns or from a dict as text, and who gets them.

Goods are rows of ``at`` (the offer's place in the log), ``item``, ``side`` (0 the proposer, 1 the responder) or
``seat`` of who would get it, and ``quantity`` or ``option``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import literal
from negstats.loaders.mapping.frames import Array, Frame, Mask, grouped, nothing, picked, stacked
from negstats.loaders.mapping.model import Source, Sources
from negstats.loaders.mapping.rows import Lines, Places
from negstats.tables import text_array

SIDES = ("proposer", "responder")
_TYPES = {"at": "int64", "item": "int32", "side": "int32", "seat": "int32", "quantity": "float64", "option": "int32"}


def goods(rows: Lines) -> Frame:
    """Return the goods in the rows of offers."""
    frames: list[Frame] = [{name: nothing(dtype, 0) for name, dtype in _TYPES.items()}]
    at, words = rows.index, rows.places.vocabulary

    def add(item: str | Array, **given: Array | int) -> None:
        frame = {name: nothing(dtype, len(at)) for name, dtype in _TYPES.items()}
        full_columns: Frame = {name: np.broadcast_to(value, len(at)) for name, value in given.items()}
        code = np.full(len(at), words("item").code(item), dtype=np.int32) if isinstance(item, str) else item
        frames.append(frame | full_columns | {"at": at, "item": code})

    every: list[tuple[str | Array, Sources]] = list(rows.part.items.items())
    if rows.part.item:
        every.append((rows.text(rows.part.item["name"]), rows.part.item))
    for item, sources in every:
        for side, name in enumerate(SIDES):
            if f"to_{name}" in sources:
                add(item, side=side, quantity=rows.number(sources[f"to_{name}"]))
        if "option" in sources:
            add(item, option=rows.text(sources["option"]))
    for name, seat in rows.part.seats.items():
        for item, source in seat["items"].items():
            add(item, seat=words("player").code(name), quantity=rows.number(source))
    if "items" in rows.part.sections["offers"]:
        frames.append(_dicts(rows, rows.part.sections["offers"]["items"]))
    all_goods = stacked(frames)
    return picked(all_goods, ~np.isnan(all_goods["quantity"]) | (all_goods["option"] >= 0))


def _dicts(rows: Lines, source: Source) -> Frame:
    """Return the goods in a column of dicts as text: a number is a quantity, a word an option."""
    to, words = rows.part.items_to, rows.places.vocabulary
    cells = rows.words(source).dictionary_encode()
    codes = cells.indices.fill_null(-1).to_numpy()
    filled_rows = np.flatnonzero(codes >= 0)
    first = np.full(len(cells.dictionary), -1, dtype=np.int64)
    first[codes[filled_rows][::-1]] = rows.index[filled_rows][::-1]
    contents = [
        list(_read_dict(str(text), int(at), source, rows.places))
        for text, at in zip(cells.dictionary, first, strict=True)
    ]
    flat = [one for content in contents for one in content]
    sizes = np.array([len(content) for content in contents], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    of_row = codes[filled_rows]
    each = np.repeat(np.arange(len(filled_rows)), sizes[of_row])
    place_in_row = np.arange(len(each)) - np.repeat(np.cumsum(sizes[of_row]) - sizes[of_row], sizes[of_row])
    place = np.repeat(starts[of_row], sizes[of_row]) + place_in_row
    item = words("item").add(text_array([name for name, _, _ in flat]))
    option = words("option").add(text_array([text for _, _, text in flat]))
    side = SIDES.index(to) if to in SIDES else -1
    seat = -1 if to is None or to in SIDES else words("player").code(to)
    return {
        "at": rows.index[filled_rows][each],
        "item": item[place],
        "side": np.full(len(each), side, dtype=np.int32),
        "seat": np.full(len(each), seat, dtype=np.int32),
        "quantity": np.array([quantity for _, quantity, _ in flat], dtype=np.float64)[place],
        "option": option[place],
    }


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


def totals(rows: Lines) -> Frame:
    """Return ``at``, ``item``, ``total``: what both sides' quantities add up to, where the mapping says it."""
    frames: list[Frame] = [{"at": nothing("int64", 0), "item": nothing("int32", 0), "total": nothing("float64", 0)}]
    for item, sources in rows.part.items.items():
        if "total" in sources:
            code = np.full(len(rows), rows.places.vocabulary("item").code(item), dtype=np.int32)
            frames.append({"at": rows.index, "item": code, "total": rows.number(sources["total"])})
    if "total" in rows.part.item:
        code = rows.text(rows.part.item["name"])
        frames.append({"at": rows.index, "item": code, "total": rows.number(rows.part.item["total"])})
    return stacked(frames)


def fill(first: Array, second: Array, total: Array, at: Array, places: Places) -> tuple[Array, Array]:
    """Return two sides' amounts, the one that is missing being what the other leaves of `total`."""
    if (is_missing := np.isnan(first)).any():
        first = np.where(is_missing, total - second, first)
    if (is_missing := np.isnan(second)).any():
        second = np.where(is_missing, total - first, second)
    wrong: Mask = ((first < 0) | (second < 0)) & bool((~np.isnan(total)).any())
    if wrong.any():
        place = int(wrong.argmax())
        parts = f"{first[place]:g} and {second[place]:g}"
        reason = f"the offer gives {parts} of a total of {total[place]:g}"
        raise places.fault(int(at[place]), reason, rows=at[wrong])
    return first, second


def both_sides(offers: Frame, one_side: Frame, total: Frame, places: Places) -> Frame:
    """Return the goods with their receivers, for both sides where a total tells the other one's.

    ``offer`` is the row of `offers` (in the order of which the goods come) that they are in.
    """
    row = _rows_of(offers["at"], one_side["at"], places.size)
    goods = picked(one_side | {"offer": row}, row >= 0)
    for side, name in enumerate(SIDES):
        gets_it = (goods["seat"] >= 0) & (goods["seat"] == offers[name][goods["offer"]])
        goods["side"] = np.where(gets_it, np.int32(side), goods["side"])
    kinds, places_of = np.unique(goods["item"], return_index=True)
    rank = np.zeros(len(places.vocabulary("item")) + 1, dtype=np.int64)
    rank[kinds] = places_of
    sided = (goods["side"] >= 0) & ~np.isnan(goods["quantity"])
    with_side, rest = picked(goods, sided), picked(goods, ~sided)
    offer, item, amounts = _sum_by_side(with_side)
    wholes = _wholes(total, _rows_of(offers["at"], total["at"], places.size), offer, item, len(rank))
    quantities = fill(amounts[:, 0], amounts[:, 1], wholes, offers["at"][offer] if len(offer) else offer, places)
    frames = [
        {
            "offer": offer[has_quantity],
            "item": item[has_quantity],
            "side": np.full(int(has_quantity.sum()), side, dtype=np.int32),
            "receiver": offers[SIDES[side]][offer[has_quantity]],
            "quantity": values[has_quantity],
            "option": nothing("int32", int(has_quantity.sum())),
        }
        for side, values in enumerate(quantities)
        for has_quantity in [~np.isnan(values)]
    ]
    frames.append({"receiver": rest["seat"]} | {name: rest[name] for name in frames[0] if name != "receiver"})
    both = stacked(frames)
    last = np.where(both["side"] < 0, len(SIDES), both["side"])
    return picked(both, np.lexsort((last, rank[both["item"]], both["offer"])))


def _wholes(total: Frame, of_total: Array, offer: Array, item: Array, wide: int) -> Array:
    """Return the total of each offer's item, NaN where none is known."""
    total_keys, item_keys = of_total * wide + total["item"], offer * wide + item
    totals = np.full(len(item_keys), np.nan)
    if len(total_keys):
        order = np.argsort(total_keys, kind="stable")
        place = np.searchsorted(total_keys[order], item_keys).clip(max=len(order) - 1)
        hit = total_keys[order][place] == item_keys
        totals[hit] = total["total"][order][place[hit]]
    return totals


def _rows_of(offer_places: Array, at: Array, size: int) -> Array:
    """Return for each place in the log the position in `offer_places` that has it, -1 if none."""
    position = np.full(size, -1, dtype=np.int64)
    position[offer_places] = np.arange(len(offer_places))
    return position[at]


def units(goods: Frame, size: int) -> npt.NDArray[np.float64]:
    """Return what each side gets of all items together, a row an offer; missing where that of one item is not known."""
    units_by_side = np.full((size, len(SIDES)), np.nan)
    offer, _, amounts = _sum_by_side(picked(goods, goods["side"] >= 0))
    for side in range(len(SIDES)):
        by_offer = pd.Series(amounts[:, side]).groupby(offer)
        sums, all_known = by_offer.sum(), pd.Series(~np.isnan(amounts[:, side])).groupby(offer).all()
        units_by_side[sums.index.to_numpy(dtype=np.int64), side] = sums.where(all_known).to_numpy()
    return units_by_side


def _sum_by_side(goods: Frame) -> tuple[Array, Array, npt.NDArray[np.float64]]:
    """Return offers, items and the quantities for the proposer and the responder, added up."""
    goods_with_quantity = picked(goods, ~np.isnan(goods["quantity"]))
    groups = grouped([goods_with_quantity["offer"], goods_with_quantity["item"]])
    first = np.flatnonzero(~pd.Series(groups).duplicated().to_numpy())
    amounts = np.full((len(first), len(SIDES)), np.nan)
    sums = pd.Series(goods_with_quantity["quantity"]).groupby(groups * len(SIDES) + goods_with_quantity["side"]).sum()
    amounts.ravel()[sums.index.to_numpy(dtype=np.int64)] = sums.to_numpy()
    return goods_with_quantity["offer"][first], goods_with_quantity["item"][first], amounts
