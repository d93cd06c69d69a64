"""Tests of ranks: two groups, pairs, several groups, repeated measures; exact with ties, or asymptotic."""

from negstats.stats.ranks.pairs import Wilcoxon, wilcoxon
from negstats.stats.ranks.two_groups import MannWhitney, mann_whitney

__all__ = ["MannWhitney", "Wilcoxon", "mann_whitney", "wilcoxon"]
