"""`negstats simulate dealornodeal`: train the agents of chawla2023's design and play its simulated study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from negstats.cli.shared import advancing, print_json, print_lines, print_table
from negstats.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd


PEOPLE, AGENTS = "people", "agents"  # whom the agents meet
EASY = 0.25


def simulate_dealornodeal(
    out: Path, *, easy: float | None, against: str | None, agents: Path | None, keep: Path | None, workers: int | None,
    games: int | None, seed: int, log: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Train agents by chawla2023's design and play its study: simulated acts, not the paper's bots."""
    import numpy as np

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
    people = sim.OVER_AGREEABLE.with_(easy=easy)
    trained = sim.load_design(agents) if agents is not None else None
    if trained is None:
        learned = sim.design(people=people, rng=np.random.default_rng(seed))
        if keep is not None:
            sim.save_design(keep, learned, seed=seed, people=people)
    sits = trained if trained is not None else {name: sim.LogLinear(one.theta) for name, one in learned.items()}
    if meets == PEOPLE:
        meetings = sim.agents_with_people(sits, seed, games=games, workers=workers, track=advancing)
    else:
        meetings = sim.agents_with_agents(sits, seed, games=games or PAIR, workers=workers, track=advancing)
    source = f"agents of {agents.name}" if agents is not None else f"agents trained with seed {seed}, easy {easy:g}"
    study = sim.as_study(meetings, notes=[f"{source}; dialogues with {meets}, seed {seed}"])
    study.save(out)
    if log is not None:
        sim.write_log(log, meetings)
    summary = _summary(sim.outcomes_of(meetings))
    if as_json:
        paths = {"study": str(out), "log": None if log is None else str(log), "seed": seed, "note": CAUTION}
        print_json({**paths, "games": len(study.games), "outcomes": summary.to_dict("records")})
        return
    print_lines([f"{out}: {len(study.games)} simulated dialogues; {CAUTION}, and nobody took part", ""])
    print_table(summary, "Means by agent and opponent; without agreement both have 0 points")


def _summary(outcomes: pd.DataFrame) -> pd.DataFrame:
    groups = outcomes.groupby(["agent", "opponent"], sort=False)
    return groups.agg(
        n=("own", "size"),
        agent_points=("own", "mean"),
        opponent_points=("other", "mean"),
        joint_points=("joint", "mean"),
        agreed=("agreed", "mean"),
        utterances=("length", "mean"),
    ).reset_index()
