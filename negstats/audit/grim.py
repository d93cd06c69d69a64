"""Means, percentages and SDs of whole numbers: which of them n people can have; the bounds of such a search.

The mean of n whole numbers is a multiple of 1/n, so most means with two decimals are impossible for small n (GRIM:
Brown and Heathers, 2017, Social Psychological and Personality Science 8, 363-369). The sum of squares is whole as well,
and odd or even as the sum is, which leaves few SDs (GRIMMER: Anaya, 2016, PeerJ Preprints 4:e2400v1; Allard, 2018).
`check_means` holds a table of printed means and SDs against both, a row each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, LogError, one_line
from negstats.printed_numbers import Printable, check_n, printed

if TYPE_CHECKING:
    import pandas as pd

IntArray: TypeAlias = npt.NDArray[np.int64]


class OutOfBudget(Exception):  # noqa: N818 - no error: the search ends here and its result says so
    """The search has looked at as many candidates as it may."""


@dataclass(slots=True)
class Budget:
    """Counts candidates; `spend` raises OutOfBudget before more than `limit` are made.

    Examples
    --------
    >>> budget = Budget(10)
    >>> budget.spend(10)
    >>> budget.spent
    10
    """

    limit: int
    spent: int = 0

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise DesignError(f"limit is {self.limit!r}; give the number of candidates to look at, at least 1")

    def spend(self, candidates: int) -> None:
        """Count `candidates` that are about to be made."""
        if self.spent + candidates > self.limit:
            raise OutOfBudget
        self.spent += candidates


def spread_out(low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """Return every whole number from low[i] to high[i] and the i that it belongs to.

    Examples
    --------
    >>> spread_out(np.array([0, 5, 3]), np.array([1, 5, 2]))
    (array([0, 0, 1]), array([0, 1, 5]))
    """
    sizes = np.maximum(high - low + 1, 0)
    owner = np.repeat(np.arange(len(low)), sizes)
    starts = np.cumsum(sizes) - sizes
    return owner, np.arange(len(owner)) - starts[owner] + low[owner]


def compositions(total: int, caps: IntArray, budget: Budget) -> IntArray:
    """Return every way to write `total` as a sum of non-negative parts, part j at most caps[j]; one a row.

    Examples
    --------
    >>> compositions(2, np.array([1, 2, 1]), Budget(100))
    array([[0, 1, 1],
           [0, 2, 0],
           [1, 0, 1],
           [1, 1, 0]])
    """
    later = np.cumsum(caps[::-1])[::-1]
    partial_sums = np.empty((1 if 0 <= total <= later[0] else 0, 0), dtype=np.int64)
    remainders = np.full(len(partial_sums), total, dtype=np.int64)
    for index, cap in enumerate(caps):
        caps_behind = later[index + 1] if index + 1 < len(caps) else 0
        low, high = np.maximum(remainders - caps_behind, 0), np.minimum(remainders, cap)
        budget.spend(int(np.maximum(high - low + 1, 0).sum()))
        owner, part = spread_out(low, high)
        partial_sums = np.column_stack([partial_sums[owner], part])
        remainders = remainders[owner] - part
    return partial_sums


@dataclass(frozen=True, slots=True)
class Grim:
    """Whether a printed mean or percentage is possible.

    Attributes
    ----------
    consistent : bool
        Whether any whole total rounds to what is printed.
    totals : range
        The whole totals (the counts, for a percentage) that do; empty if it is impossible.
    nearest : tuple of float
        The nearest possible values at or below and at or above what is printed, unrounded.
    """

    consistent: bool
    totals: range
    nearest: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Grimmer:
    """Whether a printed mean and SD are possible together.

    Attributes
    ----------
    consistent : bool
        Whether whole numbers with that mean and SD were found.
    total, squares : int or None
        Sum and sum of squares of the first such sample; None if there is none. With several items a person they are
        of the sums over items.
    complete : bool
        Whether the answer is certain. False: the limit was reached before anything was found.
    """

    consistent: bool
    total: int | None
    squares: int | None
    complete: bool


@dataclass(frozen=True, slots=True)
class Possible:
    """Whether whole answers can have a printed mean and SD: the rung of the ladder on which they fail.

    Attributes
    ----------
    fault : str
        "mean" (GRIM), "SD" (GRIMMER), "SD of 0s and 1s" (DEBIT); empty if nothing speaks against them.
    known : bool
        Whether the answer is certain. False: the search stopped at its limit.
    why : str
        One part of a sentence.
    nearest : tuple of float
        As in `Grim`.
    """

    fault: str
    known: bool
    why: str
    nearest: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class FittingCounts:
    """Whole counts that round to printed percentages.

    Attributes
    ----------
    frame : pandas.DataFrame
        One row for each count that fits: ``place`` of the percentage (from 0), what is ``printed``, ``n``, ``count``
        and the unrounded ``value``.
    unique : tuple of int or None
        The counts, if each percentage has exactly one n and count; else None.
    impossible : tuple of int
        Places of the percentages that no count gives.
    """

    frame: pd.DataFrame
    unique: tuple[int, ...] | None
    impossible: tuple[int, ...]


def grim(mean: Printable, n: int, items: int = 1, *, unit: float = 1) -> Grim:
    """Check whether whole numbers of `n` people can have a printed mean (GRIM).

    Parameters
    ----------
    mean
        The printed mean; text keeps its zeros at the end.
    n
        People.
    items
        Items that each person's score averages over (a scale of three items has steps of 1/3).
    unit
        What a whole number is multiplied by: 100 for a percentage of people, 5 for points that come in fives.

    Returns
    -------
    Grim
        Whether the mean is possible, and the possible means next to it.

    Raises
    ------
    DesignError
        If the mean is not a number, or n, items or unit is not positive.

    Examples
    --------
    >>> grim("3.45", 10).consistent
    False
    >>> grim("5.15", 97, unit=100).totals
    range(5, 6)
    """
    number, steps = printed(mean, "mean"), _steps(n, items, unit)
    low, high = (bound * steps for bound in number.exact)
    totals = range(math.ceil(low), math.floor(high) + 1)
    exact_total = number.number * steps
    nearest = float(math.floor(exact_total) / steps), float(math.ceil(exact_total) / steps)
    return Grim(bool(totals), totals, nearest)


def _steps(n: int, items: int, unit: float) -> Fraction:
    if not unit > 0:
        raise DesignError(f"unit is {unit!r}; give a positive number, such as 100 for percentages")
    return Fraction(check_n(n) * check_n(items, "items")) / Fraction(str(unit))


def debit(mean: Printable, sd: Printable, n: int) -> bool:
    """Check whether `n` answers of 0 and 1 can have a printed mean and SD (DEBIT).

    Parameters
    ----------
    mean, sd
        As printed; text keeps their zeros at the end.
    n
        People.

    Returns
    -------
    bool
        True where some number of ones gives both as they are printed.

    Raises
    ------
    DesignError
        If a number is none, or n is smaller than 2.

    Notes
    -----
    The SD of 0s and 1s follows from their mean, √(m (1 − m) n / (n − 1)); Heathers and Brown (2019).

    References
    ----------
    Heathers, J. A. J., & Brown, N. J. L. (2019). OSF, pm825.

    Examples
    --------
    >>> debit(".35", ".48", 100), debit(".35", ".44", 100)
    (True, False)
    """
    check_n(n, least=2)
    spread = printed(sd, "sd")
    return any(
        spread.agrees(math.sqrt(total * (n - total) / (n * (n - 1))))
        for total in grim(mean, n).totals
        if 0 <= total <= n
    )


def counts_with(
    percentages: Sequence[Printable], ns: Sequence[int | Iterable[int]], *, unit: float = 100
) -> FittingCounts:
    """List the whole counts that printed percentages can stand for.

    Parameters
    ----------
    percentages
        Printed percentages; text keeps their zeros at the end.
    ns
        People of each: a number, or the numbers to try (``range(1, 60)``) where n is not printed.
    unit
        100 for percentages, 1 for proportions.

    Returns
    -------
    FittingCounts
        The counts that fit; none if the percentages cannot belong to these people.

    Raises
    ------
    DesignError
        If there are not as many ns as percentages.

    Examples
    --------
    >>> walked = counts_with(["5.15", "6.00", "5.15", "19.79", "24.44", "9.71"], [97, 100, 97, 96, 90, 103])
    >>> walked.unique
    (5, 6, 5, 19, 22, 10)
    >>> counts_with([".83"], [range(1, 15)], unit=1).frame[["n", "count"]].to_numpy().tolist()
    [[6, 5], [12, 10]]
    """
    import pandas as pd

    numbers = [printed(value, "percentages") for value in percentages]
    if len(numbers) != len(ns):
        raise DesignError(f"got {len(numbers)} percentages and {len(ns)} ns; give an n (or a range) for each")
    rows = [
        (index, str(number), n, count, unit * count / n)
        for index, (number, possible_n) in enumerate(zip(numbers, ns, strict=True))
        for n in ([possible_n] if isinstance(possible_n, int) else possible_n)
        for count in grim(number, n, unit=unit).totals
        if 0 <= count <= n
    ]
    frame = pd.DataFrame(rows, columns=["place", "printed", "n", "count", "value"])
    frame.attrs["schema"] = "FittingCounts/1"
    n_counts = frame.groupby("place").size().reindex(range(len(numbers)), fill_value=0)
    unique = tuple(frame["count"].tolist()) if (n_counts == 1).all() else None
    return FittingCounts(frame, unique, tuple(n_counts.index[n_counts == 0].tolist()))


def grimmer(
    mean: Printable, sd: Printable, n: int, items: int = 1, *, ddof: int = 1, limit: int = 1_000_000
) -> Grimmer:
    """Check whether whole numbers of `n` people can have a printed mean and SD (GRIMMER).

    Exact in both directions for whole numbers of any size: it finds a sum of squares that some sample has, or shows
    that none has. For scores with a least and a greatest value see `samples_with`.

    Parameters
    ----------
    mean, sd, n, items
        As in `grim`, with the printed SD.
    ddof
        1 if the SD divides by n − 1, 0 if by n.
    limit
        How many numbers to try before giving up; the result then says ``complete=False``. Only a large SD of a few
        people needs a search.

    Returns
    -------
    Grimmer
        Whether mean and SD are possible together.

    Raises
    ------
    DesignError
        If the SD is negative, or n is too small to have one.

    Notes
    -----
    A sum s and sum of squares q of the same parity belong to n whole numbers if q is at least that of the most even
    sample with sum s and 12 (n q − s²) < n² (n² − 1): below that, two numbers of a sample are always equal, and moving
    them one up and one down raises q by 2. Above, numbers are taken away one at a time until the rest is of that kind.

    Examples
    --------
    >>> grimmer("3.44", "2.47", 18).consistent
    False
    >>> grimmer("3.44", "2.48", 18)
    Grimmer(consistent=True, total=62, squares=318, complete=True)
    """
    budget = Budget(limit)
    try:
        for total in grim(mean, n, items).totals:
            for squares in squares_between(printed(sd, "sd"), n, total, ddof, items):
                budget.spend(1)
                if is_attainable(n, total, squares, budget):
                    return Grimmer(True, total, squares, True)
    except OutOfBudget:
        return Grimmer(False, None, None, False)
    return Grimmer(False, None, None, True)


def grade_mean(
    mean: Printable, sd: Printable | None, n: int, items: int = 1, *, binary: bool = False, limit: int = 1_000_000
) -> Possible:
    """Hold a printed mean, and an SD if there is one, against whole answers: GRIM, then DEBIT or GRIMMER.

    Parameters
    ----------
    mean, sd, n, items, limit
        As in `grimmer`.
    binary
        Whether the answers are 0 and 1.

    Examples
    --------
    >>> grade_mean("3.45", None, 10).why
    '10 answers to one item have no mean of 3.45; the nearest are 3.4000 and 3.5000'
    >>> grade_mean("3.44", "2.47", 18).fault, grade_mean("3.44", "2.48", 18).fault
    ('SD', '')
    """
    sample_text = f"{n} answers {'of 0 and 1' if binary else f'to {items} items' if items > 1 else 'to one item'}"
    mean_result = grim(mean, n, items)
    if not mean_result.consistent:
        nearest = " and ".join(f"{value:.{printed(mean).decimals + 2}f}" for value in mean_result.nearest)
        return Possible(
            "mean", True, f"{sample_text} have no mean of {mean}; the nearest are {nearest}", mean_result.nearest
        )
    fits = Possible("", True, f"{sample_text} can have {'it' if sd is None else 'them'}", mean_result.nearest)
    if sd is None:
        return fits
    no_sd = f"{sample_text} with a mean of {mean} have no SD of {sd}"
    if binary:
        return fits if debit(mean, sd, n) else Possible("SD of 0s and 1s", True, no_sd, mean_result.nearest)
    # A search that stopped at its limit proves nothing.
    grimmer_result = grimmer(mean, sd, n, items, limit=limit)
    if grimmer_result.consistent:
        return fits
    return Possible(
        "SD" if grimmer_result.complete else "",
        grimmer_result.complete,
        no_sd if grimmer_result.complete else fits.why,
        mean_result.nearest,
    )


def squares_between(sd: Printable, n: int, total: int, ddof: int, scale: int = 1) -> range:
    """Return the sums of squares that give the printed SD to n whole numbers with this total; of the total's parity.

    Raises
    ------
    DesignError
        If the SD is negative, or n is too small to have one.

    Examples
    --------
    >>> squares_between("2.47", 18, 62, 1)
    range(318, 318, 2)
    """
    number = printed(sd, "sd")
    if number.value < 0:
        raise DesignError(f"sd is {number}; an SD is not negative")
    if ddof not in (0, 1) or n <= ddof:
        raise DesignError(f"n is {n} and ddof {ddof}; an SD that divides by n − ddof needs ddof 0 or 1 and a larger n")
    low, high = (max(end, Fraction(0)) * scale for end in number.exact)
    smallest, largest = ((end**2 * n * (n - ddof) + total**2) / n for end in (low, high))
    first_sum = math.ceil(smallest)
    return range(first_sum + (first_sum - total) % 2, math.floor(largest) + 1, 2)


def is_attainable(n: int, s: int, q: int, budget: Budget) -> bool:
    """Return whether n whole numbers have the sum s and the sum of squares q."""
    squares = n * q - s * s
    if squares < 0 or (q - s) % 2:
        return False
    if n == 1:
        return squares == 0
    if n == 2:
        return math.isqrt(squares) ** 2 == squares
    shift = s // n
    if q - 2 * shift * s + n * shift * shift < s - n * shift:  # the most even sample has s mod n ones, else zeros
        return False
    if 12 * squares < n * n * (n * n - 1):
        return True
    # Every number x of the sample has (n x − s)² ≤ (n − 1) (n q − s²). The extremes leave the least to the others.
    largest_distance = math.isqrt((n - 1) * squares)
    smallest_value, largest_value = -((largest_distance - s) // n), (s + largest_distance) // n
    for x in range(largest_value, smallest_value - 1, -1):
        budget.spend(1)
        if is_attainable(n - 1, s - x, q - x * x, budget):
            return True
    return False


BINARY = "0/1"  # in the column items: answers of 0 and 1
NEEDED_COLUMNS = ("mean", "n")


def check_means(path: str | Path) -> pd.DataFrame:
    r"""Say of each printed mean (and SD) of whole numbers whether n people can have it.

    Parameters
    ----------
    path
        A CSV file with the columns ``mean`` and ``n``, and if there are any ``sd``, ``items`` (averaged for each
        person; ``0/1`` of answers of 0 and 1) and ``name``. Numbers are read as they are
        printed: 3.80 has two decimals.

    Returns
    -------
    DataFrame
        The columns that were given, then ``possible`` (yes, no, or why it is not known) and ``nearest``, the nearest
        means that are possible.

    Raises
    ------
    LogError
        If the file is no such table; the message names the row and the value.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "table.csv"
    ...     _ = table.write_text("mean,sd,n\n3.45,,10\n3.44,2.47,18\n3.44,2.48,18\n")
    ...     check_means(table)["possible"].tolist()
    ['no: the mean', 'no: the SD', 'yes']
    """
    import pandas as pd

    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, skipinitialspace=True)
    except (OSError, ValueError) as error:
        raise LogError(f"cannot be read as a CSV table: {one_line(error)}", file=path) from None
    missing = [name for name in NEEDED_COLUMNS if name not in frame]
    if missing:
        columns_text = ", ".join(map(str, frame.columns))
        raise LogError(f"has no column {' and '.join(missing)}; its columns are {columns_text}", file=path)
    frame = frame[[name for name in ("name", "mean", "sd", "n", "items") if name in frame]]
    judged = [
        _judge_row({str(name): str(value) for name, value in row.items()}, line, path)
        for line, row in enumerate(frame.to_dict("records"), start=2)
    ]
    judged_means = frame.assign(
        possible=[possible for possible, _ in judged], nearest=[nearest_means for _, nearest_means in judged]
    )
    judged_means.attrs["schema"] = "Means/1"
    return judged_means


def _judge_row(row: dict[str, str], line: int, path: str | Path) -> tuple[str, str]:
    sizes = {}
    is_binary = row.get("items", "").strip() == BINARY
    row = {**row, "items": ""} if is_binary else row
    for name in ("n", "items"):
        size_text = row.get(name, "").strip() or ("1" if name == "items" else "")
        if not (size_text.isascii() and size_text.isdecimal() and len(size_text) < 10 and int(size_text)):
            raise LogError(f"row {line}, column {name}: {size_text!r} is not a whole number from 1 on", file=path)
        sizes[name] = int(size_text)
    mean, sd = row["mean"].strip(), row.get("sd", "").strip()
    try:
        possible = grade_mean(mean, sd or None, sizes["n"], sizes["items"], binary=is_binary)
    except DesignError as error:
        raise LogError(f"row {line}: {one_line(error)}", file=path) from None
    decimals = len(mean.partition(".")[2]) + 2
    nearest = " or ".join(dict.fromkeys(f"{value:.{decimals}f}" for value in possible.nearest))
    if not possible.known:
        return "not known: the search stopped at its limit", nearest
    return (f"no: the {possible.fault}" if possible.fault else "yes"), nearest
