"""The two pictures of the README: the figure of its first command, without caption, and the report on that question.

``python -m docs.pages.readme`` writes them to ``docs/_static``; the report is photographed in Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from negstats import datasets
from negstats.analysis import run
from negstats.analysis.answers import Report
from negstats.analysis.plan import parse
from negstats.report import write

STATIC = Path(__file__).resolve().parents[1] / "_static"
PLAN = """
[questions.H1]
asks = "Does the robot earn more in CL than in FC?"
measure = "points"
who = "agent"
by = "condition"
predicts = "CL > FC"
"""
WINDOW = (760, 1160)  # pixels, to the end of the figure


def first_report() -> Report:
    """Return the report on the question that the README and the first page of the site ask."""
    return run(parse(PLAN), datasets.robot())


def main() -> None:
    """Write the figure, and the picture of the report."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report" / "report.html"
        write(first_report(), page.parent)
        shutil.copy(page.parent / "figures" / "H1.png", STATIC / "robot_points.png")
        width, height = WINDOW
        options = ("--headless", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=1.5")
        window = f"--window-size={width},{height}"
        picture = f"--screenshot={STATIC / 'robot_report.png'}"
        browser = shutil.which("chromium") or "chromium"
        subprocess.run([browser, *options, window, picture, page.as_uri()], check=True)  # noqa: S603 - our own page


if __name__ == "__main__":
    main()
