"""The games of a study as a page shows them: an index, and each one's talk, offers and outcome space in chunks.

A space can be drawn for two seats whose values are known; for other games a sentence says why there is none.

A page of thousands of games must open at once, so what a list needs (`Index`) is apart from what an opened game needs
(`Chunk`), and the latter is read when it is asked for. Text from the data is never a key and never a name of a file;
it stands as it was written, and the page makes visible what would hide.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from negstats.errors import NegstatsError
from negstats.games import pareto_optimal
from negstats.metrics.spaces import read, spaces
from negstats.sanitize import embedded_json
from negstats.studies.study import Study

POINTS = 500  # of one space that are drawn
OUTCOMES = 200_000  # of one game that are listed

NO_VALUES = "The log does not say what the items are worth to each seat, so what was possible is not known."
NOT_DRAWN = (
    "What was possible in this game is not drawn: it needs two seats, values of all items for both, and at most "
    f"{OUTCOMES:,} outcomes."
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Outcome spaces as JSON, the space of each game that has one, and why others have none."""

    texts: list[str] = field(default_factory=list)
    of_game: dict[str, int] = field(default_factory=dict)
    why: str = NOT_DRAWN


def drawn(study: Study, seats: Mapping[str, Sequence[str]]) -> Drawn:
    """Return the outcome spaces of a study's games for two; the first number of a point is the first seat's.

    Parameters
    ----------
    study
        The study.
    seats
        The names of each game's seats, in the order of ``players``.
    """
    values = _drawable(study.values)
    if values.empty:
        return Drawn(why=NOT_DRAWN if len(study.values) else NO_VALUES)
    result, places_by_points = Drawn(), dict[bytes, int]()
    try:
        for group in spaces(read(pa.Table.from_pandas(values, preserve_index=False))):
            if group.seats.shape[1] != 2:
                continue
            for game, names, utilities in zip(group.games, group.seats, group.utilities, strict=True):
                is_reversed = list(seats.get(game, ())) == list(names[::-1])
                points = np.ascontiguousarray(utilities[:, ::-1] if is_reversed else utilities)
                key = points.tobytes()
                if key not in places_by_points:
                    places_by_points[key] = len(result.texts)
                    result.texts.append(_text(points))
                result.of_game[str(game)] = places_by_points[key]
    except NegstatsError as error:  # seats that disagree: the rest of the page must not fail for it
        return Drawn(why=f"What was possible is not drawn: {error}.")
    return result


