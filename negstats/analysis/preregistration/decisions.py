"""Which numbers follow from which: what people decided is what others follow from, whatever it is called.

Two kinds of relation are looked for in the values of a study, and neither looks at what came of a factor: exact sums
(a payoff is what is left of an endowment and a share of what all gave) and tables (two choices give a payoff). Any of
the numbers of a sum follows from the others; what is chosen has fewer different values than what is computed.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

FEWEST_VALUES = 8  # rows for each number of a sum, at least
FEWEST_TERMS = 3  # of an exact sum: what it is of, and itself
MOST_NUMBERS, MOST_GAMES = 24, 1_000  # in which relations are looked for
LEAST_TERM = 0.01  # of the range of a sum, which a term moves it by at least
ROUNDED = 0.005  # of the range of a sum, by which rounding may miss it
AS_MANY, AS_MANY_CALLED = 0.8, 0.5  # of the different values of another number, so that they are about as many
MOST_CHOICES, MOST_LEVELS = 8, 30  # numbers of a table, and different values of one
LEAST_FILLED = 0.5  # of the rows
LEAST_GROWING = 0.5  # of the rows, at least, in which a running sum has grown
FEWEST_SHARES, LEAST_SPREAD = 20, 3  # of an amount that is given of another, and how much larger this is at times
AS_HIGH, AS_LOW = 0.7, 0.3  # of the largest share: where shares of small and of large amounts end and begin
OF_ALL = "all "  # begins what all seats of a game have of a number together
MOST_TERMS, MOST_OF_SUM = 24, 5  # numbers among which sums are looked for, and numbers of one
MOST_SETS = 20_000  # of such numbers
NO_REST = 1e-3  # of the correlations of such numbers, the least eigenvalue

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Links:
    """What follows from what.

    Attributes
    ----------
    results : set of str
        Numbers that follow from others.
    choices : set of str
        Numbers that others follow from, and that follow from none.
    replies : set of tuple of str
        Numbers between nothing and a multiple of another, each with that other: what is given back is a part of what
        was sent.
    """

    results: set[str] = field(default_factory=set)
    choices: set[str] = field(default_factory=set)
    replies: set[tuple[str, str]] = field(default_factory=set)


def find_links(values: pd.DataFrame, called_results: Collection[str] = ()) -> Links:
    """Return which numbers of a study follow from others.

    Parameters
    ----------
    values
        A row for each seat, with the columns ``game_id`` and ``player``, and a column for each number.
    called_results
        Numbers that are called as a result, such as a payoff. Of those with about as many different values one of them
        is taken for what follows.

    Examples
    --------
    >>> give, game = np.arange(90) * 7 % 11, np.repeat(np.arange(30), 3)
    >>> values = pd.DataFrame({"game_id": game, "player": np.arange(90) % 3, "give": give})
    >>> values["pot"] = values.groupby("game_id")["give"].transform("sum")
    >>> values["left"] = 10 - values["give"] + 0.5 * values["pot"]
    >>> links = find_links(values)
    >>> sorted(links.results), sorted(links.choices)
    (['left', 'pot'], ['give'])
    """
    names = [name for name in values.columns if name not in ("game_id", "player")][:MOST_NUMBERS]
    usable = [name for name in names if values[name].notna().mean() > LEAST_FILLED and values[name].nunique() > 1]
    rows = values.dropna(subset=usable)
    totals = _sum_seats(values, rows, usable)
    relations = [*_find_totals(rows, usable, totals, called_results)]
    relations += _find_sums(rows[usable].join(totals), called_results)
    relations += _find_tables(rows, usable)
    relations += _find_tables_of_games(rows, usable, totals)
    relations += _find_running_sums(rows, usable)
    results = {result for result, _ in relations}
    choices = {choice for _, terms in relations for choice in terms}
    results.discard("")
    replies = {pair for pair in itertools.permutations(usable, 2) if _is_part(rows, *pair)}
    return Links(results & {*usable}, (choices & {*usable}) - results, replies)


def _sum_seats(values: pd.DataFrame, rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return what all seats of a game have together of each number in which they differ."""
    games = values.groupby("game_id")
    if len(games) == len(values):
        return pd.DataFrame(index=rows.index)
    differing = [name for name in names if int(games[name].nunique().max()) > 1]
    sums = {OF_ALL + name: games[name].transform("sum").round(6) for name in differing}
    return pd.DataFrame(sums, index=values.index).loc[rows.index]


Found = Iterator[tuple[str, set[str]]]


