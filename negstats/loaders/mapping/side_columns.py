"""Columns of several seats in one row: two sides that differ in a word, or the shares of three and more."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from negstats.loaders.mapping.draft_state import DraftState
from negstats.loaders.mapping.lexicon import are_few, are_numbers, may_be_codes
from negstats.loaders.mapping.words import ROW, english, plain
from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.families import (
    OWN_STEMS,
    ROLES,
    Family,
    are_crossed,
    are_programs,
    group_by_seat,
    has_one_sum,
    name_people,
    pair_families,
)
from negstats.loaders.reading.spellings import levels_of
from negstats.loaders.reading.words import is_named
from negstats.toml_text import key as quoted

_HUMAN, _AGENT = {"human", "user", "person", "h"}, {"agent", "bot", "ai", "computer"}
_DIVIDED, _FEWEST_ROWS, _FEWEST_SHARES = 0.6, 12, 4  # of the rows end with a deal, rows, and different shares
_WORTH = {"value", "values", "worth", "weight", "weights", "importance", "unit"}


def set_sides(state: DraftState) -> None:
    """Take the columns of both seats of a row's game; where they say who gets what, each row holds the deal."""
    family, row = state.reading.facts.sides, state.reading.row
    if family is None or (row.kind == "repeated" and not _is_of_seats(state, family)):
        return
    person = _name_games(state, {name for of in family.stems.values() for name in of})
    names = ("human", "agent") if family.words == ("h", "a") else family.words
    goods = _goods(family, state.columns)
    shares = None if goods else _find_shares(family, state.columns)
    people = next((stem for stem in family.stems if _names_people(stem, *_both(state, family, stem))), None)
    for place, (word, seat) in enumerate(zip(family.words, names, strict=True)):
        if word in ROLES:
            state.set(f"seats.{seat}.role", {"constant": word})
        if word in _HUMAN:
            state.set(f"seats.{seat}.kind", {"constant": "human"})
        elif word in _AGENT or (word == "a" and names[place] == "agent"):
            state.set(f"seats.{seat}.kind", {"constant": "agent"})
        if people is not None:
            _set_person(state, seat, family.stems[people][place])
        elif person is not None and word in _HUMAN:
            state.set(f"seats.{seat}.participant_id", person)
        names_of_people = () if people is None else _both(state, family, people)
        for stem in family.stems:
            is_name = people is not None and _are_one(_both(state, family, stem)[place], names_of_people[place])
            if is_name:
                state.taken.add(family.stems[stem][place])
            else:
                _set_side(state, family, stem, place, seat, goods, shares)
    if goods:
        first, other = names
        state.set("offers.proposer", {"constant": first}, "who made the last offer is unknown; it is taken as the deal")
        state.set("offers.responder", {"constant": other})
        state.set("offers.last_is_deal", True)


def _name_games(state: DraftState, names_of_seats: Collection[str]) -> object:
    """Make each row a game, which no column of a single seat names, and of no person; return whose it was."""
    state.proposal.row = "game"
    if state.game_columns.intersection(names_of_seats):
        names_row = (column.name for column in state.reading.facts.unique if is_named(column, "game"))
        free = next((name for name in names_row if state.is_free(name)), None)
        state.set("games.game_id", state.own_row if free is None else [free], "each row has columns of all seats")
        state.taken |= {free} if free else set()
    state.proposal.keys.pop("players.player", None)
    return state.proposal.keys.pop("players.participant_id", None)


def _set_person(state: DraftState, seat: str, name: str) -> None:
    """Say who sits in a seat, be it by a number that begins anew in each session."""
    column, people = state.columns[name], state.reading.people_of_seats
    joint = state.reading.facts.find_joint(column)
    of_session = [] if people is None else [state.columns[part] for part in people.parts[:-1]]
    person = state.values([*of_session, column]) if of_session else state.value(joint or column)
    state.set(f"seats.{quoted(seat)}.participant_id", person)
    state.taken.add(name)


def set_members(state: DraftState) -> bool:
    """Take the columns of three or more seats of which a row names the people: who sat there, and what each did."""
    members = state.reading.facts.members
    if not members:
        return False
    _name_games(state, members.values())
    for seat, name in members.items():
        _set_person(state, seat, name)
    for stem, of in _group_by_seat(state).items():
        columns = [state.columns[each] for each in of.values()]
        behind = _side_key(stem, [], (columns[0], columns[1]))
        if of.keys() == members.keys() and behind is not None and _NO_SHARE.fullmatch(stem) is None:
            state.set_seats(behind, of)
    return True


