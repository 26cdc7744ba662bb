"""The index alias that points at the live release: reads it, moves it, and finds out what an interrupted move did."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain

from opensearchpy import NotFoundError, OpenSearch, OpenSearchException, RequestError, TransportError

from indexer.release.bulk import TIMEOUT_SECONDS
from indexer.release.full_disks import is_flood_stage_block
from schema.errors import LOCKED, AkgError
from schema.json_types import JsonObject

REQUEST_TIMEOUT = 408  # the status of a response to a wait that took too long

ALIAS_MISSING = "aliases_not_found_exception"

log = logging.getLogger("akg.releases")


class AliasMovedError(AkgError):
    """The alias points at another index than when it was read: another program published a release."""

    exit_code = LOCKED


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

    def move_to(self, index: str, before: Sequence[str]) -> None:
        """Point the alias only at this index, in one atomic request.

        `before` is where it pointed when the caller last made sure that it is the only writer. OpenSearch rejects the
        request if the alias has moved since, however long this process was suspended: then raise AliasMovedError.
        If the response is an error or lost, the alias itself says whether it has moved.
        """
        actions: list[JsonObject] = [self._remove_from(live) for live in before]
        if not before:  # another command may have published the first release
            actions.append({"remove": {"index": f"{self.name}-*", "alias": self.name, "must_exist": False}})
        add = {"add": {"index": index, "alias": self.name}}
        try:
            self.client.indices.update_aliases(body={"actions": [*actions, add]})
        except KeyboardInterrupt:
            if self.is_certainly_at(index):
                raise PublishedInterrupt(was_published(index)) from None
            raise
        except TransportError as error:
            if wait_for_pending_changes(self.client) and self.indices() == [index]:
                return
            if isinstance(error, NotFoundError):
                raise AliasMovedError(f"Another program changed the releases of {self.name}: try again.") from error
            raise

    def delete_if_unmoved(self, index: str, before: Sequence[str]) -> None:
        """Delete an index if the alias points where it did before; raise AliasMovedError if it has moved.

        One atomic request, so that an index is not deleted that went live after the caller read the alias. It is sent
        once more if its response was lost.
        """
        try:
            self._delete_if_unmoved(index, before)
        except TransportError as error:
            is_final = isinstance(error, RequestError) or is_flood_stage_block(error)
            if is_final or not wait_for_pending_changes(self.client):
                raise
            self._delete_if_unmoved(index, before)

    def _delete_if_unmoved(self, index: str, before: Sequence[str]) -> None:
        unmoved = [[self._remove_from(live), {"add": {"index": live, "alias": self.name}}] for live in before]
        delete = {"remove_index": {"index": index}}
        try:
            self.client.indices.update_aliases(body={"actions": [*chain.from_iterable(unmoved), delete]})
        except NotFoundError as error:  # without the index there is nothing to do
            if error.error == ALIAS_MISSING or self.indices() != list(before):
                raise AliasMovedError(
                    f"{index} was not deleted, because another program published a release."
                ) from error

    def _remove_from(self, index: str) -> JsonObject:
        return {"remove": {"index": index, "alias": self.name, "must_exist": True}}

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
