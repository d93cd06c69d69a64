"""The arrows of the package's picture: who may import whom (function-level imports too), and what importing costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import negstats
from negstats import stats

PACKAGE = Path(negstats.__file__).parent

# What each room may import from the package, besides itself. `errors`, `sanitize` and `_first_use` everybody may.
MAY_IMPORT = {
    "errors": set(),
    "files": set(),
    "tables": set(),
    "printed_numbers": set(),
    "sanitize": set(),
    "toml_text": set(),
    "english": set(),
    "_first_use": set(),
    "studies": {"tables", "files"},
    "datasets": {"files", "studies"},
    "loaders": {"english", "tables", "toml_text", "studies", "games"},
    "simulate": {"files", "tables", "toml_text", "studies", "games"},
    "games": set(),
    "stats": set(),
    "audit": {"files", "printed_numbers", "stats"},
    "metrics": {"tables", "games"},
    "estimate": {"tables", "games", "stats", "metrics"},
    "coding": {"files", "tables", "toml_text", "studies", "stats", "metrics"},
    "analysis": {
        *("english", "files", "tables", "toml_text", "studies", "simulate", "stats", "metrics", "estimate", "plots"),
    },
    "plots": {"files", "tables", "stats"},
    "papers": {"*"},
    "report": {"*"},
    "cli": {"*"},
    "__init__": {"*"},
    "__main__": {"cli"},
}


# Single files that look further than their room. `plots.compare` is the one call from data to figure: it asks the
# analysis for a comparison, which draws itself; all other plots draw the finished tables that they are given.
DOORS = {"plots/compared.py": {"analysis", "studies"}}

# Inside the statistics: results know nothing of summaries, and summaries nothing of tests.
STATS_MAY_IMPORT = {"results": {"results"}, "summaries": {"results", "summaries"}}

# Inside the analysis: each part knows only those before it.
ANALYSIS_ORDER = (
    *("results", "method", "rules", "plan", "questions", "shares", "effect_sizes", "compare", "methods", "describe"),
    *(
        "relations",
        "correlations",
        "first_levels",
        "outcomes",
        "scales",
        "assumptions",
        "verdicts",
        "answers",
        "loading_checks",
        "preregistration",
        "power",
        "run",
    ),
)


def room(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(file: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            pytest.fail(f"{file}: import by the full name, not relatively")
        if isinstance(node, ast.ImportFrom) and node.module == "negstats":
            rooms |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("negstats."):
            rooms.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            rooms |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("negstats.")}
    return rooms


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_go_one_way(file: Path) -> None:
    here = room(file)
    assert here in MAY_IMPORT, f"{here} is a new room: say in MAY_IMPORT what it may import"
    door = DOORS.get(file.relative_to(PACKAGE).as_posix(), set())
    allowed = MAY_IMPORT[here] | door | {here, "errors", "sanitize", "_first_use"}
    assert "*" in allowed or imported_rooms(file) <= allowed


@pytest.mark.parametrize("floor", STATS_MAY_IMPORT)
def test_statistics_stand_on_summaries_and_results(floor: str) -> None:
    for file in (PACKAGE / "stats" / floor).glob("*.py"):
        values = set(re.findall(r"(?:from|import) negstats\.stats\.(\w+)", file.read_text(encoding="utf-8")))
        assert values <= STATS_MAY_IMPORT[floor], file


@pytest.mark.parametrize("file", sorted((PACKAGE / "analysis").rglob("*.py")), ids=lambda file: file.stem)
def test_the_parts_of_the_analysis_know_only_those_before_them(file: Path) -> None:
    here = file.relative_to(PACKAGE / "analysis").parts[0].removesuffix(".py")
    if here == "__init__":
        return
    known = set(re.findall(r"(?:from|import) negstats\.analysis\.(\w+)", file.read_text(encoding="utf-8")))
    assert known <= {here, *ANALYSIS_ORDER[: ANALYSIS_ORDER.index(here)]}


def test_importing_negstats_imports_nothing_heavy() -> None:
    code = "import sys, negstats; print(*sorted({'numpy', 'pandas', 'scipy', 'matplotlib'} & set(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.split() == []


def test_public_names_are_there() -> None:
    for name in negstats.__all__:
        assert getattr(negstats, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="laod"):
        _ = negstats.laod


def test_stats_shows_its_functions_and_not_its_folders() -> None:
    code = (
        "import negstats.stats.contrasts.margins, negstats.stats.loglinear.fit, negstats.stats.means.anova\n"
        "from negstats import stats\n"
        "print(callable(stats.contrasts), callable(stats.loglinear), callable(stats.effects))\n"
        "print(*dir(stats))"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, names = process.stdout.splitlines()
    assert first == "True True False"  # effects is a public package
    assert {"contrasts", "t_test", "effects", "power", "Cells"} <= set(names.split())
    assert not {"means", "ranks", "counts", "summaries", "results"} & set(names.split())
    assert all(getattr(stats, name) is not None for name in stats.__all__)


# Libraries that a saved study in memory does without; a data set of PyArrow is for many files.
NOT_FOR_A_SAVED_STUDY = {
    *("scipy.stats", "statsmodels", "pingouin", "matplotlib", "seaborn", "duckdb", "pyarrow.dataset", "pydantic"),
    *("narwhals._pandas_like", "negstats.loaders.derived"),
}
NOT_FOR_A_DESCRIPTION = {"scipy", "negstats.metrics.registry", "negstats.stats.summaries.cells"}


@pytest.mark.parametrize(
    ("words", "none_of"),
    [
        (
            ["offer", "--pr", ".5", "--alpha", "0"],
            {"numpy", "pandas", "polars", "pyarrow", "narwhals", "scipy", "rich"},
        ),
        (["reproduce", "mell2015"], {"matplotlib", "scipy.stats", "statsmodels", "pingouin", "seaborn"}),
        (["describe", "datasets/contract_sim/study"], {"matplotlib", "scipy.stats", "statsmodels", "pingouin"}),
        (["describe", "datasets/robot/study"], NOT_FOR_A_SAVED_STUDY | NOT_FOR_A_DESCRIPTION),
        (
            ["compare", "datasets/robot/study", "points", "--by", "condition", "--paired", "--who", "agent"],
            NOT_FOR_A_SAVED_STUDY,
        ),
    ],
)
def test_a_command_imports_what_it_needs_and_no_more(words: list[str], none_of: set[str]) -> None:
    code = (
        f"import sys\nsys.argv = ['negstats', *{words}]\nfrom negstats.cli import main\n"
        f"try:\n    main()\nexcept SystemExit:\n    print('heavy:', *sorted({none_of} & set(sys.modules)))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent
    )
    assert process.stdout.splitlines()[-1].split() == ["heavy:"]


@pytest.mark.parametrize("module", ["analysis", "studies", "stats", "metrics", "estimate"])
def test_a_module_is_there_after_importing_the_package(module: str) -> None:
    process = subprocess.run(
        [sys.executable, "-c", f"import negstats; print(negstats.{module}.__name__)"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stdout.strip()) == (0, f"negstats.{module}"), process.stderr


def test_only_faces_list_their_names() -> None:
    """`__all__` is for what the reference shows: packages, and the modules that it names."""
    text = "".join(file.read_text(encoding="utf-8") for file in (PACKAGE.parent / "docs" / "pages").glob("*.[pt]*"))
    for file in FILES:
        module = "negstats." + ".".join(file.relative_to(PACKAGE).with_suffix("").parts)
        is_face = file.name == "__init__.py" or re.search(rf"{re.escape(module)}(?![\w.])", text)
        assert is_face or "\n__all__ =" not in file.read_text(encoding="utf-8"), f"{file} is no face; leave __all__ out"
