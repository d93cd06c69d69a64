"""Each test as one record: what it is called, what computes it, and what its power is computed of.

`negstats.analysis.rules` says when a method is taken; plan, methods, power, report and documentation read the record.
A function is named by its module and name, since the table lies beneath the rooms that hold the functions.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["METHODS", "Method", "function_at", "label_of"]


@dataclass(frozen=True, slots=True)
class Method:
    """A test that answers a question, follows an answer or stands beside one.

    Attributes
    ----------
    key : str
        Its name in `METHODS`.
    label : str
        What a report calls it.
    records : str
        The function in `negstats.analysis.methods` that makes its records of a `TestInput`: "means.two_groups". Empty
        where the test only follows an answer or stands beside one.
    function : str
        The public function that computes it: "stats.t_test".
    power : str
        The function in `negstats.analysis.power.cases` that says what is drawn; empty where nothing is.
    aliases : tuple of str
        What people type instead.
    name : str
        What ``test =`` takes and ``results.json`` holds, where it is not the key: another design of a test that has a
        name already.
    """

    key: str
    label: str
    records: str = ""
    function: str = ""
    power: str = ""
    aliases: tuple[str, ...] = ()
    name: str = ""

    @property
    def test(self) -> str:
        """What ``test =`` takes and ``results.json`` holds."""
        return self.name or self.key


def _index_by_key(*methods: Method) -> Mapping[str, Method]:
    table = {method.key: method for method in methods}
    if len(table) != len(methods):
        raise ValueError("two methods have one key")
    return table


def _variant(key: str, name: str, records: str) -> Method:
    """Return a method that computes another design of a test that has a name already."""
    return Method(key, "", records, name=name)


_T = ("t", "ttest", "t_test", "student")

METHODS: Mapping[str, Method] = _index_by_key(
    # Means.
    Method("welch", "Welch's t-test", "means.two_groups", "stats.t_test", "welch_tasks", _T),
    _variant("welch_of_shares", "welch", "crossed.shares_of_units"),
    Method("paired", "paired t-test", "means.pairs", "stats.paired_t", "paired_tasks", _T),
    _variant("paired_counts", "paired", "crossed.paired_counts"),
    Method("one_sample", "one-sample t-test", "means.one_sample", "stats.one_sample_t", "one_sample_tasks"),
    Method("welch_anova", "Welch's F", "means.groups", "stats.one_way", "welch_tasks"),
    Method("contrast", "contrast", "contrasts.contrasts", "stats.contrasts", "contrast_tasks"),
    Method("anova", "type III analysis of variance", "crossed.factorial", "stats.anova", "anova_tasks", ("rm_anova",)),
    Method("repeated", "repeated measures analysis of variance", "crossed.repeated", "stats.repeated_factors",
           "repeated_tasks", ("rm_anova",)),
    _variant("repeated_two", "repeated", "crossed.two_within"),
    Method("mixed_anova", "mixed analysis of variance", "crossed.mixed_factors", "stats.repeated_factors",
           "repeated_tasks"),
    _variant("mixed_two_by_two", "mixed_anova", "crossed.mixed_two_by_two"),
    Method("ancova", "analysis of covariance", "relations.covariate_groups", "stats.ancova"),
    _variant("ancova_of_pairs", "ancova", "relations.covariate_pairs"),
    Method("equivalence", "two one-sided tests", "equivalence.equivalence", "stats.equivalence.tost",
           "equivalence_tasks", ("tost",)),
    _variant("equivalence_of_shares", "equivalence", "equivalence.equivalent"),
    # Relations and models.
    Method("pearson", "Pearson's r", "relations.pearson", "stats.correlation", "pearson_tasks"),
    _variant("pearson_of_seats", "pearson", "relations.seats"),
    Method("spearman", "Spearman's ρ", "relations.spearman", "stats.correlation"),
    Method("regression", "linear regression", "relations.regression", "stats.regression"),
    _variant("moderation", "regression", "relations.moderation"),
    Method("dyad", "model of pairs with a free correlation", "linked.dyad", "stats.mixed", "tasks_of_rows"),
    Method("mixed", "mixed model", "linked.random_intercept", "stats.mixed", "tasks_of_rows", ("lmm",)),
    _variant("mixed_of_decisions", "mixed", "clustered.yes_no"),
    _variant("mixed_of_counts", "mixed", "clustered.counts"),
    _variant("mixed_of_items", "mixed", "items.crossed_items"),
    Method("gee", "generalised estimating equations", "clustered.yes_no", "stats.gee"),
    _variant("gee_of_counts", "gee", "clustered.counts"),
    Method("logistic", "logistic regression", "likelihood.logistic", "stats.logistic"),
    _variant("logistic_by_cluster", "logistic", "clustered.yes_no"),
    # Shares and counts.
    Method("binomial", "exact binomial test", "shares.share", "stats.proportion"),
    Method("chi_squared", "Pearson's χ²", "shares.two_groups", "stats.chi_squared", "chi_squared_tasks", ("chi2",)),
    _variant("chi_squared_of_groups", "chi_squared", "shares.several"),
    _variant("chi_squared_of_kinds", "chi_squared", "tables.kinds"),
    Method("fisher", "Fisher's exact test", "shares.fisher", "stats.fisher", "chi_squared_tasks"),
    Method("loglinear", "log-linear model", "tables.loglinear", "stats.loglinear", "loglinear_tasks"),
    Method("mcnemar", "McNemar's exact test", "shares.mcnemar", "stats.mcnemar", "mcnemar_tasks", ("chi2",)),
    Method("cochran", "Cochran's Q", "shares.within", "stats.cochrans_q"),
    Method("quasi_poisson", "quasi-Poisson F", "counts.groups", "stats.quasi_poisson", "quasi_poisson_tasks"),
    _variant("quasi_poisson_factorial", "quasi_poisson", "counts.factorial"),
    # Answers in order.
    Method("brunner_munzel", "Brunner–Munzel test", "ordered.two_groups", "stats.brunner_munzel",
           "brunner_munzel_tasks", ("mann_whitney",)),
    Method("kruskal_wallis", "Kruskal–Wallis test", "ordered.groups", "stats.kruskal_wallis", "kruskal_wallis_tasks"),
    Method("wilcoxon", "Wilcoxon signed-rank test", "ordered.pairs", "stats.wilcoxon", aliases=("mann_whitney",)),
    Method("friedman", "Friedman test", "ordered.within", "stats.friedman"),
    Method("ordinal", "proportional odds model", "ordered.ordinal", "stats.ordinal"),
    # Times to an end.
    Method("gray", "Gray's test", "times.gray", "stats.gray"),
    Method("cox", "Cox regression", "times.cox", "stats.cox"),
    Method("logrank", "log-rank test", "times.log_rank", "stats.log_rank"),
    # Tests that follow an answer or stand beside one.
    Method("mann_whitney", "Mann–Whitney test"),
    Method("relative_effects", "Brunner and Munzel's test of several groups"),
    Method("kendall", "Kendall's τ"),
    Method("games_howell", "Games–Howell"),
    Method("anova_hc3", "type III F with HC3 errors"),
    Method("fisher_mid_p", "Fisher's exact test, mid-p"),
    Method("mcnemar_mid_p", "McNemar's test, mid-p"),
    Method("regression_cr2", "regression with CR2 errors"),
    Method("conover", "Conover's test"),
    Method("dunn", "Dunn's test"),
    Method("equivalence_region", "region of practical equivalence"),
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
