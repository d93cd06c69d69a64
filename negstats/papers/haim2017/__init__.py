"""haim2017: Haim, Gal, An and Kraus, Human-Computer Negotiation in a Three Player Market Setting, from its print.

Scores are 5 points a chip and 150 for a goal, so every score is a multiple of 5. Group sizes are not printed, only
how many people a test had together: so every split of them is tried, and a mean or percentage is held against every
group size that is possible.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from negstats import audit, stats
from negstats.papers import neighbours
from negstats.papers.haim2017 import examples
from negstats.papers.ledger import Row, printed_cells, results
from negstats.papers.recipes import (
    Hooks,
    build_finding,
    counts_for,
    describe_checks,
    df_check,
    p_check,
    p_text,
    printed,
    recompute_rows,
    select_rows,
)
from negstats.papers.verdict import Check, Finding, extremes
from negstats.printed_numbers import Printed
from negstats.sanitize import in_sentence

FloatArray = npt.NDArray[np.float64]

PAPER = "haim2017"
POINTS = 5  # a chip, and what divides every score
START = 24.0 * POINTS  # what a customer has who never trades nor moves
MOST = (24.0 + 2 * 40.0) * POINTS  # all chips of the game, and no goal
NEAR = 0.1  # of t: how near a split must come to be worth naming
SPREADS: dict[str, tuple[Literal["sd", "se"], ...]] = {
    "first": ("se", "sd"),
    "second": ("sd", "se"),
    "first and second": ("se", "se"),
}
COUNTRIES = ("Israel", "USA", "China")


def findings() -> list[Finding]:
    """Return the finding of every printed number of the paper."""
    return recompute_rows(PAPER, HOOKS)


def fractions(percent: Printed, most: int) -> list[tuple[int, int]]:
    """Return every (count, n) with n up to `most` that is printed as this percentage.

    Examples
    --------
    >>> from negstats.printed_numbers import printed as as_printed
    >>> fractions(as_printed("93"), 29)
    [(13, 14), (14, 15), (25, 27), (26, 28), (27, 29)]
    """
    return list(_fractions(percent, most))


def _fractions(percent: Printed, most: int) -> Iterator[tuple[int, int]]:
    return ((count, n) for n in range(1, most + 1) for count in counts_for(percent, n))


def _customers(country: str, claim: Row) -> Finding:
    """Try every split of the people whose customer scores were compared."""
    t, total = printed(claim, "value"), int(claim.size or 0)
    rows = [_customer_score(country, condition) for condition in ("HvsCS-A", "HvsH")]
    means, sds = ([str(printed(row, name)) for row in rows] for name in ("mean", "sd"))
    split_check = audit.splits(total, means, sds, t=str(t))
    best = split_check.nearest(1).to_dict("records")[0]
    p = p_check(claim)
    checks = [Check(f"t with {_sizes(best)}", t, best["t"], best["t_low"], best["t_high"]), p, *df_check(claim, 2)]
    fits = split_check.fitting.to_dict("records")
    if fits:
        why = f"the splits {in_sentence(map(_sizes, fits))} of {total} people give t = {t}"
    else:
        # Neighbouring splits between whose t the printed one lies.
        adjacent = pairwise(split_check.frame.sort_values("n_1").to_dict("records"))
        neighbours_of_t = [pair for pair in adjacent if (pair[0]["t"] - t.value) * (pair[1]["t"] - t.value) <= 0]
        pairs = [" but ".join(f"{_sizes(split)} gives {split['t']:.2f}" for split in pair) for pair in neighbours_of_t]
        why = f"no split of {total} people gives t = {t} from the printed means and SDs ({', '.join(pairs)})"
        why += _describe_se_splits(t, total, means, sds)
    why += f"; {p_text(p.value)} at df {claim.df2}"
    if not p.holds:
        why += f", not {p.printed.relation} {p.printed}{', unless one-tailed' if neighbours.one_tailed(p) else ''}"
    return build_finding(claim, checks, why)


def _sizes(split: Mapping[Hashable, int]) -> str:
    return f"{split['n_1']}/{split['n_2']}"


def _describe_se_splits(t: Printed, total: int, means: list[str], sds: list[str]) -> str:
    """Name the splits that come nearest if one printed SD, or both, were a standard error."""
    words = []
    for which, spread in SPREADS.items():
        best = audit.splits(total, means, sds, t=str(t), spread=spread).nearest(1).to_dict("records")[0]
        if abs(best["t"] - t.value) < NEAR:
            words.append(f"were the {which} SD an SE, {_sizes(best)} would give {best['t']:.2f}")
    return f"; {'; '.join(words)}" if words else ""


def _customer_score(country: str, condition: str) -> Row:
    [row] = select_rows(printed_cells(PAPER), of="customer score", country=country, condition=condition)
    return row


def _providers(country: str, first: str, second: str, claim: Row) -> Finding:
    """Say which group sizes a t-test of the printed provider scores would need; the sizes were not printed."""
    rows = [
        select_rows(printed_cells(PAPER), of="provider score", country=country, condition=who)[0]
        for who in (first, second)
    ]
    p = printed(claim, "p")
    [people] = select_rows(printed_cells(PAPER), of="participants", country=country)
    sizes = np.arange(2, int(printed(people, "n").value))
    n1 = sizes if rows[0].n is None else np.full(len(sizes), int(rows[0].n.value))
    (m1, m2), (s1, s2) = ([printed(row, name).value for row in rows] for name in ("mean", "sd"))
    possible = [stats.Cells.from_table(n=n, mean=[m1, m2], sd=[s1, s2]) for n in zip(n1, sizes, strict=True)]
    found_p = np.asarray(stats.t_test(stats.Cells.stack(possible), method="student").p)
    fits = [int(n) for n, value in zip(sizes, found_p, strict=True) if p.agrees(float(value))]
    groups = "equal groups" if rows[0].n is None else f"{int(rows[0].n.value)} people in the first group"
    if fits:
        why = (
            f"with {groups} a t-test of the printed means and SDs gives p {p.relation} {p} for {fits[0]} to {fits[-1]} "
            "people in the second"
        )
    else:
        best = int(found_p.argmin())
        why = (
            f"with {groups} no second group up to {sizes[-1]} people lets a t-test of the printed means and SDs give "
            f"p {p.relation} {p} (least {p_text(float(found_p[best]))}, half of it one-tailed)"
        )
    return build_finding(claim, [], f"needs the group sizes, and which test it was (t or Mann-Whitney); {why}")


def _quantity(row: Row) -> tuple[str, ...]:
    who = row.note.split()[:1] if row.note.startswith(("agent", "human", "people")) else []
    return (row.of, *row.cell, *who)


def _rivals(row: Row) -> list[Row]:
    """Return the rows that print another value for the same quantity, but not one that is this one cut off.

    That is one matter, and the row that is cut off has it.
    """
    others = [other for other in printed_cells(PAPER) if _quantity(other) == _quantity(row) and other.id != row.id]
    own = _number(row)
    return [
        other
        for other in others
        for number in [_number(other)]
        if not own.agrees(number.low, number.high) and not Check.exact("", number, own.value).cut
    ]


def _number(row: Row) -> Printed:
    return row.percent if row.mean is None and row.percent is not None else printed(row, "mean")


def _one_of_several(row: Row) -> Finding:
    """Say that one quantity is printed with several values, and of which other cell a value is printed too."""
    own, rivals = _number(row), _rivals(row)
    if not rivals:
        return build_finding(row, [], "needs the offers")
    checks = [
        Check(f"in {other.place}", own, number.value, number.low, number.high, "claim")
        for other in rivals
        for number in [_number(other)]
    ]
    values = in_sentence(f"{_number(other)} ({other.place})" for other in rivals)
    why = f"the paper also prints {values} for this quantity"
    twins = [
        other
        for other in select_rows(printed_cells(PAPER), of=row.of)
        if other.country == row.country and other.condition != row.condition and own.agrees(_number(other).value)
    ]
    if twins:
        why += f"; {own} is printed for {in_sentence(f'{other.condition} ({other.place})' for other in twins)} as well"
    return build_finding(row, checks, why)


def _people(row: Row) -> int:
    """Return how many people were compared in a row's country: no group of it can be larger."""
    sizes = {claim.what.rpartition(", ")[2]: int(claim.size) for claim in results(PAPER) if claim.size is not None}
    return sizes[row.country]


