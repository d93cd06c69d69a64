"""Commitments: after which deals only one provider's goal can still be reached (haim2017, Definition 4).

The customer is committed to provider i where no path to any other provider's goal can be paid from the chips of the
customer and that other provider together. Which hands of the customer commit it is a union of boxes: every minimal need
of every other goal must lack a colour, so the customer's chips of that colour are capped at one less than the need has
beyond what that other provider holds. A box is such caps for all the needs at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from negstats.errors import DesignError
from negstats.games.contract.board import Chips, Offer, Square, State, added, contained, subtracted
from negstats.games.contract.paths import Paths
from negstats.games.contract.rules import Game, exchange, paths_of

Travelling = Literal["fewest", "most"]


class Deal(NamedTuple):
    """A deal with a provider after which the customer has `size` chips and is committed to the target.

    It walks to the target's goal by a path of this length.
    """

    provider: int
    target: int
    length: int
    size: int


def committed_to(game: Game, state: State) -> tuple[int, ...]:
    """Return the providers to whom the customer is committed.

    More than one only where the customer and no provider together can pay a path to a goal. Commitment is that of
    Definition 4 of Haim and others [1]_.

    Parameters
    ----------
    game
        The contract game.
    state
        Where the players stand, and their chips.

    Returns
    -------
    tuple[int, ...]
        Numbers of the providers; empty if there is no commitment.

    References
    ----------
    .. [1] Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
       Artificial Intelligence, 246, 34–52.
    """
    paths = paths_of(game)
    return tuple(provider for provider in game.providers if is_committed(paths, state.square, state.chips, provider))


def is_commitment(game: Game, state: State, offer: Offer) -> bool:
    """Whether the offer commits the customer to its provider (Haim et al., 2017, Definition 4).

    Before it the customer is committed to nobody; after it the chips that any path to another provider's goal needs are
    not contained in the chips of the customer and that other provider together.

    Parameters
    ----------
    game
        The contract game.
    state
        Where the offer is made.
    offer
        The offer.

    Returns
    -------
    bool
        True where it does.

    Raises
    ------
    DesignError
        If the offer is not possible.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    At the start of the study's board eleven yellow chips commit the customer to SP_g, ten do not:

    >>> from negstats.games.contract import study_game
    >>> game = study_game()
    >>> [is_commitment(game, game.start, Offer(1, (0, 0, 7, 33), (0, yellow, 0, 0))) for yellow in (11, 10)]
    [True, False]
    """
    next_state = game.accept(state._replace(moving=False), offer)
    return not committed_to(game, state) and offer.provider in committed_to(game, next_state)


def commitment_offer(game: Game, state: State, provider: int, net: int, travelling: Travelling = "fewest") -> Offer:
    """Return an offer after which the customer is committed to the provider and can pay its way to the provider's goal.

    Parameters
    ----------
    game, state, provider
        With whom, and where the game stands.
    net
        How many chips more the customer gets than it gives.
    travelling
        Offers of the same `net` and way to the goal are worth the same. ``"fewest"``: of these the one that moves the
        fewest chips; the provider gives chips that paths can use before those that none can. ``"most"``: one in which
        the provider gives all it can and the customer returns what it can spare.

    Returns
    -------
    Offer
        An offer of that provider and to it, in chips by colour.

    Raises
    ------
    DesignError
        If there is no such offer.

    Examples
    --------
    At the start of the study's board, for a benefit of 50 points (haim2017, SP-RAPD): 7 purple and 14 red for 11 gray.

    >>> from negstats.games.contract import study_game
    >>> game = study_game()
    >>> commitment_offer(game, game.start, provider=2, net=10)
    Offer(provider=2, to_customer=(0, 0, 7, 14), to_provider=(11, 0, 0, 0))
    """
    paths, customer_hand = paths_of(game), state.chips[0]
    size = sum(customer_hand) + net
    on_board = {colour for row in game.board.squares for colour in row}
    order = sorted(range(len(customer_hand)), key=lambda colour: game.colours[colour] not in on_board)
    for length, largest_size in lengths_to_commit(paths, state.square, state.chips, provider, provider):
        if length <= size <= largest_size:
            deal = Deal(provider, provider, length, size)
            hand = committed_hand(paths, state.square, state.chips, deal, order, travelling)
            return exchange(provider, customer_hand, hand)
    raise DesignError(
        f"no offer with a net of {net} chips commits the customer to provider {provider} and lets it walk"
    )


def is_committed(paths: Paths, square: Square, chips: tuple[Chips, ...], provider: int) -> bool:
    """Whether the customer on the square is committed to the provider."""
    for rival in range(1, len(chips)):
        if rival != provider and paths.shortest(square, rival, added(chips[0], chips[rival])) is not None:
            return False
    return True


def lengths_to_commit(
    paths: Paths, square: Square, chips: tuple[Chips, ...], provider: int, target: int
) -> tuple[tuple[int, int], ...]:
    """Return after which deals with the provider the customer is committed to the target and can walk to its goal.

    Returns
    -------
    tuple
        The lengths of paths to the goal, rising, each with the most chips that a committed customer can have who can
        pay such a path. Every number of chips from the length up to these is possible: from the largest hand single
        chips can be taken until only the need is left. A longer path is listed only where it leaves the customer more
        chips in all than every shorter one.
    """
    shared_chips = added(chips[0], chips[provider])
    if target != provider and paths.shortest(square, provider, shared_chips) is not None:
        return ()
    rivals = _rivals(paths, square, chips, provider, target)
    lengths: list[tuple[int, int]] = []
    limit = largest_size = -1
    # Needs from the shortest on: a longer path counts only if it can leave the customer more chips.
    for need in paths.needs(square, target):
        if contained(need.chips, shared_chips):
            if limit < 0:  # what could be had without any need: no path can leave more
                limit = max(map(sum, _boxes(shared_chips, tuple(0 for _ in shared_chips), rivals)), default=0)
            if largest_size >= limit:
                break
            size = max(map(sum, _boxes(shared_chips, need.chips, rivals)), default=-1)
            if size > largest_size:
                largest_size = size
                if lengths and lengths[-1][0] == need.length:
                    lengths.pop()
                lengths.append((need.length, largest_size))
    return tuple(lengths)


def committed_hand(
    paths: Paths,
    square: Square,
    chips: tuple[Chips, ...],
    deal: Deal,
    order: Sequence[int],
    travelling: Travelling = "fewest",
) -> Chips:
    """Return a hand of the deal's size that commits the customer and lets it walk a path of the deal's length.

    Of several that one for which the fewest chips travel, or one for which many do; colours that come first in `order`
    are received first and given last.
    """
    customer_hand, shared_chips = chips[0], added(chips[0], chips[deal.provider])
    rivals = _rivals(paths, square, chips, deal.provider, deal.target)
    hands = [
        _nearest(customer_hand, caps, need.chips, deal.size, order)
        if travelling == "fewest"
        else _nearest(
            caps, caps, need.chips, deal.size, sorted(order, key=lambda colour: customer_hand[colour] - caps[colour])
        )
        for need in paths.needs(square, deal.target)
        if need.length == deal.length and contained(need.chips, shared_chips)
        for caps in _boxes(shared_chips, need.chips, rivals)
        if sum(caps) >= deal.size
    ]
    travels = [sum(map(abs, subtracted(hand, customer_hand))) for hand in hands]
    return hands[travels.index((min if travelling == "fewest" else max)(travels))]


def _nearest(target: Chips, caps: Chips, need: Chips, size: int, order: Sequence[int]) -> Chips:
    """Return the hand of `size` chips between `need` and `caps` that is nearest to the wanted one.

    Nearest in chips that differ: what the bounds force, and then one chip for each that the size lacks or has too much.
    """
    hand = [max(min(wanted, cap), needed) for wanted, cap, needed in zip(target, caps, need, strict=True)]
    # What is missing or too much is taken in the order of the colours, as far as need and caps allow.
    lacking = size - sum(hand)
    for colour in order if lacking > 0 else reversed(order):
        room = min(lacking, caps[colour] - hand[colour]) if lacking > 0 else max(lacking, need[colour] - hand[colour])
        hand[colour] += room
        lacking -= room
    return tuple(hand)


def _rivals(
    paths: Paths, square: Square, chips: tuple[Chips, ...], provider: int, target: int
) -> list[tuple[Chips, Chips]]:
    """Return the needs of goals other than the target's that a deal has to prevent.

    Each with the chips that the customer itself must have for it: what is left of it without the provider's help.
    The customer and the provider with whom it deals hold together after the deal what they did before.
    """
    shared_chips = added(chips[0], chips[provider])
    rival_needs = []
    for rival in range(1, len(chips)):
        if rival != target:
            # Nothing that the two exchange between them keeps them together from a goal of the dealing provider itself.
            rival_chips = shared_chips if rival == provider else chips[rival]
            payable = shared_chips if rival == provider else added(shared_chips, rival_chips)
            rival_needs += [
                (need.chips, subtracted(need.chips, rival_chips))
                for need in paths.needs(square, rival)
                if contained(need.chips, payable)
            ]
    return rival_needs


def _boxes(caps: Chips, need: Chips, rivals: list[tuple[Chips, Chips]]) -> list[Chips]:
    """Return caps, at least `need`, that leave each rival need short of a colour; [] if there are none."""
    for index, (rival, rival_least) in enumerate(rivals):
        # The rival could pay: one colour is capped below its need,
        # each colour in turn, and the rest likewise.
        if contained(rival_least, caps):
            boxes = []
            for colour, count in enumerate(rival):
                cap = rival_least[colour] - 1
                if count and need[colour] <= cap:
                    boxes += _boxes((*caps[:colour], cap, *caps[colour + 1 :]), need, rivals[index + 1 :])
            return boxes
    return [caps]
