"""Offers out of the rows of a log: which rows are offers, what became of each, and who would get what.

`offers_of` takes the rows of one part of a log. `finished` numbers the offers of all parts and brings them to the
tables ``offers`` and ``items``, once the seats of each game are known.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import LogError, shown
from negstats.loaders._lines import Lines, Places
from negstats.loaders._mapfile import Source
from negstats.loaders._reading import literal
from negstats.loaders._settle import refuse_repeated, settled
from negstats.tables import TABLES, conform

__all__ = ["Offers", "finished", "offers_of"]

_COLUMNS = [column for column in TABLES["offers"].columns if column.name not in ("game_id", "offer")]
_CONTENT = ("units_to_proposer", "units_to_responder", "value_proposer", "value_responder", "items")
_SIDES = ("proposer", "responder")
_ANSWERS = {"accept": "accepted", "reject": "rejected"}


@dataclass(frozen=True, slots=True)
class Offers:
    """Offers of one part, each called by its place in the log, which is the column ``at`` of the frames below `base`.

    Attributes
    ----------
    base : pandas.DataFrame
        Columns of the table; ``order`` and ``stamp``, if the log has them.
    worth : pandas.DataFrame
        ``seat``, ``value``, ``units``: what the offer is worth to a seat and gives it.
    goods : pandas.DataFrame
        ``item``, ``side`` or ``seat`` of who would get it, ``quantity`` or ``option``.
    totals : pandas.DataFrame
        ``item``, ``total``: what the two sides' quantities add up to.
    """

    base: pd.DataFrame
    worth: pd.DataFrame
    goods: pd.DataFrame
    totals: pd.DataFrame

    @classmethod
    def joined(cls, several: list[Offers]) -> Offers:
        """Return the offers of several parts together."""
        frames = ("base", "worth", "goods", "totals")
        return cls(*(pd.concat([getattr(offers, name) for offers in several]) for name in frames))


def offers_of(lines: Lines, game: pd.Series, event: pd.Series | None) -> Offers:
    """Return the offers in the rows of one part; rows that should be offers and are not are left out and counted.

    Parameters
    ----------
    lines
        The rows.
    game, event
        The game of each row and, in a log of events, what it is.
    """
    is_offer = _has_content(lines)
    if event is not None or lines.part.row == "offer":
        meant = np.full(len(lines), True) if event is None else (event == "offer").to_numpy()
        spoken = lines.any_of(lines.part.sections["messages"].values()) if event is None else ~meant
        lines.places.leave_out(lines.index[meant & ~is_offer & ~spoken], "an offer without quantities or values")
        is_offer = is_offer & meant
    if lines.part.lists_games:  # the proposer's row may hold the offer and the responder's the answer
        together = pd.Series(is_offer, lines.index).groupby([game, _proposer(lines)], dropna=False)
        is_offer = together.transform("any").to_numpy(dtype=bool)
    rows = lines.only(is_offer)
    found = Offers(_base(rows, game[is_offer]), _worth(rows), _goods(rows), _totals(rows))
    if event is not None:
        found = replace(found, base=_answered(found.base, lines, game, event))
    return _one_a_proposer(found, lines) if lines.part.lists_games else found


def _has_content(lines: Lines) -> npt.NDArray[np.bool_]:
    part = lines.part
    sources = [source for key, source in part.sections["offers"].items() if key in _CONTENT]
    sources += [source for item in part.items.values() for key, source in item.items() if key != "total"]
    for seat in part.seats.values():
        sources += [source for key, source in seat["players"].items() if key in ("value", "units")]
        sources += seat["items"].values()
    if sources:
        return lines.any_of(sources)
    if part.lists_games:
        return lines.any_of(source for key, source in part.sections["offers"].items() if key == "response")
    return np.full(len(lines), part.row in ("offer", "event"))  # a log that says who offered when, and not what


def _base(rows: Lines, game: pd.Series) -> pd.DataFrame:
    sources = rows.part.sections["offers"]
    read = {name: source for name, source in sources.items() if not source.clock}
    given = {column.name: rows.column(read[column.name], column) for column in _COLUMNS if column.name in read}
    stamp = pd.Series(pd.NaT, index=rows.index, dtype="datetime64[us, UTC]")
    if "time_s" in sources and sources["time_s"].clock:
        stamp = rows.stamp(sources["time_s"])
    given["proposer"] = _proposer(rows)
    base = _typed("offers", {"game_id": game} | given, rows.index).drop(columns="offer")
    base["order"] = rows.number(sources["offer"]) if "offer" in sources else np.nan
    base["stamp"] = stamp
    if "total" in sources:
        _fill(base, ("units_to_proposer", "units_to_responder"), rows.number(sources["total"]), rows.places)
    return base


def _proposer(rows: Lines) -> pd.Series:
    """Return who offers: as the mapping says, else the row's player; missing if it names neither."""
    sections = rows.part.sections
    source = sections["offers"].get("proposer") or sections["players"].get("player")
    return rows.text(source) if source else pd.Series(None, rows.index, dtype="str")


