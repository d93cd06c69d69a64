"""Hierarchical log-linear models of tables of two to five dimensions: fits, tests of effects, selection, parameters.

`loglinear` fits one model, `compare` tests two nested ones. `k_way`, `partial_associations`, `backward_elimination`
and `all_models` survey the models of a table, `survey` does all of it at once. ``fit`` has the generating
classes, the fitting on arrays, and the parameters; ``models`` one fitted model, and what HILOGLINEAR does differently.

Glossary
--------
term : a set of dimensions whose association a model holds; *order* : how many dimensions a term has; *generating class*
: the largest terms of a hierarchical model, which hold all others; *structural zero* : a cell that cannot occur;
*coding* : which contrasts of a dimension the parameters are.
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
