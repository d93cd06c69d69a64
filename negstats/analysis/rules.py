"""Which test a question gets: the table of `auto`, as data, and the function that picks its row.

The row follows from the design and the kind of outcome, never from a test of assumptions on the same data.
`DesignFeatures` are what of a design it rests on; each `Rule` says which facts it wants. The first row whose wants are
met is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from negstats.analysis.method import METHODS, Method, Step
from negstats.errors import DesignError, UsageError, meant, shown

__all__ = [
    "OWN",
    "RULES",
    "Choice",
    "DesignFeatures",
    "Figure",
    "Kind",
    "Rule",
    "choose_rule",
    "markdown",
    "takes_units_at_one_level",
    "tests",
]

MEANS_IN_TEXT = 3  # cells whose means the text has; of more there is a table or a figure
Figure: TypeAlias = Literal["points", "lines", "cells", "bars", "scatter", "curves", "answers"]
Kind: TypeAlias = Literal["interval", "yes/no", "count", "ordered", "nominal", "time"]
Shape: TypeAlias = Literal[
    "none", "two groups", "groups", "factorial", "pairs", "within", "two within", "2 x 2 mixed", "mixed"
]
Extra: TypeAlias = Literal["none", "covariate", "number", "numbers", "number and factor"]
Asked: TypeAlias = Literal["effect", "contrasts", "equivalent", "against"]
Linked: TypeAlias = Literal["alone", "pairs", "groups", "all"]


@dataclass(frozen=True, slots=True)
class DesignFeatures:
    """What of a question and its design the choice of a test rests on.

    Attributes
    ----------
    kind : str
        The outcome's kind, after the rows of a unit were averaged: a mean of counts or of yes and no is interval.
    shape : str
        How the factors lie, whatever lies inside units counted as between.
    extra : str
        Whether numbers stand beside the factors: covariates, predictors (``with``), or both.
    asked : str
        What is asked: the effect, contrasts, equivalence, or the difference from a stated value.
    linked : str
        "alone" (a unit is one person, or one game for a measure of games), "pairs", "groups" of more, "all" (one unit).
    inside : bool
        Whether a factor lies partly between and partly within units, or a predictor differs inside a unit.
    several : bool
        Whether units have several rows at one level, so that these are averaged.
    people : bool
        Whether these several rows are of several people (and not the games of one).
    seats : bool
        Whether the factor tells the seats of a game apart.
    incomplete : bool
        Whether more than 20 % of the units lack a level of a factor within units.
    averaged : str
        The outcome's kind before rows were averaged.
    small : bool
        Whether the smallest expected count of the table is under 5: a function of its margins.
    few : bool
        Whether the smallest cell has 2 to 4 units.
    competing : bool
        Of times: whether a game can end in another way than by agreement or the clock.
    items : bool
        Whether items or partners are crossed with the units; a row that does not want them takes none.
    """

    kind: Kind
    shape: Shape = "none"
    extra: Extra = "none"
    asked: Asked = "effect"
    linked: Linked = "alone"
    inside: bool = False
    several: bool = False
    people: bool = False
    seats: bool = False
    incomplete: bool = False
    averaged: Kind = "interval"
    small: bool = False
    few: bool = False
    competing: bool = False
    items: bool = False

    @property
    def of_rows(self) -> bool:
        """Whether a test takes related rows as they are, and no averages of units: then each n counts rows."""
        return self.inside or self.items or (self.kind == "time" and self.several)


OWN = ("unit", "game_id", "player", "person", "value", "ended")  # columns of a question's rows that no factor may have
_NO: tuple[object, ...] = (False,)
_YES: tuple[object, ...] = (True,)


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table.

    Attributes
    ----------
    row : int
        Its number, which reports print.
    outcome, design : str
        For readers.
    test : str
        The name that ``test =`` takes; empty where the row refuses or leads to another.
    figure : str or None
        How it is drawn.
    sentence : str
        What the report prints.
    conditions : Mapping of str to tuple
        Values of `DesignFeatures` for which the row is taken; a fact that is not named may be anything.
    method : str
        The record of `negstats.analysis.method.METHODS` that computes it; empty where it is called as the test.
    effect, follow_up, beside : str
        What the record says is reported, for readers.
    """

    row: int
    outcome: str
    design: str
    test: str
    figure: Figure | None
    sentence: str
    conditions: Mapping[str, Sequence[object]] = field(default_factory=dict)
    method: str = ""

    @property
    def key(self) -> str:
        """The key of its record in `METHODS`; empty where the row makes no test."""
        return self.method or self.test

    @property
    def effect(self) -> str:
        """The estimate and effect of the test."""
        return METHODS[self.key].effect if self.key else "–"

    @property
    def follow_up(self) -> str:
        """What is reported behind the test."""
        step = METHODS[self.key].follow_ups if self.key else None
        return step.words if step is not None else "–"

    @property
    def beside(self) -> str:
        """What is reported beside the test and never decides."""
        return ", ".join(step.words for step in METHODS[self.key].beside) or "–" if self.key else "–"

    def holds(self, facts: DesignFeatures) -> bool:
        """Whether all that the row wants is so."""
        conditions = {"items": _NO, **self.conditions}
        return all(getattr(facts, name) in allowed for name, allowed in conditions.items())


