"""The snapshot repository: registers its folder or bucket, and says what a cluster lacks for it."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from opensearchpy import NotFoundError, OpenSearch, TransportError

from indexer.release.bulk import TIMEOUT_SECONDS
from indexer.release.stored_releases import ReleaseError
from schema.json_types import JsonObject

DEFAULT_FOLDER = "akg"  # in the first `path.repo` of the nodes
TIMEOUT = {"request_timeout": TIMEOUT_SECONDS}
MISSING_FOLDER = "no_such_file_exception"  # OpenSearch creates the folder of a repository at its first snapshot
NO_FOLDER = (
    "The cluster has no folder for snapshots. Set `path.repo` in opensearch.yml of every node to a folder that all of "
    "them share, and restart them; or use a bucket: AKG_SNAPSHOT_LOCATION=s3://bucket/path."
)
NO_S3 = (
    "The cluster cannot use S3: the plugin is missing. Run `bin/opensearch-plugin install repository-s3` on every "
    "node, put the keys into their keystores, and restart them."
)


def register(client: OpenSearch, repository: str, location: str, *, writing: bool) -> None:
    """Register the repository as the settings say, read-only unless `writing`. `location` is as in `Snapshots`."""
    try:
        known = client.snapshot.get_repository(repository=repository)[repository]
    except NotFoundError:
        known = None
    body = repository_body(location)
    if known is not None and (not location or _is_same(known, body)):
        if not writing or str(known["settings"].get("readonly", "false")) != "true":
            return
        body = {"type": known["type"], "settings": {**known["settings"], "readonly": "false"}}
    elif not writing:
        body["settings"]["readonly"] = "true"
    try:
        client.snapshot.create_repository(repository=repository, body=body, params=TIMEOUT)
    except TransportError as error:
        if not writing and MISSING_FOLDER in str(error.info):
            return
        raise ReleaseError(_registration_error(str(error.info), repository)) from None


def repository_body(location: str) -> JsonObject:
    """Return the request body that registers a repository at this location."""
    if location.startswith("s3://"):
        parts = urlsplit(location)
        path = {"base_path": parts.path.strip("/")} if parts.path.strip("/") else {}
        return {"type": "s3", "settings": {"bucket": parts.netloc, **path}}
    return {"type": "fs", "settings": {"location": location or DEFAULT_FOLDER}}


def _is_same(known: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    return bool(known["type"] == body["type"] and body["settings"].items() <= known["settings"].items())


def _registration_error(reason: str, repository: str) -> str:
    if "repository type [s3] does not exist" in reason:
        return NO_S3
    if "path.repo" in reason:
        return NO_FOLDER
    return f"OpenSearch cannot use the repository {repository}: {reason}"
