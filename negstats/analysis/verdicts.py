"""What the answers of a question say: for each term a verdict of two facts, and whether its checks agree.

The planned test answers and is never exchanged for another. One fact is whether the effect differs from zero, and if so
whether it lies as predicted; the other whether it is large enough to matter. Each has its words, which are made last.
What else is known stands next to the answer, and where a check leads elsewhere the verdict says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import ndtr, stdtr

from negstats.analysis.effect_sizes import RATIOS
from negstats.analysis.method import METHODS
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.plan.predictions import Levels, contrast_sign, observed, stated, target_of
from negstats.stats.results.intervals import quantile
from negstats.stats.results.numbers import number

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Question

DEPENDS = "depends on the method"

# What checks do otherwise than the answer, with the tags of their addresses.
OTHERWISE = {
    "ranks weigh far values less": ("ranks", "kendall"),
    "only the direction of each difference counts": ("sign",),
    "units are weighted differently": ("cluster", "gee"),
    "the spread of each group is estimated on its own": ("welch",),
    "counts are small": ("exact", "midp", "chi2"),
    "it answers another question": ("between", "within"),
    "incomplete units are excluded": ("complete",),
    "the covariate is not held constant": ("without",),
    "walking away counts as censored": ("logrank",),
    "few units are compared": ("permutation", "bootstrap"),
}
REASONS = {tag: reason for reason, tags in OTHERWISE.items() for tag in tags}
# Checks that answer another question than the one that was planned, or take as equal what the answer does not.
UNASKED = {"t", "r", "actor", "partner", "mixed pairs", "classical"}
# CR2 errors of fewer degrees of freedom say little (Tipton, 2015, Psychological Methods 20, 375): they check nothing.
FEWEST_DF = 4.0
SIGNED = {"t", "z", "r", "rho", "tau"}
SAME_SCALE = {"difference", "adjusted_difference", "slope", "mean", "risk_difference"}
RELATIONS = {"r", "rho", "tau_b", "slope", "average_marginal_effect"}
# Estimates whose size of zero means no effect, and which are first minus second.
SIGNED_ESTIMATES = (SAME_SCALE - {"mean"}) | RELATIONS | {
    "difference_of_slopes", "difference_of_restricted_means", "difference_of_incidence", "d", "d_z", "g",
}  # fmt: skip
SOONER = {"hazard_ratio", "difference_of_incidence"}  # which are larger where times are shorter
LOGARITHMIC = {method.test for method in METHODS.values() if method.link == "log"}  # whose terms are ratios of means
LOGISTIC = {method.test for method in METHODS.values() if method.link == "logit"}  # and of odds, where cells are shares

Found = Literal["found", "not found", "not found after correction"]
Equivalence = Literal["equivalent", "not equivalent", "not equivalent after correction", "inconclusive"]
Match = Literal["as predicted", "opposite"]
Noun = Literal["difference", "relation", "interaction"]


@dataclass(frozen=True, slots=True)
class EffectSize:
    """Whether an effect is large enough to matter, beside the smallest one that would.

    Attributes
    ----------
    smallest : float
        In the unit of the estimate.
    answer : {"ruled out", "reached", "open"}
        "ruled out" where the interval lies inside minus and plus the smallest effect, "reached" where it lies beyond
        one of them, else "open".
    low, high, confidence_level : float
        The interval that decides: at 1 - 2 alpha, or that of the test where no narrower one can be had.
    statistic, df, p : float or None
        Of the two one-sided tests the one with the larger p, where the effect is tested by t.
    """

    smallest: float
    answer: Literal["ruled out", "reached", "open"]
    low: float
    high: float
    confidence_level: float
    statistic: float | None = None
    df: float | None = None
    p: float | None = None

    def entry(self) -> dict[str, Any]:
        """Return it as results.json holds it."""
        numbers = {name: number(value) if value is not None else None
                   for name, value in (("statistic", self.statistic), ("df", self.df), ("p", self.p))}  # fmt: skip
        return {"answer": self.answer, "low": number(self.low), "high": number(self.high),
                "level": self.confidence_level, **numbers}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one answering test says, as facts.

    Attributes
    ----------
    address, term : str
        Of the test.
    effect : str
        Whether an effect was found at the plan's level, after correction where there is one; of a question of
        equivalence whether that was shown.
    noun : str
        "difference", "relation" or "interaction".
    predicted, observed : str or None
        Which way the plan says that the effect lies, and which way it lies, in the words of ``predicts``.
    match : str or None
        "as predicted" or "opposite", where the plan predicts a sign and the estimate has one.
    is_opposite : bool
        Whether a test of the other side of a one-sided prediction would reject.
    size : EffectSize or None
        Whether the effect is large enough, where the plan names the smallest one that matters.
    depends : bool
        Whether a check leads elsewhere.
    """

    address: str
    term: str
    effect: Found | Equivalence
    noun: Noun = "difference"
    predicted: str | None = None
    observed: str | None = None
    match: Match | None = None
    is_opposite: bool = False
    size: EffectSize | None = None
    depends: bool = False

    @property
    def word(self) -> str:
        """What follows for the hypothesis; of a question without a prediction whether an effect was found."""
        if self.effect in EQUIVALENCE_WORDS:
            return EQUIVALENCE_WORDS[self.effect]
        article = "an" if self.noun == "interaction" else "a"
        if self.predicted is None:
            words = {"found": f"{article} {self.noun} was found", "not found": f"no {self.noun} was shown"}
            return words.get(self.effect, f"no {self.noun} was shown after correction")
        if self.effect == "found" and self.match is None:  # such as shares of more than two kinds
            return f"{article} {self.noun} was found, but the test has no direction to hold the prediction to"
        if self.effect == "found":
            return "supported" if self.match == "as predicted" else f"not supported; {SIGNIFICANT_OPPOSITE}"
        if self.is_opposite:
            return f"not supported; the {self.noun} lies in the opposite direction"
        return "not supported after correction" if self.effect != "not found" else "not supported"

    def entry(self) -> dict[str, Any]:
        """Return it as results.json holds it."""
        return {
            "address": self.address, "word": self.word, "effect": self.effect, "noun": self.noun,
            "predicted": self.predicted, "observed": self.observed, "match": self.match,
            "smallest": None if self.size is None else number(self.size.smallest),
            "size": None if self.size is None else self.size.entry(), "depends": self.depends,
        }  # fmt: skip

    def text(self, labels: Mapping[str, str]) -> str:
        """Return it in words: what was found and which way it lies, whether it is large enough, and on what it rests.

        `labels` are what the plan calls levels.
        """
        parts = [self.word]
        if self.predicted is None and self.effect == "found" and self.observed is not None:
            parts = [f"{self.word}: {way_text(self.observed, labels)}"]
        if self.size is not None and (size_text := SIZE_WORDS.get((self.effect == "found", self.size.answer))):
            parts.append(size_text.format(smallest=f"{self.size.smallest:g}"))
        return "; ".join(parts) + (f" ({DEPENDS})" if self.depends else "")


