"""
Thresholds of people
====================

From which benefit on each person accepts, sorted, with what is known of it; the band is how far people differ in the
population, which is more than their shrunken thresholds do. The robot study, by condition.
"""

from negstats import datasets, estimate, plots

found = estimate.thresholds(datasets.robot().tables, by="condition")
plots.thresholds(found)
