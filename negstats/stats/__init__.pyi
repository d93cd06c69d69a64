import negstats.errors

from . import bayes, effects, equivalence, power
from .agreement.icc import ICC, icc
from .agreement.kappa import Kappa, cohens_kappa, fleiss_kappa
from .agreement.krippendorff import KrippendorffAlpha, krippendorffs_alpha
from .agreement.limits import BlandAltman, bland_altman
from .agreement.reliability import Omega, Reliability, omega, reliability
from .contrasts.contrast import Contrast, Contrasts
from .contrasts.margins import Margins, margins
from .contrasts.planned import contrast, contrasts, interaction, polynomial
from .contrasts.posthoc import dunnett, games_howell, pairwise
from .contrasts.simple import SimpleEffects, simple_effects
from .counts.chi_squared import ChiSquared, GoodnessOfFit, chi_squared, goodness_of_fit
from .counts.fisher import FisherExact, fisher
from .counts.matched import CochranQ, McNemar, cochrans_q, mcnemar
from .counts.proportions import (
    BinomialTest,
    PairedProportions,
    Proportion,
    ProportionDifference,
    paired_proportions,
    proportion,
    proportion_difference,
)
from .counts.splits import Partition, compare_rows, partition
from .counts.stratified import BreslowDay, CochranMantelHaenszel, breslow_day, cochran_mantel_haenszel
from .effects import Effect
from .effects.meta import MetaAnalysis, meta_analysis
from .loglinear import LogLinear, all_models, backward_elimination, k_way, loglinear, partial_associations
from .means.anova import Anova, anova
from .means.bayes import BayesFactor, bayes_factor
from .means.ftest import FTest
from .means.mixed_pairs import MixedTwoByTwo, mixed_two_by_two
from .means.oneway import OneWay, levene, one_way
from .means.repeated import RepeatedAnova, repeated_anova
from .means.repeated_factors import RepeatedFactors, repeated_factors
from .means.robust import RobustAnova, robust_anova
from .means.robust_repeated import robust_repeated
from .means.t_tests import TTest, one_sample_t, paired_t, t_test
from .models.dyad_tests import DyadCorrelation, distinguishability, dyad_correlation
from .models.dyads import ActorPartner, actor_partner
from .models.mixed import mixed
from .models.mixed_model import MixedModel
from .models.responses.result import MixedResponses
from .models.results import Coefficient, LikelihoodRatio
from .models.round_robin import RoundRobin, SocialComponent, round_robin
from .outcomes.firth import FirthRegression
from .outcomes.gee import ClusteredRegression, gee
from .outcomes.logistic import GeneralizedRegression, logistic, poisson
from .outcomes.marginal import MarginalEffects
from .outcomes.negative_binomial import NegativeBinomial, negative_binomial
from .outcomes.ordinal import OrdinalRegression, ordinal
from .outcomes.quasi_poisson import QuasiPoisson, quasi_poisson
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
from .relations.correlation import Correlation, correlation, semipartial
from .relations.covariance import Ancova, ancova
from .relations.differences import CorrelationDifference, dependent_correlations, independent_correlations
from .relations.in_clusters import ClusteredCorrelation, clustered_correlation
from .relations.linear_model import LinearModel, linear_model, regression
from .relations.matrix import CorrelationMatrix, correlations
from .relations.mediation import Mediation, mediation
from .relations.polychoric import Polychoric, polychoric
from .relations.regions import JohnsonNeyman, johnson_neyman
from .relations.repeated import repeated_correlation
from .resampling import Bootstrap, PermutationTest, bootstrap_interval, permutation_test
from .results import apa
from .results.multiplicity import AdjustedP, adjust
from .results.pairs import Pairs
from .results.result import Interval, Result
from .sequence.transitions import TransitionComparison, Transitions, compare_transitions, transitions
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
