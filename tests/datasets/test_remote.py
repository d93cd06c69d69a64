"""Downloads, from a server on the loopback address: pins, faults of the network, what stands on the disk already."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from negstats.cli import app
from negstats.datasets import remote
from negstats.errors import LogError, UsageError
from tests.conftest import DataFolder

FILES = {"a.txt": b"first file\n", "below/b.bin": bytes(range(256)) * 400}


class _Server(ThreadingHTTPServer):
    files: dict[str, bytes]
    asked: list[str]


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        content = self.server.files.get(self.path.removeprefix("/src/"))
        self.send_response(404 if content is None else 200)
        if content is not None:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if content is not None:
            self.wfile.write(content)

    def log_message(self, *words: object) -> None:
        """Be quiet."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Server]:
    with _Server(("127.0.0.1", 0), _Handler) as result:
        result.files, result.asked = dict(FILES), []
        thread = threading.Thread(target=result.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        url = f"http://127.0.0.1:{result.server_address[1]}"
        pins = tuple(remote.Pin(n, hashlib.sha256(b).hexdigest(), len(b), f"src/{n}") for n, b in FILES.items())
        monkeypatch.setitem(remote.REMOTE, "ours", remote.Remote("two files", "CC0", "nobody/ours", url))
        listed = remote.pins
        monkeypatch.setattr(remote, "pins", lambda name: pins if name == "ours" else listed(name))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield result
        result.shutdown()
        thread.join()


def test_files_arrive_as_pinned(server: _Server, tmp_path: Path) -> None:
    values: list[Path] = []
    folder = remote.get("ours", tmp_path, track=lambda files: (values.append(file) or file for file in files))  # type: ignore[func-returns-value]
    assert {file.relative_to(folder).as_posix(): file.read_bytes() for file in values} == FILES
    assert sorted(file.name for file in folder.rglob("*") if file.is_file()) == ["a.txt", "b.bin"]


def test_what_is_there_is_not_asked_for_again(server: _Server, tmp_path: Path) -> None:
    remote.get("ours", tmp_path)
    (tmp_path / "ours" / "a.txt").unlink()
    server.asked.clear()
    remote.get("ours", tmp_path)
    assert server.asked == ["/src/a.txt"]


def test_a_file_of_somebody_else_stays(server: _Server, tmp_path: Path) -> None:
    other = tmp_path / "ours" / "a.txt"
    other.parent.mkdir()
    other.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="exists and is a different file"):
        remote.get("ours", tmp_path)
    assert other.read_text(encoding="utf-8") == "mine"
    assert server.asked == []


def test_another_file_is_refused_and_thrown_away(server: _Server, tmp_path: Path) -> None:
    server.files["a.txt"] = b"other file\n"
    with pytest.raises(LogError, match=r"/src/a\.txt: is not the expected file"):
        remote.get("ours", tmp_path)
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


def test_a_file_without_end_is_stopped(server: _Server, tmp_path: Path) -> None:
    server.files["a.txt"] = bytes(3 << 20)
    with pytest.raises(UsageError, match="gives more than the 11 bytes of the pinned file"):
        remote.get("ours", tmp_path)
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


def test_a_file_that_is_gone_names_its_address(server: _Server, tmp_path: Path) -> None:
    del server.files["below/b.bin"]
    with pytest.raises(UsageError, match=r"/src/below/b\.bin: cannot be fetched: 404"):
        remote.get("ours", tmp_path)
    assert (tmp_path / "ours" / "a.txt").read_bytes() == FILES["a.txt"]


def test_no_server_is_one_line(server: _Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = remote.Remote("", "", "", "http://127.0.0.1:9")
    monkeypatch.setitem(remote.REMOTE, "ours", nowhere)
    with pytest.raises(UsageError, match=r"http://127\.0\.0\.1:9/src/a\.txt: cannot be fetched"):
        remote.get("ours", tmp_path)


def test_the_command_gets_and_says_the_licence(server: _Server, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["data", "get", "ours", "--to", str(tmp_path)], env={"NEGSTATS_DATA": ""})
    assert result.exit_code == 0
    assert "licence: CC0" in result.output
    assert (tmp_path / "ours" / "below" / "b.bin").exists()


def test_the_list_names_every_study_and_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("a network was touched"))
    result = CliRunner().invoke(app, ["data", "list", "--json"])
    rows = {row["where"]: row for row in json.loads(result.stdout)}
    assert {"negstats.datasets.robot()", "negstats.datasets.casino()", "negstats data get dealornodeal"} <= set(rows)
    assert rows["negstats data get solver_cl"]["files"] == 201


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'casino'"):
        remote.get("cassino", "nowhere")


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["solver_cl", "casino", "dealornodeal", "lamen", "llm_deliberation", "negotiationarena"]
)
def test_pins_are_of_the_files_that_the_loaders_are_tested_on(name: str, real_data: DataFolder) -> None:
    folder = real_data(name)
    for pin in remote.pins(name):
        content = (folder / pin.path).read_bytes()
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (pin.sha256, pin.size)


def test_what_ships_is_not_downloaded(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"robot ships with negstats.*negstats\.datasets\.robot"):
        remote.get("robot", tmp_path)
    assert not list(tmp_path.iterdir())
