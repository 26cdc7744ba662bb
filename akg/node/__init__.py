"""The local OpenSearch node: fetched, started, watched and stopped without anything being installed by hand."""

from akg.node.errors import ClusterError, FetchError, JavaError, NodeError, StartError
from akg.node.fetch import fetch
from akg.node.folders import default_cache, default_root
from akg.node.process import NodeStatus, RunningNode, start, status, stop

__all__ = [
    "ClusterError",
    "FetchError",
    "JavaError",
    "NodeError",
    "NodeStatus",
    "RunningNode",
    "StartError",
    "default_cache",
    "default_root",
    "fetch",
    "start",
    "status",
    "stop",
]
