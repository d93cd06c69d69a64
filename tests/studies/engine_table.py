"""What every engine does with every measure and every test, found by running them.

``python -m tests.studies.engine_table`` writes it to ``docs/how-to/engines.md`` (with PySpark's column if Java is
there). While a test runs, every frame that comes home from an engine is counted: *summary* means that no more came than
one row a group or a distinct value, *rows* that the test needs the rows and fetched them.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from negstats import datasets, metrics, open_study, stats
from negstats.analysis import describe, measure_table, run
from negstats.analysis.plan.model import Plan
from negstats.analysis.plan.parse import parse
from negstats.analysis.preregistration.check import check
from negstats.errors import UsageError
from negstats.stats import equivalence
from negstats.studies.engines import Engine, Spill, engine_called
from tests.analysis.methods.designs import BY_ROW, Case
from tests.metrics import sample
from tests.studies.small_spark import small_spark

MEASURED = Path(__file__).resolve().parents[1] / "benchmarks" / "best_offer" / "measured.json"
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "engines.md"
PEOPLE = 240
ENGINES = ("duckdb", "polars", "pyspark")

Frame = Any
RNG = 7


def people() -> pd.DataFrame:
    """Return made-up rows: people in groups, classes and pairs, each with four occasions; few distinct values."""
    rng = np.random.default_rng(3)
    person = np.repeat(np.arange(PEOPLE), 4)
    row = np.arange(4 * PEOPLE)
    group, seat = (person // 2) % 2, person % 2
    y = np.round(10 + group + 0.5 * (row % 4) + np.repeat(rng.normal(0, 1, PEOPLE), 4) + rng.normal(0, 1, len(row)))
    return pd.DataFrame(
        {
            "person": [f"p{number:03d}" for number in person],
            "pair": [f"d{number:03d}" for number in person // 2],
            "seat": np.where(seat == 0, "first", "second"),
            "occasion": np.array(["one", "two", "three", "four"])[row % 4],
            "group": np.where(group == 0, "a", "b"),
            "class": np.array(["x", "y", "z"])[(person // 4) % 3],
            "y": y,
            "x": np.round(0.5 * y + rng.normal(0, 1, len(row))),
            "w": np.round(rng.normal(5, 2, len(row))),
            "said": np.where(rng.random(len(row)) < 0.4 + 0.1 * group, "yes", "no"),
            "kept": np.where(rng.random(len(row)) < 0.5, "yes", "no"),
            "yes": (rng.random(len(row)) < 0.4 + 0.1 * (row % 4 == 0)).astype(float),
        }
    )


def _one(frame: Frame) -> Frame:
    return nw.from_native(frame).filter(nw.col("occasion") == "one").to_native()


# name: the summary it takes, and the call.
TESTS: dict[str, tuple[str, Callable[[Frame], Any]]] = {
    "t_test": ("Cells", lambda f: stats.t_test(f, "y", "group")),
    "one_sample_t": ("Cells", lambda f: stats.one_sample_t(f, "y", null=10)),
    "one_way": ("Cells", lambda f: stats.one_way(f, "y", "class")),
    "anova": ("Cells", lambda f: stats.anova(f, "y", ["group", "class"])),
    "margins": ("Cells", lambda f: stats.margins(f, "y", ["group", "class"], specs="class")),
    "pairwise": ("Cells", lambda f: stats.pairwise(f, "y", "class", specs="class")),
    "games_howell": ("Cells", lambda f: stats.games_howell(f, "y", "class", specs="class")),
    "equivalence.tost": ("Cells", lambda f: equivalence.tost(f, "y", "group", bounds=2)),
    "levene": ("ValueCounts", lambda f: stats.levene(f, "y", "class")),
    "wilcoxon": ("ValueCounts", lambda f: stats.wilcoxon(f, "y", "occasion", "person", levels=["one", "two"])),
    "mann_whitney": ("ValueCounts", lambda f: stats.mann_whitney(f, "y", "group")),
    "kruskal_wallis": ("ValueCounts", lambda f: stats.kruskal_wallis(f, "y", "class")),
    "brunner_munzel": ("ValueCounts", lambda f: stats.brunner_munzel(f, "y", "group")),
    "chi_squared": ("Counts", lambda f: stats.chi_squared(f, ["group", "said"])),
    "goodness_of_fit": ("Counts", lambda f: stats.goodness_of_fit(f, "class")),
    "fisher": ("Counts", lambda f: stats.fisher(f, ["group", "said"])),
    "mcnemar": ("Counts", lambda f: stats.mcnemar(f, ["said", "kept"])),
    "cochran_mantel_haenszel": (
        "Counts", lambda f: stats.cochran_mantel_haenszel(f, ["group", "said", "class"]),
    ),
    "loglinear": ("Counts", lambda f: stats.loglinear(f, "[group said] [class]", ["group", "said", "class"])),
    "repeated_anova": ("Moments", lambda f: stats.repeated_anova(f, "y", "occasion", "person", "group")),
    "paired_t": ("Moments", lambda f: stats.paired_t(f, "y", "occasion", "person", levels=["one", "two"])),
    "correlation": ("Moments", lambda f: stats.correlation(f, "x", "y")),
    "correlation, partial": ("Moments", lambda f: stats.correlation(f, "x", "y", controlling="w")),
    "semipartial": ("Moments", lambda f: stats.semipartial(f, "x", "y", controlling="w")),
    "regression": ("Moments", lambda f: stats.regression(f, outcome="y", predictors=["x", "w"])),
    "ancova": ("Moments", lambda f: stats.ancova(f, "y", "class", "x")),
    "mixed": ("ClusterMoments", lambda f: stats.mixed(f, "y ~ group", "person")),
    "friedman": ("Rows", lambda f: stats.friedman(f, "y", "occasion", "person")),
    "cochrans_q": ("Moments", lambda f: stats.cochrans_q(f, outcome="yes", within="occasion", subject="person")),
    "correlation, Spearman": ("Rows", lambda f: stats.correlation(f, "x", "y", method="spearman")),
    "repeated_correlation": ("Rows", lambda f: stats.repeated_correlation(f, "x", "y", subject="person")),
    "regression, formula": ("Rows", lambda f: stats.regression(f, "y ~ x + w")),
    "regression, HC3": ("Rows", lambda f: stats.regression(f, "y ~ x + w", errors="HC3")),
    "permutation_test": (
        "Rows", lambda f: stats.permutation_test(f, "y", "group", rng=np.random.default_rng(RNG), n_resamples=99),
    ),
    "bootstrap_interval": (
        "Rows", lambda f: stats.bootstrap_interval(f, "y", "group", rng=np.random.default_rng(RNG), n_resamples=99),
    ),
    "dyad_correlation": ("Rows", lambda f: stats.dyad_correlation(_one(f), "y", pair="pair")),
}  # fmt: skip


# name: what it takes, and the call.
STUDIES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "describe": ("study", describe),
    "measure_table": ("study", lambda s: measure_table(s, ["condition"], names=["points"])),
    "plan, check": ("plan, study", lambda s: check(_plan(), s)),
    "plan, run": ("plan, study", lambda s: run(_plan(), s, max_rows=0)),
}


def _plan() -> Plan:
    return parse('[questions.H1]\nasks = "Who earns more?"\nmeasure = "points"\nwho = "agent"\nby = "condition"\n')


@contextmanager
def counting() -> Iterator[list[int]]:
    """Yield a list that gets the number of rows of each frame that comes home."""
    sizes: list[int] = []
    collect = nw.LazyFrame.collect

    def counted(self: Any, *words: Any, **named: Any) -> Any:
        result = collect(self, *words, **named)
        sizes.append(len(result))
        return result

    nw.LazyFrame.collect = counted  # type: ignore[method-assign]
    try:
        yield sizes
    finally:
        nw.LazyFrame.collect = collect  # type: ignore[method-assign]


def native(table: pd.DataFrame, engine: Engine, spill: Spill) -> Frame:
    """Return a table as a lazy frame of an engine, from Parquet."""
    file = spill.place().with_suffix(".parquet")
    table.to_parquet(file, index=False)
    return engine.read([file])


def of_test(name: str, frame: Frame) -> str:
    """Run a test on a lazy frame; return what came home: "summary" or "rows"."""
    with counting() as sizes:
        TESTS[name][1](frame)
    return "summary" if max(sizes, default=0) < PEOPLE // 2 else "rows"


def of_measure(name: str, tables: dict[str, Frame]) -> str:
    """Compute a measure of lazy tables; return "lazy" if no row came home, or why it is not computed."""
    with counting() as sizes:
        try:
            result = metrics.MEASURES[name].in_engine(tables)
        except UsageError as error:
            return "needs arrays" if "as arrays" in str(error) else str(error)
        fetched = max(sizes, default=0)
        result.collect("pyarrow")
    return "lazy" if fetched <= 1 else f"fetched {fetched} rows"


def of_study(name: str, engine: str) -> str:
    """Ask a study of an engine; return "lazy" if no more came home than distinct values, "rows" otherwise."""
    study = open_study(datasets.folder("robot") / "study", engine=engine)
    with counting() as sizes:
        STUDIES[name][1](study)
    return "lazy" if max(sizes) < study.rows("games") // 2 else "rows"


def columns_of(engine: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return what an engine does with each measure, and with each test and question to a study."""
    spill = Spill()
    result = engine_called(engine, spill.path, "1GB")
    tables = {name: native(table, result, spill) for name, table in sample.tables().items()}
    frame = native(people(), result, spill)
    by_measure = {name: of_measure(name, tables) for name in metrics.MEASURES}
    by_test = {name: of_test(name, frame) for name in TESTS}
    return by_measure, by_test | {name: of_study(name, engine) for name in STUDIES}


