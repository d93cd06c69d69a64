"""Deal or No Deal at the level of dialogue acts (chawla2023, after lewis2017): scenarios, acts, rewards, best response.

Two players divide books, hats and balls. Speakers take turns; each *act* is one utterance: propose a division, accept
the other's latest proposal, or walk away. Words are not modelled. Arrays only.

>>> from negstats.games.dealornodeal import scenarios
>>> len(scenarios())
5295

Glossary
--------
division : how many units of each kind a seat takes; *act* : one utterance, by number; *menu* : the options of a seat on
its turn; *legal* : of an act that the state allows; *features* : what an act is like, φ; *policy* : the chances of the
acts, proportional to exp(θ · φ); *cutoff* : the number of utterances after which there is no deal.
"""

from negstats.games.dealornodeal.best_response import BestResponse, best_response
from negstats.games.dealornodeal.dialogue import (
    ACCEPT,
    ACTS,
    CUTOFF,
    ENDS,
    FEATURES,
    WALK,
    Dialogue,
    Menu,
    menu,
    numbered,
)
from negstats.games.dealornodeal.scenarios import (
    ISSUES,
    REWARDS,
    Scenarios,
    draw,
    fehr_schmidt,
    outcomes,
    references,
    reward,
    scenarios,
)

__all__ = [
    "ACCEPT",
    "ACTS",
    "CUTOFF",
    "ENDS",
    "FEATURES",
    "ISSUES",
    "REWARDS",
    "WALK",
    "BestResponse",
    "Dialogue",
    "Menu",
    "Scenarios",
    "best_response",
    "draw",
    "fehr_schmidt",
    "menu",
    "numbered",
    "outcomes",
    "references",
    "reward",
    "scenarios",
]
