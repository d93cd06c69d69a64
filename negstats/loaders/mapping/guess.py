"""Guessing from the names of a log's columns, and from what stands in them, which column is what.

The guesses start a mapping file (`suggest` beside this file); they are shown to a person and never used unseen. What
is guessed of a column must also fit its values: a column of words is no number of points, whatever it is called.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from negstats.errors import LogError
from negstats.loaders.files.intake import literal
from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.issue_columns import ISSUE, PARTS, paired
from negstats.loaders.mapping.model import NUMBER, known_as
from negstats.loaders.mapping.repeated import MARK
from negstats.tables import TABLES

__all__ = ["CODES", "Guess", "guess", "quoted", "text"]

MISSING_WORDS = {"na", "n/a", "null", "none", ".", "-", "nan"}  # in a column of numbers
CODES = (-1, -9, -99, 99, 999, 9999)  # numbers that often mean missing
_MOST_LEVELS = 12  # a column with more different words than this is no set of levels
_MARKERS = {"start", "end", "begin", "finish", "system", "[start]", "[end]", "<start>", "<end>"}  # no seats
_MOST_SEATS = 8  # more people than this do not sit in one game


@dataclass(slots=True)
class Guess:
    """What a log seems to be.

    Attributes
    ----------
    row : str
        What one row is.
    keys : dict of str to object
        For each key of the mapping, as ``offers.round``, what would stand behind it.
    levels : dict
        For each levelled key the spellings of each level.
    markers : dict
        For a column of seats the words in it that are none: START, END.
    words : dict
        For a column of numbers the words in it that mean missing: NA, none.
    keep : dict
        For a platform's own columns the values of the rows that count.
    questions : dict
        For a levelled key, as ``offers.response``, a column of numbers that may be coded either way: 0 and 1.
    """

    row: str = "offer"
    keys: dict[str, object] = field(default_factory=dict)
    levels: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    markers: dict[str, list[str]] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    keep: dict[str, str] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)

    def without(self, key: str) -> Guess:
        """Return the guess without one key."""
        name = key.rpartition(".")[2]
        keys = {other: value for other, value in self.keys.items() if other != key}
        levels = {level: spelled for level, spelled in self.levels.items() if level != name}
        return replace(self, keys=keys, levels=levels)


# How levels are often spelled.
_SPELLINGS: dict[str, dict[str, str]] = {
    "response": {
        "accepted": "accepted accept agreed agree agreement acceptance yes true 1 deal",
        "rejected": "rejected reject declined decline refused refuse no false 0 rejection",
        "superseded": "superseded countered counter counteroffer counter-offer",
        "none": "none pending open waiting -",
    },
    "event": {
        "offer": "offer bid propose proposal proposed counteroffer counter-offer submit-deal make_offer send_offer",
        "accept": "accept accepted accept-deal agree acceptance accept_offer",
        "reject": "reject rejected reject-deal decline declined refuse reject_offer",
        "message": "message chat utterance text say msg",
        "walkaway": "walkaway walk-away walk_away quit leave end endnegotiation exit",
        "timeout": "timeout time-out timed_out timedout deadline",
        "disconnect": "disconnect disconnected",
    },
    "kind": {"human": "human person participant people", "agent": "agent bot robot ai computer machine virtual"},
    "ended": {
        "agreement": "agreement agreed deal accepted acceptance yes true 1",
        "walkaway": "walkaway walk-away no_deal nodeal disagreement failed no false 0",
        "timeout": "timeout timedout time-out timed_out",
        "disconnect": "disconnect disconnected error",
    },
}


def _words(values: pd.Series) -> list[str]:
    return list(dict.fromkeys(values.dropna()))


def _numbers(values: pd.Series) -> bool:
    given = values.dropna().str.strip()
    return len(given) > 0 and bool(given.str.fullmatch(NUMBER).all())


def _amounts(values: pd.Series) -> bool:
    """Whether there are numbers that are more than yes and no."""
    return _numbers(values) and not set(pd.to_numeric(values.dropna())) <= {0, 1}


def _whole(values: pd.Series) -> bool:
    return _numbers(values) and bool((pd.to_numeric(values.dropna()) % 1 == 0).all())


def _named(values: pd.Series) -> bool:
    """Whether there are values at all."""
    return bool(values.notna().any())


def _talk(values: pd.Series) -> bool:
    return _named(values) and not _numbers(values)


def _few(values: pd.Series) -> bool:
    return 0 < len(_words(values)) <= _MOST_LEVELS


def _dicts(values: pd.Series) -> bool:
    """Whether each value is a dict of names and values."""
    given = _words(values)
    try:
        return bool(given) and all(_is_dict(text) for text in given)
    except LogError:
        return False


def _is_dict(text: str) -> bool:
    return bool(literal(text, file=Path(), row=0, column=""))


_END = r"(?:_?(?:id|nr|no|num|number|code|index|key|name|label))?"

# The keys, the names that columns for them often have (the first that fits wins), and what their values must be.
_CASES: list[tuple[str, list[str], Callable[[pd.Series], bool]]] = [
    (
        "players.participant_id",
        [rf"(.*_)?(participant|subject|worker|user|prolific|respondent|person|pid){_END}", r"sub|subj"],
        _named,
    ),
    ("players.role", [r"(.*_)?role"], _few),
    (
        "players.points",
        [
            r"player_payoff",
            r"points|payoff|score",
            r"(?!.*(?:product|joint|social|recaptcha))(.*_)?(points|payoff|score|earnings|reward)",
        ],
        _numbers,
    ),
    ("players.batna", [r"(.*_)?(batna|reservation(_value|_point)?)"], _numbers),
    (
        "games.started_at",
        [r"(.*_)?(started(_at)?|start_time|time_started(_utc)?)"],
        _talk,
    ),
    ("games.scenario", [r"(.*_)?(scenario|domain(_name|_id)?)"], _named),
    ("games.ended", [r"(game_)?(ended|outcome|end_reason|result)"], _few),
    ("offers.round", [r"(.*_)?(round|turn|step)(_?(number|nr|no|index))?"], _whole),
    ("offers.time_s", [r"(?!.*duration)(.*_)?(seconds|elapsed(_time)?|time_s|secs?)", r"time(stamp)?"], _numbers),
    ("offers.proposer", [rf"(.*_)?(proposer|offerer|bidder){_END}", r"from"], _few),
    ("offers.responder", [rf"(.*_)?(responder|receiver|recipient){_END}", r"to"], _few),
    (
        "offers.units_to_proposer",
        [r"(.*_)?(to_proposer|keep|kept|demand|request|own_share|self|mine)", r"amount"],
        _numbers,
    ),
    (
        "offers.units_to_responder",
        [r"(?!num|n_|count)(.*_)?(to_responder|offer(ed)?|propose[ds]?|give|given|other_share|other|yours)"],
        _numbers,
    ),
    ("offers.total", [r"(.*_)?(total|pie|stake|endowment)"], _numbers),
    (
        "offers.accept_from",
        [r"(.*_)?(least_acceptable|min(imum)?_accept(able|ed|ance)?|mao|threshold|accept)"],
        _amounts,
    ),
    ("offers.value_proposer", [r"(.*_)?(value|utility)_proposer", r"proposer_(value|utility)"], _numbers),
    ("offers.value_responder", [r"(.*_)?(value|utility)_responder", r"responder_(value|utility)"], _numbers),
    ("offers.items", [r"(.*_)?(bid(_content)?|offer|items|allocation|content|proposal)", r".*"], _dicts),
    ("offers.response", [r"(.*_)?(response|accepted|decision|choice|answer|agreed)"], _few),
    ("messages.text", [r"(.*_)?(text|message|utterance|sentences?|chat|body)"], _talk),
]
_CASES_BY = {key: patterns for key, patterns, _ in _CASES}
_NOT_A_GAME = r"(?!.*(?:participant|player|subject|is_))"  # participant.id_in_session, player.id_in_group
_GAME = [
    rf"{_NOT_A_GAME}(.*_)?(game|negotiation|dyad|match|pair|dialog(ue)?|conversation|episode|bargaining){_END}",
    rf"{_NOT_A_GAME}(.*_)?group(_id_in_subsession)?{_END}",
    rf"{_NOT_A_GAME}(.*_)?session{_END}",
]
_ROUND = [r"(.*_)?round(_?(number|nr|no))?"]
_PLAYER = [
    rf"(.*_)?(id_in_group|seat|player|bidder|who|negotiator|speaker|sender|side|party|actor){_END}",
    rf"(.*_)?(agent|proposer|role){_END}",
]
_EVENT = [r"(.*_)?(action|event|act|type|event_type|move)"]
_FACTOR = r"(.*_)?(condition|treatment|cond|country|culture|framing|reward|gender_pair|arm)"
_PERSON = r"(.*_)?(age|gender|sex|education|nationality|native_language)"
_ANSWER = r"(.*_)?(satisfaction|likeness|likeability|comments?|feedback|fairness|trust|svo|rating|q\d+)"
_MEASURE = (
    r"(.*_)?(joint|total|social|nash|pareto|product|welfare|surplus|duration|elapsed|seconds|minutes|ms|length|turns?|"
    r"offers|messages|words|count|distance|rate|share|ratio|time|price|pie|stake|satisfaction|fairness|trust|rapport)(_.*)?"
)
_WORTH = {"utility", "value", "points", "payoff", "score", "u", "util"}


def _plain(name: str) -> str:
    """Return a column's name in lower case with _ between its words: ``AgentAUtility`` is ``agent_a_utility``."""
    stem = name if name == MARK else name.replace(MARK, "_")
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", stem)
    return re.sub(r"[^a-z0-9]+", "_", apart.lower()).strip("_")