def _find_totals(
    rows: pd.DataFrame, names: Sequence[str], totals: pd.DataFrame, called_results: Collection[str]
) -> Found:
    """Yield numbers of games that are what all seats together have of another number, or a multiple of it.

    Of results such as points it is the other way round: what was sent and grew is what all of them come of.
    """
    for name, total in itertools.product(names, totals.columns):
        own = total.removeprefix(OF_ALL)
        if own != name and OF_ALL + name not in totals and _is_line(rows[name], totals[total]):
            comes_first = own in called_results and name not in called_results
            yield (own, {name}) if comes_first else (name, {own})


def _is_line(first: pd.Series, second: pd.Series) -> bool:
    """Whether one number is a straight line of another."""
    if len(first) < FEWEST_VALUES or second.nunique() < FEWEST_TERMS or first.nunique() < FEWEST_TERMS:
        return False
    slope, start = np.polyfit(second, first, 1)
    return bool(np.abs(first - start - slope * second).max() < ROUNDED * np.ptp(first))


def _find_sums(rows: pd.DataFrame, called_results: Collection[str]) -> Found:
    """Yield numbers that are exact sums of others, with what they are sums of.

    What all seats have together is itself no result. What a single other number gives is that number in another form,
    and no sum.
    """
    forms = _find_forms(rows)
    names = [name for name in rows.columns if forms[name] == name][:MOST_TERMS]
    sums = _find_smallest_sums(rows[names])
    times = Counter(itertools.chain.from_iterable(sums))
    results = set[str]()
    for terms in sums:
        if not results.isdisjoint(terms):
            continue  # what two sums have in common gives a third one
        result, others = _part_sum(terms, times, rows[names].nunique(), called_results)
        if result and not _is_sum(rows, result, terms):
            continue
        results.add(result)
        yield result, {name.removeprefix(OF_ALL) for name in others}


def _part_sum(
    terms: Sequence[str], times: Mapping[str, int], n_different: pd.Series, called_results: Collection[str]
) -> tuple[str, set[str]]:
    """Return which number of a sum is computed, and which are not; of some that may be no name is returned.

    What is computed stands in fewest sums and has most different values; of about as many a name tells.
    """
    candidates = [name for name in terms if not name.startswith(OF_ALL)]
    candidates = [name for name in candidates if times[name] == min(times[other] for other in candidates)]
    most = max((int(n_different[name]) for name in candidates), default=0)
    called = [name for name in candidates if name in called_results and n_different[name] >= AS_MANY_CALLED * most]
    tied = called if len(called) == 1 else [name for name in candidates if n_different[name] >= AS_MANY * most]
    return tied[0] if len(tied) == 1 else "", {*terms} - {*tied}


def _find_forms(rows: pd.DataFrame) -> dict[str, str]:
    """Return for each number the first one of which it is a straight line: another form of it."""
    forms = dict[str, str]()
    for name in rows.columns:
        firsts = (form for form in forms.values() if _is_line(rows[name], rows[form]))
        if rows[name].nunique() > 1:
            forms[name] = next(firsts, name)
    return {name: forms.get(name, "") for name in rows.columns}


