"""Offers out of the rows of a log: which rows are offers, what became of each, and who would get what.

`offers_of` takes the rows of one part of a log. `finished` numbers the offers of all parts and brings them to the
tables ``offers`` and ``items``, once the seats of each game are known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from negstats.errors import shown
from negstats.loaders.mapping import items as _goods
from negstats.loaders.mapping.conflicts import refuse_repeated, settled
from negstats.loaders.mapping.frames import Array, Codes, Frame, Mask, grouped, nothing, picked, stacked
from negstats.loaders.mapping.items import SIDES, fill
from negstats.loaders.mapping.own_measures import levels_of, numbers_of
from negstats.loaders.mapping.rows import Lines, Places
from negstats.loaders.mapping.seats import Seats, since
from negstats.loaders.mapping.thresholds import decided, least_of
from negstats.tables import TABLES

__all__ = ["Offers", "finished", "offers_of"]

_COLUMNS = [column for column in TABLES["offers"].columns if column.name not in ("game_id", "offer")]
_CONTENT = ("units_to_proposer", "units_to_responder", "value_proposer", "value_responder", "items")
_ANSWERS = {"accept": "accepted", "reject": "rejected"}


@dataclass(frozen=True, slots=True)
class Offers:
    """Offers of one part, each called by its place in the log, which is ``at`` in all the frames.

    Attributes
    ----------
    base : Frame
        Columns of the table; ``order`` and ``stamp``, if the log has them.
    worth : Frame
        ``seat``, ``value``, ``units``: what the offer is worth to a seat and gives it.
    goods : Frame
        ``item``, ``side`` or ``seat`` of who would get it, ``quantity`` or ``option``.
    totals : Frame
        ``item``, ``total``: what the two sides' quantities add up to.
    least : Frame
        ``game_id``, ``player``, ``amount``: the least that a seat would accept.
    """

    base: Frame
    worth: Frame
    goods: Frame
    totals: Frame
    least: Frame

    @classmethod
    def joined(cls, several: list[Offers]) -> Offers:
        """Return the offers of several parts together."""
        frames = ("base", "worth", "goods", "totals", "least")
        return cls(*(stacked([getattr(offers, name) for offers in several]) for name in frames))


def offers_of(lines: Lines, game: Codes, event: Codes | None) -> Offers:
    """Return the offers in the rows of one part; rows that should be offers and are not are left out and counted.

    Parameters
    ----------
    lines
        The rows.
    game, event
        The game of each row and, in a log of events, what it is.
    """
    is_offer = _has_content(lines)
    if lines.part.row == "item":
        named = lines.text(lines.part.item["name"]) >= 0
        lines.places.leave_out(lines.index[~named], "no item: the column that names it is empty")
        lines.places.leave_out(lines.index[named & ~is_offer], "an item without a quantity or an option")
        is_offer &= named
    events = lines.places.vocabulary("event")
    if event is not None or lines.part.row == "offer":
        meant = np.full(len(lines), True) if event is None else event == events.code("offer")
        spoken = lines.any_of(lines.part.sections["messages"].values()) if event is None else ~meant
        lines.places.leave_out(lines.index[meant & ~is_offer & ~spoken], "an offer without quantities or values")
        is_offer = is_offer & meant
    if lines.part.lists_games:  # the proposer's row may hold the offer and the responder's the answer
        together = grouped([game, _proposer(lines)])
        is_offer = (np.bincount(together, weights=is_offer) > 0)[together] if len(together) else is_offer
    rows = lines.only(is_offer)
    least = least_of(lines, game, _proposer(lines))
    levels = levels_of(lines, game)
    _count_values_of_no_offer(lines, is_offer, levels)
    found = Offers(_base(rows, game[is_offer], levels), _worth(rows), _goods.goods(rows), _goods.totals(rows), least)
    if event is not None:
        found = replace(found, base=_answered(found.base, lines, game, event))
    if lines.part.row == "item":
        return _together(found, lines, _of_items(found, lines))
    if lines.part.lists_games:
        return _together(found, lines, grouped([found.base["game_id"], found.base["proposer"]]))
    return found


def _count_values_of_no_offer(lines: Lines, is_offer: Mask, levels: Mapping[str, str]) -> None:
    """Note how many values of a measure of offers stand in rows that are no offers."""
    for name, level in levels.items():
        if level == "offer":
            source = lines.part.sections["measures"][name]
            lost = int((lines.any_of([source]) & ~is_offer).sum())
            called = shown(name).replace("{", "{{").replace("}", "}}")
            words = f"{{0}} values of {called} stand in rows that are no offer, and are not kept"
            lines.places.intake.count(words, lost)


def _has_content(lines: Lines) -> Mask:
    part = lines.part
    sources = [source for key, source in part.sections["offers"].items() if key in _CONTENT]
    every = [*part.items.values(), part.item]
    sources += [source for item in every for key, source in item.items() if key not in ("name", "total")]
    for seat in part.seats.values():
        sources += [source for key, source in seat["players"].items() if key in ("value", "units")]
        sources += seat["items"].values()
    if sources:
        return lines.any_of(sources)
    if part.lists_games:
        return lines.any_of(source for key, source in part.sections["offers"].items() if key == "response")
    return np.full(len(lines), part.row in ("offer", "event"))  # a log that says who offered when, and not what


def _base(rows: Lines, game: Codes, levels: Mapping[str, str]) -> Frame:
    sources = rows.part.sections["offers"]
    base: Frame = {"at": rows.index, "game_id": game}
    for column in _COLUMNS:
        source = sources.get(column.name)
        if source is not None and not source.clock and column.name != "proposer":
            base[column.name] = rows.column(source, column.kind)
    if "time_s" in sources and sources["time_s"].clock:
        base["stamp"] = rows.stamp(sources["time_s"])
    base["proposer"] = _proposer(rows)
    for name in ("responder", "response"):
        base.setdefault(name, nothing("int32", len(rows)))
    if "offer" in sources:
        base["order"] = rows.number(sources["offer"])
    if "total" in sources:
        own, other = (base.get(f"units_to_{side}", nothing("float64", len(rows))) for side in SIDES)
        own, other = fill(own, other, rows.number(sources["total"]), rows.index, rows.places)
        base |= {"units_to_proposer": own, "units_to_responder": other}
    measures = rows.part.sections["measures"]
    of_offers = [name for name, level in levels.items() if level == "offer"]
    return base | {f"measures.{name}": numbers_of(rows, measures[name]) for name in of_offers}


def _proposer(rows: Lines) -> Codes:
    """Return who offers: as the mapping says, else the row's player; missing if it names neither."""
    sections = rows.part.sections
    source = sections["offers"].get("proposer") or sections["players"].get("player")
    return rows.text(source) if source else nothing("int32", len(rows))


