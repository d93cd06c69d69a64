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
from negstats.loaders.mapping.votes import count_votes, votes_of
from negstats.tables import TABLES

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
    votes : Frame
        Who accepts or rejects an offer that several answer, see `negstats.loaders.mapping.votes`.
    """

    base: Frame
    worth: Frame
    goods: Frame
    totals: Frame
    least: Frame
    votes: Frame

    @classmethod
    def joined(cls, several: list[Offers]) -> Offers:
        """Return the offers of several parts together."""
        frames = ("base", "worth", "goods", "totals", "least", "votes")
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
        has_item = lines.text(lines.part.item["name"]) >= 0
        lines.places.leave_out(lines.index[~has_item], "no item: the column that names it is empty")
        lines.places.leave_out(lines.index[has_item & ~is_offer], "an item without a quantity or an option")
        is_offer &= has_item
    events = lines.places.vocabulary("event")
    if event is not None or lines.part.row == "offer":
        may_be_offer = np.full(len(lines), True) if event is None else event == events.code("offer")
        is_message = lines.any_of(lines.part.sections["messages"].values()) if event is None else ~may_be_offer
        lines.places.leave_out(
            lines.index[may_be_offer & ~is_offer & ~is_message], "an offer without quantities or values"
        )
        is_offer = is_offer & may_be_offer
    if lines.part.lists_games:  # the proposer's row may hold the offer and the responder's the answer
        offer_groups = grouped([game, _proposer(lines)])
        is_offer = (np.bincount(offer_groups, weights=is_offer) > 0)[offer_groups] if len(offer_groups) else is_offer
    rows = lines.only(is_offer)
    least = least_of(lines, game, _proposer(lines))
    levels = levels_of(lines, game)
    _count_values_of_no_offer(lines, is_offer, levels)
    base = _base(rows, game[is_offer], levels)
    votes = votes_of(lines, game, event, base)
    offers = Offers(base, _worth(rows), _goods.goods(rows), _goods.totals(rows), least, votes)
    if event is not None and lines.part.accepts_needed is None:
        offers = replace(offers, base=_add_answers(offers.base, lines, game, event))
    if lines.part.row == "item":
        return _merge_groups(offers, lines, _group_items(offers, lines))
    if lines.part.lists_games:
        return _merge_groups(offers, lines, grouped([offers.base["game_id"], offers.base["proposer"]]))
    return offers


def _count_values_of_no_offer(lines: Lines, is_offer: Mask, levels: Mapping[str, str]) -> None:
    """Note how many values of a measure of offers stand in rows that are not offers."""
    for name, level in levels.items():
        if level == "offer":
            source = lines.part.sections["measures"][name]
            n_values_lost = int((lines.any_of([source]) & ~is_offer).sum())
            measure_name = shown(name).replace("{", "{{").replace("}", "}}")
            words = f"{{0}} values of {measure_name} are in rows that are not offers, and were not read"
            lines.places.intake.count(words, n_values_lost)


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
        seat_numbers = {
            key: rows.number(source) for key, source in seat["players"].items() if key in ("value", "units")
        }
        if seat_numbers:
            code = rows.places.vocabulary("player").code(name)
            frames.append({"at": rows.index, "seat": np.full(len(rows), code, dtype=np.int32)} | seat_numbers)
    return stacked(frames)


def _add_answers(base: Frame, lines: Lines, game: Codes, event: Codes) -> Frame:
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
    offer_of_answer = _answer_to(both, lines.places.size)  # by the place of the answer, that of the offer
    offer_places = offer_of_answer[rows["at"]]
    for what in _ANSWERS:
        has_no_offer = (offer_places < 0) & (rows["event"] == events.code(what))
        lines.places.leave_out(rows["at"][has_no_offer], f"{what} without an offer that it could answer")
    row = np.searchsorted(base["at"], offer_places[offer_places >= 0])
    response, responder = base["response"].copy(), base["responder"].copy()
    level_of_event = np.full(len(events), -1, dtype=np.int32)
    for what, level in _ANSWERS.items():
        level_of_event[events.code(what)] = responses.code(level)
    response[row] = level_of_event[rows["event"][offer_places >= 0]]
    has_responder = responder[row] >= 0
    responder[row] = np.where(has_responder, responder[row], rows["actor"][offer_places >= 0])
    return base | {"response": response, "responder": responder}


def _answer_to(events: Frame, size: int) -> Array:
    """Return for each answer the offer that it is to: the game's latest unanswered one of another seat."""
    answer_to = np.full(size, -1, dtype=np.int64)
    in_games = picked(events, np.argsort(events["game"], kind="stable"))
    at, game, actor, answers = in_games["at"], in_games["game"], in_games["actor"], in_games["event"] >= 0
    # An offer right before, of another seat, is the latest, and nobody can have answered it.
    follows_offer = np.zeros(len(at), dtype=bool)
    follows_offer[1:] = (game[1:] == game[:-1]) & ~answers[:-1] & ((actor[1:] != actor[:-1]) | (actor[1:] < 0))
    plain = answers & follows_offer
    answer_to[at[plain]] = at[np.flatnonzero(plain) - 1]
    other = np.isin(game, np.unique(game[answers & ~follows_offer]))
    unanswered: dict[int, list[tuple[int, int]]] = defaultdict(list)
    columns = (values[other].tolist() for values in (at, game, answers, actor))
    for place, one, answer, who in zip(*columns, strict=True):
        waiting = unanswered[one]
        if not answer:
            waiting.append((place, who))
            continue
        answered_offer = next((offer for offer in reversed(waiting) if who < 0 or offer[1] != who), None)
        if answered_offer is not None:
            waiting.remove(answered_offer)
        answer_to[place] = -1 if answered_offer is None else answered_offer[0]
    return answer_to


