"""The tables of a study out of the rows of a log, part by part, as its mapping says.

Each part tells what it knows of games, seats, offers, messages and answers, under the rows' places in the log; the
parts are then put together, and what two rows say of the same thing must agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from negstats.errors import LogError, shown
from negstats.loaders.files.columns import Texts
from negstats.loaders.mapping.conflicts import refuse_repeated, settled
from negstats.loaders.mapping.ends import allotments, deals, ends, scored
from negstats.loaders.mapping.frames import Array, Codes, Frame, Mask, firsts, grouped, nothing, picked, stacked
from negstats.loaders.mapping.messages_answers import answers_of, finished_answers, finished_messages, messages_of
from negstats.loaders.mapping.model import ENDS, Part, Source
from negstats.loaders.mapping.offers import Offers, finished, offers_of
from negstats.loaders.mapping.own_measures import levels_of, numbers_of
from negstats.loaders.mapping.rows import Lines, Places, RowError
from negstats.loaders.mapping.seats import Seats
from negstats.loaders.mapping.votes import vote_answers
from negstats.tables import TABLES, Kind, conform


class NoGameError(LogError):
    """No row of the log belongs to a game, or only to the `damaged` ones that are left out."""

    damaged: int = 0


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of one part that belong to a game: the game of each and, in a log of events, what it is."""

    lines: Lines
    game: Codes
    event: Codes | None

    @property
    def section(self) -> dict[str, dict[str, Source]]:
        return self.lines.part.sections

    def player(self) -> Codes:
        """Return the seat that each row is about; missing throughout if the mapping names none."""
        source = self.section["players"].get("player")
        return self.lines.text(source) if source else nothing("int32", len(self.lines))

    def seat_measures(self) -> dict[str, Source]:
        """Return the measures of seats: they are answers of each seat's person."""
        levels = levels_of(self.lines, self.game)
        return {name: source for name, source in self.section["measures"].items() if levels[name] == "player"}

    def only(self, mask: Mask, reason: str) -> _Rows:
        """Return the rows that are kept; the others are left out and counted."""
        if mask.all():
            return self
        self.lines.places.leave_out(self.lines.index[~mask], reason)
        return _Rows(self.lines.only(mask), self.game[mask], None if self.event is None else self.event[mask])


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
    of_game = np.full(places.size, -1, dtype=np.int32)
    try:
        rows = _in_games(parts, damaged, of_game)
        parts.clear()  # the columns of a long log are large: each thing goes as soon as it is used
        places.release_memory()
        if not any(len(row.game) for row in rows):
            why = ", ".join(f"{reason} ({count} rows)" for reason, count in places.intake.reasons().items())
            raise NoGameError(f"no row of a game is left{': ' if why else ''}{why}", file=places.intake.root)
        return _build_tables(rows, places)
    except RowError as fault:
        codes = of_game[fault.rows]
        if not len(codes) or (codes < 0).any():
            raise
        words = places.vocabulary("game_id")
        fault.games, fault.of = tuple(words[code] for code in np.unique(codes)), len(words)
        raise


def _in_games(parts: list[Lines], damaged: Mapping[str, str], of_game: Array) -> list[_Rows]:
    """Return the rows that belong to a game (and, where a row is a player, to one); the others are left out."""
    rows_in_games = [_read_games(lines, damaged, of_game) for lines in parts]
    listed_games = [rows.game for rows in rows_in_games if rows.lines.part.lists_games]
    if not listed_games:
        return rows_in_games
    games = np.flatnonzero(np.bincount(np.concatenate(listed_games)))
    reason = "a game that the log with one row per game or player does not list"
    return [
        rows if rows.lines.part.lists_games else rows.only(np.isin(rows.game, games), reason) for rows in rows_in_games
    ]


