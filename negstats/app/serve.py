"""Start and safety: this machine, this person, this page.

The server listens on 127.0.0.1 alone. Its address holds a random token that becomes a cookie of this browser; a request
without it, for another host, or from another page is refused, a websocket as well.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterable
from contextlib import ExitStack, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from negstats.app.project import LARGEST, REPORT, Project, Projects
from negstats.errors import UsageError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

COOKIE = "negstats"
INSTALL = 'pip install "negstats[app]"'
# Shiny writes scripts into its page and compiles templates; the report's own policy, inside it, is stricter.
PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data:; font-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "script-src 'self' 'unsafe-inline' 'unsafe-eval'; connect-src 'self' {socket}; frame-ancestors 'none'; "
    "form-action 'none'; base-uri 'self'"
)
REPORT_POLICY = "sandbox allow-scripts allow-popups; default-src 'unsafe-inline' data: {origin}; frame-ancestors 'self'"
REFUSED = "Refused: open the address that the terminal printed, in the same browser."
FOLDERS = 12  # one in the other, in an upload


class Guard:
    """Refuses what does not come from the page itself."""

    def __init__(self, app: Any, port: int, token: str, report_key: str) -> None:
        self.app, self.token, self.report_path = app, token, f"/report/{report_key}/"
        self.host = f"127.0.0.1:{port}"
        self.origin = f"http://{self.host}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, or refuse it."""
        from starlette.datastructures import Headers
        from starlette.responses import RedirectResponse

        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        # The frame of the report has no origin and so sends no cookie: its path holds a secret of its own.
        is_report = scope["type"] == "http" and scope["path"].startswith(self.report_path)
        if headers.get("host") != self.host or not self._may_come_from(headers.get("origin"), scope, is_report):
            await _refuse(scope, receive, send)
            return
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if scope["type"] == "http" and scope["path"] == "/" and _is_same(tokens[0], self.token):
            response = RedirectResponse("/", 303)
            response.set_cookie(COOKIE, self.token, httponly=True, samesite="strict", path="/")
            await response(scope, receive, send)
            return
        if not is_report and not _is_same(_cookie(headers.get("cookie", "")), self.token):
            await _refuse(scope, receive, send)
            return
        await self.app(scope, receive, self._with_policy(send, is_report))

    def _may_come_from(self, origin: str | None, scope: Any, is_report: bool) -> bool:
        """Whether a request comes from the page; one that a person makes has no origin, a websocket always has one."""
        if origin is None:
            return bool(scope["type"] == "http" and scope["method"] in ("GET", "HEAD"))
        return origin == self.origin or (is_report and origin == "null")

    def _with_policy(self, send: Any, is_report: bool) -> Callable[[Any], Any]:
        policy = (REPORT_POLICY if is_report else PAGE_POLICY).format(origin=self.origin, socket=f"ws://{self.host}")
        headers = [
            (b"content-security-policy", policy.encode()),
            (b"referrer-policy", b"no-referrer"),
            (b"x-content-type-options", b"nosniff"),
            (b"cache-control", b"no-store"),
        ]

        async def send_with_policy(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *headers]
            await send(message)

        return send_with_policy


def _is_same(text: str, secret: str) -> bool:
    return secrets.compare_digest(text.encode("utf-8", "replace"), secret.encode())


def _cookie(header: str) -> str:
    pairs = (pair.strip().partition("=") for pair in header.split(";"))
    return next((value for name, _, value in pairs if name == COOKIE), "")


async def _refuse(scope: Any, receive: Any, send: Any) -> None:
    from starlette.responses import PlainTextResponse

    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await PlainTextResponse(REFUSED, 403)(scope, receive, send)


