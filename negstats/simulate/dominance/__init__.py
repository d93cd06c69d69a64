"""The dominance dialogue played: an agent for each relation, and dialogues as tables of a study.

>>> from negstats.simulate.dominance import as_study, talks_of
>>> study = as_study(talks_of("peer", "peer", talks=4, seed=1))
>>> study.games["ended"].tolist()
['agreement', 'agreement', 'walkaway', 'agreement']
"""

from negstats.simulate.dominance.agent import Agent, Memory, Readings
from negstats.simulate.dominance.play import as_study, every_profile, talks_of, write_log
from negstats.simulate.dominance.relations import Dominant, Peer, Submissive
from negstats.simulate.dominance.sides import AGENTS, Person, Script, Side, agent_of
from negstats.simulate.dominance.talks import SEATS, Played, Transcript, Turn, respond, talk
from negstats.simulate.dominance.words import (
    Accept,
    AskPreference,
    Booking,
    Leave,
    Propose,
    Reject,
    StatePreference,
    Utterance,
)

__all__ = [
    "AGENTS",
    "SEATS",
    "Accept",
    "Agent",
    "AskPreference",
    "Booking",
    "Dominant",
    "Leave",
    "Memory",
    "Peer",
    "Person",
    "Played",
    "Propose",
    "Readings",
    "Reject",
    "Script",
    "Side",
    "StatePreference",
    "Submissive",
    "Transcript",
    "Turn",
    "Utterance",
    "agent_of",
    "as_study",
    "every_profile",
    "respond",
    "talk",
    "talks_of",
    "write_log",
]
