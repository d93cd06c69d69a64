"""What an agent does in the favor game as a policy, all transcripts against it, and the player's best reply.

A policy sees what happened before and says whether the agent asks for a favor, and how likely its next offer is good.
In the slots for a favor (odd negotiations) the offer is always poor. The words follow from these (`act`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from negstats.errors import DesignError
from negstats.games.favors.rules import STUDY, Negotiation, Numbers, Points

ACTS = ("favor-request", "favor-return", "generic")


class Past(NamedTuple):
    """What happened in one negotiation."""

    asked: bool
    good: bool
    accepted: bool


History: TypeAlias = tuple[Past, ...]


class Policy(Protocol):
    """How an agent plays; negotiation ``len(history) + 1`` is next."""

    def asks(self, history: History) -> bool:
        """Whether it asks for a favor; asked in the slots for one only.

        Parameters
        ----------
        history
            The negotiations so far, first to last.
        """

    def returns(self, history: History) -> float:
        """Return the probability of a good offer; asked in the slots of return only.

        Parameters
        ----------
        history
            The negotiations so far, first to last.
        """


def owed(history: History) -> int:
    """Return how many favors the agent owes: granted less returned, a return counts when it is made.

    Parameters
    ----------
    history
        The negotiations so far.

    Returns
    -------
    int
        Number of favors.

    Examples
    --------
    >>> owed((Past(True, False, True),)), owed((Past(True, False, True), Past(False, True, False)))
    (1, 0)
    """
    favors = [past.asked and past.accepted for past in history[::2]]
    return sum(favors) - sum(favor and past.good for favor, past in zip(favors, history[1::2], strict=False))


def act(history: History, *, asks: bool, good: bool) -> str:
    """Return the act of an offer: a favor is asked for, a favor is returned, or neither.

    Only a granted favor can be returned, and only a good offer is called a return: nobody claims to have returned what
    it did not. In negotiation 4 the last answer is that to 3, never that to 1. The acts are those of Mell, Lucas and
    Gratch [1]_.

    Parameters
    ----------
    history
        The negotiations before this one.
    asks
        Whether the policy asks for a favor.
    good
        Whether the offer is the good one.

    Returns
    -------
    str
        "favor-request", "favor-return" or "generic".

    References
    ----------
    .. [1] Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
       negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> granted, refused = Past(True, False, True), Past(True, False, False)
    >>> [act((past,), asks=False, good=good) for past in (granted, refused) for good in (True, False)]
    ['favor-return', 'generic', 'generic', 'generic']
    """
    if len(history) % 2 == 0:
        return "favor-request" if asks else "generic"
    last_past = history[-1]
    return "favor-return" if good and last_past.asked and last_past.accepted else "generic"


@dataclass(frozen=True, slots=True, eq=False)
class Transcripts:
    """Every pattern of answers against one policy, as arrays.

    Attributes
    ----------
    answers, asked, good : numpy.ndarray
        Truth values (patterns, negotiations). Patterns run from accepting everything to rejecting everything.
    acts : numpy.ndarray
        The words (patterns, negotiations), of `ACTS`.
    offers, points : numpy.ndarray
        What is offered and what is realised (patterns, negotiations, 2), player and agent.
    batnas : numpy.ndarray
        (negotiations, 2).
    """

    answers: Numbers
    asked: Numbers
    good: Numbers
    acts: Numbers
    offers: Numbers
    points: Numbers
    batnas: Numbers


def transcripts(policy: Policy, negotiations: Sequence[Negotiation] = STUDY) -> Transcripts:
    """Return all patterns of the player's answers against a policy, with offers, words and points.

    Parameters
    ----------
    policy
        The agent's policy.
    negotiations
        The negotiations of the game; those of Mell et al. (2015) by default.

    Returns
    -------
    Transcripts
        Arrays with one row a pattern of answers.

    Raises
    ------
    DesignError
        If the policy leaves a return to chance.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> from negstats.simulate.favors import AGENTS
    >>> against = transcripts(AGENTS["favor-seeking"])
    >>> against.answers.shape, against.points.sum(axis=1)[0].tolist()
    ((16, 4), [66.0, 66.0])
    """
    patterns = list(itertools.product((True, False), repeat=len(negotiations)))
    rows = [_play_answers(policy, negotiations, answers) for answers in patterns]
    pasts = np.array([[tuple(past) for past, _ in transcript] for transcript in rows])
    is_good, answers = pasts[:, :, 1], pasts[:, :, 2]
    # An offer that the rules do not know is never chosen: `_play_answers` has refused it.
    poor_offers = np.array([negotiation.poor for negotiation in negotiations], dtype=np.float64)
    good_offers = np.array([negotiation.good or (np.nan, np.nan) for negotiation in negotiations], dtype=np.float64)
    batnas = np.array([negotiation.batna for negotiation in negotiations], dtype=np.float64)
    offers = np.where(is_good[:, :, np.newaxis], good_offers, poor_offers)
    points = np.where(answers[:, :, np.newaxis], offers, batnas)
    acts = np.array([[act_name for _, act_name in transcript] for transcript in rows])
    return Transcripts(answers, pasts[:, :, 0], is_good, acts, offers, points, batnas)


def _play_answers(
    policy: Policy, negotiations: Sequence[Negotiation], answers: Sequence[bool]
) -> list[tuple[Past, str]]:
    history: History = ()
    transcript = []
    for negotiation, answer in zip(negotiations, answers, strict=True):
        asks, chance = _next(policy, negotiation, history)
        if chance not in (0, 1):
            raise DesignError(f"the policy returns with probability {chance:g}; transcripts need one that is certain")
        good = chance == 1
        act_name = act(history, asks=asks, good=good)
        history = (*history, Past(asks, good, answer))
        transcript.append((history[-1], act_name))
    return transcript


def _next(policy: Policy, negotiation: Negotiation, history: History) -> tuple[bool, float]:
    """Return whether the policy asks and how likely its offer is good; refuse what the rules do not know."""
    asks = not negotiation.is_return and policy.asks(history)
    chance = float(policy.returns(history)) if negotiation.is_return else 0.0
    if not 0 <= chance <= 1:
        raise DesignError(f"the policy returns with probability {chance:g}; a number from 0 to 1 is needed")
    if chance:
        negotiation.offer("good")
    return asks, chance


@dataclass(frozen=True, slots=True)
class BestReply:
    """The answers with the largest expected points of the player against a policy.

    Attributes
    ----------
    player, agent : float
        Expected points of the seats over all the negotiations.
    answers : Mapping[tuple[bool, ...], float]
        The patterns of answers that the reply leads to, each with its probability; one, if nothing is left to chance.
    """

    player: float
    agent: float
    answers: Mapping[tuple[bool, ...], float]

    @property
    def joint(self) -> float:
        """Expected joint value."""
        return self.player + self.agent


def best_reply(policy: Policy, negotiations: Sequence[Negotiation] = STUDY) -> BestReply:
    """Return the answers of a player who knows the policy and maximises points, by backward induction.

    Of two answers that are worth the same, to the last digit, the player accepts.

    Parameters
    ----------
    policy
        The agent's.
    negotiations
        Of the game.

    Returns
    -------
    BestReply
        The expected points of both, and each pattern of answers with its probability.

    Raises
    ------
    DesignError
        If the policy gives no probability, or makes an offer that the rules do not know.

    Examples
    --------
    Offers that ignore the answers leave the player the good ones to accept, and no others:

    >>> from negstats.simulate.favors import AGENTS
    >>> reply = best_reply(AGENTS["favor-seeking"])
    >>> reply.player, reply.agent, reply.answers
    (68.0, 18.0, {(False, True, False, True): 1.0})
    """
    return _reply(policy, negotiations, ())


def _reply(policy: Policy, negotiations: Sequence[Negotiation], history: History) -> BestReply:
    if len(history) == len(negotiations):
        return BestReply(0.0, 0.0, {(): 1.0})
    negotiation = negotiations[len(history)]
    asks, chance = _next(policy, negotiation, history)
    player = agent = 0.0
    answers: dict[tuple[bool, ...], float] = {}
    # The policy may answer either way; for each the player takes the better of accepting and refusing.
    for good, probability in ((True, chance), (False, 1 - chance)):
        if not probability:
            continue
        offer = negotiation.offer("good" if good else "poor")
        replies = []
        for answer, payoffs in ((True, offer), (False, negotiation.batna)):
            onward = _reply(policy, negotiations, (*history, Past(asks, good, answer)))
            replies.append((answer, payoffs, onward))
        answer, payoffs, onward = max(replies, key=_player_total)  # of equals the first: accepted
        player += probability * (payoffs[0] + onward.player)
        agent += probability * (payoffs[1] + onward.agent)
        for later_answers, weight in onward.answers.items():
            pattern = (answer, *later_answers)
            answers[pattern] = answers.get(pattern, 0.0) + probability * weight
    return BestReply(player, agent, answers)


def _player_total(reply: tuple[bool, Points, BestReply]) -> float:
    _, payoffs, onward = reply
    return payoffs[0] + onward.player
