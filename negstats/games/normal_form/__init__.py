"""Games of two players in normal form: tables of payoffs, what is a best response in them, and how strategies fare.

A table holds what the row's player gets, a row a strategy of its own and a column one of the other's. A symmetric game
is one such table; in any other the second player has a table too, of the same shape.

>>> from negstats.games.normal_form import equilibria
>>> [(rows.tolist(), columns.tolist()) for rows, columns in equilibria([[1, -1], [-1, 1]], [[-1, 1], [1, -1]])]
[([0.5, 0.5], [0.5, 0.5])]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from negstats._first_use import on_first_use

if TYPE_CHECKING:
    from negstats.games.normal_form.dynamics import replicator, replicator_rest
    from negstats.games.normal_form.equilibria import (
        best_responses,
        equilibria,
        profile_regret,
        pure_equilibria,
        regret,
        undominated,
    )
    from negstats.games.normal_form.ranking import elimination_order, nash_average

__all__ = [
    "best_responses",
    "elimination_order",
    "equilibria",
    "nash_average",
    "profile_regret",
    "pure_equilibria",
    "regret",
    "replicator",
    "replicator_rest",
    "undominated",
]

__getattr__, __dir__ = on_first_use(__name__, __file__)
