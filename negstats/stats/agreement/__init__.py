"""How far raters, coders and items agree: kappas, Krippendorff's alpha, intraclass correlation, reliability, limits.

Glossary
--------
unit : what is rated; *rater* : who or what rates it; *category* : one of the values of a rating; *observed* and
*expected* agreement : that of the ratings, and that which chance gives; *item* : a question of a scale.
"""