@dataclass(frozen=True, slots=True)
class Choice:
    """The row that was taken, and those that led to it (units averaged, linked people, few units).

    Attributes
    ----------
    rule : Rule
        The row whose test is made.
    through : tuple of Rule
        Rows that apply before it, in the table's order.
    by : str
        "auto", or the name that the plan gave.
    """

    rule: Rule
    through: tuple[Rule, ...] = ()
    by: str = "auto"

    @property
    def row(self) -> int:
        """The number that reports print: of the first row that applies."""
        return self.through[0].row if self.through else self.rule.row

    def beside(self, features: DesignFeatures, method: Method | None = None) -> list[Step]:
        """Return what stands beside the answer for a design: what is announced, and what is made."""
        rows = {rule.row for rule in (*self.through, self.rule)}
        steps = (METHODS[self.rule.key] if method is None else method).beside if self.rule.key else ()
        return [step for step in steps if step.applies(features, rows)]

    @property
    def sentence(self) -> str:
        """Why this test, in a sentence or two."""
        naming_sentence = [f"The plan names the test ({self.by})."] if self.by != "auto" else []
        return " ".join([*naming_sentence, *(rule.sentence for rule in (*self.through, self.rule))])


_ONE_FACTOR = ("two groups", "groups")
_BETWEEN = ("two groups", "groups", "factorial")
_INNER = ("pairs", "within", "two within", "2 x 2 mixed", "mixed")
_NUMERIC = ("interval", "count")  # counts of the same units, and beside numbers, are compared by their means


def _plain(kind: str | tuple[str, ...], *shapes: str, **conditions: Sequence[object]) -> dict[str, Sequence[object]]:
    """Return the wants of a design of whole units: nothing differs inside a unit, the effect is asked."""
    kinds = (kind,) if isinstance(kind, str) else kind
    return {"kind": kinds, "shape": shapes, "extra": ("none",), "asked": ("effect",), "inside": _NO, **conditions}


def _inside(**conditions: Sequence[object]) -> dict[str, Sequence[object]]:
    """Return the wants of a design of numbers in which something differs inside a unit."""
    return {"kind": ("interval",), "inside": _YES, "asked": ("effect", "contrasts", "against"), **conditions}


# Rows that say how values are brought together, before the row whose test is made.
LEADING: tuple[Rule, ...] = (
    Rule(17, "interval", "linked people, factor between units", "", None,
         "People who played together were treated as one unit of analysis.",
         {"kind": _NUMERIC, "averaged": _NUMERIC, "shape": _BETWEEN, "inside": _NO, "several": _YES, "people": _YES}),
    Rule(22, "interval", "several games of a person at one level (yes or no: row 35)", "", None,
         "Games of one person are averaged first.", {"kind": _NUMERIC, "inside": _NO, "several": _YES, "people": _NO}),
    Rule(24, "interval", "a cell of 2–4 units", "", None, "With so few units a permutation test was added as a check.",
         {"kind": ("interval",), "shape": ("two groups", "groups", "pairs"), "asked": ("effect",), "inside": _NO,
          "extra": ("none",), "few": _YES}),
    Rule(52, "time", "linked", "", None, "Times of one unit are related.", {"kind": ("time",), "several": _YES}),
)  # fmt: skip

