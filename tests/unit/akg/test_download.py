"""Downloads: checks, retries, and no file after a failure."""

import gzip
import hashlib
import io
import tracemalloc
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import httpx
import pytest
import respx
from rich.console import Console

from akg.download import DownloadError, FileRequest, download, is_url, without_secrets

URL = "https://onet.example.org/db_31_0_csv.zip"
CONTENT = b"PK rows " * 200
RIGHT = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def router() -> respx.Router:
    return respx.Router()


class Sent(httpx.SyncByteStream):
    """A body that is not read yet, as that of a server."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        yield self._body


def unread(router: respx.Router) -> httpx.MockTransport:
    """Return a transport whose responses are not read yet, as those of the network."""

    def handle(request: httpx.Request) -> httpx.Response:
        response = router.handler(request)
        return httpx.Response(response.status_code, headers=response.headers, stream=Sent(response.content))

    return httpx.MockTransport(handle)


def fetch(router: respx.Router, path: Path, sha256: str = "") -> str:
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    download(FileRequest(URL, 10_000, sha256, pause_seconds=0.0), path, console, unread(router))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_downloads_and_checks_a_file_with_progress(router: respx.Router, tmp_path: Path) -> None:
    route = router.get(URL).respond(content=CONTENT)
    output = fetch(router, tmp_path / "onet.zip", sha256=RIGHT.upper())
    assert (tmp_path / "onet.zip").read_bytes() == CONTENT
    assert "onet.zip" in output
    assert route.calls.last.request.headers["user-agent"].startswith("AccommodationKnowledgeGraph/")


@pytest.mark.parametrize(
    ("response", "requests", "message"),
    [
        (httpx.Response(404), 1, "https://onet.example.org/db_31_0_csv.zip responded with status 404."),
        (httpx.Response(503), 4, "https://onet.example.org/db_31_0_csv.zip responded with status 503."),
        (httpx.ConnectError("no route"), 4, "could not be downloaded: no route"),
        (httpx.Response(200, content=b"other"), 1, "is not the expected file: its SHA-256 is"),
        (httpx.Response(200, content=b"x" * 10_001), 1, "is larger than 10,000 bytes."),
        (httpx.Response(200, content=b"x", headers={"Content-Length": "99999999"}), 1, "is larger than 10,000 bytes."),
        (httpx.Response(200, content=b"x", headers={"Content-Length": "9" * 5000}), 1, "is not the expected file"),
        (httpx.Response(302, headers={"Location": URL}), 6, "not be downloaded: Exceeded maximum allowed redirects."),
    ],
)
def test_a_failed_download_leaves_no_file(
    router: respx.Router, tmp_path: Path, response: httpx.Response | Exception, requests: int, message: str
) -> None:
    route = router.get(URL).mock(side_effect=repeat(response))
    with pytest.raises(DownloadError) as raised:
        fetch(router, tmp_path / "onet.zip", sha256=RIGHT)
    assert message in str(raised.value)
    assert route.call_count == requests
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "before",
    [
        [httpx.Response(302, headers={"Location": "https://files.example.org/onet.zip"})],
        [httpx.Response(503), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut")],
    ],
    ids=["redirect", "transient errors"],
)
def test_follows_redirects_and_retries_transient_errors(
    router: respx.Router, tmp_path: Path, before: list[httpx.Response | Exception]
) -> None:
    router.route().mock(side_effect=[*before, httpx.Response(200, content=CONTENT)])
    fetch(router, tmp_path / "onet.zip", sha256=RIGHT)
    assert (tmp_path / "onet.zip").read_bytes() == CONTENT


def test_never_unpacks_a_file(tmp_path: Path) -> None:
    packed = gzip.compress(gzip.compress(b" " * 50_000_000))
    headers = {"Content-Encoding": "gzip, gzip"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, stream=Sent(packed)))
    tracemalloc.start()
    download(FileRequest(URL, 10_000), tmp_path / "onet.zip", Console(file=io.StringIO()), transport)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (tmp_path / "onet.zip").read_bytes() == packed
    assert peak < 10_000_000


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://me:pass@onet.example.org:8443/a/b.zip?key=1#x", "https://onet.example.org:8443/a/b.zip"),
        ("me:pass@onet.example.org:9200", "onet.example.org:9200"),
        ("localhost:9200", "localhost:9200"),
    ],
)
def test_removes_secrets_from_a_url(url: str, expected: str) -> None:
    assert without_secrets(url) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [(URL, True), ("HTTP://x.org/a", True), ("https", False), ("./a.zip", False), ("ftp://x/", False)],
)
def test_distinguishes_urls_from_paths(source: str, *, expected: bool) -> None:
    assert is_url(source) is expected
