"""From a file to a report by clicks and by keys, in a real Chromium."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from docx import Document

from negstats.app.project import REPORT
from tests.app.conftest import Served, decisions
from tests.app.page import Page
from tests.conftest import DATA
from tests.report.page import browser as browsers
from tests.report.page.browser import Browser
from tests.shell import Shell

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ENTER, SPACE = "\ue007", " "


class ServedPage(Page):
    """A tab with the page, and the project that it serves."""

    def __init__(self, browser: Browser, served: Served, **given: object) -> None:
        self.served = served
        super().__init__(browser, served.address, **given)


@pytest.fixture
def open_page(chromium: Browser, command: Served) -> Callable[..., ServedPage]:
    return lambda **given: ServedPage(chromium, command, **given)


def report_of(page: ServedPage, kind: str = "exploratory") -> str:
    """Add the question that is shown, run the plan, and return the text of the Word file."""
    page.click("add", kind)
    page.go("plan")
    page.click("register")
    page.go("report")
    page.click("run")
    file = page.served.project.path(f"{REPORT}/report.docx")
    page.browser.until(file.is_file, "the report")
    page.wait()
    assert page.browser.all("iframe")
    return "\n".join(paragraph.text for paragraph in Document(str(file)).paragraphs)


# The parts of the page that reach beyond the window, where it scrolls sideways.
WIDER = """
const root = document.documentElement;
const is_wider = (part) => part.getBoundingClientRect().right > innerWidth + 1;
return root.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")].filter(is_wider)
  .map((part) => `${part.tagName} ${part.className} ${part.id}`).slice(0, 12);
"""


def statistic(sentence: str) -> str:
    """Return the test's numbers of a sentence, as far as its p."""
    start = min(place for sign in ("t(", "F(", "χ", "r(", "U =", "z =", "b =") if (place := sentence.find(sign)) >= 0)
    text = sentence.replace("\u00a0", " ")
    return text[start : text.index("p ", start) + 8].rstrip(" .,")