def _worth(rows: Lines) -> Frame:
    names = {"at": "int64", "seat": "int32", "value": "float64", "units": "float64"}
    frames: list[Frame] = [{name: nothing(dtype, 0) for name, dtype in names.items()}]
    for name, seat in rows.part.seats.items():
        given = {key: rows.number(source) for key, source in seat["players"].items() if key in ("value", "units")}
        if given:
            code = rows.places.vocabulary("player").code(name)
            frames.append({"at": rows.index, "seat": np.full(len(rows), code, dtype=np.int32)} | given)
    return stacked(frames)


def _answered(base: Frame, lines: Lines, game: Codes, event: Codes) -> Frame:
    """Give the offers of a log of events their responses; who answers is the responder where the log names none."""
    events, responses = lines.places.vocabulary("event"), lines.places.vocabulary("response")
    is_answer = np.isin(event, [events.code(what) for what in _ANSWERS])
    answers = lines.only(is_answer)
    players, order = lines.part.sections["players"], lines.part.sections["offers"].get("offer")
    rows: Frame = {"at": answers.index, "game": game[is_answer], "event": event[is_answer]}
    rows["actor"] = answers.text(players["player"]) if "player" in players else nothing("int32", len(answers))
    rows["order"] = answers.number(order) if order else nothing("float64", len(answers))
    offers: Frame = {"at": base["at"], "game": base["game_id"], "event": nothing("int32", len(base["at"]))}
    offers |= {"actor": base["proposer"], "order": base.get("order", nothing("float64", len(base["at"])))}
    both = stacked([offers, rows])
    both = picked(both, np.lexsort((both["at"], both["order"])))
    answered = _answer_to(both, lines.places.size)  # by the place of the answer, that of the offer
    found = answered[rows["at"]]
    for what in _ANSWERS:
        lost = (found < 0) & (rows["event"] == events.code(what))
        lines.places.leave_out(rows["at"][lost], f"{what} without an offer that it could answer")
    row = np.searchsorted(base["at"], found[found >= 0])
    response, responder = base["response"].copy(), base["responder"].copy()
    said = np.full(len(events), -1, dtype=np.int32)
    for what, level in _ANSWERS.items():
        said[events.code(what)] = responses.code(level)
    response[row] = said[rows["event"][found >= 0]]
    named = responder[row] >= 0
    responder[row] = np.where(named, responder[row], rows["actor"][found >= 0])
    return base | {"response": response, "responder": responder}