SIGNIFICANT_OPPOSITE = "significant in the opposite direction"
EQUIVALENCE_WORDS: Mapping[str, str] = {
    "equivalent": "equivalent",
    "not equivalent": "not equivalent",
    "not equivalent after correction": "not equivalent after correction",
    "inconclusive": "inconclusive",
}
# What a correction takes away was not shown.
UNSHOWN: Mapping[str, str] = {
    "not found after correction": "not found",
    "not equivalent after correction": "inconclusive",
}
# What is said of the size, by whether an effect was found. Each is true of the interval and of nothing else.
SIZE_WORDS: Mapping[tuple[bool, str], str] = {
    (True, "ruled out"): "effects of {smallest} or more are ruled out",
    (True, "reached"): "effects smaller than {smallest} are ruled out",
    (True, "open"): "effects smaller and larger than {smallest} are compatible with the data",
    (False, "ruled out"): "effects of {smallest} or more are ruled out",
    (False, "reached"): "effects smaller than {smallest} are ruled out before correction",
    (False, "open"): "inconclusive, for effects of {smallest} or more are not ruled out",
}


def way_text(way: str, labels: Mapping[str, str]) -> str:
    """Return which way an effect lies, in words.

    Examples
    --------
    >>> way_text("CL > FC", {}), way_text("positive", {})
    ('more in CL', 'positive')
    >>> way_text("age in CL > age in FC", {}), way_text("CL - FC in USA > CL - FC in China", {})
    ('age in CL larger than age in FC', 'CL - FC in USA larger than CL - FC in China')
    """
    first, sign, second = way.partition(" > ")
    if not sign:
        return way
    if " - " in first or " in " in first:
        return f"{first} larger than {second}"
    return f"more in {labels.get(first, first)}"


