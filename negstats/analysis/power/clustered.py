"""Power of models of rows: pairs and groups whose rows are drawn at levels of the factors, and stacked as moments."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from negstats.analysis.power.expected import OF_ROWS, Expected
from negstats.errors import DesignError, UsageError
from negstats.stats.power.designs import ClusterDesign, cluster_design
from negstats.stats.power.responses import p_on_side
from negstats.stats.results.numbers import FloatArray

MOST = 5_000  # kinds of units

Row = tuple[int, ...]  # the place of a row's level in each factor


def clusters_of(planned: Expected) -> tuple[ClusterDesign, dict[str, str]]:
    """Return units whose rows are dealt to the cells, and the name that each factor has in the formula.

    A factor that the plan says lies within units has each level in as many rows of every unit; one between units has
    one level in all rows of a unit; of any other each row has a level of its own, whatever the others have, in
    proportion to the cells' n. Kinds of units have their expected shares.

    Raises
    ------
    DesignError
        If numbers stand beside the factors, or there are too many kinds of units.
    UsageError
        If levels within units do not go into a unit, or no rows correlate so.
    """
    at = f"questions.{planned.id}.expect"
    if planned.kind != "interval" or planned.question.with_ or planned.question.covariates or not planned.factors:
        raise DesignError("power of a model of rows is simulated only for an outcome in numbers and for factors")
    # Kinds of units that differ only by the order of their rows are one.
    kinds: dict[tuple[Row, ...], float] = {}
    for unit, share in _units(planned, at):
        key = tuple(sorted(unit))
        kinds[key] = kinds.get(key, 0.0) + share
    names = {name: f"f{place}" for place, name in enumerate(planned.factors)}
    levels = [tuple(f"l{place}" for place in range(len(factor))) for factor in planned.factors.values()]
    shares = np.array(list(kinds.values()))
    rows = [[{name: levels[f][row[f]] for f, name in enumerate(names.values())} for row in unit] for unit in kinds]
    # All rows of a unit correlate alike, which has a least r above -1.
    least = -1 / (planned.per_unit - 1)
    r = float(planned.r or 0.0)
    if not least < r < 1:
        raise UsageError(f"{at}.r: is {r:g}; {planned.per_unit} rows of a unit correlate with more than {least:.3g}")
    design = cluster_design(
        n_clusters=np.ones(len(kinds)),
        kinds=rows,
        mean=[[float(planned.cells["mean"][row]) for row in unit] for unit in kinds],
        sd=[[float(planned.cells["sd"][row]) for row in unit] for unit in kinds],
        correlation=r,
        formula=f"outcome ~ {' * '.join(names.values())}",
    )
    cells = float(planned.weights.sum())
    return ClusterDesign(
        design.n, design.factors, design.kinds, design.mean, design.sd, r, design.formula, shares / shares.sum(), cells
    ).resized(100), names


def describe_rows(planned: Expected) -> str:
    """Return what n counts where rows are dealt to cells."""
    if planned.choice.rule.test not in OF_ROWS:
        return ""
    own = [name for name in planned.factors if name not in planned.within and name not in planned.whole]
    k = planned.per_unit
    dealt = f" Each has a level of {', '.join(own)} of its own; {k} rows at a level count as one unit." if own else ""
    return f" Units have {k} rows.{dealt}"


def _units(planned: Expected, at: str) -> Iterator[tuple[list[Row], float]]:
    """Yield kinds of units with their shares; one kind may come in several orders of its rows."""
    factors = list(planned.factors)
    sizes = {name: range(len(planned.factors[name])) for name in factors}
    # A unit has equally many rows at each combination of levels within units.
    inner = list(itertools.product(*(sizes[name] for name in factors if name in planned.within)))
    times, remainder = divmod(planned.per_unit, len(inner))
    if remainder:
        raise UsageError(
            f"{at}.per_unit: is {planned.per_unit}; {len(inner)} levels within units need a multiple of them"
        )
    # The other rows are dealt to cells by chance, as often as the cells' weights say.
    own = [name for name in factors if name not in planned.within and name not in planned.whole]
    dealt = list(itertools.product(*(sizes[name] for name in own)))
    groups = list(itertools.product(*(sizes[name] for name in planned.whole)))
    ways = math.comb(len(dealt) + times - 1, times) ** len(inner) * len(groups)
    if ways > MOST:
        raise DesignError(f"{ways:,} kinds of units are too many to simulate; take fewer levels or rows a unit")
    # A bag says how often each cell is dealt to the rows of one combination.
    bags = list(itertools.combinations_with_replacement(range(len(dealt)), times))
    for group in groups:
        weights = np.array([_weight(planned, dict(zip(own, levels, strict=True)), group) for levels in dealt])
        chance = weights / weights.sum()
        for choice in itertools.product(bags, repeat=len(inner)):
            # The share of a kind: its group's weight times the chance of each of its bags.
            unit, share = [], float(weights.sum())
            for level, bag in zip(inner, choice, strict=True):
                share *= _multinomial(bag, chance)
                for place in bag:
                    level_codes = dict(zip(own, dealt[place], strict=True))
                    level_codes |= dict(zip(planned.whole, group, strict=True))
                    level_codes |= dict(zip((name for name in factors if name in planned.within), level, strict=True))
                    unit.append(tuple(level_codes[name] for name in factors))
            yield unit, share


def _weight(planned: Expected, dealt: Mapping[str, int], group: tuple[int, ...]) -> float:
    """Return the relative n of a cell of the factors that do not lie within units."""
    level_codes = {**dealt, **dict(zip(planned.whole, group, strict=True))}
    return float(planned.weights[tuple(level_codes[name] for name in planned.factors if name in level_codes)])


def _multinomial(bag: tuple[int, ...], chance: FloatArray) -> float:
    counts = np.bincount(bag, minlength=len(chance))
    ways = math.factorial(len(bag)) / math.prod(math.factorial(int(count)) for count in counts)
    return float(ways * np.prod(chance**counts))


def p_of_terms(planned: Expected, term: str, moments: Any) -> FloatArray:
    """Return p of a term in a stack of studies: of one coefficient t, which may be of one side, else F."""
    from negstats.stats.models.mixed import mixed

    model = mixed(moments, between="any" if planned.choice.rule.test == "dyad" else "positive")
    return p_on_side(model, term, planned.alternative)
