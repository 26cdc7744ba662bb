"""A file of the web comes whole and checked, or not at all: every way in which a server can disappoint."""

from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING

import httpx
import pytest
import respx
from rich.console import Console

from akg.download import DownloadError, Wanted, download, is_address, without_secrets

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://onet.example.org/db_31_0_csv.zip"
CONTENT = b"PK rows " * 200
RIGHT = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def router() -> respx.Router:
    return respx.Router()


def fetch(router: respx.Router, into: Path, most: int = 10_000, sha256: str = "") -> str:
    """What the console shows of a download."""
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    download(Wanted(URL, most, sha256, pause=0.0), into, console, httpx.MockTransport(router.handler))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_file_is_fetched_with_progress_and_checked(router: respx.Router, tmp_path: Path) -> None:
    route = router.get(URL).respond(content=CONTENT)
    shown = fetch(router, tmp_path / "onet.zip", sha256=RIGHT.upper())
    assert (tmp_path / "onet.zip").read_bytes() == CONTENT
    assert "onet.zip" in shown
    assert route.calls.last.request.headers["user-agent"].startswith("AccommodationKnowledgeGraph/")


def test_redirects_are_followed(router: respx.Router, tmp_path: Path) -> None:
    router.get(URL).respond(302, headers={"Location": "https://files.example.org/onet.zip"})
    router.get("https://files.example.org/onet.zip").respond(content=CONTENT)
    fetch(router, tmp_path / "onet.zip")
    assert (tmp_path / "onet.zip").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (httpx.Response(404), "https://onet.example.org/db_31_0_csv.zip answers 404."),
        (httpx.Response(503), "https://onet.example.org/db_31_0_csv.zip answers 503."),
        (httpx.Response(200, content=b"other"), "is not the file that was asked for: its SHA-256 is"),
        (httpx.Response(200, content=b"x" * 10_001), "is larger than 10,000 bytes."),
        (httpx.Response(200, content=b"x", headers={"Content-Length": "99999999"}), "is larger than 10,000 bytes."),
        (httpx.Response(302, headers={"Location": URL}), "could not be fetched: Exceeded maximum allowed redirects."),
    ],
)
def test_what_is_not_as_asked_leaves_nothing(
    router: respx.Router, tmp_path: Path, answer: httpx.Response, sentence: str
) -> None:
    router.get(URL).mock(return_value=answer)
    with pytest.raises(DownloadError) as raised:
        fetch(router, tmp_path / "onet.zip", sha256=RIGHT)
    assert sentence in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_a_short_trouble_is_got_over(router: respx.Router, tmp_path: Path) -> None:
    router.get(URL).mock(
        side_effect=[
            httpx.Response(503),
            httpx.ReadTimeout("slow"),
            httpx.RemoteProtocolError("cut"),
            httpx.Response(200, content=CONTENT),
        ]
    )
    fetch(router, tmp_path / "onet.zip", sha256=RIGHT)
    assert (tmp_path / "onet.zip").read_bytes() == CONTENT


def test_a_long_trouble_is_given_up(router: respx.Router, tmp_path: Path) -> None:
    route = router.get(URL).mock(side_effect=httpx.ConnectError("no way there"))
    with pytest.raises(DownloadError, match="could not be fetched: no way there"):
        fetch(router, tmp_path / "onet.zip")
    assert route.call_count == 4
    assert list(tmp_path.iterdir()) == []


def test_secrets_in_an_address_are_not_repeated() -> None:
    assert without_secrets("https://me:pass@onet.example.org:8443/a/b.zip?key=1#x") == (
        "https://onet.example.org:8443/a/b.zip"
    )


@pytest.mark.parametrize(
    ("source", "yes"),
    [(URL, True), ("HTTP://x.org/a", True), ("https", False), ("./a.zip", False), ("ftp://x/", False)],
)
def test_an_address_is_told_from_a_path(source: str, *, yes: bool) -> None:
    assert is_address(source) is yes