def of_plan(case: Case) -> str:
    """Run a design of a row of the plans' table; return "summary", or that its answer needs rows."""
    with tempfile.TemporaryDirectory() as folder:
        saved = case.study(np.random.default_rng(case.row)).save(Path(folder) / "study")
        [question] = run(case.plan(), open_study(saved, engine="polars"), max_rows=0).results["questions"]
    return "rows" if "which stay with" in (question["verdict"] or "") else "summary"


def plan_rows() -> list[str]:
    """Return a line a test that a plan can get: the rows of the table, and what its answer asks an engine for."""
    values_by_name: dict[tuple[str, str], list[int]] = {}
    for case in BY_ROW.values():
        if case.test:
            values_by_name.setdefault((case.test, of_plan(case)), []).append(case.row)
    return [
        f"| `{test}` | {', '.join(map(str, rows))} | {what} |" for (test, what), rows in sorted(values_by_name.items())
    ]


def document(found: dict[str, tuple[dict[str, str], dict[str, str]]]) -> str:
    """Return the page."""
    engines = list(found)
    head = ["| what | takes | " + " | ".join(engines) + " |", "|---|---|" + "---|" * len(engines)]
    measures = [
        f"| `{name}` | {metrics.MEASURES[name].per} | " + " | ".join(found[e][0][name] for e in engines) + " |"
        for name in metrics.MEASURES
    ]
    tests = [
        f"| `{name}` | `{TESTS[name][0]}` | " + " | ".join(found[e][1][name] for e in engines) + " |" for name in TESTS
    ]
    studies = [
        f"| `{name}` | {STUDIES[name][0]} | " + " | ".join(found[e][1][name] for e in engines) + " |"
        for name in STUDIES
    ]
    pages = [TEXT.rstrip(), "", "## Measures", "", *head, *measures, "", "## Tests", "", *head, *tests]
    pages += ["", "## Studies and plans", "", *head, *studies, "", PLANS.rstrip(), ""]
    pages += ["| test of a plan | rows of its table | its answer takes |", "|---|---|---|", *plan_rows()]
    return "\n".join([*pages, "", "## Bargaining threads", "", THREADS.rstrip(), "", *_measured(), ""])