# The rows that make a test, in the order in which they are tried.
RULES: tuple[Rule, ...] = (
    Rule(23, "any", "all people linked", "", None,
         'No two units are independent; [data] unit = "game" takes games for independent.', {"linked": ("all",)}),
    # Items or partners that are crossed with the units: each has an effect of its own.
    Rule(53, "interval", "items or partners crossed with units", "mixed", "points",
         "Units and items are both samples; each has a random intercept.",
         {"kind": ("interval",), "items": _YES, "asked": ("effect",)}, method="mixed_of_items"),
    Rule(53, "yes/no", "items or partners crossed with units", "mixed", "bars",
         "Units and items are both samples; each has a random intercept.",
         {"kind": ("yes/no",), "items": _YES, "asked": ("effect",)}, method="mixed_of_decisions_on_items"),
    Rule(53, "count", "items or partners crossed with units", "mixed", "points",
         "Units and items are both samples; each has a random intercept.",
         {"kind": ("count",), "items": _YES, "asked": ("effect",)}, method="mixed_of_counts_on_items"),
    # An outcome in numbers.
    Rule(25, "interval", "two groups or pairs, equivalent", "equivalence", "points",
         "Tests whether the difference lies within the planned bounds.",
         {"kind": _NUMERIC, "asked": ("equivalent",), "shape": ("two groups", "pairs"), "extra": ("none",),
          "inside": _NO}),
    Rule(34, "yes/no", "linked people, factor between units", "welch", "points",
         "One proportion per unit was compared.",
         _plain("interval", *_BETWEEN, averaged=("yes/no",), several=_YES), method="welch_of_shares"),
    Rule(1, "interval", "two groups", "welch", "points",
         "Two independent groups: means compared without taking variances as equal.", _plain("interval", "two groups")),
    Rule(18, "interval", "the two seats of pairs (role)", "paired", "lines", "The two seats of a game are a pair.",
         _plain("interval", "pairs", seats=_YES), method="paired_seats"),
    Rule(2, "interval", "pairs", "paired", "lines",
         "Each unit was in both conditions; differences within units were tested.",
         _plain("interval", "pairs", seats=_NO)),
    Rule(3, "interval", "no factor", "one_sample", "points",
         "The mean of one group; it is tested only against a value that the plan states.",
         {"kind": _NUMERIC, "shape": ("none",), "extra": ("none",), "asked": ("effect", "against")}),
    Rule(5, "interval", "k groups, contrasts", "contrast", "points",
         "The plan names what to compare, so only that is tested.",
         {"kind": _NUMERIC, "shape": (*_BETWEEN, "pairs", "within"), "asked": ("contrasts",), "extra": ("none",),
          "inside": _NO, "incomplete": _NO}),
    Rule(4, "interval", "k groups", "welch_anova", "points",
         "Several independent groups, variances not taken as equal.", _plain("interval", "groups")),
    Rule(6, "interval", "2 to 4 between", "anova", "cells",
         "Crossed factors, variances not taken as equal; each term adjusted for the others.",
         _plain("interval", "factorial")),
    Rule(16, "interval", "within, more than 20 % of units incomplete", "mixed", "lines",
         "Some units lack a level; a mixed model keeps them.",
         {"kind": _NUMERIC, "shape": _INNER, "incomplete": _YES, "inside": _NO, "asked": ("effect", "contrasts")},
         method="mixed_of_incomplete"),
    Rule(16, "interval", "partly within, units of one person", "mixed", "lines",
         "Some units lack a level; a mixed model keeps them.",
         _inside(linked=("alone",), extra=("none",), shape=(*_BETWEEN, *_INNER)),
         method="mixed_of_incomplete"),
    Rule(7, "interval", "1 within, k levels", "repeated", "lines",
         "Repeated measures; sphericity is not tested, df are corrected always.", _plain("interval", "within")),
    Rule(8, "interval", "2 within", "repeated", "cells", "Two repeated factors; each term has its own error.",
         _plain(_NUMERIC, "two within"), method="repeated_two"),
    Rule(9, "interval", "2 within-levels × 2 groups", "mixed_anova", "lines",
         "A 2 × 2 mixed interaction is a two-group comparison of differences.",
         _plain(_NUMERIC, "2 x 2 mixed"), method="mixed_two_by_two"),
    Rule(10, "interval", "mixed, larger", "mixed_anova", "cells",
         "Factors between and within units, covariances of groups not taken as equal.",
         _plain(_NUMERIC, "mixed")),
    Rule(11, "interval", "one or more between + covariate", "ancova", "scatter",
         "Groups compared at equal covariate; slopes are drawn.",
         {"kind": _NUMERIC, "shape": _BETWEEN, "extra": ("covariate",), "asked": ("effect",), "inside": _NO}),
    Rule(12, "interval", "pairs + covariate of the unit", "ancova", "scatter",
         "The difference at the mean of the covariate.",
         {"kind": _NUMERIC, "shape": ("pairs",), "extra": ("covariate",), "asked": ("effect",), "inside": _NO},
          method="ancova_of_pairs"),
    Rule(13, "interval", "one number (`with`)", "pearson", "scatter", "Linear relation of two measures of a unit.",
         {"kind": _NUMERIC, "shape": ("none",), "extra": ("number",), "asked": ("effect",), "inside": _NO}),
    Rule(21, "interval", "linked, two measures of seats", "pearson", "scatter",
         "The interval accounts for several values per unit.",
         {"kind": ("interval",), "shape": ("none",), "extra": ("number",), "asked": ("effect",), "inside": _YES},
          method="pearson_of_seats"),
    Rule(14, "interval", "several numbers", "regression", "scatter", "Each predictor adjusted for the others.",
         {"kind": _NUMERIC, "shape": ("none",), "extra": ("numbers",), "asked": ("effect",), "inside": _NO}),
    Rule(15, "interval", "number × factor", "regression", "scatter", "Whether the relation differs between groups.",
         {"kind": _NUMERIC, "shape": _ONE_FACTOR, "extra": ("number and factor",), "asked": ("effect",),
          "inside": _NO}, method="moderation"),
    Rule(19, "interval", "pairs, factor or number differs by seat", "dyad", "points",
         "Partners may be alike or opposed; the model lets their correlation be negative.",
         _inside(linked=("pairs",))),
    Rule(20, "interval", "groups of 3 or more or unequal, factor inside", "mixed", "points",
         "Rows of one group are related.", _inside(linked=("groups", "alone"))),
    # Yes or no.
    Rule(36, "yes/no", "equivalent", "equivalence", "bars",
         "Tests whether the difference lies within the planned bounds.",
         {"kind": ("yes/no",), "asked": ("equivalent",), "shape": ("two groups",), "extra": ("none",),
          "inside": _NO}, method="equivalence_of_shares"),
    Rule(26, "yes/no", "no factor", "binomial", "bars", "A proportion was estimated.",
         {"kind": ("yes/no",), "shape": ("none",), "extra": ("none",), "asked": ("effect", "against"), "several": _NO}),
    Rule(28, "yes/no", "two groups, an expected count < 5", "fisher", "bars",
         "Expected counts are small, so the exact test.", _plain("yes/no", "two groups", several=_NO, small=_YES)),
    Rule(27, "yes/no", "two groups", "chi_squared", "bars", "Two proportions were compared.",
         _plain("yes/no", "two groups", several=_NO)),
    Rule(29, "yes/no", "k groups", "chi_squared", "bars", "Several proportions were compared.",
         _plain("yes/no", "groups", several=_NO), method="chi_squared_of_groups"),
    Rule(30, "yes/no", "2 or more between", "loglinear", "bars",
         "A table of several ways: what the term adds to the fitted counts.",
         _plain("yes/no", "factorial", several=_NO)),
    Rule(31, "yes/no", "pairs", "mcnemar", "bars", "The same units twice: only those that change count.",
         _plain("yes/no", "pairs", several=_NO)),
    Rule(32, "yes/no", "k within", "cochran", "bars", "The same units several times.",
         _plain("yes/no", "within", several=_NO, incomplete=_NO)),
    Rule(33, "yes/no", "covariate or number, independent", "logistic", "curves",
         "Logistic regression; separation is checked and reported.",
         {"kind": ("yes/no",), "shape": ("none", *_BETWEEN), "inside": _NO, "several": _NO, "asked": ("effect",),
          "extra": ("covariate", "number", "numbers", "number and factor")}),
    # A random intercept cannot be negative, as the correlation of competing seats is: pairs get estimating equations.
    Rule(35, "yes/no", "pairs, differs inside", "gee", "bars", "Clustered yes/no with small-sample standard errors.",
         {"kind": ("yes/no",), "inside": _YES, "asked": ("effect",), "linked": ("pairs",)}),
    Rule(35, "yes/no", "one person decides repeatedly; linked, differs inside", "mixed", "bars",
         "Decisions of one person are related; tests on between–within df.",
         {"kind": ("yes/no",), "inside": _YES, "asked": ("effect",)}, method="mixed_of_decisions"),
    Rule(35, "yes/no", "within, crossed or incomplete", "mixed", "bars",
         "Decisions of one person are related; tests on between–within df.",
         {"kind": ("yes/no",), "shape": _INNER, "asked": ("effect",)}, method="mixed_of_decisions"),
    Rule(35, "yes/no", "linked, differs inside, odds of the population", "gee", "bars",
         "Clustered yes/no with small-sample standard errors.",
         {"kind": ("yes/no",), "inside": _YES, "asked": ("effect",)}),
    Rule(35, "yes/no", "within, odds of the population", "gee", "bars",
         "Clustered yes/no with small-sample standard errors.",
         {"kind": ("yes/no",), "shape": _INNER, "asked": ("effect",)}),
    Rule(35, "yes/no", "linked, pooled logit with errors by cluster", "logistic", "bars",
         "One logit for all rows; errors count the units.",
         {"kind": ("yes/no",), "inside": _YES, "asked": ("effect",)}, method="logistic_by_cluster"),
    # Tests that a plan can name for independent yes or no: each row is a unit of its own.
    Rule(33, "yes/no", "groups, odds ratios", "logistic", "bars",
         "Logistic regression of groups; separation is checked and reported.",
         {"kind": ("yes/no",), "shape": _BETWEEN, "inside": _NO, "several": _NO, "asked": ("effect",),
          "extra": ("none",)}),
    Rule(35, "yes/no", "independent, errors by unit", "gee", "bars", "Yes or no with small-sample standard errors.",
         {"kind": ("yes/no",), "shape": ("none", *_BETWEEN), "inside": _NO, "several": _NO, "asked": ("effect",)}),
    # Counts.
    Rule(37, "count", "groups", "quasi_poisson", "points", "Ratio of mean counts; spread beyond Poisson is estimated.",
         _plain("count", *_ONE_FACTOR, several=_NO)),
    Rule(38, "count", "factorial", "quasi_poisson", "cells", "Ratio of mean counts; each cell has its own spread.",
         _plain("count", "factorial", several=_NO), method="quasi_poisson_factorial"),
    Rule(39, "count", "pairs", "paired", "lines", "Differences of counts of the same units.",
         _plain("count", "pairs", several=_NO), method="paired_counts"),
    Rule(39, "count", "k within", "paired", "lines", "Differences of counts of the same units.",
         _plain("count", "within", several=_NO), method="repeated_counts"),
    Rule(40, "count", "linked, differs inside", "gee", "points", "Clustered counts.",
         {"kind": ("count",), "inside": _YES, "asked": ("effect",)}, method="gee_of_counts"),
    Rule(40, "count", "linked, differs inside, people differ", "mixed", "points",
         "Counts of one person are related; negative binomial, tests on between–within df.",
         {"kind": ("count",), "inside": _YES, "asked": ("effect",)}, method="mixed_of_counts"),
    # Answers in order.
    Rule(41, "ordered", "two groups", "brunner_munzel", "answers",
         "Answers in order; equal spread is not taken for granted.", _plain("ordered", "two groups", several=_NO)),
    Rule(42, "ordered", "k groups", "kruskal_wallis", "answers", "Several groups of ordered answers.",
         _plain("ordered", "groups", several=_NO)),
    Rule(43, "ordered", "pairs", "wilcoxon", "answers", "Ordered answers of the same units.",
         _plain("ordered", "pairs", several=_NO)),
    Rule(44, "ordered", "k within", "friedman", "answers", "The same units several times.",
         _plain("ordered", "within", several=_NO, incomplete=_NO)),
    Rule(46, "ordered", "number", "spearman", "scatter", "Monotone relation.",
         {"kind": ("ordered",), "shape": ("none",), "extra": ("number",), "asked": ("effect",)}),
    Rule(45, "ordered", "factorial or covariate", "ordinal", "answers", "Odds of a higher answer.",
         {"kind": ("ordered",), "shape": ("none", *_BETWEEN), "asked": ("effect",), "inside": _NO, "several": _NO}),
    # Kinds that have no order.
    Rule(48, "nominal", "within", "", None, "No test here compares several kinds in the same units.",
         {"kind": ("nominal",), "shape": _INNER}),
    Rule(47, "nominal", "groups", "chi_squared", "answers", "Kinds that have no order.",
         _plain("nominal", *_ONE_FACTOR, several=_NO), method="chi_squared_of_kinds"),
    Rule(47, "nominal", "2 or more between", "chi_squared", "answers", "Kinds that have no order.",
         _plain("nominal", "factorial", several=_NO), method="loglinear_of_kinds"),
    # Times to an end.
    Rule(49, "time", "walking away competes, groups", "gray", "curves", "Walking away is a competing event.",
         {"kind": ("time",), "shape": _ONE_FACTOR, "extra": ("none",), "asked": ("effect",), "competing": _YES}),
    Rule(51, "time", "only time-outs censor, groups", "logrank", "curves", "Games that ran out of time are censored.",
         {"kind": ("time",), "shape": _ONE_FACTOR, "extra": ("none",), "asked": ("effect",), "competing": _NO}),
    Rule(50, "time", "covariate, number, factorial", "cox", "curves",
         "Both rates, since either changes the incidence.",
         {"kind": ("time",), "asked": ("effect",), "shape": ("none", *_BETWEEN)}),
)  # fmt: skip