def _group_items(offers: Offers, lines: Lines) -> Array:
    """Return which offer each row is an item of: by its number, else by who makes it in which round.

    Raises
    ------
    LogError
        If an item occurs twice in an offer, or the number is missing.
    """
    base, places = offers.base, lines.places
    keys = ["game_id", "order"] if "order" in base else ["game_id", "proposer", "round"]
    key_columns = {key: base[key] for key in keys if key in base}
    for key in ("order", "round"):
        unknown = np.isnan(key_columns[key]) if key in key_columns else np.zeros(0, dtype=bool)
        if key == "order" and unknown.any():
            source = lines.part.sections["offers"]["offer"]
            reason = "the offer has no number, so nobody knows which items it has"
            raise places.fault(int(base["at"][unknown.argmax()]), reason, source, base["at"][unknown])
        if unknown.any():
            key_columns[key] = np.where(unknown, -1, key_columns[key])
    item = lines.text(lines.part.item["name"])[np.searchsorted(lines.index, base["at"])]
    columns_of_key = {{"order": "place"}.get(key, key): values for key, values in key_columns.items()} | {"item": item}
    what = "an offer has each item once; number the offers with offers.offer"
    refuse_repeated({"at": base["at"]} | columns_of_key, [*columns_of_key], what, places)
    return grouped(list(key_columns.values()))


def _merge_groups(offers: Offers, lines: Lines, groups: Array) -> Offers:
    """Put rows together that tell of the same offer: those of one of `groups`, which are counted in order."""
    base_with_groups = offers.base | {"offer": groups}
    base = settled(base_with_groups, ["offer"], lines.part.sections["offers"], lines.places)
    base.pop("offer")
    group_place = np.full(lines.places.size, -1, dtype=np.int64)
    group_place[offers.base["at"]] = base["at"][groups]

    def merge_rows(frame: Frame, keys_in_offer: list[str]) -> Frame:
        return settled(frame | {"offer": group_place[frame["at"]]}, ["offer", *keys_in_offer], {}, lines.places)

    def use_offer_place(frame: Frame) -> Frame:
        return {name: values for name, values in (frame | {"at": frame["offer"]}).items() if name != "offer"}

    goods = use_offer_place(merge_rows(offers.goods, ["item", "side", "seat"]))
    worth, totals = (
        use_offer_place(merge_rows(offers.worth, ["seat"])),
        use_offer_place(merge_rows(offers.totals, ["item"])),
    )
    return Offers(base, worth, goods, totals, offers.least, offers.votes)


