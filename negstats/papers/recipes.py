"""What the recipes of all papers share: a row's finding by its hook, the p of a statistic, counts of a percentage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from scipy import special

from negstats import audit
from negstats.errors import DesignError
from negstats.papers.ledger import JUDGED, Row, ledger
from negstats.papers.verdict import Check, Finding, Verdict, judge
from negstats.printed_numbers import SLACK, Printed
from negstats.printed_numbers import printed as as_printed

# A recipe of a row: it takes the row's inputs, then the row.
Hooks = Mapping[str, Callable[..., Finding]]


def recompute_rows(paper: str, hooks: Hooks) -> list[Finding]:
    """Return the finding of each row of a paper's ledger that is judged, by the recipe that its hook names."""
    return [recompute_row(row, hooks) for row in ledger(paper) if row.kind in JUDGED]


def recompute_row(row: Row, hooks: Hooks) -> Finding:
    """Return the finding of one row: by its recipe; without one, its note is the reason."""
    if row.hook:
        return hooks[row.hook](*filter(None, row.inputs.split("; ")), row)
    if row.kind == "contradiction":  # two statements in words: there is nothing to recompute
        return Finding(row.paper, row.id, row.place, row.what, row.printed, (), Verdict.CONTRADICTS, row.note)
    return build_finding(row, [], row.note)


def build_example(row: Row, value: float, basis: str) -> Finding:
    """Return the finding of a worked example, whose number follows from the rules of its game."""
    check = Check.exact("value", printed(row, "value"), value, "rules")
    why = f"{basis} {'gives' if check.holds else 'does not give'} it"
    return build_finding(row, [check], f"{why}; {row.note}" if row.note else why)


def build_contradiction(row: Row, value: float, basis: str) -> Finding:
    """Return the finding of a printed statement that the paper's other numbers or rules contradict, if they do."""
    return build_finding(row, [Check.exact("value", printed(row, "value"), value, "claim")], basis)


def printed(row: Row, name: str) -> Printed:
    """Return a number of a row that a recipe needs, or raise DesignError if it was not printed."""
    number = getattr(row, name)
    if not isinstance(number, Printed):
        raise DesignError(f"{row.id}: {name} was not printed, and its recipe needs it")
    return number


def tail(statistic: str, value: float, df1: int | None, df2: int | None) -> float:
    """Return the p of a statistic, two-sided for t.

    Examples
    --------
    >>> round(tail("chi2", 7.63, 2, None), 3), round(tail("t", -2.46, None, 65), 3)
    (0.022, 0.017)
    """
    match statistic, df1, df2:
        case "t", _, int(df):
            return float(2 * special.stdtr(df, -abs(value)))
        case "F", int(above), int(below):
            return float(special.fdtrc(above, below, value))
        case "chi2" | "G2", int(df), _:
            return float(special.chdtrc(df, value))
    raise DesignError(f"no p of {statistic!r} with the df {df1} and {df2}; give 't', 'F', 'chi2' or 'G2' with its df")


def p_check(claim: Row) -> Check:
    """Return the check of a claim's p against its own statistic and degrees of freedom."""
    number = printed(claim, "value")
    sign = -1 if number.value < 0 else 1
    nearer, farther = sorted(sign * end for end in (number.low, number.high))
    value, high, low = (
        tail(claim.statistic, max(x, 0.0), claim.df1, claim.df2) for x in (sign * number.value, nearer, farther)
    )
    return Check("p", printed(claim, "p"), value, low, high, "claim")


def df_check(claim: Row, cells: int) -> list[Check]:
    """Return the check of a claim's error df against its n and number of cells; nothing if one is not printed."""
    if claim.df2 is None or claim.size is None:
        return []
    return [Check.exact("error df", as_printed(str(claim.df2)), float(claim.size - cells), "claim")]


def counts_for(percent: Printed, n: int) -> list[int]:
    """Return the counts out of `n` that are printed as this percentage.

    Examples
    --------
    >>> counts_for(as_printed("24.44"), 90), counts_for(as_printed("24.4"), 89)
    ([22], [])
    """
    return [count for count in audit.grim(str(percent), n, unit=100).totals if 0 <= count <= n]


def grid_check(name: str, mean: Printed, n: int, unit: float = 1.0) -> list[Check]:
    """Return the check of a mean of `n` multiples of `unit` against the nearest that such a mean can be (GRIM).

    Nothing is returned where the grid of possible means, unit/n, is no coarser than the printed digits: then every
    printed mean is possible. Brown and Heathers (2017), Social Psychological and Personality Science 8, 363-369.

    Examples
    --------
    >>> [check.holds for check in grid_check("M", as_printed("293.77"), 20, unit=5)]
    [False]
    >>> grid_check("M", as_printed("6.29"), 103)
    []
    """
    if unit / n <= 10.0**-mean.decimals * (1 + SLACK):
        return []
    nearest = min(audit.grim(str(mean), n, unit=unit).nearest, key=lambda value: abs(value - mean.value))
    return [Check.exact(name, mean, nearest, "claim")]


def build_finding(row: Row, checks: Sequence[Check], why: str) -> Finding:
    """Return the finding of a row: its verdict follows from the checks."""
    return Finding(row.paper, row.id, row.place, row.what, row.printed, tuple(checks), judge(checks), why)


def p_text(p: float) -> str:
    """Return a p with two figures or three decimals, such as ``p = .425`` or ``p = 5.9e-05``; never 0.

    Examples
    --------
    >>> p_text(0.4253), p_text(0.00015), p_text(5.9e-5)
    ('p = .425', 'p = .00015', 'p = 5.9e-05')
    """
    if p >= 0.1:
        return f"p = {p:.3f}".replace("0.", ".", 1)
    return f"p = {f'{p:.2g}'.replace('0.', '.', 1) if p >= 1e-4 else f'{p:.2g}'}"


def describe_checks(checks: Iterable[Check], basis: str) -> str:
    """Return a sentence about checks: which stand, and which do not."""
    checks = list(checks)
    good = [str(check) for check in checks if check.holds]
    bad = [f"{check}, not {check.printed.relation} {check.printed}" for check in checks if not check.holds]
    return f"{basis}: {'; '.join([*bad, *good])}"


def select_rows(rows: Iterable[Row], **wanted: str) -> list[Row]:
    """Return the summaries whose columns are as wanted, such as ``of="human points"``."""
    return [row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())]
