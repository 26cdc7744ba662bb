"""OpenSearch client and timeout of the commands, for the configured cluster, else for the local node."""

import logging
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from opensearchpy import OpenSearch, exceptions

from akg.console import CHECK_CREDENTIALS, END_SIGNALS, connection_problem, report_errors
from akg.download import without_secrets
from akg.node.errors import ClusterError, NodeError
from akg.node.process import status
from akg.retrying import RetryingTransport
from api.engine.client import FastSerializer, authentication
from api.settings import Settings, SettingsError, content_folder, read_settings
from schema.errors import UsageError
from schema.release_names import SUPPORTED_OPENSEARCH

TIMEOUT_SECONDS = 60
MAPPINGS = ("vocabulary.json", "entities.json", "synonyms")
HEALTH_SECONDS = 10  # timeout of health requests


def settings_from_environment() -> Settings:
    """Return the settings of this process."""
    return read_settings(os.environ)


@contextmanager
def command_settings(limited: Collection[int] = END_SIGNALS) -> Iterator[Settings]:
    """Yield the settings of this process to a command, and report its errors. `limited` is as in `report_errors`."""
    with report_errors(limited):
        yield require_folders(settings_from_environment())


def require_folders(settings: Settings) -> Settings:
    """Return the settings. Raise SettingsError if a folder that they name lacks what commands read from it."""
    if settings.mappings is not None:
        missing = [name for name in MAPPINGS if not (settings.mappings / name).exists()]
        if missing:
            names = ", ".join(missing)
            raise SettingsError(
                f"AKG_MAPPINGS: {settings.mappings} lacks {names}. Set it to a copy of the shipped ones, or unset it."
            )
    if settings.content is not None and not settings.content.is_dir():
        raise SettingsError(
            f"AKG_CONTENT: there is no folder {settings.content}. Set it to a content folder, or unset it."
        )
    return settings


def tables_folder(settings: Settings, option: Path | None) -> Path:
    """Return the folder of `--content`, else the one of the settings; raise UsageError if there is no such folder."""
    if option is not None and not option.is_dir():
        raise UsageError(f"--content: there is no folder {option}. Name a content folder, or leave the option out.")
    return option or content_folder(settings)


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
    """Return a synchronous client, which sends requests again while OpenSearch is unavailable.

    Raise ClusterError if OpenSearch is unavailable, rejects the credentials, or is not one that is supported.
    """
    # The client logs each failed attempt; messages and errors of the commands are enough.
    logging.getLogger("opensearch").addHandler(logging.NullHandler())
    urls = engine_urls(settings)
    client = OpenSearch(
        hosts=list(urls),
        transport_class=RetryingTransport,
        **authentication(settings),
        serializer=FastSerializer(),
        timeout=TIMEOUT_SECONDS,
    )
    _require_supported(client, ", ".join(map(without_secrets, urls)))
    return client


def _require_supported(client: OpenSearch, shown: str) -> None:
    supported = ", ".join(f"{major}.x" for major in SUPPORTED_OPENSEARCH)
    choose = f"Set AKG_OPENSEARCH_URL to an OpenSearch {supported}."
    try:
        about = client.info()
    except exceptions.AuthorizationException:
        return  # an account that may not read the version; OpenSearch checks every other request
    except exceptions.AuthenticationException:
        raise ClusterError(f"{shown} rejected the credentials (401). {CHECK_CREDENTIALS}") from None
    except exceptions.ConnectionError as error:
        raise ClusterError(f"OpenSearch at {shown} is unavailable: {connection_problem(error)}") from None
    except (exceptions.NotFoundError, exceptions.SerializationError):
        raise ClusterError(f"{shown} is not an OpenSearch. {choose}") from None
    version = about.get("version", {}) if isinstance(about, dict) else {}
    number = version.get("number", "")
    if version.get("distribution") != "opensearch":
        name = f"Elasticsearch {number}" if "build_flavor" in version or number else "another program"
        raise ClusterError(f"{shown} is {name}, not OpenSearch. {choose}")
    if number.partition(".")[0] not in map(str, SUPPORTED_OPENSEARCH):
        raise ClusterError(f"{shown} is OpenSearch {number}, which is not supported. {choose}")


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
        with OpenSearch(
            urls, timeout=HEALTH_SECONDS, max_retries=len(urls) - 1, retry_on_timeout=True, **authentication(settings)
        ) as client:
            about = client.info()
            health = client.cluster.health()
    except exceptions.SSLError as error:
        raise ClusterError(f"OpenSearch is unavailable at {shown}: {connection_problem(error)}") from error
    except exceptions.ConnectionError as error:
        # The text begins with the memory address of an object.
        cause = str(error.info).rpartition(">: ")[2]
        raise ClusterError(f"OpenSearch is unavailable at {shown}: {cause}") from error
    except exceptions.TransportError as error:
        raise ClusterError(f"{shown} rejected the health request: {error.status_code} {error.error}") from error
    except (exceptions.OpenSearchException, OSError, ValueError) as error:
        raise ClusterError(f"{shown} is not an OpenSearch: {error}") from error
    return ClusterHealth(
        name=health["cluster_name"],
        version=about["version"]["number"],
        status=health["status"],
        nodes=health["number_of_nodes"],
    )
