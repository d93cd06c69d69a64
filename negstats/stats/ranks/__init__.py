"""Tests of ranks: two groups, pairs, several groups, repeated measures; exact with ties, or asymptotic."""

from negstats.stats.ranks.brunner_munzel import BrunnerMunzel, brunner_munzel
from negstats.stats.ranks.pairs import Wilcoxon, wilcoxon
from negstats.stats.ranks.repeated import Friedman, friedman
from negstats.stats.ranks.several_groups import KruskalWallis, kruskal_wallis
from negstats.stats.ranks.sign import SignTest, sign_test
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
