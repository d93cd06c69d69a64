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
`krippendorffs_alpha`, `icc`, `reliability`), sequences (`transitions`); the packages `effects`, `equivalence` and
`power`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from negstats._first_use import on_first_use

if TYPE_CHECKING:
    from negstats.errors import DesignError, NotEstimable
    from negstats.stats import bayes, effects, equivalence, power
    from negstats.stats.agreement.icc import ICC, icc
    from negstats.stats.agreement.kappa import Kappa, cohens_kappa, fleiss_kappa
    from negstats.stats.agreement.krippendorff import KrippendorffAlpha, krippendorffs_alpha
    from negstats.stats.agreement.limits import BlandAltman, bland_altman
    from negstats.stats.agreement.reliability import Omega, Reliability, omega, reliability
    from negstats.stats.contrasts.contrast import Contrast, Contrasts
    from negstats.stats.contrasts.margins import Margins, margins
    from negstats.stats.contrasts.planned import contrast, contrasts, interaction, polynomial
    from negstats.stats.contrasts.posthoc import dunnett, games_howell, pairwise
    from negstats.stats.contrasts.simple import SimpleEffects, simple_effects
    from negstats.stats.counts.chi_squared import ChiSquared, GoodnessOfFit, chi_squared, goodness_of_fit
    from negstats.stats.counts.fisher import FisherExact, fisher
    from negstats.stats.counts.matched import CochranQ, McNemar, McNemarPairs, cochrans_q, mcnemar
    from negstats.stats.counts.proportions import (
        BinomialTest,
        PairedProportions,
        Proportion,
        ProportionDifference,
        paired_proportions,
        proportion,
        proportion_difference,
    )
    from negstats.stats.counts.splits import Partition, RowComparisons, compare_rows, partition
    from negstats.stats.counts.stratified import (
        BreslowDay,
        CochranMantelHaenszel,
        breslow_day,
        cochran_mantel_haenszel,
    )
    from negstats.stats.effects import Effect
    from negstats.stats.effects.meta import MetaAnalysis, meta_analysis
    from negstats.stats.loglinear import (
        LogLinear,
        all_models,
        backward_elimination,
        k_way,
        loglinear,
        partial_associations,
    )
    from negstats.stats.means.anova import Anova, anova
    from negstats.stats.means.bayes import BayesFactor, bayes_factor
    from negstats.stats.means.ftest import FTest
    from negstats.stats.means.mixed_pairs import MixedTwoByTwo, mixed_two_by_two
    from negstats.stats.means.oneway import OneWay, levene, one_way
    from negstats.stats.means.repeated import RepeatedAnova, repeated_anova
    from negstats.stats.means.repeated_factors import RepeatedFactors, repeated_factors
    from negstats.stats.means.robust import RobustAnova, robust_anova
    from negstats.stats.means.robust_repeated import robust_repeated
    from negstats.stats.means.t_tests import TTest, one_sample_t, paired_t, t_test
    from negstats.stats.models.dyad_tests import DyadCorrelation, distinguishability, dyad_correlation
    from negstats.stats.models.dyads import ActorPartner, actor_partner
    from negstats.stats.models.mixed import Mixed, mixed
    from negstats.stats.models.mixed_effects import MixedEffects
    from negstats.stats.models.responses.result import MixedResponses
    from negstats.stats.models.results import Coefficient, LikelihoodRatio, TermTest
    from negstats.stats.models.round_robin import RoundRobin, SocialComponent, round_robin
    from negstats.stats.outcomes.firth import FirthRegression
    from negstats.stats.outcomes.gee import ClusteredRegression, gee
    from negstats.stats.outcomes.logistic import GeneralizedRegression, logistic, poisson
    from negstats.stats.outcomes.marginal import MarginalEffects
    from negstats.stats.outcomes.negative_binomial import NegativeBinomial, negative_binomial
    from negstats.stats.outcomes.ordinal import OrdinalRegression, ordinal
    from negstats.stats.outcomes.quasi_poisson import QuasiPoisson, RateRatios, quasi_poisson
    from negstats.stats.ranks import (
        BrunnerMunzel,
        Conover,
        Dunn,
        Friedman,
        KruskalWallis,
        MannWhitney,
        SignTest,
        Wilcoxon,
        brunner_munzel,
        friedman,
        kruskal_wallis,
        mann_whitney,
        sign_test,
        wilcoxon,
    )
    from negstats.stats.relations.correlation import Correlation, correlation, semipartial
    from negstats.stats.relations.covariance import Ancova, ancova
    from negstats.stats.relations.differences import (
        CorrelationDifference,
        dependent_correlations,
        independent_correlations,
    )
    from negstats.stats.relations.in_clusters import ClusteredCorrelation, clustered_correlation
    from negstats.stats.relations.linear_model import LinearModel, linear_model
    from negstats.stats.relations.matrix import CorrelationMatrix, correlations
    from negstats.stats.relations.mediation import Mediation, mediation
    from negstats.stats.relations.polychoric import Polychoric, polychoric
    from negstats.stats.relations.regions import JohnsonNeyman, johnson_neyman
    from negstats.stats.relations.regression import Regression, regression
    from negstats.stats.relations.repeated import repeated_correlation
    from negstats.stats.resampling import Bootstrap, PermutationTest, bootstrap_interval, permutation_test
    from negstats.stats.results import apa
    from negstats.stats.results.multiplicity import AdjustedP, adjust
    from negstats.stats.results.result import Interval, Result
    from negstats.stats.sequence.transitions import (
        TransitionComparison,
        Transitions,
        compare_transitions,
        transitions,
    )
    from negstats.stats.summaries import Cells, ClusterMoments, Counts, Factor, Moments, Rows, ValueCounts
    from negstats.stats.time.cox import Cox, cox
    from negstats.stats.time.ends import SurvivalData
    from negstats.stats.time.gray import Gray, gray
    from negstats.stats.time.incidence import Incidence, cumulative_incidence
    from negstats.stats.time.log_rank import LogRank, log_rank
    from negstats.stats.time.survival import Survival, kaplan_meier

