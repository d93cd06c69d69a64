"""The contract game's commands: simulate a study, estimate what agents need from one, print an agent's offer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from negstats.cli._shared import (
    JsonOption,
    MapOption,
    StudyPath,
    advancing,
    drawn,
    print_json,
    print_lines,
    print_table,
    study_at,
)
from negstats.errors import NotEstimable, UsageError, shown

if TYPE_CHECKING:
    import pandas as pd

    from negstats.estimate import Acceptance
    from negstats.study import Study

__all__ = ["offer", "simulate_contract", "threshold"]


def simulate_contract(
    condition: Annotated[str, typer.Option(help="HvsH, HvsCS-A, HvsSP-A, HvsSP-RAP or HvsSP-RAPD.")],
    country: Annotated[str, typer.Option(help="Whose parameters the simulated people have: China, Israel or USA.")],
    out: Annotated[Path, typer.Option(help="Folder to write the study to.", show_default=False)],
    games: Annotated[int, typer.Option(help="How many games.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same study.")] = 1,
    log: Annotated[Optional[Path], typer.Option(help="Write an event log (.jsonl) too.", show_default=False)] = None,  # noqa: UP045
    workers: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="Processes that play; they change nothing but the time.", show_default="all cores"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate games of the contract game (haim2017) between agents and made-up people."""
    from negstats.games.contract import study_game
    from negstats.metrics import goal_rate
    from negstats.simulate.contract import as_study, games_of, write_log

    played = games_of(condition, country, games, seed, workers=workers or os.cpu_count() or 1, track=advancing)
    study = as_study(played, notes=[f"condition {condition}, country {country}, {games} games, seed {seed}"])
    study.save(out)
    if log is not None:
        write_log(log, study_game(), played)
    goals, seats = goal_rate(study.players, role="customer"), _points(study)
    rounds = float(study.games["rounds"].mean())
    if as_json:
        found = {"games": games, "rounds": rounds, "goals": goals.to_dict("records"), "seats": seats.to_dict("records")}
        print_json({"study": str(out), "log": None if log is None else str(log), **found})
        return
    print_lines([f"{out}: {games} simulated games of {condition} in {country}; nobody took part"])
    print_lines([f"mean rounds: {rounds:.4g}", ""])
    print_table(goals, "Customers who reached a goal, with Wilson intervals")
    print_table(seats, "Points")


def threshold(
    study: StudyPath,
    role: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="Whose offers are looked at; needed where several roles offer.", show_default="provider_y, or the one"
        ),
    ] = None,
    by: Annotated[Optional[str], typer.Option(help="Factor to split by, such as country.")] = None,  # noqa: UP045
    points_per_unit: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="What a unit scores where units change hands.", show_default="the study's own values"),
    ] = None,
    support: Annotated[int, typer.Option(help="How many accepted offers a threshold must rest on.")] = 3,
    draws: Annotated[int, typer.Option(help="Draws of the bootstrap.")] = 2000,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 1,
    figure: Annotated[Optional[Path], typer.Option(help="Draw to this .png, .svg or .pdf file.")] = None,  # noqa: UP045
    mapping: MapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Estimate from human-only games from which benefit offers are accepted, and pr where the study has goals."""
    from negstats.estimate.groups import acceptance, goals

    loaded = study_at(study, mapping)
    if by is not None and by not in loaded.factors:
        raise UsageError(f"--by names {shown(by)}, which is no factor; the study has {', '.join(loaded.factors)}")
    reached = goals(loaded.tables, by)
    found = acceptance(
        loaded.tables, by, seed=seed, role=role, points_per_unit=points_per_unit, support=support, draws=draws
    )
    in_json, in_lines = drawn(figure, lambda file: _draw(found, file))
    if as_json:
        told = {"role": found[0].threshold.role, "by": by, "pr": reached.to_dict("records")}
        print_json({**told, "acceptance": [part.to_dict() for part in found], **in_json})
        return
    if len(reached):
        print_table(reached, "pr: customers of human-only games who reached a goal, with Wilson intervals")
    for part in found:
        print_lines([part.caption, *(f"  {line}" for line in [*_threshold_lines(part), *_curve_lines(part)]), ""])
    print_lines(in_lines)


def offer(
    pr: Annotated[float, typer.Option(help="Chance that a customer reaches the goal.", show_default=False)],
    alpha: Annotated[float, typer.Option(help="Risk aversion, a point; 0 is none.", show_default=False)],
    benefit: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(
            help="SP-RAPD: the customer's benefit, in points, instead of the equilibrium's.", show_default=False
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print what SP-RAP (with --benefit SP-RAPD) offers first on the board of haim2017."""
    from negstats.games.contract import benefit as gain
    from negstats.games.contract import study_game
    from negstats.simulate.contract.sp_rap import sp_rap
    from negstats.simulate.contract.sp_rapd import sp_rapd

    game, seat = study_game(), 2
    agent = (
        sp_rap(game, seat, pr=pr, alpha=alpha)
        if benefit is None
        else sp_rapd(game, seat, pr=pr, alpha=alpha, benefit=benefit)
    )
    made = agent.offer(game.start)
    if made is None:
        raise NotEstimable(f"with pr {pr:g} and alpha {alpha:g} no offer is worth more to the provider than none")
    gives = {colour: count for colour, count in zip(game.colours, made.to_customer, strict=True) if count}
    asks = {colour: count for colour, count in zip(game.colours, made.to_provider, strict=True) if count}
    points = gain(made, 0, game.chip_points)
    if as_json:
        print_json({"pr": pr, "alpha": alpha, "gives": gives, "asks": asks, "benefit": points})
        return
    print_lines(
        [
            f"SP_y gives {sum(gives.values())} chips ({_chips(gives)}) for {sum(asks.values())} ({_chips(asks)})",
            f"benefit to the customer: {points} points",
        ]
    )


