"""Guessing from the names of a log's columns, and from what stands in them, which column is what.

The guesses start a mapping file (`suggest` beside this file); they are shown to a person and never used unseen. What
is guessed of a column must also fit its values: a column of words is no number of points, whatever it is called.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pandas as pd

from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.columns import (
    MOST_LEVELS,
    Columns,
    are_amounts,
    are_dicts,
    are_few,
    are_named,
    are_numbers,
    are_talk,
    are_whole,
    words_of,
)
from negstats.loaders.mapping.decisions import are_decisions, naming
from negstats.loaders.mapping.designs import set_open
from negstats.loaders.mapping.issue_columns import ISSUE, PARTS, paired
from negstats.loaders.mapping.keys import quoted
from negstats.loaders.mapping.model import known_as
from negstats.loaders.mapping.sides import Sides, sides_of
from negstats.loaders.mapping.words import FILE, MARK, ROW, english, level_of, levels_of, plain

CODES = (-1, -9, -99, 99, 999, 9999)  # numbers that often mean missing
_MARKERS = {"start", "end", "begin", "finish", "system", "[start]", "[end]", "<start>", "<end>"}  # no seats
_MOSTLY = 0.8  # of the cells
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
    doubts : dict
        For a level, as ``response``, a column of numbers that says by its name which is which.
    evidence : dict
        For a key why that was guessed.
    row_is_game : bool
        Whether each row has columns for both seats of a game.
    """

    row: str = "offer"
    keys: dict[str, object] = field(default_factory=dict)
    levels: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    markers: dict[str, list[str]] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    keep: dict[str, str] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    doubts: dict[str, str] = field(default_factory=dict)
    evidence: dict[str, str] = field(default_factory=dict)
    row_is_game: bool = False

    def without(self, key: str) -> Guess:
        """Return the guess without one key."""
        name = key.rpartition(".")[2]
        keys = {other: value for other, value in self.keys.items() if other != key}
        levels = {level: spelled for level, spelled in self.levels.items() if level != name}
        return replace(self, keys=keys, levels=levels)


_END = r"(?:_?(?:id|nr|no|num|number|code|index|key|name|label))?"

