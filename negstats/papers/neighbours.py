"""Other readings of a printed statistic: other df, one tail, another type of sums of squares, another model.

Each function tries the neighbours of what a paper names and returns those that give the printed number. The searches
for group sizes and tables of counts that fit what is printed are in `negstats.audit`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from negstats.papers.ledger import Row
from negstats.papers.recipes import p_text, tail
from negstats.papers.verdict import Check
from negstats.printed_numbers import Printed
from negstats.stats.loglinear import all_models, compare
from negstats.stats.loglinear.fit import every_model, parameter_count, spell
from negstats.stats.summaries import Counts

MOST_DF = 12

# What programs print as the test of two-way and higher effects; it is easily taken for the highest interaction.
ALONE = "mutual independence"


def other_df(claim: Row) -> list[int]:
    """Return the numerator (or chi-squared) df up to twelve at which the printed statistic has the printed p.

    Examples
    --------
    >>> from negstats.papers.ledger import results
    >>> [claim] = [claim for claim in results("mell2015") if claim.id == "mell2015.betrayal.rejected"]
    >>> other_df(claim)
    [3]
    """
    if claim.value is None or claim.p is None:
        return []
    ends = (claim.value.high, claim.value.low)
    return [
        df for df in range(1, MOST_DF + 1) if claim.p.agrees(*(tail(claim.statistic, x, df, claim.df2) for x in ends))
    ]


def one_tailed(check: Check) -> bool:
    """Return whether half of the recomputed p would agree with the printed one."""
    return check.printed.agrees(check.low / 2, check.high / 2)


def loglinear_models(table: Counts, printed: Printed) -> list[str]:
    """Return every hierarchical model of a table, and difference of two nested ones by a term, with the printed G².

    Examples
    --------
    >>> walked = Counts.from_table([[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]])
    >>> from negstats.printed_numbers import printed as as_printed
    >>> loglinear_models(walked, as_printed("31.1"))
    ['the deviance of [factor_1][factor_2][factor_3], mutual independence (G²(7) = 31.12, p = 5.9e-05)']
    """
    models = all_models(table, most=10_000).models
    main_effects = tuple((place,) for place in range(len(table.factors)))
    words = []
    for model in models:
        if printed.agrees(float(model.statistic)):
            kind = f", {ALONE}" if model.generators == main_effects else ""
            result = f"G²({float(model.df):g}) = {float(model.statistic):.2f}, {p_text(float(model.p))}"
            words.append(f"the deviance of {model.model}{kind} ({result})")
    for larger, smaller in combinations(reversed(models), 2):
        gap = float(smaller.statistic) - float(larger.statistic)
        if float(larger.df) == 0 or not printed.agrees(gap) or not _is_nested(smaller.generators, larger.generators):
            continue
        test = compare(smaller, larger)
        words.append(f"the difference of {smaller.model} and {larger.model} (G²({float(test.df):g}) = {gap:.2f})")
    return words


def _is_nested(smaller: tuple[tuple[int, ...], ...], larger: tuple[tuple[int, ...], ...]) -> bool:
    return all(any(set(term) <= set(other) for other in larger) for term in smaller)


def models_with_df(shape: Sequence[int], df: int) -> list[str]:
    """Return the hierarchical models of a table of this shape whose deviance has `df` degrees of freedom.

    Examples
    --------
    >>> models_with_df((2, 4, 2), 10)
    ['[1][2][3] (mutual independence)']
    """
    names = [str(place) for place in range(1, len(shape) + 1)]
    cells = int(np.prod(shape))
    main_effects = tuple((place,) for place in range(len(shape)))
    return [
        spell(model, names) + (f" ({ALONE})" if model == main_effects else "")
        for model in every_model(len(shape))
        if cells - parameter_count(model, tuple(shape)) == df
    ]


def d_definitions(f: Printed, df2: int, n: tuple[int, int]) -> dict[str, tuple[float, float, float]]:
    """Return Cohen's d (value, low, high; unsigned) that an F with one df implies, by each definition in use.

    Examples
    --------
    >>> from negstats.printed_numbers import printed as as_printed
    >>> {name: round(d[0], 3) for name, d in d_definitions(as_printed("5.15"), 163, (78, 89)).items()}
    {'2√(F/df)': 0.356, '√(F(1/n₁ + 1/n₂))': 0.352, '2√(F/N)': 0.351, 'Hedges g': 0.35}
    """
    total = sum(n)
    scale = {
        "2√(F/df)": 2 / np.sqrt(df2),
        "√(F(1/n₁ + 1/n₂))": np.sqrt(1 / n[0] + 1 / n[1]),
        "2√(F/N)": 2 / np.sqrt(total),
        "Hedges g": np.sqrt(1 / n[0] + 1 / n[1]) * (1 - 3 / (4 * df2 - 1)),
    }
    ends = [np.sqrt(max(x, 0.0)) for x in (f.value, f.low, f.high)]
    return {name: (float(ends[0] * by), float(ends[1] * by), float(ends[2] * by)) for name, by in scale.items()}


def anova_types(values: dict[int, float], printed: Printed) -> Iterator[str]:
    """Yield the types of sums of squares whose F (by type) rounds to the printed one."""
    for kind, value in values.items():
        if printed.agrees(value):
            yield f"type {'I' * kind} gives it (F = {value:.2f})"
