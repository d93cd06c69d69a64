"""A plan held against a study before any outcome is seen: draft, checks, lock, printed forms."""
