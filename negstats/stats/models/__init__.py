"""Models of rows that are not independent: random effects, the partners of pairs, and groups in which all met.

Glossary
--------
random term : coefficients that vary between the levels of a column, such as ``(1 + x | person)``; *cluster* : the rows
of one such level; *deviance* : −2 times the log-likelihood; *theta* : the parameters of the random terms as the fit has
them; *actor*, *partner* : whose answer is explained, and the other of the pair; *dyad* : two people; *round robin* : a
group in which everybody met everybody.
"""
