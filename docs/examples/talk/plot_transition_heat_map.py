"""
Heat map of transitions
=======================

How often one strategy follows another; stars mark p values below .05 after correction.
"""

import numpy as np

from negstats import datasets, plots, stats

messages = datasets.casino().messages.dropna(subset="labels")
first = messages.assign(act=messages["labels"].str.split(",").str[0]).query("act != ''")
common = first["act"].value_counts().index[:6]
transitions = stats.transitions(first[first["act"].isin(common)], rng=np.random.default_rng(1), n_resamples=999)
plots.transition_heat_map(transitions, caption="CaSiNo: annotated strategies")
