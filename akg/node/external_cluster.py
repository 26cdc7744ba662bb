"""Health of the cluster that AKG_OPENSEARCH_URL names, which is never started or stopped here."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import opensearchpy

from akg.download import without_secrets
from akg.node.errors import ClusterError
from api.engine.client import authentication

if TYPE_CHECKING:
    from api.settings import Settings

_TIMEOUT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class ClusterHealth:
    """Health of a cluster; `status` is green, yellow or red."""

    name: str
    version: str
    status: str
    nodes: int


def shown_urls(settings: Settings) -> str:
    """Return the URLs of the cluster without credentials."""
    return ", ".join(map(without_secrets, settings.opensearch_url))


def cluster_health(settings: Settings) -> ClusterHealth:
    """Return the health from the first URL that responds; raise ClusterError if none does."""
    urls, shown = list(settings.opensearch_url), shown_urls(settings)
    # The client logs each failed attempt; the error below is enough.
    logging.getLogger("opensearch").addHandler(logging.NullHandler())
    try:
        with opensearchpy.OpenSearch(
            urls, timeout=_TIMEOUT_SECONDS, max_retries=len(urls) - 1, retry_on_timeout=True, **authentication(settings)
        ) as client:
            about = client.info()
            health = client.cluster.health()
    except opensearchpy.exceptions.ConnectionError as error:
        # The text begins with the memory address of an object.
        cause = str(error.info).rpartition(">: ")[2]
        raise ClusterError(f"OpenSearch is unavailable at {shown}: {cause}") from error
    except opensearchpy.exceptions.TransportError as error:
        raise ClusterError(f"{shown} rejected the health request: {error.status_code} {error.error}") from error
    except (opensearchpy.exceptions.OpenSearchException, OSError, ValueError) as error:
        raise ClusterError(f"{shown} is not an OpenSearch: {error}") from error
    return ClusterHealth(
        name=health["cluster_name"],
        version=about["version"]["number"],
        status=health["status"],
        nodes=health["number_of_nodes"],
    )
