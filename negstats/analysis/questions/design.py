"""The design of a question: whether each factor varies between or within units, the kind of the outcome, its values.

Functions over lazy frames with a row a seat or game: ``unit``, ``value``, and a column a factor or predictor
(`selection.columns_of`). What they say of the design follows from who came and at which levels, never from what they
did there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

import narwhals as nw
import pandas as pd

from negstats import metrics
from negstats.analysis.questions.frames import Lazy, count, home
from negstats.analysis.rules import Asked, DesignFeatures, Extra, Kind, Linked, Shape

Lies: TypeAlias = Literal["between", "within", "partly"]

ENOUGH = 0.8  # the share of units that must hold a level of a factor within units
FEW = (2, 4)  # units in the smallest cell that call for a permutation
LEAST_EXPECTED = 5.0
TABLES = ("yes/no", "nominal")  # kinds whose tests are of a table of counts
COUNTED = ("rounds", "offers", "utterances", "statements", "messages", "moves", "steps")


def standing(frame: Lazy, factor: str) -> tuple[int, int]:
    """Return how many units stand at two levels of a factor or more, and how many at one at least."""
    level_counts = frame.select("unit", factor).drop_nulls().unique().group_by("unit").agg(nw.len().alias("levels"))
    unit_counts = home(level_counts.group_by("levels").agg(nw.len().alias("units")))
    return int(unit_counts.loc[unit_counts["levels"] > 1, "units"].sum()), int(unit_counts["units"].sum())


def factor_place(frame: Lazy, factor: str) -> Lies:
    """Return where a factor lies: between units, within them, or partly both.

    Between: no unit stands at two levels. Within: at least 80 % of all units stand at two levels or more, and each
    level is held by at least 80 % of these.
    """
    n_units_within, units = standing(frame, factor)
    if not n_units_within:
        return "between"
    unit_levels = frame.select("unit", factor).drop_nulls().unique()
    at_several = unit_levels.group_by("unit").agg(nw.len().alias("levels")).filter(nw.col("levels") > 1).select("unit")
    unit_counts = home(unit_levels.join(at_several, on="unit").group_by(factor).agg(nw.len().alias("units")))
    return place_from_counts(units, n_units_within, int(unit_counts["units"].min()))


def place_from_counts(units: int, several: int, least: int) -> Lies:
    """Return where a factor lies, from how many units stand at a level, at several, and of these at the rarest.

    Examples
    --------
    >>> place_from_counts(10, 0, 0), place_from_counts(10, 9, 8), place_from_counts(10, 9, 5)
    ('between', 'within', 'partly')
    """
    if not several:
        return "between"
    return "within" if several >= ENOUGH * units and least >= ENOUGH * several else "partly"


def kind_of(measure: metrics.Measure | None, *, scale: bool, ends: bool) -> Kind:
    """Return the kind of an outcome that the plan does not name.

    Parameters
    ----------
    measure
        The measure; None for a survey item.
    scale
        Whether the item's answers are words in order.
    ends
        Whether games end in other ways than by agreement.

    Examples
    --------
    >>> [kind_of(metrics.measure(name), scale=False, ends=True) for name in ("agreed", "rounds", "points")]
    ['yes/no', 'count', 'interval']
    """
    if measure is None:
        return "ordered" if scale else "interval"
    if measure.yes_no:
        return "yes/no"
    if measure.kind == "ordered":
        return "ordered"
    if measure.per != "offer" and (measure.unit in COUNTED or measure.kind == "count"):
        return "count"
    return "time" if measure.name == "duration_s" and ends else "interval"


@dataclass(frozen=True, slots=True)
class Design:
    """A question's design.

    Attributes
    ----------
    factors : Mapping of str to Lies
        Where each factor lies.
    levels : Mapping of str to tuple of str
        Each factor's levels with rows, in order.
    features : DesignFeatures
        What the choice of a test rests on.
    units : int
        Independent units that came.
    incomplete : int
        Units that lack a level of a factor within units.
    """

    factors: Mapping[str, Lies]
    levels: Mapping[str, tuple[str, ...]]
    features: DesignFeatures
    units: int
    incomplete: int

    @property
    def between(self) -> list[str]:
        """The factors of which no unit has two levels."""
        return [name for name, place in self.factors.items() if place == "between"]

    @property
    def within(self) -> list[str]:
        """The factors that vary inside units, if only partly."""
        return [name for name, place in self.factors.items() if place != "between"]


@dataclass(frozen=True, slots=True)
class DesignCounts:
    """What of rows their design follows from, counted.

    Attributes
    ----------
    lies : Mapping of str to Lies
        Where each factor lies.
    rows, units : int
    largest : int
        Rows of the largest unit.
    most : int
        Rows of a unit at one combination of levels, at most.
    varies : bool
        Whether a number differs inside a unit.
    incomplete : int
        Units that do not stand at every combination of the levels of the factors within units.
    least : int
        Units with a value in the smallest cell; 0 without factors or values.
    expected : float
        The least expected count of a table of the outcome; infinite where that is not asked.
    complete_only : bool
        Whether the plan states that a factor lies within units, though some stand at one level alone.
    """

    lies: Mapping[str, Lies]
    rows: int
    units: int
    largest: int
    most: int
    varies: bool
    incomplete: int
    least: int = 0
    expected: float = float("inf")
    complete_only: bool = False


def count_design(
    frame: Lazy,
    levels: Mapping[str, Sequence[str]],
    kind: Kind,
    columns: Mapping[str, str],
    numbers: Sequence[str] = (),
    stated: Collection[str] = (),
) -> DesignCounts:
    """Return the tally of rows; `columns` says which column holds a factor or number.

    A factor that varies within some units alone lies within them where the plan has `stated` so: the other units are
    then left out.
    """
    keys = [columns[name] for name in levels]
    sizes = home(frame.select(nw.len().alias("rows"), nw.col("unit").n_unique().alias("units"))).iloc[0]
    rows, units = int(sizes["rows"]), int(sizes["units"])
    of_one_row, largest = rows == units, min(rows, 1)  # nothing differs within units
    if not of_one_row:
        unit_rows = frame.group_by("unit").agg(nw.len().alias("n")).select(nw.col("n").max())
        largest = int(home(unit_rows)["n"].iloc[0])
    places: dict[str, Lies] = {name: "between" if of_one_row else factor_place(frame, columns[name]) for name in levels}
    partly = [name for name in stated if places.get(name) == "partly"]
    places |= dict.fromkeys(partly, "within")
    within = [name for name in levels if places[name] == "within"]
    most = largest
    if not of_one_row:
        of_cell = frame.group_by("unit", *keys).agg(nw.len().alias("n")).select(nw.col("n").max().alias("most"))
        most = int(home(of_cell)["most"].fillna(0).iloc[0])
    rows_with_value = frame.filter(~nw.col("value").is_null())
    least, expected = 0, float("inf")
    if keys and count(rows_with_value.head(1)):
        cell_units = rows_with_value if of_one_row else rows_with_value.select("unit", *keys).unique()
        of_units = cell_units.group_by(*keys).agg(nw.len().alias("n"))
        least = int(home(of_units.select(nw.col("n").min()))["n"].iloc[0])
        if kind in TABLES and not within:
            expected = _compute_expected(rows_with_value, keys)
    return DesignCounts(
        lies=places,
        rows=rows,
        units=units,
        largest=largest,
        most=most,
        varies=not of_one_row and any(_varies(frame, columns[name]) for name in numbers),
        incomplete=_lacking(frame, [columns[name] for name in within], [levels[name] for name in within]),
        least=least,
        expected=expected,
        complete_only=bool(partly),
    )


# Tests that take the rows of a person as they are, by kind of outcome; others take one average a person and level.
OF_ROWS: Mapping[Kind, tuple[str, ...]] = {
    "yes/no": ("auto", "mixed", "gee", "logistic"), "count": ("mixed", "gee"),
}  # fmt: skip

OF_WHOLE_UNITS = ("paired", "repeated")  # tests that leave incomplete units out, where a plan names them


def design_of(
    tally: DesignCounts,
    levels: Mapping[str, Sequence[str]],
    kind: Kind,
    *,
    what: str,
    numbers: Sequence[str] = (),
    covariates: Sequence[str] = (),
    asked: Asked = "effect",
    seats: Sequence[str] = (),
    competing: bool = False,
    items: bool = False,
    test: str = "auto",
    of_people: bool = False,
) -> Design:
    """Return the design that a tally of rows tells.

    Parameters
    ----------
    tally
        Of the rows of who came, whether or not they have a value.
    levels
        The factors and their levels in order.
    kind
        The outcome's kind.
    what
        What a unit is: "participant", "game" or "group".
    numbers, covariates
        Columns of numbers that are related to the outcome, and that are held constant.
    asked
        What is asked of the outcome.
    seats
        The factors that tell the seats of a game apart.
    competing
        Of times: whether a game can end in another way than by agreement or the clock.
    items
        Whether items are crossed with the units, so that rows are not averaged.
    test
        The test that the plan names, or "auto": a model of rows takes what a person decides repeatedly as it is.
    of_people
        Whether the rows are means of a person's.
    """
    places = tally.lies
    linkage: Linked = "alone" if what == "participant" or tally.largest <= 1 else "groups"
    linkage = "pairs" if linkage == "groups" and tally.largest == 2 else linkage
    of_rows = items or tally.varies or any(place == "partly" for place in places.values())
    factors = list(levels)
    is_repeated = tally.most > 1
    # What one person decides repeatedly is not averaged where its test takes the rows.
    repeats = is_repeated and linkage == "alone" and asked == "effect" and test in OF_ROWS.get(kind, ())
    of_rows = of_rows or (repeats and bool(factors or numbers))
    within = [name for name in factors if places[name] == "within"]
    averages = is_repeated and not of_rows and kind in ("yes/no", "count", "ordered")
    averages = of_people or (averages and bool(factors or not tally.varies))
    test_kind: Kind = "interval" if averages else kind
    facts = DesignFeatures(
        kind=test_kind,
        shape=_shape(places, levels),
        extra=_extra(numbers, covariates, factors),
        asked=asked,
        linked="all" if tally.units == 1 and tally.rows > 2 else linkage,
        inside=of_rows,
        several=is_repeated,
        people=linkage != "alone",
        seats=any(name in seats for name in factors),
        incomplete=not (tally.complete_only or test in OF_WHOLE_UNITS)
        and tally.incomplete > (1 - ENOUGH) * tally.units,
        averaged=kind,
        competing=competing,
        items=items,
        few=FEW[0] <= tally.least <= FEW[1],
        small=test_kind in TABLES and not within and tally.expected < LEAST_EXPECTED,
    )
    return Design(
        places, {name: tuple(level_names) for name, level_names in levels.items()}, facts, tally.units, tally.incomplete
    )


def _varies(frame: Lazy, name: str) -> bool:
    ends = frame.group_by("unit").agg(nw.col(name).min().alias("low"), nw.col(name).max().alias("high"))
    return count(ends.filter(nw.col("low") != nw.col("high")).head(1)) > 0


def _lacking(frame: Lazy, within: Sequence[str], levels: Sequence[Sequence[str]]) -> int:
    if not within:
        return 0
    cells = len(list(product(*levels)))
    cell_counts = frame.select("unit", *within).drop_nulls().unique().group_by("unit").agg(nw.len().alias("n"))
    return count(cell_counts.filter(nw.col("n") < cells))


def _compute_expected(rows_with_value: Lazy, keys: Sequence[str]) -> float:
    cells = home(rows_with_value.group_by(*keys).agg(nw.len().alias("n")))["n"]
    values = home(rows_with_value.group_by("value").agg(nw.len().alias("n")))["n"]
    return float(cells.min() * (values / values.sum()).min()) if len(values) > 1 else float("inf")


def _shape(places: Mapping[str, Lies], levels: Mapping[str, Sequence[str]]) -> Shape:
    between = [name for name, place in places.items() if place != "within"]
    within = [name for name, place in places.items() if place == "within"]
    sizes = [len(levels[name]) for name in (*between, *within)]
    if not within:
        one_factor: Shape = "two groups" if sizes[:1] == [2] else "groups"
        return "none" if not between else one_factor if len(between) == 1 else "factorial"
    if not between:
        inner: Shape = "pairs" if sizes == [2] else "within"
        return inner if len(within) == 1 else "two within" if len(within) == 2 else "mixed"
    return "2 x 2 mixed" if sizes == [2, 2] else "mixed"


def _extra(numbers: Sequence[str], covariates: Sequence[str], factors: Sequence[str]) -> Extra:
    if numbers:
        return "number and factor" if factors else "number" if len(numbers) + len(covariates) == 1 else "numbers"
    return "covariate" if covariates else "none"


def wide(values: pd.DataFrame, levels: Mapping[str, Sequence[str]], within: Sequence[str]) -> pd.DataFrame:
    """Return one row a whole unit and a column a combination of levels within units; other units are left out.

    Examples
    --------
    >>> rows = pd.DataFrame({"unit": list("aabbc"), "g": list("xyxyx"), "value": [1.0, 2.0, 3.0, 5.0, 9.0]})
    >>> wide(rows, {"g": ["x", "y"]}, ["g"]).values.tolist()
    [[1.0, 2.0], [3.0, 5.0]]
    """
    table = values.pivot(index="unit", columns=list(within), values="value")  # noqa: PD010 - keys are unique
    table = table.reindex(values["unit"].drop_duplicates())
    if len(within) == 1:
        order: pd.Index = pd.Index(levels[within[0]], name=within[0])
    else:
        order = pd.MultiIndex.from_product([list(levels[name]) for name in within], names=list(within))
    return table.reindex(columns=order).dropna()
