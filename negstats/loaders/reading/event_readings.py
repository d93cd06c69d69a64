"""Readings in which rows are what happened in games: offers, talk, and how they ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from negstats.english import english_name, plain_name
from negstats.loaders.reading.columns import Codes, Column, Flags
from negstats.loaders.reading.facts import LEAST_LEVELS, MOST_OF_CONDITION, Facts, size_points
from negstats.loaders.reading.families import pair_families
from negstats.loaders.reading.hypotheses import (
    MEASURED_NAME,
    MOST_SEATS,
    Hypothesis,
    add_entity,
    has_sizes_of_measure,
    is_called_measured,
)
from negstats.loaders.reading.relations import (
    are_unique_together,
    begins_anew,
    code_column,
    determines,
    find_orders,
    is_run_within,
    levels_within,
    name_pair,
    share_of_balanced_units,
    steps_within,
    takes_turns,
    tells_rows,
)
from negstats.loaders.reading.spellings import levels_of
from negstats.loaders.reading.words import (
    WHOLE,
    are_programs_names,
    are_seat_words,
    is_called_seat,
    is_named,
    names_game,
    names_session,
    says_who_acts,
)

_MOST_IN_TURN = 6  # who act in turn
_MOST_IN_GAME = 4  # people of a game that several columns name
_MOST_EVENTS = 50  # of a game, where each row has an id
_FEWEST_GAMES, _IN_EACH = 5, 0.8  # games, and the share in which somebody acts who sits in none
_TWO_IN_EACH = 0.9  # of the games
_AGAIN, _MOST_IN_COMPANY = 2, 20  # rows of each of several who act, and how many talk together
_FEWEST_STEPS = 20  # from row to row
_RISES, _RISES_MOSTLY = 0.97, 0.7  # share of the steps that lead up
_MOST_PAIRS = 0.5  # of all pairs, that meet
_LEAST_OF_TWO = 0.2  # of the rows, in which either of two acts
_LEAST_OF_PAIR = 2.5  # rows of two who act in turn: in a tournament two meet once in either order
_BY_CHANCE = 0.9  # share of the games in which two levels stand by chance, from which on they tell nothing


def joint_event_readings(facts: Facts, game: tuple[Column, ...], codes: Codes) -> Iterator[Hypothesis]:
    """Yield the reading that rows are what happened in games that several columns name: session, round and group.

    Whatever columns are combined, something happens in each combination. So there must be what is of these games and of
    nothing wider: a few people who met, what is the same in all their rows, numbers that tell these apart and begin
    anew, or an end.
    """
    if any(not (each.has_numbers or each.is_source or _may_name_units(each)) for each in game):
        return  # a few words within games are issues or goods
    if facts.met is not None and {*game}.issuperset(facts.met):
        return  # who met, and each row is a game of theirs
    unit = code_column("game", codes)
    hypothesis = Hypothesis("events", game=game)
    if _add_acts(facts, unit, hypothesis) is None:
        return
    is_of_people = _add_people(facts, unit, hypothesis)
    own = _find_own(facts, game, unit)
    counters = [each for each in facts.columns if each not in game and each.has_numbers and tells_rows(unit, each)]
    first = next((each for each in counters if not any(tells_rows(part, each) for part in game)), None)
    ending = _find_ending(facts, unit)
    if not (is_of_people or own or first is not None or ending):
        return
    if own:
        names = ", ".join(column.name for column in own[:4])
        hypothesis.add(min(3.0, 1.5 * len(own)), f"constant in it, and in nothing wider: {names}")
    if first is not None:
        hypothesis.add(1.5, f"{first.name} tells its rows apart, and begins anew in each")
    hypothesis.add(size_points(unit.n_levels), f"{unit.n_levels} games")
    hypothesis.add(1.5 * any(map(names_game, game)), "names", of_names=True)
    hypothesis.add(-1.0 * (len(game) - 1), f"{len(game)} columns name it")
    yield hypothesis


def _find_own(facts: Facts, game: Sequence[Column], unit: Column) -> list[Column]:
    """Return the columns that are constant in each game that several columns name, and in none of these alone."""
    able = [column for column in facts.discrete if column not in game and not column.parts]
    able = [column for column in able if not any(determines(each, column) for each in game)]
    return [column for column in able if determines(unit, column)]


def _may_name_units(column: Column) -> bool:
    return column.n_levels >= LEAST_LEVELS or names_game(column) or names_session(column) or is_named(column, "order")


def whole_reading(facts: Facts) -> Hypothesis | None:
    """Return the reading that all rows are what happened in one game; None if they do not look like a log of one.

    A program writes down what happens as it does: in the order of time, with other texts at other kinds of events and
    who acts at some of them. Nothing names the game of it, and each row is no case of its own.
    """
    clocks = [each for each in facts.columns if each.is_moment and each.share_filled == 1]
    actors = [each for each in facts.who_act_at_times if each.n_levels <= _MOST_IN_COMPANY and not each.is_moment]
    has_files = any(each.is_source for each in facts.columns)
    if has_files or not actors or not any(bool((np.diff(each.codes) >= 0).all()) for each in clocks):
        return None
    texts_at_kinds = facts.texts_at_kinds()
    for kind in dict.fromkeys(kind for kind, _ in texts_at_kinds):
        texts = [text for of, text in texts_at_kinds if of is kind]
        if len(texts) > 1 and kind not in actors:
            whole = replace(code_column(WHOLE, np.zeros(facts.rows, np.int64)), is_source=True)
            actor = max(actors, key=lambda each: (*says_who_acts(each), each.n_levels, each.name))
            hypothesis = Hypothesis("events", game=(whole,), seat=actor, event=kind, has_talk=True)
            names = " and ".join(text.name for text in texts[:2])
            hypothesis.add(4.0, f"{names} occur with different levels of {kind.name}, in the order of time")
            hypothesis.add(1.5, f"{actor.name} acts again and again")
            return hypothesis
    return None


def pair_event_readings(facts: Facts) -> Iterator[Hypothesis]:
    """Yield the reading that rows are what two did who name each other in turn, whatever column names them.

    Where both meet once, they name the game.
    """
    for both in [] if facts.met is not None else facts.who_act_and_meet:
        other, actor = sorted(both, key=lambda each: (*says_who_acts(each), len(facts.determined_by(each))))
        pair = name_pair(actor, other)
        are_both = levels_within(pair, actor) == 2
        is_no_pair = bool(actor.parts or other.parts) or actor.is_source or other.is_source
        # Of two answers to one question each pair stands somewhere, in whatever order.
        is_no_pair = is_no_pair or pair.n_levels > _MOST_PAIRS * actor.n_levels * (actor.n_levels - 1) / 2
        if is_no_pair or pair.rows_per_level < _LEAST_OF_PAIR or float(are_both.mean()) <= _TWO_IN_EACH:
            continue
        hypothesis = Hypothesis("events", game=(pair,), person=actor)
        hypothesis.add(size_points(pair.n_levels), f"{pair.n_levels} pairs")
        hypothesis.add(3.0, f"{actor.name} and {other.name} change places in the rows of each pair")
        same = [each for each in facts.discrete if each not in (actor, other) and determines(pair, each)]
        names = ", ".join(column.name for column in same[:4])
        hypothesis.add(min(3.0, 1.5 * len(same)) or -4.0, f"constant in it: {names or 'nothing'}")
        _add_acts(facts, pair, hypothesis)
        hypothesis.seat = actor
        orders = [*find_orders(pair, facts.columns), None]
        if hypothesis.has_talk or hypothesis.event is not None or takes_turns(pair, actor, orders):
            yield hypothesis
        return


def _add_people(facts: Facts, unit: Column, hypothesis: Hypothesis) -> bool:
    """Add that a few people act in each of the games that several columns name; return whether any do.

    Small groups of rows hold few people, whoever these are: in games of people who are permuted over the rows there
    would hardly ever be just two, three or four.
    """
    game = hypothesis.game
    people = [
        column
        for column in facts.entities
        if column not in game
        and not column.is_source
        and not any(each.name in column.parts for each in game)  # of whom each has few, whatever rows are
        and (not column.has_numbers or is_named(column, "person"))
        and column.n_levels >= 2 * len(game)
        and not any(column in of and other in of for of in facts.mutual for other in game)  # which is never the same
    ]
    rng = np.random.default_rng(0)
    for person in people:
        inside = levels_within(unit, person)
        inside = inside[inside > 0]
        usual = int(np.bincount(inside).argmax())
        share = float(np.mean(inside == usual))
        if not (2 <= usual <= _MOST_IN_GAME and share > 0.9):
            continue
        permuted = replace(person, codes=rng.permutation(person.codes))
        by_chance = float(np.mean(levels_within(unit, permuted) == usual))
        if share - by_chance >= 0.5:
            hypothesis.person = person
            hypothesis.add(2.0, f"{usual} of {person.name} in {share:.0%} of them, and by chance in {by_chance:.0%}")
            return True
    return False


def event_readings(facts: Facts, game: Column) -> Iterator[Hypothesis]:
    """Yield the reading that rows are what happened in a game, if anything speaks for it."""
    hypothesis = Hypothesis("events", game=(game,))
    add_entity(facts, game, hypothesis)
    if not game.is_even:
        hypothesis.add(1.0, "games of different length")
    if game.is_source and any(begins_anew(number, game) for number in facts.discrete if not number.is_source):
        hypothesis.add(1.5, "numbers begin anew in each")
    elif (joint := facts.find_joint(game)) is not None:
        hypothesis.add(-1.0 if joint.is_open else -3.0, f"{game.label} is used again: {joint.label} may be the game")
    has_own_actors = _add_acts(facts, game, hypothesis)
    if has_own_actors is None:
        return
    counters = [each for each in facts.discrete if each is not game and each.is_count and tells_rows(game, each)]
    if counters and hypothesis.seat is not None and not game.is_even:
        hypothesis.add(1.0, f"{counters[0].name} tells its rows apart, and begins anew in each")
    # Of hundreds of rows any two words occur in each level: a clinic or a point of a scale looks like a long game.
    cases = next((each for each in facts.unique if is_named(each, "person", "game")), None)
    if cases is not None and game.rows_per_level > _MOST_EVENTS:
        hypothesis.add(-2.0, f"long games, and {cases.name} names a case in each row")
    people = (each for each in facts.unique if is_named(each, "person") and not _may_be_any_id(each))
    acts_once = hypothesis.seat is None or are_unique_together([game, hypothesis.seat])
    if acts_once and (person := next(people, None)) is not None:
        hypothesis.add(-8.0, f"each acts once, and {person.name} is somebody else in each row")
    if hypothesis.seat is None:
        hypothesis.add(-2.0, "nobody acts twice or more in it")
        wider = (each for each in facts.determined_by(game) if each in facts.entities and not each.is_source)
        few = (each for each in wider if game.n_levels <= _MOST_IN_GAME * each.n_levels)
        if hypothesis.has_talk and (together := next(few, None)) is not None:
            hypothesis.add(-3.0, f"a few of them talk in each {together.name}")
    if not (facts.determined_by(game) or is_named(game, "game") or has_own_actors):
        is_bare = _holds_nothing(facts, game, hypothesis.seat)
        if is_bare and cases is not None:
            return  # what the table has besides, such as talk, says nothing of what is no game of anybody
        numbers_rows = game.is_run and any(is_run_within(game, each) for each in facts.discrete)
        hypothesis.add(-4.0 if is_bare or numbers_rows else -1.5, "nothing is constant in it")
    if not (game.has_numbers or game.is_source) and any(
        {*game.levels} < {*each.levels} for each in facts.entities if each is not game and determines(each, game)
    ):
        hypothesis.add(-4.0, "it names one of those who act")
    points = 1.5 * is_named(game, "game") if is_named(game, "game") else -1.5 * is_named(game, "person")
    hypothesis.add(points - MEASURED_NAME * is_called_measured(game), "names", of_names=True)
    yield hypothesis


def _may_be_any_id(column: Column) -> bool:
    """Whether a column is called an id alone, which may be that of a message."""
    return english_name(plain_name(column.name)) == "id"


def _holds_nothing(facts: Facts, game: Column, seat: Column | None) -> bool:
    """Whether nobody acts in a game, or whoever does is named beside others, as two answers of a survey are.

    People of one age, or with one answer, differ in all else: their numbers differ as of what was measured.
    """
    if seat is None or is_called_measured(game) or has_sizes_of_measure(game):
        return True
    is_beside = any(seat in of for of in facts.mutual)
    return is_beside and float(np.mean(levels_within(game, seat) == 2)) < _TWO_IN_EACH


def _add_acts(facts: Facts, game: Column, hypothesis: Hypothesis) -> bool | None:
    """Add who acts in each game, talk, kinds of events and endings; None if there is nothing of these.

    Else whether those who act do so in one game only.
    """
    has_own_actors = _add_actors(facts, game, hypothesis)
    if hypothesis.seat is None:
        _add_bidders(facts, game, hypothesis)
    if facts.talk:
        hypothesis.has_talk = True
        hypothesis.add(2.0, f"{facts.talk[0].name} is talk")
    # What is one word in each game says how it came out, or whether it counts.
    hypothesis.event = next((each for each in facts.acts if not determines(game, each)), None)
    if hypothesis.event is not None:
        hypothesis.add(1.5, "words for offers and answers", of_names=True)
    kinds = [
        (kind, amount)
        for kind, amount in facts.kinds_of_events([game, hypothesis.seat])
        if amount.share_filled > 0.1 and not determines(game, kind)
    ]
    if kinds:
        hypothesis.event = hypothesis.event or kinds[0][0]
        hypothesis.add(2.0, f"{kinds[0][1].name} occurs only with some kinds of {kinds[0][0].name}")
    has_acts = hypothesis.event is not None or hypothesis.seat is not None
    shared = next((each for each in facts.shared_out if not determines(game, each)), None)
    if not (has_acts or facts.talk) and shared is not None:
        hypothesis.add(1.0, f"{shared.name} is what is shared out, as in offers")
        has_acts = True
    if has_acts and (ending := _find_ending(facts, game)):
        hypothesis.add(1.0, f"{ending} at most once a game")
    return has_own_actors if has_acts or facts.talk else None


def _add_actors(facts: Facts, game: Column, hypothesis: Hypothesis) -> bool:
    """Add who acts in each game: two in each, or some who take turns; return whether they do so in one game only."""
    speakers = _find_speakers(facts, game)
    # Two act in each game, and not merely the two levels of a design within games.
    acting = {column: _without_moderators(game, column) for column in speakers}
    in_pairs = [column for column in speakers if np.mean(levels_within(game, acting[column]) == 2) > _TWO_IN_EACH]
    actors = [
        column
        for column in in_pairs
        if column.n_levels > 2
        or are_seat_words(column)
        or _names_columns(facts, column)
        or is_called_seat(column)
        or (
            share_by_chance(game, column) < _BY_CHANCE
            and (facts.talk or share_of_balanced_units(game.codes, column) < 0.9 or not game.is_even)
        )
    ]
    addressed = [] if actors else _find_addressed(facts, speakers)
    companies = [] if actors or addressed else [each for each in speakers if _are_company(facts, game, acting[each])]
    actors = actors or companies
    if not actors:
        few = [column for column in speakers if column.n_levels <= _MOST_IN_TURN]
        orders = (
            [*find_orders(game, facts.discrete), *(each for each in facts.columns if tells_rows(game, each))]
            if few
            else []
        )
        in_turns = [column for column in few if takes_turns(game, in_offers(facts, column), orders)]
        hypothesis.add(0.5 * bool(in_turns), "those who act take turns")
        actors = addressed[:1] or in_turns
    if not actors:
        return False
    hypothesis.seat = seat = max(actors, key=lambda each: _says_it_best(facts, each))
    if addressed:
        hypothesis.add(2.5, f"{addressed[0].name} and {addressed[1].name} name who acts in each row, and towards whom")
    else:
        hypothesis.add(1.5, f"{seat.name}: {'as many' if companies else 'two'} in each game")
    has_own_actors = seat.n_levels > 2 and determines(acting[seat], game)
    hypothesis.add(2.0 * has_own_actors, f"each {seat.name} in one game only")
    return has_own_actors


def _says_it_best(facts: Facts, actor: Column) -> tuple[bool | int | str, ...]:
    """Return the place of a column among those that say who acts: one for all kinds of events before one for some."""
    is_of_all = not facts.told_by_kinds([actor])
    return *says_who_acts(actor), is_of_all, is_named(actor, "seat"), are_seat_words(actor), actor.name


def _are_company(facts: Facts, game: Column, actor: Column) -> bool:
    """Whether three or more act in each game, who do so again: as many in each and in no other, or called as who acts.

    As many issues may stand in each game, and labels of what was said as often.
    """
    inside = levels_within(game, actor)
    inside = inside[inside > 0]
    usual = int(np.median(inside))
    if not 2 < usual <= _MOST_IN_COMPANY or game.rows_per_level < _AGAIN * usual or are_unique_together([game, actor]):
        return False
    are_as_many = usual <= MOST_SEATS and float(np.mean(inside == usual)) > _TWO_IN_EACH
    is_called_so = is_named(actor, "seat", "person") or are_seat_words(actor) or are_programs_names(actor)
    is_of_one_game = are_as_many and actor.n_levels > usual and determines(actor, game)
    return is_of_one_game or (is_called_so and bool(facts.talk or (are_as_many and facts.acts)))


def in_offers(facts: Facts, actor: Column) -> Column:
    """Return who acts in the rows of offers alone, where words tell these: in between the same may say something."""
    if not facts.acts:
        return actor
    acts = facts.acts[0]
    words = (levels_of("event", acts.levels, "other") or {}).get("offer", [])
    offers = np.isin(acts.codes, [acts.levels.index(word) for word in words])
    return replace(actor, codes=np.where(offers, actor.codes, -1))


def _add_bidders(facts: Facts, game: Column, hypothesis: Hypothesis) -> None:
    """Add that several act in each game and outbid each other: a number rises from row to row of each."""
    inside = {column: levels_within(game, column) for column in _find_speakers(facts, game)}
    # Any number of people may bid, and each of them in several auctions.
    several = [column for column, of in inside.items() if np.median(of[of > 0]) >= 2]
    named = [column for column in facts.entities if not column.parts]
    able = [column for column in several if inside[column].max() <= MOST_SEATS or column in named]
    able = [column for column in able if not is_named(column, "condition", "order")]
    if not able or (rising := _find_rising(facts, game)) is None:
        return
    seat = max(able, key=lambda each: (is_named(each, "seat", "person"), each.n_levels, each.name))
    how = "" if rising[1] > _RISES else "mostly "
    if how and (game.is_even or seat.parts):
        return  # auctions are not planned to have as many bids
    hypothesis.seat, hypothesis.bid = seat, rising[0]
    reason = f"{hypothesis.bid.name} {how}rises from row to row of each, whoever of {hypothesis.seat.name} acts"
    hypothesis.add(1.0 if how else 3.0, reason)


def _find_rising(facts: Facts, game: Column) -> tuple[Column, float] | None:
    """Return the number that rises with most rows of a game, and the share of these; None for none.

    It is no clock and counts no rows. Who bids may have said beforehand how far somebody is to bid for them, so that
    others' bids lie below that.
    """
    orders = [*(each for each in facts.columns if each is not game and tells_rows(game, each)), None]
    able = (each for each in facts.columns if each.has_numbers and each.n_levels > MOST_OF_CONDITION)
    able = (each for each in able if not (each.is_whole and each.is_even))  # people, in the order of their numbers
    # What numbers people or pairs rises through the whole table; in each game bids begin anew.
    whole = code_column("whole", np.zeros(game.rows, np.int64))
    able = (each for each in able if float(np.mean(steps_within(whole, each, None) < 0)) > 0.5 / game.rows_per_level)
    rising = list[tuple[Column, float]]()
    for number in (each for each in able if each not in orders and not is_named(each, "time", "order")):
        for order in orders:
            steps = steps_within(game, number, order)
            is_count = len(np.unique(steps)) == 1
            share = float(np.mean(steps > 0)) if len(steps) >= _FEWEST_STEPS and not is_count else 0.0
            rising += [(number, share)] * (share > _RISES_MOSTLY)
    return max(rising, key=lambda each: (is_named(each[0], "amount"), each[1]), default=None)


def _find_addressed(facts: Facts, speakers: Sequence[Column]) -> list[Column]:
    """Return the columns of a few seats that name who acts in each row and towards whom; [] where none do.

    Nobody has a part in all rows: a word that stands in one of two columns everywhere says that nothing was answered.
    """
    pairs = (of for of in facts.mutual if all(each in speakers and each.n_levels <= MOST_SEATS for each in of))
    return list(next((of for of in pairs if not _has_one_in_all(*of)), ()))


def _has_one_in_all(one: Column, other: Column) -> bool:
    """Whether a level stands in each row in one of two columns."""
    both = one.filled & other.filled
    words = [np.array(column.levels, dtype=object)[column.codes[both]] for column in (one, other)]
    return any(bool(((words[0] == level) | (words[1] == level)).all()) for level in one.levels)


def find_moderators(game: Column, actor: Column) -> list[str]:
    """Return those who act in many games, one in nearly each, where all others act in one: they lead the talk."""
    n_games = levels_within(actor, game)
    are_often = n_games >= _FEWEST_GAMES
    if not are_often.any() or np.mean(n_games[n_games > 0] == 1) < _IN_EACH:
        return []
    led = np.unique(game.codes[np.append(are_often, False)[actor.codes] & game.filled])
    return [actor.levels[code] for code in np.flatnonzero(are_often)] if len(led) > _IN_EACH * game.n_levels else []


def _without_moderators(game: Column, actor: Column) -> Column:
    """Return who acts without those who lead the talk of each game."""
    moderators = find_moderators(game, actor)
    if not moderators:
        return actor
    are_moderators = np.isin(actor.codes, [actor.levels.index(level) for level in moderators])
    return replace(actor, codes=np.where(are_moderators, -1, actor.codes))


def find_outsiders(game: Column, actor: Column, order: Column | None) -> list[str]:
    """Return those who act once in nearly each game, before all others begin or after all have ended.

    They welcome those who talk, or are asked about it afterwards: only those who act several times in between sit in
    the game, and these are two at least.

    Parameters
    ----------
    game, actor
        The game and who acts, of each row.
    order
        What numbers the rows of a game; None if they stand in their order.
    """
    places = np.arange(game.rows, dtype=np.float64) if order is None else order.codes.astype(np.float64)
    is_known = game.filled & actor.filled
    cells = game.codes[is_known] * actor.n_levels + actor.codes[is_known]
    times = np.bincount(cells, minlength=game.n_levels * actor.n_levels).reshape(game.n_levels, actor.n_levels)
    are_again = (times > 1).any(axis=0)
    if are_again.sum() < 2 or are_again.all() or game.n_levels < _FEWEST_GAMES:
        return []
    is_inside: Flags = np.append(are_again, False)[actor.codes] & is_known
    first, last = np.full(game.n_levels, np.inf), np.full(game.n_levels, -np.inf)
    np.minimum.at(first, game.codes[is_inside], places[is_inside])
    np.maximum.at(last, game.codes[is_inside], places[is_inside])
    outsiders = []
    for code in np.flatnonzero(~are_again):
        rows = is_known & (actor.codes == code)
        before, behind = places[rows] < first[game.codes[rows]], places[rows] > last[game.codes[rows]]
        is_usual = rows.sum() >= _IN_EACH * game.n_levels
        if is_usual and (before.all() or behind.all()):
            outsiders.append(actor.levels[code])
    return outsiders if len(outsiders) == (~are_again).sum() else []


def _names_columns(facts: Facts, column: Column) -> bool:
    """Whether other columns are called after the two levels of a column: info.a1.points and info.a2.points."""
    words = tuple(english_name(plain_name(level)) for level in column.levels)
    if len(words) != 2 or not facts.words_of_names.issuperset(words):
        return False
    return bool(pair_families(facts.names, [(words[0], words[1])]))


def share_by_chance(game: Column, column: Column) -> float:
    """Return in which share of the games both of two levels would stand if they were dealt to rows by chance.

    Of many rows any two sexes occur in each session, and nobody acts there because of it.
    """
    share = column.sizes[0] / max(column.n_filled, 1)
    sizes = game.sizes[game.sizes > 0]
    return float(np.mean(1 - share**sizes - (1 - share) ** sizes))


def _find_speakers(facts: Facts, game: Column) -> list[Column]:
    """Return the columns that may say who acts: words, or in a talk two codes or what names people by numbers."""
    # Both are asked of many columns, and are the same for all of them.
    orders = cache(lambda: [*find_orders(game, facts.columns), None])
    has_acts = cache(lambda: bool(facts.talk or facts.acts or facts.kinds_of_events([game])))
    return [
        column
        for column in [*facts.discrete, *facts.who_act_at_times]
        if column is not game
        and game.name not in column.parts
        and column.name not in facts.names_of_seats  # none of which says who acts in a row
        and not (column.is_source or is_named(column, "outcome", "trait") or column in facts.acts)
        and (not column.has_numbers or _may_number_speakers(facts, game, column, orders, has_acts))
        and not (column.n_levels < game.n_levels and determines(game, column))
    ]


def _may_number_speakers(
    facts: Facts,
    game: Column,
    column: Column,
    orders: Callable[[], list[Column | None]],
    has_acts: Callable[[], bool],
) -> bool:
    """Whether numbers may say who acts: people's in talk, or two that take turns, or stand beside talk or acts."""
    if facts.talk and is_named(column, "person"):
        return True
    if not (column.n_levels == 2 and column.is_count) or is_named(column, "amount", "condition", "time"):
        return False
    if column.sizes.min() < _LEAST_OF_TWO * column.n_filled:
        return False  # what is so now and then is a flag, as of errors
    # A turn of two numbers in longer games says whose it is.
    return (has_acts() and not is_named(column, "order")) or takes_turns(game, column, orders())


def _find_ending(facts: Facts, game: Column) -> str:
    """Return what stands at most once in a game, and in more than half of the games; empty if nothing does."""
    if game.rows_per_level < 2.5:
        return ""
    for column in facts.discrete:
        if column is game or not 2 <= column.n_levels <= 12 or column in facts.determined_by(game):
            continue
        if column.has_numbers and column.n_levels != 2:
            continue
        for level, word in enumerate(column.levels):
            times = np.bincount(game.codes[(column.codes == level) & game.filled], minlength=game.n_levels)
            if times.max() == 1 and np.mean(times == 1) > 0.5:
                return f"{column.name} = {word}"
    return ""