def _typed(table: str, columns: dict[str, pd.Series], index: pd.Index) -> pd.DataFrame:
    return conform(table, {name: values.array for name, values in columns.items()}).set_axis(index)


def _fill(frame: pd.DataFrame, sides: tuple[str, str], total: pd.Series, places: Places) -> None:
    """Give the one of two columns that is missing what the other leaves of `total`."""
    first, second = sides
    for known, other in ((first, second), (second, first)):
        frame[other] = frame[other].fillna(total - frame[known])
    wrong = (frame[first] < 0) | (frame[second] < 0)
    if wrong.any() and total.notna().any():
        at = int(wrong.to_numpy().argmax())
        place = int(frame["at"].iloc[at]) if "at" in frame else int(frame.index[at])
        parts = f"{frame[first].iloc[at]:g} and {frame[second].iloc[at]:g}"
        raise places.fault(place, f"the offer gives {parts} of a total of {total.iloc[at]:g}")


def _worth(rows: Lines) -> pd.DataFrame:
    frames = []
    for name, seat in rows.part.seats.items():
        given = {key: rows.number(source) for key, source in seat["players"].items() if key in ("value", "units")}
        if given:
            columns = {key: given.get(key, pd.Series(np.nan, index=rows.index)) for key in ("value", "units")}
            frames.append(pd.DataFrame({"at": rows.index, "seat": name} | columns, index=rows.index))
    return _below(frames, {"at": "int64", "seat": "str", "value": "float64", "units": "float64"})


def _below(frames: list[pd.DataFrame], dtypes: dict[str, str]) -> pd.DataFrame:
    if not frames:
        return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in dtypes.items()})
    return pd.concat([frame.astype(dtypes)[list(dtypes)] for frame in frames])


_GOODS = {"at": "int64", "item": "str", "side": "str", "seat": "str", "quantity": "float64", "option": "str"}


def _goods(rows: Lines) -> pd.DataFrame:
    frames = []

    def add(item: str, *, side: str | None = None, seat: str | None = None, **given: pd.Series) -> None:
        missing = {"quantity": np.nan, "option": None} | given
        row = {"at": rows.index, "item": item, "side": side, "seat": seat} | missing
        frames.append(pd.DataFrame(row, index=rows.index))

    for item, sources in rows.part.items.items():
        for side in _SIDES:
            if f"to_{side}" in sources:
                add(item, side=side, quantity=rows.number(sources[f"to_{side}"]))
        if "option" in sources:
            add(item, option=rows.text(sources["option"]))
    for name, seat in rows.part.seats.items():
        for item, source in seat["items"].items():
            add(item, seat=name, quantity=rows.number(source))
    if "items" in rows.part.sections["offers"]:
        frames.append(_dicts(rows, rows.part.sections["offers"]["items"]))
    goods = _below(frames, _GOODS)
    return goods[goods["quantity"].notna() | goods["option"].notna()]


def _dicts(rows: Lines, source: Source) -> pd.DataFrame:
    """Return the goods in a column of dicts as text: a number is a quantity, a word an option."""
    to = rows.part.items_to
    side, seat = (to, None) if to in _SIDES else (None, to)
    read: dict[str, list[tuple[str, float, str | None]]] = {}
    table: list[tuple[object, ...]] = []
    texts = rows.words(source).dropna()
    for at, text in texts.items():
        if text not in read:
            read[text] = list(_read_dict(text, int(at), source, rows.places))  # type: ignore[call-overload]
        table += [(at, item, side, seat, quantity, option) for item, quantity, option in read[text]]
    frame = pd.DataFrame(table, columns=list(_GOODS))
    return frame.set_axis(pd.Index(frame["at"].to_numpy(dtype="int64")))


def _read_dict(text: str, at: int, source: Source, places: Places) -> Iterator[tuple[str, float, str | None]]:
    try:
        content = literal(text, file=places.files[at], row=places.rows[at], column=source.column or source.key)
    except LogError as error:
        raise places.fault(at, error.reason, source) from None
    for item, value in content.items():
        quantity = _quantity(value)
        if quantity is not None and not math.isfinite(quantity):
            raise places.fault(at, f"{shown(text)}: the quantity of {shown(item)} is no number", source)
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


