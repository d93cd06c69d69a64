"""Offers out of the rows of a log: which rows are offers, what became of each, and who would get what.

`offers_of` takes the rows of one part of a log. `finished` numbers the offers of all parts and brings them to the
tables ``offers`` and ``items``, once the seats of each game are known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from negstats.errors import shown
from negstats.loaders.mapping import items as _items
from negstats.loaders.mapping.conflicts import refuse_repeated, settled
from negstats.loaders.mapping.items import SIDES, fill_sides
from negstats.loaders.mapping.own_measures import levels_of, numbers_of
from negstats.loaders.mapping.rows import Lines, Places
from negstats.loaders.mapping.seats import filled, partners_of, player_of, with_seconds
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
    base : polars.DataFrame
        Columns of the table; ``order`` and ``stamp``, if the log has them.
    worth : polars.DataFrame
        ``seat``, ``value``, ``units``: what the offer is worth to a seat and gives it.
    goods : polars.DataFrame
        ``item``, ``side`` or ``seat`` of who would get it, ``quantity`` or ``option``.
    totals : polars.DataFrame
        ``item``, ``total``: what the two sides' quantities add up to.
    least : polars.DataFrame
        ``game_id``, ``player``, ``amount``: the least that a seat would accept.
    votes : polars.DataFrame
        Who accepts or rejects an offer that several answer, see `negstats.loaders.mapping.votes`.
    """

    base: pl.DataFrame
    worth: pl.DataFrame
    goods: pl.DataFrame
    totals: pl.DataFrame
    least: pl.DataFrame
    votes: pl.DataFrame

    @classmethod
    def joined(cls, several: Sequence[Offers]) -> Offers:
        """Return the offers of several parts together."""
        frames = ("base", "worth", "goods", "totals", "least", "votes")
        return cls(*(pl.concat([getattr(offers, name) for offers in several], how="diagonal") for name in frames))


def offers_of(lines: Lines) -> Offers:
    """Return the offers in the rows of one part; rows that should be offers and are not are left out and counted."""
    is_offer = _are_offers(lines)
    offer_lines = lines.only(is_offer)
    least = least_of(lines, _proposer(lines))
    levels = levels_of(lines)
    _count_values_of_no_offer(lines, is_offer, levels)
    base = _base(offer_lines, levels)
    worth, goods, totals = _worth(offer_lines), _items.goods_of(offer_lines), _items.totals_of(offer_lines)
    offers = Offers(base, worth, goods, totals, least, votes_of(lines, base))
    if lines.part.event and lines.part.accepts_needed is None:
        offers = replace(offers, base=_add_answers(base, lines))
    if lines.part.row == "item":
        return _merge(offers, lines, _keys_of_items(base, lines))
    if lines.part.lists_games:
        return _merge(offers, lines, ["game_id", "proposer"])
    return offers


def _are_offers(lines: Lines) -> pl.Series:
    """Return for each row whether it is an offer, or an item of one."""
    part, places = lines.part, lines.places
    is_offer = _has_content(lines)
    if part.row == "item":
        has_item = lines.text(part.item["name"]).is_not_null()
        places.leave_out(lines.at.filter(~has_item), "no item: the column that names it is empty")
        places.leave_out(lines.at.filter(has_item & ~is_offer), "an item without a quantity or an option")
        is_offer &= has_item
    if part.event:
        may_be_offer = lines.rows.select(pl.col("event") == "offer").to_series()
        places.leave_out(lines.at.filter(may_be_offer & ~is_offer), "an offer without quantities or values")
        is_offer &= may_be_offer
    elif part.row == "offer":
        is_message = lines.any_of(part.sections["messages"].values())
        if response := part.sections["offers"].get("response"):  # whatever was offered, it was accepted
            is_offer |= lines.text(response).is_in(["accepted"]).fill_null(False)
        places.leave_out(lines.at.filter(~is_offer & ~is_message), "an offer without quantities or values")
    if part.lists_games and is_offer.any() and not is_offer.all():
        # The proposer's row may hold the offer and the responder's the answer.
        rows = lines.rows.select("game_id", proposer=_proposer(lines), is_offer=is_offer)
        is_offer = rows.select(pl.col("is_offer").any().over("game_id", "proposer")).to_series()
    return is_offer


