"""From a question of a plan to its rows: units, exclusions, selection, design, cells.

Glossary
--------
row : a game, a seat or a decision with what is asked of it; *unit* : rows that depend on each other; *linked games* :
games that people play in common, so that their rows are one unit; *selection* : the rows of a question; *level* : a
value of a factor, after levels were merged; *place* : where a factor lies, between units, within them or partly; *cell*
: one combination of levels; *mark* : a column that says which rule took a row.
"""
