"""Tests of ranks: two groups, pairs, several groups, repeated measures; exact with ties, or asymptotic.

Glossary
--------
rank : the place of a value among all, the mean place for ties; *tie* : equal values; *zero* : a pair without
difference; *placement* : the share of the other group below a value, ties half; *shift* : by how much the values of one
group would have to be moved (Hodges and Lehmann).
"""

from negstats.stats.ranks.pairs import SignTest, Wilcoxon, sign_test, wilcoxon
from negstats.stats.ranks.several import Friedman, KruskalWallis, friedman, kruskal_wallis
from negstats.stats.ranks.two_groups import BrunnerMunzel, MannWhitney, brunner_munzel, mann_whitney

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
