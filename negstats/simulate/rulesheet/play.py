"""Sessions of a rule sheet, any number of games between players by name: played, logged and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from negstats.errors import UsageError
from negstats.games.rulesheet import Move, Session, play
from negstats.games.rulesheet.players import CAP, ChosenBy
from negstats.loaders.rulesheet import LOG
from negstats.simulate.batches import Batch, Track, play_all, untracked
from negstats.simulate.log import STUDY, build_provenance, read_events, write_events
from negstats.simulate.rulesheet.seats import Offer, Prepared, name_of, player, prepared
from negstats.studies import Study


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """One role's move in one step, who chose it, and what it offers."""

    step: int
    role: str
    move: Move
    chosen_by: ChosenBy
    offer: Offer | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """A session: the names of sheet and players, every move, and the payoffs (None: stopped before the end)."""

    game_id: str
    sheet: str
    players: Mapping[str, str]
    moves: tuple[PlayedMove, ...]
    points: Mapping[str, float] | None

    @property
    def steps(self) -> int:
        """How many steps were played."""
        return self.moves[-1].step if self.moves else 0

    @property
    def ended(self) -> str:
        """Agreement if an offer was accepted, timeout if the game was over without one, else unknown."""
        if self.points is None:
            return "unknown"
        return "agreement" if any(name_of(move.move) == "accept" for move in self.moves) else "timeout"


@dataclass(frozen=True, slots=True)
class Setup:
    """A rule sheet and the players of its roles.

    Attributes
    ----------
    text : str
        The sheet.
    players : tuple[tuple[str, str], ...]
        Each role and the name of its player (`negstats.simulate.rulesheet.PLAYERS`).
    name : str
        The sheet's name in the tables.
    parameters : tuple[tuple[str, object], ...]
        The numbers that the sheet was made with, for the log.
    cap : int
        Moves of one turn before the server plays ``propose``.
    time_limit : float | None
        Seconds for a move. With a limit a study depends on the machine, and the seed alone does not give it again.
    """

    text: str
    players: tuple[tuple[str, str], ...]
    name: str = "sheet"
    parameters: tuple[tuple[str, object], ...] = ()
    cap: int = CAP
    time_limit: float | None = None

    @classmethod
    def of(
        cls,
        text: str,
        players: str | Mapping[str, str],
        *,
        name: str = "sheet",
        parameters: Mapping[str, object] | None = None,
    ) -> Setup:
        """Return a setup in which everybody is the same player, or each role has its own.

        Parameters
        ----------
        text
            The text of the sheet.
        players
            The name of a player, or the name of each role's.
        name
            What the sheet is called in the study.
        parameters
            The numbers that the sheet was made with, for the log.

        Raises
        ------
        SheetError
            If the sheet is wrong.
        UsageError
            If a role has no player, a player no role, or a player is not known.
        """
        sheet = prepared(text, name)
        player_by_role = dict.fromkeys(sheet.rules.roles, players) if isinstance(players, str) else dict(players)
        for role in sheet.rules.roles:
            if role not in player_by_role:
                raise UsageError(f"role {role} has no player; name one for each of {', '.join(sheet.rules.roles)}")
            player(sheet, role, player_by_role[role], np.random.default_rng(0))
        strangers = [role for role in player_by_role if role not in sheet.rules.roles]
        if strangers:
            raise UsageError(f"the sheet has no role {strangers[0]}; it has {', '.join(sheet.rules.roles)}")
        role_players = tuple((role, player_by_role[role]) for role in sheet.rules.roles)
        return cls(text, role_players, name, tuple((parameters or {}).items()))

    @property
    def sheet(self) -> Prepared:
        """The sheet, ready to be played."""
        return prepared(self.text, self.name)


def sessions_of(
    setup: Setup, games: int, seed: int | Sequence[int], *, track: Track[Played] = untracked
) -> list[Played]:
    """Play games of a sheet; the same seed gives the same games.

    Parameters
    ----------
    setup
        A rule sheet and the players of its roles.
    games
        How many games.
    seed
        The seed of all games, each with a stream of its own.
    track
        Called with the games as they come and their number; yields them on.

    Returns
    -------
    list[Played]
        The games in their order.

    Examples
    --------
    >>> from negstats.games.rulesheet import sheet
    >>> setup = Setup.of(sheet.negotiating_prisoners(rounds=3), "own_payoff:last", name="prisoners")
    >>> [played.points for played in sessions_of(setup, games=1, seed=1)]
    [{'a1': 8, 'a2': 8}]
    """
    return play_all(partial(_batch, setup), games, seed, track=track)