def _count_values_of_no_offer(lines: Lines, is_offer: pl.Series, levels: Mapping[str, str]) -> None:
    """Note how many values of a measure of offers stand in rows that are not offers."""
    for name, level in levels.items():
        if level == "offer":
            source = lines.part.sections["measures"][name]
            n_values_lost = int((lines.any_of([source]) & ~is_offer).sum())
            measure_name = shown(name).replace("{", "{{").replace("}", "}}")
            words = f"{{0}} values of {measure_name} are in rows that are not offers, and were not read"
            lines.places.intake.count(words, n_values_lost)


def _has_content(lines: Lines) -> pl.Series:
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
    # A log that says who offered when, and not what.
    return pl.repeat(part.row in ("offer", "event"), len(lines), eager=True)


def _base(lines: Lines, levels: Mapping[str, str]) -> pl.DataFrame:
    sources, measures = lines.part.sections["offers"], lines.part.sections["measures"]
    columns = {
        column.name: lines.column(sources[column.name], column.kind)
        for column in _COLUMNS
        if column.name in sources and not sources[column.name].clock and column.name != "proposer"
    }
    if "time_s" in sources and sources["time_s"].clock:
        columns["stamp"] = lines.stamp(sources["time_s"])
    columns["proposer"] = _proposer(lines)
    columns |= {name: lines.none() for name in ("responder", "response") if name not in columns}
    if "offer" in sources:
        columns["order"] = lines.number(sources["offer"])
    if "total" in sources:
        amounts = {side: columns.get(f"units_to_{side}", lines.none(pl.Float64())) for side in SIDES}
        amounts["total"] = lines.number(sources["total"])
        both = fill_sides(lines.rows.select("at", **amounts), lines.places)
        columns |= {f"units_to_{side}": both[side] for side in SIDES}
    of_offers = [name for name, level in levels.items() if level == "offer"]
    columns |= {f"measures.{name}": numbers_of(lines, measures[name]) for name in of_offers}
    return lines.rows.select("at", "game_id", **columns, overtaken=pl.lit(False))


def _proposer(lines: Lines) -> pl.Series:
    """Return who offers: as the mapping says, else the row's player; missing if it names neither."""
    source = lines.part.sections["offers"].get("proposer")
    return lines.text(source) if source else player_of(lines)


def _worth(lines: Lines) -> pl.DataFrame:
    text = lines.places.text
    frames = [pl.DataFrame(schema={"at": pl.Int64, "seat": text, "value": pl.Float64, "units": pl.Float64})]
    for name, seat in lines.part.seats.items():
        amounts = {key: lines.number(source) for key, source in seat["players"].items() if key in ("value", "units")}
        if amounts:
            frames.append(lines.rows.select("at", seat=pl.lit(name, dtype=text), **amounts))
    return pl.concat(frames, how="diagonal")


def _add_answers(base: pl.DataFrame, lines: Lines) -> pl.DataFrame:
    """Give the offers of a log of events their responses; who answers is the responder where the log names none."""
    answers = lines.only(lines.rows["event"].is_in([*_ANSWERS]))
    order = lines.part.sections["offers"].get("offer")
    number = answers.number(order) if order else answers.none(pl.Float64())
    given = answers.rows.select("at", "game_id", "event", actor=player_of(answers), order=number)
    offers = base.select("at", "game_id", *(["order"] if order else []), actor="proposer")
    events = pl.concat([offers, given], how="diagonal").sort("game_id", "order", "at", nulls_last=True)
    pairs, overtaken = _answered_offers(events)
    answered = given.join(pairs, on="at", how="left", maintain_order="left")
    for what in _ANSWERS:
        has_no_offer = pl.col("offer").is_null() & (pl.col("event") == what)
        lines.places.leave_out(answered.filter(has_no_offer)["at"], f"{what} without an offer that it could answer")
    response = pl.col("event").replace_strict(_ANSWERS, return_dtype=lines.places.text)
    responses = answered.drop_nulls("offer").select(at="offer", said=response, actor="actor")
    return (
        base.join(responses, on="at", how="left", maintain_order="left")
        .with_columns(response=pl.coalesce("said", "response"), responder=pl.coalesce("responder", "actor"))
        .with_columns(overtaken=pl.col("game_id").is_in(overtaken))
        .drop("said", "actor")
    )


