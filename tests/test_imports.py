"""The arrows of the package's picture: who may import whom (function-level imports too), and what importing costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import negstats
from negstats import stats
from tests.conftest import ROOT

PACKAGE = Path(negstats.__file__).parent

# What each room may import from the package, besides itself. `errors` and `sanitize` everybody may.
MAY_IMPORT = {
    "errors": set(),
    "deprecation": set(),
    "files": set(),
    "key_codes": set(),
    "tables": {"key_codes"},
    "printed_numbers": set(),
    "sanitize": set(),
    "pages": set(),
    "toml_text": set(),
    "english": set(),
    "studies": {"english", "tables", "files"},
    "datasets": {"files", "studies"},
    "loaders": {"english", "key_codes", "tables", "toml_text", "studies", "datasets", "games"},
    "simulate": {"files", "loaders", "tables", "toml_text", "studies", "games"},
    "games": set(),
    "stats": set(),
    "audit": {"files", "pages", "printed_numbers", "stats"},
    "metrics": {"tables", "games"},
    "estimate": {"tables", "games", "stats", "metrics"},
    "coding": {"files", "pages", "tables", "toml_text", "studies", "stats", "metrics"},
    "analysis": {
        *("english", "files", "tables", "toml_text", "studies", "simulate", "stats", "metrics", "estimate", "plots"),
    },
    "plots": {"files", "tables", "stats"},
    "papers": {"*"},
    "report": {"*"},
    "app": {"*"},
    "cli": {"*"},
    "__init__": {"*"},
    "__main__": {"cli"},
}


# Single files that look further than their room: an answer says and draws itself as the report does.
DOORS = {"analysis/answers.py": {"report"}}

# Inside the statistics: results know nothing of summaries, and summaries nothing of tests.
STATS_MAY_IMPORT = {"results": {"results"}, "summaries": {"results", "summaries"}}

# Inside the analysis: each part knows only those before it.
ANALYSIS_ORDER = (
    *("results", "roles", "method", "rules", "plan", "questions", "effect_sizes", "methods", "describe"),
    *(
        "relations",
        "correlations",
        "first_levels",
        "outcomes",
        "scales",
        "scale_items",
        "assumptions",
        "verdicts",
        "answers",
        "loading_checks",
        "preregistration",
        "power",
        "answering",
        "entries",
        "study_entry",
        "alternatives",
        "run",
        "compare",
    ),
)


def room(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


IMPORTS = re.compile(r"^ *(?:from|import) negstats(?:\.(\w+)| import ([^(\n]+|\([^)]+\)))", re.MULTILINE)


def imported_rooms(file: Path) -> set[str]:
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"^ *from \.", text, re.MULTILINE), f"{file}: import by the full name, not relatively"
    rooms = set()
    for of_module, names in IMPORTS.findall(text):
        rooms |= {of_module} if of_module else set(re.findall(r"(?:^|,)\W*(\w+)", names))
    return rooms


FILES = sorted(PACKAGE.rglob("*.py"))


def test_imports_go_one_way() -> None:
    faults = []
    for file in FILES:
        here, place = room(file), file.relative_to(PACKAGE).as_posix()
        assert here in MAY_IMPORT, f"{here} is a new room: say in MAY_IMPORT what it may import"
        allowed = MAY_IMPORT[here] | DOORS.get(place, set()) | {here, "deprecation", "errors", "sanitize"}
        if "*" not in allowed:
            faults += [f"{place} imports {other}" for other in sorted(imported_rooms(file) - allowed)]
    assert faults == []


@pytest.mark.parametrize("floor", STATS_MAY_IMPORT)
def test_statistics_stand_on_summaries_and_results(floor: str) -> None:
    for file in (PACKAGE / "stats" / floor).glob("*.py"):
        values = set(re.findall(r"(?:from|import) negstats\.stats\.(\w+)", file.read_text(encoding="utf-8")))
        assert values <= STATS_MAY_IMPORT[floor], file


def test_the_parts_of_the_analysis_know_only_those_before_them() -> None:
    faults = []
    for file in sorted((PACKAGE / "analysis").rglob("*.py")):
        place = file.relative_to(PACKAGE / "analysis")
        here = place.parts[0].removesuffix(".py")
        if here != "__init__":
            known = set(re.findall(r"(?:from|import) negstats\.analysis\.(\w+)", file.read_text(encoding="utf-8")))
            later = known - {here, *ANALYSIS_ORDER[: ANALYSIS_ORDER.index(here)]}
            faults += [f"{place} imports {other}" for other in sorted(later)]
    assert faults == []


def test_importing_negstats_imports_nothing_heavy() -> None:
    code = "import sys, negstats; print(*sorted({'numpy', 'pandas', 'scipy', 'matplotlib'} & set(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.split() == []


def test_a_description_computes_no_distribution() -> None:
    code = (
        "import sys\n"
        "from negstats.cli import app\n"
        "try:\n    app(['describe', 'datasets/robot/study'])\n"
        "except SystemExit:\n    print(*sorted({'scipy.special', 'scipy.stats'} & set(sys.modules)), file=sys.stderr)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "How games ended" in process.stdout
    assert process.stderr.split() == []


@pytest.mark.parametrize(
    ("call", "unneeded"),
    [
        ("negstats.load('datasets/robot/study')", "polars"),  # a saved study is read by pyarrow
        ("negstats.audit.splits(40, ['5', '4'], ['1', '2'], t='2.0')", "negstats.audit.beyond_p"),
        ("negstats.estimate.acceptance_threshold", "negstats.estimate.mixed_thresholds"),
    ],
)
def test_a_call_imports_what_it_needs(call: str, unneeded: str) -> None:
    code = f"import sys, negstats, negstats.audit, negstats.estimate; {call}; print({unneeded!r} in sys.modules)"
    words = [sys.executable, "-c", code]
    assert subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT).stdout == "False\n"


def test_public_names_are_there() -> None:
    for name in negstats.__all__:
        assert getattr(negstats, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="laod"):
        _ = negstats.laod  # type: ignore[attr-defined]


@pytest.mark.slow
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
    assert {"contrasts", "t_test", "effects", "power", "mixed"} <= set(names.split())
    assert not {"means", "ranks", "counts", "summaries", "results", "TTest", "Cells"} & set(names.split())
    assert all(getattr(stats, name) is not None for name in stats.__all__)


@pytest.mark.slow
def test_a_module_is_there_after_importing_the_package() -> None:
    """None of these is imported by those before it."""
    code = (
        "import sys, negstats\n"
        "for name in ('stats', 'metrics', 'studies', 'estimate', 'analysis'):\n"
        "    print(f'negstats.{name}' in sys.modules, getattr(negstats, name).__name__)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = ("stats", "metrics", "studies", "estimate", "analysis")
    assert process.stdout.splitlines() == [f"False negstats.{name}" for name in names]


def test_only_faces_list_their_names() -> None:
    """`__all__` is for what the reference shows: packages, and the modules that it names."""
    text = "".join(file.read_text(encoding="utf-8") for file in (PACKAGE.parent / "docs" / "pages").glob("*.[pt]*"))
    for file in FILES:
        module = "negstats." + ".".join(file.relative_to(PACKAGE).with_suffix("").parts)
        is_face = file.name == "__init__.py" or re.search(rf"{re.escape(module)}(?![\w.])", text)
        assert is_face or "\n__all__ =" not in file.read_text(encoding="utf-8"), f"{file} is no face; leave __all__ out"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_names(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and name of each private name of the package that a file imports, reaches, replaces or spells."""
    source = file.read_text(encoding="utf-8")
    if not re.search(r"\b_[a-z]\w", source):  # no name that could be one
        return
    tree = ast.parse(source)
    names = set[str]()  # that the file has from the package
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "negstats":
            names |= {alias.asname or alias.name for alias in node.names}
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if any(map(is_private, whole.split("."))):
                    yield node.lineno, whole
        elif isinstance(node, ast.Import):
            modules = [alias for alias in node.names if alias.name.split(".")[0] == "negstats"]
            names |= {alias.asname or "negstats" for alias in modules}
            for alias in modules:
                if any(map(is_private, alias.name.split("."))):
                    yield node.lineno, alias.name
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in names and is_private(attribute):
                yield node.lineno, f"{name}.{attribute}"
            case ast.Call(args=[ast.Name(id=name), ast.Constant(value=str(attribute)), *_]) if name in names:
                if is_private(attribute):  # as of monkeypatch.setattr and getattr
                    yield node.lineno, f"{name}.{attribute}"
            case ast.Constant(value=str(text)) if re.fullmatch(r"negstats(\.\w+)+", text):
                if any(map(is_private, text.split("."))):
                    yield node.lineno, text


@pytest.mark.slow
def test_no_test_holds_a_private_name() -> None:
    """A refactoring that keeps behaviour breaks no test."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    faults = [
        f"{file.relative_to(PACKAGE.parent)}:{place} {name}" for file in files for place, name in private_names(file)
    ]
    assert len(files) > 300
    assert faults == []


@pytest.mark.parametrize(
    "line",
    [
        "from negstats.stats._ranks import exact",
        "from negstats.stats.ranks import _exact as exact",
        "import negstats.stats._ranks as ranks",
        "from negstats.stats import ranks\nranks._exact(1)",
        "from negstats.stats import ranks\nmonkeypatch.setattr(ranks, '_exact', None)",
        "monkeypatch.setattr('negstats.stats.ranks._exact', None)",
    ],
)
def test_each_way_to_a_private_name_is_seen(line: str, tmp_path: Path) -> None:
    file = tmp_path / "some.py"
    file.write_text(line, encoding="utf-8")
    assert len(list(private_names(file))) == 1
