"""The choice of what a row is: the best reading, and the rivals that lie too close to it.

An answer needs a lead: the best reading of the rows must lead the second by `MARGIN` points, and by more than
`MARGIN_UNNAMED` if no name supports it. Otherwise the reading is a question.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np

from negstats.loaders.reading.columns import HOLDS, Column
from negstats.loaders.reading.contradictions import find_contradictions
from negstats.loaders.reading.facts import LEAST_LEVELS, MOST_OF_CONDITION, Facts, size_points
from negstats.loaders.reading.hypotheses import Hypothesis
from negstats.loaders.reading.missing_codes import without_codes
from negstats.loaders.reading.people_readings import are_whole_runs
from negstats.loaders.reading.relations import (
    are_alike_somewhere,
    are_sampled,
    are_unique_together,
    begins_anew,
    crossed,
    determines,
    differs_in_mean,
    share_of_balanced_units,
    tells_rows,
)
from negstats.loaders.reading.rivals import row_hypotheses
from negstats.loaders.reading.sessions import LEAST_PEOPLE
from negstats.loaders.reading.words import LINE, is_named, names_game, names_session

MARGIN, MARGIN_UNNAMED = 2.0, 3.0
MOST_RIVALS = 4


def choose_row(facts: Facts, unit: Column | None) -> tuple[Hypothesis, list[Hypothesis]]:
    """Choose the best reading of the rows, and those that lie too close to it."""
    hypotheses = row_hypotheses(facts, unit)
    best = hypotheses[0]
    rivals = [other for other in hypotheses[1:] if _is_rival(facts, best, other)]
    if not rivals and unit is None and (doubts := find_contradictions(facts, best)):
        best.doubts = doubts
        able = [other for other in hypotheses[1:] if other.score > 0 or other.kind == "alone"] or hypotheses[1:]
        rivals = ([other for other in able if not find_contradictions(facts, other)] or able)[:MOST_RIVALS]
    if rivals and best.person is not None and best.person.is_count and not facts.determined_by(best.person):
        rivals += [other for other in hypotheses[1:] if other.kind == "alone" and other not in rivals]
    other_people = _other_people(facts, best.person) or _people_of_parts(facts, best)
    if best.kind in ("seats", "events") and other_people is not None:
        rivals.insert(0, replace(best, person=other_people))
    if rivals and best.kind != "repeated":
        # Whatever games are asked about, rows may be what a person did on their own.
        has_names = best.person is not None and best.person.is_unique and is_named(best.person, "person")
        lone = [each for each in hypotheses if each.kind == "alone" and each is not best]
        people = lone if has_names else _likeliest_people(hypotheses)
        if facts.unique:  # what is different in each row may name a case of its own
            people += [each for each in lone if each not in people]
        rivals = [*people, *(each for each in rivals if each not in people)]
    elif rivals:
        near = [each for each in (best, *rivals[:MOST_RIVALS]) if each.kind == "repeated"]
        owners = [owner for each in near for owner in _owners_of(each, hypotheses) if owner is not best]
        rivals = list(dict.fromkeys([*owners, *rivals]))
    return best, rivals


def _is_rival(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether another reading is as likely as the best one, or what the best one says may as well be what it says."""
    if _numbers_rows(facts, best, other) or _names_same_games(best, other):
        return False
    return (
        _lies_close(best, other)
        or _crosses(facts, best, other)
        or _is_used_again(facts, best, other)
        or _may_be_time(facts, best, other)
        or _may_be_members(best, other)
        or _may_have_files(best, other)
        or _may_have_met(facts, best, other)
        or _plays_as_well(facts, best, other)
        or _may_have_ended(best, other)
        or _may_be_set(best, other)
        or _is_of_sessions(best, other)
        or _may_be_of_folders(best, other)
        or _may_be_cases(facts, best, other)
        or _may_stand_twice(best, other)
        or _may_be_one_game(best, other)
    )


def _lies_close(best: Hypothesis, other: Hypothesis) -> bool:
    """Whether the best reading leads another one too shortly for an answer."""
    lead = best.score - other.score
    return other.score > 0 and (lead < MARGIN if best.has_name else lead <= MARGIN_UNNAMED)


