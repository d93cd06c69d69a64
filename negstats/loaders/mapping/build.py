"""The tables of a study out of the rows of a log, part by part, as its mapping says.

Each part tells what it knows of games, seats, offers, messages and answers, under the rows' places in the log; the
parts are then put together, and what two rows say of the same thing must agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import LogError, shown
from negstats.loaders.files.tabular import is_coded, spelled
from negstats.loaders.mapping.conflicts import refuse_repeated, settled
from negstats.loaders.mapping.ends import allotments, deals, ends, scored
from negstats.loaders.mapping.messages_answers import answers_of, finished_answers, finished_messages, messages_of
from negstats.loaders.mapping.model import ENDS, Part, Source, Sources
from negstats.loaders.mapping.offers import Offers, finished, offers_of
from negstats.loaders.mapping.own_measures import levels_of, numbers_of
from negstats.loaders.mapping.rows import Lines, Places, RowError
from negstats.loaders.mapping.seats import filled, player_of
from negstats.loaders.mapping.votes import vote_answers
from negstats.tables import TABLES, Kind, conform

_HEADER = "header."  # before the name of a factor: its level in rows of the game that are ignored


class NoGameError(LogError):
    """No row of the log belongs to a game, or only to the `damaged` ones that are left out."""

    damaged: int = 0


def tables(parts: list[Lines], places: Places, damaged: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """Return the tables of the study.

    Parameters
    ----------
    parts
        The rows of each part.
    places
        Where they stand.
    damaged
        Games to leave out, and for what reason.

    Raises
    ------
    LogError
        Naming file, row and column; `DamagedGameError` if the rows that have the fault belong to games.
    """
    try:
        of_games = _in_games(parts, damaged, places)
        parts.clear()  # the columns of a long log are large: each thing goes as soon as it is used
        places.release_memory()
        if not any(map(len, of_games)):
            why = ", ".join(f"{reason} ({count} rows)" for reason, count in places.intake.reasons().items())
            raise NoGameError(f"no row of a game is left{': ' if why else ''}{why}", file=places.intake.root)
        return _build_tables(of_games, places)
    except RowError as fault:
        fault.games, fault.of = places.games_of(fault.rows), len(places.names)
        raise


def _in_games(parts: Sequence[Lines], damaged: Mapping[str, str], places: Places) -> list[Lines]:
    """Return the rows that belong to a game (and, where a row is a player, to one); the others are left out.

    The games stand in the order in which the rows that are kept name them.
    """
    of_games = [_read_games(lines, damaged) for lines in parts]
    listed = [lines.rows["game_id"] for lines in of_games if lines.part.lists_games]
    if listed:
        names = pl.concat(listed).unique().implode()
        reason = "a game that the log with one row per game or player does not list"
        of_games = [
            lines if lines.part.lists_games else lines.but(~lines.rows["game_id"].is_in(names), reason)
            for lines in of_games
        ]
    return places.in_order(of_games)


def _read_games(lines: Lines, damaged: Mapping[str, str]) -> Lines:
    part, places = lines.part, lines.places
    for condition in part.where:
        lines = lines.but(~lines.fits(condition), f"where {condition.source.column}")
    source = part.sections["games"]["game_id"]
    lines = lines.having(game_id=lines.games(source))
    places.named.append(lines.rows)
    lines = lines.but(lines.rows["game_id"].is_null(), f"no game: {' or '.join(source.columns)} is empty")
    lines.refuse_ambiguous(source)
    for game, reason in damaged.items():
        number = pc.index(places.names, game).as_py()
        lines = lines.but(lines.rows["game_id"] == number, reason) if number >= 0 else lines
    if part.event:
        lines = lines.having(event=lines.text(part.event))
        lines = lines.but(lines.rows["event"].is_null(), "no event: the column that says what a row is is empty")
        is_ignored = lines.rows["event"].is_in(["ignore"])
        headers = _factors_of_games(lines.only(is_ignored))
        lines = lines.but(is_ignored, "an event that the mapping ignores")
        if len(headers):
            of_rows = lines.rows.select("game_id").join(headers, on="game_id", how="left", maintain_order="left")
            lines = lines.having(**of_rows.drop("game_id").to_dict())
    if part.row == "player":
        lines = lines.but(player_of(lines).is_null(), "no player: the column that names the seat is empty")
        rows = lines.rows.with_columns(player=player_of(lines))
        each = "a log with one row per player has each player of a game once"
        refuse_repeated(rows, ["game_id", "player"], each, places)
    elif part.row == "game":
        refuse_repeated(lines.rows, ["game_id"], "a log with one row per game has each once", places)
    return lines


def _factors_of_games(lines: Lines) -> pl.DataFrame:
    """Return the levels of factors that rows name first, one row each game: as `_HEADER` and the factor's name."""
    factors = {f"{_HEADER}{name}": lines.text(source) for name, source in lines.part.sections["factors"].items()}
    levels = lines.rows.select("game_id").with_columns(**factors)
    return levels.group_by("game_id", maintain_order=True).agg(pl.all().drop_nulls().first())


