"""Families of columns: names that differ in one word or number, such as ``points_buyer`` and ``points_seller``.

What the words are that differ (seats of a game, rounds, conditions, goods) the cells tell: numbers of two seats have
one sum, their people are never the same, both are empty together. Words for seats break ties.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from negstats.english import english_name, plain_name
from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.relations import determines, repeat_others
from negstats.loaders.reading.spellings import NO, YES, answer_of, known_as, levels_of
from negstats.loaders.reading.words import are_acts, are_programs_names, roles_of

SEAT_PAIRS = (
    ("buyer", "seller"), ("employer", "employee"), ("recruiter", "candidate"), ("manager", "worker"),
    ("union", "management"), ("landlord", "tenant"), ("proposer", "responder"), ("human", "agent"), ("human", "bot"),
    ("human", "ai"), ("human", "computer"), ("user", "agent"), ("user", "bot"), ("person", "agent"), ("h", "a"),
    ("p1", "p2"), ("a1", "a2"), ("player1", "player2"), ("agent1", "agent2"), ("first", "second"), ("1", "2"),
    ("a", "b"),
)  # fmt: skip
_ROLE_PAIRS = SEAT_PAIRS[:7]
ROLES = frozenset(word for pair in _ROLE_PAIRS for word in pair)
OWN_STEMS = {
    "person": frozenset(
        "id participant participant_id subject subject_id worker worker_id pid person person_id player_id prolific_id "  # noqa: SIM905
        "prolific_pid user_id subj sub player".split()
    )
    | {""},
    "points": frozenset(
        "points payoff score utility earnings profit outcome_points final_points util reward".split()  # noqa: SIM905
    ),
    "trait": frozenset("age gender sex education nationality svo experience".split()),  # noqa: SIM905
    "agent": frozenset("agent strategy model bot".split()),  # noqa: SIM905
    "batna": frozenset("batna reservation reservation_price reservation_value rp".split()),  # noqa: SIM905
}
_SEAT_WORDS = frozenset(
    "agent player seat side party participant negotiator user person bot model".split()  # noqa: SIM905
)
_NUMBERED_SEATS = {word for pair in SEAT_PAIRS for word in pair if len(word) > 1 and word[-1].isdigit()}
ROUND_WORDS = re.compile(r"(.*_)?(round|trial|period|session|wave|day|block|phase|game|item|q|question|time|t)(_.*)?")
_LEAST_ROWS = 3
MOST_OF_RATING = 7  # levels of an item; a whole number of more is an amount
_MOST_GAMES = 60  # of one person, on average
_LEAST_POINTS = 3.0
_FEWEST_CROSSED, _SAME_NAMES = 4, 0.8  # agents of a tournament, and the share of them that both columns name
_MEET = 0.4  # of all pairs, in either order, that meet
_AS_OFTEN = 0.9  # of these, which meet as often as is usual
_MOST_NAMES = 12  # columns of words of which any two may name those who met
_SEAT, _FEWEST_MEMBERS, _MOST_MEMBERS = re.compile("[0-9]{1,2}|[a-h]"), 3, 8
_MEMBERS = OWN_STEMS["person"] - {""} | {"member", "member_id", "group_member", "team_member", "bidder", "voter"}
_PEOPLE = _MEMBERS - {"id", "pid"}
_MOST_REPEATED, _WIDEST = 7, 300  # columns that repeat what others did, and columns of a table
_MOST_ANSWERS = 2  # levels: yes and no
_MOST_OFFERED = 4  # numbers that one seat alone has, of which one may be an offer
_OF_UNITS, _OF_ANSWERS = {"order", "person", "game", "seat"}, {"outcome"}
_MOST_PARTS = 5  # into which analysts cut a number
_SHORTEST = 3  # letters of a word that is cut short: cand, recr


@dataclass(frozen=True, slots=True)
class Family:
    """Columns that stand there once for each of some words.

    Attributes
    ----------
    words : tuple of str
        In what their names differ.
    stems : dict of str to tuple of str
        For what their names have in common the columns, in the order of the words.
    """

    words: tuple[str, ...]
    stems: dict[str, tuple[str, ...]]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each word, with each of the names in which it stands."""
        return [(word, name) for of in self.stems.values() for word, name in zip(self.words, of, strict=True)]


