"""The index alias that points at the live release: reads it, moves it, and finds out what an interrupted move did."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from opensearchpy import NotFoundError, OpenSearch, OpenSearchException, TransportError

from indexer.release.bulk import TIMEOUT_SECONDS
from schema.errors import AkgError
from schema.json_types import JsonObject  # noqa: TC001 - as in the other modules

REQUEST_TIMEOUT = 408  # the status of a response to a wait that took too long

log = logging.getLogger("akg.releases")


@contextmanager
def failing_with_warning(consequence: str) -> Iterator[None]:
    """Log an error as a warning: after a release went live, no error may look like a failed build."""
    try:
        yield
    except (OpenSearchException, AkgError) as error:  # as a lease that was lost meanwhile
        log.warning("%s (%s: %s)", consequence, type(error).__name__, error)


class PublishedInterrupt(KeyboardInterrupt):
    """Ctrl-C after the index alias moved: the command ends, and the release stays live."""


def was_published(index: str) -> str:
    """Return the message of a command that Ctrl-C stopped after it published this release."""
    return f"Stopped, but {index} was already published: it is live. `akg index rollback` goes back."


@contextmanager
def published(index: str) -> Iterator[None]:
    """Say that this release is live if Ctrl-C ends what follows its publication."""
    try:
        yield
    except PublishedInterrupt:
        raise
    except KeyboardInterrupt:
        raise PublishedInterrupt(was_published(index)) from None


def wait_for_pending_changes(client: OpenSearch) -> bool:
    """Wait until the cluster has made all changes of indices and aliases; return whether it has.

    The last request of an interrupted command may still run.
    """
    timeout = {"timeout": f"{TIMEOUT_SECONDS // 2}s", "ignore": REQUEST_TIMEOUT, "request_timeout": TIMEOUT_SECONDS}
    health = client.cluster.health(params={"wait_for_events": "languid", **timeout})
    return not health["timed_out"]


@dataclass(frozen=True, slots=True)
class LiveAlias:
    """One index alias."""

    client: OpenSearch
    name: str

    def indices(self) -> list[str]:
        """Return the indices behind the alias: none before the first release, else one."""
        try:
            return sorted(self.client.indices.get_alias(index=f"{self.name}-*", name=self.name))
        except NotFoundError:
            return []

    def move_to(self, index: str) -> None:
        """Point the alias only at this index, in one atomic request.

        If the response is an error or lost, the alias itself says whether it has moved.
        """
        actions: list[JsonObject] = [
            {"remove": {"index": live, "alias": self.name}} for live in self.indices() if live != index
        ]
        add = {"add": {"index": index, "alias": self.name}}
        try:
            self.client.indices.update_aliases(body={"actions": [*actions, add]})
        except KeyboardInterrupt:
            if self.is_certainly_at(index):
                raise PublishedInterrupt(was_published(index)) from None
            raise
        except TransportError:
            if not wait_for_pending_changes(self.client) or self.indices() != [index]:
                raise

    def is_certainly_at(self, index: str) -> bool:
        """Return whether the alias points at this index alone after all pending requests."""
        try:
            return wait_for_pending_changes(self.client) and self.indices() == [index]
        except TransportError:
            return False

    def is_certainly_elsewhere(self, index: str) -> bool:
        """Return whether the alias does not point at this index and no pending request will change that."""
        try:
            return wait_for_pending_changes(self.client) and index not in self.indices()
        except TransportError:
            return False