class _Columns:
    """The columns of a log, by their plain names; each is taken once."""

    def __init__(self, table: Table) -> None:
        self.of = {name: table.column(name) for name in table.names}
        self.words: dict[str, list[str]] = {}
        for name, values in self.of.items():
            self._without_words(name, values)
        self.plain = {name: _plain(name) for name in table.names}
        self.taken: set[str] = set()

    def _without_words(self, name: str, values: pd.Series) -> None:
        """Take words that mean missing out of a column that holds numbers besides."""
        if not values.notna().any() or _numbers(values):
            return
        gone = values.str.strip().str.lower().isin(MISSING_WORDS)
        if gone.any() and _numbers(values[~gone]):
            self.words[name] = sorted(set(values[gone].str.strip()))
            self.of[name] = values.mask(gone)

    def keep(self, rows: pd.Series) -> None:
        """Look at some rows only."""
        self.of = {name: values[rows].reset_index(drop=True) for name, values in self.of.items()}

    def find(self, patterns: Iterable[str], fits: Callable[[pd.Series], bool], *, take: bool = True) -> str | None:
        """Return the first column that is named so and fits, and is not taken."""
        for pattern in patterns:
            for name, plain in self.plain.items():
                if name not in self.taken and re.fullmatch(pattern, plain) and fits(self.of[name]):
                    if take:
                        self.taken.add(name)
                    return name
        return None

    def worths(self, seat: str) -> list[str]:
        """Return the columns of numbers that are named after a seat and a worth."""
        words = set(_plain(seat).split("_"))
        return [
            name
            for name, plain in self.plain.items()
            if name not in self.taken
            and words <= set(plain.split("_"))
            and not _WORTH.isdisjoint(plain.split("_"))
            and _numbers(self.of[name])
        ]

    def varies(self, names: list[str], within: list[str]) -> bool:
        """Whether rows that agree on `within` differ in any of `names`."""
        frame = pd.DataFrame({name: self.of[name].fillna("") for name in [*names, *within]})
        return bool(frame.drop_duplicates().duplicated(within).any())

    def names_once(self, names: list[str], not_without: str) -> bool:
        """Whether `names` together tell all rows apart, but not without one of them."""
        return not self.repeats(names) and self.repeats([name for name in names if name != not_without])

    def repeats(self, names: list[str]) -> bool:
        """Whether two rows agree on all of `names`."""
        return bool(pd.DataFrame({name: self.of[name].fillna("") for name in names}).duplicated().any())


