"""dejonge2016: de Jonge and Zhang, Using GDL to Represent Domain Knowledge for Automated Negotiations.

The paper prints no table and no rule sheet; its examples and its one result follow from sheets that are written from
its definitions (`negstats.games.rulesheet.sheet`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from negstats.errors import NegstatsError
from negstats.papers.ledger import Row
from negstats.papers.recipes import Hooks, build_contradiction, build_example, build_finding, recompute_rows
from negstats.papers.verdict import Finding

if TYPE_CHECKING:
    from negstats.games.rulesheet import GroundGame

PAPER = "dejonge2016"
ROLES = ("a1", "a2")
ROUNDS = 3
DRAFT = ((1, 5), (2, 9), (4, 2))  # setValue of a property and a value, section 7.2


def findings() -> list[Finding]:
    """Return the finding of every printed number of the paper."""
    try:
        _game("prisoners")
    except NegstatsError as error:  # the grounder is not installed
        return recompute_rows(PAPER, dict.fromkeys(HOOKS, _without_grounder(str(error))))
    return recompute_rows(PAPER, HOOKS)


def _without_grounder(reason: str) -> Any:
    def explain(*inputs: Any) -> Finding:
        return build_finding(inputs[-1], [], f"needs the grounder: {reason}")

    return explain


@cache
def _game(name: str) -> GroundGame:
    from negstats.games.rulesheet import ground, parse, sheet

    texts = {
        "prisoners": sheet.prisoners(),
        "negotiation": sheet.negotiating_prisoners(ROUNDS),
        "large": sheet.large_domain(),
    }
    return ground(parse(texts[name]))


def _prisoners(first: str, second: str, seat: str, row: Row) -> Finding:
    game = _game("prisoners")
    end = game.next(game.first, {"a1": first, "a2": second})
    return build_example(row, game.payoffs(end)[ROLES[int(seat)]], f"the sheet of the prisoners, {first} and {second},")


def _copies(seat: str, row: Row) -> Finding:
    """Let two copies of a player that maximises its own payoff negotiate."""
    from negstats.games.rulesheet import own_payoff

    value = own_payoff(_game("negotiation")).value()[ROLES[int(seat)]]
    return build_example(
        row, float(value), f"two players that each maximise their own payoff get {value:g} each, which"
    )


def _true_minimax(row: Row) -> Finding:
    """Ask what minimax proper is sure of, where the other is taken to minimise one's payoff."""
    from negstats.games.rulesheet import guaranteed

    value = float(guaranteed(_game("negotiation"), "a1").value)
    why = (
        f"who takes the other to minimise its payoff is sure of {value:g} only; 8 follows where each maximises its own"
    )
    return build_contradiction(row, value, why)


def _proposals(row: Row) -> Finding:
    game = _game("negotiation")
    count = sum(move.startswith("(propose") for move in game.legal(game.first)["a1"])
    return build_example(row, count, f"{count} proposals that are legal at first, which")


def _large_moves(row: Row) -> Finding:
    count = len(_game("large").moves["a1"])
    return build_example(row, count, f"{count} moves of a role in the sheet, which")


def _drafted(issue: str, row: Row) -> Finding:
    """Draft the printed contract move by move, and propose it."""
    game = _game("large")
    state = game.first
    for property_, value in DRAFT:
        state = game.next(state, {"a1": f"(setvalue {property_} {value})", "a2": "noop"})
    state = game.next(state, {"a1": "propose", "a2": "noop"})
    [value] = [value for value in range(10) if game.holds(state, f"(offer {issue} {value})")]
    return build_example(row, value, "the contract that lies on the table")


HOOKS: Hooks = {
    "prisoners": _prisoners,
    "copies": _copies,
    "true minimax": _true_minimax,
    "proposals": _proposals,
    "large moves": _large_moves,
    "drafted": _drafted,
}