def _read_games(lines: Lines, damaged: Mapping[str, str], of_game: Array) -> _Rows:
    part, places = lines.part, lines.places
    for condition in part.where:
        fits_condition = lines.fits(condition)
        places.leave_out(lines.index[~fits_condition], f"where {condition.source.column}")
        lines = lines.only(fits_condition)
    source = part.sections["games"]["game_id"]
    rows = _Rows(lines, lines.text(source), None)
    of_game[lines.index] = rows.game
    rows = rows.only(rows.game >= 0, f"no game: {' or '.join(source.columns)} is empty")
    rows.lines.refuse_ambiguous(source, rows.game)
    for game, reason in damaged.items():
        rows = rows.only(rows.game != places.vocabulary("game_id").code(game), reason)
    if part.event:
        events = places.vocabulary("event")
        rows = _Rows(rows.lines, rows.game, rows.lines.text(part.event))
        has_event = rows.event >= 0 if rows.event is not None else np.zeros(0, dtype=bool)
        rows = rows.only(has_event, "no event: the column that says what a row is is empty")
        ignored = np.isin(rows.event, [events.code("ignore")]) if rows.event is not None else has_event
        rows = rows.only(~ignored, "an event that the mapping ignores")
    keys: Frame = {"at": rows.lines.index, "game_id": rows.game}
    if part.row == "player":
        rows = rows.only(rows.player() >= 0, "no player: the column that names the seat is empty")
        keys = {"at": rows.lines.index, "game_id": rows.game, "player": rows.player()}
        each = "a log with one row per player has each player of a game once"
        refuse_repeated(keys, ["game_id", "player"], each, places)
    elif part.row == "game":
        refuse_repeated(keys, ["game_id"], "a log with one row per game has each once", places)
    return rows


def _build_tables(rows: list[_Rows], places: Places) -> dict[str, pd.DataFrame]:
    """Return the tables; `rows` are given up as they are used, for they are large."""
    words = places.vocabulary
    games = settled(stacked([_games(row) for row in rows]), ["game_id"], {}, places)
    count = len(games["at"])
    rank = np.full(len(words("game_id")), -1, dtype=np.int32)
    rank[games["game_id"]] = np.arange(count, dtype=np.int32)
    parts, study = [row.lines.part for row in rows], rows[0].lines.mapping.study
    offers = Offers.joined([offers_of(row.lines, row.game, row.event) for row in rows])
    messages, texts = _read_messages(rows)
    players = _players(rows, rank, offers.base, messages, places)
    seats = Seats.of(rank, count, players)
    worths = _values(rows, seats, places)
    questions = [frame for row in rows for frame in answers_of(row.lines, row.game, row.seat_measures())]
    part_of = [np.flatnonzero(np.bincount(rank[row.game], minlength=count)) for row in rows]
    rows.clear()
    began = _began(games, offers.base, messages, rank)
    end_codes = games.get("ended", nothing("int32", count))
    ends_in_deal = _among([games_of for games_of, part in zip(part_of, parts, strict=True) if part.last_is_deal], count)
    ends_in_deal &= (end_codes < 0) | (end_codes == words("ended").code("agreement"))
    worth = offers.worth
    base, items, votes = finished(offers, seats, began, ends_in_deal, places)
    questions += vote_answers(votes, base, players, places)
    del offers
    issues = [(seats.have(np.arange(count), player), item) for player, item in worths.pop("issues", [])]
    part_texts = deals(base, items, issues, count, places)
    derived_ends = words("ended").add(ends(part_texts, count, once=all(part.lists_games for part in parts)))
    games |= {"ended": np.where(end_codes < 0, derived_ends, end_codes), "started_at": began}
    if study is not None:
        games["study"] = np.full(count, words("study").code(study), dtype=np.int32)
    _note_games_without_offers(base, count, parts, places)
    points_without_deal = _select_points_without_deal(parts, part_of, count)
    if points_without_deal:
        allotted = allotments(base, items, worth, has_values=bool(worths))
        players["points"] = scored(players, seats.game, base, part_texts, points_without_deal, allotted)
    del part_texts, derived_ends, end_codes
    places.release_memory()
    players["game"] = seats.game
    own = {name.removeprefix("measures."): base[name] for name in base if name.startswith("measures.")}
    make = _Maker(places, words("game_id").texts(games["game_id"]))
    return {
        "games": make.games(games),
        "players": make.table("players", players),
        "offers": make.table("offers", base, **own),
        "items": make.table("items", items),
        "values": make.table("values", worths),
        "messages": make.messages(finished_messages(messages, seats, began, places), texts),
        "answers": make.answers(finished_answers(questions, places)),
    }


def _names_offers(part: Part) -> bool:
    """Whether a part names columns from which offers are made."""
    sources = [
        *(source for key, source in part.sections["offers"].items() if key != "accept_from"),  # answers need no offer
        *part.item.values(),
        *(s for item in part.items.values() for s in item.values()),
    ]
    sources += [source for seat in part.seats.values() for source in seat["items"].values()]
    return any(source.columns for source in sources)


