"""Ctrl-C during a market check whose sites do not respond and whose pages take long to parse."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.bad_pages import NAME, SLOW_KINDS, TITLE
from tests.support.interrupted import HANDLER, WAIT_SECONDS, end_of, running, wait_until
from tests.support.market_findings import HEADER
from tests.support.market_processes import findings
from tests.support.world_files import copy_world_with_findings

VERIFY = (
    HANDLER
    + """
import sys
from pathlib import Path
from akg.console import report_errors
from tests.support.market_run import main

with report_errors():
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.maxsize, "")
"""
)
KINDS = ("named", "named", "named", "silent", "silent", "nested")  # each on its host: all are visited at once


class Sites:
    """Sites that count their requests, and do not respond while they are silent."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.speak = threading.Event()

    def body(self, path: str) -> str | None:
        """Return the page at a path; None if it is missing."""
        _, kind, *numbers = path.split("/")
        self.requests.append(kind)
        if kind == "silent":
            self.speak.wait()
        if kind == "nested" and not self.speak.is_set():
            return SLOW_KINDS["nested"].body  # type: ignore[return-value]  # a text
        return TITLE.format(number=numbers[0]) if numbers else None


@contextmanager
def listening(sites: Sites) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = sites.body(self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write((body or "").encode())

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.005,))
        thread.start()
        try:
            yield server.server_port
        finally:
            sites.speak.set()
            server.shutdown()
            thread.join()


def test_ctrl_c_keeps_what_was_visited_and_the_next_run_visits_the_rest(tmp_path: Path) -> None:
    world = copy_world_with_findings(tmp_path / "world", HEADER)
    with (world / "products.csv").open("a") as table:
        for number, kind in enumerate(KINDS):
            url = f"https://{kind}-{number}.example/{kind}/{number}"
            table.write(f"thing-{number},{NAME.format(number=number)},C,assistive,A thing.,{url},fair\n")
    sites = Sites()
    journal = tmp_path / "state" / "visits.ndjson"
    with listening(sites) as port:
        with running([VERIFY, str(world), str(port)]) as process:
            wait_until(lambda: sites.requests.count("silent") == 2 and "nested" in sites.requests)
            wait_until(lambda: journal.exists() and journal.read_bytes().count(b"named-in-title") == 3)
            assert "Stopped" in end_of(process)
        assert rules_by_kind(world) == {"named": ["named-in-title"] * 3}
        sites.speak.set()
        with running([VERIFY, str(world), str(port)]) as process:
            _, errors = process.communicate(timeout=WAIT_SECONDS)
        assert process.returncode == 0, errors
    assert rules_by_kind(world) == {"named": ["named-in-title"] * 3, "silent": ["named-in-title"] * 2}


def rules_by_kind(world: Path) -> dict[str, list[str]]:
    """Return the rules of the pages of each kind, but not of nested ones: a busy machine may have parsed them."""
    rules: dict[str, list[str]] = {}
    for url, rule in findings(world).items():
        kind = url.split("/")[3]
        if kind in {"named", "silent"}:
            rules.setdefault(kind, []).append(rule)
    return rules
