"""Installation of dashboards: requests and error messages."""

import json
from pathlib import Path

import httpx
import pytest
import respx

from akg.commands.dashboards import (
    IMPORT_PATH,
    DashboardsError,
    dashboard_files,
    import_objects,
    with_index_names,
)
from api.settings import Settings

URL = "http://dashboards.test/base/"
PATTERN = {"type": "index-pattern", "id": "akg-usage", "attributes": {"title": "akg-usage-*"}}
PANEL = {"type": "visualization", "id": "akg-a", "attributes": {"title": "Äpfel"}}


@pytest.fixture
def client() -> httpx.Client:
    return httpx.Client(base_url=URL, headers={"osd-xsrf": "true"})


def test_names_the_configured_usage_indices() -> None:
    text = "".join(json.dumps(item) + "\n" for item in (PATTERN, PANEL))
    pattern, panel = with_index_names(text, Settings(usage_index="ours")).splitlines()
    assert json.loads(pattern)["attributes"] == {"title": "ours-*"}
    assert json.loads(panel) == PANEL


def test_names_the_configured_release_alias(mappings: Path) -> None:
    text = (mappings / "dashboards" / "graph.ndjson").read_text("utf-8")
    objects = [json.loads(line) for line in with_index_names(text, Settings(alias="ours")).splitlines()]
    titles = {item["id"]: item["attributes"]["title"] for item in objects if item["type"] == "index-pattern"}
    assert titles["akg-entities"] == "ours-f5"
    assert "akg-entities-f5" not in json.dumps(objects)
    assert sum("ours-f5" in json.dumps(item) for item in objects) > 1  # the Vega specifications follow too


def test_lists_the_files_in_order_and_requires_one(tmp_path: Path, mappings: Path) -> None:
    assert [path.stem for path in dashboard_files(mappings)] == [
        "errors",
        "graph",
        "mcp",
        "release",
        "search",
        "traffic",
    ]
    with pytest.raises(DashboardsError, match=r"There are no dashboards in "):
        dashboard_files(tmp_path)


@respx.mock
def test_imports_a_file_and_overwrites_its_objects(client: httpx.Client) -> None:
    route = respx.post(f"{URL}{IMPORT_PATH}", params={"overwrite": "true"})
    route.mock(httpx.Response(200, json={"success": True, "successCount": 2}))
    for _ in range(2):
        assert import_objects(client, "a.ndjson", '{"id":"ä"}\n') == 2
    sent = route.calls.last.request
    assert sent.headers["osd-xsrf"] == "true"
    assert b'filename="a.ndjson"' in sent.content
    assert '{"id":"ä"}\n'.encode() in sent.content


REJECTED = {"type": "dashboard", "id": "akg-a", "error": {"type": "missing_references"}}


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (
            httpx.Response(200, json={"success": False, "successCount": 1, "errors": [REJECTED]}),
            "dashboard akg-a: missing",
        ),
        (httpx.Response(401, json={}), r"requires a login \(401\)\. Set AKG_OPENSEARCH_USER and"),
        (httpx.Response(302, headers={"Location": "/app/login"}), r"requires a login \(302\)"),
        (httpx.Response(404, text="<html>"), r"base/ is not an OpenSearch Dashboards \(404"),
        (httpx.Response(200, json=[]), r"base/ is not an OpenSearch Dashboards \(200"),
        (httpx.Response(413, json={"message": "Payload too large"}), r"\(413: Payload too large\)"),
        (httpx.ConnectError("refused"), r"is unavailable at http://dashboards.test/base/: refused"),
        (httpx.ReadTimeout("timed out"), r"is unavailable at http://dashboards.test/base/: timed out"),
    ],
)
@respx.mock
def test_reports_what_went_wrong(client: httpx.Client, response: httpx.Response | Exception, message: str) -> None:
    respx.post(f"{URL}{IMPORT_PATH}").mock(side_effect=[response])
    with pytest.raises(DashboardsError, match=message):
        import_objects(client, "a.ndjson", "{}\n")
