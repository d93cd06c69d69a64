"""Each test as one record: its names, what computes it, its follow-ups, its checks, and its power.

`negstats.analysis.rules` says when a method is taken; plan, methods, power, report and documentation read the record.
A function is named by its module and name, since the table lies beneath the rooms that hold the functions.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

__all__ = ["METHODS", "Method", "function_at", "label_of"]


class Step(NamedTuple):
    """A test that follows an answer or stands beside it: its name for readers, and the function that makes it.

    The function stands in `negstats.analysis.methods` and takes the `TestInput` and the answering records. A step is
    made for designs of which each feature named in `when` has one of the values there, and which the row `through` of
    the table leads to (0: any row); so that what is announced before the data are seen is what is made of them.
    """

    words: str
    function: str
    when: Mapping[str, tuple[object, ...]] = MappingProxyType({})
    through: int = 0

    def applies(self, features: Any, rows: Container[int]) -> bool:
        """Whether the step is made for a design, whose rows of the table are those."""
        is_led_to = not self.through or self.through in rows
        return is_led_to and all(getattr(features, name) in values for name, values in self.when.items())


@dataclass(frozen=True, slots=True)
class Method:
    """A test that answers a question, follows an answer or stands beside one.

    Attributes
    ----------
    key : str
        Its name in `METHODS`.
    label : str
        What a report calls it.
    answer : str
        The function in `negstats.analysis.methods` that makes the answering records of a `TestInput`, and the parts of
        the same model: "means.two_groups". Empty where the test only follows an answer or stands beside one.
    function : str
        The public function that computes it: "stats.t_test".
    summary : str
        What of the data it is computed of: a summary of `negstats.stats`, or "rows".
    effect : str
        The estimate and effect that are reported with it, for readers.
    follow_ups : Step or None
        What is reported behind the answer, corrected as a family of its own.
    beside : tuple of Step
        What is reported beside the answer and never decides.
    power : str
        The function in `negstats.analysis.power.cases` that says what is drawn; empty where nothing is.
    aliases : tuple of str
        What people type instead.
    name : str
        What ``test =`` takes and ``results.json`` holds, where it is not the key: another design of a test that has a
        name already.
    link : {"", "log", "logit"}
        The scale on which the test compares its cells; empty for their means or shares as they are.
    phrase : str
        What it is called behind "tested with", *italics* marked; empty where that is its label with an article.
    statistic : str
        What stands before its statistic where the letter alone would be taken for another test's: "Welch's".
    is_model : bool
        Whether it fits a model, whose comparisons of levels are the model's and bear no name of their own.
    """

    key: str
    label: str
    answer: str = ""
    function: str = ""
    summary: str = ""
    effect: str = ""
    follow_ups: Step | None = None
    beside: tuple[Step, ...] = ()
    power: str = ""
    aliases: tuple[str, ...] = ()
    name: str = ""
    link: Literal["", "log", "logit"] = ""
    phrase: str = ""
    statistic: str = ""
    is_model: bool = False

    @property
    def test(self) -> str:
        """What ``test =`` takes and ``results.json`` holds."""
        return self.name or self.key


def _index_by_key(*methods: Method) -> Mapping[str, Method]:
    table = {method.key: method for method in methods}
    if len(table) != len(methods):
        raise ValueError("two methods have one key")
    return table


def _variant(
    key: str,
    name: str,
    answer: str,
    summary: str,
    effect: str,
    follow_ups: Step | None = None,
    beside: tuple[Step, ...] = (),
    link: Literal["", "log", "logit"] = "",
) -> Method:
    """Return a method that computes another design of a test that has a name already."""
    return Method(
        key, "", answer, summary=summary, effect=effect, follow_ups=follow_ups, beside=beside, name=name, link=link
    )


_T = ("t", "ttest", "t_test", "student")
_ONE_BETWEEN = {"shape": ("two groups", "groups")}
_TWO_ALONE = {"shape": ("two groups", "pairs"), "extra": ("none",)}
_ONE_ALONE = {"shape": ("two groups", "groups", "pairs", "within"), "extra": ("none",), "inside": (True,)}
_BY_UNIT = Step("errors by unit where people are linked", "linked.robust_by_unit", through=17)
_PERMUTATION = Step("permutation p where a cell has 2–4 units", "means.permutation", through=24)
_WILCOXON = Step("Wilcoxon", "means.ranks_of_pairs")
_RELATIVE_EFFECTS = Step("relative effects", "means.relative_effects_beside")
_SIMPLE_EFFECTS = "simple effects of the terms asked"
_GEE = (Step("GEE", "people.equations_beside"),)
_PAIRS_ALONE = Step("pairs, Holm", "answer.level_pairs")
_LEVEL_PAIRS = Step("contrasts, Holm", "linked.level_pairs")
_KENDALL = Step("Kendall", "relations.kendall", {"inside": (False,)})
_CR2 = Step("CR2", "linked.robust_by_unit")

METHODS: Mapping[str, Method] = _index_by_key(
    # Means.
    Method("welch", "Welch's t-test", "means.two_groups", "stats.t_test", "Cells", "difference, g",
           beside=(Step("Brunner–Munzel", "means.ranks_of_groups"), _BY_UNIT, _PERMUTATION),
           power="welch_tasks", aliases=_T, phrase="Welch's *t* test", statistic="Welch's"),
    _variant("welch_of_shares", "welch", "crossed.shares_of_units", "Cells", "difference of mean shares",
             Step("as rows 1, 4 and 6", "crossed.follow_ups_of_shares"), _GEE),
    Method("paired", "paired t-test", "means.pairs", "stats.paired_t", "Moments", "difference, d_z",
           beside=(_WILCOXON, _PERMUTATION), power="paired_tasks", aliases=_T, phrase="a paired *t* test"),
    _variant("paired_seats", "paired", "means.pairs", "Moments", "difference, d_z", beside=(_PERMUTATION,)),
    _variant("paired_counts", "paired", "means.pairs_of_counts", "Moments", "difference, ratio of means",
             beside=(_WILCOXON,)),
    _variant("repeated_counts", "paired", "crossed.repeated", "Moments", "ω²ₚ",
             Step("paired t, Holm", "crossed.pairs_of_levels"), (Step("Friedman", "crossed.friedman"),)),
    Method("one_sample", "one-sample t-test", "means.one_sample", "stats.one_sample_t", "Cells",
           "mean; with `against` d", beside=(Step("Wilcoxon", "means.ranks_of_one_sample", {"asked": ("against",)}),),
           power="one_sample_tasks", phrase="a one-sample *t* test"),
    Method("welch_anova", "Welch's F", "means.groups", "stats.one_way", "Cells", "ω²",
           Step("Games–Howell", "means.games_howell"), (_RELATIVE_EFFECTS, _BY_UNIT, _PERMUTATION),
           power="welch_tasks", phrase="Welch's *F* test", statistic="Welch's"),
    Method("contrast", "contrast", "means.contrasts", "stats.contrasts", "Cells", "difference",
           beside=(Step("Welch F", "means.welch_of_groups", _ONE_BETWEEN),), power="contrast_tasks",
           phrase="contrasts"),
    Method("anova", "type III analysis of variance", "crossed.factorial", "stats.robust_anova", "Cells",
           "Welch–James F, ω²ₚ", Step(f"{_SIMPLE_EFFECTS}, own variances", "crossed.simple_effects"),
           (Step("type III F, equal variances", "crossed.classical_terms"), _BY_UNIT), power="anova_tasks",
           aliases=("rm_anova",), phrase="an analysis of variance with type III sums of squares"),
    Method("repeated", "repeated measures analysis of variance", "crossed.repeated", "stats.repeated_factors",
           "Moments", "ω²ₚ", Step("paired t, Holm", "crossed.pairs_of_levels"), (Step("Friedman", "crossed.friedman"),),
           power="repeated_tasks", aliases=("rm_anova",), phrase="a repeated measures analysis of variance"),
    _variant("repeated_two", "repeated", "crossed.two_within", "Moments", "ω²ₚ, each term its own ε",
             Step(_SIMPLE_EFFECTS, "crossed.simple_effects_within")),
    Method("mixed_anova", "mixed analysis of variance", "crossed.mixed_factors", "stats.robust_repeated", "Moments",
           "Box's F, ω²ₚ", Step(_SIMPLE_EFFECTS, "crossed.simple_effects_of_mixed"),
           (Step("type III F, equal covariances", "crossed.classical_terms_of_mixed"),
            Step("mixed model", "crossed.mixed_model")), power="repeated_tasks", phrase="a mixed analysis of variance"),
    _variant("mixed_two_by_two", "mixed_anova", "crossed.mixed_two_by_two", "Moments", "difference",
             Step("both simple effects, Holm", "crossed.both_simple_effects"),
             (Step("type III F, equal covariances", "crossed.classical_terms_of_mixed"),)),
    Method("ancova", "analysis of covariance", "relations.covariate_groups", "stats.ancova", "rows",
           "adjusted difference, g", Step("adjusted means in pairs, Holm", "relations.adjusted_pairs"),
           (Step("without covariate", "relations.without_covariates"),),
           phrase="an analysis of covariance with HC3 standard errors", is_model=True),
    _variant("ancova_of_pairs", "ancova", "relations.covariate_pairs", "rows", "adjusted difference",
             beside=(Step("paired t", "relations.paired_beside"),)),
    Method("equivalence", "two one-sided tests", "means.equivalence", "stats.equivalence.tost", "Cells",
           "difference, 1 − 2·alpha interval",
           beside=(Step("the t-test", "means.t_test"),
                   Step("region of practical equivalence", "means.region")),
           power="equivalence_tasks", aliases=("tost",), phrase="two one-sided tests"),
    _variant("equivalence_of_shares", "equivalence", "means.equivalent", "Counts", "difference of shares",
             beside=(Step("χ²", "shares.chi_squared"),)),
    # Relations and models.
    Method("pearson", "Pearson's r", "relations.pearson", "stats.correlation", "Moments", "r",
           beside=(Step("Spearman", "relations.spearman_beside"),), power="pearson_tasks",
           phrase="Pearson's correlation"),
    _variant("pearson_of_seats", "pearson", "relations.seats", "rows", "r",
             beside=(Step("r between units", "relations.between_units"),
                     Step("r within units", "relations.within_units"))),
    Method("spearman", "Spearman's ρ", "relations.spearman", "stats.correlation", "rows",
           "ρ; linked: interval by resampling units", beside=(_KENDALL,), phrase="Spearman's correlation"),
    Method("regression", "linear regression", "relations.regression", "stats.regression", "rows", "β, R²",
           beside=(Step("each r", "relations.each_r"),), is_model=True),
    _variant("moderation", "regression", "relations.moderation", "rows", "difference of slopes",
             Step("simple slopes", "relations.simple_slopes")),
    Method("dyad", "actor–partner model", "linked.dyad", "stats.mixed", "ClusterMoments",
           "difference, r of partners; of numbers actor and partner", _LEVEL_PAIRS,
           (Step("actor and partner effects", "linked.partner_effects", _TWO_ALONE), _CR2,
            Step("the partner's level", "linked.partner_level", _ONE_ALONE)), power="tasks_of_rows",
           phrase="an actor–partner model in which the scores of two partners may correlate", is_model=True),
    Method("mixed", "mixed model", "linked.random_intercept", "stats.mixed", "ClusterMoments", "difference, ICC",
           _LEVEL_PAIRS, (_CR2,), power="tasks_of_rows", aliases=("lmm",), is_model=True),
    _variant("mixed_of_incomplete", "mixed", "linked.random_intercept", "ClusterMoments", "difference, ICC",
             _LEVEL_PAIRS, (Step("complete units only; of crossed factors CR2", "linked.complete_or_robust"),)),
    _variant("mixed_of_decisions", "mixed", "people.mixed_or_another", "rows", "OR, difference of mean shares",
             Step("pairs, Holm", "people.pairs_of_levels"), (Step("bootstrap", "people.bootstrap"), *_GEE), "logit"),
    _variant("mixed_of_counts", "mixed", "people.mixed_or_another", "rows", "ratio of means",
             Step("pairs, Holm", "people.pairs_of_levels"), (Step("bootstrap", "people.bootstrap"), *_GEE)),
    _variant("mixed_of_items", "mixed", "people.numbers_on_items", "rows", "difference, SDs"),
    _variant("mixed_of_decisions_on_items", "mixed", "people.mixed_terms", "rows",
             "OR, difference of mean shares",
             Step("pairs, Holm", "people.pairs_of_levels"), (Step("bootstrap", "people.bootstrap"),)),
    _variant("mixed_of_counts_on_items", "mixed", "people.mixed_terms", "rows", "ratio of means",
             Step("pairs, Holm", "people.pairs_of_levels"), (Step("bootstrap", "people.bootstrap"),)),
    Method("gee", "generalised estimating equations", "people.equations_or_another", "stats.gee", "rows",
           "OR, marginal effect", _PAIRS_ALONE, link="logit", phrase="generalized estimating equations",
           is_model=True),
    _variant("gee_of_counts", "gee", "people.equations", "rows", "ratio of means", _PAIRS_ALONE),
    Method("logistic", "logistic regression", "likelihood.logistic", "stats.logistic", "rows",
           "OR, average marginal effect", _PAIRS_ALONE, link="logit", is_model=True),
    _variant("logistic_by_cluster", "logistic", "people.pooled", "rows", "OR, marginal effect", _PAIRS_ALONE),
    Method("logistic_firth", "logistic regression by Firth's penalised likelihood",
           phrase="a logistic regression with Firth's penalty", is_model=True),
    # Shares and counts.
    Method("binomial", "exact binomial test", "shares.share", "stats.proportion", "ValueCounts", "share",
           phrase="an exact binomial test"),
    Method("chi_squared", "Pearson's χ²", "shares.two_groups", "stats.chi_squared", "Counts", "RD, OR",
           beside=(Step("Fisher", "shares.fisher_beside"),), power="chi_squared_tasks", aliases=("chi2",),
           link="logit", phrase="Pearson's χ² test"),
    _variant("chi_squared_of_groups", "chi_squared", "shares.several", "Counts", "V",
             Step("rows by pairs, Holm; residuals", "shares.row_pairs_and_residuals"),
             (Step("exact where an expected count is below 5", "shares.exact_table"),)),
    _variant("chi_squared_of_kinds", "chi_squared", "shares.several", "Counts", "V",
             Step("adjusted residuals", "shares.residuals"),
             (Step("G²", "shares.likelihood_ratio"),
              Step("exact where an expected count is below 5", "shares.exact_table"))),
    _variant("loglinear_of_kinds", "chi_squared", "shares.ways", "Counts", "–",
             Step("χ² in each level, Holm", "shares.levels")),
    Method("fisher", "Fisher's exact test", "shares.fisher", "stats.fisher", "Counts", "RD, conditional OR",
           beside=(Step("mid-p", "shares.fisher_mid_p"), Step("χ²", "shares.chi_squared")),
           power="chi_squared_tasks"),
    Method("loglinear", "log-linear model", "shares.ways", "stats.loglinear", "Counts", "OR by level",
           Step("χ² in each level, Holm", "shares.levels"), (Step("logistic", "shares.logistic_terms"),),
           power="loglinear_tasks", link="logit", is_model=True),
    Method("mcnemar", "McNemar's exact test", "shares.mcnemar", "stats.mcnemar", "Counts", "RD paired, OR",
           beside=(Step("mid-p", "shares.mcnemar_mid_p"),), power="mcnemar_tasks", aliases=("chi2",)),
    Method("cochran", "Cochran's Q", "shares.within", "stats.cochrans_q", "Moments", "RD",
           Step("McNemar, Holm", "shares.mcnemar_pairs"), phrase="Cochran's *Q* test"),
    Method("quasi_poisson", "quasi-Poisson F", "counts.groups", "stats.quasi_poisson", "Cells", "ratio of means",
           Step("pairs, Holm", "counts.pairs_of_levels"), (Step("Welch", "counts.welch"),),
           power="quasi_poisson_tasks", link="log", phrase="a quasi-Poisson model", statistic="quasi-Poisson",
           is_model=True),
    _variant("quasi_poisson_factorial", "quasi_poisson", "counts.factorial", "Cells", "Welch–James F, ratio of means",
             Step(_SIMPLE_EFFECTS, "counts.simple_effects"),
             (Step("quasi-Poisson F, one spread", "counts.classical_terms"),)),
    # Answers in order.
    Method("brunner_munzel", "Brunner–Munzel test", "ordered.two_groups", "stats.brunner_munzel", "ValueCounts",
           "P(X>Y)", power="brunner_munzel_tasks", aliases=("mann_whitney",), phrase="the Brunner–Munzel test"),
    Method("kruskal_wallis", "Kruskal–Wallis test", "ordered.groups", "stats.kruskal_wallis", "ValueCounts", "ε²",
           Step("Dunn, Holm", "ordered.dunn"), (_RELATIVE_EFFECTS,), power="kruskal_wallis_tasks"),
    Method("wilcoxon", "Wilcoxon signed-rank test", "ordered.pairs", "stats.wilcoxon", "ValueCounts", "r_rb",
           beside=(Step("sign test", "ordered.sign"),), aliases=("mann_whitney",)),
    Method("friedman", "Friedman test", "ordered.within", "stats.friedman", "rows", "W",
           Step("Conover, Holm", "ordered.conover")),
    Method("ordinal", "proportional odds model", "ordered.ordinal", "stats.ordinal", "rows", "OR", _PAIRS_ALONE,
           beside=(Step("type III F of scores", "ordered.scores"),), is_model=True),
    # Times to an end.
    Method("gray", "Gray's test", "times.gray", "stats.gray", "rows", "cumulative incidence at the deadline",
           Step("pairs, Holm", "times.gray_pairs"), (Step("cause-specific log-rank", "times.log_rank_beside"),),
           statistic="Gray's test,"),
    Method("cox", "Cox regression", "times.cox", "stats.cox", "rows", "hazard ratio", _PAIRS_ALONE,
           is_model=True),
    Method("logrank", "log-rank test", "times.log_rank", "stats.log_rank", "rows", "difference of restricted means",
           Step("pairs, Holm", "times.log_rank_pairs"), (Step("Cox", "times.cox_beside"),), statistic="log-rank"),
    # Tests that follow an answer or stand beside one.
    Method("mann_whitney", "Mann–Whitney test"),
    Method("sign", "sign test"),
    Method("relative_effects", "Brunner and Munzel's test of several groups"),
    Method("kendall", "Kendall's τ", phrase="Kendall's correlation"),
    Method("games_howell", "Games–Howell"),
    Method("welch_james", "Welch–James test", phrase="Welch–James tests that do not assume equal variances",
           statistic="Welch–James"),
    Method("welch_james_ratios", "Welch–James test of ratios", phrase="Welch–James tests of ratios",
           statistic="Welch–James"),
    Method("box", "F test with Box's degrees of freedom", phrase="*F* tests with Box's degrees of freedom",
           statistic="Box-corrected"),
    Method("fisher_drawn", "Fisher's exact test, tables drawn", phrase="Fisher's exact test of randomly drawn tables"),
    Method("fisher_mid_p", "Fisher's exact test, mid-p", phrase="Fisher's exact test with mid-*p*"),
    Method("mcnemar_mid_p", "McNemar's test, mid-p", phrase="McNemar's test with mid-*p*"),
    Method("regression_cr2", "regression with CR2 standard errors", phrase="a regression with CR2 standard errors",
           is_model=True),
    Method("permutation", "permutation test", phrase="a permutation test"),
    Method("conover", "Conover's test"),
    Method("dunn", "Dunn's test"),
    Method("equivalence_region", "region of practical equivalence"),
    # Estimates with an interval and without a test.
    Method("mean", "mean", phrase="a *t* interval"),
    Method("share", "share", phrase="a Wilson interval"),
)  # fmt: skip


def label_of(test: str) -> str:
    """Return what a report calls a test; a name that is not known stands in words.

    Examples
    --------
    >>> label_of("welch"), label_of("new_test")
    ("Welch's t-test", 'new test')
    """
    method = METHODS.get(test)
    return method.label if method is not None and method.label else test.replace("_", " ")


def function_at(room: str, address: str) -> Callable[..., Any]:
    """Return a function that a record names, of the room's module: ``"methods", "means.two_groups"``."""
    module, _, name = address.rpartition(".")
    function: Callable[..., Any] = getattr(importlib.import_module(f"negstats.analysis.{room}.{module}"), name)
    return function