def _answered_offers(events: pl.DataFrame) -> tuple[pl.DataFrame, list[int]]:
    """Return for each answer, ``at``, the ``offer`` that it is to: the game's latest unanswered one of another seat.

    The events stand in order, game by game; those that are no offers have an ``event``. Where somebody accepts and no
    offer waits for an answer, one is missing in the log: the games whose last offers such a one has overtaken are
    returned as well.
    """
    pairs: list[tuple[int, int]] = []
    overtaken: set[int] = set()
    unanswered: dict[int, list[tuple[int, str | None]]] = defaultdict(list)
    for at, game, event, actor in events.select("at", "game_id", "event", "actor").iter_rows():
        waiting = unanswered[game]
        if event is None:
            overtaken.discard(game)
            waiting.append((at, actor))
            continue
        # Each answer takes an offer away from those that wait for one.
        answered = next((offer for offer in reversed(waiting) if actor is None or offer[1] != actor), None)
        if answered is not None:
            waiting.remove(answered)
            pairs.append((at, answered[0]))
        elif event == "accept":
            overtaken.add(game)
    return pl.DataFrame(pairs, {"at": pl.Int64, "offer": pl.Int64}, orient="row"), [*overtaken]


def _keys_of_items(base: pl.DataFrame, lines: Lines) -> list[str]:
    """Return what tells apart the offers that rows are items of: their number, else who makes it in which round.

    Raises
    ------
    LogError
        If an item occurs twice in an offer, or the number is missing.
    """
    places = lines.places
    keys = ["game_id", "order"] if "order" in base.columns else ["game_id", "proposer"]
    keys += ["round"] if "order" not in base.columns and "round" in base.columns else []
    if "order" in keys and base["order"].null_count():
        source, unknown = lines.part.sections["offers"]["offer"], base.filter(pl.col("order").is_null())["at"]
        reason = "the offer has no number, so nobody knows which items it has"
        raise places.fault(unknown[0], reason, source, unknown)
    items = lines.rows.select("at", item=lines.text(lines.part.item["name"]))
    rows = base.join(items, on="at", maintain_order="left").rename({"order": "place"}, strict=False)
    what = "an offer has each item once; number the offers with offers.offer"
    refuse_repeated(rows, [*("place" if key == "order" else key for key in keys), "item"], what, places)
    return keys


def _merge(offers: Offers, lines: Lines, keys: Sequence[str]) -> Offers:
    """Put rows together that tell of the same offer: those with the same keys."""
    base = offers.base.with_columns(offer=pl.col("at").first().over(keys))
    merged_base = settled(base, ["offer"], lines.part.sections["offers"], lines.places).drop("offer")
    place_of_offer = base.select("at", "offer")

    def merge_rows(frame: pl.DataFrame, keys_in_offer: Sequence[str]) -> pl.DataFrame:
        of_offers = frame.join(place_of_offer, on="at", maintain_order="left")
        merged = settled(of_offers, ["offer", *keys_in_offer], {}, lines.places)
        return merged.with_columns(at="offer").drop("offer")

    goods = merge_rows(offers.goods, ["item", "side", "seat"])
    worth, totals = merge_rows(offers.worth, ["seat"]), merge_rows(offers.totals, ["item"])
    return replace(offers, base=merged_base, goods=goods, worth=worth, totals=totals)


