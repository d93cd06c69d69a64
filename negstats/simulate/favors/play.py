"""Sessions of the favor game: any number with one agent, or the four cells of mell2015."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from zlib import crc32

from negstats.simulate.batches import Batch, Track, play_all, untracked
from negstats.simulate.favors.agent import FavorAgent
from negstats.simulate.favors.agents import SIZES, agent_of
from negstats.simulate.favors.people import Participant, participant
from negstats.simulate.favors.session import Session, play

BATCH = 500  # sessions after which a progress bar moves: some hundredths of a second


def favor_games_of(
    condition: str | FavorAgent,
    sessions: int,
    seed: int | Sequence[int],
    *,
    people: Participant | None = None,
    track: Track[Session] = untracked,
) -> list[Session]:
    """Play sessions of five negotiations between simulated people and one agent.

    Parameters
    ----------
    condition
        A name of `AGENTS`, or an agent.
    sessions
        How many people.
    seed
        The same seed gives the same sessions; each condition has numbers of its own.
    people
        None takes those of ``parameters.toml``.
    track
        Called with the batches of sessions as they come and their number; yields them on (a progress bar).

    Returns
    -------
    list[Session]
        The sessions in their order.

    Raises
    ------
    UsageError
        If there is no such condition, or a number makes no sense.

    Examples
    --------
    >>> [session.name for session in favor_games_of("betraying", sessions=2, seed=1)]
    ['betraying 0001', 'betraying 0002']
    """
    agent = agent_of(condition) if isinstance(condition, str) else condition
    own = partial(play_batch, agent, people)
    numbers = (seed,) if isinstance(seed, int) else tuple(seed)
    entropy = (*numbers, crc32(agent.name.encode()))
    return play_all(own, sessions, entropy, track=track, size=BATCH)


def favor_cells(
    sizes: Mapping[str, int] = SIZES,
    *,
    seed: int | Sequence[int],
    people: Participant | None = None,
    track: Track[Session] = untracked,
) -> list[Session]:
    """Play several conditions, by default the four of Mell et al. (2015) with as many people as in print.

    Parameters
    ----------
    sizes
        Sessions by condition.
    seed, people, track
        As for `favor_games_of`.

    Returns
    -------
    list[Session]
        The sessions, condition by condition.

    Raises
    ------
    UsageError
        As `favor_games_of`.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> from collections import Counter
    >>> dict(Counter(session.agent.name for session in favor_cells(seed=1)))
    {'favor-seeking': 38, 'betraying': 40, 'cooperative': 48, 'competitive': 41}
    """
    parts = (favor_games_of(condition, size, seed, people=people, track=track) for condition, size in sizes.items())
    return list(chain.from_iterable(parts))


def play_batch(agent: FavorAgent, people: Participant | None, batch: Batch) -> list[Session]:
    """Play the sessions of a batch."""
    who = participant() if people is None else people
    return [play(f"{agent.name} {place + 1:04d}", agent, who, rng) for place, rng in batch.games()]
