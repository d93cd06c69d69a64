"""The reference has every public name once; the tables of the site are complete."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import numpy as np
import pingouin
import pytest

from docs.pages import gallery, house, reference, summaries, trust, which_test
from docs.pages.tutorials import ORDER
from negstats import plots, stats
from negstats.analysis.rules import LEADING, RULES
from tests.conftest import ROOT
from tests.test_imports import MAY_IMPORT


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
    scripts = {file.stem.removeprefix("plot_") for file in (ROOT / "docs" / "examples").glob("plot_*.py")}
    assert scripts == set(plots.__all__) - {"save_figure", "take_caption"}
    for name in scripts:
        assert f"{name}(" in (ROOT / "docs" / "examples" / f"plot_{name}.py").read_text(encoding="utf-8")


def test_grey_keeps_the_luminance() -> None:
    picture = np.array([[[1.0, 1.0, 1.0, 0.5], [0.0, 0.0, 1.0, 1.0]]])
    assert gallery.grey(picture).round(4).tolist() == [[[1.0, 1.0, 1.0, 0.5], [0.0722, 0.0722, 0.0722, 1.0]]]


def test_every_notebook_is_a_tutorial() -> None:
    named = sorted(name for names in ORDER.values() for name in names)
    assert named == sorted(file.stem for file in (ROOT / "notebooks").glob("*.ipynb"))


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


def test_every_reference_has_a_name_on_the_page_of_trust() -> None:
    held = {file.stem for file in (ROOT / "tests" / "reference").glob("*.json")}
    assert held - {"audit_statcheck"} == set(trust.NAMES)  # that one holds verdicts, no numbers
    assert "| all |" in trust.page()


def test_calibration_is_told_where_it_has_been_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trust.json").write_bytes((ROOT / "docs" / "trust.json").read_bytes())
    monkeypatch.setattr(trust, "DOCS", tmp_path)
    monkeypatch.setattr(trust, "_papers", str)
    assert "calibration.md" not in trust.page()
    (tmp_path / "calibration.md").touch()
    assert trust.page().endswith("../calibration\n```\n")


@pytest.mark.parametrize("name", ["CITATION.cff", "SECURITY.md"])
def test_what_others_look_for_is_there(name: str) -> None:
    assert Path(ROOT / name).is_file()