def find_moves(seat: Column, columns: Iterable[Column]) -> tuple[Column, Column] | None:
    """Return the amount that one of two seats alone names, and what the other alone answers; None where none is so.

    What is answered stands in the rows of the other, or in one column with the offers, be it in words for acts. Of
    questionnaires that one of them alone has filled in, many numbers stand there too, and none of them is an offer
    unless it is called so.
    """
    partly = [column for column in columns if column is not seat and (column.share_filled < 1 or are_acts(column))]
    moves: list[tuple[Column, Column]] = []
    for amount, answer in itertools.permutations(partly, 2) if seat.n_levels == 2 else ():
        is_amount = amount.has_numbers and amount.n_levels > _MOST_ANSWERS and not are_acts(amount)
        if not is_amount or not (are_acts(answer) or answer.n_levels == _MOST_ANSWERS):
            continue
        offers = (levels_of("event", answer.levels, "other") or {}).get("offer", ())
        answers = [code for code, level in enumerate(answer.levels) if level not in offers]
        own, other = (np.unique(seat.codes[rows]) for rows in (amount.filled, np.isin(answer.codes, answers)))
        if len(own) == len(other) == 1 and own[0] >= 0 and own[0] == 1 - other[0]:
            moves.append((amount, answer))
    called = [move for move in moves if "amount" in roles_of(move[0].name)]
    is_single = len({amount for amount, _ in moves}) <= _MOST_OFFERED
    return next(iter(called or (moves if is_single else [])), None)


def share_rising(columns: Sequence[Column]) -> float:
    """Return the share of the rows with a yes in which columns turn from no to yes once; 0 of other columns.

    Who says yes to an amount says so to larger ones: these are answers to amounts that rise from column to column.
    Rows without a yes show nothing: in the levels of a column, each spelled out as 0 or 1, nearly all are without.
    """
    words = [[known_as(level) for level in column.levels] for column in columns]
    if not all({*of} <= YES | NO for of in words):
        return 0.0
    are_yes = [np.array([*(word in YES for word in of), False]) for of in words]
    is_yes = np.column_stack([yes[column.codes] for yes, column in zip(are_yes, columns, strict=True)])
    is_rising = ~(is_yes[:, :-1] & ~is_yes[:, 1:]).any(axis=1)[is_yes.any(axis=1)]
    return float(is_rising.mean()) if is_yes[:, -1].mean() > is_yes[:, 0].mean() else 0.0


def alpha_of(columns: Sequence[Column]) -> float:
    """Return Cronbach's alpha of columns in the rows that have all; 0 where they are no numbers or do not vary."""
    if not all(column.has_numbers for column in columns):
        return 0.0
    items = np.column_stack([column.numbers for column in columns if column.numbers is not None])
    items = items[~np.isnan(items).any(axis=1)]
    whole = float(items.sum(axis=1).var()) if len(items) else 0.0
    number = len(columns)
    return number / (number - 1) * (1 - float(items.var(axis=0).sum()) / whole) if whole else 0.0


def are_levels(columns: Sequence[Column]) -> bool:
    """Whether columns are 0 or 1, and 1 at most once in each row: levels of one column that were spelled out."""
    are_binary = all(column.is_binary for column in columns)
    return are_binary and bool((np.sum([column.codes == 1 for column in columns], axis=0) <= 1).all())


def find_spelled_out(columns: Mapping[str, Column]) -> dict[str, list[Column]]:
    """Return columns of which others say what level they have, and these: arm, and arm_2 and arm_3, or chat and video.

    They are 0 or 1, follow from the column, and are called after it or after one of its levels. They say it again.
    """
    if len(columns) > _WIDEST:
        return {}
    binary = [each for each in columns.values() if each.is_binary]
    spelled_out = {}
    for name, column in columns.items() if len(binary) > 1 else ():
        if column.is_binary or column.is_fractional or column.n_levels < 2:
            continue
        few = column.levels if column.n_levels <= MOST_OF_RATING else ()
        levels = {plain for level in few if len(plain := plain_name(level)) > 1}
        named = [each for each in binary if each.name.startswith(name) or _ends_so(each.name, levels)]
        named = [each for each in named if not (column.has_numbers and _answers(each, column))]
        able = [each for each in named if determines(column, each)] if len(named) > 1 else []
        if len(able) > 1 and are_levels(able):
            spelled_out[name] = able
    return spelled_out


