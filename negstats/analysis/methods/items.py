"""Items or partners that are crossed with the units: both are samples, and each has a random intercept (row 53)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from negstats import stats
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.linked import linear_terms, model_rows
from negstats.analysis.methods.people import mixed_terms, random_terms, spreads
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import describe_difference


def decisions(case: TestInput) -> list[TestRecord]:
    """Return the terms of a mixed logistic model with random intercepts of units and items."""
    return mixed_terms(case, "binomial")


def counts(case: TestInput) -> list[TestRecord]:
    """Return the terms of a mixed negative binomial model with random intercepts of units and items."""
    return mixed_terms(case, "poisson")


def numbers(case: TestInput) -> list[TestRecord]:
    """Return the terms of a linear mixed model with random intercepts of units and items, by Kenward and Roger."""
    frame, names, formula = model_rows(case, "the mixed model")
    model = stats.mixed(frame, f"value ~ {formula or '1'}", random=random_terms(case, frame))
    table = model.variances()
    sds = {str(cluster): float(sd) for cluster, effect, sd in zip(table["cluster"], table["effect"], table["sd"],
                                                                  strict=True) if effect == "Intercept"}  # fmt: skip
    within_sd = float(np.sqrt(np.asarray(model.sigma2)))
    ends = f"({spreads(case, sds)}, {within_sd:.2f} within)"
    records = linear_terms(case, model, names, "mixed")
    records = [
        replace(record, text=f"{record.text or record.apa()} {ends}") if record.role == "answer" else record
        for record in records
    ]
    if len(case.factors) == 1 and len(case.levels) == 2 and len(records) == 1 and records[0].estimate is not None:
        records = [replace(records[0], says=describe_difference(case, case.levels, records[0].estimate.value))]
    return records
