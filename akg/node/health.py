"""Ask a local node how it is. The only file of the node that speaks HTTP; never through a proxy."""

from __future__ import annotations

import http.client
import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

READY = ("yellow", "green")
HOST = "127.0.0.1"
_TIMEOUT = 5.0


def node_url(port: int) -> str:
    """Where a client reaches the node."""
    return f"http://{HOST}:{port}"


def read_port(ports_file: Path) -> int | None:
    """The port the engine says it opened; None until it has."""
    try:
        return int(ports_file.read_text(encoding="utf-8").split()[0].rpartition(":")[2])
    except (OSError, IndexError, ValueError):
        return None


def cluster_status(port: int) -> str | None:
    """`green`, `yellow` or `red`; None when nothing answers there as OpenSearch would."""
    answer = _get(port, "/_cluster/health")
    return str(answer["status"]) if answer and "status" in answer else None


def serves(port: int, data: Path) -> bool:
    """Whether the node at this port keeps its indices in `data`; another node may have taken the port."""
    answer = _get(port, "/_nodes/_local/settings?filter_path=nodes.*.settings.path.data")
    nodes = (answer or {}).get("nodes", {}).values()
    places = [os.path.realpath(place) for node in nodes for place in node["settings"]["path"]["data"]]
    return os.path.realpath(data) in places


def _get(port: int, path: str) -> dict[str, Any] | None:
    connection = http.client.HTTPConnection(HOST, port, timeout=_TIMEOUT)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        answer = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return answer if isinstance(answer, dict) else None