def _is_of_seats(state: DraftState, family: Family) -> bool:
    """Whether a person who repeats sits in one of two seats, or is a game: else these are two things to choose from.

    What holds lists of both seats is a game.
    """
    person = state.reading.row.person
    if person is not None and person.name == ROW and state.reading.facts.talk:
        return True
    if (person is not None and is_named(person, "game")) or not _HUMAN.isdisjoint(family.words):
        return True
    return any(_names_people(stem, *_both(state, family, stem)) for stem in family.stems)


def _names_people(stem: str, first: Column, other: Column) -> bool:
    """Whether the columns of both seats name people, and not programs that meet each other."""
    return name_people(stem, first, other) and not are_programs(first, other)


def _both(state: DraftState, family: Family, stem: str) -> tuple[Column, Column]:
    first, other = family.stems[stem]
    return state.columns[first], state.columns[other]


def _set_side(
    state: DraftState, family: Family, stem: str, place: int, seat: str, goods: list[str], shares: str | None
) -> None:
    """Put the column of one seat behind its key; as a measure, if it has none and holds numbers."""
    name = family.stems[stem][place]
    one, other = _both(state, family, stem)
    key = "points" if stem == shares else _side_key(stem, goods, (one, other))
    has_person = f"seats.{seat}.participant_id" in state.proposal.keys
    if _are_one(one, other) and (key is None or key.startswith(("answers", "person"))):
        # What both have alike is of their game, and said once; but what a good is worth to each is theirs.
        if place == 0 and state.is_condition(name):
            state.set(f"factors.{quoted(stem)}", name, "both seats have it alike")
        elif place == 0 and are_numbers(one):
            state.set(f"measures.{quoted(stem)}", name)
        state.taken.add(name)
        return
    # What was set for one seat says nothing about what another one was like.
    if (key is None or key.startswith(("answers.", "person."))) and state.is_condition(name):
        state.set(f"factors.{quoted(f'{seat}_{stem}' if stem else seat)}", name)
        return
    if key is None or (key.startswith(("answers", "person")) and not has_person):
        if are_numbers(state.columns[name]):
            measure = f"{seat}_{stem or 'number'}"
            state.set(f"measures.{quoted(measure)}", name)
        return
    # Who meets whom is a factor of seats where both are drawn from the same agents, and each has an outcome of its own.
    is_of_game = set(one.levels) != set(other.levels) or not any(
        _side_key(each, goods, _both(state, family, each)) in ("points", "reached_goal") for each in family.stems
    )
    if key == "agent" and state.is_condition(name) and is_of_game:
        state.set(f"factors.{quoted(name.replace('.', '_'))}", name)
    whole = f"values.{seat}.{key.removeprefix('values.')}" if key.startswith("values.") else f"seats.{seat}.{key}"
    state.set(whole, name)
    if key == "agent":
        state.proposal.keys.setdefault(f"seats.{seat}.kind", {"constant": "agent"})


def _are_one(first: Column, other: Column) -> bool:
    """Whether the columns of both seats say the same in each row."""
    return first.levels == other.levels and np.array_equal(first.codes, other.codes)


def _side_key(stem: str, goods: list[str], both: tuple[Column, Column]) -> str | None:
    """Return the key of a seat behind which a column stands; None if there is none."""
    parts = set(stem.split("_"))
    if stem in goods:
        return f"items.{quoted(_good_name(stem, goods))}"
    if stem in OWN_STEMS["batna"]:
        return "batna"
    if {"goal", "reached"} <= parts:
        return "reached_goal"
    numbers = all(map(are_numbers, both))
    if numbers and parts & _WORTH and (good := next((g for g in goods if _good_name(g, goods) in parts), None)):
        return f"values.{quoted(_good_name(good, goods))}"
    if numbers and stem in OWN_STEMS["points"]:
        return "points"
    if (stem in OWN_STEMS["agent"] and not numbers) or are_crossed(*both) or are_programs(*both):
        return "agent"
    if stem == "role" and not numbers:
        return "role"
    if parts & OWN_STEMS["trait"]:
        return f"person.{quoted(stem)}"
    is_answer = (stem and both[0].n_levels <= both[0].rows / 2) or numbers
    return f"answers.{quoted(stem)}" if stem and is_answer else None


def _goods(family: Family, columns: Mapping[str, Column]) -> list[str]:
    """Return the stems of goods, of which both seats' numbers always have the same sum: two at the least."""
    no_good = OWN_STEMS["points"] | OWN_STEMS["trait"] | OWN_STEMS["batna"] | OWN_STEMS["person"]
    goods = [
        stem
        for stem, (first, other) in family.stems.items()
        if stem and stem not in no_good and not set(stem.split("_")) & (_WORTH | OWN_STEMS["points"])
        and has_one_sum(columns[first], columns[other])
    ]  # fmt: skip
    return goods if len(goods) > 1 else []


