"""Tests of ranks: two groups, pairs, several groups, repeated measures; exact with ties, or asymptotic."""

from negstats.stats.ranks.brunner_munzel import BrunnerMunzel, brunner_munzel
from negstats.stats.ranks.pairs import SignTest, Wilcoxon, sign_test, wilcoxon
from negstats.stats.ranks.several import Friedman, KruskalWallis, friedman, kruskal_wallis
from negstats.stats.ranks.two_groups import MannWhitney, mann_whitney

__all__ = [
    "BrunnerMunzel",
    "Friedman",
    "KruskalWallis",
    "MannWhitney",
    "SignTest",
    "Wilcoxon",
    "brunner_munzel",
    "friedman",
    "kruskal_wallis",
    "mann_whitney",
    "sign_test",
    "wilcoxon",
]
