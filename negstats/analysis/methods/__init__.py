"""The tests that `negstats.analysis.rules` chooses: a file for each kind of outcome, a function for each row or two."""
