"""The contract game of haim2017: rules, commitments, and the equilibrium by backward induction.

haim2017 = Haim, Gal, An and Kraus, "Human–computer negotiation in a three player market setting", Artificial
Intelligence 246 (2017) 34–52. A customer walks over a board of coloured squares and pays a chip for each; providers,
each with a goal on the board, trade chips with it. Definitions are cited by the paper's numbers.

>>> from negstats.games.contract import solve, study_game
>>> game = study_game()
>>> solution = solve(game)
>>> solution.value(game.start)
(370.0, 205.0, 200.0)

The game as it is read here
---------------------------
A *state* is the customer's square, everybody's chips, whether the round is odd, for how many rounds the customer has
not moved, and whether this round's offers are over. A round goes

1. **offers**: in odd rounds every provider may offer, none sees another's, and the customer may accept one. In even
   rounds the customer may offer to one provider, who may accept. On acceptance the chips change hands.
2. **movement**: the customer walks any number of squares, never diagonally, or stays. A walk ends on the first goal.

The game ends when the customer stands on a goal, or at the end of a round when it has not moved in the last
`dormant_after` rounds. What the paper leaves open, and which of its figures decide:

- *A round has both parts, and waiting is possible.* After the first round without a deal the customer can stay for one
  round. In the examples on three squares it has to move at once (d = 1): ``dormant_after=1``.
- *A provider takes a deal only if it gains; the customer also if it neither gains nor loses, but all together do.*
  With one chip more SP_g would have 200, as without a deal: it gives 40 for 11 and not for 10 (205). Next to the
  yellow goal, the providers to offer, the customer could wait a round and then get 330 from SP_g; it accepts SP_y's
  offer that brings the same (330/245).
- *The providers' offers are an auction's end*, the weaker offers the most that still gains (`rounds`): 330/245/205,
  350/225 and 360/215/205 on the squares of the appendix, 40 chips for 11 by both at the start.
- *The customer stops only on a preferred path* to a goal (``walks="preferred"``): then all these figures come out. The
  rules alone would let it step to and fro and burn chips until a goal is all but out of reach, which the provider
  whose goal it is pays for (``walks="all"``): next to the yellow goal, the customer to offer, that is worth 365 to the
  customer, not 330. With ``directions="forward"`` the appendix's figures hold there and on the fourth square. At the
  start nothing changes.
- *A walk to a goal fails as a whole* with probability 1 - pr: the customer keeps all its chips, the game is over. The
  paper prints 214.5 and 335 for p = .9.
- *Offers that differ only in which chips travel are worth the same.* Here the fewest do, those that paths can use
  first: 7 purple and 12, 19, 26 or 33 red for 11 chips, as printed. In the appendix the paper prints the largest such
  exchange (`commitment_offer` with ``travelling="most"``).

Glossary
--------
hand : the chips of a player; *need* : the chips that a path costs, colour by colour, *minimal* if no other path costs
less; *exchange*, *bid* : chips that the customer and a provider swap, and one with what it leads to; *committed* : left
with one provider's goal alone within reach; *target* : that provider; *play* : how the game ends from somewhere on;
*rank* : how the customer orders offers.
"""

from __future__ import annotations

from negstats.games.contract.board import Board, Chips, Offer, Square, State
from negstats.games.contract.commitment import commitment_offer, committed_to, is_commitment
from negstats.games.contract.equilibrium import ChainState, Solution, chain_of_states, solve, study_game, three_squares
from negstats.games.contract.rules import Game, benefit
from negstats.games.contract.search import Utility

__all__ = [
    "Board",
    "ChainState",
    "Chips",
    "Game",
    "Offer",
    "Solution",
    "Square",
    "State",
    "Utility",
    "benefit",
    "chain_of_states",
    "commitment_offer",
    "committed_to",
    "is_commitment",
    "solve",
    "study_game",
    "three_squares",
]