_NO_OFFER = (
    r"(?!num|n_|count|(?:.*_)?(?:accepted|rejected|accept|reject|first|last|final|mean|time|rt|id|min|max)(?:_|$))"
)
# The keys, the names that columns for them often have (the first that fits wins), and what their values must be.
_CASES: list[tuple[str, list[str], Callable[[pd.Series], bool]]] = [
    (
        "players.participant_id",
        [
            rf"(.*_)?(participant|subject|worker|user|prolific|respondent|person|pid){_END}",
            r"(sub|subj|ppt|ppn|ss)(_?(id|nr|no|num|number|code|name|label|key))?",
        ],
        are_named,
    ),
    ("players.role", [r"(.*_)?role"], are_few),
    (
        "players.points",
        [
            r"player_payoff",
            r"points|payoff|score",
            r"(?!.*(?:product|joint|social|recaptcha))(.*_)?(points|payoff|score|earnings|reward)",
        ],
        are_numbers,
    ),
    ("players.batna", [r"(.*_)?(batna|reservation(_value|_point)?)"], are_numbers),
    (
        "games.started_at",
        [r"(.*_)?(started(_at)?|start_time|time_started(_utc)?)"],
        are_talk,
    ),
    ("games.scenario", [r"(.*_)?(scenario|domain(_name|_id)?)"], are_named),
    (
        "games.ended",
        [
            r"(game_)?(ended|outcome|end_reason|result)",
            r"(.*_)?(deal|agreement|agree|agreed)(_?(reached|made|yn|status))?|(reached|made)_(deal|agreement)|impasse",
        ],
        are_few,
    ),
    ("offers.round", [r"(.*_)?(round|turn|step)(_?(number|nr|no|index))?"], are_whole),
    ("offers.time_s", [r"(?!.*duration)(.*_)?(seconds|elapsed(_time)?|time_s|secs?)", r"time(stamp)?"], are_numbers),
    ("offers.proposer", [rf"(.*_)?(proposer|offerer|bidder){_END}", r"from"], are_few),
    ("offers.responder", [rf"(.*_)?(responder|receiver|recipient){_END}", r"to"], are_few),
    (
        "offers.units_to_proposer",
        [r"(.*_)?(to_proposer|keep|kept|demand(ed)?|request(ed)?|own_share|self|mine|unfairness)", r"amount"],
        are_numbers,
    ),
    (
        "offers.units_to_responder",
        [
            rf"{_NO_OFFER}(.*_)?(to_responder|offer(ed)?|propose[ds]?|proposal|give|given|other_share|other|yours)",
            rf"{_NO_OFFER}(offer(ed)?|proposal)_?(size|amount|value|share|money|pct|percent|to_.*)|amount_offered",
        ],
        are_numbers,
    ),
    (
        "offers.total",
        [r"(.*_)?(total|pie|stakes?|endowment|pie_size|sum|pot|budget|amount_to_split|total_amount)"],
        are_numbers,
    ),
    (
        "offers.accept_from",
        [r"(.*_)?(least_acceptable|min(imum)?_accept(able|ed|ance)?|mao|threshold|accept)"],
        are_amounts,
    ),
    ("offers.value_proposer", [r"(.*_)?(value|utility)_proposer", r"proposer_(value|utility)"], are_numbers),
    ("offers.value_responder", [r"(.*_)?(value|utility)_responder", r"responder_(value|utility)"], are_numbers),
    ("offers.items", [r"(.*_)?(bid(_content)?|offer|items|allocation|content|proposal)", r".*"], are_dicts),
    (
        "offers.response",
        [
            r"(.*_)?(response|accepted|decision|choice|answer|agreed)",
            r"(.*_)?(accept(ance|ed)?|rejected|reject(ion)?|reply|resp|choice_made|deal|reaction)(_?(yn|dummy|bin))?",
        ],
        are_few,
    ),
    ("messages.text", [r"(.*_)?(text|message|utterance|sentences?|chat|body)"], are_talk),
]
_CASES_BY = {key: patterns for key, patterns, _ in _CASES}
_NOT_A_GAME = r"(?!.*(?:participant|player|subject|is_|in_group$))"  # participant.id_in_session, id_in_group
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
_ROLE = r"(.*_)?role(_?(name|label))?"
_TRIAL = r"(.*_)?(trial|round|period|turn|question|item)(_?(number|nr|no|num|index|id))?"
_BLOCK = r"(.*_)?(block|session|part|phase|run|task|game|condition|treatment|set|wave|day)(_?(number|nr|no|id))?"


def guess(table: Table, several_files: bool) -> Guess:
    """Return what the columns of `table` seem to be.

    Parameters
    ----------
    table
        A log, or one file of it.
    several_files
        Whether there are more files like it, so that each may be a game of its own.
    """
    columns, mapping_guess = Columns(table), Guess()
    mapping_guess.words = columns.words
    _keep_answers(mapping_guess, columns)
    event = columns.find(_EVENT, _is_event)
    person = columns.find(_CASES[0][1], are_named, take=False)
    sides = None if event else sides_of(_untaken(columns), columns.of, person)
    game: list[str] | dict[str, bool] | None
    if sides and (game := _game_of_both(columns, sides, person, several_files)):
        player = None
        _set_sides(mapping_guess, columns, sides)
    else:
        player = columns.find(_PLAYER, are_named) or columns.find([_CASES[0][1][0]], are_named, take=False)
        player = player or _speaker(columns)
        _leave_markers(mapping_guess, columns, player)
        game = _game(columns, player, several_files)
    if (
        not mapping_guess.row_is_game
        and not event
        and (decided := _decisions(mapping_guess, columns, game, player, several_files))
    ):
        player, game = None, decided
    lone_name = None if game else _find_alone(columns)
    game = game or lone_name
    if (
        isinstance(game, list)
        and MARK in columns.of
        and not any(_is_round(columns.plain.get(name, "")) for name in game)
    ):
        game = [*game, MARK]
    if game:
        mapping_guess.keys["games.game_id"] = game
    if player:
        mapping_guess.keys["players.player"] = player
    if player and event is None and isinstance(game, list):
        asked_column = columns.find(
            _CASES_BY["offers.responder"], are_few, take=False
        )  # a row of who asks whom is an offer
        alike = asked_column is None and columns.repeats(game) and not columns.repeats([*game, player])
        mapping_guess.row = "player" if alike else "offer"
    if event:
        mapping_guess.row, mapping_guess.keys["event"] = "event", event
    elif isinstance(game, list) and not columns.repeats(game) and "players.player" not in mapping_guess.keys:
        mapping_guess.row = "game"
    if player and mapping_guess.row != "player":
        _set_worth(mapping_guess, columns, player)
    if not mapping_guess.row_is_game:
        _set_goods(mapping_guess, columns, player, game)
    if mapping_guess.keep and player:
        mapping_guess.row = "player"  # a survey; who answered twice is left out
    if lone_name or decided_alone(mapping_guess):
        mapping_guess.row = "player"
        if player is None:
            mapping_guess.keys.setdefault("players.player", {"constant": "responder"})
    for key, patterns, fits in _CASES:
        if key in mapping_guess.keys or (mapping_guess.row_is_game and key.startswith("players.")):
            continue
        name = columns.find(patterns, fits, take=False)
        if name and key == "offers.response" and _is_of_game(mapping_guess, columns, name, game):
            continue
        if name and not (key == "games.ended" and isinstance(game, list) and columns.varies([name], game)):
            columns.taken.add(name)
            mapping_guess.keys[key] = name
    if (
        columns.listed
        and "messages.text" not in mapping_guess.keys
        and (text_column := columns.of_elements(_are_utterances))
    ):
        columns.taken.add(text_column)
        mapping_guess.keys["messages.text"] = text_column
    if player and re.fullmatch(_ROLE, columns.plain[player]) and are_few(columns.of[player]):
        mapping_guess.keys.setdefault("players.role", player)
    _set_answer(mapping_guess)
    _set_people(mapping_guess, columns)
    _set_levels(mapping_guess, columns, event)
    _set_proposer(mapping_guess, columns, player, game)
    _set_price(mapping_guess, columns, player)
    _drop_without_amounts(mapping_guess)
    set_open(mapping_guess, columns, game)
    return mapping_guess


