"""Bayes factors from summaries, by numerical integration: analyses of variance, regression, correlation, tables.

What is compared, and under which prior, stands beside every number. `negstats.stats.bayes_factor` is that of a t-test.
"""

from negstats.stats.bayes.result import ModelEvidence, prior_robustness
from negstats.stats.bayes.rope import EquivalenceRegion, equivalence_region
from negstats.stats.bayes.tables import table_evidence
from negstats.stats.bayes.variables import correlation_evidence, regression_evidence
from negstats.stats.bayes.variance import anova_evidence, repeated_evidence

__all__ = [
    "EquivalenceRegion",
    "ModelEvidence",
    "anova_evidence",
    "correlation_evidence",
    "equivalence_region",
    "prior_robustness",
    "regression_evidence",
    "repeated_evidence",
    "table_evidence",
]
