"""The worked examples of haim2017 and the contradictions in its words: each from the rules of the contract game."""

from __future__ import annotations

from functools import cache
from typing import Any

from negstats.estimate.study_offer import FITTED_OFFERS, first_commitment, risk_aversion
from negstats.games.contract import (
    ChainState,
    Offer,
    Utility,
    benefit,
    chain_of_states,
    commitment_offer,
    solve,
    study_game,
    three_squares,
)
from negstats.games.contract.rules import paths_of
from negstats.papers.ledger import Row, printed_cells
from negstats.papers.recipes import Hooks, build_contradiction, build_example, build_finding, printed, select_rows
from negstats.papers.verdict import Check, Finding
from negstats.simulate.contract.equilibrium_seats import sp_rap, sp_rapd
from negstats.simulate.contract.people import agent_parameters

PAPER = "haim2017"
SP_G, SP_Y = 1, 2
RETURNED = 11  # the customer's chips that travel in every printed first offer

# The chips beyond ten red ones of the customer, SP_g and SP_y in the examples on three squares.
EXAMPLES = {
    "1": ({}, {"gray": 1}, {"yellow": 1}),
    "2": ({"gray": 1, "yellow": 1}, {}, {}),
    "3": ({}, {"gray": 1}, {}),
}


def _board(what: str, *inputs: Any) -> Finding:
    """Compare a printed size of the study's board and hands with the game."""
    *place, row = inputs
    return build_example(row, _size_of(what, place), "the game of the study's board")


def _size_of(what: str, place: list[str]) -> float:
    game = study_game()
    match what, place:
        case "chips", [player]:
            return sum(game.chips[int(player)])
        case "colour", [player, colour]:
            return game.chips[int(player)][game.colours.index(colour)]
        case "steps", [provider]:
            need = paths_of(game).shortest(game.board.start, int(provider), game.chips[0])
            return float("nan") if need is None else need.length
        case "chip points", _:
            return game.chip_points
    return game.goal_points


def _walk(player: str, row: Row) -> Finding:
    """Recompute what it is worth to walk to gray at once, where that succeeds with a chance of nine in ten."""
    game = study_game()
    utility, steps = Utility(pr=0.9), _size_of("steps", ["1"])
    chips = sum(game.chips[int(player)])
    kept_chips = chips - (steps if player == "0" else 0)
    value = utility.worth(game.chip_points * kept_chips + game.goal_points, game.chip_points * chips)
    return build_example(row, value, f".9 of {game.chip_points} a chip and {game.goal_points}, .1 of the chips alone,")


@cache
def _chain() -> dict[tuple[int, str], ChainState]:
    return {(state.steps, state.offering): state for state in chain_of_states(solve(study_game()))}


def _appendix(steps: str, offering: str, player: str, row: Row) -> Finding:
    """Recompute a value of the appendix, on a square of the way to yellow."""
    value = _chain()[int(steps), offering].values[int(player)]
    who = "the customer" if offering == "customer" else "the providers"
    return build_example(row, value, f"the equilibrium on square {steps}, {who} to offer, is worth {value:g} and")


def _three_squares(example: str, offering: str, player: str, row: Row) -> Finding:
    """Recompute a score of an example on three squares."""
    game = three_squares(*EXAMPLES[example])
    state = game.start._replace(odd=offering == "providers")
    if offering == "nobody":
        state = game.accept(state, None)
    value = solve(game).value(state)[int(player)]
    return build_example(row, value, f"the equilibrium is worth {value:g} and")


@cache
def _agent_offer(agent: str, country: str) -> Offer | None:
    """Return what an agent of the study offers, or asks, at the start."""
    game = study_game()
    if agent in ("SP-A", "CS-A"):
        state = game.start if agent == "SP-A" else game.start._replace(odd=False, idle=1)
        provider = SP_Y if agent == "SP-A" else SP_G
        [offer] = [move for move in solve(game).offer(state) if move.provider == provider]
        return commitment_offer(game, state, provider, offer.net, travelling="most")
    pr, alpha = FITTED_OFFERS[country].pr, agent_parameters("SP-RAP")["alpha"]
    if agent == "SP-RAP":
        return sp_rap(game, SP_Y, pr=pr, alpha=alpha).offer(game.start)
    return sp_rapd(game, SP_Y, pr=pr, alpha=alpha, **agent_parameters(agent)).offer(game.start)


