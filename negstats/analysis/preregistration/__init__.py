"""A plan before any outcome is seen: the draft, checks against a study, registration, printed forms.

Glossary
--------
view : a study as a plan looks at it, without any outcome; *proposal* : a question that a draft may ask, with the points
that speak for it; *evidence* : what speaks for or against a factor or an outcome; *twin* : a factor whose levels pair
off with those of another; *refusal* : why a proposal cannot be tested; *lock* : ``plan.lock``, the meaning of a
registered plan.
"""