def _build_tables(rows: list[Lines], places: Places) -> dict[str, pd.DataFrame]:
    """Return the tables; `rows` are given up as they are used, for they are large."""
    parts, study = [lines.part for lines in rows], rows[0].mapping.study
    games = settled(pl.concat([_games(lines) for lines in rows], how="diagonal"), ["game_id"], {}, places)
    offers = Offers.joined([offers_of(lines) for lines in rows])
    messages = pl.concat([messages_of(lines) for lines in rows], how="diagonal")
    players = _players(rows, offers.base, messages, places)
    values = _values(rows, players, places)
    questions = [frame for lines in rows for frame in answers_of(lines, _seat_measures(lines))]
    games_of_parts = [lines.rows["game_id"].unique() for lines in rows]
    rows.clear()
    games = _begun(games, offers.base, messages)
    ending_in_deal = _games_ending_in_deal(games, parts, games_of_parts)
    worth = offers.worth
    base, items, votes = finished(offers, players, games, ending_in_deal, places)
    del offers
    questions += vote_answers(votes, players, places)
    of_deals = deals(base, items, _issues(parts, players))
    once = all(part.lists_games for part in parts)
    games = filled(games, ended=ends(of_deals, base, games, once=once))
    if study is not None:
        games = games.with_columns(study=pl.lit(study))
    _note_games_without_offers(base, len(games), parts, places)
    without = [
        (games_of_part, part.points_without_deal)
        for part, games_of_part in zip(parts, games_of_parts, strict=True)
        if part.points_from_deal
    ]
    if without:
        allotted = allotments(base, items, worth, has_values=any(part.worths for part in parts))
        players = scored(players, of_deals, without, allotted)
    messages = finished_messages(messages, games, places)
    places.release_memory()
    frames = {"games": games, "players": players, "offers": base, "items": items, "values": values}
    frames |= {"messages": messages, "answers": finished_answers(questions, places)}
    return {name: _table(name, frame, places) for name, frame in frames.items()}


def _names_offers(part: Part) -> bool:
    """Whether a part names columns from which offers are made."""
    sources = [
        *(source for key, source in part.sections["offers"].items() if key != "accept_from"),  # answers need no offer
        *part.item.values(),
        *(s for item in part.items.values() for s in item.values()),
    ]
    sources += [source for seat in part.seats.values() for source in seat["items"].values()]
    return any(source.columns for source in sources)


def _note_games_without_offers(offers: pl.DataFrame, count: int, parts: Sequence[Part], places: Places) -> None:
    """Note how many games have no offer, and whether none has one although offers are mapped."""
    silent = count - offers["game_id"].n_unique()
    places.intake.count("{0} of {1} games have no offer", silent, count, len(offers))
    if not len(offers) and any(_names_offers(part) for part in parts):
        places.intake.record("offers_unread")


def _games_ending_in_deal(games: pl.DataFrame, parts: Sequence[Part], games_of_parts: Sequence[pl.Series]) -> pl.Series:
    """Return the games whose last offer is the deal, for nothing says that they ended without one."""
    ended = filled(games, ended=pl.lit("agreement")).filter(pl.col("ended") == "agreement")["game_id"]
    of_parts = [of for of, part in zip(games_of_parts, parts, strict=True) if part.last_is_deal]
    return ended.filter(ended.is_in(pl.concat([ended.clear(), *of_parts]).implode()))


def _games(lines: Lines) -> pl.DataFrame:
    """Return what one part says of games, one row each."""
    section, sources = lines.part.sections, dict(lines.part.sections["games"])
    columns = {
        name: lines.column(source, TABLES["games"][name].kind)
        for name, source in section["games"].items()
        if name != "game_id"
    }
    rows = lines.rows
    if lines.part.event and "ended" not in columns:
        is_named = lines.part.sections["players"] or lines.part.seats or "proposer" in section["offers"]
        deals = [] if is_named else ["accept"]  # nobody is named who answers whom
        event, deal = pl.col("event"), pl.lit("agreement", dtype=lines.places.text)
        rows = rows.with_columns(ended=pl.when(event.is_in([*ENDS])).then(event).when(event.is_in(deals)).then(deal))
    levels = levels_of(lines)
    for name, source in section["factors"].items():
        columns[f"factors.{name}"] = lines.text(source)
        sources[f"factors.{name}"] = source
    headers = [name for name in rows.columns if name.startswith(_HEADER)]
    for name, source in section["measures"].items():
        if levels[name] == "game":  # else an answer of the seat's person, or a column of the offers
            columns[f"measures.{name}"] = numbers_of(lines, source)
            sources[f"measures.{name}"] = source
    games = settled(rows.with_columns(**columns).drop("event", strict=False), ["game_id"], sources, lines.places)
    games = filled(games, **{f"factors.{name.removeprefix(_HEADER)}": pl.col(name) for name in headers})
    return games.drop(headers)


