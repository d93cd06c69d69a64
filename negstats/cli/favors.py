"""The favor game's command: simulate a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from negstats.cli.shared import JsonOption, print_json, print_lines, print_table

if TYPE_CHECKING:
    import pandas as pd

    from negstats.studies.study import Study


def simulate_favors(
    out: Annotated[Path, typer.Option(help="Folder to write the study to.", show_default=False)],
    condition: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="favor-seeking, betraying, cooperative, competitive; conditional, grim, forgiving, credit, random.",
            show_default="the four of mell2015",
        ),
    ] = None,
    sessions: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(help="How many people in each condition.", show_default="as many as in mell2015, else 100"),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same study.")] = 1,
    log: Annotated[Optional[Path], typer.Option(help="Write an event log (.jsonl) too.", show_default=False)] = None,  # noqa: UP045
    as_json: JsonOption = False,
) -> None:
    """Simulate sessions of the favor game (mell2015) between agents and simulated people."""
    from negstats.simulate.favors import SIZES, as_study, favor_cells, write_log

    usual_sizes = SIZES if condition is None else {condition: SIZES.get(condition, 100)}
    sizes = usual_sizes if sessions is None else dict.fromkeys(usual_sizes, sessions)
    favor_sessions = favor_cells(sizes, seed=seed)
    description = ", ".join(f"{size} {name}" for name, size in sizes.items())
    study = as_study(favor_sessions, notes=[f"sessions: {description}; seed {seed}"])
    study.save(out)
    if log is not None:
        write_log(log, favor_sessions)
    results = _measured(study)
    if as_json:
        records = {name: table.to_dict("records") for name, table in results.items()}
        print_json({"study": str(out), "log": None if log is None else str(log), "sessions": sizes, **records})
        return
    print_lines([f"{out}: {sum(sizes.values())} simulated sessions ({description}); nobody took part", ""])
    print_table(results["points"], "Points of a session, negotiations 1 to 4 and 5")
    print_table(results["discovery"], "Sessions by what negotiations 3 and 4 came to, with Wilson intervals")
    print_table(
        results["acceptance"], "Accepted in negotiation 3, by the state after 2 (Table 5), with Wilson intervals"
    )


def _measured(study: Study) -> dict[str, pd.DataFrame]:
    import pandas as pd

    from negstats.metrics import favors

    tables = study.games, study.offers, study.players
    parts = []
    for name, numbers in {"1 to 4": (1, 2, 3, 4), "5": (5,)}.items():
        points = favors.session_points(study.games, study.players, "condition", negotiations=numbers)
        means = points.groupby(["condition", "player"], sort=False)["points"].agg(n="count", mean="mean", sd="std")
        parts.append(means.reset_index().assign(negotiations=name))
    columns = ["condition", "negotiations", "player", "n", "mean", "sd"]
    return {
        "points": pd.concat(parts).sort_values("condition", kind="stable", ignore_index=True)[columns],
        "discovery": favors.discovery_rates(*tables, "condition", pairs=[(3, 4)]),
        "acceptance": favors.acceptance_by_state(*tables),
    }