class Files:
    """What is sent to the folder of the project, and from it."""

    def __init__(self, projects: Projects) -> None:
        self.projects = projects
        self.names: dict[tuple[str, str], str] = {}  # for an upload and the name that it brings, the name in the folder

    async def receive(self, request: Request) -> Response:
        """Write one file of an upload into the folder; nothing that is there is replaced."""
        from starlette.responses import JSONResponse, PlainTextResponse

        parts = [part for part in request.query_params.get("path", "").split("/") if part]
        is_plain = (
            parts and len(parts) <= FOLDERS and all(part not in (".", "..") and part.isprintable() for part in parts)
        )
        if not is_plain or any("\\" in part or len(part) > 200 for part in parts):
            return PlainTextResponse("The name of a file is not one that can be written.", 400)
        project = self.projects.current
        upload = (request.query_params.get("upload", ""), parts[0])
        name = self.names.setdefault(upload, project.fresh_name(parts[0].lstrip(".") or "file"))
        target = project.path(name).joinpath(*parts[1:])
        target.parent.mkdir(parents=True, exist_ok=True)
        size = 0
        handle, part_name = tempfile.mkstemp(prefix=".upload-", dir=project.folder)
        with os.fdopen(handle, "wb") as file:
            async for chunk in request.stream():
                size += len(chunk)
                if size > LARGEST:
                    break
                file.write(chunk)
        if size > LARGEST:
            Path(part_name).unlink()
            return PlainTextResponse(
                f"The file is larger than {LARGEST >> 30} GB; put it into the folder yourself.", 413
            )
        Path(part_name).replace(target)
        return JSONResponse({"name": name})

    async def send(self, request: Request) -> Response:
        """Send a file of the report, or an archive."""
        from starlette.background import BackgroundTask
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import FileResponse, PlainTextResponse

        name, project = request.path_params["name"], self.projects.current
        if name in ("everything.zip", "figures.zip"):
            handle, archive_name = tempfile.mkstemp(suffix=".zip")
            os.close(handle)
            archive = Path(archive_name)
            await run_in_threadpool(project.archive, archive, figures=name == "figures.zip")
            return FileResponse(archive, filename=name, background=BackgroundTask(archive.unlink, missing_ok=True))
        root = project.path(REPORT).resolve()
        path = project.path(name) if name == "repeat.sh" else (root / name).resolve()
        if not path.is_file() or not (name == "repeat.sh" or path.is_relative_to(root)):
            return PlainTextResponse("There is no such file; run the plan first.", 404)
        return FileResponse(path)


def build(project: Project, port: int, token: str) -> Guard:
    """Return the guarded application of a project."""
    from shiny import App
    from starlette.routing import Route

    from negstats.app.page import page, server_of

    report_key, projects = secrets.token_urlsafe(24), Projects(project)
    server = server_of(projects, f"/report/{report_key}")
    app = App(lambda _: page(projects.current), server, static_assets=Path(__file__).parent / "www")
    files = Files(projects)
    app.starlette_app.router.routes[:0] = [
        Route("/upload", files.receive, methods=["PUT"]),
        Route(f"/report/{report_key}/{{name:path}}", files.send),
    ]
    return Guard(app, port, token, report_key)


def serve(folder: Path, *, port: int = 0, opens_browser: bool = True, tell: Callable[[str], object] = print) -> None:
    """Serve the page of a project until Ctrl-C.

    Parameters
    ----------
    folder
        The folder of the project; it is made where it is not there.
    port
        Of 127.0.0.1; 0 takes a free one.
    opens_browser
        Whether the page is opened at once.
    tell
        Called with the address, and at the end with where the files are.

    Raises
    ------
    UsageError
        If Shiny is not installed, the folder is none, or the port is taken.
    """
    try:
        import shiny  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError(
            f"negstats app needs Shiny for Python, which is not installed; install it by: {INSTALL}"
        ) from None
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; give the folder in which the project is kept")
    project, token = Project(folder), secrets.token_urlsafe(24)
    listening = _listen(port)
    port = listening.getsockname()[1]
    address = f"http://127.0.0.1:{port}/?token={token}"
    tell(f"Open this address in a browser of this computer:\n{address}")
    tell(f"Files are kept in {project.folder}. Ctrl-C ends the page.")
    if opens_browser:
        webbrowser.open(address)
    try:
        _run(build(project, port, token), listening)
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
        tell(f"The page has ended. The files are in {project.folder}: {_listed(project)}")


def _run(app: Guard, listening: socket.socket) -> None:
    """Serve until Ctrl-C; what Shiny prints of the tasks that end with it is nothing for the person who ended it."""
    import uvicorn

    with ExitStack() as ending:

        class Server(uvicorn.Server):
            async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
                await super().shutdown(sockets)
                ending.enter_context(redirect_stderr(StringIO()))

        Server(uvicorn.Config(app, log_level="error", ws_max_size=1 << 24)).run(sockets=[listening])


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise UsageError(f"port {port}: {error.strerror}; leave out --port to take a free one") from None


def _listed(project: Project) -> str:
    names: Iterable[str] = sorted(path.name for path in project.folder.iterdir() if not path.name.startswith("."))
    return json.dumps(list(names), ensure_ascii=False)[1:-1].replace('"', "") or "none yet"
