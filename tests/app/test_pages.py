"""From a file to a report by clicks and by keys, in a real Chromium."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from docx import Document

from negstats.app.project import LOCK, REPORT
from tests.app.conftest import Served, decisions
from tests.app.page import Page, serve_command
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
    page.choose("who", "agent")
    page.browser.until(lambda: "the agent" in page.text(".question-text"), "the answer to this question")
    page.browser.until(lambda: page.browser.all("figure img"), "the figure")
    page.browser.until(lambda: not page.browser.all(".later"), "what stands beside the test")
    sentence = page.text("#sentence")
    by_command = said_by_command(page, shell, monkeypatch, "points", "--by", "condition", "--who", "agent")
    assert statistic(sentence) == statistic(by_command)
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


def write_inputs(folder: Path) -> None:
    """Write a stranger's table as CSV, as a workbook of two sheets, and as an SPSS file with labels."""
    import pyreadstat

    (folder / "log.csv").write_text(decisions(), encoding="utf-8")
    rows = pd.read_csv(StringIO(decisions()))
    with pd.ExcelWriter(folder / "book.xlsx") as book:
        rows.drop(columns="country").to_excel(book, sheet_name="decisions", index=False)
        rows[["subject", "country"]].drop_duplicates().to_excel(book, sheet_name="people", index=False)
    coded = rows.assign(country=rows["country"].map({"IL": 1.0, "US": 2.0}))
    labels = {"country": {1.0: "Israel", 2.0: "United States"}}
    pyreadstat.write_sav(coded, str(folder / "study.sav"), variable_value_labels=labels)


class Keys:
    """Somebody who goes through the page by keys alone."""

    def __init__(self, page: ServedPage) -> None:
        self.page, self.browser = page, page.browser

    def press(self, selector: str, key: str = ENTER) -> None:
        """Go to an element by the key Tab, and press a key there."""
        for _ in range(150):
            self.browser.keys("\ue004")
            if self.browser.run("return document.activeElement.matches(arguments[0])", selector):
                self.browser.keys(key)
                time.sleep(0.5)
                self.page.wait()
                return
        raise AssertionError(selector)

    def open(self, source: Path) -> None:
        if source.is_dir():
            shutil.copytree(source, self.page.served.project.path(source.name))
        else:
            shutil.copy(source, self.page.served.project.folder)
        self.page = ServedPage(self.browser, self.page.served)
        self.press(f"""[data-value='"{source.name}"']""")

    def choose_outcome(self, word: str) -> None:
        self.press('[type="search"]', "")
        self.browser.keys(word, ENTER)
        self.browser.until(lambda: self.page.text("#sentence"), "the sentence")
        assert self.browser.run("return document.activeElement.id") == "choice-outcome"  # the place is kept


