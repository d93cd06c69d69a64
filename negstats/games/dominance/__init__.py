"""The dominance dialogue: a domain of criteria and options, preferences, what is acceptable, what to state next.

dominance = *Agent utterances in dialogue of cooperative negotiation* (a note without author or year). A user and an
agent agree on one option, such as a restaurant, by stating and asking for preferences and by proposing values and
options. What an agent says depends on its relation to the user: dominant, peer or submissive. The note gives no
formula of scores, no pay-offs and no exit; what is read into it says so where it stands.

>>> from negstats.games.dominance import Preferences, Value, acceptable, restaurants
>>> likes = Preferences.in_order(restaurants())
>>> [acceptable(likes, relation, (), Value("cuisine", "italian")) for relation in ("dominant", "peer")]
[False, True]

Glossary
--------
criterion : what options are compared by, such as the price; *value* : one of its levels; *option* : a value for each
criterion; *statement* : a preference between two values; *score* : how good a value or an option is to a side;
*relation* : dominant, peer or submissive.
"""

from __future__ import annotations

from negstats.games.dominance.acceptance import FACTOR, RELATIONS, Relation, acceptable
from negstats.games.dominance.domain import ANY, Domain, Option, Value, restaurants
from negstats.games.dominance.preferences import (
    Preferences,
    Scoring,
    every_order,
    mean_frontier,
    satisfaction,
    satisfactions,
)
from negstats.games.dominance.statements import Statement, next_statement, own_order, reaction, reaction_to_value

__all__ = [
    "ANY",
    "FACTOR",
    "RELATIONS",
    "Domain",
    "Option",
    "Preferences",
    "Relation",
    "Scoring",
    "Statement",
    "Value",
    "acceptable",
    "every_order",
    "mean_frontier",
    "next_statement",
    "own_order",
    "reaction",
    "reaction_to_value",
    "restaurants",
    "satisfaction",
    "satisfactions",
]
