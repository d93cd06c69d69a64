"""Models of rows that are not independent: random effects, the partners of pairs, and groups in which all met."""