def _answer_to(events: Frame, size: int) -> Array:
    """Return for each answer the offer that it is to: the game's latest unanswered one of another seat."""
    answer_to = np.full(size, -1, dtype=np.int64)
    in_games = picked(events, np.argsort(events["game"], kind="stable"))
    at, game, actor, answers = in_games["at"], in_games["game"], in_games["actor"], in_games["event"] >= 0
    # An offer right before, of another seat, is the latest, and nobody can have answered it.
    before = np.zeros(len(at), dtype=bool)
    before[1:] = (game[1:] == game[:-1]) & ~answers[:-1] & ((actor[1:] != actor[:-1]) | (actor[1:] < 0))
    plain = answers & before
    answer_to[at[plain]] = at[np.flatnonzero(plain) - 1]
    other = np.isin(game, np.unique(game[answers & ~before]))
    unanswered: dict[int, list[tuple[int, int]]] = defaultdict(list)
    columns = (values[other].tolist() for values in (at, game, answers, actor))
    for place, one, answer, who in zip(*columns, strict=True):
        waiting = unanswered[one]
        if not answer:
            waiting.append((place, who))
            continue
        meant = next((offer for offer in reversed(waiting) if who < 0 or offer[1] != who), None)
        if meant is not None:
            waiting.remove(meant)
        answer_to[place] = -1 if meant is None else meant[0]
    return answer_to


def _of_items(found: Offers, lines: Lines) -> Array:
    """Return which offer each row is an item of: by its number, else by who makes it in which round.

    Raises
    ------
    LogError
        If an item stands twice in an offer, or the number is missing.
    """
    base, places = found.base, lines.places
    keys = ["game_id", "order"] if "order" in base else ["game_id", "proposer", "round"]
    given = {key: base[key] for key in keys if key in base}
    for key in ("order", "round"):
        unknown = np.isnan(given[key]) if key in given else np.zeros(0, dtype=bool)
        if key == "order" and unknown.any():
            source = lines.part.sections["offers"]["offer"]
            reason = "the offer has no number, so nobody knows which items it has"
            raise places.fault(int(base["at"][unknown.argmax()]), reason, source, base["at"][unknown])
        if unknown.any():
            given[key] = np.where(unknown, -1, given[key])
    item = lines.text(lines.part.item["name"])[np.searchsorted(lines.index, base["at"])]
    named = {{"order": "place"}.get(key, key): values for key, values in given.items()} | {"item": item}
    what = "an offer has each item once; number the offers with offers.offer"
    refuse_repeated({"at": base["at"]} | named, [*named], what, places)
    return grouped(list(given.values()))


def _together(found: Offers, lines: Lines, groups: Array) -> Offers:
    """Put rows together that tell of the same offer: those of one of `groups`, which are counted in order."""
    given = found.base | {"offer": groups}
    base = settled(given, ["offer"], lines.part.sections["offers"], lines.places)
    base.pop("offer")
    same = np.full(lines.places.size, -1, dtype=np.int64)
    same[found.base["at"]] = base["at"][groups]

    def together(frame: Frame, within: list[str]) -> Frame:
        return settled(frame | {"offer": same[frame["at"]]}, ["offer", *within], {}, lines.places)

    def called(frame: Frame) -> Frame:
        return {name: values for name, values in (frame | {"at": frame["offer"]}).items() if name != "offer"}

    goods = called(together(found.goods, ["item", "side", "seat"]))
    worth, totals = called(together(found.worth, ["seat"])), called(together(found.totals, ["item"]))
    return Offers(base, worth, goods, totals, found.least)