def guess(table: Table, several_files: bool) -> Guess:
    """Return what the columns of `table` seem to be.

    Parameters
    ----------
    table
        A log, or one file of it.
    several_files
        Whether there are more files like it, so that each may be a game of its own.
    """
    columns, found = _Columns(table), Guess()
    found.words = columns.words
    _keep_answers(found, columns)
    event = columns.find(_EVENT, _is_event)
    player = columns.find(_PLAYER, _named) or columns.find([_CASES[0][1][0]], _named, take=False)
    if player:
        markers = [word for word in _words(columns.of[player]) if known_as(word) in _MARKERS]
        if markers and len(markers) < len(_words(columns.of[player])):
            found.markers[player] = markers
            columns.keep(~columns.of[player].isin(markers))
    game = _game(columns, player, several_files)
    alone = None if game else _alone(columns)
    game = game or alone
    if isinstance(game, list) and MARK in columns.of and not any(_is_round(columns.plain[name]) for name in game):
        game = [*game, MARK]
    if game:
        found.keys["games.game_id"] = game
    if player:
        found.keys["players.player"] = player
    if player and event is None and isinstance(game, list):
        asked = columns.find(_CASES_BY["offers.responder"], _few, take=False)  # a row of who asks whom is an offer
        alike = asked is None and columns.repeats(game) and not columns.repeats([*game, player])
        found.row = "player" if alike else "offer"
    if event:
        found.row, found.keys["event"] = "event", event
    elif isinstance(game, list) and not columns.repeats(game):
        found.row = "game"
    if player and found.row != "player":
        _set_worth(found, columns, player)
    _set_goods(found, columns, player, game)
    if found.keep and player:
        found.row = "player"  # a survey; who answered twice is left out
    if alone:
        found.row = "player"
        if player is None:
            found.keys["players.player"] = {"constant": "responder"}
    for key, patterns, fits in _CASES:
        name = columns.find(patterns, fits)
        if name:
            found.keys[key] = name
    _set_people(found, columns)
    _set_levels(found, columns, event)
    _set_proposer(found, columns, player, game)
    _without_amounts(found)
    _set_open(found, columns, game)
    return found


