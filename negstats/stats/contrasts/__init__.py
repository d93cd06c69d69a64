"""Which means differ: margins, planned contrasts, simple effects, comparisons of pairs.

Glossary
--------
margin : the mean of a level, averaged over the cells of the other factors; *contrast* : a weighted sum of means;
*trend* : a contrast with the weights of a polynomial; *simple effect* : that of a factor at one level of another;
*slice* : the cells at which contrasts are made; *family* : the contrasts whose p are corrected together.
"""