# Under a test that the plan names, an outcome may be taken for what the test takes: scores of answers for numbers,
# numbers for what can be ranked.
TAKEN_FOR: Mapping[Kind, tuple[Kind, ...]] = {
    "interval": ("interval", "ordered"),
    "count": ("count", "interval", "ordered"),
    "ordered": ("ordered", "interval", "nominal"),
    "yes/no": ("yes/no", "interval", "ordered", "nominal"),
    "nominal": ("nominal",),
    "time": ("time", "interval"),
}


def tests() -> list[str]:
    """Return the names that ``test =`` takes, besides "auto".

    Examples
    --------
    >>> tests()[:4]
    ['mixed', 'equivalence', 'welch', 'paired']
    """
    return list(dict.fromkeys(rule.test for rule in RULES if rule.test))


def takes_units_at_one_level(test: str) -> bool:
    """Return whether a test compares different units, and never levels of the same ones.

    Examples
    --------
    >>> takes_units_at_one_level("welch"), takes_units_at_one_level("paired")
    (True, False)
    """
    shapes = {shape for rule in RULES if rule.test == test for shape in rule.conditions.get("shape", ())}
    return not shapes & set(_INNER)


def choose_rule(facts: DesignFeatures, test: str = "auto") -> Choice:
    """Return the row of the table for a design, or that of the test that the plan names.

    Raises
    ------
    DesignError
        If no row is made for the design: the message says what it is. If the named test is not for it.
    UsageError
        If no test is called so.

    Examples
    --------
    >>> choose_rule(DesignFeatures("interval", "two groups")).rule.test
    'welch'
    >>> choose_rule(DesignFeatures("interval", "two groups", several=True, people=True)).row
    17
    >>> choose_rule(DesignFeatures("ordered", extra="number", inside=True, linked="pairs"), "pearson").row
    21
    """
    if test == "auto":
        rule = next((rule for rule in RULES if rule.holds(facts)), None)
        if rule is None:
            raise DesignError(
                f"no test is available for {describe_design(facts)}; negstats docs which-test lists the tests"
            )
        return _led(rule, facts, test)
    if test not in tests():
        raise UsageError(f"no test is called {shown(test)}; {meant(test, tests())}")
    for kind in TAKEN_FOR[facts.kind]:
        for small in (facts.small, not facts.small):  # whether counts are small is no matter of fit
            facts_of_kind = replace(facts, kind=kind, small=small)
            rule = next((rule for rule in RULES if rule.test == test and rule.holds(facts_of_kind)), None)
            if rule is not None:
                return _led(rule, facts_of_kind, test)
    auto = next((rule.test for rule in RULES if rule.holds(facts) and rule.test), None)
    would = f"; give {auto!r}" if auto else ""
    raise DesignError(f"{test!r} is not for {describe_design(facts)}{would}")