def find_cuts(columns: Mapping[str, Column]) -> list[Column]:
    """Return columns that say between which bounds a number lies, and are called after it: score_high beside score.

    What lies between bounds of a number of rounds or people was set for these, and who accepts an offer from some
    amount on has answered it.
    """
    if len(columns) > _WIDEST:
        return []
    words = {name: {*words_of_name(name)} for name in columns}
    numbers = [each for each in columns.values() if each.has_numbers and each.n_levels > _MOST_PARTS]
    numbers = [each for each in numbers if not (each.is_even or roles_of(each.name) & _OF_UNITS)]
    return [
        column
        for name, column in columns.items()
        if 2 <= column.n_levels <= _MOST_PARTS
        and any(
            words[number.name] < words[name] and not _answers(column, number) and _cuts(column, number)
            for number in numbers
        )
    ]


def _answers(column: Column, number: Column) -> bool:
    """Whether a column that is called after a number may be the answer to it, by its other words or by its levels."""
    words = [word for word in words_of_name(column.name) if word not in words_of_name(number.name)]
    has_words = not column.has_numbers and all(map(answer_of, column.levels))
    return has_words or bool(_OF_ANSWERS & roles_of("_".join(words)))


def _cuts(column: Column, number: Column) -> bool:
    """Whether a column has one level from each bound of a number to the next, and none of its levels twice."""
    both = column.filled & number.filled
    pairs = np.unique(np.column_stack([number.codes[both], column.codes[both]]), axis=0)
    is_one = len(pairs) > column.n_levels and bool((np.diff(pairs[:, 0]) > 0).all())
    return is_one and int((np.diff(pairs[:, 1]) != 0).sum()) == column.n_levels - 1


def _ends_so(name: str, levels: Collection[str]) -> bool:
    """Whether a name is one of some levels, or ends with it as with a word of its own."""
    plain = plain_name(name)
    return any(plain == level or plain.endswith(f"_{level}") for level in levels)


def are_ratings(columns: Sequence[Column]) -> bool:
    """Whether all columns have the same few numbers, as items of one scale: each of them goes with all the others."""
    numbers = {number for each in columns for number in each.values}
    return 2 < len(numbers) <= MOST_OF_RATING and all(2 * each.n_levels > len(numbers) for each in columns)


def are_decisions(columns: Sequence[Column]) -> bool:
    """Whether columns hold numbers of one range, as choices or amounts and no ratings do: two, or many.

    What answers amounts that rise from column to column may rise with them: what is returned of 2, of 4, of 6.
    """
    if not all(column.has_numbers for column in columns):
        return False
    spans = [float(np.ptp(column.values)) for column in columns]
    values = np.unique(np.concatenate([column.values for column in columns]))
    is_one_range = min(spans) > np.ptp(values) / 2
    lowest, highest = (np.array([end(column.values) for column in columns]) for end in (np.min, np.max))
    is_rising = bool((np.diff(highest) > 0).all() and lowest.max() < highest.min())  # and anybody may do little
    return (is_one_range and len(values) == 2) or ((is_one_range or is_rising) and len(values) > MOST_OF_RATING)


def words_of_name(name: str) -> list[str]:
    """Return the words of a column's name, in English.

    Examples
    --------
    >>> words_of_name("AgentAUtility"), words_of_name("Punkte_2"), words_of_name("acc12")
    (['agent', 'a', 'utility'], ['points', '2'], ['acc', '12'])
    """
    words = [english_name(part) for part in plain_name(name).split("_")]
    # Numbers at the end of a word are words of their own, but for player1 and the like.
    split = [[word] if _is_numbered_seat(word) else re.split(r"(?<=[a-z])(?=\d+$)", word) for word in words]
    return [english_name(word) for parts in split for word in parts]


def _is_numbered_seat(word: str) -> bool:
    return word[-1:].isdigit() and f"{word[:-1]}1" in _NUMBERED_SEATS


