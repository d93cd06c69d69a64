"""The study's board, and the chain of states by which haim2017's appendix finds its equilibrium.

The board is not printed as such; it is put together from the text and the appendix. Both goals are nine steps from the
start, over squares of their own colour. Purple bridges lead from one side to the other. Red lies nowhere: with red
squares on the way, eleven chips would be no commitment. The colour of the start is not known; it cannot be entered
again.

The appendix gives the customer 330 points on every square from beside the goal down to the fourth (item 4), then 350,
360 and 370. The path along the right edge gives 330 on squares 8, 7 and 6, and every other printed value. No board
gives 330 on square 5. On square 4 the printed 350 says that gray is nine steps away: 5 (24 - 4 + 29 - 9) + 150, for a
customer who has paid four chips and gets 29 more by the deal. From square 5 it can step back and walk those nine
steps, so gray is at most ten steps away, and the deal is worth at least 5 (24 - 5 + 29 - 10) + 150 = 340.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from negstats.games.contract.board import Board, Square
from negstats.games.contract.equilibrium import Solution
from negstats.games.contract.rules import Game, paths_of
from negstats.games.contract.state import Offer, State

NAMES = {"g": "gray", "y": "yellow", "p": "purple"}
BOARD = """
g . . . . . . . y
g p p p p p p p y
g . . . . . . . y
g g g p p p y y y
. . g g . y y . .
. . . g . y . . .
"""


def study_game(**rules: Any) -> Game:
    """Return the game of the study: SP_g is provider 1, SP_y provider 2.

    The customer has 12 gray and 12 yellow chips, each provider 33 red and 7 purple. `rules` are those of `Game`, such
    as ``directions="forward"``.

    Parameters
    ----------
    **rules
        Rules of `Game` other than the study's.

    Returns
    -------
    Game
        The game with the board, the chips and the rules.

    Examples
    --------
    >>> game = study_game()
    >>> game.board.start, game.board.goals
    ((5, 4), ((0, 0), (0, 8)))
    >>> [sum(hand) for hand in game.chips]
    [24, 40, 40]
    """
    board = Board.parse(BOARD, NAMES, start=(5, 4), goals=((0, 0), (0, 8)))
    provider = {"red": 33, "purple": 7}
    return Game.of(board, {"gray": 12, "yellow": 12}, [provider, provider], **rules)


def three_squares(customer: Mapping[str, int], gray: Mapping[str, int], yellow: Mapping[str, int]) -> Game:
    """Return an example of Haim et al. (2017) on three squares in a row: the gray goal, the start, the yellow goal.

    The customer must move in each round (d = 1).

    Parameters
    ----------
    customer, gray, yellow
        The chips of the customer, SP_g and SP_y, beside the ten red ones that each has.

    Returns
    -------
    Game
        The game.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    SP_g has a gray chip more and SP_y a yellow one; the customer offers:

    >>> from negstats.games.contract import solve
    >>> game = three_squares({}, {"gray": 1}, {"yellow": 1})
    >>> solve(game).value(game.start._replace(odd=False))
    (250.0, 150.0, 55.0)
    """
    hands = [{"red": 10, **hand} for hand in (customer, gray, yellow)]
    board = Board.parse("g.y", NAMES, start=(0, 1), goals=((0, 0), (0, 2)))
    return Game.of(board, hands[0], hands[1:], dormant_after=1)


@dataclass(frozen=True, slots=True)
class ChainState:
    """A state `steps` on the way to a goal, without a deal so far, in a round in which the customer has to move.

    Attributes
    ----------
    steps, square
        How far the customer has come, and where it stands.
    offering
        Who makes offers in this round.
    values
        What the state is worth to each player, the customer first.
    offers, accepted
        What is offered in equilibrium, and which offer is accepted.
    """

    steps: int
    square: Square
    offering: Literal["providers", "customer"]
    values: tuple[float, ...]
    offers: tuple[Offer, ...]
    accepted: Offer | None


def chain_of_states(solution: Solution, provider: int = 2) -> list[ChainState]:
    """Return the states on the way to a provider's goal, last before it first (Haim et al., 2017, appendix).

    Parameters
    ----------
    solution
        Of a game whose customer can pay a path to the goal with the chips it has at the start.
    provider
        To whose goal.

    Returns
    -------
    list of ChainState
        Two a square: the providers offer, the customer offers. ``pandas.DataFrame(chain)`` makes a frame of it.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    >>> from negstats.games.contract import solve
    >>> for state in chain_of_states(solve(study_game()))[:2]:
    ...     print(state.steps, state.offering, state.values, state.accepted.provider)
    8 providers (330.0, 200.0, 245.0) 2
    8 customer (330.0, 205.0, 200.0) 1
    """
    game, chips = solution.game, solution.game.chips
    paths = paths_of(game)
    need = paths.shortest(game.board.start, provider, chips[0])
    path = () if need is None else paths.path(game.board.start, provider, need)
    positions = [(game.board.start, chips[0])]
    for step in path[:-1]:
        square, hand = positions[-1]
        positions.append((step, dict(paths.steps(square, hand))[step]))
    chain = []
    for steps, (square, hand) in reversed(list(enumerate(positions))):
        for odd in (True, False):
            state = State(square, (hand, *chips[1:]), odd, idle=game.dormant_after - 1)
            offers = solution.offer(state)
            chain.append(
                ChainState(
                    steps,
                    square,
                    "providers" if odd else "customer",
                    solution.value(state),
                    offers,
                    solution.response(state, offers),
                )
            )
    return chain
