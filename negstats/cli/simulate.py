"""The command simulate: play a game of the package, or one that a rule sheet describes, and write it as a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from negstats.cli.shared import JsonOption, print_json, print_lines, print_table
from negstats.cli.simulated_games import (
    Simulated,
    simulate_contract,
    simulate_dealornodeal,
    simulate_dominance,
    simulate_favors,
    simulate_sheet,
)
from negstats.errors import UsageError, meant, shown

# What is played, by what, which options it takes, and which of them it needs.
GAMES: Mapping[str, tuple[Callable[..., Simulated], tuple[str, ...], tuple[str, ...]]] = {
    "contract": (simulate_contract, ("condition", "country"), ("condition", "country")),
    "favors": (simulate_favors, ("condition",), ()),
    "dominance": (simulate_dominance, ("relations", "opener", "lapse"), ("relations",)),
    "dealornodeal": (simulate_dealornodeal, ("easy", "against", "agents", "keep", "workers"), ()),
}
SHEET = ("player",)  # options of a rule sheet
DOMINANCE, DEALS, RULES = "Options of dominance", "Options of dealornodeal", "Options of a rule sheet"


def simulate(
    game: Annotated[str, typer.Argument(help=f"{', '.join(GAMES)}, or the file of a rule sheet (KIF).")],
    out: Annotated[Path, typer.Option(help="Folder to write the study to.")],
    games: Annotated[
        int | None,
        typer.Option(
            help="Number of games; favors, dealornodeal: of each cell.", show_default="100, or as in the paper"
        ),
    ] = None,
    condition: Annotated[
        str | None,
        typer.Option(
            help="contract: HvsH, HvsCS-A, HvsSP-A, HvsSP-RAP or HvsSP-RAPD. favors: an agent, such as betraying."
        ),
    ] = None,
    country: Annotated[str | None, typer.Option(help="contract: China, Israel or USA.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same study.")] = 1,
    log: Annotated[Path | None, typer.Option(help="Also write an event log (.jsonl).")] = None,
    relations: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="Relation of A to B, of B to A: dominant, peer, submissive.",
            metavar="A B",
            rich_help_panel=DOMINANCE,
        ),
    ] = None,
    opener: Annotated[
        str | None,
        typer.Option(help="The seat that speaks first, A or B.", show_default="A", rich_help_panel=DOMINANCE),
    ] = None,
    lapse: Annotated[
        float | None,
        typer.Option(
            help="Probability that B, a person, errs (says the second-best).",
            rich_help_panel=DOMINANCE,
        ),
    ] = None,
    easy: Annotated[
        float | None,
        typer.Option(help="How easily people agree, 0 to 1.", show_default="0.25", rich_help_panel=DEALS),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(help="Agents meet people or agents.", show_default="people", rich_help_panel=DEALS),
    ] = None,
    agents: Annotated[
        Path | None,
        typer.Option(help="Trained agents that --keep wrote; skips training.", rich_help_panel=DEALS),
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Write the trained agents to this .toml file.", rich_help_panel=DEALS)
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Number of processes.", show_default="1", rich_help_panel=DEALS)
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            help="ROLE=NAME, or NAME: random, own_payoff[:ties], depth[:steps], guaranteed, negotiator[:e], "
            "hidden[:e], or monte_carlo, uct, bids, flat_bids with :1000 (playouts) or :0.5s (a move).",
            show_default="random",
            rich_help_panel=RULES,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play simulated games and write them as a study."""
    options: dict[str, Any] = {
        "condition": condition, "country": country, "relations": relations, "opener": opener, "lapse": lapse,
        "easy": easy, "against": against, "agents": agents, "keep": keep, "workers": workers, "player": player,
    }  # fmt: skip
    if game in GAMES:
        play, takes, needs = GAMES[game]
        own: dict[str, Any] = {}
    elif Path(game).is_file():
        play, takes, needs, own = simulate_sheet, SHEET, (), {"file": Path(game)}
    else:
        raise UsageError(
            f"no game is called {shown(game)}, and there is no rule sheet at this path; {meant(game, GAMES)}"
        )
    lacking = [name for name in needs if options[name] is None]
    if lacking:
        raise UsageError(f"{game} needs {' and '.join(f'--{name}' for name in lacking)}")
    wrong = next((name for name, value in options.items() if value is not None and name not in takes), None)
    if wrong is not None:
        others = ", ".join(f"--{name}" for name in (*takes, "games", "seed", "log"))
        raise UsageError(f"--{wrong} is not for {game}, which takes {others}")
    simulated = play(**own, **{name: options[name] for name in takes}, games=games, seed=seed)
    simulated.study.save(out)
    if log is not None:
        simulated.write_log(log)
    if as_json:
        records = {name: table.to_dict("records") for name, (table, _) in simulated.tables.items()}
        print_json({"study": str(out), "log": None if log is None else str(log), **simulated.fields, **records})
        return
    print_lines([f"{out}: {simulated.lines[0]}", *simulated.lines[1:], ""])
    for table, title in simulated.tables.values():
        print_table(table, title)
