"""The pages in a real Chromium: by the keyboard alone, kept, undone, exported, imported, hostile text, and axe."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys
from typer.testing import CliRunner

from negstats import coding, open_study
from negstats.cli import app
from negstats.report.prose import number_words
from negstats.studies import Study
from tests.coding.conftest import codebook_file
from tests.coding.talks import CODEBOOK, Rule, by_words, coded, synthetic
from tests.coding.test_page import ATTACKS
from tests.report.page import browser as browsers
from tests.report.page.browser import PATIENCE, Browser

pytestmark = pytest.mark.browser

KEY = {"offer": "1", "reject": "5", "reason": "2"}


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """Return a page that begins without anything kept."""
    opened = Page(chromium, tmp_path)
    yield opened
    opened.forget()


class Page:
    """A coding page in the browser, and the folder that it exports to."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser, self.folder = browser, folder
        self.exports = folder / "exports"
        self.exports.mkdir()
        browser.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.exports)}
        )
        (folder / "blank.html").write_text("<title>blank</title>", encoding="utf-8")

    def open(self, html: str | Path, **looks: Any) -> None:
        file = html if isinstance(html, Path) else self.folder / "page.html"
        if isinstance(html, str):
            file.write_text(html, encoding="utf-8")
        self.browser.visit(file.as_uri(), **looks)

    def forget(self) -> None:
        self.browser.visit((self.folder / "blank.html").as_uri())
        self.browser.run("localStorage.clear()")

    def press(self, *keys: str) -> None:
        self.browser.keys(*keys)

    def shift(self, *keys: str) -> None:
        chain = ActionChains(self.browser.driver, duration=0)
        chain.key_down(Keys.SHIFT).send_keys(*keys).key_up(Keys.SHIFT).perform()

    @property
    def count(self) -> str:
        return self.browser.text("#count")

    @property
    def status(self) -> str:
        return self.browser.text("#status")

    @property
    def active(self) -> str:
        return self.browser.text(".message.active .text")

    def tags(self) -> list[str]:
        return [one.text for one in self.browser.all(".message.active .tag")]

    def code_all(self, rule: Rule = by_words) -> None:
        """Code every message by its keys and Enter, as the rule says; no mouse."""
        data = json.loads(self.browser.run("return document.getElementById('data').textContent"))
        for talk in data["talks"]:
            keys: list[str] = []
            for number, speaker, text, act, sha256, asks, *_ in talk["m"]:
                if asks:
                    codes = rule(coding.Message(number, speaker, text, act, True, sha256))
                    keys += [*(KEY[code] for code in codes), *([] if codes else ["0"]), Keys.ENTER]
            self.press(*keys)

    def export(self) -> coding.CodedFile:
        name = f"{len(list(self.exports.iterdir()))}.json"  # a second export would take the first one's place
        self.press("e")
        end = time.monotonic() + 3 * PATIENCE
        while time.monotonic() < end:
            new = [one for one in self.exports.glob("*-*.json") if one.stat().st_size]
            if new:
                return coding.read_coded(new[0].rename(self.exports / name))
            time.sleep(0.05)
        raise AssertionError(f"no file was exported: {self.browser.said()}")

    def warns(self, message: str) -> bool:
        return message in self.browser.text("#alert")

    def choose_file(self, file: Path) -> None:
        self.browser.by_id("file").send_keys(str(file))


def decided(file: coding.CodedFile) -> dict[tuple[int, int], tuple[str, ...]]:
    return {one.key: one.codes for one in file.messages}


def test_a_thousand_messages_by_the_keyboard_alone(page: Page, book: coding.Codebook) -> None:
    talks = coding.talks_of(synthetic(50, 20), 2)
    page.open(coding.coding_page(talks, book, "Anna"))
    assert page.count == "0 of 1,000 messages coded"
    assert page.browser.run("return document.activeElement.id") == "messages"  # ready for keys
    page.code_all()
    assert page.count == "1,000 of 1,000 messages coded"
    assert page.status == "All messages are coded. Export your file."
    assert page.browser.run("return document.getElementsByTagName('*').length") < 400
    file = page.export()
    file.check(talks)
    assert decided(file) == decided(coded(talks, book, "Anna"))
    assert file.assigned == 1000
    assert file.started_at is not None
    assert all(one.coded_at is not None for one in file.messages)
    assert page.browser.said() == []
    assert page.browser.asked_for() == []