def verdict_of(
    question: Question,
    name: str,
    test: TestRecord,
    alpha: float,
    cells: Sequence[Mapping[str, Any]],
    *,
    depends: bool,
    levels: Mapping[str, Sequence[str]] | None = None,
) -> Verdict:
    """Return the verdict of an answering test.

    Parameters
    ----------
    question
        The question.
    name
        Its id.
    test
        The test; its corrected p decides where it has one.
    alpha
        The plan's level.
    cells
        n, mean and SD (or share) of each cell, with its levels.
    depends
        Whether a check leads elsewhere.
    levels
        The levels of each factor in order.
    """
    address = name + test.part
    if question.equivalent is not None:
        return Verdict(address, test.term, _equivalence(question, test, alpha), depends=depends)
    factor_levels: Levels = {factor: tuple(own) for factor, own in (levels or {}).items()}
    estimate = _estimate(question, test, cells, factor_levels)
    sign = _direction(question, test, estimate, cells, factor_levels)
    names = _names_of(question, test)
    predicted = predicted_sign(question, test, factor_levels)
    has_contrasts = bool(question.contrasts)
    return Verdict(
        address,
        test.term,
        _found(test, alpha),
        "interaction" if len(names) > 1 else "relation" if names & set(question.with_) else "difference",
        observed(question, names, predicted, factor_levels, with_contrasts=has_contrasts) if predicted else None,
        observed(question, names, sign, factor_levels, with_contrasts=has_contrasts),
        None if not predicted or not sign else "as predicted" if predicted == sign else "opposite",
        test.alternative != "two-sided" and 1 - test.p < alpha,
        _effect_size(question, test, estimate, alpha, cells),
        depends,
    )


def predicted_sign(question: Question, test: TestRecord, levels: Levels) -> int:
    """Return the sign that the plan predicts for a term: of first minus second, a slope or a contrast; 0 for none."""
    prediction = stated(question)
    target = None if prediction is None else target_of(question, *prediction, levels)
    if target is None:
        return 0
    if target.order:
        name = test.term.partition(" at ")[0]
        contrast = next((planned for planned in question.contrasts if planned.name == name), None)
        return 0 if contrast is None else contrast_sign(target.order, contrast.weights)
    names = _names_of(question, test)
    if not target.names:  # a word, for each relation, contrast or stated value
        is_of_word = bool(question.contrasts) or question.against is not None or names & set(question.with_)
        return target.sign if is_of_word else 0
    return target.sign if names == target.names else 0


def _names_of(question: Question, test: TestRecord) -> frozenset[str]:
    """Return the factors and numbers that a test is of."""
    if question.contrasts:
        return frozenset()
    if test.term:
        return frozenset(test.term.split(":"))
    if len(question.effect) == 1:
        return frozenset(question.effect[0].split(":"))
    return frozenset((*question.by, *question.with_))


def _found(test: TestRecord, alpha: float) -> Found:
    p = test.p if test.p_adjusted is None else test.p_adjusted
    if p < alpha:
        return "found"
    return "not found after correction" if test.p < alpha else "not found"


def _equivalence(question: Question, test: TestRecord, alpha: float) -> Equivalence:
    p = test.p if test.p_adjusted is None else test.p_adjusted
    if p < alpha:
        return "equivalent"
    size, bounds = test.estimate, question.equivalent
    if test.p < alpha:
        return "not equivalent after correction"
    if size is None or isinstance(bounds, Mapping) or bounds is None:
        return "inconclusive"
    low, high = (-bounds, bounds) if isinstance(bounds, int | float) else bounds
    return "not equivalent" if size.low > high or size.high < low else "inconclusive"


@dataclass(frozen=True, slots=True)
class _Estimate:
    """An estimate by t: its value, standard error and degrees of freedom (infinite: z)."""

    value: float
    se: float
    df: float

    def interval(self, level: float) -> tuple[float, float]:
        reach = float(quantile(level, self.df)) * self.se
        return self.value - reach, self.value + reach


def _lower_tail(df: float, t: float) -> float:
    return float(ndtr(t) if math.isinf(df) else stdtr(df, t))