def _note_games_without_offers(offers: Frame, count: int, parts: Sequence[Part], places: Places) -> None:
    """Note how many games have no offer, and whether none has one although offers are mapped."""
    silent = count - int(np.count_nonzero(np.bincount(offers["game"], minlength=count)))
    places.intake.count("{0} of {1} games have no offer", silent, count, len(offers["game"]))
    if not len(offers["game"]) and any(_names_offers(part) for part in parts):
        places.intake.record("offers_unread")


def _select_points_without_deal(
    parts: Sequence[Part], part_of: Sequence[Array], count: int
) -> list[tuple[Mask, float | None]]:
    """Return of each part whose points follow from the deal which games are its, and what they bring without a deal."""
    return [
        (_among([of], count), part.points_without_deal)
        for part, of in zip(parts, part_of, strict=True)
        if part.points_from_deal
    ]


def _read_messages(rows: Sequence[_Rows]) -> tuple[Frame, list[pa.Array]]:
    """Return the messages of all parts below each other, and the texts of each part."""
    parts = [messages_of(row.lines, row.game, row.event, row.player()) for row in rows]
    return _count_on([frame for frame, _ in parts]), [texts for _, texts in parts]


def _count_on(frames: list[Frame]) -> Frame:
    """Put messages below each other, their places among the words counted on."""
    sizes = np.cumsum([0, *(len(frame["at"]) for frame in frames)])
    return stacked([frame | {"text": frame["text"] + start} for frame, start in zip(frames, sizes, strict=False)])


def _among(places: list[Array], size: int) -> Mask:
    is_among = np.zeros(size, dtype=bool)
    for of in places:
        is_among[of] = True
    return is_among


def _games(rows: _Rows) -> Frame:
    lines, columns = rows.lines, {"at": rows.lines.index, "game_id": rows.game}
    sources = dict(rows.section["games"])
    for name, source in rows.section["games"].items():
        if name != "game_id":
            columns[name] = lines.column(source, TABLES["games"][name].kind)
    if rows.event is not None and "ended" not in columns:
        events, end_vocabulary = lines.places.vocabulary("event"), lines.places.vocabulary("ended")
        ends_by_event = np.full(len(events), -1, dtype=np.int32)
        for end in ENDS:
            code = events.code(end)
            ends_by_event = np.append(ends_by_event, np.full(max(0, code + 1 - len(ends_by_event)), -1, dtype=np.int32))
            ends_by_event[code] = end_vocabulary.code(end)
        columns["ended"] = ends_by_event[rows.event]
    kinds: tuple[tuple[str, Kind], ...] = (("factors", "text"), ("measures", "number"))
    levels = levels_of(lines, rows.game)
    for section, kind in kinds:
        for name, source in rows.section[section].items():
            if section == "measures" and levels[name] != "game":
                continue  # an answer of the seat's person, or a column of the offers
            number = section == "measures"
            columns[f"{section}.{name}"] = numbers_of(lines, source) if number else lines.column(source, kind)
            sources[f"{section}.{name}"] = source
    return settled(columns, ["game_id"], sources, lines.places)


def _players(rows: list[_Rows], rank: Array, offers: Frame, messages: Frame, places: Places) -> Frame:
    """Return the seats of each game: those that the log describes, then those that only act in it."""
    described = [_seats(row) for row in rows]
    acting = [
        _drop_repeats({"at": frame["at"], "game_id": frame["game_id"], "player": frame[role]}, acts)
        for frame, role in ((offers, "proposer"), (offers, "responder"), (messages, "sender"))
        for acts in [frame[role] >= 0]
        if not any(frame["game_id"] is row.game and frame[role] is row.player() for row in rows)  # described already
    ]
    listed_seats = [
        frame for row, frame in zip(rows, described, strict=True) if row.lines.part.lists_games and len(frame["at"])
    ]
    listed_seats = listed_seats or [_fixed_seats(row) for row in rows if row.lines.part.seats]
    if listed_seats:
        listed_seats += _unlisted(rows, described, acting, places)
        known_seats = stacked([{name: frame[name] for name in ("game_id", "player")} for frame in listed_seats])
        for frame in [*described, *acting]:
            _refuse_strangers(frame, known_seats, places)
    seats = settled(stacked([*described, *acting]), ["game_id", "player"], {}, places)
    if "participant_id" in seats and "kind" in seats:  # the person it plays with, if any
        agent = seats["kind"] == places.vocabulary("kind").code("agent")
        seats["participant_id"] = np.where(agent, np.int32(-1), seats["participant_id"])
    return picked(seats, np.argsort(rank[seats["game_id"]], kind="stable"))


