"""The power of a plan: each question's own test on simulated studies, drawn from what the plan expects.

``expected`` reads a question's expectations, ``cases`` says for each test what is drawn and tested, ``planned`` puts
both to the sizes of the plan.

Glossary
--------
planned : what a question expects, as arrays over its cells; *task* : a design to draw studies from and the test of
each; *pool* : played games from which units are drawn; *refit* : a model that is fitted to every simulated study anew;
*kind of unit* : in which cells the rows of a unit lie; *curve* : the power by size; *share* : of the units that are of
a kind.
"""
