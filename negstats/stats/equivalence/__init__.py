"""Equivalence: two one-sided tests (TOST) that a difference of means or of proportions lies inside given bounds."""

from negstats.stats.equivalence._result import Equivalence
from negstats.stats.equivalence.means import one_sample_tost, paired_tost, tost
from negstats.stats.equivalence.proportions import proportion_tost, proportions_tost

__all__ = ["Equivalence", "one_sample_tost", "paired_tost", "proportion_tost", "proportions_tost", "tost"]
