"""Export of the live release as files: complete, in ranges, and compressed."""

import asyncio
import gzip
import hashlib
import itertools
import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from opensearchpy import OpenSearch
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typer.testing import CliRunner

from akg.cli import app
from api import models
from api.app import create_app
from api.settings import Settings
from indexer.release.plan import ReleasePlan
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from indexer.release.stored_releases import ReleaseError
from tests.support.asgi_clients import client_of
from tests.support.fixture_graphs import WORLD, plan_of, running, serving

START = datetime(2026, 1, 1, tzinfo=UTC)
PLAIN = {"Accept-Encoding": "identity"}


@pytest.fixture(scope="module")
async def listed(real_service: httpx.AsyncClient) -> dict[str, dict[str, Any]]:
    response = await real_service.get("/export")
    models.ExportPage.model_validate_json(response.content)
    return {file["name"]: file for file in response.json()["files"]}


@pytest.fixture(scope="module")
async def files(real_service: httpx.AsyncClient, listed: dict[str, dict[str, Any]]) -> dict[str, bytes]:
    return {name: (await real_service.get(file["url"], headers=PLAIN)).content for name, file in listed.items()}


def test_every_file_has_the_listed_size_and_checksum(
    files: dict[str, bytes], listed: dict[str, dict[str, Any]]
) -> None:
    for name, content in files.items():
        assert (len(content), hashlib.sha256(content).hexdigest()) == (listed[name]["bytes"], listed[name]["sha256"])
    package = json.loads(files["datapackage.json"])
    assert {resource["path"]: resource["hash"] for resource in package["resources"]} == {
        name: f"sha256:{file['sha256']}" for name, file in listed.items() if name != "datapackage.json"
    }


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_every_file_links_its_provenance_and_its_terms(
    real_service: httpx.AsyncClient, listed: dict[str, dict[str, Any]], method: str
) -> None:
    for file in listed.values():
        response = await real_service.request(method, file["url"])
        links = response.links
        assert {name: link["url"] for name, link in links.items()} == {
            "describedby": "/export/datapackage.json",
            "license": "/export/attributions.txt",
        }
        unchanged = {"If-None-Match": response.headers["etag"]}
        assert (await real_service.get(file["url"], headers=unchanged)).links == links


async def test_the_files_contain_the_served_graph(files: dict[str, bytes], real_service: httpx.AsyncClient) -> None:
    totals = (await real_service.get("/graph")).json()["totals"]
    assert gzip.decompress(files["entities.ndjson.gz"]).count(b"\n") == totals["entities"]
    assert gzip.decompress(files["edges.ndjson.gz"]).count(b"\n") == totals["edges"]


@pytest.mark.parametrize("name", ["edges.csv", "edges.ndjson.gz", "datapackage.json"])
@pytest.mark.parametrize(("start", "stop"), [(0, 1), (0, 100), (0.3, 0.31), (0.1, 0.9), (0.999, 1.0), (0, 1.0)])
async def test_a_range_request_returns_that_part_of_the_file(
    real_service: httpx.AsyncClient, files: dict[str, bytes], name: str, start: float, stop: float
) -> None:
    size = len(files[name])
    first, after = (place if isinstance(place, int) else int(place * size) for place in (start, stop))
    headers = {"Range": f"bytes={first}-{after - 1}", "Accept-Encoding": "gzip"}
    response = await real_service.get(f"/export/{name}", headers=headers)
    assert response.status_code == 206
    assert response.content == files[name][first:after]
    assert response.headers["content-range"] == f"bytes {first}-{after - 1}/{size}"
    assert "content-encoding" not in response.headers


async def test_resumes_an_interrupted_download(real_service: httpx.AsyncClient, files: dict[str, bytes]) -> None:
    complete = await real_service.get("/export/edges.csv", headers=PLAIN)
    half = len(files["edges.csv"]) // 2
    rest = {"Range": f"bytes={half}-", "If-Range": complete.headers["etag"]}
    assert (await real_service.get("/export/edges.csv", headers=rest)).content == files["edges.csv"][half:]
    outdated = await real_service.get("/export/edges.csv", headers={**rest, **PLAIN, "If-Range": '"other"'})
    assert (outdated.status_code, outdated.content) == (200, files["edges.csv"])
    last = await real_service.get("/export/edges.csv", headers={"Range": "bytes=-5"})
    assert last.content == files["edges.csv"][-5:]


