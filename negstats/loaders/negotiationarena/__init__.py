"""NegotiationArena: two language models buy and sell, or split a sum (data card below).

Source
    F. Bianchi, P. J. Chia, M. Yuksekgonul, J. Tagliabue, D. Jurafsky, J. Zou: How Well Can LLMs Negotiate?
    NegotiationArena Platform and Analysis, ICML 2024; github.com/vinid/NegotiationArena (MIT by its README's badge).
Known by
    ``game_state.json`` with the keys ``class``, ``game_state`` and ``players``; one folder a game.
Game
    One file: ``run_epoch_time_ms``, which is also ``started_at``. ``scenario`` is the class of the game. Factors:
    ``condition`` (last part of ``log_dir``; the rest of the path is dropped), ``iterations``, and for each seat model,
    temperature, tokens and social behaviour: ``model_red``, ``behaviour_blue``, ...
Player
    RED and BLUE, agents: seller and buyer by their goals, proposer and responder in an ultimatum game.
Offer
    A turn with a trade. What RED gives goes to BLUE and the reverse. To sell at a price is worth price - cost to the
    seller and willingness to pay - price to the buyer; in the ultimatum game a share is worth what it is, in units too.
Message
    A turn: its message, with the act accept, reject or propose.
Values
    A unit of the good is worth its cost, or the willingness to pay; the currency ZUP is worth 1.
Points
    The file's outcome for an accepted trade, compared with the trade's worth. 0 for both where the trade is rejected.
Ended
    ACCEPT is ``agreement``, REJECT ``walkaway``, NONE ``timeout``; a game without an END is ``disconnect``.

Traps, and what is done about them
    Keys changed between versions: shapes are told apart by the keys that are there. Values are wrapped in ``_type`` and
    ``_value``, up to three deep. START and END are entries among the turns; iterations and turns are numbers or text.
    After REJECT and NONE the file shows the endowment (10 and 0) as the outcome: by the printed rules a rejection
    leaves both with 0; for NONE the rules are silent, so points are missing. Whoever accepts repeats no trade; an
    acceptance before any trade accepts nothing. Names copied from the prompt (``item1``) are not resource of the game:
    left out where their quantity is 0. ``player_state`` repeats the whole talk in each turn; reasons and complete
    answers are private: dropped. ``interaction.log`` is the same talk as text.
"""

from __future__ import annotations

from pathlib import Path

from negstats.errors import LogError
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.objects import json_object
from negstats.loaders.files.parallel import WORKERS, each
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.sniff import ALL_FILES, first_files, head
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.loaders.negotiationarena.game import Game, add_game, game_of, notes_on
from negstats.studies.study import Study

__all__ = ["FORMAT"]

VERSION = "1"
NAME = "game_state.json"
_TRANSCRIPT = "interaction.log"


def _matches(path: Path) -> Evidence | None:
    log_files = (file for file in first_files(path, ".json", most=2000, deep=True) if file.name == NAME or file == path)
    for file in list(log_files)[:20]:
        start = head(file)
        if b'"class"' in start and b'"players"' in start and b'"run_epoch_time_ms"' in start:
            return Evidence(SIGNATURE, f"{file.name} has the keys class, players and run_epoch_time_ms", (file,))
    return None


def _game(file: Path, intake: Intake) -> Game:
    data = intake.read(file)
    game = game_of(json_object(data, file), file)
    intake.add(file, data, len(game.turns))
    return game


def _read(path: Path, track: Track, *, workers: int = 1) -> Study:
    intake, rows = Intake(path), Gathered()
    files = [path] if path.is_file() else []
    for file in first_files(path, most=ALL_FILES, deep=True) if path.is_dir() else []:
        if file.name == NAME:
            files.append(file)
        elif file.name == _TRANSCRIPT:
            intake.leave_out(file, 0, f"a transcript of {NAME}")
        else:
            intake.leave_out(file, 0, "no log of NegotiationArena")
    if not files:
        raise LogError(f"holds no {NAME}", file=path)
    games: dict[str, Game] = {}
    for game in each(intake, files, _game, track, workers):
        if game.name in games:
            raise LogError(f"is a second log of game {game.name}; the first is {games[game.name].file}", file=game.file)
        games[game.name] = game
        add_game(game, rows)
    intake.notes += notes_on(list(games.values()))
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


FORMAT = Format(
    "negotiationarena",
    "NegotiationArena: folders with game_state.json (language models that trade, or split a sum)",
    _matches,
    _read,
    {"workers": WORKERS},
    roles={"iterations": "setting"}
    | {f"{what}_{seat}": "setting" for what in ("temperature", "max_tokens") for seat in ("red", "blue")},
)