def _is_round(plain: str) -> bool:
    return any(re.fullmatch(pattern, plain) for pattern in _ROUND)


def _alone(columns: _Columns) -> list[str] | None:
    """Return person and round where they name each row together: decisions whose partner is not on record."""
    person = columns.find(_CASES[0][1], _named, take=False)
    number = columns.find([*_ROUND, r"(.*_)?trial(_?(number|nr|no|index))?"], _whole, take=False)
    if person is None or number is None or columns.repeats([person, number]) or not columns.repeats([person]):
        return _apart(columns, person, number)
    columns.taken.add(number)
    return [person, number]


def _apart(columns: _Columns, person: str | None, number: str | None) -> list[str] | None:
    """Return person and round where each person has one row, and a column of roles says that there are two sides."""
    sides = any({"proposer", "responder"} <= set(map(known_as, _words(values))) for values in columns.of.values())
    if not sides or person is None or number is None or columns.repeats([person, number]):
        return None
    columns.taken.add(number)
    return [person, number]


def _without_amounts(found: Guess) -> None:
    """Take back what is of use only beside an offer's units."""
    if any(key.startswith(("items.", "item.")) or ".items." in key for key in found.keys):
        found.keys.pop("offers.items", None)  # an object whose values have columns of their own
    units = any(key.startswith(("offers.units", "offers.items")) for key in found.keys)
    for key in ("offers.total", "offers.accept_from"):
        if not units or (key == "offers.accept_from" and (found.row != "player" or "offers.response" in found.keys)):
            found.keys.pop(key, None)


def _keep_answers(found: Guess, columns: _Columns) -> None:
    """Keep of a survey's rows those that are answers: no previews, nothing unfinished."""
    survey = {"StartDate", "EndDate", "RecordedDate", "ResponseId", "Progress", "DistributionChannel"}
    if not survey & columns.of.keys() or not {"Status", "Finished"} & columns.of.keys():
        return
    for name, counts, values in (("Status", _is_answer, "{{ not = {} }}"), ("Finished", _is_whole, "{}")):
        if name not in columns.of:
            continue
        words = _words(columns.of[name])
        kept = [word for word in words if counts(word)]
        if kept and len(kept) < len(words):
            listed = kept if name == "Finished" else [word for word in words if word not in kept]
            found.keep[name] = values.format(json.dumps(listed, ensure_ascii=False))
            columns.keep(columns.of[name].isin(kept))


def _is_answer(word: str) -> bool:
    return known_as(word) in ("0", "ip address", "ip-adresse")


def _is_whole(word: str) -> bool:
    return known_as(word) in ("1", "true")


def _is_event(values: pd.Series) -> bool:
    """Whether some rows are offers and some are answers, by their words."""
    known = {_spelled("event", word) for word in _words(values)} if _few(values) else set()
    return "offer" in known and not known.isdisjoint({"accept", "reject"})


