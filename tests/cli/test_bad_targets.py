"""Targets that cannot be tested: exit code 3, one clear line, results all the same, nothing left behind, and soon."""

from __future__ import annotations

import asyncio
import http.server
import json
import socket
import threading
from collections.abc import Iterator, Mapping

import pytest

from tests.cli.commands import Ran, run_all, script

SAID: Mapping[str, tuple[str, ...]] = {
    "refused": ("refused the connection", "does the server run"),
    "wrong path": (
        "initialize was answered with HTTP 404 and no JSON-RPC message, but text/html",
        "is the path right?",
    ),
    "a web page": ("HTTP 200 and no JSON-RPC message, but text/html: <title>Welcome</title>", "is the path right?"),
    "nothing in it": ("initialize was answered with HTTP 204 and no JSON-RPC message: nothing is in it",),
    "other JSON": ('HTTP 200 and no JSON-RPC message, but application/json: {"hello": "world"}',),
    "redirects in a circle": ("HTTP 307 and no JSON-RPC", "after 5 redirects, the last to /circle", "do not end"),
    "a failure of its own": ("HTTP 500 and no JSON-RPC message, but text/plain: boom", "its log says why"),
    "no credentials": ("HTTP 401: the server wants credentials", "give credentials with --header or --identity"),
    "other credentials": ("HTTP 401 although credentials were given (Authorization)", "not expired"),
    "other credentials in the URL": ("HTTP 401 although credentials were given (user and password in the URL)",),
    "other credentials of an identity": ("HTTP 403 although credentials were given (X-Api-Key)", "not expired"),
    "credentials for all but initialize": (
        "tools/list was refused with HTTP 401: the server wants credentials",
        "give credentials with --header or --identity",
    ),
    "no host": ("there is no host no-such-host.invalid",),
    "not found": ("command not found: no-such-command-anywhere",),
    "exits": ("exited with code 4 and never answered initialize", "this is what exits looks like"),
    "garbage": ("did not answer initialize", 'it wrote "<html>502 Bad Gateway</html>"', "what garbage looks like"),
    "serves HTTP": ("did not answer initialize", "if it serves HTTP: --http, with {port} in the command, or --url"),
    "hangs": ("runs but did not answer initialize over stdio", "this is what hangs looks like"),
    "reads": ("runs but did not answer initialize over stdio",),
    "exits over HTTP": ("exited with code 4 before it accepted a connection",),
    "hangs over HTTP": ("did not listen on 127.0.0.1:", "is the port in its command"),
    "no tasks": ("no tasks here", "serving without tasks"),
}
"""What each must be told; the commands are made below."""
SOON = ("--start-timeout", "2")
"""Three seconds less than a target gets by itself."""


INTRODUCED = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "tasks": {"list": {}}}, "serverInfo": {}}


_ANSWERS = {
    "/page": (200, "text/html; charset=utf-8", "<title>Welcome</title>"),
    "/nothing": (204, "text/plain", ""),
    "/json": (200, "application/json", '{"hello": "world"}'),
    "/circle": (307, "/circle", ""),
    "/fails": (500, "text/plain", "boom"),
    "/closed": (401, "application/json", '{"error": "invalid_token"}'),
    "/forbidden": (403, "text/plain", "no"),
}
"""What comes at some paths instead of an answer: status, type (or where a redirect leads), body."""


class _Unhelpful(http.server.BaseHTTPRequestHandler):
    """Knows no path but one, and there nothing without credentials but initialize."""

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path in _ANSWERS:
            status, kind, text = _ANSWERS[self.path]
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.send_header("Location" if status == 307 else "Content-Type", kind)
            self.end_headers()
            self.wfile.write(text.encode())
        elif self.path != "/mcp":
            self.send_error(404)
        elif message["method"] != "initialize":
            self.send_error(401)
        else:
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": INTRODUCED}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Ran]]:
    """All of them at once: most of them only wait."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Unhelpful)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        closed = nobody.getsockname()[1]
        odd = f"http://127.0.0.1:{server.server_port}"
        commands = {
            "a web page": ("--url", f"{odd}/page"),
            "nothing in it": ("--url", f"{odd}/nothing"),
            "other JSON": ("--url", f"{odd}/json"),
            "redirects in a circle": ("--url", f"{odd}/circle"),
            "a failure of its own": ("--url", f"{odd}/fails"),
            "no credentials": ("--url", f"{odd}/closed"),
            "other credentials": ("--url", f"{odd}/closed", "--header", "Authorization: Bearer one-that-is-wrong"),
            "other credentials in the URL": ("--url", f"{odd}/closed".replace("://", "://someone:secret-word@")),
            "other credentials of an identity": ("--url", f"{odd}/forbidden", "--identity", "a=X-Api-Key: one-of-ours"),
            "refused": ("--url", f"http://127.0.0.1:{closed}/mcp"),
            "wrong path": ("--url", f"http://127.0.0.1:{server.server_port}/wrong"),
            "credentials for all but initialize": ("--url", f"http://127.0.0.1:{server.server_port}/mcp"),
            "no host": ("--url", "http://no-such-host.invalid/mcp"),
            "not found": ("--command", "no-such-command-anywhere"),
            "exits": ("--command", script("unwilling", "exits")),
            "garbage": ("--command", script("unwilling", "garbage"), *SOON),
            "serves HTTP": ("--command", script("unwilling", "announces"), *SOON),
            "hangs": ("--command", script("unwilling", "hangs"), *SOON),
            "reads": ("--command", script("unwilling", "reads"), *SOON),
            "exits over HTTP": ("--http", "--command", script("unwilling", "exits")),
            "hangs over HTTP": ("--http", "--command", script("unwilling", "hangs"), *SOON),
            "no tasks": ("--command", script("no_tasks")),
        }
        assert commands.keys() == SAID.keys()
        folder = tmp_path_factory.mktemp("bad")
        yield asyncio.run(run_all(folder, {name: ("run", *words) for name, words in commands.items()}))
    server.shutdown()
    server.server_close()
    serving.join()


@pytest.mark.parametrize("name", SAID)
def test_it_is_told_what_is_wrong_with_a_target_and_what_it_said_last(ran: dict[str, Ran], name: str) -> None:
    for words in SAID[name]:
        assert words in ran[name].said
    assert ran[name].said.count("Could not test: ") == 1
    assert "Traceback" not in ran[name].said


@pytest.mark.parametrize("name", SAID)
def test_a_target_that_cannot_be_tested_is_exit_code_three(ran: dict[str, Ran], name: str) -> None:
    assert ran[name].exit_code == 3


@pytest.mark.parametrize("name", SAID)
def test_the_results_are_written_all_the_same(ran: dict[str, Ran], name: str) -> None:
    results = ran[name].results
    assert results is not None
    assert results["verdict"] == "could-not-test"
    assert results["scenarios"] == []
    assert next(iter(SAID[name])).split(":")[0] in str(results)


@pytest.mark.parametrize("name", SAID)
def test_no_process_is_left_and_nobody_waits_long(ran: dict[str, Ran], name: str) -> None:
    assert ran[name].left == []
    results = ran[name].results
    assert results is not None
    assert results["timing"]["total_ms"] < 10_000  # a dozen start at once, which costs what the shorter patience saves
