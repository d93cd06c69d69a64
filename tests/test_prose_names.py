"""What prose names is there: paths, modules, commands, columns, names of the code; in pages, cards and docstrings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from typer.main import get_command

from negstats import metrics
from negstats.cli import app
from negstats.metrics import outcomes
from negstats.papers import entries
from negstats.tables import TABLES
from tests.conftest import ROOT

IGNORED = (ROOT / ".gitignore").read_text("utf-8").splitlines()
MADE = {  # pages that the build of the site writes
    made for line in IGNORED if line.startswith("/docs/") for made in ROOT.glob(line.strip("/"))
}
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if MADE.isdisjoint((page, *page.parents))]
DEVELOPERS = [ROOT / "CONTRIBUTING.md", *(page for page in PAGES if page.parent.name == "developers")]
TEXTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *PAGES,
    *sorted((ROOT / "datasets").glob("*/README.md")),
    *sorted((ROOT / "negstats").rglob("parameters.toml")),
    *sorted((ROOT / "negstats").rglob("words.toml")),
]
SOURCES = sorted(file for room in ("negstats", "docs", "tests") for file in (ROOT / room).rglob("*.py"))
# Docstrings and comments, as the formatter places them.
PROSE = re.compile(r'^ *[rR]?"""(?:[^\\]|\\.)*?"""|(?:^|(?<=\s))#[^\n]*', re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^( *)(`{3,}).*?^\1\2$", re.MULTILINE | re.DOTALL)  # code that runs, or what it prints
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
TOP = ("negstats/", "datasets/", "notebooks/", "figures/", "docs/", "tests/")
ELSEWHERE = {"negstats/projects.json"}  # where the computer keeps the state of programs
NAME = re.compile(r"negstats(\.\w+)+")
DOTTED = re.compile(r"[a-z]\w*(\.\w+)+")
FILE = re.compile(r"[\w/-]*\w\.pyi?")
# "`choose_rule` of `analysis/rules.py`", "`analysis/rules.py`: `choose_rule`"
OF_FILE = (re.compile(r"`(\w+)`,? (?:of|in|from) `([\w/]+\.pyi?)`"), re.compile(r"`([\w/]+\.pyi?)`: `(\w+)`"))
# A class in a docstring, or a name of several words, as code has them.
DEFINED = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)+|_?[a-z]+(?:_[a-z]+)+")


def quoted(path: Path) -> list[str]:
    return CODE.findall(FENCED.sub("", path.read_text(encoding="utf-8")))


@cache
def file_names() -> frozenset[str]:
    """Return the names of the files of Python that the repository holds."""
    rooms = ("negstats", "docs", "tests", "datasets")
    return frozenset(file.name for room in rooms for end in ("py", "pyi") for file in (ROOT / room).rglob(f"*.{end}"))


def is_file(word: str) -> bool:
    """Whether a file of Python is there, as it is named from the top, from the package, or by its name alone."""
    return word in file_names() if "/" not in word else any((ROOT / top / word).is_file() for top in ("", "negstats"))


@cache
def words_of(file: Path) -> frozenset[str]:
    """Return the words of a file's code, without its docstrings and comments."""
    return frozenset(re.findall(r"\w+", PROSE.sub("", file.read_text(encoding="utf-8"))))


def told(file: Path) -> Iterator[str]:
    """Yield the docstrings and comments of a file."""
    return (found.group() for found in PROSE.finditer(file.read_text(encoding="utf-8")))


def unknown_names(texts: Iterator[str], known: frozenset[str]) -> list[str]:
    """Return the names in backticks that no module, file or word of the code has."""
    unknown = []
    for word in (word.rstrip("().,:;") for text in texts for code in CODE.findall(text) for word in code.split()):
        if NAME.fullmatch(word):
            unknown += [word] * (entries.locate(word) is None)
        elif FILE.fullmatch(word):
            unknown += [word] * (not is_file(word))
        elif DEFINED.fullmatch(word):
            unknown += [word] * (word not in known)
    return unknown


def test_paths_and_modules_are_there() -> None:
    gone = []
    for path in TEXTS:
        words = [word for text in quoted(path) for word in text.split()]
        named = [word for word in words if word.startswith(TOP) and not set("<>*{") & set(word)]
        modules = [word.rstrip("()") for word in words if NAME.fullmatch(word.rstrip("()"))]
        unknown = [word for word in named if not (ROOT / word).exists() and word not in ELSEWHERE]
        unknown += [word for word in words if FILE.fullmatch(word) and not is_file(word)]
        unknown += [name for name in modules if entries.locate(name) is None]
        gone += [f"{path.relative_to(ROOT)}: {word}" for word in unknown]
    assert gone == []


