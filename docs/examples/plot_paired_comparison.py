"""
Comparison of two conditions of the same people
===============================================

Each person is a line; at the right are the differences with the interval that the test reports.
"""

from negstats import datasets, plots
from negstats.analysis import compare

comparison = compare(datasets.robot(), "points", by="condition", who="agent", paired=True)
wide = comparison.values.pivot(index="unit", columns="level", values="value")[list(comparison.levels)]
interval = comparison.test.confidence_interval()
difference = {
    "value": comparison.test.difference,
    "low": interval.low,
    "high": interval.high,
    "level": interval.confidence_level,
}
plots.paired_comparison(wide, difference, label=comparison.label, unit="person", caption=comparison.test.apa())