def _chips(chips: dict[str, int]) -> str:
    return ", ".join(f"{count} {colour}" for colour, count in chips.items())


def _points(study: Study) -> pd.DataFrame:
    points = study.players.groupby(["role", "kind"], sort=False)["points"]
    return points.agg(n="count", mean="mean", sd="std").reset_index()


def _draw(found: list[Acceptance], figure: Path) -> None:
    import matplotlib.pyplot as plt

    from negstats.plots import acceptance_curve, save_figure

    curves = [part for part in found if part.fitted is not None]
    if not curves:
        raise NotEstimable("; ".join(dict.fromkeys(str(part.no_curve) for part in found)))
    _, axes = plt.subplots(len(curves), squeeze=False, figsize=(6.4, 3.8 * len(curves)), layout="constrained")
    for part, ax in zip(curves, axes[:, 0], strict=True):
        acceptance_curve(part, ax=ax)
    save_figure(axes[0, 0], figure)


def _threshold_lines(part: Acceptance) -> list[str]:
    found, unit = part.threshold, part.threshold.unit
    lines = [f"{found.n} decisions in {found.games} games, {found.accepted} accepted; benefit in {unit}"]
    lines.append(f"acceptance threshold: {_number(part.threshold_at, unit, 'not estimable')}")
    lines.append(
        f"  condition 1, all offers from there on accepted: {_number(found.answered_always, unit, 'not estimable')}"
    )
    if found.rivals:
        least = _number(found.as_generous, unit, "no offers")
        lines.append(f"  condition 2, as generous as the rival's mean offer: {least}")
    if found.bracket is not None and found.bracket.low is not None:
        low, high, level = found.bracket.low, found.bracket.high, found.bracket.level
        lines.append(f"  if it is sharp, {level:.0%} CI [{low:.4g}, {high:.4g}]")
    reason = found.why_not or (found.bracket and found.bracket.reason)
    return [*lines, f"  {reason}"] if reason else lines


def _number(value: float | None, unit: str, otherwise: str) -> str:
    return otherwise if value is None else f"{value:.4g} {unit}"


def _curve_lines(part: Acceptance) -> list[str]:
    if part.fitted is None:
        return [f"acceptance curve: {part.no_curve}"]
    lines = []
    for point in part.fitted.points:
        bounded = (
            f"{point.level:.0%} CI [{point.low:.4g}, {point.high:.4g}]" if point.low is not None else "no interval"
        )
        lines.append(
            f"{point.share:.0%} accept a benefit of {point.benefit:.4g} {part.fitted.unit}, {bounded}"
            f" (isotonic: {_number(point.isotonic, part.fitted.unit, 'never')})"
        )
    return lines