def _speaker(columns: Columns) -> str | None:
    """Return the column of a talk's turns that has a few words again and again: who speaks."""

    def are_speakers(values: pd.Series) -> bool:
        words = words_of(values)
        return 2 <= len(words) <= _MOST_SEATS < len(values) and bool(values.notna().mean() > _MOSTLY)

    name = columns.of_elements(are_speakers)
    if name is not None:
        columns.taken.add(name)
    return name


def _are_utterances(values: pd.Series) -> bool:
    """Whether most cells are several words, and different ones."""
    words = values.dropna()
    phrases = words.str.contains(r"\w \w").mean() if len(words) else 0.0
    return bool(words.nunique() > 2 and phrases > _MOSTLY / 2)


def _untaken(columns: Columns) -> dict[str, str]:
    return {name: own for name, own in columns.own.items() if name not in columns.taken}


def decided_alone(found: Guess) -> bool:
    """Whether each row is a decision of a responder whose proposer has no row."""
    return found.keys.get("players.player") == {"constant": "responder"}


def _leave_markers(mapping_guess: Guess, columns: Columns, player: str | None) -> None:
    """Leave out the rows of a column of seats that are no seat's: START, END."""
    if player:
        markers = [word for word in words_of(columns.of[player]) if known_as(word) in _MARKERS]
        if markers and len(markers) < len(words_of(columns.of[player])):
            mapping_guess.markers[player] = markers
            columns.keep(~columns.of[player].isin(markers))


def _game_of_both(columns: Columns, sides: Sides, person: str | None, several_files: bool) -> list[str] | None:
    """Return what names a row that tells of both seats; None if several rows tell of one game, or of no two people."""
    if not (sides.people or sides.goods or any(key.endswith((".points", ".kind")) for key in sides.keys)):
        return None
    own = {name for name in columns.of if name in sides.columns}
    actor = columns.find(_PLAYER, are_few, take=False)
    if actor is not None and actor not in own and not sides.people:
        return None  # a row says who acts in it
    candidates = [name for pattern in _GAME for name, plain in columns.plain.items() if re.fullmatch(pattern, plain)]
    number = columns.find([*_ROUND, _TRIAL], are_whole, take=False)
    names = [[name] for name in candidates if name not in own]
    names += [[session, group] for session in candidates for group in candidates if session != group]
    if person is not None:
        names += [[person], *([[person, number]] if number else [])]
    start = [FILE] if several_files else []
    for columns_of in names:
        if all(columns.of[name].notna().all() for name in columns_of) and not columns.repeats(columns_of):
            columns.taken.update(columns_of)
            return [*start, *columns_of]
    if candidates and not sides.people:
        return None  # several rows a game
    return None if number or candidates else [*start, ROW]