def _first_offer(agent: str, country: str, row: Row) -> Finding:
    offer = _agent_offer(agent, country)
    gives, asks = (0, 0) if offer is None else (sum(offer.to_customer), sum(offer.to_provider))
    return build_example(row, gives, f"the agent's first offer, {gives} for {asks},")


def _returned(row: Row) -> Finding:
    offers = [_agent_offer("SP-RAP", country) for country in FITTED_OFFERS]
    [asks] = {0 if offer is None else sum(offer.to_provider) for offer in offers}
    return build_example(row, asks, "what SP-RAP asks first in each country")


def _exchange(gives: int, asks: int) -> Offer:
    return Offer(SP_Y, (gives,), (asks,))


def _net(gives: str, asks: str, row: Row) -> Finding:
    offer = _exchange(int(gives), int(asks))
    return build_example(row, offer.net, f"{gives} - {asks} = {offer.net}, the chips that the customer gets more,")


def _benefit(gives: str, asks: str, row: Row) -> Finding:
    points = benefit(_exchange(int(gives), int(asks)), 0)
    return build_example(row, points, f"{gives} - {asks} chips of 5 points, {points},")


def _less_competitive(gives: str, other_gives: str, row: Row) -> Finding:
    """Say which of two offers of a provider asks more than it gives: competitiveness is asked less given."""
    first, second = RETURNED - int(gives), RETURNED - int(other_gives)
    why = (
        f"by the definition of 6.2 {gives} for {RETURNED} has a competitiveness of {first} and {other_gives} for "
        f"{RETURNED} one of {second}: the offer of {gives} is the more competitive one, by {first - second}"
    )
    return build_contradiction(row, first - second, why)


def _participants_in_all(row: Row) -> Finding:
    sizes = [int(printed(part, "n").value) for part in select_rows(printed_cells(PAPER), of="participants")]
    return build_contradiction(
        row, sum(sizes), f"section 6 prints {' + '.join(map(str, sizes))} = {sum(sizes)} participants"
    )


def _several_values(measure: str, country: str, condition: str, row: Row) -> Finding:
    """Hold one printed value against the others that are printed for the same quantity."""
    parts = select_rows(printed_cells(PAPER), of=measure, country=country, condition=condition)
    numbers = [(part, printed(part, "percent")) for part in parts]
    own = printed(row, "value")
    checks = [
        Check(f"in {part.place}", own, number.value, number.low, number.high, "claim")
        for part, number in numbers
        if number != own
    ]
    values = ", ".join(f"{number}% ({part.place})" for part, number in numbers)
    return build_finding(row, checks, f"one quantity is printed as {values}")


def _offers_of_rounded_pr(row: Row) -> Finding:
    """Ask which third offer the printed, rounded pr give, with a risk aversion that gives the first two."""
    *two, third = FITTED_OFFERS.values()
    alpha = risk_aversion([point.printed_pr for point in two], [point.chips for point in two]).alpha
    chips = first_commitment(third.printed_pr, alpha)
    why = (
        f"with the printed pr no risk aversion gives all three offers: the one that gives {two[0].chips} and "
        f"{two[1].chips} gives {chips} chips at {third.printed_pr:g}; with 9/15, 5/6 and 14/15 one gives all three"
    )
    return build_contradiction(row, chips, why)


HOOKS: Hooks = {
    "board": _board,
    "walk": _walk,
    "appendix": _appendix,
    "three squares": _three_squares,
    "first offer": _first_offer,
    "returned": _returned,
    "competitiveness": _net,
    "benefit": _benefit,
    "less competitive": _less_competitive,
    "participants in all": _participants_in_all,
    "several values": _several_values,
    "offers of the rounded pr": _offers_of_rounded_pr,
}
