"""The project's own promises: clean style and types, README commands that CI runs, data sets with cards."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import combinations, product
from pathlib import Path
from random import Random

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import negstats
from tests.collection import DEAR, ROOT, spread

# Libraries that are installed under another name than they are imported by.
DISTRIBUTIONS = {"docx": "python-docx", "python_calamine": "python-calamine", "yaml": "pyyaml"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_opens_with_two_commands() -> None:
    first, second = re.findall(r"^```\n(.+?)\n```$", README, flags=re.MULTILINE | re.DOTALL)[:2]
    assert first.startswith("python -m pip install . && negstats compare datasets/robot/study points")
    assert first.endswith("&& negstats reproduce --out out")
    assert second == 'python -m pip install ".[test]" && python -m pytest'


PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("text", [README, PAPER], ids=["README", "paper"])
def test_the_python_of_a_text_runs(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```python\n(.+?)\n```$", text, flags=re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "text", "exec"), {})  # noqa: S102 - our own text
    output, prose = capsys.readouterr().out, " ".join(text.split()).replace("*", "").replace("~z~", "_z")
    numbers = re.findall(r"The sentence begins with \"(.+?)\" and gives (.+?\])\.", prose)
    assert len(numbers) == (text is PAPER)
    for start, statistics in numbers:
        assert output.startswith(start)
        assert statistics in output


def test_the_paper_cites_what_its_bibliography_has() -> None:
    entries = re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(set(re.findall(r"@(\w+)", PAPER))) == sorted(entries)
    assert len(PAPER.split()) < 1300


def test_the_status_is_that_of_the_version() -> None:
    stable = "Development Status :: 5 - Production/Stable" in PROJECT["classifiers"]
    assert stable == (int(negstats.__version__.partition(".")[0]) >= 1)


def test_the_readme_takes_three_minutes() -> None:
    prose = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
    assert sum(bool(re.search(r"\w", word)) for word in prose.split()) <= 700  # but for code, bars and dashes


def test_every_link_of_the_readme_leads_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(targets) > 20
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_every_data_set_has_a_card() -> None:
    for folder in (ROOT / "datasets").iterdir():
        if folder.is_dir() and not folder.name.startswith(("_", ".")):
            card = (folder / "README.md").read_text(encoding="utf-8")
            for word in ("source", "licence", "version"):
                assert word in card.lower(), f"{folder.name}: the card does not say the {word}"


def test_dependencies_have_floors_and_no_ceilings() -> None:
    """CI installs the floors (`.ci/run floors`); a ceiling has none but glmm, a beta that is held against lme4."""
    wanted = [*PROJECT["dependencies"], *(one for group in PROJECT["optional-dependencies"].values() for one in group)]
    for dependency in wanted:
        if dependency.startswith("glmm"):
            assert dependency.startswith("glmm>=0.6.2,<0.7")
            continue
        assert re.fullmatch(r"[\w.,\[\]-]+>=[\d.]+", dependency), dependency


def test_the_versions_that_ci_passed_with_are_those_of_all_that_is_declared() -> None:
    extras = PROJECT["optional-dependencies"]
    groups = [PROJECT["dependencies"], *(extras[name] for name in ("app", "docs", "engines", "test", "dev"))]
    lines = [Requirement(line) for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[1:]]
    passed = {canonicalize_name(one.name): next(iter(one.specifier)).version for one in lines}
    for declared in (Requirement(one) for group in groups for one in group):
        if declared.name != "negstats":
            name = canonicalize_name(declared.name)
            assert passed[name] in declared.specifier, f"{declared}: CI passed with {passed[name]}"


STEP = re.compile(r"^(\w+)\(\) \{", re.MULTILINE)
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_ci_and_the_workflows_run_the_same_commands() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    steps = set(STEP.findall(script))
    [by_itself] = re.findall(r"^    steps=\((.+)\)$", script, flags=re.MULTILINE)
    called = set(re.findall(r"\w+", by_itself))
    assert called <= steps
    assert len(WORKFLOWS) == 7
    for file in WORKFLOWS:
        for job in yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"].values():
            for line in [line for step in job["steps"] for line in step.get("run", "").splitlines()]:
                if line.startswith("bash .ci/run "):
                    assert set(line.split()[2:]) <= steps, f"{file.name}: {line}"
                    called |= set(line.split()[2:])
                    continue
                commands = [part.strip() for part in line.split("&&")]
                assert all(part.startswith("python ") for part in commands), f"{file.name}: {line} names an environment"
                modules = re.findall(r"python -m ([\w.]+)", line)
                scripts = re.findall(r"python ([\w/]+\.py)", line)
                assert modules or scripts, f"{file.name}: {line} is not a command that is known here"
                for module in modules:
                    assert find_spec(module) or module == "pip", f"{file.name}: no module {module}"
                for path in scripts:
                    assert (ROOT / path).is_file(), f"{file.name}: no file {path}"
    parts = {"readme_block", "in_environment", "in_workshop", "run_steps"}
    assert called | {"site"} == steps - parts, "a step that nothing runs"
    assert [mark for mark in DEAR if mark != "notebooks" and mark not in script] == []  # the site runs the notebooks


@pytest.mark.parametrize("seed", range(5))
def test_a_few_cases_of_a_product_hold_every_pair_of_levels(seed: int) -> None:
    cases = [dict(zip("abc", levels, strict=True)) for levels in product(range(5), range(4), range(3))]
    chosen = [cases[place] for place in spread(cases, 24, Random(seed))]  # noqa: S311 - no secret
    assert [len({case[name] for case in chosen[:5]}) for name in "abc"] == [5, 4, 3]
    pairs = [len({(case[one], case[other]) for case in chosen}) for one, other in combinations("abc", 2)]
    assert pairs == [20, 15, 12]


def test_no_file_of_the_project_names_a_registry() -> None:
    address = re.compile(r"https?://[^\s\"')]*(?:pypi|pythonhosted|npmjs)", re.IGNORECASE)
    for file in [*WORKFLOWS, ROOT / "constraints.txt", ROOT / "pyproject.toml", ROOT / ".pre-commit-config.yaml"]:
        assert not address.search(file.read_text(encoding="utf-8")), file


def imports(file: Path) -> Iterator[str]:
    """Yield each library that a file imports, within functions too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (name.name.partition(".")[0] for name in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]
            case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(module)), *_]):
                yield module.partition(".")[0]


@pytest.mark.slow
def test_every_library_that_is_imported_is_declared() -> None:
    extras = PROJECT["optional-dependencies"]
    for_users = [extras[name] for name in ("app", "gdl", "convokit", "mixed", "engines")]
    wanted = [*PROJECT["dependencies"], *(one for group in for_users for one in group)]
    declared = {re.split(r"[^\w.-]", one)[0].lower() for one in wanted}
    users: dict[str, str] = {}
    for file in sorted((ROOT / "negstats").rglob("*.py")):
        users |= dict.fromkeys(imports(file), file.relative_to(ROOT).as_posix())
    libraries = users.keys() - sys.stdlib_module_names - {"negstats"}
    assert libraries >= {"numpy", "pandas", "pyspark", *DISTRIBUTIONS}
    assert {name: users[name] for name in libraries if DISTRIBUTIONS.get(name, name) not in declared} == {}


@pytest.mark.slow
def test_every_command_has_its_part_on_the_page_of_commands() -> None:
    from docs.pages import commands
    from negstats.cli import app

    page = commands.page()
    for command in app.registered_commands:
        assert f"### `negstats {command.name}`" in page
