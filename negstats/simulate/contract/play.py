"""Games of the contract game: any number of one condition and country."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from negstats.simulate.batches import Batch, Track, play_all, untracked
from negstats.simulate.contract.conditions import table
from negstats.simulate.contract.log_writer import Played
from negstats.simulate.contract.transcript import play


def games_of(
    condition: str,
    country: str,
    games: int,
    seed: int | Sequence[int],
    *,
    track: Track[Played] = untracked,
) -> list[Played]:
    """Play the contract game on the board of Haim et al. (2017).

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

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    >>> played = games_of("HvsH", "Israel", games=2, seed=1)
    >>> [one.game_id for one in played]
    ['Israel HvsH 0001', 'Israel HvsH 0002']
    """
    table(condition, country)  # refuses before any game is played
    return play_all(partial(play_batch, condition, country), games, seed, track=track)


def play_batch(condition: str, country: str, batch: Batch) -> list[Played]:
    """Play the games of a batch."""
    seats = table(condition, country)
    games = []
    for number, rng in batch.games():
        transcript = play(seats.game, seats.customer, seats.providers, rng)
        games.append(Played(f"{country} {condition} {number + 1:04d}", condition, country, transcript))
    return games