def _measured() -> list[str]:
    """Return a row a run of `tests.benchmarks.best_offer.run`, smallest first."""
    runs = sorted(json.loads(MEASURED.read_text("utf-8")), key=lambda run: (run["engine"], run["rows"]))
    rows = [
        f"| {run['engine']} | {run['rows']:,} | {run['clean']:.1f} | {run['questions']:.1f} | {run['memory']:.2f} |"
        for run in runs
    ]
    return ["| engine | rows | cleaning, s of CPU | six questions, s of CPU | most memory, GiB |",
            "|---|---:|---:|---:|---:|", *rows]  # fmt: skip


TEXT = """# Which engine does what

Written by `python -m tests.studies.engine_table`, which runs every cell of the table.

`negstats.open_study(path, engine="duckdb" | "polars" | "pyspark")` leaves a study's rows with an engine. Measures,
`describe`, `measure_table`, `compare` and plans run there. *lazy*: computed by the engine; no row is
fetched. *needs arrays*: the measure lists all outcomes of each game as arrays, which no engine has; asking for it is an
error that says so. *summary*: the engine computes the summary that the test takes. *rows*: the test needs the rows and
fetches them, so they must fit in memory. `compare` is a plan of one question. `ValueCounts` fetch one row for each
distinct value (or difference), which may be many for a continuous measure. All of this is about lazy frames: the rows
of a pandas, pyarrow or eager polars frame are in memory already.
"""

PLANS = """`negstats run plan.toml STUDY --engine duckdb`, or `analysis.run(plan, open_study(path,
engine="duckdb"))`, leaves out games and selects the rows of each question where the rows are. A question of a
million rows or fewer (`--max-rows N`, `max_rows=N`) then comes home once, and is answered as in memory. Of one with
more, a test whose answer takes a *summary* gets it by group-bys. One that takes *rows* is refused by its name, and
where it would check an answer, a note names it. Ranks bring one row home for each distinct value, of which
there may be a million. Random arrangements are drawn of rows in another order than in memory. Whether a game's
offers are all those of another is not looked for. A figure shows the cells' means and intervals, and the page the
first 500 games. Found by running a design of each row with `max_rows=0`:
"""

THREADS = """A synthetic log in the shape of eBay's Best Offer data (`tests/benchmarks/best_offer`); it says nothing of
eBay. Cleaned and asked six questions: how threads end, concessions and acceptance, reciprocity with errors by seller,
sales by the first offer's percentile, response times, the sale rate's error by seller. Measured by
`python -m tests.benchmarks.best_offer.run`, which keeps what it measured; ratios against hand-written SQL are
those of `tests/benchmarks/test_engines_speed.py`. CPU seconds are of Python's process; of PySpark's runs, whose work is
Java's, they are wall-clock seconds.
"""


if __name__ == "__main__":
    chosen = [name for name in ENGINES if name != "pyspark" or shutil.which("java")]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "pyspark" in chosen:
            small_spark(Path(folder))
        DOCUMENT.write_text(document({name: columns_of(name) for name in chosen}), encoding="utf-8")
