import negstats.errors

from . import bayes, effects, equivalence, power
from .agreement.categories import Kappa, KrippendorffAlpha, cohens_kappa, fleiss_kappa, krippendorffs_alpha
from .agreement.measurements import ICC, BlandAltman, bland_altman, icc
from .agreement.reliability import Omega, Reliability, omega, reliability
from .contrasts.contrast import Contrast, Contrasts
from .contrasts.margins import Margins, margins
from .contrasts.planned import SimpleEffects, contrast, contrasts, interaction, polynomial, simple_effects
from .contrasts.posthoc import dunnett, games_howell, pairwise
from .counts.chi_squared import (
    ChiSquared,
    GoodnessOfFit,
    chi_squared,
    compare_rows,
    goodness_of_fit,
)
from .counts.fisher import FisherExact, fisher
from .counts.matched import CochranQ, McNemar, cochrans_q, mcnemar
from .counts.partition import Partition, partition
from .counts.proportions import (
    BinomialTest,
    PairedProportions,
    Proportion,
    ProportionDifference,
    paired_proportions,
    proportion,
    proportion_difference,
)
from .counts.stratified import BreslowDay, CochranMantelHaenszel, breslow_day, cochran_mantel_haenszel
from .effects import Effect
from .effects.meta import MetaAnalysis, meta_analysis
from .loglinear import LogLinear, all_models, backward_elimination, k_way, loglinear, partial_associations
from .means.anova import Anova, anova
from .means.bayes import BayesFactor, bayes_factor
from .means.f_tests import FTest
from .means.oneway import OneWay, levene, one_way
from .means.repeated import (
    MixedTwoByTwo,
    RepeatedAnova,
    RepeatedFactors,
    mixed_two_by_two,
    repeated_anova,
    repeated_factors,
)
from .means.robust import RobustAnova, robust_anova, robust_repeated
from .means.t_tests import TTest, one_sample_t, paired_t, t_test
from .models.dyad_correlation import DyadCorrelation, dyad_correlation
from .models.dyads import ActorPartner, actor_partner, distinguishability
from .models.mixed import mixed
from .models.mixed_model import MixedModel
from .models.responses.result import MixedResponses
from .models.results import Coefficient, LikelihoodRatio
from .models.round_robin import RoundRobin, SocialComponent, round_robin
from .outcomes.gee import ClusteredRegression, gee
from .outcomes.logistic import (
    FirthRegression,
    GeneralizedRegression,
    NegativeBinomial,
    logistic,
    negative_binomial,
    poisson,
)
from .outcomes.marginal import MarginalEffects
from .outcomes.ordinal import OrdinalRegression, ordinal
from .outcomes.quasi_poisson import QuasiPoisson, quasi_poisson
from .pairs import Pairs
from .ranks import (
    BrunnerMunzel,
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
from .relations.clustered import ClusteredCorrelation, clustered_correlation, repeated_correlation
from .relations.correlation import Correlation, correlation, semipartial
from .relations.covariance import Ancova, ancova
from .relations.differences import (
    CorrelationDifference,
    CorrelationMatrix,
    correlations,
    dependent_correlations,
    independent_correlations,
)
from .relations.linear_model import LinearModel, linear_model, regression
from .relations.paths import JohnsonNeyman, Mediation, johnson_neyman, mediation
from .relations.polychoric import Polychoric, polychoric
from .resampling import Bootstrap, PermutationTest, bootstrap_interval, permutation_test
from .results import apa
from .results.multiplicity import AdjustedP, adjust
from .results.result import Interval, Result
from .sequences import TransitionComparison, Transitions, compare_transitions, transitions
from .summaries import Cells, ClusterMoments, Counts, Factor, Moments, Rows, ValueCounts
from .time.cox import Cox, cox
from .time.ends import SurvivalData
from .time.gray import Gray, gray
from .time.incidence import Incidence, cumulative_incidence
from .time.log_rank import LogRank, log_rank
from .time.survival import Survival, kaplan_meier

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
    "Contrast",
    "Contrasts",
    "Correlation",
    "CorrelationDifference",
    "CorrelationMatrix",
    "Counts",
    "Cox",
    "DesignError",
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
    "Mediation",
    "MetaAnalysis",
    "MixedModel",
    "MixedResponses",
    "MixedTwoByTwo",
    "Moments",
    "NegativeBinomial",
    "NotEstimable",
    "Omega",
    "OneWay",
    "OrdinalRegression",
    "PairedProportions",
    "Pairs",
    "Partition",
    "PermutationTest",
    "Polychoric",
    "Proportion",
    "ProportionDifference",
    "QuasiPoisson",
    "Reliability",
    "RepeatedAnova",
    "RepeatedFactors",
    "Result",
    "RobustAnova",
    "RoundRobin",
    "Rows",
    "SignTest",
    "SimpleEffects",
    "SocialComponent",
    "Survival",
    "SurvivalData",
    "TTest",
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

DesignError = negstats.errors.DesignError
NotEstimable = negstats.errors.NotEstimable
