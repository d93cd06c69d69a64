"""What a person waits for, in the processors' time, beside what that person would do instead, both in turn.

The tenth, a thousand papers, stands with the hostile texts of the audit (`test_audit_speed.py`).
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
import statsmodels.formula.api as smf
from pytest_benchmark.fixture import BenchmarkFixture
from scipy import special, stats

from negstats.analysis import compare
from negstats.loaders.mapping import read, read_mapping
from negstats.stats.means.anova import anova
from negstats.stats.means.design import hypothesis
from negstats.stats.models.mixed import mixed
from negstats.stats.power import normal_design, simulated_power
from negstats.stats.power.simulate import simulated_p
from negstats.stats.resampling import permutation_test
from negstats.studies import Provenance, Study
from negstats.tables import conform
from tests.benchmarks.peers import best, growth, once, ratio, record_ratio
from tests.conftest import ROOT

Array = npt.NDArray[np.float64]

# The main job: from a saved study to the sentence of a paper.
BY_HAND = """
import pandas, pingouin
games, players = (pandas.read_parquet(f"datasets/robot/study/{name}.parquet") for name in ("games", "players"))
agents = players[players["kind"] == "agent"].merge(games[["game_id", "condition"]], on="game_id")
people = players[players["kind"] == "human"][["game_id", "participant_id"]]
rows = agents.drop(columns="participant_id").merge(people, on="game_id")
wide = rows.pivot_table(index="participant_id", columns="condition", values="points").dropna()
test = pingouin.ttest(wide["CL"], wide["FC"], paired=True).iloc[0]
print(f"CL (M = {wide['CL'].mean():.3f}, SD = {wide['CL'].std():.3f}), FC (M = {wide['FC'].mean():.3f}, "
      f"SD = {wide['FC'].std():.3f}), t({test.iloc[1]:.0f}) = {test.iloc[0]:.2f}")
"""
JOB = ["-m", "negstats", "compare", "datasets/robot/study", "points", "--by", "condition", "--who", "agent"]

# What a command cannot do without. Typer imports the rest of itself when it reads an option.
READING = "def bare(number: float = 1.0) -> None: ...\ntyper.run(bare)"
STUDY = "import typer, pandas, polars, narwhals, pyarrow.parquet, rich.console"
COMMANDS = {
    "threshold": (["threshold", "--pr", ".5", "--alpha", ".01"], "import typer", 1.5),
    "describe": (["describe", "datasets/robot/study"], STUDY, 1.4),
    "compare": (
        ["compare", "datasets/robot/study", "points", "--by", "condition", "--paired", "--who", "agent"],
        f"{STUDY}, scipy.special",
        1.4,
    ),
    "reproduce": (["reproduce"], "import typer, pandas, narwhals, scipy.special, scipy.optimize", 2.0),
}

# What a report of a study cannot do without: its libraries, and as many figures of marks and lines in three formats.
BARE_REPORT = f"""
{STUDY}, scipy.special, docx, jinja2, lxml.etree
import matplotlib.pyplot as plt
for place in range(6):
    figure, axes = plt.subplots(1, 2, figsize=(6.9, 2.8), layout="constrained")
    axes[0].plot(range(66), range(66), "o")
    axes[1].hist(range(66))
    for ending in ("png", "pdf", "svg"):
        figure.savefig(f"{{place}}.{{ending}}", dpi=300)
    plt.close(figure)
"""


def process_seconds(words: list[str], cache: Path, folder: Path) -> float:
    """Return the processors' time of a process; compiled code is kept, as for whoever runs a command twice."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    known |= {"PYTHONPYCACHEPREFIX": str(cache), "NEGSTATS_DATA": "", "PYTHONPATH": str(ROOT)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True, cwd=folder, env=known)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_turn(
    whole: list[str], bare: list[str], cache: Path, folder: Path = ROOT, rounds: int = 7
) -> tuple[float, float]:
    """Return the medians of both, run in turn so that what else the machine does meets both; the first compiles."""
    pairs = [(process_seconds(whole, cache, folder), process_seconds(bare, cache, folder)) for _ in range(rounds + 1)]
    own, peer = (statistics.median(side) for side in zip(*pairs[1:], strict=True))
    return own, peer


