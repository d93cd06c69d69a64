"""
Comparison of two conditions of the same people
===============================================

Each person is a line; at the right are the differences with the interval that the test reports.
"""

from negstats import datasets, plots
from negstats.analysis import compare

found = compare(datasets.robot(), "points", by="condition", who="agent", paired=True)
wide = found.values.pivot(index="unit", columns="level", values="value")[list(found.levels)]
interval = found.test.confidence_interval()
difference = {
    "value": found.test.difference,
    "low": interval.low,
    "high": interval.high,
    "level": interval.confidence_level,
}
plots.paired_comparison(wide, difference, label=found.label, unit="person", caption=found.test.apa())
