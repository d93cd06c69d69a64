"""
Comparison of two conditions of the same people
===============================================

Each person is a line; at the right are the differences with the interval that the test reports.
"""

from negstats import datasets, plots
from negstats.analysis import compare

answer = compare(datasets.robot(), "points", by="condition", who="agent")
wide = answer.values.pivot(index="unit", columns="condition", values="value")[list(answer.levels["condition"])]
interval = answer.result.confidence_interval()
difference = {
    "value": answer.result.difference,
    "low": interval.low,
    "high": interval.high,
    "level": interval.confidence_level,
}
plots.paired_comparison(wide, difference, label="points of the agent", unit="person", caption=answer.result.apa())
