"""A project in a folder of its own, served to tests as `negstats app` serves it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from negstats.app.project import Project
from tests.report.page.conftest import chromium

__all__ = ["chromium"]  # the fixture

TOKEN = "of-this-test"  # noqa: S105 - it opens nothing else


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


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the list of projects of whoever runs the tests out of them."""
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "state"))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    pytest.importorskip("shiny", reason="Shiny is installed by the extra app")
    import uvicorn

    from negstats.app.serve import build

    project = Project(tmp_path / "project")
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(build(project, port, TOKEN), log_level="error", ws_max_size=1 << 24))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    end = time.monotonic() + 30
    while not server.started and time.monotonic() < end:
        time.sleep(0.02)
    yield Served(project, port)
    server.should_exit = server.force_exit = True
    thread.join(10)
    listening.close()


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Served]:
    """The command itself, in a process of its own: Shiny has one event loop a process."""
    pytest.importorskip("shiny", reason="Shiny is installed by the extra app")
    folder = tmp_path / "project"
    words = [sys.executable, "-m", "negstats", "app", str(folder), "--no-browser"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}  # with the state folder of the test
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        address = next(
            match for line in process.stdout if (match := re.match(r"http://127.0.0.1:(\d+)/.token=(\S+)", line))
        )
        yield Served(Project(folder), int(address[1]), address[2])
        process.send_signal(signal.SIGINT)
        assert "The page has ended. The files are in" in process.stdout.read()
    assert process.returncode in (0, -signal.SIGINT, 128 + signal.SIGINT)


def decisions() -> str:
    """Return a log of amounts and answers in which nothing says who of the two the person is."""
    rng = np.random.default_rng(6)
    lines = ["subject,trial,offer,choice,country"]
    for person in range(12):
        for trial in range(1, 7):
            offer = int(rng.integers(0, 9))
            choice = int(offer + rng.integers(-2, 3) > 4)
            lines.append(f"s{person},{trial},{offer},{choice},{('IL', 'US')[person % 2]}")
    return "\n".join(lines) + "\n"
