"""The reference has every public name once; the tables of the site are complete."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from contextlib import nullcontext
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pingouin
import pytest

import negstats
from docs.pages import gallery, house, reference, summaries, trust, which_test
from docs.pages.tutorials import ORDER, STORED, check_data, find_fallback
from negstats import plots, stats
from negstats.analysis import compare
from negstats.analysis.rules import LEADING, RULES
from negstats.report.one_answer import sentences
from tests import held
from tests.conftest import ROOT
from tests.test_imports import MAY_IMPORT


@pytest.mark.slow
def test_every_public_name_stands_in_one_part() -> None:
    listed = [reference.described(*name) for part in reference.parts() for name in part.names]
    for module in reference.PACKAGES:
        for name in reference.public(module):
            what = reference.described(module, name)
            times = sum(what is one or (isinstance(what, tuple) and what == one) for one in listed)
            assert times == 1, f"{module}.{name} stands in {times} parts; say in groups.toml where it belongs"


def test_no_package_of_a_room_is_forgotten() -> None:
    for room in (
        "stats",
        "metrics",
        "analysis",
        "loaders",
        "audit",
        "plots",
        "simulate",
        "games",
        "estimate",
        "coding",
        "datasets",
    ):
        found = importlib.import_module(f"negstats.{room}")
        assert not getattr(found, "__all__", ()) or f"negstats.{room}" in reference.PACKAGES
    for room in ("games", "simulate"):
        folders = {file.parent.name for file in (ROOT / "negstats" / room).glob("*/__init__.py")}
        assert {f"negstats.{room}.{folder}" for folder in folders} <= set(reference.PACKAGES)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("(*stack, cells)", r"(\*stack, cells)"),
        ("the largest |t|", r"the largest \|t\|"),
        ("``a | b`` and *this* one", "``a | b`` and *this* one"),
        ("2 * 3", "2 * 3"),
    ],
)
def test_lone_stars_and_bars_stay(said: str, shown: str) -> None:
    assert reference.escaped(said) == shown


def test_code_in_a_docstring_stays() -> None:
    lines = ["Some **bold over", "two lines**; not (*that).", "", "So::", "", "    a | b", "", "    *c", "", "(*d)"]
    assert reference.escaped_lines(lines) == [*lines[:1], r"two lines**; not (\*that).", *lines[2:9], r"(\*d)"]


def test_a_name_is_led_to_where_the_reference_has_it() -> None:
    assert reference.where("negstats.studies.opening.open_study") == "negstats.open_study"
    assert reference.where("negstats.studies.open_stduy") is None
    assert reference.there("negstats.metrics.steps")
    assert not reference.there("negstats.metrics.stepz")


def test_every_function_of_data_is_called_with_every_summary() -> None:
    functions = {name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))}
    assert functions - summaries.NOT_OF_DATA == {name for name in summaries.CALLS if "." not in name}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("t_test", {"Cells", "ValueCounts"}),
        ("paired_t", {"Moments", "Rows"}),
        ("mixed", {"ClusterMoments"}),
        ("gee", set()),
    ],
)
def test_what_takes_which_summary(name: str, kinds: set[str]) -> None:
    assert {kind for kind, takes in summaries.taken(name).items() if takes} == kinds


def test_every_row_says_what_it_replaces() -> None:
    told = which_test.elsewhere()
    assert {int(row) for row in told["rows"]} == {rule.row for rule in (*RULES, *LEADING)}
    assert set(which_test.TITLES) == {rule.outcome for rule in (*RULES, *LEADING)}
    for _, _, calls in told["rows"].values():
        for call in calls.split("; "):
            assert call == "–" or callable(getattr(pingouin, call.partition("(")[0])), call
    drawn = {name for text in which_test.PLANS.values() for name in text.split() if name in {r.figure for r in RULES}}
    assert drawn == {rule.figure for rule in RULES if rule.figure}


def test_every_figure_stands_in_the_gallery() -> None:
    scripts = {file.stem.removeprefix("plot_"): file for file in (ROOT / "docs" / "examples").rglob("plot_*.py")}
    assert set(scripts) == set(plots.__all__) - {"save_figure", "take_caption"}
    for name, file in scripts.items():
        assert f"{name}(" in file.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_heat_map_keeps_its_colours_on_a_dark_page(tmp_path: Path) -> None:
    plots.agent_heat_map(
        pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], index=["a", "b"], columns=["a", "b"]), 5, label="points"
    )
    (tmp_path / "images").mkdir()
    file = tmp_path / "images" / "map_001.png"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gallery, "HERE", tmp_path)
        gallery.in_both(("code", "map"), {"image_path_iterator": iter([file])}, {})
    light, dark = plt.imread(file), plt.imread(file.with_name("map_001_dark.png"))
    assert light.shape == dark.shape
    saturated = np.ptp(light[..., :3], axis=-1) > 0.3
    assert saturated.mean() > 0.1
    assert np.isclose(light[saturated], dark[saturated], atol=0.02).mean() > 0.95  # but at the edges
    assert dark[0, 0, :3].max() < 0.2 < light[0, 0, :3].min()


def test_grey_keeps_the_luminance() -> None:
    picture = np.array([[[1.0, 1.0, 1.0, 0.5], [0.0, 0.0, 1.0, 1.0]]])
    assert gallery.grey(picture).round(4).tolist() == [[[1.0, 1.0, 1.0, 0.5], [0.0722, 0.0722, 0.0722, 1.0]]]


def test_every_notebook_is_a_tutorial() -> None:
    named = sorted(name for names in ORDER.values() for name in names)
    assert named == sorted(file.stem for file in (ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize(
    ("code", "fallback"),
    [
        ("study = datasets.robot()", None),
        ('study = load(logs if logs.exists() else "other")', "exists"),
        ('logs = Path(os.environ.get("NEGSTATS_DATA", "missing"))', "environ"),
        ("try:\n    study = load('logs')\nexcept FileNotFoundError:\n    study = simulated()", "try"),
        ('study = load("../datasets/sample")', "datasets/sample"),
    ],
)
def test_a_tutorial_that_falls_back_to_other_data_stops_the_build(
    code: str, fallback: str | None, tmp_path: Path
) -> None:
    script, book = tmp_path / "plot_other.py", tmp_path / "other.ipynb"
    script.write_text(code, encoding="utf-8")
    book.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [code]}]}), encoding="utf-8")
    assert find_fallback(code) == fallback
    for books, scripts in (([book], [script][:0]), ([book][:0], [script])):
        with pytest.raises(ValueError, match=re.escape(repr(fallback))) if fallback else nullcontext():
            check_data(books, scripts)


@pytest.mark.slow
def test_the_house_is_drawn_from_the_imports() -> None:
    rooms = house.rooms()
    assert set(rooms) == set(MAY_IMPORT) - house.EVERYWHERE
    assert {"tables", "files"} <= rooms["studies"]
    heights = house.layers(rooms)
    assert all(heights[room] > heights[one] for room, seen in rooms.items() for one in seen)
    with pytest.raises(ValueError, match="circle"):
        house.layers({"a": {"b"}, "b": {"a"}})


def test_the_way_of_a_call_is_what_it_enters() -> None:
    steps = house.way(lambda: stats.proportion(3, 10).apa())
    assert steps[0] == ("stats/counts/proportions.py", "proportion")


@pytest.mark.slow
def test_the_steps_of_one_number_run_in_the_order_of_the_page() -> None:
    page = (ROOT / "docs" / "developers" / "one-number.md").read_text(encoding="utf-8")
    steps = re.findall(r"^1\. `(\S+)`: `(\w+)`", page, re.MULTILINE)

    def say() -> None:
        log = ROOT / "datasets" / "ultimatum" / "ultimatum.csv"
        study = negstats.load(log, mapping=log.with_suffix(".toml"))
        sentences(compare(study, "share_to_responder", by="condition", who="proposer"))

    functions = house.entered(say)
    assert len(steps) == 24
    assert [step for step in functions if step in steps] == steps


def test_every_reference_says_which_programs_wrote_it() -> None:
    names = {file.stem for file in (ROOT / "tests" / "reference").glob("*.json")}
    assert all(re.fullmatch(r"(R|nashpy) \d.*\d", held.written_by(name)) for name in names)


@pytest.mark.slow
def test_the_page_of_trust_counts_what_the_tests_met(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = "tests/stats/means/test_t_tests.py::test_one_way_and_equal_variances_agree_with_r"
    rows = [{"reference": "means", "value": 2.5 + n, "test": test, "error": 10.0 ** -(n + 5)} for n in range(3)]
    ran: list[list[str]] = []

    def run(tests: list[str], _: Path, **_few: bool) -> list[dict[str, object]]:
        ran.append(tests)
        return rows

    (tmp_path / "calibration.json").write_bytes((ROOT / "docs" / "calibration.json").read_bytes())
    monkeypatch.setattr(trust, "DOCS", tmp_path)
    monkeypatch.setattr(trust, "_papers", str)
    monkeypatch.setattr(held, "run", run)
    monkeypatch.delenv(STORED, raising=False)
    page = trust.page()
    programs = "R 4.2.2, car 3.1-1, effectsize 0.8.3"
    assert f"| {{py:obj}}`one_way <negstats.stats.one_way>` | {programs} | 3 | 0 | 1e−6 | 1e−5 |" in page
    assert "| {py:obj}`one_way <negstats.stats.one_way>` | 1e−5 | `means` |" in page
    assert "| cox, clusters | " in page
    assert trust.page() == page
    assert ran == [held.files()]  # once: nothing has changed


@pytest.mark.slow
def test_numbers_that_do_not_hold_stop_the_build(tmp_path: Path) -> None:
    (tmp_path / "test_wrong.py").write_text("def test_it() -> None:\n    assert 1 == 2\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="do not hold"):
        held.run([str(tmp_path / "test_wrong.py")], tmp_path / "held.jsonl")


@pytest.mark.parametrize("name", ["CITATION.cff", "SECURITY.md"])
def test_what_others_look_for_is_there(name: str) -> None:
    assert Path(ROOT / name).is_file()
