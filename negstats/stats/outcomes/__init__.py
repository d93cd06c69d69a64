"""Regressions of what is not a measured number: yes or no, counts, answers in order; independent rows and clusters."""
