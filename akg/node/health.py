"""Health requests to the local node, never through a proxy."""

from __future__ import annotations

import http.client
import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

READY = ("yellow", "green")
HOST = "127.0.0.1"
_TIMEOUT_SECONDS = 5.0


def node_url(port: int) -> str:
    """Return the URL of the node."""
    return f"http://{HOST}:{port}"


def read_port(ports_file: Path) -> int | None:
    """Return the port that OpenSearch opened; None until it has."""
    try:
        return int(ports_file.read_text(encoding="utf-8").split()[0].rpartition(":")[2])
    except (OSError, IndexError, ValueError):
        return None


def cluster_status(port: int) -> str | None:
    """Return `green`, `yellow` or `red`; None if OpenSearch does not respond."""
    body = _get(port, "/_cluster/health")
    return str(body["status"]) if body and "status" in body else None


def serves(port: int, data: Path) -> bool:
    """Whether the node at this port has its indices in `data`; another node may use the port."""
    body = _get(port, "/_nodes/_local/settings?filter_path=nodes.*.settings.path.data")
    nodes = (body or {}).get("nodes", {}).values()
    paths = [os.path.realpath(path) for node in nodes for path in node["settings"]["path"]["data"]]
    return os.path.realpath(data) in paths


def _get(port: int, path: str) -> dict[str, Any] | None:
    connection = http.client.HTTPConnection(HOST, port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        body = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return body if isinstance(body, dict) else None