def _seat_measures(lines: Lines) -> dict[str, Source]:
    """Return the measures of seats: they are answers of each seat's person."""
    levels = levels_of(lines)
    return {name: source for name, source in lines.part.sections["measures"].items() if levels[name] == "player"}


def _players(rows: Sequence[Lines], offers: pl.DataFrame, messages: pl.DataFrame, places: Places) -> pl.DataFrame:
    """Return the seats of each game: those that the log describes, then those that only act in it."""
    described = [_seats(lines) for lines in rows]
    described_seats = pl.concat([frame.select("game_id", "player") for frame in described])
    acting = [
        _only_acting(frame.select("at", "game_id", player=role).drop_nulls("player"), described_seats)
        for frame, role in ((offers, "proposer"), (offers, "responder"), (messages, "sender"))
    ]
    listed_seats = [
        frame for lines, frame in zip(rows, described, strict=True) if lines.part.lists_games and len(frame)
    ]
    listed_seats = listed_seats or [_fixed_seats(lines) for lines in rows if lines.part.seats]
    if listed_seats:
        listed_seats += _unlisted(rows, described, acting, places)
        known_seats = pl.concat([frame.select("game_id", "player") for frame in listed_seats])
        for frame in [*described, *acting]:
            if not any(frame is listed for listed in listed_seats):
                _refuse_strangers(frame, known_seats, places)
    seats = settled(pl.concat([*described, *acting], how="diagonal"), ["game_id", "player"], {}, places)
    if "participant_id" in seats.columns and "kind" in seats.columns:  # the person it plays with, if any
        is_human = pl.col("kind").ne_missing(pl.lit("agent"))
        seats = seats.with_columns(participant_id=pl.when(is_human).then("participant_id"))
    return seats.sort("game_id", maintain_order=True)


def _only_acting(acts: pl.DataFrame, described_seats: pl.DataFrame) -> pl.DataFrame:
    """Return the first act of each seat that nothing describes."""
    if not len(acts):
        return acts
    others = acts.join(described_seats, on=["game_id", "player"], how="anti", maintain_order="left")
    return others.unique(["game_id", "player"], keep="first", maintain_order=True)


def _unlisted(
    rows: Sequence[Lines], described: Sequence[pl.DataFrame], acting: Sequence[pl.DataFrame], places: Places
) -> list[pl.DataFrame]:
    """Return the seats of the other side that a mapping names by a constant, and that no row of the log is."""
    listed_parts = [lines.part for lines in rows if lines.part.lists_games and not lines.part.seats]
    sources = [part.sections["offers"].get(side) for part in listed_parts for side in ("proposer", "responder")]
    constant_seats = {
        source.atoms[0].text for source in sources if source and not source.columns and len(source.atoms) == 1
    }
    seat_frames: list[pl.DataFrame] = []
    for name in sorted(constant_seats):
        is_seat = pl.col("player") == name
        if not any(len(frame.filter(is_seat)) for frame in described):
            seats = pl.concat([frame.filter(is_seat) for frame in acting])
            games = seats["game_id"].n_unique()
            if games:
                places.intake.notes.append(f"the log has no rows of {name}, whose person is not known in {games} games")
            seat_frames.append(seats)
    return seat_frames


def _seats(lines: Lines) -> pl.DataFrame:
    """Return what one part says of seats, one row each."""
    blocks: list[tuple[pl.Series | pl.Expr, Sources]] = [(player_of(lines), lines.part.sections["players"])]
    blocks += [(pl.lit(name, lines.places.text), seat["players"]) for name, seat in lines.part.seats.items()]
    frames = []
    for player, sources in blocks:
        columns = {
            name: lines.column(source, TABLES["players"][name].kind)
            for name, source in sources.items()
            if name not in ("player", "value", "units", "vote")
        }
        seats = lines.rows.select("at", "game_id", player=player, **columns).drop_nulls("player")
        frames.append(settled(seats, ["game_id", "player"], sources, lines.places))
    return pl.concat(frames, how="diagonal").sort("at", maintain_order=True)