def _other_people(facts: Facts, person: Column | None) -> Column | None:
    """Return who may sit in the seats as well: the people of each session for those of all, or the other way round."""
    if person is None:
        return None
    if person.is_open:
        return next((each for each in facts.columns if each.name == person.parts[-1]), None)
    joint = facts.find_joint(person)
    return joint if joint is not None and joint.is_open else None


def _people_of_parts(facts: Facts, best: Hypothesis) -> Column | None:
    """Return the people of a part of what names games, where no more than numbers say that they come to each of these.

    What somebody is stays the same in all rounds; numbers of people, seats and groups do so in all sessions as well.
    """
    person = best.person
    if best.kind != "seats" or person is None or person.parts or not person.is_count:
        return None
    if not all(each.is_run for each in facts.determined_by(person)):
        return None
    parts = (each for each in best.game if not is_named(each, "order") and begins_anew(person, each))
    session = next((each for each in parts if are_unique_together([each, person])), None)
    return session and replace(crossed(session, person), parts=(session.name, person.name), is_open=True)


def _likeliest_people(hypotheses: list[Hypothesis]) -> list[Hypothesis]:
    """Return the best reading by a person who repeats, and another that lies close to it.

    What tells a person's rows apart may be the person: judges of wines are wines of judges.
    """
    people = [each for each in hypotheses if each.kind == "repeated" and each.score > 0]
    near = [each for each in people if each.score > people[0].score - MARGIN or each.person is people[0].order]
    near[1:1] = _owners_of(near[0], people) if near else []
    return list(dict.fromkeys(near))[:2]