def _score(row: Row) -> Finding:
    """Hold a mean score against every group size: scores are multiples of 5 (GRIM)."""
    if row.country not in COUNTRIES:
        return _mixture(row, [_customer_score(country, row.condition) for country in COUNTRIES])
    return _on_a_grid(row, POINTS, "scores are", _people(row) - 2 if row.of == "customer score" else _providers_of(row))


def _country_rounds(row: Row) -> Finding:
    """Hold the mean length of a country's games against every number of games: rounds are whole (GRIM)."""
    return _on_a_grid(row, 1, "rounds are", _people(row) - 2)


def _providers_of(row: Row) -> int:
    """Return the most providers that a country's participants can have been or met, if each played one game.

    Two of three people are providers in HvsH; an agent has its seat beside two people.
    """
    [people] = select_rows(printed_cells(PAPER), of="participants", country=row.country)
    n = int(printed(people, "n").value)
    return 2 * n // 3 if row.condition == "HvsH" else n // 2


def _on_a_grid(row: Row, unit: int, values_are: str, most: int) -> Finding:
    """Say for which group sizes a printed mean can be that of multiples of a unit."""
    mean = printed(row, "mean")
    means = {n: round(mean.value * n / unit) * unit / n for n in range(2, most + 1)}
    fits = [n for n, value in means.items() if mean.agrees(value)]
    best = min(means, key=lambda n: abs(means[n] - mean.value))
    check = Check.exact(f"M with n = {best}", mean, means[best], "summaries")
    if fits:
        sizes = in_sentence(map(str, fits[:8])) + (" and more" if fits[8:] else "")
        return build_finding(row, [check], f"a mean of multiples of {unit} for n = {sizes} (GRIM)")
    why = f"{values_are} multiples of {unit}, and no group of 2 to {most}, each in one game, has this mean (GRIM); "
    why += "nearest is "
    why += f"{means[best]:.{mean.decimals}f} with n = {best}"
    scale = 10**mean.decimals
    truncated_fits = [n for n, value in means.items() if int(value * scale) == round(mean.value * scale)]
    if truncated_fits:
        why += f"; cut off instead of rounded it fits n = {in_sentence(map(str, truncated_fits))}"
    return build_finding(row, [check], why)


