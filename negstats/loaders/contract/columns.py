"""A contract game's log as whole columns: for logs without a fault, nearly as fast as their JSON is parsed.

Whatever is not as the log's card says makes `Columns` give up; then `log` beside this file takes the events one by one
and tells the fault. Both give the same tables.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import orjson
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from negstats.loaders.contract.log import FIELDS, PLAYER
from negstats.loaders.files.columns import Texts, chosen
from negstats.loaders.files.moments import read_moment
from negstats.loaders.files.objects import no_collection
from negstats.tables import TABLES, conform

Objects: TypeAlias = list[dict[str, Any]]
Array: TypeAlias = npt.NDArray[Any]

_AT_ONCE = 1_000  # lines whose objects are in memory together
_LARGEST = 2**31


class _DoubtError(Exception):
    """Something is not as it should be, or might not be."""


class Columns:
    """The events of a log so far, as pieces of columns."""

    def __init__(self) -> None:
        self.games: dict[str, int] = {}
        self.begun: list[int] = []
        self.ended: dict[int, tuple[int, dict[str, Any]]] = {}
        self.begins: Objects = []
        self.pieces: dict[str, list[dict[str, Any]]] = {"offer": [], "item": [], "move": [], "message": []}
        self.rows = 0

    def add(self, data: bytes) -> int | None:
        """Take a file and return how many events it has; None if it must be looked at event by event."""
        if b" :" in data or b"\t:" in data or b"\r:" in data or b"\0" in data:
            return None
        rows_before = self.rows
        lines = iter(io.BytesIO(data))
        try:
            with no_collection():
                while batch := list(islice(lines, _AT_ONCE)):
                    self._take([line for line in batch if line and not line.isspace()])
        except (_DoubtError, orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError, OverflowError):
            return None
        except pa.ArrowException:
            return None
        return self.rows - rows_before

    def _take(self, lines: list[bytes]) -> None:
        events: Objects = list(map(orjson.loads, lines))
        by_kind: dict[str, Objects] = {kind: [] for kind in FIELDS}
        places: dict[str, list[int]] = {kind: [] for kind in FIELDS}
        for place, event in enumerate(events, self.rows):
            kind = event["event"]
            by_kind[kind].append(event)
            places[kind].append(place)
        self.rows += len(events)
        for kind, of_kind in by_kind.items():
            _check_keys(of_kind, FIELDS[kind])
        inner = self._begin(by_kind["game"], places["game"])
        for kind, take in (("offer", self._offers), ("move", self._moves), ("message", self._messages)):
            if by_kind[kind]:
                inner += take(by_kind[kind], places[kind])
        inner += self._end(by_kind["end"], places["end"])
        if sum(map(len, events)) + inner != sum([line.count(b'":') for line in lines]):
            raise _DoubtError  # a key stands twice, or a text looks like one

    def _begin(self, events: Objects, places: list[int]) -> int:
        for event, place in zip(events, places, strict=True):
            game = event["game"]
            if game in self.games or not game or not isinstance(game, str) or not event["players"]:
                raise _DoubtError
            self.games[game] = len(self.games)
            self.begun.append(place)
        self.begins += events
        players = [player for event in events for player in event["players"]]
        _check_keys(players, PLAYER)
        return sum(map(len, players)) + sum(len(event.get("factors") or ()) for event in events)

    def _places(self, events: Objects, places: list[int]) -> dict[str, Any]:
        games = self.games
        return {"game": np.array([games[event["game"]] for event in events], dtype=np.int64), "place": np.array(places)}

    def _offers(self, events: Objects, places: list[int]) -> int:
        asks, items_given = [event["asks"] for event in events], [event["gives"] for event in events]
        piece = self._places(events, places)
        piece |= {name: _texts([event[name] for event in events]) for name in ("from", "to", "response")}
        piece |= {
            "round": _whole([event.get("round") for event in events]),
            "time_s": _numbers([event.get("time_s") for event in events]),
            "commitment": _truths([event.get("commitment") for event in events]),
        }
        chips = [chip for both in zip(asks, items_given, strict=True) for chip in both]
        sizes = np.array([len(chip) for chip in chips])
        quantity = _counts(list(chain.from_iterable([chip.values() for chip in chips])))
        side = np.repeat(np.arange(len(chips)), sizes)
        totals = np.bincount(side, weights=quantity, minlength=len(chips)).reshape(-1, 2)
        piece |= {"asked": totals[:, 0], "given": totals[:, 1]}
        is_positive = quantity > 0
        item = _texts(list(chain.from_iterable(chips)))
        offers = sum(len(one["game"]) for one in self.pieces["offer"])
        values_by_column = {"offer": side // 2 + offers, "asked": side % 2 == 0, "quantity": quantity}
        positive_values = {name: values[is_positive] for name, values in values_by_column.items()}
        self.pieces["item"].append(positive_values | {"item": item.filter(pa.array(is_positive))})
        self.pieces["offer"].append(piece)
        return int(sizes.sum())

    def _moves(self, events: Objects, places: list[int]) -> int:
        squares = _counts([part for event in events for part in event["square"]])
        if any(len(event["square"]) != 2 for event in events):
            raise _DoubtError
        self.pieces["move"].append(
            self._places(events, places)
            | {
                "player": _texts([event["player"] for event in events]),
                "round": _whole([event.get("round") for event in events]),
                "row": squares[::2],
                "column": squares[1::2],
                "paid": _texts([event.get("paid") for event in events], required=False),
            }
        )
        return 0

    def _messages(self, events: Objects, places: list[int]) -> int:
        self.pieces["message"].append(
            self._places(events, places)
            | {
                "player": _texts([event["player"] for event in events]),
                "text": _texts([event["text"] for event in events]),
                "time_s": _numbers([event.get("time_s") for event in events]),
            }
        )
        return 0

    def _end(self, events: Objects, places: list[int]) -> int:
        for event, place in zip(events, places, strict=True):
            game = self.games[event["game"]]
            if game in self.ended:
                raise _DoubtError
            self.ended[game] = (place, event)
        return sum(len(event.get("points") or ()) for event in events)

    def tables(self) -> dict[str, pd.DataFrame] | None:
        """Return the tables; None if the log must be looked at event by event."""
        try:
            return self._tables()
        except (_DoubtError, KeyError, TypeError, ValueError, AttributeError, OverflowError, pa.ArrowException):
            return None

    def _tables(self) -> dict[str, pd.DataFrame]:
        ids = pa.array(list(self.games), pa.large_string())
        tables = {"games": self._games(ids), "players": self._players()}
        columns_by_kind = {kind: _join_pieces(pieces) for kind, pieces in self.pieces.items()}
        self.pieces.clear()
        for kind in ("offer", "move", "message"):
            self._refuse_out_of_turn(columns_by_kind[kind])
        offers, items = columns_by_kind["offer"], columns_by_kind["item"]
        tables |= self._offer_tables(ids, offers, items)
        for kind, table in (("move", "moves"), ("message", "messages")):
            events = columns_by_kind[kind]
            if not events:
                continue
            order, game, number = _in_games(events["game"])
            names = {"player": "sender"} if kind == "message" else {}
            columns = {
                names.get(name, name): _select_rows(values, order)
                for name, values in events.items()
                if name not in ("game", "place")
            }
            tables[table] = conform(table, {"game_id": chosen(ids, game), kind: number} | columns)
        return tables

    def _offer_tables(self, ids: Texts, offers: dict[str, Any], items: dict[str, Any]) -> dict[str, pd.DataFrame]:
        if not offers:
            return {}
        order, game, number = _in_games(offers["game"])
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        worth = _numbers([begin.get("chip_points") for begin in self.begins])[game]
        units_asked, units_given = offers["asked"][order], offers["given"][order]
        proposer, responder = _select_rows(offers["from"], order), _select_rows(offers["to"], order)
        gain = worth * (units_asked - units_given)
        columns = {
            "game_id": chosen(ids, game),
            "offer": number,
            "round": _select_rows(offers["round"], order),
            "time_s": _select_rows(offers["time_s"], order),
            "proposer": proposer,
            "responder": responder,
            "units_to_proposer": units_asked,
            "units_to_responder": units_given,
            "value_proposer": gain,
            "value_responder": -gain,
            "commitment": _select_rows(offers["commitment"], order),
            "response": _select_rows(offers["response"], order),
        }
        offer_table = conform("offers", columns)
        columns.clear()
        offers.clear()
        seats = pa.concat_arrays([proposer, responder]).dictionary_encode()
        return {"offers": offer_table, "items": _item_table(items, rank[items["offer"]], ids, game, number, seats)}

    def _games(self, ids: Texts) -> pd.DataFrame:
        ends = [self.ended[game][1] if game in self.ended else {} for game in range(len(self.begins))]
        factors = [begin.get("factors") or {} for begin in self.begins]
        names = dict.fromkeys(chain.from_iterable(factors))
        if names.keys() & set(TABLES["games"].names) or "" in names:
            raise _DoubtError
        for values in factors:
            if not all(isinstance(value, (str, int, float)) for value in values.values()):
                raise _DoubtError
        columns: dict[str, Any] = {"game_id": ids}
        for name in ("study", "scenario", "protocol"):
            columns[name] = _texts([begin.get(name) for begin in self.begins], required=False)
        times_by_stamp: dict[Any, Any] = {}
        stamps = [begin.get("started_at") for begin in self.begins]
        for stamp in set(stamps):
            times_by_stamp[stamp] = None if stamp is None else read_moment(stamp)
        columns["started_at"] = [times_by_stamp[stamp] for stamp in stamps]
        columns["ended"] = _texts([end["ended"] if end else "unknown" for end in ends])
        if any(end and end["ended"] == "unknown" for end in ends):
            raise _DoubtError  # told apart from a game without an end
        columns["rounds"] = _whole([end.get("rounds") for end in ends])
        return conform("games", columns | {name: [values.get(name) for values in factors] for name in names})

    def _players(self) -> pd.DataFrame:
        players = [player for begin in self.begins for player in begin["players"]]
        sizes = [len(begin["players"]) for begin in self.begins]
        names, agents = [player["player"] for player in players], [player.get("agent") for player in players]
        points: list[Any] = []
        goal_reached: list[Any] = []
        for game, begin in enumerate(self.begins):
            seats = [player["player"] for player in begin["players"]]
            end = self.ended[game][1] if game in self.ended else {}
            scored, goals = end.get("points") or {}, end.get("reached_goal")
            if len(set(seats)) < len(seats) or not set(seats).issuperset(scored):
                raise _DoubtError
            if goals is not None and not (isinstance(goals, list) and set(seats).issuperset(goals)):
                raise _DoubtError
            points += [scored.get(seat) for seat in seats]
            goal_reached += [None if goals is None else seat in goals for seat in seats]
        ids = [begin["game"] for begin in self.begins]
        return conform(
            "players",
            {
                "game_id": chosen(ids, np.repeat(np.arange(len(ids)), sizes)),
                "player": _texts(names),
                "role": _texts([player.get("role") for player in players], required=False),
                "kind": chosen(["human", "agent"], [int(agent is not None) for agent in agents]),
                "agent": _texts(agents, required=False),
                "participant_id": _texts([player.get("participant") for player in players], required=False),
                "points": _numbers(points),
                "batna": _numbers([player.get("batna") for player in players]),
                "reached_goal": _truths(goal_reached),
            },
        )

    def _refuse_out_of_turn(self, events: dict[str, Any]) -> None:
        """Give up if an event stands before its game's beginning or after its end."""
        if not events:
            return
        begin_places = np.array(self.begun)
        end_places = np.full(len(begin_places), self.rows)
        end_places[list(self.ended)] = [place for place, _ in self.ended.values()]
        game, place = events["game"], events["place"]
        if not ((begin_places[game] < place) & (place < end_places[game])).all() or (end_places <= begin_places).any():
            raise _DoubtError