def test_from_a_study_to_a_sentence(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Beside a script of pandas and pingouin that gives the same means and the same t."""
    printed, by_hand = (
        subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True, cwd=ROOT).stdout
        for words in (JOB, ["-c", BY_HAND])
    )
    assert by_hand.rpartition(", ")[2].strip() in printed.replace("\n", " ")
    own, peer = once(benchmark, lambda: in_turn(JOB, ["-c", BY_HAND], tmp_path))
    name = "from a saved study to a sentence, whole process; 1 command"
    assert record_ratio(own, peer, name, "a script of pandas and pingouin") <= 1


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_begins(name: str, benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    words, libraries, most = COMMANDS[name]
    bare_command = ["-c", f"{libraries}\n{READING}"]
    own, bare = once(benchmark, lambda: in_turn(["-m", "negstats", *words], bare_command, tmp_path))
    assert record_ratio(own, bare, f"negstats {name}, whole process; 1 command", "importing its libraries") <= most


def test_a_report(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """The robot study from its saved tables to the folder of its report."""
    command = ["-m", "negstats", "run", str(ROOT / "tests/plans/robot.toml"), str(ROOT / "datasets/robot/study")]
    command += ["--out", str(tmp_path / "report")]
    own, bare = once(benchmark, lambda: in_turn(command, ["-c", BARE_REPORT], tmp_path / "cache", tmp_path, rounds=4))
    assert len(list((tmp_path / "report" / "figures").glob("*.png"))) == len(list(tmp_path.glob("*.png"))) == 6
    name = "report of the robot study, whole process; 1 command"
    assert record_ratio(own, bare, name, "importing its libraries, six bare figures") <= 1.55


def million_people() -> tuple[Study, pd.DataFrame, pd.DataFrame]:
    """Return a study in which each of a million people plays a game in one of two conditions, and its tables."""
    rng, n = np.random.default_rng(1), 1_000_000
    ids = [f"g{place:07d}" for place in range(n)]
    games = conform("games", {"game_id": ids, "ended": ["agreement"] * n, "condition": ["a", "b"] * (n // 2)})
    people = {"player": ["H"] * n, "kind": ["human"] * n, "participant_id": [f"p{place}" for place in range(n)]}
    players = conform("players", {"game_id": ids, **people, "points": rng.normal(size=n).round(2)})
    return Study(games=games, players=players, provenance=Provenance("by hand", "1")), games, players


def test_a_comparison_of_a_million_people(benchmark: BenchmarkFixture) -> None:
    """Beside pandas' merge and group-by and scipy's two tests, which check nothing and link nobody."""
    study, games, players = million_people()

    def peer() -> tuple[Any, Any]:
        rows = players[players["kind"] == "human"].merge(games[["game_id", "condition"]], on="game_id")
        means = rows.groupby(["participant_id", "condition"])["points"].mean().reset_index()
        first, second = (means["points"][means["condition"] == level] for level in "ab")
        return stats.ttest_ind(first, second, equal_var=False), stats.mannwhitneyu(first, second)

    def ours() -> Any:
        return compare(study, "points", "condition", who="human")

    np.testing.assert_allclose(ours().result.p, peer()[0].pvalue, rtol=1e-9)
    name = "comparison of two conditions; 1,000,000 people"
    assert once(benchmark, lambda: ratio(ours, peer, 3, name, against="pandas and scipy")) <= 3.2


def pairs_of(pairs: int, seed: int) -> pd.DataFrame:
    """Return pairs of players with a covariate and a random effect of their game."""
    rng, rows = np.random.default_rng(seed), 2 * pairs
    frame = pd.DataFrame(
        {"game": np.repeat(np.arange(pairs), 2), "reward": np.where(np.arange(rows) // 2 % 2, "a", "b")}
    )
    frame["x"] = rng.normal(size=rows)
    frame["points"] = frame["x"] + rng.normal(size=pairs)[frame["game"]] + rng.normal(size=rows)
    return frame


def test_a_mixed_model(benchmark: BenchmarkFixture) -> None:
    """With Kenward and Roger's degrees of freedom, which statsmodels does not have."""
    frame = pairs_of(5000, 2)

    def peer() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where it stops early it warns
            return smf.mixedlm("points ~ C(reward, Sum) * x", frame, groups=frame["game"]).fit()

    def ours() -> object:
        return mixed(frame, "points ~ reward * x", "game").to_frame()

    name = "linear mixed model; 10,000 rows"
    taken = once(benchmark, lambda: ratio(ours, peer, 3, name, against="statsmodels"))
    assert 1 / taken >= 200


RESAMPLES = 9_999


def welch(a: Array, b: Array, axis: int = -1) -> Array:
    difference = a.mean(axis) - b.mean(axis)
    errors = a.var(axis, ddof=1) / a.shape[axis] + b.var(axis, ddof=1) / b.shape[axis]
    return np.asarray(difference / np.sqrt(errors))


def permuted_by_hand(x: Array, y: Array, batch: int) -> float:
    """Return p by a loop over batches of permuted rows."""
    rng, values, observed, extreme = np.random.default_rng(2), np.concatenate([x, y]), abs(welch(x, y)), 0
    for start in range(0, RESAMPLES, batch):
        rows = rng.permuted(np.tile(values, (min(batch, RESAMPLES - start), 1)), axis=1)
        extreme += int((np.abs(welch(rows[:, : len(x)], rows[:, len(x) :])) >= observed * (1 - 1e-12)).sum())
    return (extreme + 1) / (RESAMPLES + 1)


def test_a_permutation_test(benchmark: BenchmarkFixture) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 9, 1_000).astype(float), rng.integers(1, 10, 1_000).astype(float)

    def ours() -> Any:
        return permutation_test({"x": x, "y": y}, statistic="t", rng=np.random.default_rng(2))

    theirs = partial(stats.permutation_test, (x, y), welch, vectorized=True, n_resamples=RESAMPLES)
    batches = (100, 500, 2_000)
    assert ours().p == pytest.approx(theirs().pvalue, abs=0.02)
    name = "permutation test of t; 2,000 rows"
    by_hand = [partial(permuted_by_hand, x, y, batch) for batch in batches]
    assert once(benchmark, lambda: best(ours, by_hand, name, against="numpy")) <= 2
    assert best(ours, [partial(theirs, batch=batch) for batch in batches], name, against="scipy") <= 1


