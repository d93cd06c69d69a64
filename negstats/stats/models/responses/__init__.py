"""Generalized mixed models: yes or no and counts with random effects, by maximum likelihood.

Glossary
--------
response : an answer that is yes or no, or a count; *family* : its distribution; *link* : from its mean to the sum of
the terms; *node* : a point at which the integral over random effects is evaluated; *mode* : the most likely random
effects of a cluster; *offset* : the logarithm of the exposure, what counts are counted over.
"""