def _totals(rows: Lines) -> pd.DataFrame:
    frames = [
        pd.DataFrame({"at": rows.index, "item": item, "total": rows.number(sources["total"])}, index=rows.index)
        for item, sources in rows.part.items.items()
        if "total" in sources
    ]
    return _below(frames, {"at": "int64", "item": "str", "total": "float64"})


def _answered(base: pd.DataFrame, lines: Lines, game: pd.Series, event: pd.Series) -> pd.DataFrame:
    """Give the offers of a log of events their responses.

    An answer is to the latest unanswered offer of another seat.
    """
    answers = lines.only(event.isin(_ANSWERS).to_numpy())
    players = lines.part.sections["players"]
    order = lines.part.sections["offers"].get("offer")
    rows = pd.DataFrame({"game": game[answers.index], "event": event[answers.index]}, index=answers.index)
    rows["actor"] = answers.text(players["player"]) if "player" in players else pd.Series(None, rows.index, dtype="str")
    rows["order"] = answers.number(order) if order else np.nan
    offers = base.rename(columns={"game_id": "game", "proposer": "actor"})[["game", "actor", "order"]]
    everything = pd.concat([offers.assign(event="offer"), rows]).sort_index().sort_values("order", kind="stable")
    response, responder = base["response"].to_dict(), base["responder"].to_dict()
    lost: dict[str, list[Hashable]] = defaultdict(list)
    unanswered: dict[str, list[tuple[Hashable, str]]] = defaultdict(list)
    known = everything["actor"].notna()
    columns = (everything[name] for name in ("game", "event", "actor"))
    for at, has_actor, in_game, what, actor in zip(everything.index, known, *columns, strict=True):
        waiting = unanswered[in_game]
        if what == "offer":
            waiting.append((at, actor))
            continue
        meant = next((one for one in reversed(waiting) if not has_actor or one[1] != actor), None)
        if meant is None:
            lost[what].append(at)
            continue
        waiting.remove(meant)
        response[meant[0]] = _ANSWERS[what]
        if has_actor and pd.isna(responder[meant[0]]):
            responder[meant[0]] = actor
    for what, places in lost.items():
        lines.places.leave_out(pd.Index(places), f"{what} without an offer that it could answer")
    answered = {"response": pd.Series(response), "responder": pd.Series(responder)}
    return base.assign(**{name: values.reindex(base.index).astype("str") for name, values in answered.items()})


def _one_a_proposer(found: Offers, lines: Lines) -> Offers:
    """Put rows together that tell of the same offer: those of one game and proposer."""
    part, keys = lines.part, ["game_id", "proposer"]
    base = settled(found.base, keys, part.sections["offers"], lines.places)
    groups = found.base.groupby(keys, sort=False, dropna=False).ngroup()
    same = pd.Series(base.index[groups.to_numpy()], index=found.base.index)

    def together(frame: pd.DataFrame, within: list[str]) -> pd.DataFrame:
        called = frame.assign(at=frame["at"].map(same).astype("int64"))
        return settled(called, ["at", *within], {}, lines.places)

    goods = together(found.goods, ["item", "side", "seat"])
    return Offers(base, together(found.worth, ["seat"]), goods, together(found.totals, ["item"]))