def test_steps_are_undone_and_done_again(page: Page, talks: coding.Talks, book: coding.Codebook) -> None:
    page.open(coding.coding_page(talks, book, "Anna"))
    assert page.browser.by_id("undo").get_attribute("disabled")
    page.press("1", "2")
    assert page.tags() == ["Offer", "Reason"]
    page.press("5")  # excludes the offer
    assert page.tags() == ["Rejection", "Reason"]
    first = page.active
    page.press(Keys.ARROW_DOWN, "0")
    assert page.tags() == ["none"]
    page.press("u")
    assert page.tags() == ["not yet coded"]
    page.press("u")
    assert (page.active, page.tags()) == (first, ["Offer", "Reason"])
    page.press("r", "r")
    assert page.count.startswith("2 of ")
    page.press("u", "u", "u", "u", "u")
    assert page.status == "Nothing to undo."
    assert page.count.startswith("0 of ")
    page.press("1", "1")  # given and taken
    assert page.tags() == ["not yet coded"]


def test_a_page_resumes_after_a_reload(page: Page, talks: coding.Talks, book: coding.Codebook) -> None:
    html = coding.coding_page(talks, book, "Anna")
    page.open(html)
    page.press("1", Keys.ENTER, "2", Keys.ARROW_DOWN, "m")
    page.press("it may be <b>both</b>", Keys.ESCAPE, "]")
    title, count = page.browser.text("#talk-title"), page.count
    assert title.endswith("(2 of 20)")
    page.browser.driver.refresh()
    assert (page.count, page.browser.text("#talk-title")) == (count, title)
    assert page.status == "Resumed: 3 messages from this browser."
    page.press("[", Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert page.browser.run("return document.getElementById('note').value") == "it may be <b>both</b>"
    assert page.tags() == ["not yet coded", "note"]  # a note is not a decision
    page.open(coding.coding_page(talks, book, "Ben"))  # another coder's page keeps its own
    assert page.count.startswith("0 of ")


def test_an_exported_file_is_imported_elsewhere(
    page: Page, talks: coding.Talks, book: coding.Codebook, tmp_path: Path
) -> None:
    html = coding.coding_page(talks, book, "Anna")
    page.open(html)
    page.press("1", Keys.ENTER, "5", "2", Keys.ENTER, "0")
    file = page.export()
    page.forget()
    page.open(html)
    assert page.count.startswith("0 of ")
    page.choose_file(Path(file.path))
    page.browser.until(lambda: page.count.startswith("3 of "), "three messages come back")
    assert decided(page.export()) == decided(file)
    page.press("u")
    assert page.count.startswith("0 of ")
    for change, message in (
        ({"coder": "Ben"}, "it is the file of Ben"),
        ({"study_sha256": "0"}, "it was coded from other talks"),
        ({"codebook_sha256": "0"}, "it was coded with another codebook"),
        ({"seed": 77}, "it was coded with another seed"),
        ({"messages": [{}]}, "its message 1 is none of this page"),
        ({"schema": 2}, "its schema is another one"),
    ):
        content = json.loads(Path(file.path).read_text(encoding="utf-8")) | change
        (tmp_path / "other.json").write_text(json.dumps(content), encoding="utf-8")
        page.choose_file(tmp_path / "other.json")
        page.browser.until(partial(page.warns, message), message)
    (tmp_path / "other.json").write_text("no JSON", encoding="utf-8")
    page.choose_file(tmp_path / "other.json")
    page.browser.until(lambda: "it is not JSON" in page.browser.text("#alert"), "no JSON")
    assert page.count.startswith("0 of ")


def test_a_code_is_given_to_words(page: Page, book: coding.Codebook) -> None:
    talks = coding.talks_of(synthetic(1, 3, ["ok 🙂 take the\u202e wood now"]))
    page.open(coding.coding_page(talks, book, "Anna"))
    page.press("s", Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.shift(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert page.browser.text("#pending") == "Selected: take the⟨U+202E⟩ wood"
    page.press("1")
    assert page.tags() == ["Offer"]
    assert page.browser.text(".message.active mark:first-of-type") == "take the"
    page.press(Keys.ARROW_DOWN)
    select = """
      const pieces = document.querySelectorAll('.message.active [data-at]'), range = document.createRange();
      range.setStart(pieces[0].firstChild, 3); range.setEnd(pieces[2].firstChild, 5);
      getSelection().removeAllRanges(); getSelection().addRange(range);
    """
    page.browser.run(select)  # as a mouse does: from the smiling face over the hidden mark to the wood
    page.browser.until(lambda: page.browser.text("#pending") == "Selected: 🙂 take the⟨U+202E⟩ wood", "the selection")
    page.browser.all(".toggle")[2].click()
    assert page.tags() == ["Reason"]
    file = page.export()
    file.check(talks)
    text = "ok 🙂 take the\u202e wood now"
    spans = [one.spans for one in file.messages]
    assert spans == [(coding.Span("offer", 5, 19),), (coding.Span("reason", 3, 19),)]
    assert text[5:19] == "take the\u202e wood"
    page.browser.all("#spans button")[0].click()
    assert page.tags() == ["Reason"]  # of the message as a whole
    assert page.export().messages[1].spans == ()


def test_hostile_text_does_nothing(page: Page, book: coding.Codebook) -> None:
    talks = coding.talks_of(synthetic(len(ATTACKS), 3, ATTACKS))
    hostile = replace(book, title="</title><script>hit=6</script>", codes=tuple(
        replace(code, label=f"{ATTACKS[place]} {place}", definition=ATTACKS[place + 3], example="{{ 7*7 }}")
        for place, code in enumerate(book.codes)))  # fmt: skip
    page.open(coding.coding_page(talks, hostile, "<b>Anna</b>"))
    page.press("m", "<img src=x onerror=window.hit=7>", Keys.ESCAPE)
    page.code_all(lambda _: ["reason"])
    shown = {page.browser.run("return document.body.innerText")}
    page.press("s", "1")
    assert "49" not in next(iter(shown)).split()
    assert page.browser.run("return window.hit ?? null") is None
    assert page.browser.run("return document.querySelectorAll('img, svg, b:not([dir]), script').length") == 2
    assert page.browser.said() == []
    texts = "return [...document.querySelectorAll('.text')].map((one) => one.textContent).join()"
    assert not set("\u202e\u200b\u2028") & set(page.browser.run(texts))
    file = page.export()
    file.check(talks)
    ben = replace(file, coder="<i>Ben</i>", messages=tuple(replace(one, codes=(), spans=()) for one in file.messages))
    page.open(coding.adjudication_page(talks, [file, ben], "Carla"))
    page.press("a", Keys.ENTER, "b")
    assert page.browser.run("return document.querySelectorAll('img, svg, i').length") == 0
    assert page.browser.run("return window.hit ?? null") is None
    assert page.browser.said() == []


@pytest.mark.parametrize("looks", [
    {}, {"width": 390, "height": 844}, {"prefers_color_scheme": "dark"},
    {"width": 390, "height": 844, "prefers_color_scheme": "dark"}, {"forced_colors": "active"},
])  # fmt: skip
def test_axe_finds_nothing(page: Page, talks: coding.Talks, book: coding.Codebook, looks: dict[str, Any]) -> None:
    script = browsers.axe()
    if script is None:
        pytest.skip("axe-core is not here (axe-playwright-python carries it, or NEGSTATS_AXE names it)")
    page.open(coding.coding_page(talks, book, "Anna"), **looks)
    page.press("1", Keys.ARROW_DOWN, "s", "2", Keys.ARROW_DOWN, "0", "s")
    assert page.browser.faults(script) == []
    assert page.browser.run("return document.documentElement.scrollWidth") <= looks.get("width", 1280)
    page.press(Keys.ESCAPE, "?")
    assert page.browser.run("return document.getElementById('keys').open")
    assert page.browser.faults(script) == []
    page.press(Keys.ESCAPE)
    ben = coded(talks, book, "Ben", lambda _: ["reason"])
    page.open(coding.adjudication_page(talks, [coded(talks, book, "Anna"), ben], "Carla"), **looks)
    page.press("a")
    assert page.browser.faults(script) == []
    assert page.browser.run("return document.documentElement.scrollWidth") <= looks.get("width", 1280)


def test_keys_can_be_turned_off_and_buttons_keep_theirs(page: Page, talks: coding.Talks, book: coding.Codebook) -> None:
    page.open(coding.coding_page(talks, book, "Anna"))
    page.browser.by_id("none").send_keys(Keys.ENTER)  # Enter on a button presses it
    assert page.tags() == ["none"]
    page.press("?")
    page.browser.by_id("letters").click()
    page.press(Keys.ESCAPE)
    page.press("1", "u")
    assert page.tags() == ["none"]
    chain = ActionChains(page.browser.driver, duration=0)
    chain.key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    assert page.tags() == ["not yet coded"]


def run(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def hasty(message: coding.Message) -> list[str]:
    """Return the codes of a coder who sees offers in every third number."""
    return ["offer"] if message.number % 3 == 0 else by_words(message)


PLAN = """
title = "Do sellers give more reasons?"
data.path = "coded"
factors.role.column = "players.role"

[questions.H1]
asks = "Do sellers offer more often than buyers?"
measure = "labels.offer"
by = "role"

[questions.H2]
asks = "Do more reasons go with more points?"
measure = "points"
who = "human"
with = ["labels.reason"]
"""


def test_from_two_coders_and_an_adjudicator_to_a_kappa_in_the_report(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study: Study = synthetic(8, 6)
    study.save("study")
    codebook_file(tmp_path, CODEBOOK)
    files = {}
    for coder, rule in (("Anna", by_words), ("Ben", hasty)):
        run("code", "study", "--codebook", "codes.toml", "--coder", coder, "--coders", "Anna", "--coders", "Ben",
            "--shared", "75%", "--out", f"{coder}.html")  # fmt: skip
        page.open(tmp_path / f"{coder}.html")
        page.code_all(rule)
        files[coder] = page.export().path
    told = json.loads(run("code", "study", *files.values(), "--json"))
    assert (told["messages"], told["talks"]) == (36, 6)
    run("code", "study", *files.values(), "--adjudicate", "Carla", "--out", "carla.html")
    page.open(tmp_path / "carla.html")
    assert page.count == f"0 of {told['differences']} messages decided"
    page.press(*itertools.chain.from_iterable(("a", Keys.ENTER) for _ in range(told["differences"])))
    assert page.status == "All messages are decided. Export your file."
    final = page.export()
    assert final.kind == "adjudication"
    run("code", "study", *files.values(), "--final", final.path, "--out", "coded")
    merged = open_study(tmp_path / "coded")
    units = merged.messages[merged.messages["act"].isna()]
    both = units["labels"].str.contains("offer") == units["text"].str.contains("take")
    assert both.mean() > 0.9  # Anna's codes, but for the talk that Ben coded alone
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    run("run", "plan.toml", "--out", "report")
    page.open(tmp_path / "report" / "report.html")
    method, tables = (" ".join(page.browser.text(section).split()) for section in ("#method", "#supplement"))
    [offer] = [one for one in told["codes"] if one["code"] == "offer"]
    low, high = (f"{offer[name]:.2f}".removeprefix("0") for name in ("kappa_low", "kappa_high"))
    kappa = f"{offer['kappa']:.2f}".removeprefix("0")
    assert "Two coders coded the same 36 messages" in method
    assert f"κ = {kappa}, 95% CI [{low}, {high}], for offer" in method
    differences = number_words(told["differences"])
    assert f"The {differences} messages to which they gave different codes were decided" in method
    assert "Agreement of Coders: Offers and reasons" in tables
