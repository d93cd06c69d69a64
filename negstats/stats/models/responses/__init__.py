"""Generalized mixed models: yes or no and counts with random effects, by maximum likelihood."""