def _spelled(name: str, word: str) -> str | None:
    plain = known_as(word)
    forms = {plain, plain.replace(" ", "_"), plain.replace(" ", "-")}
    return next((level for level, words in _SPELLINGS[name].items() if forms & set(words.split())), None)


def _game(columns: _Columns, player: str | None, several_files: bool) -> list[str] | dict[str, bool] | None:
    """Return the columns that name the game together; or that it is the file; or None."""

    def complete(values: pd.Series) -> bool:
        return bool(values.notna().all())

    own, group, session = (columns.find([pattern], complete) for pattern in _GAME)
    if own:
        return [own]
    if group and session:
        # As oTree numbers them: groups anew in each round, so that only with it each player is there once.
        numbered = columns.find(_ROUND, complete, take=False)
        if numbered and player and columns.names_once([session, numbered, group, player], not_without=numbered):
            columns.taken.add(numbered)
            return [session, numbered, group]
        return [session, group]
    if several_files and not group:
        return {"file": True}
    alone = group or session
    return [alone] if alone else None


def _set_worth(found: Guess, columns: _Columns, player: str) -> None:
    """Find for each seat the column of numbers that says what a row's offer is worth to it: AgentAUtility for A."""
    seats = _words(columns.of[player])
    worth = {seat: columns.worths(seat) for seat in seats if len(seats) <= _MOST_LEVELS}
    if worth and all(len(names) == 1 for names in worth.values()):
        for seat, names in worth.items():
            found.keys[f"seats.{quoted(seat)}.value"] = names[0]
            columns.taken.add(names[0])


def _set_goods(found: Guess, columns: _Columns, player: str | None, game: object) -> None:
    """Find what offers are made of: a row an issue, or a column for each issue and side."""
    if found.row == "offer" and player and isinstance(game, list) and _set_issue(found, columns, player, game):
        return
    if found.row == "message":
        return
    numbers = {
        name: plain for name, plain in columns.plain.items() if name not in columns.taken and _numbers(columns.of[name])
    }
    seats = {_plain(word): word for word in _words(columns.of[player])} if player else {}
    for issue, sides in paired(numbers, seats if len(seats) <= _MOST_SEATS else ()).items():
        for side, name in sides.items():
            key = f"seats.{quoted(seats[side])}.items.{issue}" if side in seats else f"items.{issue}.to_{side}"
            found.keys[key] = name
            columns.taken.add(name)


def _set_issue(found: Guess, columns: _Columns, player: str, game: list[str]) -> bool:
    """See whether a row is one issue of an offer: several rows agree on the game, its round and who offers."""
    rounds = columns.find(_CASES_BY["offers.round"], _whole, take=False)
    within = [*game, player, *([rounds] if rounds and rounds not in game else [])]
    issue = columns.find(ISSUE, _talk, take=False)
    if issue is None or not columns.repeats(within) or columns.repeats([*within, issue]):
        return False
    fits = {"item.to_proposer": _numbers, "item.to_responder": _numbers, "item.option": _few}
    columns.taken.add(issue)
    parts = {key: name for key, names in PARTS.items() if (name := columns.find(names, fits[key]))}
    if not parts:
        columns.taken.discard(issue)
        return False
    found.row = "item"
    found.keys |= {"item.name": issue} | parts
    return True


def _set_people(found: Guess, columns: _Columns) -> None:
    """Where a session holds many people, each has one of its games: with an agent, as a rule."""
    game, person = found.keys.get("games.game_id"), found.keys.get("players.participant_id")
    if isinstance(game, list) and isinstance(person, str) and person not in game:
        pairs = pd.DataFrame({name: columns.of[name] for name in [*game, person]}).drop_duplicates()
        if pairs.groupby(game).size().max() > _MOST_SEATS:
            found.keys["games.game_id"] = [person, *game]


def _set_levels(found: Guess, columns: _Columns, event: str | None) -> None:
    """Find how levels are spelled; a column with words that stand for no level is not that column."""
    player = found.keys.get("players.player")
    if isinstance(player, str) and all(_spelled("kind", word) for word in _words(columns.of[player])):
        found.keys["players.kind"] = player
    for key in ("offers.response", "games.ended", "players.kind", "event"):
        name, level = found.keys.get(key), key.rpartition(".")[2]
        if not isinstance(name, str):
            continue
        if _coded(key, name, columns):
            del found.keys[key]
            found.questions[key] = name
            continue
        spelled: dict[str, list[str]] = {}
        for word in _words(columns.of[name]):
            meant = _spelled(level, word) or ("ignore" if event and key == "event" else None)
            if meant is None:
                del found.keys[key]
                break
            spelled.setdefault(meant, []).append(word)
        else:
            found.levels[level] = spelled


