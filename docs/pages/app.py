"""The SPSS file of the page "Without a terminal", and its pictures: the page is walked as its tutorial says.

``python -m docs.pages.app`` writes both to ``docs/_static``; the pictures are taken in Chromium. With a folder it
writes pictures of all pages there instead, in light and dark, of a wide and a narrow window, to be looked at.
"""

from __future__ import annotations

import base64
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from tests.app.page import Page, serve_command
from tests.report.page.browser import Browser

STATIC = Path(__file__).resolve().parents[1] / "_static"
FILE = "ultimatum.sav"
PICTURES = ("open-question", "look", "ask", "plan", "report")  # of the documentation
PEOPLE, TRIALS = 40, 8
LABELS = {
    "framing": {1.0: "split", 2.0: "take it or leave it"},
    "choice": {0.0: "reject", 1.0: "accept"},
}


def write_study(path: Path) -> None:
    """Write an invented study of people who answer offers of 10 points, whose framing differs between them."""
    import pyreadstat

    rng = np.random.default_rng(51)
    rows = []
    for person in range(1, PEOPLE + 1):
        framing, least = 1 + person % 2, rng.normal(2.2 + 1.1 * (person % 2), 0.8)
        for trial in range(1, TRIALS + 1):
            offer = int(rng.integers(0, 6))
            choice = float(offer + rng.normal(0, 0.6) > least)
            rows.append((f"P{person:02}", trial, float(framing), offer, choice))
    frame = pd.DataFrame(rows, columns=["person", "trial", "framing", "offer", "choice"])
    names: list[str | None] = ["Person", "Trial", "How the offer was put", "Points offered of 10", "Answer"]
    pyreadstat.write_sav(frame, str(path), column_labels=names, variable_value_labels=LABELS)


def walk(page: Page, file: Path, take: Callable[[str], None]) -> None:
    """Walk from the SPSS file to the report as the tutorial does, and take a picture at each step."""
    page.send_files(file)
    take("open-question")
    page.click("answer", ["offer", "1"])
    take("open")
    page.go("look")
    take("look")
    page.go("ask")
    page.browser.until(lambda: page.browser.all("#choice-hidden"), "the choices")
    page.browser.by_id("choice-hidden").click()
    page.choose("outcome", "agreed")
    page.choose("predicts", "split > take it or leave it")
    take("ask-hidden")
    page.click("add", "hypothesis")
    page.go("plan")
    take("plan")
    page.click("register")
    page.go("ask")
    page.browser.until(lambda: page.browser.all("#sentence"), "the sentence")
    page.browser.until(lambda: not page.browser.all(".later"), "what stands beside the test")
    take("ask")
    page.go("report")
    page.click("run")
    page.browser.until(lambda: page.browser.all("iframe"), "the report")
    page.wait()
    take("report")


def take_picture(browser: Browser, path: Path, *, is_whole: bool) -> None:
    """Write what the window shows, or the whole page; notices that go by themselves are left out."""
    browser.run("document.getElementById('shiny-notification-panel')?.remove(); scrollTo(0, 0)")
    time.sleep(2)  # the frame of the report is drawn
    given = {"format": path.suffix.removeprefix("."), "captureBeyondViewport": is_whole}
    given |= {"quality": 82} if path.suffix == ".webp" else {}
    picture = browser.driver.execute_cdp_cmd("Page.captureScreenshot", given)
    path.write_bytes(base64.b64decode(picture["data"]))


def main(target: Path | None) -> None:
    """Write the study and the pictures of the documentation, or pictures of all pages to a folder."""
    write_study(STATIC / FILE)
    windows = [(1180, "light")] if target is None else [(w, s) for w in (1280, 390) for s in ("light", "dark")]
    browser = Browser(patience=120)
    for width, scheme in windows:
        with tempfile.TemporaryDirectory() as folder, serve_command(Path(folder) / "ultimatum study") as served:
            page = Page(browser, served.address, width=width, height=860, prefers_color_scheme=scheme)

            def take(name: str, width: int = width, scheme: str = scheme) -> None:
                is_of_docs = target is None
                file = STATIC / f"app-{name}.webp" if target is None else target / f"{name}-{scheme}-{width}.png"
                if not is_of_docs or name in PICTURES:
                    take_picture(browser, file, is_whole=not is_of_docs)

            take("start")
            walk(page, STATIC / FILE, take)
    browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
