"""Reading a stranger's table by its structure: facts, rival readings with evidence, an answer or a question.

What a column is follows from what it determines and what determines it; names and words break ties. There is no
default: that each row is a separate case must win like any other reading, and where two readings lie close and
something may repeat, nothing is tested before a person has answered.

Glossary
--------
level : a text that a column holds; *unit* : a person or a game with several rows; *entity* : a column that names units;
*even* : with levels that occur equally often; *determine* : to fix another column's level in (nearly) all rows;
*kind of row* : a case of its own, a decision of a person who has several, a seat of a game, an event in a game.

Modules, in the order of the steps: `columns` (facts of one), `relations` (facts between), `facts` (of a table),
`people_readings`, `seat_readings` and `event_readings` (readings of the rows, as `hypotheses`), `rivals` (all of them),
`choice` (one of them, if it leads), `amounts` (offers), `row_facts`, `column_facts`, `role_rules` and `roles` (what
columns are), `clusters` (sessions of units), `questions`, `asked_cells` and `asking` (what is left open), `reading`
(the whole).

Examples
--------
>>> from negstats.loaders.reading.columns import build_column, text_cells
>>> from negstats.loaders.reading.asking import read_columns
>>> people = [f"P{person}" for person in range(12) for _ in range(6)]
>>> arms = ["high" if person % 2 else "low" for person in range(12) for _ in range(6)]
>>> trials = [str(trial) for _ in range(12) for trial in range(1, 7)]
>>> sums = [str((7 * place * place) % 23) for place in range(72)]
>>> table = {"kod": people, "arm": arms, "t": trials, "sum": sums}
>>> reading = read_columns(build_column(name, text_cells(cells)) for name, cells in table.items())
>>> reading.row.label, [column.name for column in reading.roles.conditions], reading.rivals
('each row is one of several decisions of one kod', ['arm'], [])
"""
