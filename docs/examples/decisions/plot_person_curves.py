"""
Acceptance curves of persons and of the population
==================================================

People differ in what they accept. Grey: the curve of each person; in colour the mean over people with its interval;
dashed a typical person, whose curve is steeper than the mean of all. The humans of the robot study answer the agent's
offers.
"""

from negstats import datasets, estimate, plots

thresholds = estimate.thresholds(datasets.robot().tables)
plots.person_curves(thresholds)
