"""Tables 1, 2, 3 and 5 of mell2015 as the game and its agents have them."""

from __future__ import annotations

from itertools import product

import pandas as pd

from negstats.games.favors import STUDY
from negstats.games.favors.rules import state
from negstats.simulate.favors import PRINTED, SIZES
from negstats.simulate.favors.play import LAST, words


def negotiations() -> pd.DataFrame:
    """Return Table 1: the place of each negotiation, and who may make the offer.

    Examples
    --------
    >>> negotiations()["place for"].tolist()
    ['favor', 'return', 'favor', 'return', 'own offer']
    """
    rows = [(negotiation.number, "agent", "return" if negotiation.is_return else "favor") for negotiation in STUDY]
    return pd.DataFrame(
        [*rows, (len(STUDY) + 1, "player", "own offer")], columns=["negotiation", "offer by", "place for"]
    )


def agents() -> pd.DataFrame:
    """Return Table 2: the words of each agent, its offers in negotiations 2 and 4, and how many people met it.

    Examples
    --------
    >>> dict(zip(agents()["agent"], agents()["participants"].tolist(), strict=True))["favor-seeking"]
    38
    """
    rows = [(name, agent.language, agent.returning, SIZES[name]) for name, agent in PRINTED.items()]
    return pd.DataFrame(rows, columns=["agent", "language", "favors", "participants"])


def lines() -> pd.DataFrame:
    """Return Table 3 in the words of this package, which says the same: each act of an agent and its line.

    Examples
    --------
    >>> lines()["act"].unique().tolist()
    ['favor-request', 'favor-return', 'generic', 'ready']
    """
    generic = [("generic", negotiation.number) for negotiation in STUDY]
    acts = [("favor-request", 1), ("favor-return", 2), *generic, ("ready", LAST)]
    return pd.DataFrame(
        [(act, number, words(act, number)) for act, number in acts], columns=["act", "first in", "line"]
    )


def states() -> pd.DataFrame:
    """Return Table 5: the state from negotiation 3 on by what happened in negotiations 1 and 2.

    Examples
    --------
    >>> states().iloc[0].tolist()
    ['yes', 'yes', 'good', 'favor returned']
    """
    cases = list(product((1, 0), repeat=3))
    names = state(*zip(*cases, strict=True))
    rows = [
        (("no", "yes")[asked], ("no", "yes")[accepted], ("poor", "good")[good], str(name).replace("_", " "))
        for (asked, accepted, good), name in zip(cases, names, strict=True)
    ]
    return pd.DataFrame(rows, columns=["favor asked in 1", "1 accepted", "offer in 2", "state"])
