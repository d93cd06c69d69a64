"""Power: by formula for standard tests, by simulation for any design and any test that takes a stack of summaries.

``closed`` has the formulas, ``designs`` describe studies before they are run, ``drawing`` draws stacks of them,
``simulate`` puts a test to a stack, and looks for the n that is needed.

Glossary
--------
design : a study before it is run; *population* : what its rows are drawn from; *power* : the probability that a test is
significant; *question* : the test, effect and level that power is asked of; *noncentrality* : the parameter of the
distribution that a statistic has if the effect is there; *design effect* : by what the dependence of rows multiplies a
variance.
"""

from negstats.stats.power.closed import Power, SampleSize, power, sample_size, term_power
from negstats.stats.power.designs import (
    binary_design,
    categorical_design,
    cluster_design,
    design_like,
    normal_design,
    ordinal_design,
    repeated_design,
    sampled_design,
    table_design,
)
from negstats.stats.power.drawing import Design
from negstats.stats.power.dyads import (
    actor_partner_design,
    actor_partner_power,
    design_effect,
    dyad_design,
    dyad_power,
    dyad_sample_size,
)
from negstats.stats.power.responses import mixed, mixed_sample_size
from negstats.stats.power.simulate import power_curve, simulated_power, simulated_sample_size

__all__ = [
    "Design",
    "Power",
    "SampleSize",
    "actor_partner_design",
    "actor_partner_power",
    "binary_design",
    "categorical_design",
    "cluster_design",
    "design_effect",
    "design_like",
    "dyad_design",
    "dyad_power",
    "dyad_sample_size",
    "mixed",
    "mixed_sample_size",
    "normal_design",
    "ordinal_design",
    "power",
    "power_curve",
    "repeated_design",
    "sample_size",
    "sampled_design",
    "simulated_power",
    "simulated_sample_size",
    "table_design",
    "term_power",
]