def _fixed_seats(lines: Lines) -> pl.DataFrame:
    """Return the seats that a part names, in each of its games."""
    seats = pl.DataFrame({"player": pl.Series([*lines.part.seats], dtype=lines.places.text)})
    return seats.join(lines.rows.select("game_id").unique(maintain_order=True), how="cross")


def _refuse_strangers(frame: pl.DataFrame, known_seats: pl.DataFrame, places: Places) -> None:
    """Raise LogError if a seat acts that the log does not have in that game."""
    if not len(frame):
        return
    strange = frame.join(known_seats, on=["game_id", "player"], how="anti", maintain_order="left")
    if len(strange):
        at, game, player = strange.select("at", "game_id", "player").row(0)
        seats = known_seats.filter(pl.col("game_id") == game)["player"].unique(maintain_order=True)
        seat_list = ", ".join(map(repr, seats))
        reason = f"{shown(player)} is not a seat of game {shown(places.game(game))}, which has {seat_list or 'none'}"
        hint = f"{reason} (another spelling? see [levels.player] in the mapping)"
        raise places.fault(at, hint, rows=strange["at"])


def _begun(games: pl.DataFrame, offers: pl.DataFrame, messages: pl.DataFrame) -> pl.DataFrame:
    """Return the games with when each began: as the log says, else its first stamp."""
    stamps = [frame.select("game_id", "stamp") for frame in (offers, messages) if "stamp" in frame.columns]
    if not stamps:
        return filled(games, started_at=pl.lit(None, pl.Datetime("us")))
    first_stamps = pl.concat(stamps).group_by("game_id").agg(pl.col("stamp").min())
    games = games.join(first_stamps, on="game_id", how="left", maintain_order="left")
    return filled(games, started_at=pl.col("stamp")).drop("stamp")


def _values(rows: Sequence[Lines], players: pl.DataFrame, places: Places) -> pl.DataFrame:
    """Return what items are worth, as the mapping or the log's columns say, to the seats that a game has."""
    text = places.text
    frames = []
    for lines in rows:
        for seat, worths in lines.part.worths.items():
            for (item, option), source in worths.items():
                total = lines.part.items.get(item, {}).get("total") if option is None else None
                numbers = {"value": lines.number(source)} | ({"available": lines.number(total)} if total else {})
                worth = settled(lines.rows.select("at", "game_id", **numbers), ["game_id"], {"value": source}, places)
                names = {"player": seat, "item": item, "option": option}
                frames.append(worth.with_columns(pl.lit(word, text).alias(name) for name, word in names.items()))
    if not frames:
        return pl.DataFrame()
    values = pl.concat(frames, how="diagonal").drop_nulls("value")
    values = values.join(players, on=["game_id", "player"], how="semi", maintain_order="left")
    return values.sort("game_id", maintain_order=True)


def _issues(parts: Sequence[Part], players: pl.DataFrame) -> pl.DataFrame:
    """Return the items that the mapping has worths for, in the games that have a seat to which they are worth it."""
    text = players.schema["player"]
    pairs = {(seat, item) for part in parts for seat, worths in part.worths.items() for item, _ in worths}
    issues = pl.DataFrame([*pairs], {"player": text, "item": text}, orient="row")
    return players.select("game_id", "player").join(issues, on="player").select("game_id", "item")


def _table(name: str, frame: pl.DataFrame, places: Places) -> pd.DataFrame:
    """Return a table of the study: the frame's columns that it has, and the study's own; they leave the frame."""
    columns: dict[str, Any] = {}
    if "game_id" in frame.columns:
        columns["game_id"] = pd.array(places.names.take(frame.drop_in_place("game_id").to_arrow()), dtype="str")
    for column in TABLES[name].columns:
        if column.name in frame.columns:
            columns[column.name] = _pandas(frame.drop_in_place(column.name), column.kind)
    table = conform(name, columns)
    own_columns: dict[str, Any] = {}
    for key in frame.columns:
        section, _, own = key.partition(".")
        if section in ("factors", "measures"):
            own_columns[own] = _pandas(frame.drop_in_place(key), "text" if section == "factors" else "number")
    return pd.concat([table, pd.DataFrame(own_columns, table.index, copy=False)], axis=1) if own_columns else table


def _pandas(values: pl.Series, kind: Kind) -> Any:
    """Return values of a kind as a table takes them."""
    match kind:
        case "text":
            words = values.to_arrow()
            return pd.array(spelled(words) if is_coded(words) else words, dtype="str")
        case "number":
            return values.to_numpy(writable=True)
        case "boolean":
            values = values.cast(pl.String) == "true"
        case "integer":
            values = values.cast(pl.Int64)
        case "time":
            values = values.dt.replace_time_zone("UTC")
    return values.to_arrow().to_pandas(types_mapper=_FROM_ARROW.get)


_FROM_ARROW = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
