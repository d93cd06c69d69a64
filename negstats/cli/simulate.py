"""The command simulate: play a game of the package, or one that a rule sheet describes, and write it as a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from negstats.cli.shared import JsonOption, advancing, print_json, print_lines, print_table
from negstats.errors import SheetError, UsageError, meant, shown

if TYPE_CHECKING:
    import pandas as pd

    from negstats.studies.study import Study


PEOPLE, AGENTS = "people", "agents"  # whom the agents of Deal or No Deal meet
EASY = 0.25
LARGEST = 50_000_000  # bytes of a sheet


@dataclass(frozen=True)
class Simulated:
    """A simulated study with what is printed of it.

    Attributes
    ----------
    study : Study
        The study.
    write_log : callable
        Writes the event log to a path.
    lines : list of str
        What the study is, first without the folder that it stands in.
    tables : mapping of str to tuple
        Tables by their keys in JSON, each with its title.
    fields : mapping of str to object
        What JSON says besides.
    """

    study: Study
    write_log: Callable[[Path], None]
    lines: list[str]
    tables: Mapping[str, tuple[pd.DataFrame, str]]
    fields: Mapping[str, Any]


def simulate_contract(*, condition: str, country: str, games: int | None, seed: int) -> Simulated:
    """Simulate games of the contract game (haim2017) between agents and simulated people."""
    from negstats.games.contract import study_game
    from negstats.metrics import goal_rate
    from negstats.simulate.contract import as_study, games_of, write_log

    games = 100 if games is None else games
    games_played = games_of(condition, country, games, seed, track=advancing)
    study = as_study(games_played, notes=[f"condition {condition}, country {country}, {games} games, seed {seed}"])
    goals = goal_rate(study.players, role="customer")
    rounds = float(study.games["rounds"].mean())
    return Simulated(
        study,
        lambda path: write_log(path, study_game(), games_played),
        [f"{games} simulated games of {condition} in {country}; nobody took part", f"mean rounds: {rounds:.4g}"],
        {
            "goals": (goals, "Customers who reached a goal, with Wilson intervals"),
            "seats": (_points(study, "kind"), "Points"),
        },
        {"games": games, "rounds": rounds},
    )


def simulate_favors(*, condition: str | None, games: int | None, seed: int) -> Simulated:
    """Simulate sessions of the favor game (mell2015) between agents and simulated people, so many in a condition."""
    from negstats.metrics import favors
    from negstats.simulate.favors import SIZES, as_study, favor_cells, write_log

    usual_sizes = SIZES if condition is None else {condition: SIZES.get(condition, 100)}
    sizes = usual_sizes if games is None else dict.fromkeys(usual_sizes, games)
    favor_sessions = favor_cells(sizes, seed=seed)
    description = ", ".join(f"{size} {name}" for name, size in sizes.items())
    study = as_study(favor_sessions, notes=[f"sessions: {description}; seed {seed}"])
    tables = study.games, study.offers, study.players
    return Simulated(
        study,
        partial(write_log, sessions=favor_sessions),
        [f"{sum(sizes.values())} simulated sessions ({description}); nobody took part"],
        {
            "points": (_session_points(study), "Points of a session, negotiations 1 to 4 and 5"),
            "discovery": (
                favors.discovery_rates(*tables, "condition", pairs=[(3, 4)]),
                "Sessions by what negotiations 3 and 4 came to, with Wilson intervals",
            ),
            "acceptance": (
                favors.acceptance_by_state(*tables),
                "Accepted in negotiation 3, by the state after 2 (Table 5), with Wilson intervals",
            ),
        },
        {"sessions": sizes},
    )


def _session_points(study: Study) -> pd.DataFrame:
    import pandas as pd

    from negstats.metrics import favors

    parts = []
    for name, numbers in {"1 to 4": (1, 2, 3, 4), "5": (5,)}.items():
        points = favors.session_points(study.games, study.players, "condition", negotiations=numbers)
        means = points.groupby(["condition", "player"], sort=False)["points"].agg(n="count", mean="mean", sd="std")
        parts.append(means.reset_index().assign(negotiations=name))
    columns = ["condition", "negotiations", "player", "n", "mean", "sd"]
    return pd.concat(parts).sort_values("condition", kind="stable", ignore_index=True)[columns]


def simulate_dominance(
    *, relations: tuple[str, str], opener: str | None, lapse: float | None, games: int | None, seed: int
) -> Simulated:
    """Simulate dialogues about a restaurant between dominant, peer and submissive agents (dominance)."""
    from negstats.simulate.dominance import as_study, talks_of, write_log

    opener, talks = opener or "A", 100 if games is None else games
    if opener not in ("A", "B"):
        raise UsageError(f"--opener is {opener!r}; give A or B")
    dialogues = talks_of(*relations, talks, seed, opener="A" if opener == "A" else "B", lapse=lapse, track=advancing)
    person = "" if lapse is None else f", B lapses with chance {lapse:g}"
    description = f"{talks} talks of {' and '.join(relations)}, {opener} opens{person}"
    study = as_study(dialogues, notes=[f"{description}, seed {seed}"])
    rounds = study.games.groupby("ended")["rounds"]
    ends = rounds.agg(n="count", mean_utterances="mean", longest="max").reset_index()
    return Simulated(
        study,
        partial(write_log, played=dialogues),
        [f"{description}; nobody took part"],
        {
            "ends": (ends, "How they ended"),
            "seats": (_measure_talks(study), "Points of agreements, and what each seat said"),
        },
        {"talks": talks},
    )


def _measure_talks(study: Study) -> pd.DataFrame:
    from negstats.metrics import concessions, information_told, initiative

    seats = study.players[["game_id", "player", "points"]]
    for measured in (
        initiative(study.messages, study.players)[["game_id", "player", "initiative"]],
        information_told(study.messages, study.players),
        concessions(study.values, study.offers, study.items),
    ):
        seats = seats.merge(measured, how="left", on=["game_id", "player"])
    return seats.drop(columns="game_id").groupby("player").mean().reset_index()


def simulate_dealornodeal(
    *, easy: float | None, against: str | None, agents: Path | None, keep: Path | None, workers: int | None,
    games: int | None, seed: int,
) -> Simulated:  # fmt: skip
    """Train agents by chawla2023's design and play its study: simulated acts, not the paper's bots."""
    from negstats.papers.chawla2023.simulated import CAUTION
    from negstats.simulate import dealornodeal as sim
    from negstats.simulate.dealornodeal.study import PAIR

    easy, workers, meets = EASY if easy is None else easy, workers or 1, against or PEOPLE
    if meets not in (PEOPLE, AGENTS):
        raise UsageError(f"--against is {meets!r}; give {PEOPLE} or {AGENTS}")
    if seed < 0 or (games is not None and games < 2):
        raise UsageError(f"seed is {seed} and games {games}; a seed of at least 0 and at least 2 games are needed")
    if agents is not None and keep is not None:
        raise UsageError(f"--agents {agents} are not trained here; --keep {keep} has nothing to write")
    sits = _train(easy, seed, keep) if agents is None else sim.load_design(agents)
    if meets == PEOPLE:
        meetings = sim.agents_with_people(sits, seed, games=games, workers=workers, track=advancing)
    else:
        meetings = sim.agents_with_agents(sits, seed, games=games or PAIR, workers=workers, track=advancing)
    source = f"agents of {agents.name}" if agents is not None else f"agents trained with seed {seed}, easy {easy:g}"
    study = sim.as_study(meetings, notes=[f"{source}; dialogues with {meets}, seed {seed}"])
    groups = sim.outcomes_of(meetings).groupby(["agent", "opponent"], sort=False)
    summary = groups.agg(
        n=("own", "size"),
        agent_points=("own", "mean"),
        opponent_points=("other", "mean"),
        joint_points=("joint", "mean"),
        agreed=("agreed", "mean"),
        utterances=("length", "mean"),
    ).reset_index()
    return Simulated(
        study,
        partial(sim.write_log, meetings=meetings),
        [f"{len(study.games)} simulated dialogues; {CAUTION}, and nobody took part"],
        {"outcomes": (summary, "Means by agent and opponent; without agreement both have 0 points")},
        {"seed": seed, "note": CAUTION, "games": len(study.games)},
    )


def _train(easy: float, seed: int, keep: Path | None) -> Any:
    """Return agents that are trained with simulated people, and write them to a file if one is named."""
    import numpy as np

    from negstats.simulate import dealornodeal as sim

    people = sim.OVER_AGREEABLE.with_(easy=easy)
    learned = sim.design(people=people, rng=np.random.default_rng(seed))
    if keep is not None:
        sim.save_design(keep, learned, seed=seed, people=people)
    return {name: sim.LogLinear(agent.theta) for name, agent in learned.items()}


def simulate_sheet(*, file: Path, player: list[str] | None, games: int | None, seed: int) -> Simulated:
    """Play the game that a rule sheet describes (dejonge2016); needs the extra gdl."""
    from negstats.simulate.rulesheet import Setup, as_study, sessions_of, write_log

    games = 100 if games is None else games
    setup = Setup.of(_read_sheet(file), _read_players(player or ["random"]), name=file.stem)
    played_games = sessions_of(setup, games, seed, track=advancing)
    seats = ", ".join(f"{role} {name}" for role, name in setup.players)
    study = as_study(setup, played_games, notes=[f"sheet {file.name}, {seats}, {games} games, seed {seed}"])
    rounds = study.games.groupby("ended", sort=True)["rounds"]
    ends = rounds.agg(games="count", mean_steps="mean").reset_index()
    return Simulated(
        study,
        lambda path: write_log(path, setup, played_games),
        [f"{games} simulated games of {file.name} ({seats}); nobody took part"],
        {"ended": (ends, "How games ended"), "seats": (_points(study, "agent"), "Points")},
        {"games": games},
    )


def _read_sheet(file: Path) -> str:
    if file.stat().st_size > LARGEST:
        raise UsageError(f"{file}: has more than {LARGEST:,} bytes; that is not a rule sheet to play")
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SheetError(f"is not UTF-8 text: {error.reason} at byte {error.start}", file=file) from None


def _read_players(arguments: list[str]) -> str | dict[str, str]:
    if len(arguments) == 1 and "=" not in arguments[0]:
        return arguments[0]
    pairs = [argument.partition("=") for argument in arguments]
    for role, _, name in pairs:
        if not name:
            raise UsageError(f"--player is {shown(role)}; give ROLE=NAME for each role, or one NAME for all")
    return {role: name for role, _, name in pairs}


def _points(study: Study, by: str) -> pd.DataFrame:
    """Return the points by role and another column of the seats."""
    points = study.players.groupby(["role", by], sort=False)["points"]
    return points.agg(n="count", mean="mean", sd="std").reset_index()


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