def finished(
    offers: Offers, seats: Seats, began: Array, last_is_deal: Mask, places: Places
) -> tuple[Frame, Frame, Frame]:
    """Return the rows of ``offers`` and ``items``, and the votes; games are called by their place among the games.

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
    base = _in_order(_add_seats(offers.base, seats, places), places)
    if "stamp" in base:
        seconds = since(base.pop("stamp"), began[base["game"]])
        seconds_in_log = base.get("time_s", seconds)
        base["time_s"] = np.where(np.isnan(seconds_in_log), seconds, seconds_in_log)
    base |= _compute_worth(base, offers.worth, len(places.vocabulary("player")))
    items: Frame = {}
    if len(offers.goods["at"]):
        items = _goods.both_sides(base, offers.goods, offers.totals, places)
        sums = _goods.units(items, len(base["at"]))
        for side, name in enumerate(SIDES):
            seconds_in_log = base.get(f"units_to_{name}", sums[:, side])
            base[f"units_to_{name}"] = np.where(np.isnan(seconds_in_log), sums[:, side], seconds_in_log)
        items |= {"game": base["game"][items["offer"]], "offer": base["offer"][items["offer"]], "row": items["offer"]}
    decided(base, offers.least, places)
    votes = count_votes(base, offers.votes, seats, places)
    _close(base, last_is_deal, places)
    return base, items, votes


def _add_seats(base: Frame, seats: Seats, places: Places) -> Frame:
    """Where there are two seats and one is named, the other one is the other one."""
    game = seats.rank[base["game_id"]]
    full_sides = {
        side: np.where(is_missing, seats.other(game, base[side_in_log]), base[side])
        for side, side_in_log in (SIDES, SIDES[::-1])
        if (is_missing := base[side] < 0).any()
    }
    base = base | full_sides | {"game": game}
    nobody = base["proposer"] < 0
    places.leave_out(base["at"][nobody], "an offer without a proposer")
    return picked(base, ~nobody) if nobody.any() else base


def _in_order(base: Frame, places: Places) -> Frame:
    order = base.pop("order", None)
    if order is None:
        keys: tuple[Array, ...] = (base["at"], base["game"])
    else:
        has_order = ~np.isnan(order)
        ordered_offers = {"at": base["at"][has_order], "game_id": base["game_id"][has_order], "place": order[has_order]}
        refuse_repeated(ordered_offers, ["game_id", "place"], "the order of a game's offers must be unique", places)
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


def _compute_worth(base: Frame, worth: Frame, width: int) -> Frame:
    """Return the offers' values and units for both sides, with what the log says of seats."""
    if not len(worth["at"]):
        return {}
    worth_columns: Frame = {}
    worth_keys = worth["at"] * width + worth["seat"]
    order = np.argsort(worth_keys, kind="stable")
    for side in SIDES:
        offer_keys = base["at"] * width + base[side]
        place = np.searchsorted(worth_keys[order], offer_keys).clip(max=len(order) - 1)
        hit = (worth_keys[order][place] == offer_keys) & (base[side] >= 0)
        for name, column in (("value", f"value_{side}"), ("units", f"units_to_{side}")):
            if name in worth:
                worth_of_seat = np.where(hit, worth[name][order][place], np.nan)
                values_in_log = base.get(column, worth_of_seat)
                worth_columns[column] = np.where(np.isnan(values_in_log), worth_of_seat, values_in_log)
    return worth_columns


def _close(base: Frame, last_is_deal: Mask, places: Places) -> None:
    """Give the offers that got no answer their response: superseded by a later offer, or none."""
    code, game = places.vocabulary("response").code, base["game"]
    last = np.ones(len(game), dtype=bool)
    last[:-1] = game[1:] != game[:-1]
    open_end = np.where(last_is_deal[game], code("accepted"), code("none"))
    last_response = np.where(last, open_end, code("superseded"))
    base["response"] = np.where(base["response"] < 0, last_response, base["response"]).astype(np.int32)
    base["last"] = last
