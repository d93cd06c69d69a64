"""The questions of `negstats.analysis`, for studies whose rows stay with an engine (`negstats.studies`)."""