def _estimate(
    question: Question, test: TestRecord, cells: Sequence[Mapping[str, Any]], levels: Levels
) -> _Estimate | None:
    """Return the estimate whose square of t the test is, from its interval or, of one F, from the cells."""
    size = test.estimate
    if size is not None:
        is_of_t = test.kind in ("t", "z") and size.name in SAME_SCALE and math.isfinite(size.low + size.high)
        reach, middle = (size.high - size.low) / 2, (size.high + size.low) / 2
        if not is_of_t or abs(middle - size.value) > 1e-6 * reach or reach == 0:
            return None  # an interval that is not symmetric is none of t
        df = test.df[-1] if test.df else math.inf
        null_value = question.against or 0.0 if size.name == "mean" else 0.0
        return _Estimate(size.value - null_value, reach / float(quantile(size.confidence_level, df)), df)
    if test.kind != "f" or not _has_one_df(test) or test.statistic <= 0 or test.method in LOGARITHMIC | LOGISTIC:
        return None
    value = _cell_contrast(question, test, cells, levels)
    return None if not value else _Estimate(value, abs(value) / math.sqrt(test.statistic), test.df[1])


def _has_one_df(test: TestRecord) -> bool:
    return len(test.df) > 0 and abs(test.df[0] - 1) < 1e-9


def _cell_contrast(
    question: Question, test: TestRecord, cells: Sequence[Mapping[str, Any]], levels: Levels
) -> float | None:
    """Return a term's contrast of cells of equal weights, first minus second, of means or of log odds; None without.

    It is what a type III test of one degree of freedom tests.
    """
    names = [name for name in question.by if name in _names_of(question, test)]
    if not names or question.with_ or question.covariates or any(len(levels.get(name) or ()) != 2 for name in names):
        return None
    values, weights = [], []
    others = [name for name in question.by if name not in names]
    for cell in cells:
        cell_levels = cell.get("levels") or {}
        if any(name not in cell_levels for name in question.by):
            return None
        value = _cell_value(test, cell)
        if value is None:
            return None
        place = [(levels[name] or ()).index(cell_levels[name]) for name in names]
        values.append(value)
        weights.append(math.prod(1 - 2 * code for code in place))
    k = math.prod(len(levels.get(name) or ()) for name in others)  # combinations of the other factors
    if len(values) != k * 2 ** len(names):
        return None
    return float(np.dot(values, weights) / k)


def _cell_value(test: TestRecord, cell: Mapping[str, Any]) -> float | None:
    """Return a cell's mean, or on the scale of the test its log or log odds."""
    if cell.get("count") is not None and test.method in LOGISTIC:
        return math.log((cell["count"] + 0.5) / (cell["n"] - cell["count"] + 0.5))
    value = cell.get("mean", cell.get("share"))
    if value is None or (test.method in LOGARITHMIC and value <= 0):
        return None
    return math.log(value) if test.method in LOGARITHMIC else float(value)


def _direction(
    question: Question,
    test: TestRecord,
    estimate: _Estimate | None,
    cells: Sequence[Mapping[str, Any]],
    levels: Levels,
) -> int:
    """Return the sign of an effect: of first minus second, a slope or a contrast; 0 where it has none."""
    if len(test.df) == 2 and test.kind == "f" and not _has_one_df(test):
        return 0
    if estimate is not None:
        return int(np.sign(estimate.value))
    if question.against is not None and test.estimate is not None:
        return int(np.sign(test.estimate.value - question.against))
    if _sign(test):
        return int(_sign(test))
    effect = test.effect
    if effect is not None and effect.name in RATIOS and effect.value > 0:
        return int(np.sign(math.log(effect.value))) * (-1 if effect.name in SOONER else 1)
    if effect is not None and effect.name in SIGNED_ESTIMATES:
        return int(np.sign(effect.value)) * (-1 if effect.name in SOONER else 1)
    is_of_several = test.kind in ("chi2", "g2", "q", "h") and not _has_one_df(test)
    contrast = None if is_of_several else _cell_contrast(question, test, cells, levels)
    return int(np.sign(contrast or 0.0))


def _effect_size(
    question: Question,
    test: TestRecord,
    estimate: _Estimate | None,
    alpha: float,
    cells: Sequence[Mapping[str, Any]],
) -> EffectSize | None:
    """Return whether an effect is large enough to matter; None where the plan names no size, or none in its unit."""
    smallest = _smallest(question, test, estimate, cells)
    if smallest is None:
        return None
    statistic = df = p = None
    if estimate is not None:
        level = 1 - 2 * alpha
        low, high = estimate.interval(level)
        nearest_bound = math.copysign(smallest, estimate.value)
        statistic, df = (estimate.value - nearest_bound) / estimate.se, estimate.df
        p = _lower_tail(df, math.copysign(1.0, nearest_bound) * statistic)
    elif test.estimate is not None and not math.isnan(test.estimate.low + test.estimate.high):
        low, high, level = test.estimate.low, test.estimate.high, test.estimate.confidence_level
    else:
        return None
    is_inside, is_beyond = -smallest < low and high < smallest, low >= smallest or high <= -smallest
    answer: Literal["ruled out", "reached", "open"] = "ruled out" if is_inside else "reached" if is_beyond else "open"
    return EffectSize(smallest, answer, low, high, level, statistic, df, p)


