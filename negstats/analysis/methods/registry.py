"""Which function makes the test of which row."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from negstats.analysis.methods import (
    clustered,
    contrasts,
    counts,
    crossed,
    equivalence,
    items,
    likelihood,
    linked,
    means,
    ordered,
    relations,
    shares,
    tables,
    times,
)
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.records import TestRecord

__all__ = ["MADE_BY"]

MADE_BY: Mapping[int, Callable[[TestInput], list[TestRecord]]] = {
    1: means.two_groups,
    2: means.pairs,
    3: means.one_sample,
    4: means.groups,
    5: contrasts.contrasts,
    6: crossed.factorial,
    7: crossed.repeated,
    8: crossed.two_within,
    9: crossed.mixed_two_by_two,
    10: crossed.mixed_factors,
    11: relations.covariate_groups,
    12: relations.covariate_pairs,
    13: relations.pearson,
    14: relations.regression,
    15: relations.moderation,
    16: linked.random_intercept,
    18: means.pairs,
    19: linked.dyad,
    20: linked.random_intercept,
    21: relations.seats,
    25: equivalence.equivalence,
    26: shares.share,
    27: shares.two_groups,
    28: shares.fisher,
    29: shares.several,
    30: tables.loglinear,
    31: shares.mcnemar,
    32: shares.within,
    33: likelihood.logistic,
    34: crossed.shares_of_units,
    35: clustered.yes_no,
    36: equivalence.equivalent,
    37: counts.groups,
    38: counts.factorial,
    39: crossed.paired_counts,
    40: clustered.counts,
    41: ordered.two_groups,
    42: ordered.groups,
    43: ordered.pairs,
    44: ordered.within,
    45: ordered.ordinal,
    46: relations.spearman,
    47: tables.kinds,
    49: times.gray,
    50: times.cox,
    51: times.log_rank,
    53: items.crossed_items,
}
