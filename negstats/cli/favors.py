"""`negstats simulate favors`: a study of the favor game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from negstats.cli.shared import print_json, print_lines, print_table

if TYPE_CHECKING:
    import pandas as pd

    from negstats.studies.study import Study


def simulate_favors(
    out: Path, *, condition: str | None, games: int | None, seed: int, log: Path | None, as_json: bool
) -> None:
    """Simulate sessions of the favor game (mell2015) between agents and simulated people, so many in a condition."""
    from negstats.simulate.favors import SIZES, as_study, favor_cells, write_log

    usual_sizes = SIZES if condition is None else {condition: SIZES.get(condition, 100)}
    sizes = usual_sizes if games is None else dict.fromkeys(usual_sizes, games)
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
