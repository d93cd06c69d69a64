"""A plan before any outcome is seen: the draft, checks against a study, registration, printed forms."""