__all__ = [
    "ICC",
    "ActorPartner",
    "AdjustedP",
    "Ancova",
    "Anova",
    "BayesFactor",
    "BinomialTest",
    "BlandAltman",
    "Bootstrap",
    "BreslowDay",
    "BrunnerMunzel",
    "Cells",
    "ChiSquared",
    "ClusterMoments",
    "ClusteredCorrelation",
    "ClusteredRegression",
    "CochranMantelHaenszel",
    "CochranQ",
    "Coefficient",
    "Conover",
    "Contrast",
    "Contrasts",
    "Correlation",
    "CorrelationDifference",
    "CorrelationMatrix",
    "Counts",
    "Cox",
    "DesignError",
    "Dunn",
    "DyadCorrelation",
    "Effect",
    "FTest",
    "Factor",
    "FirthRegression",
    "FisherExact",
    "Friedman",
    "GeneralizedRegression",
    "GoodnessOfFit",
    "Gray",
    "Incidence",
    "Interval",
    "JohnsonNeyman",
    "Kappa",
    "KrippendorffAlpha",
    "KruskalWallis",
    "LikelihoodRatio",
    "LinearModel",
    "LogLinear",
    "LogRank",
    "MannWhitney",
    "MarginalEffects",
    "Margins",
    "McNemar",
    "McNemarPairs",
    "Mediation",
    "MetaAnalysis",
    "Mixed",
    "MixedEffects",
    "MixedResponses",
    "MixedTwoByTwo",
    "Moments",
    "NegativeBinomial",
    "NotEstimable",
    "Omega",
    "OneWay",
    "OrdinalRegression",
    "PairedProportions",
    "Partition",
    "PermutationTest",
    "Polychoric",
    "Proportion",
    "ProportionDifference",
    "QuasiPoisson",
    "RateRatios",
    "Regression",
    "Reliability",
    "RepeatedAnova",
    "RepeatedFactors",
    "Result",
    "RobustAnova",
    "RoundRobin",
    "RowComparisons",
    "Rows",
    "SignTest",
    "SimpleEffects",
    "SocialComponent",
    "Survival",
    "SurvivalData",
    "TTest",
    "TermTest",
    "TransitionComparison",
    "Transitions",
    "ValueCounts",
    "Wilcoxon",
    "actor_partner",
    "adjust",
    "all_models",
    "ancova",
    "anova",
    "apa",
    "backward_elimination",
    "bayes",
    "bayes_factor",
    "bland_altman",
    "bootstrap_interval",
    "breslow_day",
    "brunner_munzel",
    "chi_squared",
    "clustered_correlation",
    "cochran_mantel_haenszel",
    "cochrans_q",
    "cohens_kappa",
    "compare_rows",
    "compare_transitions",
    "contrast",
    "contrasts",
    "correlation",
    "correlations",
    "cox",
    "cumulative_incidence",
    "dependent_correlations",
    "distinguishability",
    "dunnett",
    "dyad_correlation",
    "effects",
    "equivalence",
    "fisher",
    "fleiss_kappa",
    "friedman",
    "games_howell",
    "gee",
    "goodness_of_fit",
    "gray",
    "icc",
    "independent_correlations",
    "interaction",
    "johnson_neyman",
    "k_way",
    "kaplan_meier",
    "krippendorffs_alpha",
    "kruskal_wallis",
    "levene",
    "linear_model",
    "log_rank",
    "logistic",
    "loglinear",
    "mann_whitney",
    "margins",
    "mcnemar",
    "mediation",
    "meta_analysis",
    "mixed",
    "mixed_two_by_two",
    "negative_binomial",
    "omega",
    "one_sample_t",
    "one_way",
    "ordinal",
    "paired_proportions",
    "paired_t",
    "pairwise",
    "partial_associations",
    "partition",
    "permutation_test",
    "poisson",
    "polychoric",
    "polynomial",
    "power",
    "proportion",
    "proportion_difference",
    "quasi_poisson",
    "regression",
    "reliability",
    "repeated_anova",
    "repeated_correlation",
    "repeated_factors",
    "robust_anova",
    "robust_repeated",
    "round_robin",
    "semipartial",
    "sign_test",
    "simple_effects",
    "t_test",
    "transitions",
    "wilcoxon",
]

__getattr__, __dir__ = on_first_use(__name__, __file__)
