"""Documents become lines of a bulk request, each with a digest by which a later release knows it again. Pure.

A release keeps the digests of its documents in documents of its own (`_id` is `digests/` and a number), so that a build
need send only what differs (docs/decisions/0027 says why).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Document = dict[str, Any]

DIGESTS = "digests"
OWN = ("changes", "ledger/", "digests/")  # how the `_id`s of what a release keeps about itself begin
LINES = 20_000  # digests that one document keeps: about 1.3 MB
DIGEST_BYTES = 12


class Encoded(NamedTuple):
    """A document as it is sent: two lines of a bulk request, or none where the base has the same document."""

    key: str
    digest: str
    lines: bytes


@dataclass(frozen=True, slots=True)
class Base:
    """A release from which a build takes over what stays: its index, and the digest of each document by `_id`."""

    index: str
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Filling:
    """What goes into a new index. A document without lines is in the base, and stays."""

    documents: Iterable[Encoded]
    base: Base | None = None


def encode(key: str, body: Document, known: Mapping[str, str]) -> Encoded:
    """One document; it has no lines where its digest is `known` under its `_id`."""
    text = orjson.dumps(body)
    digest = hashlib.blake2b(text, digest_size=DIGEST_BYTES).hexdigest()
    same = known.get(key) == digest
    return Encoded(key, digest, b"" if same else b'{"index":{"_id":%b}}\n%b\n' % (orjson.dumps(key), text))


def encoded(documents: Iterable[tuple[str, Document]], known: Mapping[str, str] | None = None) -> Iterator[Encoded]:
    """The documents in order, beside those that are `known`."""
    known = known or {}
    return (encode(key, body, known) for key, body in documents)


@dataclass(slots=True)
class Noted:
    """Documents on their way into an index: their digests follow them, and what the base has beyond them is `gone`.

    `differs` says whether any was sent that tells of the graph.
    """

    filling: Filling
    gone: set[str] = field(init=False)
    count: int = field(init=False, default=0)
    differs: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Whatever the base has is gone until it comes by."""
        self.gone = set(self.filling.base.digests) if self.filling.base else set()

    def documents(self, most: int = LINES) -> Iterator[Encoded]:
        """Every document, and after each `most` of them one with their digests, so that none are held for long."""
        lines: list[tuple[str, str]] = []
        pages = 0
        for one in chain(self.filling.documents, [None]):
            if one is not None:
                lines.append((one.key, one.digest))
                yield self._passed(one)
            if lines and (one is None or len(lines) >= most):
                page = {"doc": DIGESTS, DIGESTS: {"lines": lines}}
                yield self._passed(encode(f"{DIGESTS}/{pages}", page, {}))
                lines, pages = [], pages + 1

    def _passed(self, one: Encoded) -> Encoded:
        self.gone.discard(one.key)
        self.count += 1
        self.differs = self.differs or bool(one.lines and not one.key.startswith(OWN))
        return one


def count_digest_documents(documents: int) -> int:
    """How many documents keep the digests of so many others."""
    return -(-documents // LINES)


def kept_digests(documents: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, str]:
    """The digests that these documents of a release, as (`_id`, body), keep; their own `_id`s with none that fits."""
    found: dict[str, str] = {}
    for key, body in documents:
        found[key] = ""
        found.update(body[DIGESTS]["lines"])
    return found