# What a column of 0 and 1 may be called that says by its name what 1 means.
_NAMES_THE_LEVEL = {"offers.response": r"(.*_)?(accept(ed|ance)?|agreed)", "games.ended": r"(.*_)?(agreed|agreement)"}


def _coded(key: str, name: str, columns: _Columns) -> bool:
    """Whether a column holds codes that may mean one thing or the other: 1 is a rejection in some logs."""
    if key not in _NAMES_THE_LEVEL or not _numbers(columns.of[name]):
        return False
    zero_or_one = set(pd.to_numeric(columns.of[name].dropna())) <= {0, 1}
    return not (zero_or_one and re.fullmatch(_NAMES_THE_LEVEL[key], columns.plain[name]))


def _set_proposer(found: Guess, columns: _Columns, player: str | None, game: object) -> None:
    """See who offers; without anybody who does there are no offers."""
    offers = [key for key in found.keys if key.startswith("offers.")]
    if found.row == "player" and player and isinstance(game, list):
        repeated = [str(found.keys[key]) for key in offers]
        if repeated and not columns.varies(repeated, game):  # the group's columns: one of its seats offers
            found.keys["offers.proposer"] = {"constant": min(_words(columns.of[player]))}
    elif found.keys.get("players.player") == {"constant": "responder"}:
        found.keys["offers.proposer"] = {"constant": "proposer"}
    elif (
        "offers.proposer" not in found.keys
        and found.row == "game"
        and {"offers.units_to_responder", "offers.units_to_proposer"} & set(offers)
    ):
        found.keys["offers.proposer"] = {"constant": "proposer"}  # one offer a game: who made it needs no column
        found.keys.setdefault("offers.responder", {"constant": "responder"})
    elif "offers.proposer" not in found.keys and (found.row == "game" or not player):
        for key in offers:
            del found.keys[key]
    content = any(
        key.startswith(("offers.units", "offers.value", "offers.items", "items.", "item.", "seats."))
        for key in found.keys
    )
    if found.row == "offer" and "messages.text" in found.keys and not content:
        found.row = "message"
        for key in offers:
            found.keys.pop(key, None)


def _set_open(found: Guess, columns: _Columns, game: object) -> None:
    """Find factors and measures, which are the same throughout a game, and questions of a survey."""
    for name, plain in columns.plain.items():
        if name in columns.taken:
            continue
        key = quoted(name.rpartition(".")[2])
        if re.fullmatch(_FACTOR, plain) and _few(columns.of[name]):
            if not isinstance(game, list) or not columns.varies([name], game):
                found.keys[f"factors.{key}"] = name
        elif "players.participant_id" in found.keys and (
            re.fullmatch(f"{_PERSON}|{_ANSWER}", plain) or _is_item(name, columns)
        ):
            if columns.of[name].notna().any():
                section = "person" if re.fullmatch(_PERSON, plain) else "answers"
                found.keys[f"{section}.{key}"] = name
        elif isinstance(game, list) and _is_measure(name, columns, game) and key not in TABLES["games"].names:
            found.keys[f"measures.{key}"] = name


def _is_item(name: str, columns: _Columns) -> bool:
    """Whether a column is one of at least three items of a scale: SVI_1, SVI_2, ..."""
    item = re.fullmatch(r"([A-Za-z]{2,12})_?\d{1,3}", name)
    if not item or not _few(columns.of[name]) or not _numbers(columns.of[name]):
        return False
    alike = [other for other in columns.of if re.fullmatch(re.escape(item[1]) + r"_?\d{1,3}", other)]
    return len(alike) >= 3 and "round" not in item[1].lower()


def _is_measure(name: str, columns: _Columns, game: list[str]) -> bool:
    """Whether a column of numbers is named like a measure and the same throughout each game."""
    named = re.fullmatch(_MEASURE, columns.plain[name]) is not None
    return named and _numbers(columns.of[name]) and not columns.varies([name], game)


def quoted(key: str) -> str:
    """Return a key as TOML wants it."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else text(key)


def text(value: str) -> str:
    """Return a text as TOML wants it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
