"""The page in a real Chromium, opened from disk: what it asks for, filter, keyboard, narrow, dark, print, attacks."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from pypdf import PdfReader
from selenium.webdriver.common.keys import Keys

import negstats
from negstats import datasets
from negstats.analysis import run
from negstats.analysis.plan import read
from negstats.report import html, write
from tests.conftest import ROOT, DataFolder
from tests.report.page import browser as browsers
from tests.report.page.browser import Browser
from tests.report.page.reports import bare, synthetic, two_groups

pytestmark = pytest.mark.browser

LARGE = 600  # games


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(two_groups(synthetic(200)), tmp_path_factory.mktemp("pages") / "small")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with its games beside the page, as if they were too many to stand inside."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html, "INSIDE", 100_000)
        return write(bare(LARGE), tmp_path_factory.mktemp("pages") / "large")


def shown(browser: Browser) -> int:
    return int(browser.text("#games-count").split()[0])


def test_nothing_is_asked_for_and_nothing_is_said(chromium: Browser, large: Path) -> None:
    chromium.open(large)
    for game in (1, LARGE // 2, LARGE - 1):
        chromium.show(game)
    assert chromium.said() == []
    assert chromium.asked_for() == []
    assert len(list((large / "report_games").iterdir())) == 3
    assert chromium.run("return document.getElementsByTagName('*').length") <= 1500


def test_games_are_filtered(chromium: Browser, small: Path) -> None:
    study = synthetic(200)
    chromium.open(small)
    assert shown(chromium) == 200
    chromium.by_id("games-factor-0").send_keys("selfish")
    assert shown(chromium) == (study.games["condition"] == "selfish").sum()
    chromium.by_id("games-end").send_keys("walkaway")
    both = (study.games["condition"] == "selfish") & (study.games["ended"] == "walkaway")
    assert shown(chromium) == both.sum()
    chromium.run("document.getElementById('games-filters').reset()")
    chromium.until(lambda: shown(chromium) == 200, "all games again")
    chromium.by_id("games-low").send_keys("20")
    chromium.by_id("games-high").send_keys("22")
    points = study.players[study.players["points"].between(20, 22)]
    assert shown(chromium) == points["game_id"].nunique()


def test_words_are_searched_in_all_games(chromium: Browser, large: Path) -> None:
    study = synthetic(LARGE)
    chromium.open(large)
    chromium.by_id("games-words").send_keys("TWO waters")
    wanted = study.messages[study.messages["text"].str.contains("two waters")]["game_id"].nunique()
    chromium.until(lambda: chromium.text("#games-count").startswith(f"{wanted} of "), f"{wanted} games")
    chromium.by_id("games-words").send_keys(Keys.ESCAPE)
    chromium.until(lambda: shown(chromium) == LARGE, "all games again")
    chromium.by_id("games-words").send_keys("no such words")
    chromium.until(lambda: chromium.text("#games-count").startswith("0 of "), "no game")
    assert chromium.by_id("games-list").is_displayed() is False
    assert chromium.said() == []


def test_an_opened_game_shows_what_the_study_has(chromium: Browser, small: Path) -> None:
    study = synthetic(200)
    chromium.open(small, "#g7")
    chromium.until(lambda: chromium.text("#game-title") == "game 00008", "the eighth game")
    talk = study.messages[study.messages["game_id"] == "game 00008"]["text"].tolist()
    assert [one.text for one in chromium.all("#game .said")] == talk
    offers = study.offers[study.offers["game_id"] == "game 00008"]
    own, other = offers[["value_proposer", "value_responder"]].iloc[0]
    assert f"own {own:g}, other {other:g}" in chromium.text("#game .offer")
    assert len(chromium.all("#game .drawn .mark")) == 2 * len(offers)  # both figures show each offer
    possible = chromium.run("return document.querySelectorAll('#game .outcome').length")
    assert possible == len({tuple(row) for row in _space(study, "game 00008")})
    assert "64 outcomes" in chromium.text("#game")


def _space(study: object, game: str) -> list[list[float]]:
    from itertools import product

    values = study.values[study.values["game_id"] == game]  # type: ignore[attr-defined]
    a, b = (values.loc[values["player"] == seat, "value"].to_numpy() for seat in "AB")
    takes = list(product(range(4), repeat=3))
    return [[float(sum(a * take)), float(sum(b * (3 - x) for b, x in zip(b, take, strict=True)))] for take in takes]


def test_the_keyboard_is_enough(chromium: Browser, small: Path) -> None:
    chromium.open(small)
    chromium.tab_to("games-list")
    before = chromium.by_id("games-list").get_attribute("aria-activedescendant")
    assert before == "row-0"
    chromium.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.END)
    assert chromium.by_id("games-list").get_attribute("aria-activedescendant") == "row-199"
    assert chromium.by_id("row-199").is_displayed()
    chromium.keys(Keys.HOME, Keys.PAGE_DOWN, Keys.ENTER)
    chromium.until(
        lambda: chromium.run("return document.activeElement.id") == "game-title", "the heading has the focus"
    )
    chromium.keys(Keys.ESCAPE)
    assert chromium.run("return document.activeElement.id") == "games-list"
    chromium.keys(Keys.ARROW_DOWN, " ")
    chromium.until(lambda: chromium.run("return document.activeElement.id") == "game-title", "the blank opens too")
    active = chromium.by_id("games-list").get_attribute("aria-activedescendant")
    selected = "return document.getElementById(arguments[0]).ariaSelected"  # at once: rows are drawn again meanwhile
    assert chromium.run(selected, active) == "true"


@pytest.mark.parametrize(
    "looks", [{}, {"width": 390, "height": 844}, {"prefers_color_scheme": "dark"}, {"forced_colors": "active"}]
)
def test_axe_finds_nothing(chromium: Browser, small: Path, looks: dict[str, object]) -> None:
    script = browsers.axe()
    if script is None:
        pytest.skip("axe-core is not here (axe-playwright-python carries it, or NEGSTATS_AXE names it)")
    chromium.open(small, **looks)  # type: ignore[arg-type]
    chromium.show(3)
    assert chromium.faults(script) == []


def test_a_narrow_window_shows_registration_and_answers_first(chromium: Browser, small: Path) -> None:
    chromium.open(small, width=390, height=844)
    chromium.show(0)
    assert chromium.run("return document.documentElement.scrollWidth") <= 390
    chromium.run("scrollTo(0, 0)")
    for selector in (".state", ".answers li"):
        assert (
            chromium.run("return document.querySelector(arguments[0]).getBoundingClientRect().bottom", selector) <= 844
        )


def test_print_leaves_out_what_is_for_screens(chromium: Browser, small: Path) -> None:
    chromium.open(small)
    chromium.show(2)
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(chromium.pdf())).pages]
    whole = "\n".join(pages)
    assert "game 00003" in whole  # the opened game stays
    assert "Show all" not in whole
    assert "game 00005" not in whole  # the list goes
    assert any("Hypothesis 1: Points" in page.replace("\u00a0", " ") for page in pages)
    assert "Markdown" not in whole


def test_the_report_is_whole_without_its_script(chromium: Browser, small: Path) -> None:
    chromium.scripts(allowed=False)
    try:
        chromium.open(small)
        shown_text = chromium.driver.find_element("tag name", "body").text
    finally:
        chromium.scripts(allowed=True)
    assert "only the list of games needs it" in shown_text
    assert "Hypothesis 1: Points" in shown_text
    assert "Show all" not in shown_text


def test_a_file_that_is_not_beside_the_page_is_said_in_words(chromium: Browser, large: Path, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    shutil.copytree(large, folder)
    (folder / "report_games" / "0001.js").unlink()
    chromium.open(folder, "#g400")
    chromium.until(lambda: "0001.js is not beside this page" in chromium.text("#game"), "the missing file is named")
    chromium.show(1)


def test_one_file_holds_all_games(chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "INSIDE", 100_000)
    folder = write(bare(LARGE), tmp_path / "report", one_file=True)
    assert not (folder / "report_games").exists()
    chromium.open(folder)
    chromium.show(LARGE - 1)
    assert chromium.said() == []


def test_the_robot_study_from_plan_to_page(chromium: Browser, real_data: DataFolder, tmp_path: Path) -> None:
    study = negstats.load(real_data("solver_cl"))
    report = run(read(ROOT / "tests" / "plans" / "robot.toml"), study)
    folder = write(report, tmp_path / "report")
    chromium.open(folder)
    answer = " ".join(chromium.text(".answers li").split())
    assert answer == "H1 Does the agent earn more in CL than in FC? Supported."
    page_text = " ".join(chromium.text("#results").split())
    assert "a mean difference of 0.022 points, 95% CI [0.004, 0.040]" in page_text
    assert "t(65) = 2.46, pHolm = .033, dz = 0.30" in page_text
    assert "198 games of 66 people" in chromium.text(".state")
    bottoms = (
        "return [...document.querySelectorAll('.answers li')].slice(0, 2).map(e => e.getBoundingClientRect().bottom)"
    )
    assert max(chromium.run(bottoms)) <= 900
    assert shown(chromium) == 132
    for game in (0, 60, 131):
        chromium.show(game)
    assert chromium.said() == []
    assert chromium.asked_for() == []
    chromium.open(folder, width=390, height=844)
    assert max(chromium.run(bottoms)) <= 844
    assert chromium.run("return document.documentElement.scrollWidth") <= 390
    chromium.open(folder)
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(chromium.pdf())).pages]
    assert "practice before the conditions" in " ".join(" ".join(pages[:2]).split())
    for name, heading in (
        ("H1", "Hypothesis 1: Agent's Points by Condition"),
        ("H2", "Hypothesis 2: People's Points"),
    ):
        texts = [page.replace("\u00a0", " ") for page in pages]
        [place] = [place for place, page in enumerate(texts) if heading in page]
        after = " ".join(texts[place : place + 3])  # a question may take two pages with its tables and figures
        assert f"figures/{name}.svg" in "".join(after.split()).replace("ﬁ", "fi")


COPIED = """
window.addEventListener("copy", (event) => {
  window.copied = ["text/plain", "text/html"].map((kind) => event.clipboardData.getData(kind));
});
"""


def test_a_sentence_a_paragraph_and_a_table_are_copied_in_each_form(
    chromium: Browser, small: Path, tmp_path: Path
) -> None:
    chromium.open(small)
    chromium.run(COPIED)

    def copied(block: str, form: str) -> list[str]:
        opener = chromium.all(f"{block} > .copy > button")[0]  # it opens the one row of formats
        chromium.run("arguments[0].scrollIntoView(); arguments[0].focus()", opener)
        chromium.keys(Keys.ENTER)
        (button,) = (one for one in chromium.all(".formats button") if one.get_attribute("aria-label") == form)
        chromium.run("arguments[0].focus()", button)
        chromium.keys(Keys.ENTER)
        texts: list[str] = chromium.run("return window.copied")
        chromium.keys(Keys.ESCAPE)
        assert chromium.all(".formats") == []
        return texts

    whole, first = (copied(f"#method #measures + p{inner}", "Copy as Text")[0] for inner in ("", " .sentence"))
    assert whole.startswith(first)
    assert len(whole) > len(first)
    assert "Copy" not in whole
    result = "#q-H1 .sentence"
    assert "p = ." in copied(result, "Copy as Text")[0]
    assert "*p* = ." in copied(result, "Copy as Markdown")[0]
    assert r"\textit{p}~=~." in copied(result, "Copy as LaTeX")[0]
    assert r"$\alpha$~=~.05" in copied("#method #analysis + p", "Copy as LaTeX")[0]
    word = copied(result, "Copy as Word")[1]
    assert "<i>p</i>" in word
    assert "button" not in word
    report = run(read(ROOT / "tests" / "plans" / "robot.toml"), datasets.robot())
    chromium.open(write(report, tmp_path / "report"))  # a report with tables
    chromium.run(COPIED)
    table = "#supplement .wide:has(#table-S1)"
    assert copied(table, "Copy as Text")[0].startswith("Table S1 ")
    lines = copied(table, "Copy as Markdown")[0].splitlines()
    assert len({line.count("|") for line in lines[2:]}) == 1
    assert r"\begin{tabular}{l" in copied(table, "Copy as LaTeX")[0]
    heads = copied("#results .wide:has(#table-1)", "Copy as Markdown")[0].splitlines()[2:5:2]
    assert heads == [
        "|  | CL |  | FC |  | CL − FC |  |  |  |",
        "| Measure | *M* | *SD* | *M* | *SD* | *M* | 95% CI | *t*(65) | *p* |",
    ]
    assert "| **Hypothesis 1** |" in copied("#supplement .wide:has(#table-S2)", "Copy as Markdown")[0]
    assert chromium.said() == []
