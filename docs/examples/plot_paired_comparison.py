"""
Two conditions of the same people
=================================

Each person is a line; at the right are the differences with the interval that the test reports. One call takes a study
to this figure.
"""

from negstats import datasets, plots

plots.compare(datasets.robot(), "points", by="condition", who="agent", paired=True)