def _set_sides(mapping_guess: Guess, columns: Columns, sides: Sides) -> None:
    """Take the columns of both seats; where they say who gets what, each row holds the deal."""
    mapping_guess.row, mapping_guess.row_is_game = "game", True
    mapping_guess.keys |= sides.keys
    mapping_guess.evidence |= sides.evidence
    columns.taken |= sides.columns
    if sides.goods:
        one, other = sides.seats
        mapping_guess.keys |= {"offers.proposer": {"constant": one}, "offers.responder": {"constant": other}}
        mapping_guess.keys["offers.last_is_deal"] = True
        mapping_guess.evidence["offers.proposer"] = (
            "the log does not say who made the last offer; it is taken as the deal"
        )


def _decisions(
    mapping_guess: Guess, columns: Columns, game: object, player: str | None, several_files: bool
) -> list[str] | None:
    """See whether each row is a decision, a game of its own; return what names it."""
    if any({"proposer", "responder"} <= set(map(known_as, words_of(values))) for values in columns.of.values()):
        return None  # both sides have rows
    if player and not _is_person(columns, player):
        return None
    answer = columns.find(_CASES_BY["offers.response"], _are_answers, take=False)
    amount = columns.find(
        [*_CASES_BY["offers.units_to_responder"], *_CASES_BY["offers.units_to_proposer"]], are_numbers, take=False
    )
    if answer is None or amount is None or amount == answer:
        return None
    game_columns = game if isinstance(game, list) else [FILE] if game else None
    if not are_decisions(
        columns.of[answer], None if game_columns is None else [columns.of[name] for name in game_columns]
    ):
        return None
    person = columns.find(_CASES[0][1], are_named, take=False) or player
    number = columns.find([*_ROUND, _TRIAL], are_whole, take=False)
    blocks = [
        name for name, plain in columns.plain.items() if re.fullmatch(_BLOCK, plain) and are_few(columns.of[name])
    ]
    if person is not None and not columns.repeats([person]):
        number, blocks = None, []
        name_columns = [*([FILE] if several_files else []), person]
        why = f"{person} stands once: each row is a game"
    else:
        naming_of = naming(columns.of, person, number, blocks, columns.repeats, several_files=several_files)
        name_columns, why = naming_of.names, naming_of.why
    for name in game_columns or []:
        columns.taken.discard(name)  # a lab's session is none of its games
    columns.taken |= {name for name in name_columns if name not in blocks} | {answer}
    mapping_guess.keys["players.player"] = {"constant": "responder"}
    mapping_guess.keys["offers.response"] = answer
    mapping_guess.evidence["games.game_id"] = why
    if person is not None:
        columns.taken.add(person)
        mapping_guess.keys["players.participant_id"] = person
    elif several_files:
        mapping_guess.keys["players.participant_id"] = {"file": True}
        mapping_guess.evidence["players.participant_id"] = "each file is taken for a person"
    return name_columns


def _is_person(columns: Columns, name: str) -> bool:
    """Whether a column of seats may as well be one of people: there are more of them than sit in a game."""
    is_id_column = re.fullmatch(_CASES[0][1][0], columns.plain[name]) is not None
    return is_id_column or len(words_of(columns.of[name])) > _MOST_SEATS


def _are_answers(values: pd.Series) -> bool:
    """Whether there are words of acceptance and rejection, or two numbers that may stand for them."""
    words = words_of(values)
    if are_numbers(values):
        return len(words) == 2
    answer_levels = levels_of("response", words) if words else None
    return answer_levels is not None and bool({"accepted", "rejected"} & answer_levels.keys())


def _is_of_game(mapping_guess: Guess, columns: Columns, name: str, game: object) -> bool:
    """Whether a column says the same on all rows of games that have several: it answers no offer."""
    has_several_rows = (
        mapping_guess.row in ("offer", "event", "message") and isinstance(game, list) and columns.repeats(game)
    )
    return has_several_rows and isinstance(game, list) and not columns.varies([name], game)


