"""
Diverging bars of ordered answers
=================================

Answers on a scale extend to the left and right of its middle. Satisfaction by social value orientation, CaSiNo.
"""

import pandas as pd

from negstats import datasets, plots

scale = ["Extremely dissatisfied", "Slightly dissatisfied", "Undecided", "Slightly satisfied", "Extremely satisfied"]
answers = datasets.casino().answers.pivot(index="participant_id", columns="question", values="answer")
people = answers[answers["svo"].isin(["prosocial", "proself"])]
counts = pd.crosstab(people["svo"], people["satisfaction"])[scale]
plots.ordered_answers(counts, label="satisfaction", unit="people")
