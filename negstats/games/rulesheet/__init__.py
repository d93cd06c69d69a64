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

from negstats.games.rulesheet import sheet
from negstats.games.rulesheet.boxes import Best, Box, Boxes, best_contract
from negstats.games.rulesheet.disclosure import shown_to
from negstats.games.rulesheet.domain import Contract, Domain, Totals, additive_frontier
from negstats.games.rulesheet.formulas import (
    After,
    And,
    Does,
    Formula,
    IfPlayed,
    Legal,
    Not,
    Or,
    Restricted,
    True_,
    both,
    first_else,
    moves_of,
)
from negstats.games.rulesheet.game import Game, GroundGame, Move, Profile, State, ground, profiles
from negstats.games.rulesheet.graph import Node, StateGraph, explore
from negstats.games.rulesheet.induction import (
    Guarantee,
    OwnPayoff,
    Ties,
    equilibrium_payoffs,
    guaranteed,
    own_payoff,
)
from negstats.games.rulesheet.kif import Term, kif, read_term
from negstats.games.rulesheet.negotiation import NegotiationGame, accepted_sets, negotiation_game, with_commitments
from negstats.games.rulesheet.negotiators import Negotiator, aspiration, protocol_specific
from negstats.games.rulesheet.partners import Beliefs, Searcher, searching
from negstats.games.rulesheet.plans import PlanGame, Talk, plan_game
from negstats.games.rulesheet.players import (
    Player,
    Session,
    Step,
    adversarial,
    game_specific,
    generic,
    monte_carlo,
    play,
    random_player,
)
from negstats.games.rulesheet.playouts import playout, playouts
from negstats.games.rulesheet.rules import Literal, Rule, Rules, parse, write
from negstats.games.rulesheet.uct import Searched, uct, uct_search

__all__ = [
    "After",
    "And",
    "Beliefs",
    "Best",
    "Box",
    "Boxes",
    "Contract",
    "Does",
    "Domain",
    "Formula",
    "Game",
    "GroundGame",
    "Guarantee",
    "IfPlayed",
    "Legal",
    "Literal",
    "Move",
    "NegotiationGame",
    "Negotiator",
    "Node",
    "Not",
    "Or",
    "OwnPayoff",
    "PlanGame",
    "Player",
    "Profile",
    "Restricted",
    "Rule",
    "Rules",
    "Searched",
    "Searcher",
    "Session",
    "State",
    "StateGraph",
    "Step",
    "Talk",
    "Term",
    "Ties",
    "Totals",
    "True_",
    "accepted_sets",
    "additive_frontier",
    "adversarial",
    "aspiration",
    "best_contract",
    "both",
    "equilibrium_payoffs",
    "explore",
    "first_else",
    "game_specific",
    "generic",
    "ground",
    "guaranteed",
    "kif",
    "monte_carlo",
    "moves_of",
    "negotiation_game",
    "own_payoff",
    "parse",
    "plan_game",
    "play",
    "playout",
    "playouts",
    "profiles",
    "protocol_specific",
    "random_player",
    "read_term",
    "searching",
    "sheet",
    "shown_to",
    "uct",
    "uct_search",
    "with_commitments",
    "write",
]