def _find_shares(family: Family, columns: Mapping[str, Column]) -> str | None:
    """Return the stem of what both seats divide, where none is called points: the first whose numbers do.

    They have one sum in most rows, and in the others, without a deal, each seat gets what it always gets then.
    """
    if not OWN_STEMS["points"].isdisjoint(family.stems):
        return None
    both = ((stem, columns[first], columns[other]) for stem, (first, other) in family.stems.items())
    return next((stem for stem, first, other in both if stem and _are_divided(first, other)), None)


def _are_divided(first: Column, other: Column) -> bool:
    """Whether two numbers have one sum in most rows, and one pair of values in all others."""
    if first.numbers is None or other.numbers is None or min(first.n_levels, other.n_levels) < _FEWEST_SHARES:
        return False
    is_whole = first.filled & other.filled
    sums, times = np.unique((first.numbers + other.numbers)[is_whole].round(6), return_counts=True)
    is_deal = is_whole & np.isclose(first.numbers + other.numbers, sums[times.argmax()])
    without_deal = {(first.codes[row], other.codes[row]) for row in np.flatnonzero(is_whole & ~is_deal)}
    return bool(is_deal.sum() >= max(_DIVIDED * is_whole.sum(), _FEWEST_ROWS)) and len(without_deal) < 2


def _good_name(stem: str, goods: list[str]) -> str:
    """Return the name of a good without the words with which all goods begin: hat of allocation_hat."""
    return stem.removeprefix(common_words(goods))


def common_words(names: list[str]) -> str:
    """Return the words with which all names begin, each of which goes on.

    Examples
    --------
    >>> common_words(["allocation_hat", "allocation_book"]), common_words(["hat", "book"])
    ('allocation_', '')
    """
    first = names[0].split("_")[:-1] if len(names) > 1 else []
    while first and not all(name.startswith(f"{'_'.join(first)}_") for name in names):
        first.pop()
    return f"{'_'.join(first)}_" if first else ""


def set_columns_of_seats(state: DraftState, seats: list[str]) -> None:
    """Take columns of one of two seats: `reward_buyer` beside a speaker, the buyer, or what offers are worth to it."""
    if len(seats) != 2:
        return
    words = (english(plain(seats[0])), english(plain(seats[1])))
    for family in pair_families(filter(state.is_free, state.plain), [words]):
        for stem in family.stems:
            key = _side_key(stem, [], _both(state, family, stem))
            is_of_game = all(state.is_of_game(name) for name in family.stems[stem])
            key = "value" if key == "points" and not is_of_game else key
            if key not in ("points", "batna", "agent", "value") or not (is_of_game or key == "value"):
                continue
            state.set_seats(key, dict(zip(seats, family.stems[stem], strict=True)))
            if key == "agent":
                state.proposal.keys |= {f"seats.{quoted(seat)}.kind": {"constant": "agent"} for seat in seats}


_PROPOSER = (
    r"(.*_)?(proposer|agenda_setter|setter|formateur|offerer)(_?(id|nr|no|number|seat|player))?",
    r"(.*_)?(selected|drawn|recogni[sz]ed)(_(proposer|member|player|seat))?",
)
_VOTE = r"(.*_)?(vote[sd]?|ballot|accept(s|ed|ance)?|approve[sd]?|agree[sd]?|response|reply|answer)"
_PASSED = (r"(.*_)?(passed|pass|approved|adopted|majority|agreement|deal|outcome|result)(_?(yn|reached|made))?",)
_NO_SHARE = re.compile(r"(.*_)?(round|trial|period|question|item|q|vote|accept|id|time|game|day)")


def set_allocation(state: DraftState) -> bool:
    """Take an allocation among three or more seats, who proposes it and who votes on it, where there is one.

    The columns are alike but for a seat behind the name and have one sum in each row (`share_1`, `share_2`, `share_3`),
    and the rows also say who proposes, by the same seats, or how each seat votes. Where they do not, columns that are
    called points are what each seat got.
    """
    groups = _group_by_seat(state)
    for stem, shares in groups.items():
        if _NO_SHARE.fullmatch(stem) or not _have_one_sum([state.columns[name] for name in shares.values()]):
            continue
        seats = set(shares)

        def are_seats(column: Column, seats: set[str] = seats) -> bool:
            return column.n_levels > 1 and {_plain_seat(level) for level in column.levels} <= seats

        taken = state.taken
        state.taken = state.taken - state.game_columns | set(shares.values())
        proposer = state.find(_PROPOSER, are_seats)
        votes = next((of for name, of in groups.items() if of.keys() == seats and _are_votes(state, name, of)), {})
        seat = state.reading.row.seat
        player = None if votes or seat is None or not are_seats(seat) else seat.name
        state.taken = taken
        if proposer is None and not votes:
            if stem in OWN_STEMS["points"]:
                _name_games(state, shares.values())
                state.set_seats("points", shares, "they have one sum in each row")
                return True
            continue
        _name_games(state, shares.values())
        _set_shares(state, stem or "share", shares, groups)
        _set_votes(state, votes, proposer, player)
        _spell_seats(state, seats, [name for name in (proposer, player) if name is not None])
        return True
    return False


