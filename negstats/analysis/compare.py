"""Two conditions compared: means, test, rank test, effect size, a sentence for the paper and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

from negstats import metrics, stats
from negstats.analysis.effect_sizes import Quantity, effect_of_groups, effect_of_pairs, pooled_spread
from negstats.analysis.questions.design import kind_of
from negstats.analysis.questions.frames import Lazy, count, distinct, home
from negstats.analysis.questions.units import NOUNS, SEAT_FACTORS, Unit, Units, measure_of, units
from negstats.analysis.shares import ShareComparison, shares_of_counts
from negstats.errors import DesignError, NotEstimable, UsageError
from negstats.sanitize import counted
from negstats.stats.counts.clustered import clustered_summary
from negstats.stats.ranks.pairs import engine_differences
from negstats.stats.results import apa
from negstats.stats.results.options import Alternative
from negstats.stats.summaries.aggregation import repeatable_sums
from negstats.studies.records import refuse_stops
from negstats.studies.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Units in each group from which on tests of relative effects keep their level.
ENOUGH = 10
LEVEL = 0.95  # of the effect size's interval


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A measure at two levels of a factor.

    Attributes
    ----------
    measure, label : str
        The measure's name, and a label that says whose it is and its unit.
    by : str
        The factor.
    levels : tuple of str
        The two levels; differences are first minus second.
    who : str or None
        Whose values.
    unit : str
        What the independent units are: participants, games, or groups of people who are linked through games.
    values : pandas.DataFrame
        One row a unit: the columns ``unit``, ``level`` and ``value``; none where these stay with an engine.
    cells : Cells
        n, mean and variance of each level.
    test : TTest
        The t-test: paired, or Welch's.
    ranks : Wilcoxon, BrunnerMunzel or None
        The rank test beside it, which takes variances as equal no more than the t-test does; None for two groups with
        fewer than ten units in one, where there is none that does not, or groups that do not overlap.
    notes : tuple of str
        What was averaged or left out.
    effect : Quantity or None
        The effect size that a plan's report has too: g of groups, d_z of pairs, of counts the ratio of the means, which
        a mean of zero has not.
    """

    measure: str
    label: str
    by: str
    levels: tuple[str, str]
    who: str | None
    unit: str
    values: pd.DataFrame
    cells: stats.Cells
    test: stats.TTest
    ranks: stats.Wilcoxon | stats.BrunnerMunzel | None
    notes: tuple[str, ...]
    effect: Quantity | None

    @property
    def paired(self) -> bool:
        """Whether the same units stand at both levels."""
        return self.test.method == "paired"

    def table(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a condition: n, mean, sd and the t interval of the mean (``low``, ``high``).

        Values that are all equal have no interval: it is missing.

        Parameters
        ----------
        confidence_level
            Level of the intervals, between 0 and 1.

        Returns
        -------
        DataFrame
            Numbers are in units of the measure, not rounded.
        """
        rows = []
        for place in range(len(self.levels)):
            n, mean, sd = (float(part[place]) for part in (self.cells.n, self.cells.mean, self.cells.sd))
            one = stats.Cells.from_table(n=n, mean=mean, sd=sd)
            interval = stats.one_sample_t(one).confidence_interval(confidence_level) if sd > 0 else None
            ends = (float("nan"),) * 2 if interval is None else (interval.low, interval.high)
            rows.append([int(n), mean, sd, *ends])
        index = pd.Index(self.levels, name=self.by)
        return pd.DataFrame(rows, columns=["n", "mean", "sd", "low", "high"], index=index)

    def apa(self) -> str:
        """Return the sentence for the paper.

        Returns
        -------
        str
            Both means with their SDs, the test and the effect size.
        """
        digits = self._decimals()
        level_texts = " and ".join(
            f"{name} (M = {apa.number(row['mean'], digits)}, SD = {apa.number(row['sd'], digits)})"
            for name, row in self.table().iterrows()
        )
        owner = f" of {self.who}" if self.who else ""
        return f"{self.measure}{owner}, {level_texts}: {self.test_text()}"

    def test_text(self) -> str:
        """Return the t-test with the effect size: ``t(65) = 2.46, p = .017, d_z = 0.30, 95% CI [0.05, 0.55]``.

        Returns
        -------
        str
            The test and the effect size, without the means.
        """
        test = apa.statistic("t", self.test.statistic, (self.test.df,), self.test.p)
        return test if self.effect is None else f"{test}, {self.effect.apa()}"

    def _decimals(self) -> int:
        return apa.decimals_of(pooled_spread(zip(map(float, self.cells.n), map(float, self.cells.sd), strict=True)))

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON.

        Returns
        -------
        dict[str, object]
            Numbers are not rounded.
        """
        return {
            "measure": self.measure,
            "by": self.by,
            "levels": list(self.levels),
            "who": self.who,
            "unit": self.unit,
            "means": self.table().reset_index().to_dict("records"),
            "test": _record(self.test.to_frame()),
            "difference": _interval(self.test.confidence_interval()),
            "effect_size": None if self.effect is None else _effect(self.effect),
            "ranks": None if self.ranks is None else _record(self.ranks.to_frame()),
            "apa": self.apa(),
            "notes": list(self.notes),
        }

    def lines(self) -> list[str]:
        """Return what is printed under the table: the difference, the tests, the notes and the sentence.

        Returns
        -------
        list[str]
            One line an entry.
        """
        first, second = self.levels
        digits = self._decimals()
        difference = apa.number(self.test.difference, digits)
        return [
            f"{first} − {second}: {difference}, {self.test.confidence_interval().apa(digits)}",
            f"t-test ({self.test.method}): {self.test_text()}",
            *([] if self.ranks is None else [f"rank test: {self.ranks.apa()}"]),
            *(f"note: {note}" for note in self.notes),
            "",
            self.apa(),
        ]

    def heading(self) -> str:
        """Return what stands over the table.

        Returns
        -------
        str
            The measure, whose values are compared, and the level of the intervals.
        """
        return f"{self.label}, one value per {NOUNS.get(self.unit, self.unit)}; 95% CI of each mean"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw every unit, the means and their 95 % intervals.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.

        Returns
        -------
        Axes
            The axes with the drawing, in units of the measure.

        Raises
        ------
        UsageError
            If the units' values stay with an engine.
        """
        if self.values.empty:
            raise UsageError("the figure draws every unit, and these stay with the engine; `table` has the means")
        from negstats import plots

        look: Any = {
            "label": self.label,
            "unit": NOUNS.get(self.unit, self.unit),
            "caption": self.test_text(),
            "ax": ax,
        }
        if not self.paired:
            return plots.group_comparison(self.values, self.table(), **look)
        wide = self.values.pivot_table(index="unit", columns="level", values="value")[list(self.levels)]
        ends = self.test.confidence_interval()
        difference: Any = {
            "value": self.test.difference,
            "low": ends.low,
            "high": ends.high,
            "level": ends.confidence_level,
        }
        return plots.paired_comparison(wide, difference, **look)


def compare(
    study: Study,
    measure: str,
    by: str,
    *,
    paired: bool = False,
    who: str | None = None,
    levels: Sequence[str] | None = None,
    unit: Unit = "independent",
) -> Comparison | ShareComparison:
    """Compare a measure at two levels of a factor, with independent units.

    A measure of yes or no is compared by its counts and shares (`ShareComparison`), any other by its means.

    Parameters
    ----------
    study
        The study; one whose rows stay with an engine is compared there, and the result holds no values of single units.
    measure
        A name in `negstats.metrics.MEASURES`.
    by
        A factor of the games, or a column that tells seats apart (kind, role, agent, player).
    paired
        Whether the same people (or games) stand at both levels. Then their differences are tested.
    who
        Whose values, for a measure of seats: a kind, role, agent or seat.
    levels
        Which two levels, first minus second; needed where the factor has more than two.
    unit
        "independent": people who are linked through games are one unit (`negstats.analysis.questions.units`). "game":
        each game is one, and the notes say so.

    Returns
    -------
    Comparison or ShareComparison
        The latter where the measure is yes or no.

    Raises
    ------
    UsageError
        If a name is unknown or `who` is needed.
    DesignError
        If there are not two levels, the same units stand at both though `paired` is False, or none does though it is
        True, or units may be linked through people whose ids are not known.
    NotEstimable
        If fewer than two units are left at a level, or nothing varies.

    Examples
    --------
    >>> import negstats
    >>> study = negstats.load("datasets/sample")
    >>> compare(study, "points", by="condition", who="agent", paired=True).test.n
    (12,)
    """
    refuse_stops(study.provenance.records, study.provenance.accepted)
    frame_study = study.with_frames()
    with repeatable_sums(in_memory=frame_study.in_memory):
        return _compare(frame_study, measure, by, paired=paired, who=who, levels=levels, unit=unit)


def _compare(
    frame_study: Study,
    measure: str,
    by: str,
    *,
    paired: bool,
    who: str | None,
    levels: Sequence[str] | None,
    unit: Unit,
) -> Comparison | ShareComparison:
    unit_values = units(frame_study, measure, by, who=who, unit=unit)
    known_levels = distinct(unit_values.frame, "level").sort("level").collect("pyarrow")["level"].to_list()
    pair = two_levels(known_levels, by, levels)
    frame = unit_values.frame.filter(nw.col("level").is_in(pair))
    wide, left_out = _wide(frame_study, frame, unit_values, by, pair) if paired else (None, [])
    if wide is None and (unit_values.unit != "game" or by in SEAT_FACTORS):  # a game has one level of its factors
        _check_apart(frame, unit_values, by)
    unit_values.check_linked(frame if wide is None else wide)
    definition = measure_of(frame_study, measure)
    head = heading(definition, by, pair, who, unit_values.unit, (*unit_values.notes, *left_out))
    head["values"] = _values(frame_study, frame, wide)
    if definition.yes_no:
        test, difference, table = _shares(frame, wide, pair)
        return ShareComparison(
            **head, rows=unit_values.rows, paired=paired, test=test, difference=difference, yes_no=table
        )
    kind = _kind(definition, unit_values)
    if wide is None:
        cells = _select_cells(stats.Cells.from_frame(frame.to_native(), "value", "level"), pair, unit_values)
        test_t = stats.t_test(cells, levels=pair)
        effect = effect_of_groups(test_t, cells, kind, LEVEL)
        ranks: Any = rank_test(stats.ValueCounts.from_frame(frame.to_native(), "value", "level"), pair)
    else:
        cells, moments, test_t, ranks = _compute_paired(wide, pair, unit_values, by)
        effect = effect_of_pairs(test_t, moments, kind, LEVEL)
    return Comparison(**head, test=test_t, ranks=ranks, cells=cells, effect=effect)


def rank_test(
    counts: stats.ValueCounts, levels: Sequence[str], alternative: Alternative = "two-sided"
) -> stats.BrunnerMunzel | None:
    """Return Brunner and Munzel's test of two groups, or None where it does not keep its level or is not defined.

    Mann and Whitney's would take groups of unlike spread for unlike groups, which Welch's t beside it does not.
    """
    try:
        test = stats.brunner_munzel(counts, levels=levels, alternative=alternative)
    except NotEstimable:
        return None
    return test if min(float(np.asarray(n)) for n in test.n) >= ENOUGH else None


def heading(
    known: metrics.Measure, by: str, levels: tuple[str, str], who: str | None, unit: str, notes: Sequence[str]
) -> dict[str, Any]:
    """Return the fields that any comparison has, whatever holds its values and whatever it tests."""
    measure = known.name
    label = measure.replace("_", " ") + (f" of {who}" if who else "")
    if known.yes_no:
        notes = [f"counted as yes: {known.meaning.removeprefix('whether ')}", *notes]
    elif known.unit != measure:
        label += f" ({known.unit})"
    return {"measure": measure, "label": label, "by": by, "levels": levels, "who": who, "unit": unit,
            "notes": tuple(notes)}  # fmt: skip


def paired_units_error(units: int, what: str, by: str) -> DesignError:
    """Return the error for units that stand at both levels where groups are compared."""
    return DesignError(
        f"{counted(units, NOUNS.get(what, what))} had values at both levels of {by!r}; use --paired (paired=True)"
    )


def no_units_error(what: str, by: str) -> DesignError:
    """Return the error for pairs where no unit stands at both levels."""
    return DesignError(f"no {NOUNS.get(what, what)} has values at both levels of {by!r}; compare them unpaired")


def lacking(units: int, what: str) -> list[str]:
    """Return the note on units that lack a level, if there are any."""
    return (
        [
            f"{counted(units, NOUNS.get(what, what))} without a value at both levels "
            f"{'was' if units == 1 else 'were'} excluded"
        ]
        if units
        else []
    )


def two_levels(observed_levels: Sequence[str], by: str, levels: Sequence[str] | None) -> tuple[str, str]:
    """Return the two levels that are compared, of those with values in order: the only two, or those that are named."""
    if levels is None:
        if len(observed_levels) != 2:
            hint = "; choose two of them as levels" if len(observed_levels) > 2 else ""
            raise DesignError(
                f"{by!r} has {len(observed_levels)} levels with values: {', '.join(observed_levels)}{hint}"
            )
        return observed_levels[0], observed_levels[1]
    level_names = [str(level) for level in levels]
    if len(set(level_names)) != 2 or len(level_names) != 2:
        raise UsageError(f"levels is {level_names}; name two different levels of {by!r}")
    for level in level_names:
        if level not in observed_levels:
            raise UsageError(f"{by!r} has no level {level!r} with values; it has {', '.join(observed_levels)}")
    return level_names[0], level_names[1]


def _record(frame: pd.DataFrame) -> dict[str, object]:
    return {str(name): value for name, value in frame.to_dict("records")[0].items()}


def _kind(measure: metrics.Measure, unit_values: Units) -> str:
    """Return the kind of what is compared, as a plan has it: averages of counts are no counts."""
    kind = kind_of(measure, scale=False, ends=False)
    return "interval" if kind == "count" and unit_values.rows > count(unit_values.frame) else kind


def _effect(effect: Quantity) -> dict[str, object]:
    entry = effect.entry()
    return {"effect": entry.pop("name"), **entry}


def _interval(interval: stats.Interval) -> dict[str, object]:
    return {"low": interval.low, "high": interval.high, "level": interval.confidence_level, "method": interval.method}


def _values(study: Study, frame: Lazy, wide: Lazy | None) -> pd.DataFrame:
    """Return the units' values, of pairs those of whole ones; none where they stay with an engine."""
    if not study.in_memory:
        return pd.DataFrame({"unit": [], "level": [], "value": []})
    whole = frame if wide is None else frame.join(wide.select("unit"), on="unit", how="semi")
    return home(whole.select("unit", "level", "value").sort("unit", "level"))


def _check_apart(frame: Lazy, unit_values: Units, by: str) -> None:
    both = count(frame.group_by("unit").agg(nw.len().alias("levels")).filter(nw.col("levels") > 1))
    if both:
        raise paired_units_error(both, unit_values.unit, by)


def _wide(study: Study, frame: Lazy, unit_values: Units, by: str, pair: tuple[str, str]) -> tuple[Lazy, list[str]]:
    """Return one row a unit that stands at both levels: ``unit``, ``first``, ``second``."""
    at = [nw.when(nw.col("level") == level).then(nw.col("value")) for level in pair]
    rows = frame.with_columns(at[0].alias("first"), at[1].alias("second"))
    every = rows.group_by("unit").agg(nw.col("first").max(), nw.col("second").max())
    whole = study.keep(every.drop_nulls(["first", "second"]))
    n_whole = count(whole)
    if not n_whole:
        raise no_units_error(unit_values.unit, by)
    return whole, lacking(count(every) - n_whole, unit_values.unit)


def _check_units(n: float, level: str, unit_values: Units) -> None:
    if n < 2:
        why = "; ".join(note for note in unit_values.notes if "linked" in note)
        more = f" ({why}). More sessions would do; unit='game' takes games for independent" if why else ""
        raise NotEstimable(f"{int(n)} {unit_values.unit} is left at {level!r}, and a test needs two{more}")


def _select_cells(cells: stats.Cells, pair: tuple[str, str], unit_values: Units) -> stats.Cells:
    """Return the cells with the levels in the order of `pair`, each with two units at least."""
    order = [cells.factors[0].levels.index(level) for level in pair]
    for place, level in zip(order, pair, strict=True):
        _check_units(float(cells.n[place]), level, unit_values)
    factor = replace(cells.factors[0], levels=pair)
    return replace(
        cells, n=cells.n[order], offset=cells.offset[order], variance=cells.variance[order], factors=(factor,)
    )


def _compute_paired(
    wide: Lazy, pair: tuple[str, str], unit_values: Units, by: str
) -> tuple[stats.Cells, stats.Moments, stats.TTest, stats.Wilcoxon]:
    moments = stats.Moments.from_columns(wide.to_native(), ["first", "second"], outcome="value")
    _check_units(float(moments.n), pair[0], unit_values)
    level_moments = replace(moments, variables=replace(moments.variables, name=by, levels=pair))
    variance = np.diagonal(moments.covariance)
    cells = stats.Cells(np.full(2, moments.n), moments.mean, variance, (level_moments.variables,), "value")
    return (
        cells,
        moments,
        stats.paired_t(level_moments, levels=pair),
        replace(stats.wilcoxon(engine_differences(wide, "value")), labels=pair),
    )


def _shares(frame: Lazy, wide: Lazy | None, pair: tuple[str, str]) -> tuple[Any, Any, Any]:
    """Return test, difference and table of yes and no; shares of units with several values are compared as such."""
    values = [("value", frame.filter(nw.col("level") == level)) for level in pair]
    if wide is not None:
        values = [("first", wide), ("second", wide)]
    distinct = [
        rows.filter((nw.col(name) != 0.0) & (nw.col(name) != 1.0)).head(1).collect("pyarrow") for name, rows in values
    ]
    if any(len(rows) for rows in distinct):
        cells = [stats.Cells.from_frame(rows.to_native(), name) for name, rows in values]
        of_pairs = None
        if wide is not None:
            of_pairs = stats.Moments.from_columns(wide.to_native(), ["first", "second"])
        both = clustered_summary(cells[0], cells[1], of_pairs)
        return both, both, ((0, 0), (0, 0))
    rows, columns = ("level", "value") if wide is None else ("first", "second")
    unit_counts = (frame if wide is None else wide).group_by(rows, columns).agg(nw.len().alias("units"))
    names: list[Any] = list(pair) if wide is None else [1.0, 0.0]
    table = (
        unit_counts.collect("pyarrow")
        .to_pandas()
        .pivot_table(index=rows, columns=columns, values="units", aggfunc="sum", fill_value=0)
    )
    full = table.reindex(index=names, columns=[1.0, 0.0], fill_value=0).to_numpy(dtype=np.int64)
    cells_of = ((int(full[0, 0]), int(full[0, 1])), (int(full[1, 0]), int(full[1, 1])))
    test, difference = shares_of_counts(cells_of, paired=wide is not None)
    return test, difference, cells_of
