"""Rule sheets as text, by their numbers: the examples of dejonge2016, written out from its definitions.

The paper prints definitions and no sheet, so these are the project's own; payoffs of the large domain, which it does
not print, are drawn from a seed.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, product
from typing import Literal

import numpy as np

from negstats.errors import UsageError, shown

Last = Literal["any", "accept_or_end"]
Payoff = Literal["additive", "boxes"]

# Prisoner's dilemma (Example 2): what a1 and a2 play (c confess, d deny) and get.
PAY = (("c", "c", 2, 2), ("c", "d", 10, 0), ("d", "c", 0, 10), ("d", "d", 8, 8))
SETS = ("c", "d", "cd")  # what an agreement may leave a player: one action, or both


def alternating_offers(shares: int = 10, rounds: int = 4, *, last: Last = "any") -> str:
    """Return alternating offers over a pie (Example 1).

    Parameters
    ----------
    shares
        K: the pie is cut into so many; a proposal is a1's share, 0 to K. At most 100.
    rounds
        m: a1 is on turn in even rounds, a2 in odd ones, counted from 0. Nobody can answer the last proposal.
    last
        ``"any"``: the definition's moves in the last round. ``"accept_or_end"``: accept or `noop`.

    Raises
    ------
    UsageError
        If a number makes no sense.

    Examples
    --------
    >>> print(alternating_offers(shares=1, rounds=1).splitlines()[0])
    (role a1) (role a2) (init (round 0)) (init (offer none))
    """
    _check_counts(shares=shares, rounds=rounds)
    if shares > 100:
        raise UsageError(f"shares is {shares}; payoffs end at 100")
    proposing = "(<= (legal ?p (propose ?x)) (true (round ?r)) (turn ?r ?p) (share ?x){})"
    return _text(
        "(role a1) (role a2) (init (round 0)) (init (offer none))",
        *(f"(share {share}) (complement {share} {shares - share})" for share in range(shares + 1)),
        *_turns(rounds),
        *_proposing(proposing, f"(turn {rounds - 1} ?p)", last, rounds),
        """
        (<= (legal ?p accept) (true (round ?r)) (turn ?r ?p) (distinct ?r 0))
        (<= (legal ?p noop) (role ?p) (true (round ?r)) (turn ?r ?q) (distinct ?p ?q))
        (<= (next (round ?s)) (true (round ?r)) (succ ?r ?s))
        (<= (next (offer ?x)) (does ?p (propose ?x)))
        (<= (next (offer ?x)) (true (offer ?x)) (does ?p accept))
        (<= (next accepted) (does ?p accept))
        (<= terminal (true accepted))""",
        f"(<= terminal (true (round {rounds})))",
        """
        (<= (goal a1 ?x) (true accepted) (true (offer ?x)))
        (<= (goal a2 ?y) (true accepted) (true (offer ?x)) (complement ?x ?y))
        (<= (goal ?p 0) (role ?p) (not (true accepted)))""",
    )


def prisoners() -> str:
    """Return the prisoner's dilemma (Example 2): one step, both confess (c) or deny (d).

    Examples
    --------
    >>> "(pay d d 8 8)" in prisoners()
    True
    """
    return _text(
        "(role a1) (role a2)",
        *_actions(),
        """
        (<= (legal ?p ?a) (role ?p) (action ?a))
        (<= (next (played ?p ?a)) (does ?p ?a))
        (<= (next done) (role ?p))
        (<= terminal (true done))""",
        _PAID,
    )


def negotiating_prisoners(rounds: int = 3, *, last: Last = "any", committed: bool = True) -> str:
    """Return the prisoner's dilemma after a negotiation, in one sheet (Example 3 and section 8).

    Parameters
    ----------
    rounds
        m rounds of talk: propose a pair of sets of actions, or accept the last proposal. Then both act.
    last
        As in `alternating_offers`.
    committed
        Whether the sheet keeps commitments: no action outside the accepted sets is legal. Without, it only says what
        is ``excluded``, for `negstats.games.rulesheet.with_commitments` to write that in.

    Raises
    ------
    UsageError
        If a number makes no sense.

    Examples
    --------
    >>> "(final 3)" in negotiating_prisoners(rounds=3)
    True
    """
    _check_counts(rounds=rounds)
    restriction = " (not (excluded ?p ?a))" if committed else ""
    return _text(
        "(role a1) (role a2) (init (round 0)) (init (stage nego))",
        *_actions(),
        *_set_offers(rounds, last),
        "(permits c c) (permits d d) (permits cd c) (permits cd d)",
        """
        (<= (mover ?p) (true (stage nego)) (true (round ?r)) (turn ?r ?p))
        (<= (legal ?p noop) (role ?p) (true (stage nego)) (not (mover ?p)))
        (<= (excluded ?p ?a) (true (committed ?p ?s)) (action ?a) (not (permits ?s ?a)))""",
        f"(<= (legal ?p ?a) (role ?p) (true (stage act)) (action ?a){restriction})",
        """
        (<= (next (round ?s)) (true (stage nego)) (true (round ?r)) (succ ?r ?s))
        (<= (next (offer ?s ?t)) (does ?p (propose ?s ?t)))
        (<= someaccept (does ?p accept))
        (<= (next (committed a1 ?s)) someaccept (true (offer ?s ?t)))
        (<= (next (committed a2 ?t)) someaccept (true (offer ?s ?t)))
        (<= lastround (true (round ?r)) (succ ?r ?s) (final ?s))
        (<= (next (stage act)) (true (stage nego)) someaccept)
        (<= (next (stage act)) (true (stage nego)) lastround)
        (<= (next (stage nego)) (true (stage nego)) (not someaccept) (not lastround))
        (<= (next (played ?p ?a)) (does ?p ?a) (action ?a))
        (<= (next done) (true (stage act)))
        (<= terminal (true done))""",
        _PAID,
    )


def set_offers(rounds: int = 3, *, last: Last = "any") -> str:
    """Return only the protocol of `negotiating_prisoners`, for `negstats.games.rulesheet.negotiation_game`.

    It ends with ``accepted`` and the accepted ``(offer s t)``, or after the last round. Its own payoffs are 0.

    Examples
    --------
    >>> "pay" in set_offers(rounds=2)
    False
    """
    _check_counts(rounds=rounds)
    return _text(
        "(role a1) (role a2) (init (round 0))",
        *_set_offers(rounds, last),
        """
        (<= (mover ?p) (true (round ?r)) (turn ?r ?p))
        (<= (legal ?p noop) (role ?p) (not (mover ?p)))
        (<= (next (round ?s)) (true (round ?r)) (succ ?r ?s))
        (<= (next (offer ?s ?t)) (does ?p (propose ?s ?t)))
        (<= (next (offer ?s ?t)) (true (offer ?s ?t)) (does ?p accept))
        (<= (next accepted) (does ?p accept))
        (<= terminal (true accepted))
        (<= terminal (true (round ?r)) (final ?r))
        (<= (goal ?p 0) (role ?p))""",
    )


def large_domain(
    issues: int = 10, values: int = 10, rounds: int = 20, *, seed: int = 1, payoff: Payoff = "additive", boxes: int = 8
) -> str:
    """Return the domain whose contracts are put together value by value (section 7.2): 10^10 contracts, 103 moves.

    Parameters
    ----------
    issues, values
        Properties of a contract, from 1, and values of each, from 0; a draft starts with 0 everywhere.
    rounds
        m: so many proposals may be made.
    seed
        Of the payoffs, which the paper does not print.
    payoff
        ``"additive"``: a whole-number worth of each value of each property, the best of a property 100 // issues.
        ``"boxes"``: each role has boxes, a range of values for some properties, and is paid the weights of those that
        hold the contract.
    boxes
        How many boxes each role has.

    Raises
    ------
    UsageError
        If a number makes no sense.

    Examples
    --------
    >>> large_domain(issues=2, values=3, rounds=2).count("(worth")
    13
    """
    _check_counts(issues=issues, values=values, rounds=rounds, boxes=boxes)
    if issues > 100 or (payoff == "boxes" and boxes > 100):
        raise UsageError(f"issues is {issues} and boxes {boxes}; give at most 100, since payoffs end at 100")
    rng = np.random.default_rng(seed)
    payoff_rules = {"additive": _worths, "boxes": _boxes}.get(payoff)
    if payoff_rules is None:
        raise UsageError(f"payoff is {shown(payoff)}; give 'additive' or 'boxes'")
    facts, last_addition, largest = payoff_rules(issues, values, boxes, rng)
    steps = max(rounds, last_addition)
    return _text(
        "(role a1) (role a2) (other a1 a2) (other a2 a1) (init (round 0)) (init (control a1))",
        *(f"(issue {i}) (init (draft {i} 0))" for i in range(1, issues + 1)),
        " ".join(f"(val {value})" for value in range(values)),
        " ".join(f"(succ {i} {j})" for i, j in pairwise(range(steps + 1))),
        f"(last {rounds})",
        *(" ".join(f"(plus {a} {b} {a + b})" for b in range(min(largest, 100 - a) + 1)) for a in range(101)),
        *facts,
        _DRAFTING,
        f"(<= (goal ?p ?n) (true accepted) (total ?p {last_addition} ?n))",
        "(<= (goal ?p 0) (role ?p) (not (true accepted)))",
    )


_PAID = """
        (<= (goal a1 ?u) (true (played a1 ?a)) (true (played a2 ?b)) (pay ?a ?b ?u ?w))
        (<= (goal a2 ?w) (true (played a1 ?a)) (true (played a2 ?b)) (pay ?a ?b ?u ?w))"""

_DRAFTING = """
        (<= (legal ?p (setvalue ?i ?v)) (true (control ?p)) (issue ?i) (val ?v))
        (<= (legal ?p propose) (true (control ?p)))
        (<= (legal ?p accept) (true (control ?p)) (true pending))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= proposing (does ?p propose))
        (<= accepting (does ?p accept))
        (<= (setting ?i) (does ?p (setvalue ?i ?v)))
        (<= (next (draft ?i ?v)) (does ?p (setvalue ?i ?v)))
        (<= (next (draft ?i ?v)) (true (draft ?i ?v)) (not (setting ?i)) (not proposing))
        (<= (next (draft ?i 0)) (issue ?i) proposing)
        (<= (next (offer ?i ?v)) proposing (true (draft ?i ?v)))
        (<= (next (offer ?i ?v)) (true (offer ?i ?v)) (not proposing))
        (<= (next pending) proposing)
        (<= (next pending) (true pending))
        (<= (next accepted) accepting)
        (<= (next (control ?q)) proposing (true (control ?p)) (other ?p ?q))
        (<= (next (control ?p)) (true (control ?p)) (not proposing))
        (<= (next (round ?s)) proposing (true (round ?r)) (succ ?r ?s))
        (<= (next (round ?r)) (true (round ?r)) (not proposing))
        (<= terminal (true accepted))
        (<= terminal (true (round ?r)) (last ?r))
        (<= (total ?p 0 0) (role ?p))"""


def _worths(issues: int, values: int, boxes: int, rng: np.random.Generator) -> tuple[list[str], int, int]:  # noqa: ARG001
    """Return facts and rules of additive payoffs, the last of the additions and the most that is added."""
    largest = 100 // issues
    facts = []
    for role, issue in product(("a1", "a2"), range(1, issues + 1)):
        worth = rng.integers(0, largest + 1, size=values)
        worth[rng.integers(values)] = largest
        facts.append(" ".join(f"(worth {role} {issue} {value} {n})" for value, n in enumerate(worth)))
    rule = (
        "(<= (total ?p ?j ?n) (total ?p ?i ?s) (succ ?i ?j) (true (offer ?j ?v)) (worth ?p ?j ?v ?w) (plus ?s ?w ?n))"
    )
    return [*facts, rule], issues, largest


def _boxes(issues: int, values: int, boxes: int, rng: np.random.Generator) -> tuple[list[str], int, int]:
    """Return facts and rules of payoffs from boxes, the last of the additions and the most that is added."""
    facts, largest = list[str](), 0
    for role in ("a1", "a2"):
        weights = rng.multinomial(100, np.full(boxes, 1 / boxes))
        largest = max(largest, int(weights.max()))
        for box, weight in enumerate(weights.tolist(), start=1):
            facts.append(f"(weight {role} {box} {weight})")
            for issue in sorted(rng.choice(issues, size=min(issues, 3), replace=False).tolist()):
                first_value, last_value = sorted(rng.integers(0, values, size=2).tolist())
                allowed_values = " ".join(
                    f"(allows {role} {box} {issue + 1} {value})" for value in range(first_value, last_value + 1)
                )
                facts.append(f"(limits {role} {box} {issue + 1}) {allowed_values}")
    rules = """
        (<= (outside ?p ?b) (limits ?p ?b ?i) (true (offer ?i ?v)) (not (allows ?p ?b ?i ?v)))
        (<= (total ?p ?b ?n) (total ?p ?a ?s) (succ ?a ?b) (weight ?p ?b ?w) (not (outside ?p ?b)) (plus ?s ?w ?n))
        (<= (total ?p ?b ?s) (total ?p ?a ?s) (succ ?a ?b) (outside ?p ?b))"""
    return [*facts, rules], boxes, largest


def _actions() -> list[str]:
    return ["(action c) (action d)", " ".join(f"(pay {a} {b} {u} {w})" for a, b, u, w in PAY)]


def _set_offers(rounds: int, last: Last) -> list[str]:
    proposing = "(<= (legal ?p (propose ?s ?t)) (mover ?p) (set ?s) (set ?t){})"
    return [
        " ".join(f"(set {set_name})" for set_name in SETS),
        *_turns(rounds),
        f"(final {rounds})",
        *_proposing(proposing, "(mover ?p)", last, rounds),
        "(<= (legal ?p accept) (mover ?p) (not (true (round 0))))",
    ]


def _turns(rounds: int) -> list[str]:
    return [f"(succ {i} {i + 1}) (turn {i} {('a1', 'a2')[i % 2]})" for i in range(rounds)]


def _proposing(rule: str, mover: str, last: Last, rounds: int) -> list[str]:
    """Return the rule of proposing; where the last round is for answers only, also that its mover may pass."""
    if last == "any":
        return [rule.format("")]
    if last != "accept_or_end":
        raise UsageError(f"last is {shown(last)}; give 'any' or 'accept_or_end'")
    closing = f"(true (round {rounds - 1}))"
    return [rule.format(f" (not {closing})"), f"(<= (legal ?p noop) {closing} {mover})"]


def _check_counts(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise UsageError(f"{name} is {number}; give 1 or more")


def _text(*parts: str) -> str:
    lines: Iterable[str] = (line.strip() for section in parts for line in section.splitlines())
    return "".join(f"{line}\n" for line in lines if line)


SHEETS = {
    "alternating_offers": alternating_offers,
    "large_domain": large_domain,
    "negotiating_prisoners": negotiating_prisoners,
    "prisoners": prisoners,
    "set_offers": set_offers,
}