def pair_families(names: Iterable[str], pairs: Iterable[tuple[str, str]] | None = None) -> list[Family]:
    """Return the families of two words, those with most columns first.

    Parameters
    ----------
    names
        The columns.
    pairs
        The words that are looked for; None: any two that stand in otherwise equal names.
    """
    by_stem = _names_by_stem(names, frozenset(itertools.chain.from_iterable(SEAT_PAIRS if pairs is None else pairs)))
    wanted: Iterable[tuple[str, str]]
    if pairs is None:
        counts: dict[tuple[str, str], int] = defaultdict(int)
        for of in by_stem.values():
            # Of many columns that differ in one word, as all names of one word do, only roles are a pair.
            pairs_of_stem = itertools.combinations(sorted(of), 2) if len(of) <= 4 else _ROLE_PAIRS
            for pair in (pair for pair in pairs_of_stem if of.keys() >= {*pair}):
                counts[pair] += 1
        found = {frozenset(pair): pair for pair in counts}
        wanted = [next((pair for pair in SEAT_PAIRS if set(pair) == key), found[key]) for key in found]
    else:
        wanted = pairs
    families = []
    for one, other in wanted:
        stems: dict[str, tuple[str, ...]] = {
            stem: (of[one], of[other])
            for stem, of in by_stem.items()
            if one in of and other in of and of[one] != of[other] and not _is_longer(of, one, other)
        }
        if stems:
            families.append(Family((one, other), stems))
    return sorted(families, key=lambda family: (-len(family.stems), family.words))


def _names_by_stem(names: Iterable[str], known: frozenset[str]) -> dict[str, dict[str, str]]:
    """Return for what is left of names without one of their words that word and the name.

    The beginning of a `known` word stands for the whole of it.
    """
    by_stem: dict[str, dict[str, str]] = defaultdict(dict)
    for name in names:
        words = _without_seat_word(words_of_name(name))
        first, *parts = name.split(".")
        inner = {english_name(plain_name(part)) for part in parts[:-1]}
        # So is what each of two people is in another table: person_1.age.
        inner |= {words_of_name(first)[-1]} if parts else set()
        if (numbered := _numbered_start(words)) is not None:
            by_stem[numbered[1]].setdefault(numbered[0], name)
        for place, word in enumerate(words):
            # What a seat has inside an object is called by what comes after the seat: people.a1.points.
            before = [] if word in inner else words[:place]
            stem = "_".join([*before, *words[place + 1 :]])
            if _is_numbered_seat(word):  # player1 beside score1
                by_stem["_".join([*before, word[:-1], *words[place + 1 :]])].setdefault(word[-1], name)
            for whole in {word, *(roles_begun_by(word) & known)}:
                is_letter_inside = len(whole) == 1 and 0 < place < len(words) - 1 and word not in inner
                if words.count(word) == 1 and not is_letter_inside:
                    by_stem[stem].setdefault(whole, name)
    return by_stem


def _numbered_start(words: Sequence[str]) -> tuple[str, str] | None:
    """Return the word and number with which a name of further words begins, and these: firm0 and price of firm0_price.

    Rounds and questions are numbered so too, and are no seats.
    """
    is_numbered = len(words) > 2 and words[0].isalpha() and re.fullmatch("[0-9]", words[1]) is not None
    if not is_numbered or ROUND_WORDS.fullmatch(words[0]) or words[0] in _SEAT_WORDS:
        return None
    return f"{words[0]}{words[1]}", "_".join(words[2:])


def _is_longer(words: Iterable[str], one: str, other: str) -> bool:
    """Whether two numbers or letters are of a longer series: of items 1 to 3, or seats A to C, no two are a pair."""
    others = [word for word in words if word not in (one, other)]
    if one[-1:].isdigit():
        start = one.rstrip("0123456789")
        return any(word.startswith(start) and word.removeprefix(start).isdigit() for word in others)
    are_letters = len(one) == len(other) == 1
    return are_letters and any(len(word) == 1 and word.isalpha() for word in others)


def _without_seat_word(words: list[str]) -> list[str]:
    """Return the words of a name without a word for a seat before its letter or number: agent_a_score is a_score."""
    if len(words) < 3:
        return words  # Agent 1 names the agent
    follows = [*words[1:], ""]
    return [word for word, after in zip(words, follows, strict=True) if not (word in _SEAT_WORDS and len(after) == 1)]