def _set_answer(mapping_guess: Guess) -> None:
    """Where each row is a game of one offer, what says whether there was agreement is the answer to it."""
    units = {"offers.units_to_responder", "offers.units_to_proposer"} & mapping_guess.keys.keys()
    if (
        mapping_guess.row == "game"
        and units
        and "offers.response" not in mapping_guess.keys
        and "games.ended" in mapping_guess.keys
    ):
        mapping_guess.keys["offers.response"] = mapping_guess.keys.pop("games.ended")


def _set_price(mapping_guess: Guess, columns: Columns, player: str | None) -> None:
    """Give a price that each offer names to the one who sells, where the seats are called so."""
    if mapping_guess.row not in ("offer", "event") or player is None or _has_content(mapping_guess):
        return
    seats = {english(plain(word)): word for word in words_of(columns.of[player])}
    price = columns.find([r"(.*_)?(price|bid|offer|amount)"], are_amounts)
    if price is None or not {"buyer", "seller"} >= seats.keys() or len(seats) != 2:
        return
    mapping_guess.keys[f"seats.{quoted(seats['buyer'])}.role"] = {"constant": "buyer"}
    mapping_guess.keys[f"seats.{quoted(seats['seller'])}.role"] = {"constant": "seller"}
    mapping_guess.keys[f"seats.{quoted(seats['seller'])}.units"] = price


def _has_content(mapping_guess: Guess) -> bool:
    content = ("offers.units", "offers.value", "offers.items", "items.", "item.", "seats.")
    return any(key.startswith(content) for key in mapping_guess.keys)


def _is_round(plain: str) -> bool:
    return any(re.fullmatch(pattern, plain) for pattern in _ROUND)


def _find_alone(columns: Columns) -> list[str] | None:
    """Return person and round where they name each row together: decisions whose partner is not on record."""
    person = columns.find(_CASES[0][1], are_named, take=False)
    number = columns.find([*_ROUND, _TRIAL], are_whole, take=False)
    if person is None or number is None or columns.repeats([person, number]) or not columns.repeats([person]):
        return _find_apart(columns, person, number)
    columns.taken.add(number)
    return [person, number]


def _find_apart(columns: Columns, person: str | None, number: str | None) -> list[str] | None:
    """Return person and round where each person has one row, and a column of roles says that there are two sides."""
    sides = any({"proposer", "responder"} <= set(map(known_as, words_of(values))) for values in columns.of.values())
    if not sides or person is None or number is None or columns.repeats([person, number]):
        return None
    columns.taken.add(number)
    return [person, number]


def _drop_without_amounts(mapping_guess: Guess) -> None:
    """Take back what is of use only beside an offer's units."""
    if any(key.startswith(("items.", "item.")) or ".items." in key for key in mapping_guess.keys):
        mapping_guess.keys.pop("offers.items", None)  # an object whose values have columns of their own
    units = any(key.startswith(("offers.units", "offers.items")) for key in mapping_guess.keys)
    for key in ("offers.total", "offers.accept_from"):
        if not units or (
            key == "offers.accept_from" and (mapping_guess.row != "player" or "offers.response" in mapping_guess.keys)
        ):
            mapping_guess.keys.pop(key, None)


def _keep_answers(mapping_guess: Guess, columns: Columns) -> None:
    """Keep of a survey's rows those that are answers: no previews, nothing unfinished."""
    survey = {"StartDate", "EndDate", "RecordedDate", "ResponseId", "Progress", "DistributionChannel"}
    if not survey & columns.of.keys() or not {"Status", "Finished"} & columns.of.keys():
        return
    for name, counts, values in (("Status", _is_answer, "{{ not = {} }}"), ("Finished", _is_whole, "{}")):
        if name not in columns.of:
            continue
        words = words_of(columns.of[name])
        whole_answers = [word for word in words if counts(word)]
        if whole_answers and len(whole_answers) < len(words):
            condition_words = (
                whole_answers if name == "Finished" else [word for word in words if word not in whole_answers]
            )
            mapping_guess.keep[name] = values.format(json.dumps(condition_words, ensure_ascii=False))
            columns.keep(columns.of[name].isin(whole_answers))


def _is_answer(word: str) -> bool:
    return known_as(word) in ("0", "ip address", "ip-adresse")


def _is_whole(word: str) -> bool:
    return known_as(word) in ("1", "true")


def _is_event(values: pd.Series) -> bool:
    """Whether some rows are offers and some are answers, by their words."""
    event_levels = {level_of("event", word) for word in words_of(values)} if are_few(values) else set()
    return "offer" in event_levels and not event_levels.isdisjoint({"accept", "reject"})


