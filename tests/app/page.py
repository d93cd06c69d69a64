"""A browser tab with the page, for tests and for the pictures of the documentation."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from negstats.app.project import Project
from tests.report.page.browser import Browser

TOKEN = "of-this-test"  # noqa: S105 - it opens nothing else
BUSY = """
return !window.Shiny?.shinyapp?.isConnected?.() || document.documentElement.classList.contains('shiny-busy')
  || [...document.querySelectorAll('.recalculating')].some(e => e.offsetParent)
  || [...document.querySelectorAll('.busy')].some(e => e.offsetParent)
"""


@dataclass(frozen=True)
class Served:
    """A page that is served."""

    project: Project
    port: int
    token: str = TOKEN

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"http://{self.host}/?token={self.token}"


@contextmanager
def serve_command(folder: Path, before: str = "") -> Iterator[Served]:
    """Serve a folder by the command itself, in a process of its own: Shiny has one event loop a process.

    `before` are statements that are run first there.
    """
    start = ["-c", f"{before}\nfrom negstats.cli import main\nmain()"] if before else ["-m", "negstats"]
    words = [sys.executable, *start, "app", str(folder), "--no-browser"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        address = next(
            match for line in process.stdout if (match := re.match(r"http://127.0.0.1:(\d+)/.token=(\S+)", line))
        )
        try:
            yield Served(Project(folder), int(address[1]), address[2])
        finally:
            process.send_signal(signal.SIGINT)
        assert "The page has ended. The files are in" in process.stdout.read()
    assert process.returncode in (0, -signal.SIGINT, 128 + signal.SIGINT)


class Page:
    """A browser tab with the page."""

    def __init__(self, browser: Browser, address: str, **given: object) -> None:
        self.browser = browser
        browser.visit(address, **given)  # type: ignore[arg-type]
        self.wait()

    def wait(self) -> None:
        """Wait until nothing is being computed."""
        end, calm = time.monotonic() + 90, 0
        time.sleep(0.15)
        while calm < 4:
            assert time.monotonic() < end, self.browser.text("main")[-300:]
            calm = 0 if self.browser.run(BUSY) else calm + 1
            time.sleep(0.08)

    def click(self, action: str, value: object = None) -> None:
        """Press the first button of an action that is visible."""
        for element in self.browser.all(f'[data-do="{action}"]'):
            if element.is_displayed() and (
                value is None or json.loads(str(element.get_attribute("data-value"))) == value
            ):
                self.browser.run("arguments[0].click()", element)
                self.wait()
                return
        raise AssertionError(f"no button {action} {value}: {self.browser.text('main')[:500]}")

    def go(self, name: str) -> None:
        self.click("go", name)

    def choose(self, name: str, value: str) -> None:
        self.browser.run(
            "const e = document.getElementById(arguments[0]); e.value = arguments[1];"
            "e.dispatchEvent(new Event('change', {bubbles: true}))", f"choice-{name}", value,
        )  # fmt: skip
        self.wait()

    def ask(self, outcome: str) -> None:
        self.go("ask")
        self.browser.until(lambda: self.browser.all("#choice-outcome"), "what can be asked is known")
        self.choose("outcome", outcome)

    def text(self, selector: str = "main") -> str:
        return self.browser.text(selector)

    def send_files(self, *paths: Path, field: str = "files") -> None:
        self.browser.by_id(field).send_keys("\n".join(map(str, paths)))
        self.browser.until(lambda: not self.browser.text("#sending"), "the files are copied")
        time.sleep(0.5)
        self.wait()