def _check_goal_rate(row: Row) -> Finding:
    """Hold a percentage against every group size of its country."""
    percent = printed(row, "percent")
    if row.country not in COUNTRIES:
        cells = printed_cells(PAPER)
        parts = [select_rows(cells, of=row.of, country=name, condition=row.condition)[0] for name in COUNTRIES]
        return _mixture(row, parts)
    if percent.value in (0, 100):
        return build_finding(row, [], "needs the counts: a group of any size can have this percentage")
    if row.condition.startswith("all"):
        return _smallest(row, percent)
    fits = fractions(percent, _people(row) - 2)
    if not fits:
        return build_finding(
            row, [], f"needs the counts: no group of up to {_people(row) - 2} people has this percentage"
        )
    count, n = fits[0]
    check = Check.exact("%", percent, 100 * count / n, "summaries")
    return build_finding(
        row, [check], f"possible as {in_sentence(f'{k}/{n}' for k, n in fits[:6])}{' and more' if fits[6:] else ''}"
    )


def _check_goal_mean(row: Row) -> Finding:
    """Recompute a mean among those who reached the goal from the mean of all and the bounds of the others."""
    mean = printed(row, "mean")
    [goal] = select_rows(printed_cells(PAPER), of="customer reached goal", country=row.country, condition=row.condition)
    overall, percent = printed(_customer_score(row.country, row.condition), "mean"), printed(goal, "percent")

    def compute_mean(x: FloatArray) -> FloatArray:
        return np.asarray((x[:, 0] - (1 - x[:, 1]) * x[:, 2]) / x[:, 1])

    low, high = extremes(
        compute_mean, [overall.low, percent.low / 100, 0.0], [overall.high, percent.high / 100, MOST], monotone=True
    )
    value = float(compute_mean(np.array([[overall.value, percent.value / 100, START]]))[0])
    check = Check("M", mean, value, low, high)
    rest = (overall.value - percent.value / 100 * mean.value) / (1 - percent.value / 100)
    why = f"{overall} over all and {percent}% at the goal leave {rest:.0f} points a head to those who missed it"
    return build_finding(row, [check], f"{why}; 0 to {MOST:.0f} are possible")


def _mixture(row: Row, parts: Iterable[Row]) -> Finding:
    """Check a value over all countries: it lies between the countries' own, whatever their sizes."""
    number, numbers = _number(row), [_number(part) for part in parts]
    value = float(np.mean([part.value for part in numbers]))
    check = Check("of equal groups", number, value, min(x.low for x in numbers), max(x.high for x in numbers))
    return build_finding(
        row,
        [check],
        describe_checks(
            [check], f"between the countries' {in_sentence(map(str, numbers))}, whose sizes are not printed"
        ),
    )


def _rounds(row: Row) -> Finding:
    parts = [part for part in select_rows(printed_cells(PAPER), of="rounds") if part.country in COUNTRIES]
    return _mixture(row, parts)


def _provider_score(row: Row) -> Finding:
    """Hold the mean of a printed number of games against multiples of 5."""
    mean, n = printed(row, "mean"), int(printed(row, "n").value)
    nearest = round(mean.value * n / POINTS) * POINTS / n
    check = Check.exact("M", mean, nearest, "summaries")
    return build_finding(row, [check], describe_checks([check], f"nearest mean of {n} multiples of {POINTS} (GRIM)"))


def _participants(row: Row) -> Finding:
    n, percent = int(printed(row, "n").value), printed(row, "percent")
    counts = counts_for(percent, n)
    why = f"needs the list of participants; {percent}% of {n} would be {in_sentence(map(str, counts), 'or')}"
    return build_finding(row, [], why)


def _check_end_rate(row: Row) -> Finding:
    if row.country in COUNTRIES and row.condition.startswith("Hvs"):
        return _check_goal_rate(row)
    return _smallest(row, printed(row, "percent"))


def _smallest(row: Row, percent: Printed) -> Finding:
    """Say which counts have a percentage of a group whose size has no bound."""
    count, n = next(_fractions(percent, 1000))
    return build_finding(row, [], f"needs the counts; the smallest that are printed so are {count} of {n}")


HOOKS: Hooks = {
    "customers": _customers,
    "providers": _providers,
    "one of several": _one_of_several,
    "score": _score,
    "goal rate": _check_goal_rate,
    "goal mean": _check_goal_mean,
    "end rate": _check_end_rate,
    "rounds": _rounds,
    "rounds of a country": _country_rounds,
    "provider score": _provider_score,
    "participants": _participants,
    **examples.HOOKS,
}
