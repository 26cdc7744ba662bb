"""Serving the built documentation below /docs/."""

import base64
import hashlib
from pathlib import Path

import pytest

from api.app import create_app
from api.explorer.documentation import content_security_policy
from api.settings import Settings
from tests.support.asgi_clients import assert_problem, client_of

SCRIPT = "start()"
PAGE = f"""<script src="a.js"></script><script id="c" type="application/json">{{}}</script><script>{SCRIPT}</script>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "docs/a.js").write_text(SCRIPT)
    (tmp_path / "secret.key").write_text("key")
    return tmp_path


def test_the_policy_allows_inline_scripts_by_their_digest_only() -> None:
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}';" in content_security_policy(PAGE)
    assert "script-src 'self';" in content_security_policy("<p>text</p>")


async def test_serves_the_files_of_the_folder(folder: Path) -> None:
    async with client_of(create_app(Settings(site=folder))) as client:
        assert (await client.get("/docs")).headers["location"] == "/docs/"
        page = await client.get("/docs/")
        assert (page.status_code, page.text) == (200, PAGE)
        assert "sha256-" in page.headers["content-security-policy"]
        script = await client.get("/docs/docs/a.js")
        assert script.headers["content-type"] == "text/javascript; charset=utf-8"
        again = await client.get("/docs/docs/a.js", headers={"If-None-Match": script.headers["etag"]})
        assert again.status_code == 304


@pytest.mark.parametrize("path", ["none.html", "secret.key", "..%2Fsecret.key", "docs"])
async def test_other_files_are_not_found(folder: Path, path: str) -> None:
    async with client_of(create_app(Settings(site=folder))) as client:
        assert_problem(await client.get(f"/docs/{path}"), 404)


async def test_redirects_to_the_api_reference_where_nothing_is_built(tmp_path: Path) -> None:
    async with client_of(create_app(Settings(site=tmp_path))) as client:
        assert (await client.get("/docs")).headers["location"] == "/explore/reference"
        assert_problem(await client.get("/docs/index.html"), 404)
