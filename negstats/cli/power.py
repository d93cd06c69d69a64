"""The command that answers how many units a plan needs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from negstats.cli.shared import JsonOption, drawn, print_json, print_lines, print_text, tracked, write_csv
from negstats.errors import UsageError

if TYPE_CHECKING:
    from negstats.analysis.power.planned import PlannedPower
    from negstats.stats.power import SampleSize


def power(
    plan: Annotated[Path | None, typer.Argument(help="The plan (plan.toml); omitted with --pairs or --people.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write one row for each question, term and size as CSV.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw power over n to this file (.svg, .png or .pdf).")] = None,
    pairs: Annotated[bool, typer.Option("--pairs", help="How many pairs do I need? Needs --effect and --icc.")] = False,
    people: Annotated[
        bool, typer.Option("--people", help="How many people who decide repeatedly? Needs --effect, --sd, --decisions.")
    ] = False,
    effect: Annotated[
        float | None, typer.Option(help="Expected difference: in SDs of persons (--pairs) or in log odds (--people).")
    ] = None,
    icc: Annotated[
        float | None, typer.Option(help="Correlation within a pair; negative where its members compete.")
    ] = None,
    sd: Annotated[float | None, typer.Option(help="SD of people's log odds.")] = None,
    decisions: Annotated[int | None, typer.Option(help="Decisions of each person.")] = None,
    within: Annotated[
        bool, typer.Option("--within", help="The difference is within pairs (roles) or within people.")
    ] = False,
    wished: Annotated[float, typer.Option("--power", help="Power to reach.")] = 0.8,
    seed: Annotated[int, typer.Option(help="Seed of the simulated studies.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Print the power of a plan, and the sample size that it needs."""
    if pairs or people:
        _answer_size(pairs, people, plan, effect, icc, sd, decisions, wished, seed, is_within=within, as_json=as_json)
        return
    if plan is None:
        raise UsageError("give a plan (plan.toml), or --pairs or --people with the expected effect")
    from negstats.analysis.plan.parse import read
    from negstats.analysis.power.planned import planned_power

    result = planned_power(read(plan), track=partial(tracked, doing="simulating"))
    write_csv(result.curve, csv)
    in_json, in_lines = drawn(figure, lambda file: _draw(result, file))
    if as_json:
        rows = {"curve": result.curve.to_dict("records"), "needed": result.needed.to_dict("records")}
        print_json({**rows, "not_computed": dict(result.refused), "studies": result.n_simulations, **in_json})
        return
    print_text(result.text())
    print_lines([f"[…]: Monte Carlo interval of {result.n_simulations:,} simulated studies a size"])
    print_lines(in_lines)


def _find_number_of_pairs(
    effect: float | None, icc: float | None, varies: Literal["between", "within"], wished: float
) -> tuple[SampleSize, str]:
    """Return the number of pairs that reach a power, and the sentence that says it."""
    from negstats.stats.power import dyad_sample_size

    if effect is None or icc is None:
        raise UsageError("--pairs needs --effect (in SDs of a person) and --icc (the correlation of a pair)")
    result = dyad_sample_size(effect=effect, icc=icc, predictor=varies, power=wished)
    needed = f"{result.n[0]} pairs in each of two conditions: {result.total} pairs, {2 * result.total} people"
    if varies == "within":  # each pair has both roles, and no condition need be there
        needed = f"{result.total} pairs, {2 * result.total} people"
    sentence = (
        f"You need {needed} (power {result.power:.3f} at α = {result.alpha:g}; a difference of {effect:g} SD "
        f"{varies} pairs, correlation {icc:g})."
    )
    return result, sentence


def _find_number_of_people(
    effect: float | None,
    sd: float | None,
    decisions: int | None,
    varies: Literal["between", "within"],
    wished: float,
    seed: int,
) -> tuple[SampleSize, str]:
    """Return the number of people who reach a power, by simulated studies, and the sentence that says it."""
    import numpy as np

    from negstats.stats.power import mixed_sample_size

    if effect is None or sd is None or decisions is None:
        raise UsageError("--people needs --effect (log odds), --sd (of people's log odds) and --decisions (of each)")
    result = mixed_sample_size(
        effect=effect, sd=sd, decisions=decisions, varies=varies, power=wished, rng=np.random.default_rng(seed)
    )
    low, high = float(np.asarray(result.power_interval.low)), float(np.asarray(result.power_interval.high))
    who = "half of them in each condition" if varies == "between" else "each in both conditions"
    sentence = (
        f"You need {result.total} people, {who}, with {decisions} decisions each (power {result.power:.2f} "
        f"[{low:.2f}, {high:.2f}] of {result.n_simulations:,} simulated studies at α = {result.alpha:g}; a "
        f"difference of {effect:g} log odds {varies} people, whose SD is {sd:g})."
    )
    return result, sentence


def _answer_size(
    pairs: bool,
    people: bool,
    plan: Path | None,
    effect: float | None,
    icc: float | None,
    sd: float | None,
    decisions: int | None,
    wished: float,
    seed: int,
    *,
    is_within: bool,
    as_json: bool,
) -> None:
    """Print how many pairs, or people, reach a power."""
    if pairs == people or plan is not None:
        raise UsageError("give one of the plan, --pairs and --people")
    varies: Literal["between", "within"] = "within" if is_within else "between"
    if pairs:
        result, sentence = _find_number_of_pairs(effect, icc, varies, wished)
    else:
        result, sentence = _find_number_of_people(effect, sd, decisions, varies, wished, seed)
    if as_json:
        print_json(
            {
                "n": [*result.n],
                "total": result.total,
                "power": result.power,
                "target": result.target,
                "alpha": result.alpha,
                "sentence": sentence,
            }
        )
        return
    print_lines([sentence])


def _draw(result: PlannedPower, file: Path) -> None:
    from negstats.plots import curves, save_figure

    wished = float(result.needed["wished"].iloc[0])
    table = result.curve.assign(question=(result.curve["question"] + " " + result.curve["term"]).str.strip())
    ax = curves(
        table,
        x="n",
        y="power",
        by="question",
        low="low",
        high="high",
        labels=("units in the smallest cell", "power"),
        bars_name=f"95% Monte Carlo intervals of {result.n_simulations:,} simulated studies",
        caption=f"Power at α = {result.alpha:g}; dashed: the wished power of {wished:g}",
    )
    ax.axhline(wished, color="0.5", linestyle="--", linewidth=1)
    ax.set_ylim(0, 1.02)
    save_figure(ax, file)
