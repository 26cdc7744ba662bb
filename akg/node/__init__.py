"""The local OpenSearch node: download, start, status and stop."""

from akg.node.distribution import fetch
from akg.node.errors import NodeError, StartError
from akg.node.process import start, status, stop
from akg.node.state import default_cache, default_root

__all__ = ["NodeError", "StartError", "default_cache", "default_root", "fetch", "start", "status", "stop"]