def _find_smallest_sums(rows: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return the sets of numbers, as small as there are any, of which each is a sum of the others."""
    correlations = np.corrcoef(rows.to_numpy(dtype="float64"), rowvar=False) if len(rows) > FEWEST_VALUES else np.eye(1)
    largest = min(MOST_OF_SUM, len(rows.columns), len(rows) // FEWEST_VALUES)
    for size in range(FEWEST_TERMS, largest + 1):
        if math.comb(len(rows.columns), size) > MOST_SETS:
            break
        sets = np.array([*itertools.combinations(range(len(correlations)), size)]).reshape(-1, size)
        least = np.linalg.eigvalsh(correlations[sets[:, :, None], sets[:, None, :]])[:, 0]
        if (least < NO_REST).any():
            return [tuple(rows.columns[place] for place in places) for places in sets[least < NO_REST]]
    return []


def _is_sum(rows: pd.DataFrame, result: str, terms: Sequence[str]) -> bool:
    """Whether a number is the sum of the others but for rounding, and each of these moves it."""
    values = rows[[*terms]].to_numpy(dtype="float64")
    values -= values.mean(axis=0)
    ranges, place = np.ptp(values, axis=0), terms.index(result)
    others = [other for other in range(len(terms)) if other != place]
    weights, *_ = np.linalg.lstsq(values[:, others], values[:, place], rcond=None)
    rest = np.abs(values[:, place] - values[:, others] @ weights).max()
    return bool(
        (np.abs(weights) * ranges[others] > LEAST_TERM * ranges[place]).all() and rest < ROUNDED * ranges[place]
    )


def _find_tables(rows: pd.DataFrame, names: Sequence[str]) -> Found:
    """Yield numbers that two others of few values give in each row, though neither does alone."""
    few = [name for name in names if rows[name].nunique() <= MOST_LEVELS][:MOST_CHOICES]
    n_different = rows[few].nunique()
    for result in few:
        # What is chosen has no more different values than what is computed of it.
        candidates = [name for name in few if name != result and n_different[name] <= n_different[result]]
        for first, second in itertools.combinations(candidates, 2):
            if _is_given(rows, result, [first, second]) and not any(
                n_different[choice] == n_different[result] and _is_given(rows, choice, [result, other])
                for choice, other in ((first, second), (second, first))
            ):
                yield result, {first, second}


def _find_tables_of_games(rows: pd.DataFrame, names: Sequence[str], totals: pd.DataFrame) -> Found:
    """Yield numbers that the own choice and that of all seats of a game give, and these not the choice."""
    own = [name for name in names if OF_ALL + name in totals]
    whole = rows.join(totals)
    for choice, result in itertools.permutations(own, 2):
        of_choice, of_result = OF_ALL + choice, OF_ALL + result
        if _is_given(whole, result, [choice, of_choice]) and not _is_given(whole, choice, [result, of_result]):
            yield result, {choice}


def _find_running_sums(rows: pd.DataFrame, names: Sequence[str]) -> Found:
    """Yield numbers that grow from each game to the next by what one seat has of another, and begin anew with it."""
    seats = [seat for _, seat in rows.groupby("player")]
    for total, term in itertools.permutations(names, 2):
        if any(_is_running_sum(seat[total], seat[term]) for seat in seats):
            yield total, {term}


def _is_running_sum(total: pd.Series, term: pd.Series) -> bool:
    grows, begins = np.isclose(total.diff(), term), np.isclose(total, term)
    is_sum = bool((grows | begins).all()) and term.nunique() > 1
    return is_sum and len(total) >= FEWEST_VALUES and (grows & ~begins).sum() >= LEAST_GROWING * len(total)


def _is_part(rows: pd.DataFrame, part: str, whole: str) -> bool:
    """Whether a number lies between nothing and a multiple of another, be that small or large: it is given of it.

    Of two numbers that do not hang together the one is the larger a share of the other the smaller that is.
    """
    known = rows[[part, whole]]
    is_there = known[whole] > 0
    there = known[is_there]
    if (known < 0).any(axis=None) or len(there) < FEWEST_SHARES or (known[part][~is_there] != 0).any():
        return False
    shares, is_large = there[part] / there[whole], there[whole] > there[whole].median()
    if not is_large.sum() >= FEWEST_VALUES or there[whole].max() < LEAST_SPREAD * there[whole].min():
        return False
    halves = [shares[is_large], shares[~is_large]]
    tops, bottoms = [half.max() for half in halves], [half.min() for half in halves]
    return bool(min(tops) >= AS_HIGH * max(tops) > 0 and max(bottoms) <= AS_LOW * min(tops))


def _is_given(rows: pd.DataFrame, result: str, choices: list[str]) -> bool:
    """Whether two numbers together give one value of another in all rows, each pair in several rows; and none alone."""
    pairs = rows.groupby(choices)[result].nunique()
    is_known = FEWEST_TERMS <= len(pairs) < len(rows) / 2 and int(pairs.max()) == 1
    return is_known and all(int(rows.groupby(choice)[result].nunique().max()) > 1 for choice in choices)


def values_of_seats(columns: Mapping[str, pd.DataFrame], seats: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each seat of the first games with the values of some numbers, each of seats or of games.

    Parameters
    ----------
    columns
        For each number its frame, with ``game_id``, ``value``, and ``player`` where it is one of seats.
    seats
        The ``game_id`` and ``player`` of all seats.
    """
    table = seats[seats["game_id"].isin(seats["game_id"].unique()[:MOST_GAMES])]
    for name, frame in columns.items():
        on = ["game_id", "player"] if "player" in frame and frame["game_id"].duplicated().any() else ["game_id"]
        own = frame[[*on, "value"]].rename(columns={"value": name}).astype({name: "float64"})
        if not own.duplicated(on).any():
            table = table.merge(own, on=on, how="left")
    return table