def test_commands_are_there() -> None:
    known = get_command(app).commands  # type: ignore[attr-defined]
    for path in TEXTS:
        for text in quoted(path):
            first, *rest = [*text.split(), ""]
            if first == "negstats" and rest[0] and not rest[0].startswith("-"):
                assert rest[0] in known, f"{path.relative_to(ROOT)}: {text}"


@pytest.mark.parametrize("page", DEVELOPERS, ids=lambda page: page.name)
def test_what_a_page_for_developers_names_is_in_the_file_that_it_names(page: Path) -> None:
    text = " ".join(FENCED.sub("", page.read_text(encoding="utf-8")).split())
    pairs = [*OF_FILE[0].findall(text), *(pair[::-1] for pair in OF_FILE[1].findall(text))]
    for name, place in pairs:
        files = [file for file in SOURCES if file.as_posix().endswith(f"/{place}")]
        is_stub = place.endswith(".pyi")
        assert is_stub or any(name in words_of(file) for file in files), f"{name} of {place}"


@pytest.mark.parametrize("page", DEVELOPERS, ids=lambda page: page.name)
def test_a_function_that_a_page_for_developers_names_with_its_room_is_there(page: Path) -> None:
    rooms = {package.name for package in (ROOT / "negstats").iterdir() if package.is_dir()} - set(TABLES)
    named = [word.rstrip("()") for text in quoted(page) for word in text.split()]
    of_rooms = [word for word in named if DOTTED.fullmatch(word) and word.partition(".")[0] in rooms]
    assert [word for word in of_rooms if entries.locate(f"negstats.{word}") is None] == []


@pytest.mark.parametrize("room", ["negstats", "docs"])
def test_names_in_docstrings_and_comments_are_there(room: str) -> None:
    data = {word for end in ("toml", "json", "pyi", "js") for file in (ROOT / room).rglob(f"*.{end}")
            for word in re.findall(r"\w+", file.read_text(encoding="utf-8"))}  # fmt: skip
    known = frozenset(data).union(*map(words_of, SOURCES))
    for file in SOURCES:
        if file.is_relative_to(ROOT / room):
            assert unknown_names(told(file), known) == [], file


def test_a_name_that_is_gone_is_noticed() -> None:
    gone = ["`negstats.stats.t_tets`", "`means/t_tets.py`", "`choose_rules`, a `TestRecrd`", "`design` and ``no_name``"]
    known = frozenset({"choose_rule", "TestRecord"})
    assert unknown_names(iter(gone), known) == ["negstats.stats.t_tets", "means/t_tets.py", "choose_rules", "TestRecrd"]


def columns_of(doc: str | None) -> list[str]:
    """The columns that the first sentence of a docstring's Returns lists."""
    returned = (doc or "").partition("Returns\n")[2].partition("Raises")[0]
    return re.findall(r"`(\w+)`", returned.partition("The factors, ")[2].partition(". Where")[0])


@pytest.mark.parametrize("rate", [outcomes.goal_rate, outcomes.commitment_rate, outcomes.walk_away_rate])
def test_rates_have_the_columns_that_are_promised(rate: object) -> None:
    games = pd.DataFrame({"game_id": ["a", "b"], "country": "x", "ended": ["agreement", "walkaway"]})
    players = pd.DataFrame(
        {
            "game_id": ["a", "b"],
            "player": "CS",
            "role": "customer",
            "kind": "human",
            "reached_goal": pd.array([True, False], dtype="boolean"),
        }
    )
    offers = pd.DataFrame(
        {
            "game_id": ["a", "b"],
            "offer": 1,
            "response": "accepted",
            "commitment": pd.array([True, True], dtype="boolean"),
        }
    )
    frame = {
        "goal_rate": lambda: metrics.goal_rate(players, games, "country"),
        "commitment_rate": lambda: metrics.commitment_rate(offers, players, games, "country"),
        "walk_away_rate": lambda: metrics.walk_away_rate(games, "country"),
    }[rate.__name__]()  # type: ignore[attr-defined]
    promised = columns_of(rate.__doc__)
    assert promised
    assert set(promised) <= set(frame.columns)