class Mouse(Keys):
    """Somebody who goes through the page by the mouse; the system's window for files, and lists, are not the page's."""

    def press(self, selector: str, key: str = "") -> None:  # noqa: ARG002 - as of keys
        """Click the first element that is visible, where it is."""
        from selenium.webdriver import ActionChains

        element = next(each for each in self.browser.all(selector) if each.is_displayed())
        self.browser.run("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.browser.driver).move_to_element(element).click().perform()
        time.sleep(0.5)
        self.page.wait()

    def open(self, source: Path) -> None:
        self.page.send_files(source, field="folder" if source.is_dir() else "files")

    def choose_outcome(self, word: str) -> None:
        from selenium.webdriver.support.select import Select

        options = Select(self.browser.by_id("choice-outcome"))
        options.select_by_visible_text(next(each.text for each in options.options if word in each.text.lower()))
        self.browser.until(lambda: self.page.text("#sentence"), "the sentence")


@pytest.mark.browser
@pytest.mark.parametrize("way", [Keys, Mouse])
@pytest.mark.parametrize("name", ["robot", "log.csv", "book.xlsx", "study.sav", "otree_dyads"])
def test_from_a_file_to_a_word_file(
    open_page: Callable[..., ServedPage], tmp_path: Path, name: str, way: type[Keys], real_data: object
) -> None:
    page = open_page()
    person, browser, project = way(page), page.browser, page.served.project
    write_inputs(tmp_path)
    source = DATA / name if name == "otree_dyads" else tmp_path / name
    if name == "robot":
        person.press("""[data-do="ship"][data-value='"robot"']""")
    elif source.exists():
        person.open(source)
    else:
        pytest.skip("the real logs are not here")
    browser.until(lambda: browser.all(".game"), "three games")
    assert len(browser.all(".game")) == 3
    if name == "study.sav":
        assert "Israel" in person.page.text("#reading")
    if question := browser.all(".asking .option"):
        assert question[0].text
        person.press(".asking .option", SPACE)
    person.press('[data-page="ask"]', SPACE)
    browser.until(lambda: browser.all("#choice-outcome"), "what can be asked is known")
    person.choose_outcome({"robot": "joint", "otree_dyads": "points"}.get(name, "agree"))
    person.press('[data-do="add"]')
    browser.until(lambda: "[questions.E1]" in project.plan_text(), "the question in the plan")
    person.press('[data-page="plan"]')
    browser.until(lambda: browser.all('[data-do="register"]'), "the plan is checked")
    person.press('[data-do="register"]')
    browser.until(project.path(LOCK).is_file, "the registration")
    person.press('[data-page="report"]')
    person.press('[data-do="run"]')
    browser.until(lambda: browser.all("iframe"), "the report")
    assert Document(str(project.path(f"{REPORT}/report.docx"))).paragraphs
    own_requests(page)


# An answer is computed for as long as a test wants it to.
SLOW = """
import time
from pathlib import Path
from negstats.app import ask_page
answer_at_once = ask_page.answer_question

def answer_in_time(*given):
    while not Path({sign!r}).exists():
        time.sleep(0.1)
    return answer_at_once(*given)

ask_page.answer_question = answer_in_time
"""


def test_other_clicks_are_answered_while_an_answer_is_computed(chromium: Browser, tmp_path: Path) -> None:
    sign = tmp_path / "now"
    with serve_command(tmp_path / "project", SLOW.format(sign=str(sign))) as served:
        page = ServedPage(chromium, served)
        page.click("ship", "robot")
        page.go("ask")
        chromium.until(lambda: chromium.all("#choice-outcome"), "what can be asked is known")
        for outcome in ("points", "rounds"):
            select = "const e = document.getElementById('choice-outcome'); e.value = arguments[0];"
            chromium.run(f"{select} e.dispatchEvent(new Event('change', {{bubbles: true}}))", outcome)
            chromium.until(lambda: chromium.all("#choice-by"), "the choices that fit the outcome")
        chromium.run("""document.querySelector("[data-page='open']").click()""")
        chromium.until(lambda: chromium.by_id("opening").is_displayed(), "the page Open")
        assert not page.text("#sentence")  # it is not there yet
        sign.touch()
        page.go("ask")
        chromium.until(lambda: "rounds" in page.text("#sentence").lower(), "the answer to what was asked last")


def test_two_tabs_see_each_other_and_keep_what_is_being_written(open_page: Callable[..., ServedPage]) -> None:
    page = open_page()
    page.click("ship", "robot")
    page.go("look")
    page.browser.until(lambda: page.browser.all("#grid tbody tr"), "the table of games")
    assert "198 rows" in page.text("#tables")
    driver = page.browser.driver
    first = driver.current_window_handle
    driver.switch_to.new_window("tab")
    second = driver.current_window_handle
    try:
        other = open_page()
        assert len(other.browser.all(".game")) == 3
        other.go("plan")
        driver.switch_to.window(first)
        page.ask("rounds")
        page.click("add", "exploratory")
        driver.switch_to.window(second)
        other.browser.until(lambda: "E1 · exploratory" in other.text("#cards"), "the question of the other tab")
        other.click("text")
        other.browser.run("document.getElementById('plan-text').value += '# mine'")
        driver.switch_to.window(first)
        page.choose("outcome", "offers")
        page.click("add", "exploratory")
        driver.switch_to.window(second)
        other.browser.until(lambda: other.browser.all("[data-do=show-current]"), "the warning")
        other.click("read-back")
        refusal = "was changed in another tab"
        other.browser.until(lambda: refusal in other.text("#shiny-notification-panel"), "the refusal")
        assert other.browser.run("return document.getElementById('plan-text').value").endswith("# mine")
        assert "E2" in other.served.project.plan_text()
        assert "# mine" not in other.served.project.plan_text()
        other.click("show-current")
        value = "return document.getElementById('plan-text').value"
        other.browser.until(lambda: "[questions.E2]" in other.browser.run(value), "the present text")
    finally:
        driver.switch_to.window(second)
        driver.close()
        driver.switch_to.window(first)


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
    assert " ".join(page.text(".fault").split()) == (
        "empty.csv: is empty Nothing was changed. Choose another file, or correct this one and open it again."
    )
    page.click("ship", "robot")
    assert len(page.browser.all(".game")) == 3


@pytest.mark.browser
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
