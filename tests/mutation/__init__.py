"""Do the tests notice a change? ``python -m tests.mutation SEED N`` changes N places of the statistics, one by one."""
