"""Regressions of what is not a measured number: yes or no, counts, answers in order; independent rows and clusters.

Glossary
--------
event : the answer that counts as yes; *family* : the distribution of an outcome given the terms; *offset* : the
logarithm of the exposure, what counts are counted over; *separation* : a column splits yes from no, so that its
estimate has no bound; *cut* : where one ordered answer gives way to the next; *leverage* : how much of its own fitted
value a row makes; *working correlation* : that of the rows of a cluster which estimating equations assume.
"""
