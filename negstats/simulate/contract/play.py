"""Games of the contract game, any number of one condition and country: played, logged and read as a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from negstats.games.contract import study_game
from negstats.games.contract.board import Chips
from negstats.games.contract.rules import Game
from negstats.loaders.contract import LOG
from negstats.simulate.batches import Batch, Track, play_all, untracked
from negstats.simulate.contract.conditions import CONDITIONS, SEATS, table
from negstats.simulate.contract.transcript import Made, Transcript, play
from negstats.simulate.log import STUDY, build_provenance, read_events, write_events
from negstats.studies import Study

VERSION = "1"
SCENARIO = "contract game: the board of haim2017"
PROTOCOL = "providers offer in odd rounds, the customer in even ones"


@dataclass(frozen=True, slots=True)
class Played:
    """A transcript and what the study says of the game."""

    game_id: str
    condition: str
    country: str
    transcript: Transcript

    @property
    def ended(self) -> str:
        """How the game ended."""
        return "goal" if self.transcript.goal else "dormant"

    def seats(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of ``players``.

        Yields
        ------
        iterator of dict[str, Any]
            One row a seat, the columns of the table by name.
        """
        for number, (seat, agent) in enumerate(zip(SEATS, CONDITIONS[self.condition], strict=True)):
            yield {
                "player": seat.name,
                "role": seat.role,
                "kind": "human" if agent is None else "agent",
                "agent": agent,
                "participant_id": f"{self.game_id} {seat.name}" if agent is None else None,
                "points": float(self.transcript.points[number]),
                "reached_goal": bool(self.transcript.goal and number in (0, self.transcript.goal)),
            }


def amounts(game: Game, proposal: Made) -> dict[str, tuple[str, dict[str, int]]]:
    """Return who is the proposer and the responder, and the chips by colour that each would get."""
    customer, provider = SEATS[0].name, SEATS[proposal.offer.provider].name
    chips_by_seat = (
        (customer, _count_by_colour(game, proposal.offer.to_customer)),
        (provider, _count_by_colour(game, proposal.offer.to_provider)),
    )
    proposer, responder = chips_by_seat if proposal.proposer == 0 else chips_by_seat[::-1]
    return {"proposer": proposer, "responder": responder}


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
    >>> from negstats.simulate.contract.play import games_of
    >>> as_study(games_of("HvsH", "USA", games=3, seed=1)).factors
    ['condition', 'country']
    """
    game = study_game()
    log_events = (event for game_played in played for event in events(game, game_played))
    return read_events(LOG, log_events, build_provenance("contract", VERSION, notes))


def write_log(path: str | Path, game: Game, played: Sequence[Played]) -> None:
    """Write the games to a file, one event a line.

    Parameters
    ----------
    path
        The file.
    game
        The game that was played.
    played
        The games, as `games_of` returns them.
    """
    write_events(path, (event for game_played in played for event in events(game, game_played)))


def _round_events(game: Game, played: Played, number: int) -> Iterator[dict[str, Any]]:
    """Yield the offers of a round, then its steps on the board."""
    for offer in (offer for offer in played.transcript.offers if offer.round == number):
        (proposer, gets), (responder, gives) = amounts(game, offer).values()
        yield {
            "event": "offer",
            "game": played.game_id,
            "round": number,
            "from": proposer,
            "to": responder,
            "asks": gets,
            "gives": gives,
            "commitment": offer.commitment,
            "response": "accepted" if offer.accepted else "rejected",
        }
    for step in (step for step in played.transcript.steps if step.round == number):
        yield {
            "event": "move",
            "game": played.game_id,
            "round": number,
            "player": SEATS[0].name,
            "square": list(step.square),
            "paid": step.paid,
        }


def events(game: Game, played: Played) -> Iterator[dict[str, Any]]:
    """Yield the events of one game in the order in which they happened."""
    seats = list(played.seats())
    yield {
        "event": "game",
        "game": played.game_id,
        "study": STUDY,
        "scenario": SCENARIO,
        "protocol": PROTOCOL,
        "chip_points": game.chip_points,
        "factors": {"condition": played.condition, "country": played.country},
        "players": [
            {
                "player": seat["player"],
                "role": seat["role"],
                **({"agent": seat["agent"]} if seat["agent"] else {"participant": seat["participant_id"]}),
            }
            for seat in seats
        ],
    }
    for number in range(1, played.transcript.rounds + 1):
        yield from _round_events(game, played, number)
    yield {
        "event": "end",
        "game": played.game_id,
        "ended": played.ended,
        "rounds": played.transcript.rounds,
        "points": {seat["player"]: seat["points"] for seat in seats},
        "reached_goal": [seat["player"] for seat in seats if seat["reached_goal"]],
    }


def _count_by_colour(game: Game, chips: Chips) -> dict[str, int]:
    return {colour: count for colour, count in zip(game.colours, chips, strict=True) if count}


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