def received_slowly(app: ASGIApp, seconds: float) -> ASGIApp:
    """Return the application with a pause after the first part of a response, as over a slow connection."""

    async def receive_slowly(scope: Scope, receive: Receive, send: Send) -> None:
        parts = itertools.count()

        async def send_slowly(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.body" and next(parts) == 0:
                await asyncio.sleep(seconds)

        await app(scope, receive, send_slowly)

    return receive_slowly


async def test_a_download_may_take_longer_than_a_request(
    node_url: str, real_service: httpx.AsyncClient, files: dict[str, bytes]
) -> None:
    assert real_service  # its release is live
    settings = Settings(alias="akg-real", allowed_hosts=("service",), usage_months=0, deadline_seconds=5)
    app = create_app(settings, [node_url])
    slow = received_slowly(app, settings.deadline_seconds + 0.1)
    async with running(app), client_of(slow, "http://service") as client:
        assert (await client.get("/export/edges.csv", headers=PLAIN)).content == files["edges.csv"]


async def test_a_client_that_accepts_gzip_gets_the_compressed_file(
    real_service: httpx.AsyncClient, files: dict[str, bytes]
) -> None:
    plain = await real_service.get("/export/edges.csv", headers=PLAIN)
    packed = await real_service.get("/export/edges.csv", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 5
    assert packed.content == plain.content == files["edges.csv"]  # the client decompresses
    assert packed.headers["etag"] != plain.headers["etag"]
    assert "Accept-Encoding" in packed.headers["vary"]
    uncompressed = await real_service.get("/export/edges.csv", headers={"Accept-Encoding": "gzip;q=0, br"})
    assert "content-encoding" not in uncompressed.headers
    archive = await real_service.get("/export/edges.ndjson.gz", headers={"Accept-Encoding": "gzip"})
    assert ("content-encoding" not in archive.headers, archive.content) == (True, files["edges.ndjson.gz"])


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
async def test_head_and_a_matching_etag_have_no_body(real_service: httpx.AsyncClient, encoding: str) -> None:
    accepted = {"Accept-Encoding": encoding, "Accept": "text/csv"}
    got = await real_service.get("/export/aliases.csv", headers=accepted)
    head = await real_service.head("/export/aliases.csv", headers=accepted)
    names = ("etag", "content-length", "content-type", "content-encoding", "accept-ranges", "content-disposition")
    assert (head.status_code, head.content) == (200, b"")
    assert [head.headers.get(name) for name in names] == [got.headers.get(name) for name in names]
    again = await real_service.get("/export/aliases.csv", headers={**accepted, "If-None-Match": got.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", got.headers["etag"])
    part = await real_service.head("/export/aliases.csv", headers={"Range": "bytes=5-9"})
    assert (part.status_code, part.content, part.headers["content-length"]) == (206, b"", "5")


async def test_a_range_after_the_end_and_an_unknown_file_are_clear_errors(
    real_service: httpx.AsyncClient, files: dict[str, bytes]
) -> None:
    size = len(files["edges.csv"])
    after = await real_service.get("/export/edges.csv", headers={"Range": f"bytes={size}-"})
    assert (after.status_code, after.headers["content-range"]) == (416, f"bytes */{size}")
    unknown = await real_service.get("/export/edgs.csv")
    assert unknown.status_code == 404
    assert "Did you mean edges.csv?" in unknown.json()["detail"]
    for response in (after, unknown):
        models.Problem.model_validate_json(response.content)
        assert response.headers["cache-control"] == "no-store"


async def test_the_files_are_those_of_the_live_release(client: OpenSearch, node_url: str, tmp_path: Path) -> None:
    changed = tmp_path / "world"
    shutil.copytree(WORLD, changed)
    vendors = changed / "vendors.csv"
    vendors.write_text(vendors.read_text("utf-8").replace("Quiet Works", "Calm Works"), "utf-8")
    releases = Releases(client, "akg-export")
    async with serving(node_url, "akg-export") as service:

        async def names() -> tuple[bool, str]:
            response = await service.get("/export/entities.csv")
            return b"Calm Works" in response.content, response.headers["etag"]

        publish_release(releases, plan_of(WORLD), START, lambda _: None)
        old = await names()
        publish_release(releases, plan_of(changed), START + timedelta(hours=1), lambda _: None)
        new = await names()
        releases.rollback()
        assert await names() == old
        publish_release(releases, plan_of(changed), START + timedelta(hours=2), lambda _: None)
        assert await names() == new  # the same tables give the same bytes
    assert (old[0], new[0]) == (False, True)
    client.indices.delete(index="akg-export-*")


async def test_an_incomplete_export_is_never_published(client: OpenSearch) -> None:
    plan = plan_of(WORLD)
    missing = [(key, body) for key, body in plan.documents if key != "export/edges.csv/0"]
    short = ReleasePlan(plan.body, missing, plan.expected, plan.meta)
    with pytest.raises(ReleaseError, match=r"the export file edges\.csv is incomplete"):
        publish_release(Releases(client, "akg-incomplete"), short, START, lambda _: None)


def test_the_command_writes_the_same_files_and_does_not_change_others(
    node_url: str, files: dict[str, bytes], tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "folder"
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("mine", "utf-8")
    environment = {"AKG_OPENSEARCH_URL": node_url, "AKG_ALIAS": "akg-real"}
    for _ in range(2):  # the second time it replaces the files
        done = CliRunner().invoke(app, ["export", str(folder)], env=environment)
        assert done.exit_code == 0, done.output
        assert "Wrote 28 files" in done.output
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert written.pop("mine.txt") == b"mine"
    assert written == files


def test_the_command_reports_why_it_cannot_write(node_url: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environment = {"AKG_OPENSEARCH_URL": node_url, "AKG_ALIAS": "akg-never-built"}
    done = CliRunner().invoke(app, ["export", str(tmp_path / "file")], env=environment)
    assert (done.exit_code, "File exists" in done.output) == (1, True)
    done = CliRunner().invoke(app, ["export", str(tmp_path / "new")], env=environment)
    assert (done.exit_code, "No data has been published yet" in done.output) == (1, True)
    assert list((tmp_path / "new").iterdir()) == []
