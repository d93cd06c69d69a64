"""What every test gives back: results, intervals, APA text, and what arguments may say.

Glossary
--------
tail : the side on which a statistic is extreme; *alternative* : the sides that a test looks at; *stack* : arrays of the
numbers of many studies; *confidence level* : that of an interval; *family* : the p that are corrected together.
"""
