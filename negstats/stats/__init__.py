"""Tests that need a summary, not the data: each takes raw rows, a printed table or a stack of simulated studies."""