def said_by_command(page: ServedPage, shell: Shell, monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.chdir(page.served.project.folder)
    code, out, errors = shell("compare", "study", *words, "--json")
    assert code == 0, errors
    return str(json.loads(out)["sentence"])


def own_requests(page: ServedPage) -> None:
    """Hold that nothing is asked of another machine."""
    own = (f"http://{page.served.host}/", f"ws://{page.served.host}/", "blob:")
    assert [url for url in page.browser.asked_for() if not url.startswith(own)] == []
    assert page.browser.run("return window.violations ?? []") == []


def test_the_robot_study_from_start_to_end(
    open_page: Callable[..., ServedPage], shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page()
    page.click("ship", "robot")
    assert len(page.browser.all(".game")) == 3
    page.go("look")
    assert "198" in page.text(".boxes")
    assert "looked_at" not in page.served.project.plan_text()  # nothing was shown yet
    page.ask("points")
    began = time.monotonic()
    page.choose("who", "agent")
    page.browser.until(lambda: page.browser.all("#sentence"), "the sentence")
    assert time.monotonic() - began < 15
    page.browser.until(lambda: not page.browser.all(".later"), "what stands beside the test")
    sentence = page.text("#sentence")
    by_command = said_by_command(page, shell, monkeypatch, "points", "--by", "condition", "--who", "agent")
    assert statistic(sentence) == statistic(by_command)
    assert page.browser.all("figure img")
    word = report_of(page)
    assert statistic(by_command) in word.replace("\u00a0", " ")
    assert "looked at before registration" in word
    own_requests(page)


def test_a_strangers_table_asks_and_answers_stay_after_a_reload(open_page: Callable[..., ServedPage]) -> None:
    page = open_page()
    page.served.project.path("log.csv").write_text(decisions(), encoding="utf-8")
    page = open_page()
    page.click("open", "log.csv")
    assert "Who offers what to whom?" in page.text(".asking")
    assert "rho = " in page.text(".asking")
    page.click("column", "country")
    assert "What is the column “country”?" in page.text(".asking")
    page.click("answer", ["offer", "1"])
    assert "Who offers what to whom?" not in page.text(".asking")
    page = open_page()
    assert "Your answers" in page.text("#reading")
    page.ask("agreed")
    assert page.text("#sentence")


def test_a_result_that_is_hidden_is_not_noted(open_page: Callable[..., ServedPage]) -> None:
    page = open_page()
    page.click("ship", "robot")
    page.go("ask")
    page.browser.until(lambda: page.browser.all("#choice-hidden"), "the choices")
    page.browser.by_id("choice-hidden").click()
    page.wait()
    page.choose("outcome", "rounds")
    assert "What would be tested" in page.text("#answer")
    assert not page.text("#sentence")
    assert "looked_at" not in page.served.project.plan_text()
    page.browser.by_id("choice-hidden").click()
    page.wait()
    assert page.text("#sentence")
    assert page.served.project.plan_text().count("looked_at") == 1


def test_a_workbook_of_two_sheets_an_spss_file_and_a_folder(
    open_page: Callable[..., ServedPage], tmp_path: Path, real_data: object
) -> None:
    import pyreadstat

    rows = pd.read_csv(StringIO(decisions()))
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        rows.drop(columns="country").to_excel(book, sheet_name="decisions", index=False)
        rows[["subject", "country"]].drop_duplicates().to_excel(book, sheet_name="people", index=False)
    coded = rows.assign(country=rows["country"].map({"IL": 1.0, "US": 2.0}))
    labels = {"country": {1.0: "Israel", 2.0: "United States"}}
    pyreadstat.write_sav(coded, str(tmp_path / "study.sav"), variable_value_labels=labels)
    page = open_page()
    page.send_files(tmp_path / "book.xlsx")
    assert len(page.browser.all(".game")) == 3, page.text("#reading")
    page.browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    page.send_files(tmp_path / "study.sav")
    assert "Israel" in page.text("#reading")
    folder = DATA / "otree_dyads"
    if not folder.is_dir():
        pytest.skip("the real logs are not here")
    page.browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    page.send_files(folder, field="folder")
    assert page.served.project.path("otree_dyads").is_dir()
    assert len(page.browser.all(".game")) == 3, page.text("#reading")


def test_by_keys_alone(open_page: Callable[..., ServedPage]) -> None:
    page = open_page()
    browser = page.browser

    def tab_to(selector: str) -> None:
        for _ in range(120):
            browser.keys("\ue004")
            if browser.run("return document.activeElement.matches(arguments[0])", selector):
                return
        raise AssertionError(selector)

    tab_to('[data-do="ship"]')
    browser.keys(ENTER)
    time.sleep(1)
    page.wait()
    tab_to('[data-page="ask"]')
    browser.keys(SPACE)
    page.wait()
    tab_to('[type="search"]')
    browser.keys("joint", ENTER)
    page.wait()
    assert "joint value" in page.text(".question-text")
    assert browser.run("return document.activeElement.id") == "choice-outcome"  # the place is kept
    tab_to('[data-do="add"]')
    browser.keys(ENTER)
    page.wait()
    assert 'measure = "joint_value"' in page.served.project.plan_text()


HOSTILE = "<img src=x onerror=alert(1)>"


def test_hostile_names_are_inert(open_page: Callable[..., ServedPage]) -> None:
    page = open_page()
    log = decisions().replace("country", f'"{HOSTILE}"').replace(",US", ',"<script>alert(2)</script>"')
    page.served.project.path("log'&quot;<b>.csv").write_text(log, encoding="utf-8")
    page = open_page()
    page.click("open", "log'&quot;<b>.csv")
    page.click("column", HOSTILE)
    assert HOSTILE in page.text("#reading")
    condition = [part for part in page.browser.all("[data-do=answer]") if part.text == "It is a condition of the study"]
    assert [part.get_attribute("aria-pressed") for part in condition] == ["true"]  # as the file suggests
    for name in ("look", "ask", "plan"):
        page.go(name)
    assert (
        page.browser.run("return document.querySelectorAll('img[src=x], main script:not([type]), main b').length") == 0
    )
    own_requests(page)


def test_what_cannot_be_read_is_said_in_words(open_page: Callable[..., ServedPage]) -> None:
    page = open_page()
    page.served.project.path("empty.csv").write_bytes(b"")
    page = open_page()
    page.click("open", "empty.csv")
    assert "empty.csv" in page.text(".fault")
    page.click("ship", "robot")
    assert len(page.browser.all(".game")) == 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(open_page: Callable[..., ServedPage], width: int, scheme: str) -> None:
    script = browsers.axe()
    if script is None:
        pytest.skip("no axe-core here")
    page = open_page(width=width, prefers_color_scheme=scheme)
    faults = {"open": page.browser.faults(script)}
    page.served.project.path("log.csv").write_text(decisions(), encoding="utf-8")
    page = open_page(width=width, prefers_color_scheme=scheme)
    page.click("open", "log.csv")
    page.click("column", "country")
    faults["questions"] = page.browser.faults(script)
    page.ask("agreed")
    page.click("add", "exploratory")
    page.go("report")
    page.click("run")
    page.browser.until(page.served.project.path(f"{REPORT}/report.docx").is_file, "the report")
    page.wait()
    for name in ("open", "look", "ask", "plan", "report"):
        page.go(name)
        if name == "plan":
            page.click("text")
        faults[name] = page.browser.faults(script)
        assert page.browser.run(WIDER) == [], name
    assert {name: found for name, found in faults.items() if found} == {}
