"""Effect sizes: one result type, `Effect`, and where each comes from: data, a statistic with its df, another effect.

Glossary
--------
event : the answer, of two, whose share is compared; *noncentrality* : the parameter of the distribution that a
statistic has if the effect is there; *tau²* : the variance of the true effects of several studies; *prediction* : where
the effect of a next study lies.
"""

from negstats.stats.effects._effect import Effect, convert
from negstats.stats.effects.counts import (
    cramers_v,
    cramers_v_from_chi2,
    odds_ratio,
    phi,
    phi_from_chi2,
    risk_difference,
    risk_ratio,
)
from negstats.stats.effects.means import (
    d_from_t,
    epsilon_squared,
    eta_squared,
    hedges_correction,
    omega_squared,
    partial_eta_squared,
    r_from_t,
)

__all__ = [
    "Effect",
    "convert",
    "cramers_v",
    "cramers_v_from_chi2",
    "d_from_t",
    "epsilon_squared",
    "eta_squared",
    "hedges_correction",
    "odds_ratio",
    "omega_squared",
    "partial_eta_squared",
    "phi",
    "phi_from_chi2",
    "r_from_t",
    "risk_difference",
    "risk_ratio",
]