def _owners_of(best: Hypothesis, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
    """Return the readings by a person who is what numbers begin anew in, the numbers being of others or of rounds."""
    owners = best.person.parts[:-1] if best.person is not None else ()
    people = [each for each in hypotheses if each.kind == "repeated" and each.person is not None and each.score > 0]
    return [each for each in people if each.person is not None and (each.person.name,) == owners]


def _may_be_time(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether what is taken for people may be steps of time, or people whose numbers begin anew in each arm.

    A running number is all that such people have: nothing is theirs, or only an arm that was given in turn. Steps of a
    simulation are crossed with all that was set, as people are of whom each did everything. Where no name says person,
    or rows of one number are no more alike than chance allows, each row may as well be a case of its own.
    """
    person = best.person
    if best.kind != "repeated" or other.kind != "alone" or person is None:
        return False
    if not person.is_count or person.is_source or LINE in person.aliases:
        return False
    is_alike = _are_alike(facts, person, best.order)
    if of_person := facts.determined_by(person):
        return not is_alike and all(column.n_levels <= MOST_OF_CONDITION for column in of_person)
    return not (is_named(person, "person") and is_alike)


def _names_same_games(best: Hypothesis, other: Hypothesis) -> bool:
    """Whether another reading differs in nothing but that other columns, or the files, name the same games."""
    if best.kind != other.kind or not (best.game and other.game) or best.seat is not other.seat:
        return False
    (game, *_), (file, *_) = best.game, other.game
    if len(best.game) == len(other.game) == 1 and file.is_source:
        return game.n_levels == file.n_levels and determines(game, file) and determines(file, game)
    is_same_person = best.person is other.person or best.kind == "events"
    return is_same_person and crossed(*best.game).partition == crossed(*other.game).partition


def _may_have_files(best: Hypothesis, other: Hypothesis) -> bool:
    """Whether people whom a part of the path names have a file of each condition, where files are taken for people."""
    if best.kind != "repeated" or other.kind != "repeated" or best.person is None or other.person is None:
        return False
    return other.person.name in best.person.parts and other.person.n_levels >= LEAST_PEOPLE and best.person.is_source


def _may_have_met(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether people who repeat may have met in each round: a few stay together, as many in each group.

    Who seems to repeat may be another one in each session, and have met others there once.
    """
    person = best.person
    if best.kind != "repeated" or other.kind != "seats" or person is None or other.score <= 0:
        return False
    joint = facts.find_joint(person)
    person = joint if joint is not None and joint.is_unique else person
    if other.person is not person or len(other.game) == 1:
        return False
    groups = [each for each in other.game if determines(person, each)]
    are_rounds = all(are_unique_together([person, each]) for each in other.game if each not in groups)
    numbers = [each for each in groups if each.is_run or each.has_codes or names_game(each)]
    if not groups or len(numbers) < len(groups):
        return False
    return are_rounds and crossed(*groups).n_levels >= LEAST_LEVELS


def _plays_as_well(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether the people of a game sat in another one too, with others: several tasks stand in one row of each.

    Something is one thing of each of the other games, and not of those of the best reading.
    """
    if not (best.kind == other.kind == "seats" and other.score > 0 and len(best.game) == len(other.game) == 1):
        return False
    (game,), (of_other,) = best.game, other.game
    if determines(game, of_other) or determines(of_other, game):
        return False
    return any(each.n_levels > 2 and not determines(game, each) for each in facts.determined_by(of_other))


def _may_have_ended(best: Hypothesis, other: Hypothesis) -> bool:
    """Whether games end where numbers begin anew, of which some are lost, and anything speaks for another reading."""
    return any(each.has_gaps for each in best.game) and (other.kind == "alone" or other.score > 0)


def _may_be_set(best: Hypothesis, other: Hypothesis) -> bool:
    """Whether a part of what names the games may be a condition of people who met nobody."""
    if best.kind != "seats" or other.kind != "repeated" or best.person is None or other.person is not best.person:
        return False
    parts = [each for each in best.game if not (each is other.order or each.is_source or is_named(each, "order"))]
    own = [each for each in parts if each.name not in best.person.parts]
    are_few = all(each.n_levels <= MOST_OF_CONDITION and determines(best.person, each) for each in own)
    return bool(own) and are_few and not any(map(names_game, own)) and any(is_named(each, "condition") for each in own)


def _is_of_sessions(best: Hypothesis, other: Hypothesis) -> bool:
    """Whether another reading has games of sessions where the best one has those of tables that hold several."""
    if best.kind != "seats" or other.kind != "seats" or best.person is not other.person:
        return False
    sources = [each for each in best.game if each.is_source and each not in other.game]
    sessions = [each for each in other.game if names_session(each) and each not in best.game]
    return any(determines(session, source) for session in sessions for source in sources)


def _may_be_of_folders(best: Hypothesis, other: Hypothesis) -> bool:
    """Whether what happened in a game may stand in several files of its folder."""
    if not (best.kind == other.kind == "events" and len(best.game) == len(other.game) == 1):
        return False
    (file,), (folder,) = best.game, other.game
    return folder.name in file.parts and folder.n_levels >= LEAST_LEVELS and other.seat is not None


def _may_be_cases(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether what happened in games has no order and nobody who acted, and each row a name of its own.

    A survey has such rows, in which whatever repeats, as a device does, tells nothing of whom people met.
    """
    if best.kind != "events" or other.kind != "alone" or best.seat is not None or not facts.unique:
        return False
    game = crossed(*best.game)
    return not any(tells_rows(game, each) for each in facts.columns if each not in facts.unique)


def _may_stand_twice(best: Hypothesis, other: Hypothesis) -> bool:
    """Whether most of those who are said to repeat have one row: cases, of which some were entered twice."""
    person = best.person
    return other.kind == "alone" and best.kind == "repeated" and person is not None and np.median(person.sizes) == 1


def _may_be_one_game(best: Hypothesis, other: Hypothesis) -> bool:
    """Whether all rows are one game, or cases of their own."""
    return other.kind == "alone" and [game.n_levels for game in best.game] == [1]


def _may_be_members(best: Hypothesis, other: Hypothesis) -> bool:
    """Whether what numbers the rows of people may number the members of villages, who are more in some than in others.

    Where no name says what the numbers are, people with trials and villages with people look alike; but each person
    mostly has as many trials.
    """
    person, number = best.person, best.order
    if best.kind != "repeated" or other.kind != "alone" or person is None or number is None or best.has_name:
        return False
    is_called_so = is_named(number, "order") or is_named(person, "person")
    return not is_called_so and are_whole_runs(number, person)


def _are_alike(facts: Facts, person: Column, order: Column | None) -> bool:
    """Whether rows of a person are alike in some number, beyond what columns of few levels set for each row."""
    set_columns = [each for each in facts.discrete if each is not person and are_unique_together([person, each])]
    balanced = [each for each in set_columns if share_of_balanced_units(person.codes, each) > HOLDS]
    if any(not (determines(*pair) or determines(*pair[::-1])) for pair in itertools.combinations(balanced, 2)):
        return True  # the order of what each had differs: nobody numbers people of two arms so
    if not set_columns:
        return are_alike_somewhere(facts.columns, person)
    # Trials that a number tells apart are nobody's arms, but sessions that had a condition each may be.
    are_trials = not any(
        each.n_levels < set_columns[0].n_levels and not determines(person, each)
        for each in facts.determined_by(set_columns[0])
    )
    if are_trials and (order is not None or set_columns[0].numbers is not None):
        return True
    return any(
        differs_in_mean(person, without_codes(column), set_columns[0])
        for column in facts.columns
        if column.has_numbers and column.n_levels > 4 and column is not person and not column.numbers_rows
    )


def most_different(best: Hypothesis, rivals: list[Hypothesis]) -> list[Hypothesis]:
    """Return the rivals that are asked about: of each kind one before any has two; other people stand first."""
    kinds, people = Counter([best.kind]), Counter([(best.kind, best.person)])
    places = []
    for place, rival in enumerate(rivals):
        person = (rival.kind, rival.person)
        places.append((people[person], kinds[rival.kind] > 0, place))
        kinds[rival.kind] += 1
        people[person] += 1
    chosen = sorted(places)[:MOST_RIVALS]
    return [rivals[place] for _, _, place in sorted(chosen, key=lambda each: (each[0], each[2]))]


def _crosses(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether two people are rivals whose numbers of levels do not count.

    Where two entities cross, eight people with forty trials look like forty people with eight trials.
    """
    if best.kind != "repeated" or other.kind != "repeated" or best.person is None or other.person is None:
        return False

    def score(hypothesis: Hypothesis) -> float:
        return hypothesis.score - (size_points(hypothesis.person.n_levels) if hypothesis.person else 0.0)

    is_nested = other.person in facts.determined_by(best.person) or best.person in facts.determined_by(other.person)
    is_scale = other.person.n_levels <= MOST_OF_CONDITION and _has_steps(other.person)
    is_person = is_named(best.person, "person") and not is_named(other.person, "person")
    if are_sampled(other.person, best.person) and not is_person:
        return True  # whichever of the two are people, the rows of one of them are of several others
    return score(other) > score(best) - MARGIN and not (is_nested or is_scale) and other.score > 1.5


def _has_steps(column: Column) -> bool:
    """Whether levels are numbers that lie equally far apart, and by more than one: 0, 10, 20, as only amounts do."""
    steps = np.diff(np.unique(column.values)) if column.has_numbers else np.array([])
    return len(steps) > 1 and bool(steps[0] > 1) and bool((steps == steps[0]).all())


def _numbers_rows(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether another reading takes numbers of a person's rows for people who are numbered anew in each arm.

    The people's own numbers do not begin anew there.
    """
    if best.kind != "repeated" or best.person is None or best.order is None or other.person is None:
        return False
    if other.kind == "repeated" and other.person is best.order and is_named(best.order, "order"):
        return True
    if best.person.parts:
        return False  # and neither is known to be people's own
    *arms, number = other.person.parts or (other.person.name,)
    constant = {name for each in facts.determined_by(best.person) for name in (each.name, *each.aliases)}
    return bool(arms) and number == best.order.name and constant.issuperset(arms)


def _is_used_again(facts: Facts, best: Hypothesis, other: Hypothesis) -> bool:
    """Whether two readings differ in whether an id that stands in several sources is one person or game in all."""
    own, others = (
        {name for column in (*each.game, each.person) if column for name in column.parts or (column.name,)}
        for each in (best, other)
    )
    return any(column.is_open and own ^ others == {column.parts[0]} for column in facts.columns)
