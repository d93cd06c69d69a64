"""The tests that `negstats.analysis.rules` chooses: a file for each kind of outcome, a function for each row or two.

Glossary
--------
case : the input of a test: rows, design and question, in frames or by group-bys; *answer* : the record of the term that
is asked about; *beside* : a record of another method, which stands beside the answer; *part* : one of the terms or
groups that an answer consists of; *term* : a factor, a number or a product of them; *tag* : what a part or follow-up is
of, "CL - FC" or "condition at country = US"; *side* : the alternative of a one-sided test, the first level less the
second; *whole unit* : a unit with a value at each combination of levels within units.
"""
