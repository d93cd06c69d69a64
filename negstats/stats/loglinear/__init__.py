"""Hierarchical log-linear models of tables of two to five dimensions: fits, tests of effects, selection, parameters.

`loglinear` fits one model, `compare` tests two nested ones. `k_way`, `partial_associations`, `backward_elimination`
and `all_models` survey the models of a table, `survey` does all of it at once. ``fit`` has the generating
classes, the fitting on arrays, and the parameters; ``models`` one fitted model, and what HILOGLINEAR does differently.
"""

from negstats.stats.loglinear.models import LogLinear, loglinear
from negstats.stats.loglinear.selection import (
    AllModels,
    BackwardElimination,
    EffectTest,
    KWay,
    ModelComparison,
    PartialAssociations,
    Step,
    Survey,
    all_models,
    backward_elimination,
    compare,
    k_way,
    partial_associations,
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
