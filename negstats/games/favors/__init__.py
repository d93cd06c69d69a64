"""The favor game of mell2015: negotiations, outcomes and their sums, favors and ledgers, policies and best replies.

mell2015 = Mell, Lucas and Gratch, "An Effective Conversation Tactic for Creating Value over Repeated Negotiations"
(AAMAS 2015). A person (the player) negotiates five times with one agent. In 1 to 4 the agent makes one
take-it-or-leave-it offer; after a rejection both get their BATNAs (Table 4, `STUDY`). The offers of 1 and 3 cost the
player 1 point and bring the agent 24: the place for a favor. In 2 and 4 it can be returned. In 5 the player offers and
the agent accepts whatever it is.

>>> from negstats.games import frontier
>>> from negstats.games.favors import sums
>>> frontier(sums(["poor", "good"])).tolist()  # over two negotiations, with an agent that returns favors
[[9, 34], [33, 33], [34, 9]]

What the paper leaves open, and what is taken here
--------------------------------------------------
- *Points and deals of negotiation 5 are not printed*: that the player can get 8 with the chips as dealt, that trades
  bring one or both seats 16, and that the joint value is at most 32, is. `FINAL` is the least grid of powers of two
  with these: invented, and so is what `boards` draws under it.
- *Pareto optimal* is meant in the usual sense; the formula's text gives the weak form (``weak=True`` everywhere). For
  the sums of Table 4 they are the same.
- *A favor is returned when the offer is made* (Table 5 speaks of the offer given), whether or not the player takes it.
- *A good offer without a granted favor is a gift* outside the ledger (Table 5: altruistic).

Glossary
--------
favor : what the player grants by taking an offer that is asked for as one; *returned*, *betrayed* : followed by a good
offer in the slot of return, or not; *gift* : a good offer there though no favor was granted; *ledger* : favors granted
less returned; *quality* : good if the player gets more than its BATNA, poor if less; *slot* : a negotiation for a
favor, or to return it in; *history* : the negotiations so far.
"""

from __future__ import annotations

from negstats.games.favors.policy import (
    ACTS,
    BestReply,
    History,
    Past,
    Policy,
    Transcripts,
    act,
    best_reply,
    owed,
    transcripts,
)
from negstats.games.favors.rules import (
    FINAL,
    PAIRS,
    START,
    STATES,
    STUDY,
    Favors,
    Negotiation,
    favors,
    game_of,
    outcomes,
    points_ledger,
    state,
    sums,
)

__all__ = [
    "ACTS",
    "FINAL",
    "PAIRS",
    "START",
    "STATES",
    "STUDY",
    "BestReply",
    "Favors",
    "History",
    "Negotiation",
    "Past",
    "Policy",
    "Transcripts",
    "act",
    "best_reply",
    "favors",
    "game_of",
    "outcomes",
    "owed",
    "points_ledger",
    "state",
    "sums",
    "transcripts",
]