def _smallest(
    question: Question, test: TestRecord, estimate: _Estimate | None, cells: Sequence[Mapping[str, Any]]
) -> float | None:
    """Return the smallest effect that matters in the unit of the estimate; of SDs by the pooled SD of the cells."""
    smallest = question.smallest
    has_unit = estimate is not None or (test.estimate is not None and test.estimate.name in {*SAME_SCALE, "r"})
    if smallest is None or not has_unit:
        return None
    if not isinstance(smallest, Mapping):
        return float(smallest)
    spreads = [(cell["n"] - 1, cell["sd"]) for cell in cells if cell.get("sd") is not None and cell["n"] > 1]
    if not spreads:
        return None
    pooled = math.sqrt(sum(df * sd**2 for df, sd in spreads) / sum(df for df, _ in spreads))
    return float(smallest["sd"] * pooled)


def checks_of(name: str, answer: TestRecord, records: Sequence[TestRecord], alpha: float) -> list[dict[str, Any]]:
    """Return each check of an answer: its address, whether it agrees, and what it does otherwise if it does not."""
    checks = []
    for test in records:
        if test.role != "beside" or test.tag in UNASKED or test.term != answer.term:
            continue
        if not math.isfinite(test.p) or not math.isfinite(answer.p):
            continue
        if test.tag == "cluster" and test.df and test.df[-1] < FEWEST_DF:
            continue
        is_in_agreement = agrees(answer, test, alpha)
        entry: dict[str, Any] = {"of": name + answer.part, "address": name + test.part, "agrees": is_in_agreement}
        if not is_in_agreement:
            entry["why"] = REASONS.get(test.tag, "another model is assumed")
        checks.append(entry)
    return checks


def agrees(answer: TestRecord, check: TestRecord, alpha: float) -> bool:
    """Whether a check concludes as an answer does: an effect in one direction, or none; neither p is corrected."""
    is_found, is_found_again = answer.p < alpha, _on_the_same_side(answer, check) < alpha
    return is_found == is_found_again and not (is_found and _sign(answer) * _sign(check) < 0)


def is_same_conclusion(verdict: Verdict, other: Verdict) -> bool:
    """Whether two verdicts conclude the same: an effect in one direction, none, or the same about equivalence."""
    if UNSHOWN.get(verdict.effect, verdict.effect) != UNSHOWN.get(other.effect, other.effect):
        return False
    return verdict.effect != "found" or verdict.observed == other.observed or None in (verdict.observed, other.observed)


def _sign(test: TestRecord) -> float:
    """Return which way a test lies; 0 where neither its statistic nor its estimate has a sign."""
    if test.kind in SIGNED and math.isfinite(test.statistic):
        sign = float(np.sign(test.statistic))
        return -sign if test.effect is not None and test.effect.name in SOONER else sign
    if test.estimate is not None and test.estimate.name in SIGNED_ESTIMATES:
        return float(np.sign(test.estimate.value))
    return test.direction


def _on_the_same_side(answer: TestRecord, check: TestRecord) -> float:
    """Return the check's p on the answer's side, where the one is one-sided and the other is not."""
    if answer.alternative == "two-sided" or check.alternative != "two-sided":
        return check.p
    side = 1.0 if answer.alternative == "greater" else -1.0
    if not _sign(check):
        return check.p
    return check.p / 2 if _sign(check) == side else 1 - check.p / 2


def sentence_of(verdicts: Sequence[Verdict], labels: Mapping[str, str] | None = None) -> str | None:
    """Return the verdict of a question in words: one, or one for each term in the plan's order."""
    if not verdicts:
        return None
    texts = [verdict.text(labels or {}) for verdict in verdicts]
    if len(verdicts) == 1:
        return texts[0]
    return "; ".join(
        f"{verdict.term or verdict.address}: {text}" for verdict, text in zip(verdicts, texts, strict=True)
    )
