"""Which engine the commands use, and a client for it."""

from __future__ import annotations

import os

from opensearchpy import OpenSearch

from akg.node.errors import NodeError
from akg.node.process import status
from api.connection import FastSerializer, access
from api.settings import Settings, read_settings

SECONDS = 60


def settings_from_environment() -> Settings:
    """The settings of this process."""
    return read_settings(os.environ)


def engine_urls(settings: Settings) -> tuple[str, ...]:
    """The configured engine, else the local node that runs for this folder."""
    if settings.opensearch_url:
        return settings.opensearch_url
    node = status(settings.data)
    if node is None:
        raise NodeError("No engine: set AKG_OPENSEARCH_URL, or start the local node with `akg node start`.")
    if node.url is None:
        raise NodeError("The local node is still starting; try again in a moment.")
    return (node.url,)


def connect(settings: Settings) -> OpenSearch:
    """A client for the engine, for commands that wait."""
    return OpenSearch(
        hosts=list(engine_urls(settings)),
        **access(settings),
        serializer=FastSerializer(),
        timeout=SECONDS,
    )