def roles_begun_by(part: str) -> set[str]:
    """Return the role of which a part of a name is the beginning: cand is candidate.

    Examples
    --------
    >>> roles_begun_by("cand"), roles_begun_by("pro")
    ({'candidate'}, {'proposer'})
    """
    whole = {word for word in ROLES if word.startswith(part)} if len(part) >= _SHORTEST else set[str]()
    return whole if len(whole) == 1 else set()


def has_one_sum(first: Column, second: Column) -> bool:
    """Whether two columns of numbers that vary have one sum in all rows that have both."""
    if first.numbers is None or second.numbers is None or first.n_levels < 2:
        return False
    sums = (first.numbers + second.numbers)[first.filled & second.filled]
    return len(sums) >= _LEAST_ROWS and bool(np.ptp(sums) < 1e-6)


def are_opposed(first: Column, second: Column) -> bool:
    """Whether more of one column of numbers goes with less of another."""
    both = first.filled & second.filled
    if first.numbers is None or second.numbers is None or both.sum() < 10 or min(first.n_levels, second.n_levels) < 4:
        return False
    return bool(np.corrcoef(first.numbers[both], second.numbers[both])[0, 1] < -0.3)


def are_people(first: Column, second: Column, *, are_called_so: bool = False) -> bool:
    """Whether two columns name people, of which nobody stands in both columns of a row: many, unless they say so."""
    least = _LEAST_ROWS if are_called_so else max(_LEAST_ROWS, first.rows // _MOST_GAMES)
    both = (first, second)
    if min(first.n_levels, second.n_levels) < least or any(
        each.is_fractional or each.is_moment or each.is_prose for each in both
    ):
        return False
    names = [np.array([*column.levels, ""], dtype=object)[column.codes] for column in both]
    return not bool((names[0] == names[1]).any())


def name_people(stem: str, first: Column, other: Column) -> bool:
    """Whether the columns of both seats name people; what is called after a seat alone may be what it got.

    Numbers without a further word name people if they number them.
    """
    are_codes = first.has_codes and other.has_codes and not are_crossed(first, other)
    is_called_so = stem in OWN_STEMS["person"]
    if not ((is_called_so or are_codes) and are_people(first, other, are_called_so=is_called_so and bool(stem))):
        return False
    are_numbered = all(column.is_run or column.numbers_rows for column in (first, other))
    return bool(stem) or not first.has_numbers or (are_numbered and not has_one_sum(first, other))


def group_by_seat(names: Iterable[str], seats: Collection[str] = ()) -> dict[str, dict[str, str]]:
    """Return for what names have in common that differ in the number or letter of a seat alone these, and the names.

    So may what names people, or have words that are known for `seats`, differ in a word.

    Examples
    --------
    >>> group_by_seat(["share_1", "share_2", "share_3", "a_vote", "b_vote"])
    {'share': {'1': 'share_1', '2': 'share_2', '3': 'share_3'}}
    >>> group_by_seat(["player1_bid", "player2_bid", "player3_bid"])
    {'bid': {'1': 'player1_bid', '2': 'player2_bid', '3': 'player3_bid'}}
    >>> group_by_seat(["subjectCook", "subjectWaiter", "subjectGuest"])
    {'subject': {'cook': 'subjectCook', 'waiter': 'subjectWaiter', 'guest': 'subjectGuest'}}
    """
    by_stem: dict[str, dict[str, str]] = defaultdict(dict)
    for name in names:
        words = _without_seat_word(words_of_name(name))
        for place, word in enumerate(words):
            seat = word[-1] if _is_numbered_seat(word) and len(words) > 1 else word
            stem = "_".join([*words[:place], *words[place + 1 :]])
            is_word = seat in seats or (stem in _PEOPLE and seat.isalpha() and roles_of(seat) <= {"seat"})
            if _SEAT.fullmatch(seat) or is_word:
                by_stem[stem].setdefault(seat, name)
    return {stem: of for stem, of in by_stem.items() if _FEWEST_MEMBERS <= len(of) <= _MOST_MEMBERS}


def find_members(columns: Mapping[str, Column]) -> dict[str, str]:
    """Return for the number or letter of each seat the column that names who sat there, where three or more do.

    Their names differ in the seat alone, and nobody stands in two columns of a row.
    """
    for stem, of in group_by_seat(columns).items():
        members = [columns[name] for name in of.values()]
        own_stems = (stem, stem.partition("_")[2])  # after a word for seats: s1_subject, s2_subject
        are_called_so = not _MEMBERS.isdisjoint(own_stems) or all(each.has_codes for each in members)
        pairs = itertools.combinations(members, 2)
        if are_called_so and not ROUND_WORDS.fullmatch(stem) and all(are_people(*pair) for pair in pairs):
            return of
    return {}


def seat_stems(sides: Family | None, members: Mapping[str, str], names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return for what names have in common the columns of the two or more seats of each row's game."""
    if sides is not None:
        return sides.stems
    groups = group_by_seat(names, members.keys()).items() if members else ()
    return {stem: tuple(of.values()) for stem, of in groups if of.keys() == members.keys()}


def _change_places(first: Column, second: Column) -> bool:
    """Whether two names stand in both columns the other way round in another row."""
    both = first.filled & second.filled
    codes = np.unique(np.column_stack([first.codes[both], second.codes[both]]), axis=0).tolist()
    pairs = {(first.levels[one], second.levels[other]) for one, other in codes}
    return any((other, one) in pairs for one, other in pairs)


def are_crossed(first: Column, second: Column) -> bool:
    """Whether two columns of words name the same many, and each meets each as often: agents of a tournament."""
    names = {*first.levels}
    if first.has_numbers or min(first.n_levels, second.n_levels) < _FEWEST_CROSSED:
        return False
    if first.rows < _MEET * (first.n_levels - 1) * second.n_levels:
        return False  # too few rows for most pairs to have met
    if len(names & {*second.levels}) < _SAME_NAMES * len(names | {*second.levels}):
        return False
    both = first.filled & second.filled
    times = np.bincount(
        (first.codes * second.n_levels + second.codes)[both], minlength=first.n_levels * second.n_levels
    )
    met = times[times > 0]
    is_usual = met == np.median(met)  # but for a row that stands twice, or was lost
    place = {level: code for code, level in enumerate(second.levels)}
    own = [code * second.n_levels + place[level] for code, level in enumerate(first.levels) if level in place]
    n_able = len(times) - (0 if times[own].any() else len(own))  # nobody may have met themselves
    return bool(is_usual.mean() >= _AS_OFTEN and len(met) >= _MEET * n_able)


def who_met(family: Family | None, columns: Mapping[str, Column]) -> tuple[Column, Column] | None:
    """Return the columns that name both who met in each row, be they people or agents; None where none do.

    Where no family is known by its words, these are two columns of the same names, of which each meets each as often
    and never itself.
    """
    if family is not None:
        both = {
            stem: (columns[one], columns[other])
            for stem, (one, other) in family.stems.items()
            if one in columns and other in columns and stem in OWN_STEMS["person"] | OWN_STEMS["agent"]
        }
        return next((of for stem, of in both.items() if name_people(stem, *of) or are_crossed(*of)), None)
    able = [
        column
        for column in dict.fromkeys(columns.values())
        if not column.has_numbers and column.n_levels >= _FEWEST_CROSSED
    ]
    pairs = itertools.combinations(able[:_MOST_NAMES], 2)
    return next((of for of in pairs if are_crossed(*of) and are_people(*of)), None)


def are_programs(first: Column, second: Column) -> bool:
    """Whether both who met in each row are agents: by their names, or as each meets each and none has a code."""
    if are_programs_names(first) and are_programs_names(second):
        return True
    return are_crossed(first, second) and not first.has_codes


def _follows_seat_word(word: str, name: str) -> bool:
    """Whether a number or letter stands behind a word for a seat in a longer name: agent_1_scores, but not item_1."""
    words = words_of_name(name)
    return len(words) > 2 and any(pair[0] in _SEAT_WORDS and pair[1] == word for pair in itertools.pairwise(words))


def seat_points(family: Family, columns: Mapping[str, Column]) -> float:
    """Return how much speaks for the two words of a family as seats of a row's game."""
    words = family.words
    is_known = words in SEAT_PAIRS
    is_loose = len(words[0]) == 1 and not any(_follows_seat_word(*pair) for pair in family.pairs)
    # A question with a number of its own, q1_a and q1_b, is no round that the letters tell apart.
    own_stems = [stem for stem in family.stems if not stem[-1:].isdigit()]
    has_rounds = any(map(ROUND_WORDS.fullmatch, own_stems or family.stems))
    if has_rounds and (is_loose or not is_known):
        return 0.0
    points = (1.0 if is_loose else 2.5) if is_known else 0.0
    both = {stem: (columns[of[0]], columns[of[1]]) for stem, of in family.stems.items()}
    # Points stand there once for each of two rounds as well.
    may_be_rounds = words[0].isdigit() or (not is_known and words[0][-1:].isdigit())
    kinds = [kind for kind in OWN_STEMS if kind != "points" or not may_be_rounds]
    known = [stem for stem in both if stem and any(stem in OWN_STEMS[kind] for kind in kinds)]
    points += 1.5 * bool(known) + 0.5 * (len(both) > 1)
    people = [of for stem, of in both.items() if (is_known or stem) and name_people(stem, *of)]
    # Where two change places from row to row, each row is an offer of one of them.
    if people and not (words in _ROLE_PAIRS and _change_places(*people[0])):
        points += 3.0
    if any(are_crossed(*of) for of in both.values()):
        points += 2.0
    if any(has_one_sum(*of) for stem, of in both.items() if stem):
        points += 2.0
    elif any(are_opposed(*of) for of in both.values()):
        points += 1.0
    partly = [of for of in both.values() if 0.02 < of[0].share_filled < 0.98]
    if len(partly) > 1 and all(bool((of[0].filled == of[1].filled).all()) for of in partly):
        points += 1.0
    return points if is_known or len(both) > 1 else 0.0


def seats_of_rows(columns: Mapping[str, Column]) -> Family | None:
    """Return the family of columns whose two words are the seats of each row's game; None if there are none."""
    scored = [(seat_points(family, columns), family) for family in pair_families(columns)]
    scored = [(points, family) for points, family in scored if points >= _LEAST_POINTS]
    if not scored:
        return None
    _, best = max(scored, key=lambda each: (each[0], len(each[1].stems)))
    # Of agent1 and agent2 beside score1 and score2 the numbers tell more than the agents alone.
    wider = (family for _, family in scored if {*family.stems.values()} > {*best.stems.values()})
    return max(wider, key=lambda family: len(family.stems), default=best)


def number_families(names: Iterable[str]) -> dict[tuple[int, ...], dict[str, list[str]]]:
    """Return for sets of numbers the columns that stand there once for each, by their names with ``{round}`` in them.

    Examples
    --------
    >>> number_families(["r1_offer", "r2_offer", "r1_time", "r2_time"])
    {(1, 2): {'r{round}_offer': ['r1_offer', 'r2_offer'], 'r{round}_time': ['r1_time', 'r2_time']}}
    """
    stems: dict[str, dict[int, str]] = defaultdict(dict)
    for name in names:
        if match := re.search(r"(?<![0-9])[0-9]{1,3}(?![0-9])", name):
            stems[f"{name[: match.start()]}{{round}}{name[match.end() :]}"][int(match[0])] = name
    families: dict[tuple[int, ...], dict[str, list[str]]] = defaultdict(dict)
    for stem, of in stems.items():
        if len(of) > 1:
            numbers = tuple(sorted(of))
            families[numbers][stem] = [of[number] for number in numbers]
    return dict(families)


def find_copies(columns: Mapping[str, Column]) -> list[tuple[Column, list[Column]]]:
    """Return columns, each with numbered ones that say again what it says in the other rows of a game."""
    if len(columns) > _WIDEST:
        return []
    families = [of for stems in number_families(columns).values() for of in stems.values() if len(of) <= _MOST_REPEATED]
    able = [column for column in columns.values() if column.has_numbers] if families else []
    copies = []
    for family in ([columns[name] for name in of] for of in families):
        own = next((each for each in able if each not in family and repeat_others(family, each)), None)
        copies += [(own, family)] if own is not None else []
    return copies
