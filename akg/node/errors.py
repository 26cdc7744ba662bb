"""Errors of the local node; each text is the message for the operator."""

from pathlib import Path

from schema.errors import ENGINE_UNUSABLE, REFUSED, WRONG_USAGE, AkgError


class NodeError(AkgError):
    """Base of the errors of the node."""

    exit_code = ENGINE_UNUSABLE


class FetchError(NodeError):
    """A file of the release could not be downloaded, or its SHA-256 is not the pinned one."""


class JavaError(NodeError):
    """The Java named by OPENSEARCH_JAVA_HOME cannot run this release."""


class HeapError(NodeError):
    """The size of the Java heap is invalid."""

    exit_code = WRONG_USAGE


class PortError(NodeError):
    """The node cannot listen on a port."""

    exit_code = WRONG_USAGE


class FolderError(NodeError):
    """The folder of the node cannot be used."""

    exit_code = REFUSED

    def __init__(self, root: Path, error: OSError) -> None:
        cause = f"{error.filename or root}: {error.strerror}"
        super().__init__(
            f"The node in {root} cannot be used: {cause}. Set AKG_DATA or --root to a folder that can be written."
        )


class ClusterError(NodeError):
    """The cluster named by AKG_OPENSEARCH_URL is unavailable or not an OpenSearch."""


class StartError(NodeError):
    """OpenSearch did not become ready. `reason` is one sentence, `lines` are the last output of OpenSearch."""

    def __init__(self, reason: str, lines: tuple[str, ...] = ()) -> None:
        super().__init__("\n".join((reason, *(f"  {line}" for line in lines))))
        self.reason = reason
        self.lines = lines