def _led(rule: Rule, facts: DesignFeatures, by: str) -> Choice:
    leading = tuple(lead for lead in LEADING if lead.holds(facts)) if rule.test else ()
    return Choice(rule, leading, by)


def describe_design(facts: DesignFeatures) -> str:
    """Say what a design is, for a message.

    Examples
    --------
    >>> describe_design(DesignFeatures("nominal", extra="number"))
    'a nominal outcome with one number'
    """
    numbers = {"none": "", "covariate": " with a covariate", "number": " with one number",
               "numbers": " with several numbers", "number and factor": " with a number and a factor"}  # fmt: skip
    shapes = {"none": "", "factorial": " in crossed groups", "within": " at several levels of the same units",
              "mixed": " with factors between and within units", "two within": " with two factors within units",
              "2 x 2 mixed": " with factors between and within units", "pairs": " in pairs"}  # fmt: skip
    where = shapes.get(facts.shape, f" in {facts.shape}")
    purpose = {"equivalent": ", asked for equivalence", "contrasts": ", asked for contrasts",
             "against": ", against a stated value"}.get(facts.asked, "")  # fmt: skip
    row_phrase = ", which varies within units" if facts.inside and not facts.items else ""
    row_phrase += ", with items crossed with units" if facts.items else ""
    article = "an" if facts.kind[0] in "io" else "a"
    return f"{article} {facts.kind} outcome{where}{numbers[facts.extra]}{purpose}{row_phrase}"