def _batch(setup: Setup, batch: Batch) -> list[Played]:
    return [_session(setup, number, rng) for number, rng in batch.games()]


def _session(setup: Setup, number: int, rng: np.random.Generator) -> Played:
    sheet = setup.sheet
    seated = {role: player(sheet, role, name, rng) for role, name in setup.players}
    session = play(sheet.game, seated, rng=rng, cap=setup.cap, time_limit=setup.time_limit)
    return Played(
        f"{setup.name} {number + 1:04d}", setup.name, dict(setup.players), _list_moves(sheet, session), _points(session)
    )


def _points(session: Session) -> dict[str, float] | None:
    return None if session.payoffs is None else dict(session.payoffs)


def _list_moves(sheet: Prepared, session: Session) -> tuple[PlayedMove, ...]:
    """Return every move with its offer, if it is one."""
    moves = []
    for number, step in enumerate(session.steps, start=1):
        for role, move in step.moves.items():
            name = name_of(move)
            offer: Offer | None = None
            if name == "propose":
                offer = sheet.meaning.offer(session.states[number - 1], move)
            moves.append(PlayedMove(number, role, move, step.chosen_by[role], offer))
    return tuple(moves)


VERSION = "1"
SCENARIO = "rule sheet"


def as_study(setup: Setup, played: Sequence[Played], *, notes: Sequence[str] = ()) -> Study:
    """Return played games as a study.

    Parameters
    ----------
    setup
        What was played by whom.
    played
        The games, as `sessions_of` returns them.
    notes
        Lines for the study's provenance.

    Returns
    -------
    Study
        The study with its tables.

    Examples
    --------
    >>> from negstats.games.rulesheet import sheet
    >>> from negstats.simulate.rulesheet.play import sessions_of
    >>> setup = Setup.of(sheet.alternating_offers(shares=10, rounds=4), "own_payoff:refuse", name="pie")
    >>> study = as_study(setup, sessions_of(setup, games=1, seed=1))
    >>> study.offers[["proposer", "value_proposer", "value_responder", "response"]].values.tolist()[-1]
    ['a1', 9.0, 1.0, 'accepted']
    """
    return read_events(LOG, events(setup, played), build_provenance("sheet", VERSION, notes))


def write_log(path: str | Path, setup: Setup, played: Sequence[Played]) -> None:
    """Write sessions to a file, one event a line.

    Parameters
    ----------
    path
        The file.
    setup
        What was played by whom.
    played
        The games, as `sessions_of` returns them.
    """
    write_events(path, events(setup, played))


def events(setup: Setup, played: Sequence[Played]) -> Iterator[dict[str, Any]]:
    """Yield the sheet and then the events of each game, in the order in which they happened.

    Parameters
    ----------
    setup
        What was played by whom.
    played
        The games, as `sessions_of` returns them.

    Yields
    ------
    dict[str, Any]
        One event, to be written as a line of JSON.
    """
    rules, meaning = setup.sheet.rules, setup.sheet.meaning
    batna = meaning.alone()
    yield {
        "event": "sheet",
        "sheet": setup.name,
        "sha256": rules.source_sha256,
        "parameters": dict(setup.parameters),
        "roles": list(rules.roles),
        "text": setup.text,
        "values": [_present(value) for value in meaning.values()],
        **({} if batna is None else {"batna": dict(batna)}),
    }
    for game_played in played:
        yield {
            "event": "game",
            "game": game_played.game_id,
            "sheet": game_played.sheet,
            "study": STUDY,
            "scenario": SCENARIO,
            "players": dict(game_played.players),
            "factors": {f"player_{role}": name for role, name in game_played.players.items()},
        }
        for step, group in groupby(game_played.moves, key=lambda move: move.step):
            moves = list(group)
            offers = {move.role: _offer(move.offer) for move in moves if move.offer is not None}
            yield {
                "event": "step",
                "game": game_played.game_id,
                "round": step,
                "moves": {move.role: move.move for move in moves},
                "chosen_by": {move.role: move.chosen_by for move in moves},
                **({"offers": offers} if offers else {}),
            }
        payoffs = {} if game_played.points is None else {"payoffs": dict(game_played.points)}
        yield {"event": "end", "game": game_played.game_id, "ended": game_played.ended, **payoffs}


def _offer(offer: Offer) -> dict[str, Any]:
    fields: dict[str, Any] = {} if not offer.items else {"items": [_present(item) for item in offer.items]}
    for name, numbers in (("units", offer.units), ("worth", offer.worth)):
        if numbers is not None:
            fields[name] = dict(numbers)
    return fields


def _present(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}