def finished(
    offers: Offers, seats: dict[str, list[str]], began: pd.Series, last_is_deal: set[str], places: Places
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables ``offers`` and ``items``.

    Parameters
    ----------
    offers
        The offers of all parts.
    seats
        For each game, in order, its seats.
    began
        For each game when it began; missing if the log does not say.
    last_is_deal
        The games in which the last offer is the deal.
    places
        Where the rows stand.
    """
    base = _in_order(_with_seats(offers.base, seats, places), list(seats), places)
    base["time_s"] = base["time_s"].fillna((base["stamp"] - base["game_id"].map(began)).dt.total_seconds())
    base = _with_worth(base, offers.worth)
    goods = _both_sides(base, offers, places)
    base = _with_units(base, goods)
    _close(base, last_is_deal)
    called = base[["game_id", "offer"]].reindex(goods["at"])
    items = {"game_id": called["game_id"].array, "offer": called["offer"].array} | {
        name: goods[name].array for name in ("item", "receiver", "quantity", "option")
    }
    table = {name: base[name].array for name in TABLES["offers"].names}
    return conform("offers", table), conform("items", items)


def _with_seats(base: pd.DataFrame, seats: dict[str, list[str]], places: Places) -> pd.DataFrame:
    """Where there are two seats and one is named, the other one is the other one."""
    others = {(game, two[not at]): two[at] for game, two in seats.items() if len(two) == 2 for at in (0, 1)}
    filled = {}
    for side, known in (_SIDES, _SIDES[::-1]):
        pairs = zip(base["game_id"], base[known], strict=True)
        filled[side] = base[side].fillna(pd.Series([others.get(pair) for pair in pairs], base.index, dtype="str"))
    base = base.assign(**filled)
    nobody = base["proposer"].isna()
    places.leave_out(base.index[nobody], "an offer without a proposer")
    return base[~nobody]


def _in_order(base: pd.DataFrame, games: list[str], places: Places) -> pd.DataFrame:
    named = base[base["order"].notna()].rename(columns={"order": "place"})
    refuse_repeated(named, ["game_id", "place"], "the order of a game's offers must be unique", places)
    ranked = base.assign(rank=base["game_id"].map({game: place for place, game in enumerate(games)}), at=base.index)
    ranked = ranked.sort_values(["rank", "order", "at"])
    return ranked.assign(offer=ranked.groupby("game_id").cumcount() + 1)


def _with_worth(base: pd.DataFrame, worth: pd.DataFrame) -> pd.DataFrame:
    by_seat = worth.set_index(["at", "seat"])
    filled = {}
    for side in _SIDES:
        which = pd.MultiIndex.from_arrays([base["at"], base[side]])
        for name, column in (("value", f"value_{side}"), ("units", f"units_to_{side}")):
            filled[column] = base[column].fillna(by_seat[name].reindex(which).set_axis(base.index))
    return base.assign(**filled)


def _both_sides(base: pd.DataFrame, offers: Offers, places: Places) -> pd.DataFrame:
    """Return the goods with their receivers, for both sides where a total tells the other one's."""
    goods = offers.goods[offers.goods["at"].isin(base["at"])].reset_index(drop=True)
    for side in _SIDES:
        goods["side"] = goods["side"].mask(goods["seat"] == goods["at"].map(base[side]), side)
    sided = goods["side"].notna() & goods["quantity"].notna()
    wide = _by_side(goods[sided], ["at", "item"])
    total = offers.totals.set_index(["at", "item"])["total"].reindex(wide.index).reset_index(drop=True)
    wide = wide.reset_index()
    _fill(wide, ("proposer", "responder"), total, places)
    long = wide.melt(["at", "item"], list(_SIDES), "side", "quantity").dropna(subset="quantity")
    rest = goods[~sided].rename(columns={"seat": "receiver"})
    long["receiver"] = (
        long["at"].map(base["proposer"]).where(long["side"] == "proposer", long["at"].map(base["responder"]))
    )
    both = pd.concat([long.assign(option=pd.Series(None, long.index, dtype="str")), rest], ignore_index=True)
    rank = both["at"].map(pd.Series(range(len(base)), base["at"]))
    item = both["item"].map({name: place for place, name in enumerate(goods["item"].unique())})
    order = pd.DataFrame({"rank": rank, "item": item, "side": both["side"]}).sort_values(["rank", "item", "side"]).index
    return both.loc[order].astype({"receiver": "str", "side": "str"})


def _by_side(goods: pd.DataFrame, index: list[str]) -> pd.DataFrame:
    """Return the quantities for the proposer and the responder as columns, added up over the rest."""
    wide = goods.pivot_table(index=index, columns="side", values="quantity", aggfunc="sum", sort=False)
    return wide.reindex(columns=list(_SIDES))


def _with_units(base: pd.DataFrame, goods: pd.DataFrame) -> pd.DataFrame:
    """Add up the quantities for each side where the log does not say their number."""
    sums = _by_side(goods[goods["side"].isin(_SIDES)], ["at"]).reindex(base["at"]).set_axis(base.index)
    return base.assign(**{f"units_to_{side}": base[f"units_to_{side}"].fillna(sums[side]) for side in _SIDES})


def _close(base: pd.DataFrame, last_is_deal: set[str]) -> None:
    """Give the offers that got no answer their response: superseded by a later offer, or none."""
    last = ~base["game_id"].duplicated(keep="last")
    open_end = pd.Series("none", base.index, dtype="str").mask(base["game_id"].isin(last_is_deal), "accepted")
    base["response"] = base["response"].fillna(open_end.where(last, "superseded")).astype("str")
