"""Installing dashboards: what is sent, and what a person reads when it cannot be done."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import httpx
import pytest
import respx

from akg.console import DashboardsError
from akg.dashboards_commands import IMPORT, dashboard_files, put, shaped

if TYPE_CHECKING:
    from pathlib import Path

URL = "http://dashboards.test/base/"
PATTERN = {"type": "index-pattern", "id": "akg-usage", "attributes": {"title": "akg-usage-*"}}
PANEL = {"type": "visualization", "id": "akg-a", "attributes": {"title": "Äpfel"}}


@pytest.fixture
def client() -> httpx.Client:
    return httpx.Client(base_url=URL, headers={"osd-xsrf": "true"})


def test_the_pattern_follows_the_setting_and_nothing_else_changes() -> None:
    text = "".join(json.dumps(one) + "\n" for one in (PATTERN, PANEL))
    pattern, panel = shaped(text, "ours").splitlines()
    assert json.loads(pattern)["attributes"] == {"title": "ours-*"}
    assert json.loads(panel) == PANEL


def test_files_are_found_in_order_and_none_is_an_error(tmp_path: Path, mappings: Path) -> None:
    assert [path.stem for path in dashboard_files(mappings)] == ["errors", "mcp", "release", "search", "traffic"]
    with pytest.raises(DashboardsError, match=r"There are no dashboards in "):
        dashboard_files(tmp_path)


@respx.mock
def test_a_file_is_sent_in_place_of_what_is_there(client: httpx.Client) -> None:
    route = respx.post(f"{URL}{IMPORT}", params={"overwrite": "true"})
    route.mock(httpx.Response(200, json={"success": True, "successCount": 2}))
    for _ in range(2):
        assert put(client, "a.ndjson", '{"id":"ä"}\n') == 2
    sent = route.calls.last.request
    assert sent.headers["osd-xsrf"] == "true"
    assert b'filename="a.ndjson"' in sent.content
    assert '{"id":"ä"}\n'.encode() in sent.content


REFUSED = {"type": "dashboard", "id": "akg-a", "error": {"type": "missing_references"}}


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (
            httpx.Response(200, json={"success": False, "successCount": 1, "errors": [REFUSED]}),
            "dashboard akg-a: missing",
        ),
        (httpx.Response(401, json={}), r"wants a login \(401\)\. AKG_OPENSEARCH_USER and"),
        (httpx.Response(302, headers={"Location": "/app/login"}), r"wants a login \(302\)"),
        (httpx.Response(404, text="<html>"), r"no OpenSearch Dashboards at .*base/ \(404"),
        (httpx.Response(200, json=[]), r"no OpenSearch Dashboards at .*base/ \(200"),
        (httpx.Response(413, json={"message": "Payload too large"}), r"\(413: Payload too large\)"),
        (httpx.ConnectError("refused"), r"does not answer at http://dashboards.test/base/: refused"),
        (httpx.ReadTimeout("timed out"), r"does not answer at http://dashboards.test/base/: timed out"),
    ],
)
@respx.mock
def test_what_went_wrong_is_said_in_one_sentence(
    client: httpx.Client, answer: httpx.Response | Exception, says: str
) -> None:
    respx.post(f"{URL}{IMPORT}").mock(side_effect=[answer])
    with pytest.raises(DashboardsError, match=says):
        put(client, "a.ndjson", "{}\n")