def _game(columns: Columns, player: str | None, several_files: bool) -> list[str] | dict[str, bool] | None:
    """Return the columns that name the game together; or that it is the file; or None."""

    def complete(values: pd.Series) -> bool:
        return bool(values.notna().all())

    own, group, session = (columns.find([pattern], complete) for pattern in _GAME)
    if own:
        return [own]
    if group and session:
        # As oTree numbers them: groups anew in each round, so that only with it each player is there once.
        # A log may have several rounds, such as the one in which a person is now.
        rounds = [name for name, own in columns.plain.items() if any(re.fullmatch(one, own) for one in _ROUND)]
        for round_column in (name for name in rounds if name not in columns.taken and complete(columns.of[name])):
            if player and _is_anew(columns, [session, group], round_column, player):
                columns.taken.add(round_column)
                return [session, round_column, group]
        return [session, group]
    if several_files and not group:
        return {"file": True}
    id_column = group or session
    if id_column is None and columns.listed:
        id_columns = [
            name for name, own in columns.plain.items() if re.fullmatch(r"key|id|.*_id|file(name)?|index", own)
        ]
        outer = [name for name in id_columns if not columns.is_inside(name) and complete(columns.of[name])]
        id_column = outer[0] if outer else None
        columns.taken.update(outer[:1])
    if id_column is None and columns.of[ROW].duplicated().any():
        return [ROW]  # the elements of a list that stands in one row
    return [id_column] if id_column else None


def _is_anew(columns: Columns, group: list[str], number: str, player: str) -> bool:
    """Whether each round's groups are others: each player is there once a round, or each round has other players.

    A round in which one player acts is a turn, and tells nothing.
    """
    names = [*group, number, player]
    frame = pd.DataFrame({name: columns.of[name].fillna("") for name in dict.fromkeys(names)})
    if frame.shape[1] < len(names):
        return False
    players_by_group, by_round = (
        frame.groupby(group)[player].nunique(),
        frame.groupby([*group, number])[player].nunique(),
    )
    if by_round.max() < 2 <= players_by_group.median():
        return False
    if columns.names_once(names, not_without=number):
        return True
    return bool(by_round.median() >= 2 and players_by_group.median() > by_round.max())


def _set_worth(mapping_guess: Guess, columns: Columns, player: str) -> None:
    """Find for each seat the column of numbers that says what a row's offer is worth to it: AgentAUtility for A."""
    seats = words_of(columns.of[player])
    worth = {seat: columns.worths(seat) for seat in seats if len(seats) <= MOST_LEVELS}
    if worth and all(len(names) == 1 for names in worth.values()):
        for seat, names in worth.items():
            mapping_guess.keys[f"seats.{quoted(seat)}.value"] = names[0]
            columns.taken.add(names[0])


def _set_goods(mapping_guess: Guess, columns: Columns, player: str | None, game: object) -> None:
    """Find what offers are made of: a row an issue, or a column for each issue and side."""
    if (
        mapping_guess.row == "offer"
        and player
        and isinstance(game, list)
        and _set_issue(mapping_guess, columns, player, game)
    ):
        return
    if mapping_guess.row == "message":
        return
    numbers = {
        name: own for name, own in columns.own.items() if name not in columns.taken and are_numbers(columns.of[name])
    }
    seats = {plain(word): word for word in words_of(columns.of[player])} if player else {}
    for issue, sides in paired(numbers, seats if len(seats) <= _MOST_SEATS else ()).items():
        for side, name in sides.items():
            key = f"seats.{quoted(seats[side])}.items.{issue}" if side in seats else f"items.{issue}.to_{side}"
            mapping_guess.keys[key] = name
            columns.taken.add(name)


def _set_issue(mapping_guess: Guess, columns: Columns, player: str, game: list[str]) -> bool:
    """See whether a row is one issue of an offer: several rows agree on the game, its round and who offers."""
    rounds = columns.find(_CASES_BY["offers.round"], are_whole, take=False)
    turn_columns = [*game, player, *([rounds] if rounds and rounds not in game else [])]
    issue = columns.find(ISSUE, are_talk, take=False)
    if issue is None or not columns.repeats(turn_columns) or columns.repeats([*turn_columns, issue]):
        return False
    fits = {"item.to_proposer": are_numbers, "item.to_responder": are_numbers, "item.option": are_few}
    columns.taken.add(issue)
    parts = {key: name for key, names in PARTS.items() if (name := columns.find(names, fits[key]))}
    if not parts:
        columns.taken.discard(issue)
        return False
    mapping_guess.row = "item"
    mapping_guess.keys |= {"item.name": issue} | parts
    return True