def _item_table(
    items: dict[str, Any], of_offer: Array, ids: Texts, game: Array, number: Array, seats: pa.DictionaryArray
) -> pd.DataFrame:
    """Return what is in the offers, offer by offer; `seats` are the proposers of all offers, then their responders."""
    by_offer = slice(None) if np.all(of_offer[1:] >= of_offer[:-1]) else np.argsort(of_offer, kind="stable")
    of_offer, receives = of_offer[by_offer], items["asked"][by_offer]
    codes = seats.indices.to_numpy()
    seat = np.where(receives, codes[of_offer], codes[of_offer + len(number)])
    columns = {
        "game_id": chosen(ids, game[of_offer]),
        "offer": number[of_offer],
        "item": _select_rows(items["item"], by_offer),
        "receiver": chosen(seats.dictionary, seat),
        "quantity": items["quantity"][by_offer].astype(np.float64),
    }
    items.clear()
    return conform("items", columns)


def _check_keys(events: Objects, allowed_keys: Sequence[str]) -> None:
    for shape in set(map(tuple, events)):
        if not set(shape).issubset(allowed_keys):
            raise _DoubtError


def _texts(values: list[Any], *, required: bool = True) -> Texts:
    """Return texts that are not empty."""
    column = pa.array(values)
    if pa.types.is_null(column.type):
        column = pa.nulls(len(values), pa.string())
    if not pa.types.is_string(column.type) or (required and column.null_count):
        raise _DoubtError
    if pc.any(pc.equal(pc.binary_length(column), 0)).as_py():
        raise _DoubtError
    return column.cast(pa.large_string())