def markdown() -> str:
    """Return the table as it stands in the documentation, its rows in the order of their numbers."""
    lines = [
        "| # | outcome · design | test (name) | effect | follow-up | additional check | the sentence that is printed |"
    ]
    lines.append("|---|---|---|---|---|---|---|")
    for rule in sorted((*RULES, *LEADING), key=lambda rule: rule.row):
        name = f"`{rule.test}`" if rule.test else "–"
        cells = [f"{rule.outcome} · {rule.design}", name, rule.effect, rule.follow_up, rule.beside, rule.sentence]
        lines.append(f"| {rule.row} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def has_figure_in_report(
    kind: str | None, *, has_number: bool, lies: Sequence[str], cells: int, agents: bool = False
) -> bool:
    """Return whether the report itself has the figure of a planned question: where its text cannot say what is drawn.

    That is so of a number, of times and of answers in order, of pairs, and of four cells or more, unless they are those
    of two factors with two levels each. Of other questions the figure stands in the folder of figures alone.

    Parameters
    ----------
    kind
        The outcome's kind.
    has_number
        Whether predictors or covariates are numbers.
    lies
        Where each factor lies: "between", "within" or "partly".
    cells
        How many cells there are.
    agents
        Whether agents alone took part, which are then ranked.

    Examples
    --------
    >>> has_figure_in_report("interval", has_number=False, lies=["between"], cells=2)
    False
    >>> has_figure_in_report("interval", has_number=False, lies=["within"], cells=2)
    True
    """
    is_of_pairs = list(lies) == ["within"] and kind != "yes/no"  # of shares a pair is two points
    has_many = cells >= MEANS_IN_TEXT if agents else cells > MEANS_IN_TEXT and (len(lies), cells) != (2, 4)
    return has_number or kind in ("ordered", "time") or is_of_pairs or has_many