def _unlisted(rows: list[_Rows], described: list[Frame], acting: list[Frame], places: Places) -> list[Frame]:
    """Return the seats of the other side that a mapping names by a constant, and that no row of the log is."""
    words = places.vocabulary("player")
    listed_rows = [row for row in rows if row.lines.part.lists_games and not row.lines.part.seats]
    sources = [
        listed_row.section["offers"].get(side) for listed_row in listed_rows for side in ("proposer", "responder")
    ]
    constant_seats = {
        source.atoms[0].text for source in sources if source and not source.columns and len(source.atoms) == 1
    }
    seat_frames = []
    for name in sorted(constant_seats):
        code = words.code(name)
        if not any((frame["player"] == code).any() for frame in described):
            seats = [picked(frame, frame["player"] == code) for frame in acting]
            games = len(np.unique(np.concatenate([frame["game_id"] for frame in seats])))
            if games:
                places.intake.notes.append(f"the log has no rows of {name}, whose person is not known in {games} games")
            seat_frames += seats
    return seat_frames


def _drop_repeats(frame: Frame, acts: Mask) -> Frame:
    frame = frame if acts.all() else picked(frame, acts)
    return picked(frame, firsts(grouped([frame["game_id"], frame["player"]])))


def _seats(rows: _Rows) -> Frame:
    """Return what one part says of seats, one row each."""
    lines, frames = rows.lines, []
    blocks = [(rows.player(), rows.section["players"])]
    for name, seat in lines.part.seats.items():
        code = lines.places.vocabulary("player").code(name)
        blocks.append((np.full(len(lines), code, dtype=np.int32), seat["players"]))
    for player, sources in blocks:
        seat_columns = {"at": lines.index, "game_id": rows.game, "player": player} | {
            name: lines.column(source, TABLES["players"][name].kind)
            for name, source in sources.items()
            if name not in ("player", "value", "units", "vote")
        }
        sits = player >= 0
        frames.append(
            settled(
                seat_columns if sits.all() else picked(seat_columns, sits), ["game_id", "player"], sources, lines.places
            )
        )
    all_seats = stacked(frames)
    return all_seats if len(frames) == 1 else picked(all_seats, np.argsort(all_seats["at"], kind="stable"))


def _fixed_seats(rows: _Rows) -> Frame:
    games, words = pd.unique(rows.game), rows.lines.places.vocabulary("player")
    codes = [words.code(name) for name in rows.lines.part.seats]
    return {
        "game_id": np.tile(games, len(codes)),
        "player": np.repeat(np.array(codes, dtype=np.int32), len(games)),
    }


def _refuse_strangers(frame: Frame, known_seats: Frame, places: Places) -> None:
    """Raise LogError if a seat acts that the log does not have in that game."""
    width = len(places.vocabulary("player")) + 1

    def find_pairs(of: Frame) -> Array:
        both: Array = of["game_id"].astype(np.int64) * width + of["player"]
        return both

    strange = ~np.isin(find_pairs(frame), find_pairs(known_seats))
    if strange.any():
        place = int(strange.argmax())
        names, words = places.vocabulary("game_id"), places.vocabulary("player")
        game, player = frame["game_id"][place], frame["player"][place]
        seats = pd.unique(known_seats["player"][known_seats["game_id"] == game])
        seat_list = ", ".join(repr(words[seat]) for seat in seats)
        reason = f"{shown(words[player])} is not a seat of game {shown(names[game])}, which has {seat_list or 'none'}"
        hint = f"{reason} (another spelling? see [levels.player] in the mapping)"
        raise places.fault(int(frame["at"][place]), hint, rows=frame["at"][strange])


def _began(games: Frame, offers: Frame, messages: Frame, rank: Array) -> Array:
    """Return when each game began: as the log says, else its first stamp."""
    began = games.get("started_at", nothing("datetime64[us]", len(games["at"]))).copy()
    first = np.full(len(began), np.iinfo(np.int64).max)
    for frame in (offers, messages):
        if "stamp" in frame:
            has_stamp = ~np.isnat(frame["stamp"])
            np.minimum.at(first, rank[frame["game_id"][has_stamp]], frame["stamp"][has_stamp].astype(np.int64))
    is_derived = np.isnat(began) & (first < np.iinfo(np.int64).max)
    began[is_derived] = first[is_derived].astype("datetime64[us]")
    return began