N = np.array([[22, 25, 24], [23, 26, 23]])  # 143 in all
MEAN = np.array([[0.0, 0.0, 0.0], [0.0, 0.5, 0.2]])


def interaction(rng: np.random.Generator, n_simulations: int) -> Array:
    """Return p of the interaction of 2 × 3 cells, from sufficient statistics that are drawn at once."""
    n, rows = N.ravel(), hypothesis((2, 3), (0, 1))
    mean = MEAN.ravel() + rng.standard_normal((n_simulations, 6)) / np.sqrt(n)
    inside = rng.chisquare(n - 1, (n_simulations, 6)).sum(axis=1)
    estimates = mean @ rows.T
    f = ((estimates @ np.linalg.inv((rows / n) @ rows.T)) * estimates).sum(axis=1) / 2 / (inside / (n.sum() - 6))
    return np.asarray(special.fdtrc(2, n.sum() - 6, f))


def test_power_by_simulation(benchmark: BenchmarkFixture) -> None:
    """Beside the fastest that one would write for that one design, which draws the same numbers."""
    design = normal_design(n=N, mean=MEAN, factors={"a": ["u", "v"], "b": ["x", "y", "z"]})
    test: Callable[[Any], object] = lambda cells: anova(cells).effect("a:b")  # noqa: E731
    n_simulations = 100_000

    def ours() -> object:
        return simulated_power(design, test, rng=np.random.default_rng(2), n_simulations=n_simulations)

    def peer() -> float:
        return float((interaction(np.random.default_rng(2), n_simulations) <= 0.05).mean())

    seeds = (np.random.default_rng(3), np.random.default_rng(3))
    np.testing.assert_allclose(simulated_p(design, test, 500, seeds[0]), interaction(seeds[1], 500), rtol=1e-9)
    name = "power by simulation, interaction; 100,000 studies"
    assert once(benchmark, lambda: ratio(ours, peer, 7, name, against="numpy, one batch")) <= 1.45


MAPPING = """
row = "offer"
games.game_id = "game"
factors.condition = "condition"
players = { player = "who", role = "who" }
offers = { round = "round", time_s = "seconds", units_to_proposer = "keep", total = 100, response = "answer" }
levels.response = { accepted = ["accepted"], rejected = ["rejected"], superseded = ["countered"] }
"""


def write_log(file: Path, rows: int, per_game: int = 10) -> Path:
    """Write a log of offers as CSV."""
    rng, row = np.random.default_rng(1), np.arange(rows)
    game, turn = row // per_game, row % per_game
    answers = np.where(rng.random(rows) < 0.7, "accepted", "rejected")
    columns = {
        "game": pl.Series([f"g{number}" for number in game.tolist()]),
        "round": turn + 1,
        "who": np.where(turn % 2, "seller", "buyer"),
        "keep": rng.integers(0, 101, rows),
        "seconds": rng.random(rows).round(2),
        "answer": np.where(turn < per_game - 1, "countered", answers),
        "condition": np.where(game % 2, "framed", "control"),
    }
    pl.DataFrame(columns).write_csv(file)
    return file


def test_a_log(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """A million rows by a mapping beside a bare parse with an aggregate; and how that grows."""
    (tmp_path / "mapping.toml").write_text(MAPPING)
    mapping = read_mapping(tmp_path / "mapping.toml")
    few, many = (write_log(tmp_path / f"{rows}.csv", rows) for rows in (100_000, 1_000_000))

    def peer() -> object:
        return pl.read_csv(many).group_by("game").agg(pl.col("keep").mean(), pl.len())

    name = "log of offers as CSV, by a mapping; 1,000,000 rows"
    taken = once(benchmark, lambda: ratio(lambda: read(many, mapping), peer, 5, name, against="polars, parsing alone"))
    assert taken <= 4
    assert growth([lambda: read(few, mapping), lambda: read(many, mapping)], 10, 3, name) <= 1.05
