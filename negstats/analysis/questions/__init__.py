"""From a question of a plan to its rows: units, exclusions, selection, design, cells."""
