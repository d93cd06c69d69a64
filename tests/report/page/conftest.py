"""One Chromium for all tests of pages that a worker runs; where there is none they are skipped, saying so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.report.page import browser as browsers
from tests.report.page.browser import Browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    pytest.importorskip("selenium", reason="Selenium is installed by the extra dev")
    if browsers.found() is None:
        pytest.skip("no Chromium here")
    browser = Browser()
    yield browser
    browser.close()
