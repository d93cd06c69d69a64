"""Games of two players in normal form: tables of payoffs, what is a best response in them, and how strategies fare.

A table holds what the row's player gets, a row a strategy of its own and a column one of the other's. A symmetric game
is one such table; in any other the second player has a table too, of the same shape.

>>> from negstats.games.normal_form import equilibria
>>> [(rows.tolist(), columns.tolist()) for rows, columns in equilibria([[1, -1], [-1, 1]], [[-1, 1], [1, -1]])]
[([0.5, 0.5], [0.5, 0.5])]

Glossary
--------
strategy : a row or a column of a table; *payoff* : an entry; *mixture* : shares of strategies; *support* : those with a
share above zero; *profile* : a strategy of each player; *regret* : by how much a strategy falls short of the best
response; *dominated* : worse than another strategy whatever the other player does.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