def _drawable(values: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of games whose outcomes can be listed: whole counts, and not too many of them."""
    if values.empty:
        return values
    divisible = values["option"].isna()
    counts = values["available"].where(divisible, 0.0)
    bad = divisible & ~((counts >= 0) & (counts == counts.round()))
    issues = values.assign(count=counts).drop_duplicates(["game_id", "item", "option"])
    units = issues["count"].where(issues["option"].isna(), 0.0)
    ways = pd.Series(np.log1p(units.to_numpy())).groupby(issues["game_id"].to_numpy()).sum()
    option_counts = issues[issues["option"].notna()].groupby(["game_id", "item"]).size()
    if len(option_counts):
        options = pd.Series(np.log(option_counts.to_numpy()), index=option_counts.index).groupby(level=0).sum()
        ways = ways.add(options, fill_value=0.0)
    large = ways.index[ways > np.log(OUTCOMES)]
    return values[~values["game_id"].isin(large) & ~values["game_id"].isin(values.loc[bad, "game_id"])]


def thinned(
    distinct: npt.NDArray[np.float64], most: int = POINTS
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return distinct points of two utilities and which are Pareto optimal; of too many, evenly spread others go.

    Examples
    --------
    >>> points, optimal = thinned(np.array([[0.0, 3.0], [1, 1], [2, 2], [3, 0]]))
    >>> points[optimal].tolist()
    [[0.0, 3.0], [2.0, 2.0], [3.0, 0.0]]
    """
    optimal = pareto_optimal(distinct)
    others = np.flatnonzero(~optimal)
    room = max(most - int(optimal.sum()), 0)
    if len(others) > room:
        sample = others[np.linspace(0, len(others) - 1, room).round().astype(int)] if room else others[:0]
        places = np.sort(np.concatenate([np.flatnonzero(optimal), sample]))
        return distinct[places], optimal[places]
    return distinct, optimal


def _text(points: npt.NDArray[np.float64]) -> str:
    distinct = np.unique(points, axis=0)
    thinned_points, optimal = thinned(distinct)
    all_of_them: dict[str, Any] = {
        "p": _short(thinned_points),
        "f": np.flatnonzero(optimal).tolist(),
        "n": len(points),
        "d": len(distinct),
    }
    return json.dumps(all_of_them, separators=(",", ":"))


def _short(points: npt.NDArray[np.float64]) -> list[list[float | int]]:
    """Return the points with six digits, whole numbers without a point."""
    whole = points.round()
    if (whole == points).all() and (np.abs(whole) < 1e6).all():
        whole_numbers: list[list[float | int]] = whole.astype(int).tolist()
        return whole_numbers
    texts = ((f"{first:.6g}", f"{second:.6g}") for first, second in points)
    return [[int(short) if (short := float(text)).is_integer() else short for text in pair] for pair in texts]


GAMES, BYTES = 250, 512 * 1024  # of a chunk at most, whichever comes first
MOST_TEXT = 100_000  # bytes of words of one game
NAME = 200  # characters of an id, a level, a seat
LEVELS, FACTORS = 50, 3  # a column with more levels is not a choice; more choices do not fit

# Where a loader's numbering of messages says which offer they go with: an offer's place among the messages.
NUMBERED = {"solver_cl": lambda offer: 2 * offer - 0.5}


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some games with their outcome spaces, ready to be written: the place of the first game, and JSON."""

    first: int
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """All games: JSON of the index, and the chunks."""

    index: dict[str, Any]
    chunks: tuple[Chunk, ...]

    @property
    def size(self) -> int:
        """Bytes of the chunks."""
        return sum(len(chunk.text.encode()) for chunk in self.chunks)


def shown_games(study: Study, first: Sequence[str] = ()) -> Shown:
    """Bring the games of a study to what a page shows.

    Parameters
    ----------
    study
        The study.
    first
        Factors of the games that a reader will choose by, before the others.

    Returns
    -------
    Shown
        The index (``factors``, ``levels``, ``ends``, ``seats``, ``starts``, ``rows``; a row is the game's id, its
        level of each factor, its end, its seats, their points, and how many offers and messages) and the chunks.

    Examples
    --------
    >>> import negstats
    >>> shown = shown_games(negstats.load("datasets/sample"))
    >>> shown.index["factors"], len(shown.index["rows"]), len(shown.chunks)
    (['session', 'condition'], 36, 1)
    """
    games = study.games
    # Columns to choose games by, as codes of their levels.
    factors = _choices(study, first)
    levels, codes = [], []
    for name in factors:
        code, level_names = pd.factorize(games[name].astype("str"), use_na_sentinel=True)
        codes.append(code.tolist())
        levels.append([_name(level) for level in level_names])
    end, ends = pd.factorize(games["ended"])
    seats = _Seats(study)
    rows = _rows(study)
    spaces = drawn(study, seats.of_game)
    # Each game is a row of the index, and its rows fill chunks of about equal size.
    chunks: list[Chunk] = []
    entries = []
    packer = _Packer(spaces)
    for place, game_id in enumerate(games["game_id"].tolist()):
        messages, offers = rows["messages"].get(game_id, []), rows["offers"].get(game_id, [])
        seat_set, points = seats.entry(game_id)
        entry = [_name(game_id), *(code[place] for code in codes), int(end[place]), seat_set, points]
        entries.append([*entry, len(offers), len(messages)])
        items = rows["items"].get(game_id, [])
        game = _game(messages, offers, items, seats.of_game.get(game_id, []), study.provenance.loader)
        chunks += packer.add(place, game_id, game)
    chunks += packer.rest()
    index = {"factors": [_name(name) for name in factors], "levels": levels, "ends": list(ends)}
    index |= {"seats": seats.sets, "starts": [chunk.first for chunk in chunks], "why": spaces.why, "rows": entries}
    return Shown(index, tuple(chunks))


def _choices(study: Study, first: Sequence[str]) -> list[str]:
    """Return the factors that can be chosen by: those of the questions first, then those that have a few levels."""
    small_factors = [name for name in study.factors if 2 <= study.games[name].nunique() <= LEVELS]
    first_factors = [name for name in dict.fromkeys(first) if name in study.factors]
    return list(dict.fromkeys([*first_factors, *small_factors]))[:FACTORS]


def _name(value: object) -> str:
    text = str(value)
    return text if len(text) <= NAME else f"{text[: NAME - 1]}…"


def number(value: Any) -> float | int | None:
    """Return a number as short as people read it, whole ones whole; None where there is none."""
    if value is None or value is pd.NA or value != value or abs(value) == float("inf"):
        return None
    short = float(f"{float(value):.6g}")
    return int(short) if short.is_integer() else short


class _Seats:
    """The seats of each game in the order of ``players``; games with the same names of seats share them."""

    def __init__(self, study: Study) -> None:
        self.of_game: dict[str, list[str]] = defaultdict(list)
        self.sets: list[list[str]] = []
        self._points: dict[str, list[float | int | None]] = defaultdict(list)
        self._known: dict[tuple[str, ...], int] = {}
        players = study.players
        columns = (players[name].tolist() for name in ("game_id", "player", "points"))
        for game, seat, points in zip(*columns, strict=True):
            self.of_game[game].append(seat)
            self._points[game].append(number(points))

    def entry(self, game: str) -> tuple[int, list[float | int | None]]:
        names = tuple(self.of_game.get(game, ()))
        if names not in self._known:
            self._known[names] = len(self.sets)
            self.sets.append([_name(name) for name in names])
        return self._known[names], self._points.get(game, [])


_COLUMNS = {
    "messages": ("message", "time_s", "sender", "text", "act", "labels"),
    "offers": ("offer", "time_s", "proposer", "responder", "value_proposer", "value_responder", "units_to_proposer",
               "units_to_responder", "framing", "response"),
    "items": ("offer", "item", "receiver", "quantity", "option"),
}  # fmt: skip


def _rows(study: Study) -> dict[str, dict[str, list[tuple[Any, ...]]]]:
    """Return the rows of each table by game; what is missing is None."""
    rows_by_table: dict[str, dict[str, list[tuple[Any, ...]]]] = {}
    for table, columns in _COLUMNS.items():
        frame = study.tables[table][["game_id", *columns]]
        lists = [frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame.columns]
        by_game: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for game, *row in zip(*lists, strict=True):
            by_game[game].append(tuple(row))
        rows_by_table[table] = by_game
    return rows_by_table


def _game(
    messages: list[tuple[Any, ...]],
    offers: list[tuple[Any, ...]],
    items: list[tuple[Any, ...]],
    seats: list[str],
    loader: str,
) -> dict[str, Any]:
    """Return a game: ``m`` messages, ``o`` offers, ``t`` their order; ``u``: it is unknown; ``c``: how much is cut."""
    seat = {name: place for place, name in enumerate(seats)}
    words = _Words()
    order, unknown, replaced = _order(messages, offers, loader)
    by_offer: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
    for offer, *item in items:
        by_offer[offer].append(tuple(item))
    offer_rows = []
    for offer, _, proposer, responder, own, other, proposer_units, responder_units, framing, response in offers:
        offer_text = words.cut(
            _describe_offer(by_offer.get(offer, []), (proposer, responder), (proposer_units, responder_units), framing)
        )
        offer_rows.append(
            [seat.get(proposer, -1), number(own), number(other), offer_text, response, seat.get(responder, -1)]
        )
    message_rows = []  # after the offers: these stay whole where a talk is cut
    for _, _, sender, text, act, labels in messages:
        act_text = ": ".join(part for part in (act, labels if text is None else None) if part)
        message_rows.append([seat.get(sender, -1), words.cut(text), *([words.cut(act_text)] if act_text else [])])
    game: dict[str, Any] = {"m": message_rows, "o": offer_rows, "t": [step for step in order if step not in replaced]}
    return game | ({"u": 1} if unknown else {}) | ({"c": words.gone} if words.gone else {})


class _Words:
    """Cuts the words of one game where they are too many, and counts the characters that are gone."""

    def __init__(self) -> None:
        self.left, self.gone = MOST_TEXT, 0

    def cut(self, text: str | None) -> str | None:
        if text is None:
            return None
        size = len(text.encode("utf-8", "surrogatepass"))
        if size <= self.left:
            self.left -= size
            return text
        prefix = text.encode("utf-8", "surrogatepass")[: self.left].decode("utf-8", "ignore")
        self.left, self.gone = 0, self.gone + len(text) - len(prefix)
        return prefix


def _order(
    messages: list[tuple[Any, ...]], offers: list[tuple[Any, ...]], loader: str
) -> tuple[list[list[int]], bool, list[list[int]]]:
    """Return messages (0, place) and offers (1, place) as they followed each other, and whether that is a guess.

    By the clock where both have times; else by the acts that stand for the offers among the messages (these then need
    not be shown twice); else by the loader's own numbering; else messages first.
    """
    talk, deals = [[0, place] for place in range(len(messages))], [[1, place] for place in range(len(offers))]
    if not messages or not offers:
        return talk + deals, False, []
    # By the clock.
    times = [row[1] for row in (*messages, *offers)]
    if all(time is not None for time in times):
        steps = sorted(zip(times, range(len(times)), strict=True))
        steps_of_all = talk + deals
        return [steps_of_all[place] for _, place in steps], False, []
    # By the kind of act that offers make among the messages: as many, by the same seats in the same order.
    proposers = [offer[2] for offer in offers]
    for act in dict.fromkeys(message[4] for message in messages if message[4]):
        act_places = [place for place, message in enumerate(messages) if message[4] == act]
        if [messages[place][2] for place in act_places] == proposers:
            deal_of_place = dict(zip(act_places, deals, strict=True))
            steps_of_all = []
            for place, step in enumerate(talk):
                steps_of_all += [step, deal_of_place[place]] if place in deal_of_place else [step]
            return steps_of_all, False, [talk[place] for place in act_places if messages[place][3] is None]
    # By the loader's numbers, else as a guess.
    if loader in NUMBERED:
        keyed = [(float(message[0]), step) for message, step in zip(messages, talk, strict=True)]
        keyed += [(NUMBERED[loader](offer[0]), step) for offer, step in zip(offers, deals, strict=True)]
        return [step for _, step in sorted(keyed)], False, []
    return talk + deals, True, []


def _describe_offer(
    items: list[tuple[Any, ...]],
    seats: tuple[str | None, str | None],
    units: tuple[float | None, float | None],
    framing: str | None,
) -> str:
    """Return an offer in words: who would get what, or what would hold for all."""
    by_seat: dict[str | None, list[str]] = defaultdict(list)
    for item, receiver, quantity, option in items:
        if quantity != 0:
            by_seat[receiver].append(f"{item} {option if option is not None else number(quantity)}")
    proposer, responder = seats
    parts = []
    for seat, amounts in by_seat.items():
        what = ", ".join(amounts)
        verb = (
            "" if seat is None else "keeps " if seat == proposer else "gives " if seat == responder else f"to {seat}: "
        )
        parts.append(verb + what)
    if not parts and units != (None, None):
        parts = [
            f"{verb} {number(amount)}"
            for verb, amount in zip(("keeps", "gives"), units, strict=True)
            if amount is not None
        ]
    return "; ".join([*parts, *([f"({framing})"] if framing else [])])


class _Packer:
    """Packs games into chunks, each with the outcome spaces of its games."""

    def __init__(self, spaces: Drawn) -> None:
        self.spaces = spaces
        self._new(0)

    def _new(self, first: int) -> None:
        self.first, self.size = first, 0
        self.texts: list[str] = []
        self.known: dict[int, int] = {}

    def add(self, place: int, game_id: str, game: dict[str, Any]) -> Iterator[Chunk]:
        space = self.spaces.of_game.get(game_id)
        fresh = self.spaces.texts[space] if space is not None and space not in self.known else ""
        text = self._text(space, game)
        if self.texts and (len(self.texts) == GAMES or self.size + len(text) + len(fresh) > BYTES):
            yield from self.rest()
            self._new(place)
            text = self._text(space, game)
        if space is not None:
            self.known.setdefault(space, len(self.known))
        self.texts.append(text)
        self.size += len(text.encode()) + len(fresh)

    def _text(self, space: int | None, game: dict[str, Any]) -> str:
        at = {} if space is None else {"s": self.known.get(space, len(self.known))}
        return embedded_json({**at, **game})

    def rest(self) -> Iterator[Chunk]:
        if self.texts:
            spaces = ",".join(self.spaces.texts[space] for space in self.known)
            yield Chunk(self.first, f'{{"p":[{spaces}],"g":[{",".join(self.texts)}]}}')
            self.texts = []
