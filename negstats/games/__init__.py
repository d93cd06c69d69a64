"""Games: the outcomes of a negotiation, what they are worth, and which of them theory singles out. Arrays only.

>>> from negstats.games import division_utilities, divisions, nash, pareto_optimal
>>> outcomes = divisions([1, 2])                                   # one book and two hats between two parties
>>> utilities = division_utilities(outcomes, [[4, 3], [0, 5]])     # points for a book and for a hat, by party
>>> utilities[pareto_optimal(utilities)].tolist()
[[4, 10], [7, 5], [10, 0]]
>>> outcomes[nash(utilities, [0, 0])].tolist()
[[[1, 0], [0, 2]]]

Glossary
--------
outcome : one way in which a game may end; *utility* : what it is worth to a party; *disagreement* : what each party has
without a deal; *gain* : a utility less that of disagreement; *dominated* : of an outcome where another gives every
party as much and one more (*weakly* : every party more); *frontier* : the outcomes that are not; *issue* : what is
settled by one of several options; *item* : what comes in units and is divided; *bid* : an option for each issue.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
