"""The command for a tournament of agents: payoffs, ranking, equilibria, best responses, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from negstats.cli.shared import (
    JsonOption,
    MapOption,
    StudyPath,
    drawn,
    print_json,
    print_left_out,
    print_lines,
    print_table,
    study_at,
    write_csv,
)
from negstats.sanitize import counted, first_few, line

if TYPE_CHECKING:
    import pandas as pd

    from negstats.estimate import Tournament

NAMED = 3  # pairings without a game that are named
SHOWN = 0.05  # share of draws from which on a best response is printed


def tournament(
    study: StudyPath,
    value: Annotated[
        str, typer.Option(help="Measure of success: a numeric measure of seats, or gain (points above the BATNA).")
    ] = "points",
    by_role: Annotated[bool, typer.Option("--by-role", help="Analyse the two roles separately.")] = False,
    strategy: Annotated[
        list[str] | None, typer.Option(help="Strategy to include; may be repeated. By default all.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Column of games to resample as a whole; scenario if there are several.")
    ] = None,
    n_resamples: Annotated[int, typer.Option(help="Draws of the bootstrap; 0 for none.")] = 9999,
    seed: Annotated[int, typer.Option(help="The same seed gives the same intervals.")] = 1,
    csv: Annotated[Path | None, typer.Option(help="Write the payoffs as CSV.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the payoffs to this .png, .svg or .pdf file.")] = None,
    print_all: Annotated[
        bool, typer.Option("--all", help="Also print the rankings by regret, elimination and Nash averages.")
    ] = False,
    mapping: MapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Analyse a tournament of agents: payoffs, ranking, equilibria."""
    from negstats.estimate import tournament as estimated

    estimate = estimated(
        study_at(study, mapping).tables, value=value, by_role=by_role, strategies=strategy or None, cluster=cluster,
        seed=seed, n_resamples=n_resamples,
    )  # fmt: skip
    write_csv(estimate.payoffs(), csv)
    in_json, in_lines = drawn(figure, lambda file: _draw_payoffs(estimate, value, file))
    if as_json:
        print_json({**estimate.to_dict(), **in_json})
        return
    _print_tables(estimate, print_all=print_all)
    print_lines([*estimate.lines(), *in_lines])
    print_left_out(dict(estimate.left_out), [])


def _draw_payoffs(estimate: Tournament, value: str, file: Path) -> None:
    from negstats.plots import payoff_heat_map, save_figure
    from negstats.plots.heatmap import MOST_INTERVALS
    from negstats.plots.style import caption_below, captions_apart

    caption = f"{estimate.games} games"
    if len(estimate.opponents) <= MOST_INTERVALS:
        caption += f"; {100 * estimate.confidence_level:g}% bootstrap intervals over {estimate.cluster}"
    with captions_apart():
        axes = payoff_heat_map(estimate.payoffs(), label=f"payoff of the row ({value})", caption=caption)
    caption_below(axes)
    save_figure(axes, file)


def _print_payoffs(estimate: Tournament) -> None:
    """Print the mean payoffs as a matrix, a row a strategy and a column an opponent; of two roles a matrix each."""
    import pandas as pd

    where = f"{estimate.games} games, {estimate.n_clusters} levels of {estimate.cluster}"
    title = f"Payoffs ({estimate.value}) of the row against the column: {where}"
    means = {title: estimate.means} | ({"Payoffs of the column": estimate.opponent_means} if estimate.roles else {})
    rows, columns = (list(map(str, names)) for names in (estimate.strategies, estimate.opponents))
    if rows == columns:  # the names are long, and stand at the rows already
        rows = [f"{place} {name}" for place, name in enumerate(rows, 1)]
        columns = [str(place) for place in range(1, len(columns) + 1)]
    for heading, values in means.items():
        print_table(pd.DataFrame(values, rows, columns).rename_axis("strategy").reset_index(), heading)


def _columns_of(ranking: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return the named numbers of a ranking, each with its interval in one column, so that a row fits a terminal."""
    table = ranking[[name for name in ("role", "strategy") if name in ranking]].copy()
    for name in names:
        ends = ("low", "high") if name == "score" else (f"{name}_low", f"{name}_high")
        if name in ranking and ranking[name].notna().any():
            table[name] = ranking[name]
        if set(ends) <= set(ranking) and ranking[ends[0]].notna().any():
            pairs = zip(*(ranking[end] for end in ends), strict=True)
            table[f"{name} interval"] = [f"[{low:.3g}, {high:.3g}]".replace("-", "−") for low, high in pairs]
    return table


def _print_tables(estimate: Tournament, *, print_all: bool) -> None:
    """Print payoffs, ranking and, where every pairing was played, equilibria and best responses."""
    if len({*estimate.strategies, *estimate.opponents}) == 1:
        name, games = line(str(estimate.strategies[0])), counted(estimate.games, "game")
        print_lines([f"one strategy, {name}, in {games}: there is no other to compare it with", ""])
        return
    _print_payoffs(estimate)
    ranking = estimate.ranking()
    level = f"with {100 * estimate.confidence_level:g}% intervals"
    print_table(_columns_of(ranking, ("score", "rank", "best")), f"Ranking by the mean over opponents, {level}")
    if print_all and "regret" in ranking:
        print_table(_columns_of(ranking, ("regret", "elimination")), f"The same by regret and elimination, {level}")
        print_table(_columns_of(ranking, ("nash_share", "nash_rating")), f"The same by Nash averages, {level}")
    elif "regret" in ranking:
        print_lines(["with --all also by regret, elimination and Nash averages", ""])
    if estimate.missing:
        names = [f"{line(str(agent))} against {line(str(partner))}" for agent, partner in estimate.missing]
        print_lines([f"never played: {first_few(names, NAMED, '; ')}", ""])
        return
    print_table(estimate.equilibria(), "Equilibria" if estimate.roles else "Symmetric equilibria")
    responses = estimate.best_responses()
    visible = responses[responses["best"] | (responses["share"] >= SHOWN)]
    print_table(visible, f"Best responses (end) to each strategy (start), in {SHOWN:.0%} of draws or more")
