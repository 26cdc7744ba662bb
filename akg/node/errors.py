"""Every error the local node can give; the text is the whole message, meant for the person at the keyboard.

NodeError
├── FetchError   a file could not be had, or is not the one that is pinned
├── JavaError    the Java that was named cannot run this release
├── StartError   the engine stopped, or never became ready; `lines` are its own last words
└── ClusterError a cluster that somebody else runs does not answer
"""


class NodeError(Exception):
    """Something about the node that the reader can act on."""


class FetchError(NodeError):
    """A file of the release could not be had, or its SHA-256 is not the pinned one."""


class JavaError(NodeError):
    """The Java named by OPENSEARCH_JAVA_HOME cannot run this release."""


class ClusterError(NodeError):
    """The cluster named by AKG_OPENSEARCH_URL does not answer as one should."""


class StartError(NodeError):
    """The engine did not become ready. `reason` is one sentence, `lines` what the engine itself said last."""

    def __init__(self, reason: str, lines: tuple[str, ...] = ()) -> None:
        super().__init__("\n".join((reason, *(f"  {line}" for line in lines))))
        self.reason = reason
        self.lines = lines
