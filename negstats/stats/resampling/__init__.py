"""Permutation tests and bootstrap intervals of any statistic of a summary, stratified and by cluster.

`permutation_test` and `bootstrap_interval` reduce each resample to the same summaries that the other tests take, as one
stack, and hand it to a statistic: one of `READY` by name, or any function of a stack.

Glossary
--------
arrangement : one way in which the labels could have fallen; *block* : rows whose labels may be exchanged with each
other; *unit* : what is drawn again as a whole, a row or a cluster; *stratum* : units that are drawn from apart from all
others; *replicate* : the statistic of one resample; *acceleration* : how the spread of a statistic changes with its
value.
"""

from negstats.stats.resampling.bootstrap import Bootstrap, bootstrap_interval
from negstats.stats.resampling.permutation import PermutationTest, permutation_test
from negstats.stats.resampling.statistics import READY

__all__ = ["READY", "Bootstrap", "PermutationTest", "bootstrap_interval", "permutation_test"]
