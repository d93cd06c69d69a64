"""Simulated studies of the contract game: any number of games of one condition and country, as a study's tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain

from negstats.games.contract import study_game
from negstats.loaders.contract import LOG
from negstats.simulate.batches import Batch, Track, play_all, untracked
from negstats.simulate.contract.conditions import table
from negstats.simulate.contract.log_writer import Played, events
from negstats.simulate.contract.transcript import play
from negstats.simulate.log import build_provenance, read_events
from negstats.studies import Study

VERSION = "1"


def games_of(
    condition: str,
    country: str,
    games: int,
    seed: int | Sequence[int],
    *,
    track: Track[Played] = untracked,
) -> list[Played]:
    """Play the contract game on haim2017's board.

    Parameters
    ----------
    condition
        HvsH, HvsCS-A, HvsSP-A, HvsSP-RAP or HvsSP-RAPD: which agent sits where; people sit elsewhere.
    country
        Whose parameters the simulated people have: China, Israel or USA.
    games
        How many.
    seed
        The same seed gives the same games.
    track
        Called with the batches of games as they come and their number; yields them on (a progress bar).

    Returns
    -------
    list[Played]
        The games in their order.

    Raises
    ------
    UsageError
        If there is no such condition or country, or a number makes no sense.

    Examples
    --------
    >>> played = games_of("HvsH", "Israel", games=2, seed=1)
    >>> [one.game_id for one in played]
    ['Israel HvsH 0001', 'Israel HvsH 0002']
    """
    table(condition, country)  # refuses before any game is played
    return play_all(partial(play_batch, condition, country), games, seed, track=track)


def as_study(played: Sequence[Played], *, notes: Sequence[str] = ()) -> Study:
    """Return played games as a study.

    Parameters
    ----------
    played
        The games, as `games_of` returns them.
    notes
        Lines for the study's provenance.

    Returns
    -------
    Study
        The study with its tables.

    Examples
    --------
    >>> as_study(games_of("HvsH", "USA", games=3, seed=1)).factors
    ['condition', 'country']
    """
    game = study_game()
    log_events = chain.from_iterable(events(game, one) for one in played)
    return read_events(LOG, log_events, build_provenance("contract", VERSION, notes))


def play_batch(condition: str, country: str, batch: Batch) -> list[Played]:
    """Play the games of a batch."""
    seats = table(condition, country)
    games = []
    for place, rng in batch.games():
        transcript = play(seats.game, seats.customer, seats.providers, rng)
        games.append(Played(f"{country} {condition} {place + 1:04d}", condition, country, transcript))
    return games
