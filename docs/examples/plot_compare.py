"""
Comparison of two conditions, in one call
=========================================

The measure is computed, the units found, the test run and printed over the figure. `negstats compare --figure` draws
the same.
"""

from negstats import datasets, plots

plots.compare(datasets.casino(), "joint_value", by="split", levels=("train", "test"))
