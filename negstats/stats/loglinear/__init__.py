"""Hierarchical log-linear models of tables of two to five dimensions: fits, tests of effects, selection, parameters.

`loglinear` fits one model, `compare` tests two nested ones. `k_way`, `partial_associations`, `backward_elimination`
and `all_models` survey the models of a table, `survey` does all of it at once. ``notation`` has the generating classes,
``fit`` the fitting on arrays, ``parameters`` estimates and standard errors, ``spss`` what HILOGLINEAR does differently.
"""

from negstats.stats.loglinear.associations import (
    EffectTest,
    KWay,
    ModelComparison,
    PartialAssociations,
    compare,
    k_way,
    partial_associations,
)
from negstats.stats.loglinear.models import LogLinear, loglinear
from negstats.stats.loglinear.selection import (
    AllModels,
    BackwardElimination,
    Step,
    Survey,
    all_models,
    backward_elimination,
    survey,
)

__all__ = [
    "AllModels",
    "BackwardElimination",
    "EffectTest",
    "KWay",
    "LogLinear",
    "ModelComparison",
    "PartialAssociations",
    "Step",
    "Survey",
    "all_models",
    "backward_elimination",
    "compare",
    "k_way",
    "loglinear",
    "partial_associations",
    "survey",
]
