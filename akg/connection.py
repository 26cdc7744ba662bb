"""OpenSearch client for commands: the configured cluster, else the local node."""

from __future__ import annotations

import os

from opensearchpy import OpenSearch

from akg.node.errors import NodeError
from akg.node.process import status
from api.engine.client import FastSerializer, authentication
from api.settings import Settings, read_settings

TIMEOUT_SECONDS = 60


def settings_from_environment() -> Settings:
    """Return the settings of this process."""
    return read_settings(os.environ)


def engine_urls(settings: Settings) -> tuple[str, ...]:
    """Return the URLs of the configured cluster, else of the local node that runs in AKG_DATA."""
    if settings.opensearch_url:
        return settings.opensearch_url
    node = status(settings.data)
    if node is None:
        raise NodeError(
            "OpenSearch is not running. Start the local node with `akg node start`, or set AKG_OPENSEARCH_URL."
        )
    if node.url is None:
        raise NodeError("The local node is still starting. Try again in a moment.")
    return (node.url,)


def connect(settings: Settings) -> OpenSearch:
    """Return a synchronous client."""
    return OpenSearch(
        hosts=list(engine_urls(settings)),
        **authentication(settings),
        serializer=FastSerializer(),
        timeout=TIMEOUT_SECONDS,
    )
