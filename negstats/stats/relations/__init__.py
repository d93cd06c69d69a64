"""How variables go together: correlation, regression, analysis of covariance; from `Moments` where these are enough.

Glossary
--------
predictor, covariate : a variable that explains, and one that is held constant; *moderator* : a variable on which a
slope depends; *sandwich* : a covariance of coefficients that does not rest on equal variances; *influence* : how far a
row moves an estimate; *cut* : where one ordered answer gives way to the next.
"""