def finished(
    offers: Offers, players: pl.DataFrame, games: pl.DataFrame, ending_in_deal: pl.Series, places: Places
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the rows of ``offers`` and ``items``, and the votes.

    Parameters
    ----------
    offers
        The offers of all parts.
    players
        The seats of each game.
    games
        When each game began, ``started_at``.
    ending_in_deal
        The games of which the last offer is the deal.
    places
        Where the rows stand.
    """
    what = "the order of a game's offers must be unique"
    base = numbered(_add_partners(offers.base, players, places), "offer", what, places)
    base = _add_worth(with_seconds(base, games), offers.worth)
    items = pl.DataFrame()
    if len(offers.goods):
        items = _items.both_sides(base, offers.goods, offers.totals, places)
        sums = _items.units_of(items).rename({f"units_to_{side}": f"sum_{side}" for side in SIDES})
        base = base.join(sums, on="at", how="left", maintain_order="left")
        base = filled(base, **{f"units_to_{side}": pl.col(f"sum_{side}") for side in SIDES})
        base = base.drop(f"sum_{side}" for side in SIDES)
    base = decided(base, offers.least)
    base, votes = count_votes(base, offers.votes, players, places)
    return _closed(base, ending_in_deal), items, votes


def _add_partners(base: pl.DataFrame, players: pl.DataFrame, places: Places) -> pl.DataFrame:
    """Where there are two seats and one is named, the other one is the other one."""
    sides_in_log = base.select(SIDES)
    for side, named_side in (SIDES, SIDES[::-1]):
        if base[side].null_count():
            seats = base.select("game_id", player=sides_in_log[named_side])
            base = filled(base, **{side: partners_of(seats, players)})
    places.leave_out(base.filter(pl.col("proposer").is_null())["at"], "an offer without a proposer")
    return base.drop_nulls("proposer")


def numbered(frame: pl.DataFrame, name: str, what: str, places: Places) -> pl.DataFrame:
    """Return rows of the log game by game, in their ``order`` if it has one, with their number in the game, from 1.

    Raises
    ------
    LogError
        If two rows of a game have the same place in the order, which `what` forbids.
    """
    keys = ["game_id", "order"] if "order" in frame.columns else ["game_id"]
    if "order" in frame.columns:
        refuse_repeated(frame.rename({"order": "place"}).drop_nulls("place"), ["game_id", "place"], what, places)
    ordered = frame.sort(keys, nulls_last=True, maintain_order=True).drop("order", strict=False)
    n_rows = pl.col("game_id").rle().struct.field("len").cast(pl.Int64)
    return ordered.with_columns(ordered.select(pl.int_ranges(1, n_rows + 1).explode().alias(name)))


def _add_worth(base: pl.DataFrame, worth: pl.DataFrame) -> pl.DataFrame:
    """Add the offers' values and units for both sides, with what the log says of seats."""
    if not len(worth):
        return base
    for side in SIDES:
        of_side = base.join(worth, left_on=["at", side], right_on=["at", "seat"], how="left", maintain_order="left")
        amounts = {f"value_{side}": pl.col("value"), f"units_to_{side}": pl.col("units")}
        base = filled(of_side, **amounts).drop("value", "units")
    return base


def _closed(base: pl.DataFrame, ending_in_deal: pl.Series) -> pl.DataFrame:
    """Give the offers that got no answer their response: superseded by a later offer, or none."""
    game = pl.col("game_id")
    base = base.with_columns(last=game.ne_missing(game.shift(-1)) & ~pl.col("overtaken"))
    accepted, none, superseded = (pl.lit(word, base.schema["response"]) for word in ("accepted", "none", "superseded"))
    at_end = pl.when(game.is_in(ending_in_deal.implode())).then(accepted).otherwise(none)
    return filled(base, response=pl.when("last").then(at_end).otherwise(superseded))