def _values(rows: list[_Rows], seats: Seats, places: Places) -> dict[str, Any]:
    """Return what items are worth, as the mapping or the log's columns say; ``issues`` are the seats and items."""
    frames, issues = [], set()
    for row in rows:
        lines = row.lines
        for seat, worths in lines.part.worths.items():
            for (item, option), source in worths.items():
                total = lines.part.items.get(item, {}).get("total") if option is None else None
                worth_columns = {"at": lines.index, "game_id": row.game, "value": lines.number(source)}
                if total:
                    worth_columns["available"] = lines.number(total)
                worth = settled(worth_columns, ["game_id"], {"value": source}, places)
                game, player = seats.rank[worth["game_id"]], places.vocabulary("player").code(seat)
                has_worth = ~np.isnan(worth["value"]) & seats.have(game, player)
                issues.add((player, places.vocabulary("item").code(item)))
                codes = {"player": player, "item": places.vocabulary("item").code(item)}
                codes["option"] = -1 if option is None else places.vocabulary("option").code(option)
                fixed = {name: np.full(int(has_worth.sum()), code, dtype=np.int32) for name, code in codes.items()}
                frames.append(picked(worth | {"game": game}, has_worth) | fixed)
    if not frames:
        return {}
    values = stacked(frames)
    return picked(values, np.argsort(values["game"], kind="stable")) | {"issues": sorted(issues)}


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes tables of frames: codes become words again; ``game`` is the place of a row's game among the games."""

    places: Places
    game_ids: Texts

    def table(self, name: str, frame: Frame, /, **given: object) -> pd.DataFrame:
        """Return a table; the frame's columns are given up on the way."""
        columns: dict[str, Any] = {}
        for other in frame.keys() - {"game", *TABLES[name].names}:
            del frame[other]
        if frame:
            ids = given.pop("game_id", None)
            columns["game_id"] = self.game_ids.take(pa.array(frame.pop("game"))) if ids is None else ids
        for column in TABLES[name].columns:
            values = frame.pop(column.name, None)
            if column.name != "game_id" and values is not None:
                columns[column.name] = self.column(column.name, column.kind, values)
        return conform(name, columns | given)

    def column(self, name: str, kind: str, values: Array) -> Any:
        """Return values as a table takes them."""
        match kind:
            case "text":
                return self.places.vocabulary(name).texts(values)
            case "boolean":
                true = self.places.vocabulary(name).code("true")
                return pd.arrays.BooleanArray(values == true, values < 0)
            case "integer":
                none = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
                return pd.arrays.IntegerArray(np.where(none, 1, values).astype(np.int64), none)
            case "time":
                return pd.DatetimeIndex(values).tz_localize("UTC").array
        return values

    def games(self, frame: Frame) -> pd.DataFrame:
        """Return the table of games with its factors and measures; the frame's columns are given up."""
        own_columns: dict[str, Any] = {}
        for name in [name for name in frame if name.startswith(("factors.", "measures."))]:
            section, _, own = name.partition(".")
            values = frame.pop(name)
            is_factor = section == "factors"
            own_columns[own] = pd.array(self.column(own, "text", values), dtype="str") if is_factor else values
        columns = {name: frame[name] for name in TABLES["games"].names if name in frame and name != "game_id"}
        games = self.table("games", columns | {"game": np.arange(len(frame["at"]))})
        return pd.concat([games, pd.DataFrame(own_columns, games.index, copy=False)], axis=1)

    def messages(self, frame: Frame, texts: list[Texts]) -> pd.DataFrame:
        """Return the table of messages with the words as they were typed."""
        words = pa.chunked_array(
            [pa.chunked_array([part_texts]).cast(pa.large_string()).combine_chunks() for part_texts in texts]
        )
        text = words.combine_chunks().take(pa.array(frame.pop("text")))
        return self.table("messages", frame, text=text)

    def answers(self, frame: Frame) -> pd.DataFrame:
        """Return the table of survey answers; one about the person has no game."""
        if not frame:
            return self.table("answers", {})
        return self.table("answers", frame, game_id=self.places.vocabulary("game_id").texts(frame["game_id"]))
