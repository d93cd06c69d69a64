"""
Figure of one question
======================

The measure is computed, the units found, the test run, and the figure of the report drawn. `negstats compare --figure`
draws the same.
"""

from negstats import datasets
from negstats.analysis import compare

compare(datasets.casino(), "joint_value", by="split", levels=("train", "test")).plot()