def finished(offers: Offers, seats: Seats, began: Array, last_is_deal: Mask, places: Places) -> tuple[Frame, Frame]:
    """Return the rows of the tables ``offers`` and ``items``; games are called by their place among the games.

    Parameters
    ----------
    offers
        The offers of all parts.
    seats
        The seats of each game.
    began
        When each game began; missing if the log does not say.
    last_is_deal
        The games in which the last offer is the deal.
    places
        Where the rows stand.
    """
    base = _in_order(_with_seats(offers.base, seats, places), places)
    if "stamp" in base:
        seconds = since(base.pop("stamp"), began[base["game"]])
        known = base.get("time_s", seconds)
        base["time_s"] = np.where(np.isnan(known), seconds, known)
    base |= _with_worth(base, offers.worth, len(places.vocabulary("player")))
    items: Frame = {}
    if len(offers.goods["at"]):
        items = _goods.both_sides(base, offers.goods, offers.totals, places)
        sums = _goods.units(items, len(base["at"]))
        for side, name in enumerate(SIDES):
            known = base.get(f"units_to_{name}", sums[:, side])
            base[f"units_to_{name}"] = np.where(np.isnan(known), sums[:, side], known)
        items |= {"game": base["game"][items["offer"]], "offer": base["offer"][items["offer"]], "row": items["offer"]}
    decided(base, offers.least, places)
    _close(base, last_is_deal, places)
    return base, items


def _with_seats(base: Frame, seats: Seats, places: Places) -> Frame:
    """Where there are two seats and one is named, the other one is the other one."""
    game = seats.rank[base["game_id"]]
    filled = {
        side: np.where(base[side] < 0, seats.other(game, base[known]), base[side])
        for side, known in (SIDES, SIDES[::-1])
    }
    base = base | filled | {"game": game}
    nobody = base["proposer"] < 0
    places.leave_out(base["at"][nobody], "an offer without a proposer")
    return picked(base, ~nobody) if nobody.any() else base


def _in_order(base: Frame, places: Places) -> Frame:
    order = base.pop("order", None)
    if order is None:
        keys: tuple[Array, ...] = (base["at"], base["game"])
    else:
        named = ~np.isnan(order)
        repeated = {"at": base["at"][named], "game_id": base["game_id"][named], "place": order[named]}
        refuse_repeated(repeated, ["game_id", "place"], "the order of a game's offers must be unique", places)
        keys = (base["at"], order, base["game"])
    game = base["game"]
    if order is not None or np.any(game[1:] < game[:-1]) or np.any(base["at"][1:] < base["at"][:-1]):
        base = picked(base, np.lexsort(keys))
    return base | {"offer": numbered(base["game"])}


def numbered(games: Array) -> Array:
    """Return the number of each row in its game, from 1; the rows of a game stand together."""
    begins = np.ones(len(games), dtype=bool)
    begins[1:] = games[1:] != games[:-1]
    starts = np.flatnonzero(begins)
    number: Array = np.arange(1, len(games) + 1) - np.repeat(starts, np.diff(np.append(starts, len(games))))
    return number


def _with_worth(base: Frame, worth: Frame, width: int) -> Frame:
    """Return the offers' values and units for both sides, with what the log says of seats."""
    if not len(worth["at"]):
        return {}
    filled: Frame = {}
    known = worth["at"] * width + worth["seat"]
    order = np.argsort(known, kind="stable")
    for side in SIDES:
        wanted = base["at"] * width + base[side]
        place = np.searchsorted(known[order], wanted).clip(max=len(order) - 1)
        hit = (known[order][place] == wanted) & (base[side] >= 0)
        for name, column in (("value", f"value_{side}"), ("units", f"units_to_{side}")):
            if name in worth:
                told = np.where(hit, worth[name][order][place], np.nan)
                given = base.get(column, told)
                filled[column] = np.where(np.isnan(given), told, given)
    return filled


def _close(base: Frame, last_is_deal: Mask, places: Places) -> None:
    """Give the offers that got no answer their response: superseded by a later offer, or none."""
    code, game = places.vocabulary("response").code, base["game"]
    last = np.ones(len(game), dtype=bool)
    last[:-1] = game[1:] != game[:-1]
    open_end = np.where(last_is_deal[game], code("accepted"), code("none"))
    closed = np.where(last, open_end, code("superseded"))
    base["response"] = np.where(base["response"] < 0, closed, base["response"]).astype(np.int32)
    base["last"] = last