def _spell_seats(state: DraftState, seats: Collection[str], names: Sequence[str]) -> None:
    """Say how columns spell the seats that names of other columns say: A is the seat of the column offer_a."""
    levels = list(dict.fromkeys(level for name in names for level in state.columns[name].levels))
    if not set(levels) <= set(seats):
        by_seat = {seat: [level for level in levels if _plain_seat(level) == seat] for seat in sorted(seats)}
        state.proposal.levels["player"] = {seat: of or [seat] for seat, of in by_seat.items()}


def _set_shares(
    state: DraftState, good: str, shares: Mapping[str, str], groups: Mapping[str, Mapping[str, str]]
) -> None:
    """Put the share of each seat, its person and its points behind the keys of seats."""
    state.set_seats(f"items.{quoted(good)}", shares)
    for stem, of in groups.items():
        if of.keys() != shares.keys():
            continue
        columns = [state.columns[name] for name in of.values()]
        if stem in OWN_STEMS["person"] | {"member"} and all(column.n_levels > len(of) for column in columns):
            state.set_seats("participant_id", of)
        elif stem in OWN_STEMS["points"] and all(map(are_numbers, columns)):
            state.set_seats("points", of)
    if not state.proposal.starts_with(*(f"seats.{quoted(seat)}.points" for seat in shares)):
        state.set("players.points_from_deal", True)


def _set_votes(state: DraftState, votes: Mapping[str, str], proposer: str | None, player: str | None) -> None:
    """Say who proposes, who votes how, and ask how many must accept."""
    proposal = state.proposal
    vote = None
    if player is not None:
        proposal.row = "player"
        state.set("players.player", player)
        vote = state.find((_VOTE,), may_be_codes)
        person = state.reading.row.person
        if person is not None and person.name != player:
            state.set("players.participant_id", person.name)
    else:
        game = proposal.keys.get("games.game_id")
        is_own_row = (isinstance(game, list) and ROW in game) or state.reading.row.kind in ("alone", "repeated")
        proposal.row = "game" if is_own_row else "offer"
    if proposer is not None:
        state.set("offers.proposer", proposer)
    words = [state.columns[name].levels for name in (*votes.values(), *([vote] if vote else []))]
    passed = state.find(_PASSED, may_be_codes)
    if passed is not None:
        state.set("offers.response", passed)
        words.append(state.columns[passed].levels)
    state.set_seats("vote", votes)
    if vote is not None:
        state.set("offers.vote", vote)
    if spelled := levels_of("response", dict.fromkeys(word for of in words for word in of)):
        proposal.levels["response"] = spelled
    if votes or vote is not None:
        text = "How many seats must accept, the proposer among them?"
        are_all = state.reading.choose("votes", text, "majority", "all") == 2
        state.set("offers.accepts_needed", "all" if are_all else "majority")


def _group_by_seat(state: DraftState) -> dict[str, dict[str, str]]:
    """Return the columns that are alike but for a seat, of those that may be of seats."""
    names = (name for name in state.plain if state.is_free(name) or name in state.game_columns)
    return group_by_seat(names, state.reading.facts.members.keys())


def _have_one_sum(columns: list[Column]) -> bool:
    """Whether columns hold amounts that have one sum in all rows that have them, and differ between rows."""
    if not all(map(are_numbers, columns)):
        return False
    amounts = np.column_stack([column.numbers for column in columns if column.numbers is not None])
    amounts = amounts[~np.isnan(amounts).any(axis=1)]
    if len(np.unique(amounts, axis=0)) < 2 or (amounts < 0).any():
        return False
    sums = amounts.sum(axis=1)
    return bool(sums[0] > 0 and np.allclose(sums, sums[0], rtol=1e-6))


def _plain_seat(word: str) -> str:
    return re.sub(r"\.0+$", "", word.strip().lower())


def _are_votes(state: DraftState, stem: str, of: Mapping[str, str]) -> bool:
    if not re.fullmatch(_VOTE, stem):
        return False
    columns: Iterable[Column] = (state.columns[name] for name in of.values())
    return all(are_few(column) and levels_of("response", column.levels) is not None for column in columns)
