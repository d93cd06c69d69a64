"""
Bayes factors over widths of the prior
======================================

Bayes factors of a 2 × 2 study from its printed cells, over widths of the prior; the dots mark the width that is
reported.
"""

from negstats import plots, stats

cells = stats.Cells.from_table(
    n=20, mean=[[5.0, 5.2], [6.1, 5.9]], sd=1.4, factors={"reward": ["fair", "selfish"], "partner": ["agent", "human"]}
)
table = stats.bayes.prior_robustness(
    lambda r: stats.bayes.anova_evidence(cells, prior_scale=r), [0.1, 0.2, 0.4, 0.7, 1.2]
)
plots.prior_robustness(table, scale=0.5, caption="Points by reward and partner, n = 80; against no effect")
