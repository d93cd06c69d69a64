"""What a report calls the tests, corrections and roles of ``results.json``."""

from __future__ import annotations

from negstats.sanitize import line

__all__ = ["CORRECTIONS", "NAME", "ROLES", "SENTENCE", "UNITS", "method_name"]

NAME = 200  # characters of a title or a level
SENTENCE = 2000

METHODS = {
    "welch": "Welch's t-test", "paired": "paired t-test", "one_sample": "one-sample t-test",
    "anova": "type III analysis of variance",
    "welch_anova": "Welch's F", "chi_squared": "Pearson's χ²", "fisher": "Fisher's exact test",
    "mcnemar": "McNemar's exact test", "mann_whitney": "Mann–Whitney test", "wilcoxon": "Wilcoxon signed-rank test",
    "kruskal_wallis": "Kruskal–Wallis test",
    "relative_effects": "Brunner and Munzel's test of several groups",
    "brunner_munzel": "Brunner–Munzel test", "pearson": "Pearson's r",
    "spearman": "Spearman's ρ", "kendall": "Kendall's τ", "cochran": "Cochran's Q", "gray": "Gray's test",
    "logrank": "log-rank test", "cox": "Cox regression", "gee": "generalised estimating equations",
    "quasi_poisson": "quasi-Poisson F", "games_howell": "Games–Howell", "anova_hc3": "type III F with HC3 errors",
    "fisher_mid_p": "Fisher's exact test, mid-p", "mcnemar_mid_p": "McNemar's test, mid-p",
    "loglinear": "log-linear model", "regression": "linear regression",
    "regression_cr2": "regression with CR2 errors", "mixed_anova": "mixed analysis of variance",
    "repeated": "repeated measures analysis of variance", "ancova": "analysis of covariance",
    "friedman": "Friedman test", "conover": "Conover's test", "dunn": "Dunn's test",
    "equivalence": "two one-sided tests", "equivalence_region": "region of practical equivalence",
    "dyad": "model of pairs with a free correlation", "mixed": "mixed model",
    "logistic": "logistic regression", "ordinal": "proportional odds model", "binomial": "exact binomial test",
    "contrast": "contrast",
}  # fmt: skip
CORRECTIONS = {
    "holm": "Holm", "bonferroni": "Bonferroni", "hochberg": "Hochberg", "hommel": "Hommel", "bh": "Benjamini–Hochberg",
    "by": "Benjamini–Yekutieli", "none": "none",
}  # fmt: skip
ROLES = {"answer": "main test", "part": "component", "follow-up": "follow-up", "beside": "additional check"}
UNITS = {"participant": "person"}


def method_name(name: str) -> str:
    """Return what a test is called in a report; a name that is not known stands as it is.

    Examples
    --------
    >>> method_name("mann_whitney"), method_name("new_test")
    ('Mann–Whitney test', 'new test')
    """
    return METHODS.get(name, line(name, NAME).replace("_", " "))
