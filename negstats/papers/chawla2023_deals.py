"""Two printed tables of chawla2023 that the game's rules decide: the rewards of Table 2 and the deal of Table 11."""

from __future__ import annotations

from negstats.games import division_utilities
from negstats.papers.published import Claim
from negstats.papers.recipes import build_finding, describe_checks, printed
from negstats.papers.verdict import Check, Finding

# Table 11: books, hats and balls; what a unit is worth to each, and the share that is printed in the row of each.
COUNTS = (1, 4, 2)
VALUES = {"model": (0, 2, 1), "human": (4, 0, 3)}
SHARES = {"model": (1, 0, 1), "human": (0, 4, 1)}


def bounds(claim: Claim) -> Finding:
    """Check the parameters of a reward against the printed bounds, b ≤ a and 0 ≤ b < 1."""
    b, a = printed(claim, "value"), printed(claim, "effect_value")
    high = min(a.value, 1.0)
    check = Check("b", b, min(max(b.value, 0.0), high), 0.0, high, "claim")
    basis = f"the bounds are b ≤ a and 0 ≤ b < 1, with a = {a}"
    return build_finding(claim, [check], basis if check.holds else f"{basis}: b = {b} breaks 0 ≤ b")


def share_of(player: str, claim: Claim) -> Finding:
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
        why += f"; {shares[other]}, in the {other}'s row, gives {swapped:g}: the shares stand in each other's rows"
    return build_finding(claim, [check], why)


def _worth(units: tuple[int, ...], player: str) -> float:
    return float(division_utilities([[units]], [VALUES[player]])[0, 0])
