"""Negotiation games that are written as text: rule sheets in the Game Description Language (dejonge2016).

D. de Jonge and D. Zhang, *Using GDL to Represent Domain Knowledge for Automated Negotiations*. A player learns
protocol, game and payoffs when it is handed the sheet. Sheets are grounded by clingo (``python -m pip install
'negstats[gdl]'``) and evaluated for many states at once.

>>> from negstats.games.rulesheet import equilibrium_payoffs, ground, own_payoff, parse, sheet
>>> game = ground(parse(sheet.negotiating_prisoners(rounds=3)))
>>> equilibrium_payoffs(game)
frozenset({(8, 8)})
>>> own_payoff(game, ties="last").move("a1")
'(propose d d)'

Glossary
--------
role : a player of a game; *fluent* : what may hold in a state; *rule* : a *head* that holds if its *body* does; *atom*
: a relation of terms, *ground* if it has no variable; *literal* : an atom, or that it does not hold; *move* : what a
role does, a *joint move* what all do; *goal* : a role's payoff; *contract* : a value for each *issue*; *playout* : a
game in which all moves are drawn; *history* : a way through the graph of states.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
