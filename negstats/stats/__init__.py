"""Tests that need a summary, not the data: each takes raw rows, a printed table or a stack of simulated studies.

>>> from negstats import stats
>>> stats.t_test({"fair": [5, 7, 6, 9, 8], "selfish": [3, 5, 4, 4]}).apa()
't(6.19) = 3.67, p = .010, d = 2.29, 95% CI [0.48, 4.01]'

Summaries: `Cells`, `Moments`, `ClusterMoments`, `Counts`, `ValueCounts`, `Rows`. Families: means (`t_test`, `one_way`,
`anova`, `repeated_anova`), what follows them (`margins`, `contrasts`, `pairwise`, `simple_effects`), rows in clusters
and pairs (`mixed`, `actor_partner`, `dyad_correlation`), groups in which all met (`round_robin`), counts
(`chi_squared`, `fisher`, `mcnemar`, `loglinear`), ranks (`mann_whitney`, `wilcoxon`, `kruskal_wallis`), no formula
(`permutation_test`, `bootstrap_interval`), `bayes_factor`, `meta_analysis`; yes or no, counts and ordered answers
(`logistic`, `quasi_poisson`, `ordinal`, `gee`); relations (`correlation`, `regression`, `linear_model`, `mediation`),
time (`kaplan_meier`, `log_rank`, `cumulative_incidence`, `gray`, `cox`), agreement (`cohens_kappa`,
`krippendorffs_alpha`, `icc`, `reliability`), sequences (`transitions`); the modules `effects`, `equivalence`
and `power`.

Glossary
--------
summary : what a test needs of the data; *stack* : the summaries of many studies in one, as arrays with axes in front;
*factor* : a column whose *levels* make groups; *cell* : one combination of levels of the factors; *outcome* : the
column that is compared, counted or explained; *term* : a factor, a covariate or a product of them in a formula;
*subject* : a person with several rows; *cluster* : rows that may depend on each other; *unit* : what is independent of
the others; *contrast* : a weighted sum of means whose weights sum to zero; *family* : the tests whose p are corrected
together; *estimate*, *effect* : a number that is estimated, and one that says how large a difference is.
"""

from __future__ import annotations

import lazy_loader

from negstats.errors import DesignError, NotEstimable

__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["DesignError", "NotEstimable"]  # of other rooms


def __dir__() -> list[str]:
    """Return the functions and the packages; the records that they give stand in the reference."""
    return [name for name in __all__ if name[0].islower()]
