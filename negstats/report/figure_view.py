"""A question's values as its figures take them: factors with the plan's labels, levels in order, cells as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from negstats.analysis.effect_sizes import RATIOS
from negstats.plots.style import wrapped
from negstats.report.labels import NAME, cells_table, end_words, level_text
from negstats.report.measures import AS_LOGGED, NO_UNITS, base_of, words_of_measure
from negstats.report.prose import listed, prose
from negstats.report.sentences.question import unit_name
from negstats.sanitize import line, plural

if TYPE_CHECKING:
    from negstats.analysis.answers import Answer, Report

JOIN = " · "
LABEL = 80  # characters of a level or a measure in a figure; longer ones are not names
DIFFERENCES = ("difference", "mean difference")


OF_RANKS = (
    "spearman",
    "kendall",
    "brunner_munzel",
    "kruskal_wallis",
    "wilcoxon",
    "friedman",
    "mann_whitney",
    "ordinal",
)
OF_RATIOS = ("gee", "logistic", "quasi_poisson", "loglinear", "chi_squared", "fisher", "binomial", "mcnemar", "cochran")


class View:
    """A question's values as they are drawn: factors with the plan's labels, levels in order, cells as a table."""

    def __init__(self, report: Report | Answer, answer: Answer) -> None:
        self.answer, self.plan, self.entry = answer, report.plan, answer.entry
        self.study = report.results["study"]
        self.participation = self.study.get("participation")
        self.raw = answer.values  # noqa: PD011 - a frame
        self.level = report.plan.confidence_level
        factors = (self.entry.get("design") or {}).get("factors") or []
        self.factors = [factor for factor in factors if factor["name"] in self.raw.columns]
        self.names = [factor["name"] for factor in self.factors]
        self.rows = self.raw.copy(deep=False)
        self.known: dict[str, dict[str, str]] = {}
        for factor in self.factors:
            name = factor["name"]
            level_labels = self.known[name] = _short_levels(self.plan, factor)
            self.rows[name] = self.rows[name].astype("str").map(lambda level, new=level_labels: new.get(level, level))
        words = words_of_measure(self.entry, self.plan, None, self.study)
        unit = line(self.entry.get("unit_of_measure") or "", LABEL)
        unit = words.unit if unit == AS_LOGGED else unit
        is_said = unit in ("", "answer", self.entry["measure"], *NO_UNITS, *words.noun.split())
        unit_text = "" if is_said or words.kind == "share" else f" ({unit})"
        self.title = line(words.noun, 2 * LABEL)
        self.label = wrapped(f"{line(words.noun.removeprefix('the '), 2 * LABEL)}{unit_text}", 34)
        self.bars = f"{100 * self.level:g}% CI"

    def number_name(self, name: str) -> str:
        """Return what a number of the question is called."""
        return line(words_of_measure(self.entry, self.plan, name, self.study).noun.removeprefix("the "), LABEL)

    @property
    def scale_words(self) -> tuple[str, ...]:
        """The words of an answer in order; empty of numbers."""
        measure = self.plan.measures.get(self.entry["measure"])
        return tuple(line(word, LABEL) for word in measure.scale) if measure is not None else ()

    @property
    def inner_names(self) -> list[str]:
        """The factors that lie within units."""
        return [factor["name"] for factor in self.factors if factor["lies"] == "within"]

    @property
    def paired(self) -> bool:
        """Whether the test is of differences within units: one factor within them, and a value a unit and level."""
        has_one_factor = len(self.names) == 1 == len(self.inner_names)
        return has_one_factor and not self.raw.duplicated(["unit", *self.names]).any()

    @property
    def of_number(self) -> bool:
        """Whether the outcome is yes or no and the question relates it to one number, and to nothing else."""
        question = self.answer.question
        is_drawable = "value" in self.rows.columns and set(self.rows["value"].dropna()) == {0, 1}
        return is_drawable and not self.names and len(question.with_) == 1 == len(predictors(self))

    @property
    def of_partners(self) -> bool:
        """Whether the answer is an actor–partner model of one number, which has paths."""
        question = self.answer.question
        is_dyadic = self.answering is not None and self.answering.get("method") == "dyad"
        return is_dyadic and not self.names and len(question.with_) == 1 and not question.covariates

    @property
    def of_agents(self) -> bool:
        """Whether means of agents are compared, who are ranked where nobody took part."""
        factor = self.plan.factors.get(self.names[0]) if len(self.names) == 1 else None
        column = factor.column if factor is not None else f"players.{self.names[0]}" if self.names else ""
        cells = self.entry.get("cells") or ()
        is_of_means = all(cell.get("mean") is not None for cell in cells)
        return self.participation == "agents" and column == "players.agent" and len(cells) > 2 and is_of_means

    def counted(self, n: int) -> tuple[str, float | None]:
        """Return what `n` values of a figure are, and the level of intervals: none where a unit has several values."""
        unit, units = plural(self.unit), int(self.entry["design"]["n_units"])
        if len(self.raw):
            is_repeated = bool(self.raw.duplicated(["unit", *self.names]).any())
        else:  # the values stay with an engine
            within_sizes = [len(factor["levels"]) for factor in self.factors if factor["lies"] != "between"]
            is_repeated = n > units * math.prod(within_sizes)
        if is_repeated:
            return f"values of {units:,} {unit}", None
        return unit, self.level

    @property
    def without_agreement(self) -> dict[float, str]:
        """The values that an end without an agreement gives, and what that end is called; empty of other measures.

        The sum of points is known of dyads, and where no side has any.
        """
        points = self.study.get("points_without_agreement") or {}
        base = base_of(self.plan, self.entry["measure"])
        seats = {"points": 1, "joint_value": 2 if self.unit == "dyad" or not any(points.values()) else 0}.get(base, 0)
        ends: dict[float, list[str]] = {}
        for end, value in points.items() if seats else ():
            ends.setdefault(seats * value, []).append(end_words(self.study, end)[1])
        return {value: str(listed([prose("{end}", end=end) for end in names])) for value, names in ends.items()}

    def joined(self, frame: pd.DataFrame, names: list[str]) -> pd.Series:
        """Return the levels of several factors as one text."""
        if not names:
            return pd.Series("all", index=frame.index)
        return frame[names].astype("str").agg(JOIN.join, axis="columns")

    def cells(self) -> pd.DataFrame:
        """Return the cells with the levels' short names."""
        table = cells_table(self.entry, self.plan)
        for name, labels in self.known.items():
            table[name] = [labels[str(cell["levels"][name])] for cell in self.entry["cells"]]
        return table

    @property
    def unit(self) -> str:
        """What a unit of analysis is."""
        return unit_name(self.entry, self.study)

    @property
    def noun(self) -> str:
        """What a value is of: a unit, or where a unit has several, the seat or negotiation that it was measured of."""
        if not self.raw.duplicated(["unit", *self.names]).any():
            return self.unit
        row_counts = self.entry.get("rows") or {}
        if row_counts.get("row") and int(row_counts["rows"]) == len(self.raw):
            return line(row_counts["row"], NAME)
        return f"value of a {self.unit}"

    @property
    def answering(self) -> Mapping[str, Any] | None:
        """The test that answers the question; None if there is none."""
        return next((test for test in self.entry["tests"] if test["role"] == "answer"), None)

    @property
    def tests_ranks(self) -> bool:
        """Whether the answer is a test of ranks or of ordered answers, which fits no mean and no line."""
        return self.answering is not None and self.answering.get("method") in OF_RANKS

    @property
    def fits_means(self) -> bool:
        """Whether the answer is a model of means with errors that are assumed to be normal."""
        test = self.answering
        if test is None or self.tests_ranks:
            return False
        return test.get("method") not in OF_RATIOS and (test.get("effect") or {}).get("name") not in RATIOS

    @property
    def one_sided(self) -> bool:
        """Whether the test that answers has a direction."""
        return self.answering is not None and self.answering["alternative"] != "two-sided"

    @property
    def estimate(self) -> Mapping[str, Any] | None:
        """The difference that the answering test reports, with its interval; None if it reports something else."""
        test = self.answering
        difference = None if test is None else test.get("estimate")
        if (
            difference is None
            or difference.get("name") not in DIFFERENCES
            or None in (difference.get("low"), difference.get("high"))
        ):
            return None
        return dict(difference)

    def summary(self, names: list[str], cells: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return n, mean, low and high by the levels of the named factors as one text."""
        cells = self.cells() if cells is None else cells
        estimated_cells = cells.dropna(subset=["mean"])
        table = estimated_cells.reindex(columns=["n", "mean", "low", "high"]).astype(float)
        return table.set_index(self.joined(estimated_cells, names).to_numpy())


def predictors(view: View) -> list[str]:
    """Return the numbers beside the outcome: those that the question names and the values have."""
    predictors = [*view.answer.question.with_, *view.answer.question.covariates]
    skip = {"unit", "value", "time", "ended", *view.names}
    numeric = [str(name) for name in view.rows.columns if name not in skip and view.rows[name].dtype.kind in "iuf"]
    return [name for name in predictors if name in numeric] or numeric


def _short_levels(plan: Any, factor: Mapping[str, Any]) -> dict[str, str]:
    """Return what each level of a factor is called in a figure."""
    texts = {str(level): level_text(plan, factor["name"], level) for level in factor["levels"]}
    short = _short(dict.fromkeys(texts.values()))
    return {level: short[text] for level, text in texts.items()}


def _short(names: Iterable[str]) -> dict[str, str]:
    """Return each name as it stands in a figure, cut where it is long, and no two alike."""
    labels: dict[str, str] = {}
    for name in names:
        short = line(name, LABEL)
        labels[name] = short if short not in labels.values() else f"{line(name, LABEL - 4)} ({len(labels) + 1})"
    return labels
