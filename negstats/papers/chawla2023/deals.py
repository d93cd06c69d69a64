"""What the game's rules decide of chawla2023: the sample deals, their rewards, and the bounds of Table 2."""

from __future__ import annotations

from negstats.games import division_utilities
from negstats.games.dealornodeal.dialogue import CUTOFF
from negstats.games.dealornodeal.scenarios import reward
from negstats.papers.ledger import Row
from negstats.papers.recipes import (
    Hooks,
    build_contradiction,
    build_example,
    build_finding,
    describe_checks,
    printed,
)
from negstats.papers.verdict import Check, Finding

# Table 11: books, hats and balls; what a unit is worth to each, and the share that is printed in the row of each.
COUNTS = (1, 4, 2)
VALUES = {"model": (0, 2, 1), "human": (4, 0, 3)}
SHARES = {"model": (1, 0, 1), "human": (0, 4, 1)}


def bounds(claim: Row) -> Finding:
    """Check the parameters of a reward against the printed bounds, b ≤ a and 0 ≤ b < 1."""
    b, a = printed(claim, "value"), printed(claim, "effect_value")
    high = min(a.value, 1.0)
    check = Check("b", b, min(max(b.value, 0.0), high), 0.0, high, "claim")
    basis = f"the bounds are b ≤ a and 0 ≤ b < 1, with a = {a}"
    return build_finding(claim, [check], basis if check.holds else f"{basis}: b = {b} breaks 0 ≤ b")


def share_of(player: str, claim: Row) -> Finding:
    """Recompute a player's points in the deal of Table 11 from the share in its row, and from that in the other's."""
    number = printed(claim, "value")
    [other] = [name for name in SHARES if name != player]
    own, swapped = (_worth(SHARES[name], player) for name in (player, other))
    check = Check.exact("points", number, own, "claim")
    shares = {name: "-".join(map(str, units)) for name, units in SHARES.items()}
    why = describe_checks(
        [check], f"the share in the {player}'s row is {shares[player]} of {'-'.join(map(str, COUNTS))}"
    )
    if not check.holds and number.agrees(swapped):
        why += f"; {shares[other]}, in the {other}'s row, gives {swapped:g}: the shares are in each other's rows"
    return build_finding(claim, [check], why)


def _worth(units: tuple[int, ...], player: str) -> float:
    return float(division_utilities([[units]], [VALUES[player]])[0, 0])


def _units(text: str) -> tuple[int, ...]:
    return tuple(int(count) for count in text.split("-"))


def _deal(counts: str, values: str, share: str, row: Row) -> Finding:
    """Recompute the points of a share of books, hats and balls."""
    points = float(division_utilities([[_units(share)]], [_units(values)])[0, 0])
    return build_example(row, points, f"{share} of {counts}, a unit worth {values}, is worth {points:g} and")


def _reward(own: str, other: str, name: str, row: Row) -> Finding:
    """Recompute the reward of a deal, Equation 1."""
    value = float(reward(name, float(own), float(other)))
    return build_example(row, value, f"Equation 1 with {own} own points and {other} of the other's gives {value:g} and")


def _cut_off(row: Row) -> Finding:
    return build_example(row, CUTOFF, f"the {CUTOFF} utterances after which a dialogue ends without agreement")


def _bound(row: Row) -> Finding:
    b = printed(row, "value").value
    return build_contradiction(row, min(max(b, 0.0), 1.0), f"the bound 0 ≤ b excludes the printed b = {b:g}")


def _share_worth(player: str, row: Row) -> Finding:
    value = _worth(SHARES[player], player)
    share = "-".join(map(str, SHARES[player]))
    return build_contradiction(row, value, f"the share in the {player}'s row, {share}, is worth {value:g} points")


HOOKS: Hooks = {
    "reward bounds": bounds,
    "share in the row": share_of,
    "deal": _deal,
    "reward": _reward,
    "cut-off": _cut_off,
    "bound of b": _bound,
    "share worth": _share_worth,
}