def _set_people(mapping_guess: Guess, columns: Columns) -> None:
    """Where a session holds many people, each has one of its games: with an agent, as a rule."""
    game, person = mapping_guess.keys.get("games.game_id"), mapping_guess.keys.get("players.participant_id")
    if isinstance(game, list) and isinstance(person, str) and person not in game:
        pairs = pd.DataFrame({name: columns.of[name] for name in [*game, person]}).drop_duplicates()
        if pairs.groupby(game).size().max() > _MOST_SEATS:
            mapping_guess.keys["games.game_id"] = [person, *game]


def _set_levels(mapping_guess: Guess, columns: Columns, event: str | None) -> None:
    """Find how levels are spelled; a column with words that stand for no level is not that column."""
    player = mapping_guess.keys.get("players.player")
    if isinstance(player, str) and all(level_of("kind", word) for word in words_of(columns.of[player])):
        mapping_guess.keys["players.kind"] = player
    for key in ("offers.response", "games.ended", "players.kind", "event"):
        name, level = mapping_guess.keys.get(key), key.rpartition(".")[2]
        if not isinstance(name, str):
            continue
        if _is_coded(key, name, columns):
            del mapping_guess.keys[key]
            mapping_guess.questions[key] = name
            continue
        spelled = levels_of(level, words_of(columns.of[name]), "ignore" if event and key == "event" else None)
        if spelled is None:
            del mapping_guess.keys[key]
        else:
            mapping_guess.levels[level] = spelled
        if spelled and are_numbers(columns.of[name]):
            mapping_guess.doubts[level] = name


# What a column of 0 and 1 may be called that says by its name what 1 means.
_NAMES_THE_LEVEL = {
    "offers.response": r"(.*_)?(accept(ed|ance)?|agreed)",
    "games.ended": r"(.*_)?(agree|agreed|agreement|deal)(_?(reached|made))?|(reached|made)_(deal|agreement)",
}


def _is_coded(key: str, name: str, columns: Columns) -> bool:
    """Whether a column holds codes that may mean one thing or the other: 1 is a rejection in some logs."""
    if key not in _NAMES_THE_LEVEL or not are_numbers(columns.of[name]):
        return False
    zero_or_one = set(pd.to_numeric(columns.of[name].dropna())) <= {0, 1}
    return not (zero_or_one and re.fullmatch(_NAMES_THE_LEVEL[key], columns.plain[name]))


def _set_proposer(mapping_guess: Guess, columns: Columns, player: str | None, game: object) -> None:
    """See who offers; without anybody who does there are no offers."""
    offers = [key for key in mapping_guess.keys if key.startswith("offers.")]
    if mapping_guess.row == "player" and player and isinstance(game, list):
        offer_columns = [str(mapping_guess.keys[key]) for key in offers]
        if offer_columns and not columns.varies(offer_columns, game):  # the group's columns: one of its seats offers
            mapping_guess.keys["offers.proposer"] = {"constant": min(words_of(columns.of[player]))}
    elif mapping_guess.keys.get("players.player") == {"constant": "responder"}:
        mapping_guess.keys["offers.proposer"] = {"constant": "proposer"}
    elif (
        "offers.proposer" not in mapping_guess.keys
        and mapping_guess.row == "game"
        and {"offers.units_to_responder", "offers.units_to_proposer"} & set(offers)
    ):
        mapping_guess.keys["offers.proposer"] = {
            "constant": "proposer"
        }  # one offer a game: who made it needs no column
        mapping_guess.keys.setdefault("offers.responder", {"constant": "responder"})
    elif "offers.proposer" not in mapping_guess.keys and (mapping_guess.row == "game" or not player):
        for key in offers:
            del mapping_guess.keys[key]
    content = any(
        key.startswith(("offers.units", "offers.value", "offers.items", "items.", "item.", "seats."))
        for key in mapping_guess.keys
    )
    if mapping_guess.row == "offer" and "messages.text" in mapping_guess.keys and not content:
        mapping_guess.row = "message"
        for key in offers:
            mapping_guess.keys.pop(key, None)
