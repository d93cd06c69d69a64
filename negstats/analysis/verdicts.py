"""What the answers of a question say: a verdict for each term, and whether its checks agree.

The planned test answers and is never exchanged for another. Whatever else is known stands next to it, and where a check
leads elsewhere the verdict says that it depends on the method.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from negstats.analysis.methods.records import TestRecord
from negstats.stats.results.numbers import number

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Question

DEPENDS = "depends on the method"

# What a check does otherwise than the answer, by the tag of its address.
REASONS = {
    "ranks": "ranks weigh far values less",
    "kendall": "ranks weigh far values less",
    "sign": "only the direction of each difference counts",
    "cluster": "units are weighted differently",
    "gee": "units are weighted differently",
    "welch": "the spread of each group is estimated on its own",
    "exact": "counts are small",
    "midp": "counts are small",
    "chi2": "counts are small",
    "between": "it answers another question",
    "within": "it answers another question",
    "complete": "incomplete units are excluded",
    "without": "the covariate is not held constant",
    "permutation": "few units are compared",
    "bootstrap": "few units are compared",
}
UNASKED = {
    "t",
    "r",
    "actor",
    "partner",
    "mixed pairs",
    "classical",
}  # checks that answer another question than the one that was planned, or take as equal what the answer does not
# CR2 errors of fewer degrees of freedom say little (Tipton, 2015, Psychological Methods 20, 375): they check nothing.
FEWEST_DF = 4.0
SIGNED = {"t", "z", "r", "rho", "tau"}
SAME_SCALE = {"difference", "adjusted_difference", "slope", "mean", "risk_difference"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one answering test says.

    Attributes
    ----------
    address, term : str
        Of the test.
    word : str
        "supported", "not supported", "inconclusive", ...
    smallest : float or None
        The smallest effect that matters, in the unit of the estimate, if the plan names one.
    depends : bool
        Whether a check leads elsewhere.
    """

    address: str
    term: str
    word: str
    smallest: float | None = None
    depends: bool = False

    def entry(self) -> dict[str, Any]:
        """Return it as results.json holds it."""
        return {"address": self.address, "word": self.word, "smallest": self.smallest, "depends": self.depends}

    def __str__(self) -> str:
        return f"{self.word} ({DEPENDS})" if self.depends else self.word


def verdict_of(
    question: Question, name: str, test: TestRecord, alpha: float, cells: Sequence[Mapping[str, Any]], *, depends: bool
) -> Verdict:
    """Return the verdict of an answering test; the corrected p decides where there is one."""
    smallest = _smallest(question, test, cells)
    word = _equivalence(question, test, alpha) if question.equivalent is not None else _effect(test, alpha, smallest)
    return Verdict(name + test.part, test.term, word, smallest, depends)


def _effect(test: TestRecord, alpha: float, smallest: float | None) -> str:
    p = test.p if test.p_adjusted is None else test.p_adjusted
    if p < alpha:
        return "supported"
    if test.p < alpha:
        return "not supported after correction"
    if test.alternative != "two-sided" and 1 - test.p < alpha:
        return "not supported; the difference goes the other way"
    size = test.estimate
    if smallest is None or size is None or not (math.isfinite(size.low) and math.isfinite(size.high)):
        return "not supported"
    if -smallest < size.low and size.high < smallest:
        return "not supported, and any effect is smaller than the smallest that matters"
    return "inconclusive"


def _equivalence(question: Question, test: TestRecord, alpha: float) -> str:
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


def _smallest(question: Question, test: TestRecord, cells: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the smallest effect that matters in the unit of the estimate; of SDs by the pooled SD of the cells."""
    smallest = question.smallest
    if smallest is None or test.estimate is None or test.estimate.name not in {*SAME_SCALE, "r"}:
        return None
    if not isinstance(smallest, Mapping):
        return float(smallest)
    spreads = [(cell["n"] - 1, cell["sd"]) for cell in cells if cell.get("sd") is not None and cell["n"] > 1]
    if not spreads:
        return None
    return number(smallest["sd"] * math.sqrt(sum(df * sd**2 for df, sd in spreads) / sum(df for df, _ in spreads)))


def checks_of(name: str, answer: TestRecord, records: Sequence[TestRecord], alpha: float) -> list[dict[str, Any]]:
    """Return each check of an answer: its address, whether it agrees, and what it does otherwise if it does not."""
    checks = []
    for test in records:
        if test.role != "beside" or test.tag in UNASKED or (test.term and test.term != answer.term):
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
    """Whether a check is on the same side of alpha, points the same way and lies in the answer's interval."""
    p = _on_the_same_side(answer, check)
    if (answer.p < alpha) != (p < alpha):
        return False
    one, two = answer.estimate, check.estimate
    if answer.p < alpha and _sign(answer) * _sign(check) < 0:
        return False
    if one is None or two is None or one.name != two.name or one.name not in SAME_SCALE:
        return True
    return _is_inside(one.value, two.low, two.high) and _is_inside(two.value, one.low, one.high)


def _is_inside(value: float, low: float, high: float) -> bool:
    return not (value < low or value > high)  # an end that is not known excludes nothing


def _sign(test: TestRecord) -> float:
    """Return which way a test lies; 0 where its statistic has no sign."""
    if test.estimate is not None and test.estimate.name in {*SAME_SCALE, "r", "rho", "tau_b"}:
        return math.copysign(1.0, test.estimate.value)
    if test.kind in SIGNED and math.isfinite(test.statistic):
        return math.copysign(1.0, test.statistic)
    return 0.0


def _on_the_same_side(answer: TestRecord, check: TestRecord) -> float:
    """Return the check's p on the answer's side, where the one is one-sided and the other is not."""
    if answer.alternative == "two-sided" or check.alternative != "two-sided":
        return check.p
    side = 1.0 if answer.alternative == "greater" else -1.0
    if not _sign(check):
        return check.p
    return check.p / 2 if _sign(check) == side else 1 - check.p / 2


def sentence_of(verdicts: Sequence[Verdict]) -> str | None:
    """Return the verdict of a question in words: one, or one for each term in the plan's order."""
    if not verdicts:
        return None
    if len(verdicts) == 1:
        return str(verdicts[0])
    return "; ".join(f"{one.term or one.address}: {one}" for one in verdicts)