def _numbers(values: list[Any]) -> npt.NDArray[np.float64]:
    """Return finite numbers, NaN where there is none."""
    column = pa.array(values)
    kind = column.type
    if not (pa.types.is_null(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise _DoubtError
    numbers: npt.NDArray[np.float64] = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    if np.isinf(numbers).any() or np.isnan(numbers).sum() != column.null_count:
        raise _DoubtError
    return numbers


def _whole(values: list[Any]) -> Texts:
    """Return whole numbers of at least 0, missing where there is none."""
    column = pa.array(values)
    if pa.types.is_null(column.type):
        return pa.nulls(len(values), pa.int64())
    if not pa.types.is_int64(column.type) or pc.min(column).as_py() < 0 or pc.max(column).as_py() >= _LARGEST:
        raise _DoubtError
    return column


def _counts(values: list[Any]) -> npt.NDArray[np.int64]:
    column = _whole(values)
    if column.null_count:
        raise _DoubtError
    counts: npt.NDArray[np.int64] = column.to_numpy()
    return counts


def _truths(values: list[Any]) -> Texts:
    """Return true, false or missing."""
    column = pa.array(values)
    if pa.types.is_null(column.type):
        return pa.nulls(len(values), pa.bool_())
    if not pa.types.is_boolean(column.type):
        raise _DoubtError
    return column


def _join_pieces(pieces: Iterable[dict[str, Any]]) -> dict[str, Any]:
    piece_list = list(pieces)
    columns_by_name = {}
    for name in list(piece_list[0]) if piece_list else ():
        columns = [piece.pop(name) for piece in piece_list]  # what is joined is not kept twice
        columns_by_name[name] = (
            pa.concat_arrays(columns) if isinstance(columns[0], pa.Array) else np.concatenate(columns)
        )
    return columns_by_name


def _select_rows(values: Any, order: Any) -> Any:
    if isinstance(order, slice):
        return values
    return values.take(pa.array(order)) if isinstance(values, pa.Array) else values[order]


def _in_games(game: Array) -> tuple[Any, Array, Array]:
    """Return the order by game, and in it the games and the number of each event in its game."""
    order = slice(None) if np.all(game[1:] >= game[:-1]) else np.argsort(game, kind="stable")
    sorted_games = game[order]
    number = np.arange(len(sorted_games)) - np.searchsorted(sorted_games, sorted_games) + 1
    return (np.arange(len(game)) if isinstance(order, slice) else order), sorted_games, number
