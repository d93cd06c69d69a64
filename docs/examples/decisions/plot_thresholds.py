"""
Acceptance thresholds of people
===============================

The benefit from which on each person accepts, sorted, with its interval. The band is the spread of people in the
population, which is wider than that of their shrunken thresholds. The robot study, by condition.
"""

from negstats import datasets, estimate, plots

thresholds = estimate.thresholds(datasets.robot().tables, by="condition")
plots.thresholds(thresholds)
