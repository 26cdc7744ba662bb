"""A cluster that somebody else runs, named by AKG_OPENSEARCH_URL: only asked how it is, never started or stopped."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import opensearchpy

from akg.node.errors import ClusterError

if TYPE_CHECKING:
    from collections.abc import Mapping

_TIMEOUT = 10


@dataclass(frozen=True, slots=True)
class ExternalCluster:
    """Its addresses and how to be let in. The password is kept out of every text."""

    urls: tuple[str, ...] = field(repr=False)
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: str | None = None
    client_cert: str | None = None
    client_key: str | None = None

    @property
    def shown(self) -> str:
        """The addresses without the credentials they may carry."""
        return ", ".join(_without_credentials(url) for url in self.urls)


@dataclass(frozen=True, slots=True)
class ClusterHealth:
    """What the cluster says of itself; `status` is green, yellow or red."""

    name: str
    version: str
    status: str
    nodes: int


def external_cluster(environ: Mapping[str, str]) -> ExternalCluster | None:
    """The cluster the environment names, if it names one."""
    urls = tuple(url.strip() for url in environ.get("AKG_OPENSEARCH_URL", "").split(",") if url.strip())
    if not urls:
        return None
    return ExternalCluster(
        urls=urls,
        user=environ.get("AKG_OPENSEARCH_USER") or None,
        password=environ.get("AKG_OPENSEARCH_PASSWORD") or None,
        ca_file=environ.get("AKG_OPENSEARCH_CA_FILE") or None,
        client_cert=environ.get("AKG_OPENSEARCH_CLIENT_CERT") or None,
        client_key=environ.get("AKG_OPENSEARCH_CLIENT_KEY") or None,
    )


def cluster_health(cluster: ExternalCluster) -> ClusterHealth:
    """Ask the first address that answers."""
    access: dict[str, Any] = {}
    if cluster.user:
        access["http_auth"] = (cluster.user, cluster.password or "")
    files = {"ca_certs": cluster.ca_file, "client_cert": cluster.client_cert, "client_key": cluster.client_key}
    access |= {name: path for name, path in files.items() if path}
    # The client warns of each failed attempt on its own; the error below says it once.
    logging.getLogger("opensearch").addHandler(logging.NullHandler())
    try:
        with opensearchpy.OpenSearch(
            list(cluster.urls), timeout=_TIMEOUT, max_retries=len(cluster.urls) - 1, retry_on_timeout=True, **access
        ) as client:
            about = client.info()
            health = client.cluster.health()
    except opensearchpy.exceptions.ConnectionError as error:
        # Its own text opens with the address of an object in memory.
        cause = str(error.info).rpartition(">: ")[2]
        raise ClusterError(f"no OpenSearch answers at {cluster.shown}: {cause}") from error
    except opensearchpy.exceptions.TransportError as error:
        raise ClusterError(f"{cluster.shown} refuses to say how it is: {error.status_code} {error.error}") from error
    except (opensearchpy.exceptions.OpenSearchException, OSError, ValueError) as error:
        raise ClusterError(f"{cluster.shown} does not answer as OpenSearch does: {error}") from error
    return ClusterHealth(
        name=health["cluster_name"],
        version=about["version"]["number"],
        status=health["status"],
        nodes=health["number_of_nodes"],
    )


def _without_credentials(url: str) -> str:
    host = urlsplit(url if "://" in url else f"//{url}").netloc.rpartition("@")
    return url.replace(f"{host[0]}@", "", 1) if host[0] else url
