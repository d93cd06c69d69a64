"""The tests that `negstats.analysis.rules` chooses: one file a kind of outcome, one function a row or two."""
