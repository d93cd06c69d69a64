"""Tests of means: t-tests, analyses of variance, repeated measures, Bayes factors.

Glossary
--------
between, within : of factors whose levels different people, or the same people, have; *cell* : one combination of
levels; *measure* : a combination of levels within people; *hypothesis* : contrasts of cell means that are zero
together; *error* : the variance that a test compares with; *epsilon* : the factor by which the df of repeated
measures are lessened.
"""
