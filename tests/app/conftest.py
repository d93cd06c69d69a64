"""A project in a folder of its own, served to tests as `negstats app` serves it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from negstats.app.project import Project
from tests.app.page import TOKEN, Served, serve_command
from tests.report.page.conftest import chromium

__all__ = ["TOKEN", "Served", "chromium"]


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
    with serve_command(tmp_path / "project") as served:
        yield served


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
