"""Encodes documents as lines of a bulk request, each with a digest.

A release stores the digests of its documents in documents (`_id` is `digests/` and a number), so that an incremental
build sends only what differs (docs/decisions/0027 says why).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from schema.document_ids import DIGESTS, METADATA_PREFIXES, metadata_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from schema.json_types import JsonObject

DIGESTS_PER_DOCUMENT = 20_000  # about 1.3 MB
DIGEST_BYTES = 12


class EncodedDocument(NamedTuple):
    """A document as two lines of a bulk request; no lines if the base release has the same document."""

    key: str
    digest: str
    lines: bytes


@dataclass(frozen=True, slots=True)
class BaseRelease:
    """The release that an incremental build clones: its index, and the digest of each document by `_id`."""

    index: str
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class IndexInput:
    """The documents of a new index. The base has those without lines."""

    documents: Iterable[EncodedDocument]
    base: BaseRelease | None = None


def encode(key: str, body: JsonObject, base_digests: Mapping[str, str]) -> EncodedDocument:
    """Encode one document, without lines if `base_digests` has its digest under its `_id`."""
    text = orjson.dumps(body)
    digest = hashlib.blake2b(text, digest_size=DIGEST_BYTES).hexdigest()
    unchanged = base_digests.get(key) == digest
    lines = b"" if unchanged else b'{"index":{"_id":%b}}\n%b\n' % (orjson.dumps(key), text)
    return EncodedDocument(key, digest, lines)


def encode_documents(
    documents: Iterable[tuple[str, JsonObject]], base_digests: Mapping[str, str] | None = None
) -> Iterator[EncodedDocument]:
    """Encode the documents in order."""
    base_digests = base_digests or {}
    return (encode(key, body, base_digests) for key, body in documents)


@dataclass(slots=True)
class DigestTracker:
    """Follows the documents of an index input: adds their digests, and finds what the base has beyond them.

    `has_changes` says whether a sent document describes the graph.
    """

    index_input: IndexInput
    stale_ids: set[str] = field(init=False)
    count: int = field(init=False, default=0)
    has_changes: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Start with every document of the base as stale."""
        self.stale_ids = set(self.index_input.base.digests) if self.index_input.base else set()

    def documents(self, per_document: int = DIGESTS_PER_DOCUMENT) -> Iterator[EncodedDocument]:
        """Yield every document, and after each `per_document` of them one with their digests, to bound memory."""
        digests: list[tuple[str, str]] = []
        number = 0
        for document in chain(self.index_input.documents, [None]):
            if document is not None:
                digests.append((document.key, document.digest))
                yield self._track(document)
            if digests and (document is None or len(digests) >= per_document):
                body = {"doc": DIGESTS, DIGESTS: {"lines": digests}}
                yield self._track(encode(metadata_id(DIGESTS, number), body, {}))
                digests, number = [], number + 1

    def _track(self, document: EncodedDocument) -> EncodedDocument:
        self.stale_ids.discard(document.key)
        self.count += 1
        self.has_changes = self.has_changes or bool(document.lines and not document.key.startswith(METADATA_PREFIXES))
        return document


def count_digest_documents(documents: int) -> int:
    """Return how many documents store the digests of so many others."""
    return -(-documents // DIGESTS_PER_DOCUMENT)


def read_digests(documents: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, str]:
    """Return the digests in these documents, given as (`_id`, body), which get an empty digest themselves."""
    digests: dict[str, str] = {}
    for key, body in documents:
        digests[key] = ""
        digests.update(body[DIGESTS]["lines"])
    return digests
