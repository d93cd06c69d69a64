"""Effect sizes: one result type, `Effect`, and where each comes from: data, a statistic with its df, another effect."""

from negstats.stats.effects._effect import Effect
from negstats.stats.effects.standardized import d_from_t

__all__ = ["Effect", "d_from_t"]
