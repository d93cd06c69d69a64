"""A real Chromium for the tests of pages: opened from disk, watched for messages, requests and broken policies."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selenium.webdriver.remote.webelement import WebElement

WATCH = """
window.addEventListener("securitypolicyviolation", (event) => {
  (window.violations ||= []).push(event.violatedDirective);
});
"""
AXE = """
axe.run(document, {preload: false})  // the styles are there; from a disk it may not fetch them
  .then(r => JSON.stringify(r.violations.map(v => [v.id, v.nodes.map(n => n.html)])))
"""
PATIENCE = 10.0  # seconds


def found() -> tuple[str, str] | None:
    """Return where Chromium and its driver are."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def axe() -> str | None:
    """Return axe-core's script: the file that NEGSTATS_AXE names, or that of the package that carries it."""
    named = os.environ.get("NEGSTATS_AXE")
    if named:
        return Path(named).read_text(encoding="utf-8")
    package = importlib.util.find_spec("axe_playwright_python")
    if package is None or not package.submodule_search_locations:
        return None
    return (Path(package.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")


class Browser:
    """One Chromium without a window."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        from selenium import webdriver  # of the extra `dev`, which the default tests do without
        from selenium.webdriver.chrome.service import Service

        places = found()
        assert places is not None
        options = webdriver.ChromeOptions()
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(flag)
        options.binary_location = places[0]
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(places[1]))
        self._cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def _cdp(self, command: str, **given: Any) -> dict[str, Any]:
        return dict(self.driver.execute_cdp_cmd(command, given))

    def _log(self, kind: str) -> list[dict[str, Any]]:
        return list(self.driver.get_log(kind))  # type: ignore[no-untyped-call]

    def close(self) -> None:
        self.driver.quit()

    def open(self, folder: Path, at: str = "", *, width: int = 1280, height: int = 900, **media: str) -> None:
        """Open a report from disk in a window of that size; `media` are features such as prefers_color_scheme."""
        self.visit((folder / "report.html").as_uri() + at, width=width, height=height, **media)

    def visit(self, address: str, *, width: int = 1280, height: int = 900, **media: str) -> None:
        """Open an address as `open` opens a report."""
        self.resize(width, height)
        features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
        self._cdp("Emulation.setEmulatedMedia", features=features)
        self.driver.get("about:blank")
        self._log("browser")
        self._log("performance")
        self.driver.get(address)

    def resize(self, width: int, height: int = 900) -> None:
        """Give the window another size, as somebody does who turns a phone: the page is laid out anew."""
        self._cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def run(self, script: str, *given: Any) -> Any:
        return self.driver.execute_script(script, *given)

    def by_id(self, name: str) -> WebElement:
        return self.driver.find_element("id", name)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements("css selector", selector)

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector))

    def keys(self, *keys: str) -> None:
        """Press keys, as somebody without a mouse does: they go to whatever has the focus."""
        from selenium.webdriver import ActionChains

        chain = ActionChains(self.driver, duration=0)
        chain.send_keys(*keys).perform()

    def until(self, done: Callable[[], Any], why: str) -> Any:
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            if value := done():
                return value
            time.sleep(0.02)
        raise AssertionError(f"not within {self.patience:g} s: {why}")

    def show(self, game: int) -> None:
        """Open the game of that number by its address."""
        self.run("location.hash = '#g' + arguments[0]", game)
        name = self.run(
            "return JSON.parse(document.getElementById('games-index').textContent).rows[arguments[0]][0]", game
        )
        self.until(
            lambda: len(self.text("#game-title")) and self.text("#game .plots") and self._opened() == game,
            str(name)[:40],
        )

    def _opened(self) -> int:
        opened = self.run("return document.querySelector('[aria-selected=true]')?.id ?? 'row--1'")
        return int(str(opened).rpartition("-")[2])

    def said(self) -> list[str]:
        """Return what the console says, and which policies were broken, since the page was opened."""
        broken = self.run("return window.violations ?? []")
        return [entry["message"] for entry in self._log("browser")] + list(broken)

    def asked_for(self) -> list[str]:
        """Return what was asked for that is neither a file nor inside the page."""
        entries = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        urls = [one["params"]["request"]["url"] for one in entries if one["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("file:", "data:", "about:"))]

    def pdf(self) -> bytes:
        return base64.b64decode(self._cdp("Page.printToPDF", printBackground=False)["data"])

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._cdp("Page.captureScreenshot")["data"]))

    def scripts(self, *, allowed: bool) -> None:
        self._cdp("Emulation.setScriptExecutionDisabled", value=not allowed)

    def faults(self, script: str) -> list[str]:
        """Return the violations that axe-core finds on the page as it stands."""
        self._cdp("Runtime.evaluate", expression=script)
        answer = self._cdp(
            "Runtime.evaluate",
            expression=AXE,
            awaitPromise=True,
        )
        return [str(one) for one in json.loads(answer["result"]["value"])]

    def tab_to(self, name: str, most: int = 80) -> None:
        """Press Tab until the element of that id has the focus."""
        for _ in range(most):
            self.keys("\ue004")  # the key Tab
            if self.run("return document.activeElement?.id") == name:
                return
        raise AssertionError(f"{most} tabs do not lead to {name}")
