"""The tests of `negstats.app`."""
