"""One test for each definition that the five papers print; each quotes it as the ledger has it."""
