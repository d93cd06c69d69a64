"""
Two conditions of the same people
=================================

Each person is a line; beside them stand the means with their intervals. `negstats.analysis.compare` draws it, and
`compare(...).plot()` calls it.
"""

from negstats import datasets, plots
from negstats.analysis import compare

found = compare(datasets.robot(), "points", by="condition", who="agent", paired=True)
values = found.values.pivot(index="unit", columns="level", values="value")
plots.paired_comparison(values, found.table(), label="points of the robot (0 to 1)", caption=found.test.apa())
