"""Only this machine, this person and this page: every other request is refused."""

from __future__ import annotations

import http.client
import socket

import pytest

from tests.app.conftest import TOKEN, Served

OWN = {"Cookie": f"negstats={TOKEN}"}


def ask(
    served: Served, path: str, headers: dict[str, str] | None = None, method: str = "GET", body: bytes | None = None
) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    connection.request(method, path, body=body, headers=headers or {})
    response = connection.getresponse()
    response.body = response.read()  # type: ignore[attr-defined]
    connection.close()
    return response


def shake(served: Served, **headers: str) -> int:
    """Ask for a websocket, and return the status of the answer."""
    lines = {
        "Host": served.host, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", **headers,
    }  # fmt: skip
    text = "GET /websocket/ HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as connection:
        connection.sendall(text.encode("latin-1"))
        return int(connection.recv(100).split()[1])


def test_the_token_becomes_a_strict_cookie(served: Served) -> None:
    response = ask(served, f"/?token={TOKEN}")
    assert response.status == 303
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    page = ask(served, "/", OWN)
    assert page.status == 200
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/?token=guess", {}),
        ("/", {"Cookie": "negstats=guess"}),
        ("/", {**OWN, "Host": "evil.example"}),
        (f"/?token={TOKEN}", {"Host": "evil.example"}),
        ("/", {**OWN, "Origin": "http://evil.example"}),
        ("/", {**OWN, "Origin": "null"}),
        ("/app.css", {}),
        ("/report/guess/report.html", {}),
        ("/report/guess/everything.zip", {}),
    ],
)
def test_a_foreign_request_is_refused(served: Served, path: str, headers: dict[str, str]) -> None:
    assert ask(served, path, headers).status == 403


def test_a_foreign_websocket_is_refused(served: Served) -> None:
    own_origin = f"http://{served.host}"
    assert shake(served, Origin=own_origin, **OWN) == 101
    assert shake(served, Origin="http://evil.example", **OWN) == 403
    assert shake(served, Origin="null", **OWN) == 403
    assert shake(served, **OWN) == 403
    assert shake(served, Origin=own_origin) == 403
    assert shake(served, Origin=own_origin, Cookie="negstats=é") == 403
    assert shake(served, **{**OWN, "Origin": own_origin, "Host": "evil.example"}) == 403


def test_an_upload_stays_in_the_folder_and_replaces_nothing(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    own = {**OWN, "Origin": f"http://{served.host}"}
    served.project.path("log.csv").write_text("mine", encoding="utf-8")
    response = ask(served, "/upload?upload=1&path=log.csv", own, "PUT", b"theirs")
    assert response.status == 200
    assert served.project.path("log.csv").read_text(encoding="utf-8") == "mine"
    assert served.project.path("log 2.csv").read_text(encoding="utf-8") == "theirs"
    for path in ("../out.csv", "a/../../out.csv", "a\\b.csv", "a%00.csv", ""):
        assert ask(served, f"/upload?upload=2&path={path}", own, "PUT", b"x").status == 400
    assert ask(served, "/upload?upload=3&path=sessions/a/1.csv", own, "PUT", b"x").status == 200
    assert ask(served, "/upload?upload=3&path=sessions/b/1.csv", own, "PUT", b"y").status == 200
    assert served.project.path("sessions/b/1.csv").read_bytes() == b"y"
    assert ask(served, "/upload?upload=4&path=x.csv", OWN, "PUT", b"x").status == 403  # no origin
    assert not (served.project.folder.parent / "out.csv").exists()
    monkeypatch.setattr("negstats.app.serve.LARGEST", 3)
    assert ask(served, "/upload?upload=5&path=large.csv", own, "PUT", b"xxxx").status == 413
    assert not served.project.path("large.csv").exists()
    assert not list(served.project.folder.glob(".upload-*"))


def test_shiny_that_is_not_installed_is_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    import sys
    from pathlib import Path

    from negstats.app.serve import serve
    from negstats.errors import UsageError

    monkeypatch.setitem(sys.modules, "shiny", None)
    with pytest.raises(UsageError, match=r'pip install "negstats\[app\]"'):
        serve(Path(str(tmp_path)))
