"""The commands of the checklist for other proxies: right at the edge, wrong at a careless server or without a proxy."""

import os
import re
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from tests.support.edge import edge
from tests.support.project import ROOT
from tests.support.serving import free_port, process

HEADING = "| promise | check | right if |"
OURS = "https://ours.example"
TIMEOUT_SECONDS = 120


@cache
def commands() -> dict[str, str]:
    """Return each command of the page by its promise."""
    page = next(text for path in ROOT.glob("docs/**/*.md") if HEADING in (text := path.read_text("utf-8")))
    rows = re.findall(r"^\| (.+?) \| `(.+)` \| .* \|$", page.partition(HEADING)[2], re.MULTILINE)
    return {promise: command.replace(r"\|", "|") for promise, command in rows}


class Careless(BaseHTTPRequestHandler):
    """A server that keeps one response for everything, reads bodies of any size, and logs every request."""

    log: Path

    def respond(self) -> None:
        """Read the body, whatever its length, and send the response."""
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.send_response(200)
        for name, value in (("ETag", '"1"'), ("RateLimit", '"default";r=99;t=60'), ("Content-Length", "0")):
            self.send_header(name, value)
        self.end_headers()

    do_GET = do_HEAD = do_POST = do_TRACE = respond  # noqa: N815 - names of the library

    def log_message(self, format: str, *values: object) -> None:  # noqa: A002 - a name of the library
        """Write the request to a file."""
        with self.log.open("a", encoding="utf-8") as file:
            file.write(format % values + "\n")


@contextmanager
def careless(log: Path, certificate: Path, key: Path) -> Iterator[dict[str, str]]:
    """Run that server with and without TLS, old versions too; yield the variables that the commands need."""
    handler = type("Logging", (Careless,), {"log": log})
    plain, secure = (ThreadingHTTPServer(("127.0.0.1", 0), handler) for _ in range(2))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        tls.minimum_version = ssl.TLSVersion.TLSv1_1
    tls.set_ciphers("ALL:@SECLEVEL=0")
    tls.load_cert_chain(certificate, key)
    secure.socket = tls.wrap_socket(secure.socket, server_side=True)
    for server in (plain, secure):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield variables(plain.server_port, secure.server_port)
    finally:
        for server in (plain, secure):
            server.shutdown()
            server.server_close()


def variables(port: int, tls_port: int, metrics: str = "") -> dict[str, str]:
    url = f"http://127.0.0.1:{port}"
    return {"P": url, "M": metrics, "H": "127.0.0.1", "N": str(port), "S": str(tls_port), "O": OURS}


@pytest.fixture(scope="module")
def targets(
    node_url: str, direct: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, dict[str, str]]]:
    """Yield the variables of an edge, of the service behind it, and of the careless server."""
    assert direct  # the world is published
    folder, admin = tmp_path_factory.mktemp("checklist"), free_port()
    settings = {
        "AKG_OPENSEARCH_URL": node_url,
        "AKG_ALIAS": "akg-world",
        "AKG_USAGE_MONTHS": "0",
        "AKG_TRUSTED_PROXIES": "1",
        "AKG_ADMIN_PORT": str(admin),
        "AKG_ALLOWED_ORIGINS": OURS,
        "AKG_DEADLINE_SECONDS": "20",
    }
    metrics = f"http://127.0.0.1:{admin}/metrics"
    with (
        process(settings) as served,
        edge(served.url, folder, AKG_RATE_LIMIT="", AKG_ALLOWED_ORIGINS=OURS) as front,
        careless(folder / "log", front.folder / "trial.pem", front.folder / "trial.key") as wrong,
        httpx.Client(transport=httpx.HTTPTransport(retries=6)) as client,  # the service starts to serve them last
    ):
        client.get(metrics, timeout=30).raise_for_status()
        yield {
            "edge": variables(front.port, front.tls_port, metrics),
            "bare": variables(served.port, served.port, metrics),
            "careless": {**wrong, "LOG": str(folder)},
        }


def output(promise: str, target: dict[str, str]) -> str:
    command = commands()[promise].replace("/var/log", target.get("LOG", "/var/log"))
    run = subprocess.run(  # noqa: S603 - our own page
        ["/bin/bash", "-c", command],
        env={**os.environ, **target},
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_SECONDS,
    )
    return run.stdout.strip()


def numbers(text: str) -> list[float]:
    return [float(line.split()[-1]) for line in text.splitlines()]


def remaining(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"r=(\d+)", text)]


RIGHT: dict[str, tuple[str, Callable[[str], bool]]] = {
    "Incomplete requests do not reach the service.": ("bare", lambda text: numbers(text) == [0.0]),
    "Slow heads are let go.": ("bare", lambda text: text in {"0", "1"}),
    "Foreign and malformed hosts are refused.": ("bare", lambda text: {*text.split()} <= {"400", "404", "421"}),
    "Bodies with two lengths are refused.": ("careless", lambda text: text in {"400", "501"}),
    "Large bodies are refused at once.": ("careless", lambda text: text == "413"),
    "Large heads are refused.": ("bare", lambda text: text in {"400", "413", "431"}),
    "Other methods are refused.": ("careless", lambda text: text in {"405", "501"}),
    "The key of a cache has the query.": ("careless", lambda text: len({*text.splitlines()}) == 2),
    "The key of a cache has `Origin`.": ("careless", lambda text: text.split() == ["0", "1"]),
    "What is negotiated is not mixed up.": ("careless", lambda text: "html" in text and text.endswith("json")),
    "State and answers to bodies are never kept.": (
        "careless",
        lambda text: len(numbers(text)) == 3 and numbers(text) == sorted({*numbers(text)}),
    ),
    "`RateLimit` fields are not kept.": (
        "careless",
        lambda text: len(remaining(text)) < 2 or remaining(text)[0] > remaining(text)[1],
    ),
    "TLS 1.2 or newer.": ("careless", lambda text: text.endswith("(NONE)")),
    "HSTS.": ("careless", lambda text: "max-age=" in text),
    "No access log, and no queries on a disk.": ("careless", lambda text: not text),
    "The limit sees clients, and no forged ones.": ("bare", lambda text: text.endswith("429")),  # the last: it uses up
}
BY_HAND = {"A cache asks again within your time."}


def test_every_command_of_the_page_is_run() -> None:
    assert {*commands()} == {*RIGHT} | BY_HAND


@pytest.mark.parametrize("promise", RIGHT)
def test_a_command_is_right_at_the_edge_and_wrong_elsewhere(promise: str, targets: dict[str, dict[str, str]]) -> None:
    wrong, is_right = RIGHT[promise]
    assert is_right(output(promise, targets["edge"]))
    assert not is_right(output(promise, targets[wrong]))
